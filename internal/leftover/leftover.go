// Package leftover finds former names that a Rename left standing.
//
// References in fields are rewritten. But names also stand where no field is
// one: in a controller's arguments (--configmap=ns/name), in URLs, in
// configuration that is itself the data of a ConfigMap. What stands there may
// be such a name, or a word that happens to be the same, so it is told and not
// touched.
//
// A name counts where it stands as a whole word, or as namespace/name, and so
// does a name with a suffix that is not the object's. It does not count where it
// names something else: a container, a volume, another element of a list, a
// resource of another kind, a label, an image, a path. Where a resource that keeps its name bears the same
// one, that is likelier meant, and the name counts only beside the word
// configmap or secret.
//
// In the content of a Secret a name counts only where it is hardly a secret: in a
// path behind configmaps/ or secrets/, as operators mount them, and behind the
// word configmap or secretName. To tell of any word there would tell what is there.
//
// What is told follows from what stands in the result alone, so that a second
// run tells the same.
package leftover

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/internal/yamldoc"
)

// maxVisited bounds how many nodes of an item are looked at, which aliases can
// make more than there are in the text.
const maxVisited = 1 << 20

// Search returns a warning for every place in the resources of g where a former
// name of a renamed object stands. names are the names of renamed objects, as
// they will be.
func Search(g *graph.Graph, names map[*graph.Resource]string) []graph.Finding {
	s := newSearcher(g, names)
	if len(s.former) == 0 {
		return nil
	}
	found, _ := graph.EachBatch(graph.Batches(g.Resources), func(b graph.Batch) ([]graph.Finding, error) {
		var found []graph.Finding
		if !s.mayHold(b.Chunk.Text, b.Resources) {
			return nil, nil
		}
		err := b.Parse(func(r *graph.Resource, item *yaml.Node) error {
			found = append(found, s.item(r, item)...)
			return nil
		})
		return found, err
	}) // it parsed before, so there are no errors
	return slices.Concat(found...)
}

type searcher struct {
	graph *graph.Graph
	names map[*graph.Resource]string
	// former and formerIn hold the renamed objects by the names that they no
	// longer bear, and by their namespaces.
	former   map[string][]*graph.Resource
	formerIn map[nameIn][]*graph.Resource
	// present holds those names, each with one that an object bears now.
	present map[[2]string]bool
	// kept tells that another object bears one of those names, and keeps it.
	kept map[nameIn]bool

	mu sync.Mutex
	// messages are what is to be told of words, by what they may mean.
	messages map[meant][]string
}

// A meant is what a word may mean.
type meant struct {
	word string
	// namespace is where the object is, and anywhere tells that nothing says.
	namespace string
	anywhere  bool
	about     catalog.Target // the kinds that what stands beside the word is about, if any
	// except is the resource in which the word stands, where it bore the name itself.
	except *graph.Resource
}

// A nameIn is a name in a namespace, "" for objects that belong to none.
type nameIn struct{ name, namespace string }

func newSearcher(g *graph.Graph, names map[*graph.Resource]string) *searcher {
	s := &searcher{
		graph: g, names: names,
		former: map[string][]*graph.Resource{}, formerIn: map[nameIn][]*graph.Resource{},
		present: map[[2]string]bool{}, kept: map[nameIn]bool{}, messages: map[meant][]string{},
	}
	each := func(renamed bool, do func(r *graph.Resource, name string)) {
		for _, r := range g.Resources {
			if _, ok := names[r]; ok != renamed {
				continue
			}
			if renamed {
				do(r, r.Base)
			} else {
				do(r, r.Name)
			}
			for _, id := range r.History.Previous {
				do(r, id.Name)
			}
		}
	}
	each(true, func(r *graph.Resource, name string) {
		// An object's names come one behind the other.
		list := s.former[name]
		if name == names[r] || len(list) > 0 && list[len(list)-1] == r {
			return
		}
		s.former[name] = append(list, r)
		in := nameIn{name, g.NamespaceOf(r)}
		s.formerIn[in] = append(s.formerIn[in], r)
		s.present[[2]string{name, names[r]}] = true
	})
	each(false, func(r *graph.Resource, name string) {
		if s.former[name] != nil {
			s.kept[nameIn{name, g.NamespaceOf(r)}] = true
		}
	})
	return s
}

// formerName returns the former name, without a suffix that word may have, of
// renamed objects. It reports false where there are none.
func (s *searcher) formerName(word string) (string, bool) {
	if s.former[word] != nil {
		return word, true
	}
	dash := strings.LastIndexByte(word, '-')
	if dash <= 0 || !hash.IsSuffix(word[dash+1:]) {
		return "", false
	}
	// The base with a suffix: the present name of one object may be taken for
	// a former one of another that has the same base.
	base := word[:dash]
	return base, s.former[base] != nil && !s.present[[2]string{base, word}]
}

// isFormer reports whether word is a former name of renamed objects.
func (s *searcher) isFormer(word string) bool {
	_, ok := s.formerName(word)
	return ok
}

// keeps reports whether a resource in the namespace, or one that belongs to
// none, bears the name and keeps it.
func (s *searcher) keeps(name, namespace string) bool {
	return s.kept[nameIn{name, ""}] || s.kept[nameIn{name, namespace}]
}

// mayHold reports whether there are more former names in a chunk's text than
// those of its resources and references. It spares parsing again what holds no
// more. Where the text cannot be counted on, for escapes or aliases, it says yes.
func (s *searcher) mayHold(text []byte, resources []*graph.Resource) bool {
	if bytes.IndexByte(text, '\\') >= 0 || slices.ContainsFunc(resources, func(r *graph.Resource) bool { return r.Mentions }) {
		return true
	}
	found := 0
	for start, end := range words(text) {
		word := text[start:end]
		if s.former[string(word)] == nil && (len(word) <= hash.Length || !s.isFormer(string(word))) {
			continue
		}
		found++
	}
	for _, r := range resources {
		shared := r.NameAt.Shared
		if s.isFormer(r.Name) {
			found--
		}
		for i := range r.References {
			shared = shared || r.References[i].At.Shared
			if s.isFormer(r.References[i].Name) {
				found--
			}
		}
		if shared {
			return true
		}
	}
	return found > 0
}

// words yields where the words of text begin and end. A sentence may end behind
// a word, so its last dots are left out.
func words[T string | []byte](text T) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for at := 0; at < len(text); {
			start := at
			for start < len(text) && !isWord(text[start]) {
				start++
			}
			for at = start; at < len(text) && isWord(text[at]); {
				at++
			}
			end := at
			for end > start && text[end-1] == '.' {
				end--
			}
			if end > start && !yield(start, end) {
				return
			}
		}
	}
}

// isWord reports whether c can be part of a name, or of a longer word.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '-' || c == '.' || c == '_' || c >= 0x80
}

// item searches the item of a resource.
func (s *searcher) item(r *graph.Resource, item *yaml.Node) []graph.Finding {
	w := walker{searcher: s, resource: r, references: map[yamldoc.Path]bool{}}
	for _, ref := range r.References {
		w.references[ref.At.Path] = true
	}
	for _, at := range r.Mistaken {
		w.references[at.Path] = true
	}
	w.mapping(item, true, false)
	return w.found
}

// A walker walks over one item.
type walker struct {
	*searcher
	resource   *graph.Resource
	references map[yamldoc.Path]bool
	visited    int
	at         yamldoc.Trail
	found      []graph.Finding
}

// node looks at n. element tells an element of a sequence, beside which
// kinds the key before is about.
func (w *walker) node(n *yaml.Node, element bool, beside catalog.Target) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if w.visited++; w.visited > maxVisited {
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		w.mapping(n, false, element)
	case yaml.SequenceNode:
		for i, e := range n.Content {
			w.at.Index(i)
			w.node(e, true, beside)
			w.at.Back()
		}
	case yaml.ScalarNode:
		if n.ShortTag() == "!!str" {
			w.scalar(n.Value, beside)
		}
	}
}

func (w *walker) mapping(n *yaml.Node, root, element bool) {
	kind := ""
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "kind" {
			kind = n.Content[i+1].Value
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if yamldoc.IsMerge(n.Content[i]) {
			continue // what it brings in stands at its anchor
		}
		key, value := n.Content[i].Value, n.Content[i+1]
		beside := reference.About(key)
		switch key {
		case "namespace", "image", "labels", "matchLabels", "matchExpressions", "selector", "nodeSelector", "podSelector", "tolerations",
			"mountPath", "subPath", "workingDir", "serviceName", "serviceAccountName", "host", "port", "targetPort":
			continue
		case "status":
			if root {
				continue
			}
		case "name":
			// The name of an element, such as a volume's, or that of an
			// object of another kind, or of what is embedded.
			target, of := catalog.TargetOf(kind), w.lastKey()
			if kind != "" && target == 0 || kind == "" && (element && reference.About(of) == 0 && !w.mayRefer(of, n) || of == "spec" || of == "metadata") {
				continue
			}
			if beside = target; target == 0 {
				beside = reference.About(of)
			}
		case "metadata":
			if root {
				w.at.Key(key)
				w.annotations(value)
				w.at.Back()
				continue
			}
		case "data", "stringData":
			if kind == "Secret" {
				w.at.Key(key)
				w.secret(value, key == "data")
				w.at.Back()
				continue
			}
		}
		w.at.Key(key)
		w.node(value, false, beside)
		w.at.Back()
	}
}

// mayRefer reports whether an element of the list under a key may be a reference
// that no rule and no shape covers: in a kind that is not known, a mapping of
// nothing but a name and what goes with it.
func (w *walker) mayRefer(list string, n *yaml.Node) bool {
	switch list {
	case "containers", "initContainers", "ephemeralContainers", "volumes", "env", "ports":
		return false
	}
	for i := 0; i < len(n.Content); i += 2 {
		switch n.Content[i].Value {
		case "name", "namespace", "key", "optional":
		default:
			return false
		}
	}
	known, err := catalog.Builtin().Knows(w.resource.Group, w.resource.Version, w.resource.Kind)
	return !known && err == nil
}

// secret looks at a Secret's data, which is encoded, or its stringData.
func (w *walker) secret(data *yaml.Node, encoded bool) {
	data = yamldoc.Resolve(data)
	for i := 0; data.Kind == yaml.MappingNode && i+1 < len(data.Content); i += 2 {
		key, value := data.Content[i].Value, yamldoc.Resolve(data.Content[i+1])
		if w.visited++; w.visited > maxVisited || value.Kind != yaml.ScalarNode || w.resource.Bare[key] {
			continue
		}
		text := value.Value
		if encoded {
			decoded, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				continue
			}
			text = string(decoded)
		}
		w.at.Key(key)
		w.secretText(text)
		w.at.Back()
	}
}

func (w *walker) secretText(text string) {
	told := map[string]catalog.Target{} // one text may name an object often
	for start, end := range words(text) {
		word := text[start:end]
		if !w.isFormer(word) {
			continue
		}
		about := aboutInSecret(text[:start]) &^ told[word]
		if about == 0 || w.at.TooDeep() || w.references[w.at.Path()] {
			continue
		}
		told[word] |= about
		own := w.own()
		for _, message := range w.about(meant{word: word, namespace: own, anywhere: own == "", about: about, except: w.resource}) {
			w.tell(message)
		}
	}
}

// victoriaMetrics is where the operator of VictoriaMetrics mounts ConfigMaps.
const victoriaMetrics = "/etc/vm/configs/"

var (
	configMapWord = regexp.MustCompile(`(?i)config[-_]?map`)
	secretWord    = regexp.MustCompile(`(?i)secret[-_]?(?:name|ref)`)
)

// aboutInSecret returns which kinds a name behind before can be of in the content
// of a Secret. What is behind the word secret alone is likely a secret.
func aboutInSecret(before string) catalog.Target {
	switch strings.ToLower(namespaceIn(before)) {
	case "configmap", "configmaps":
		return catalog.ConfigMap
	case "secret", "secrets":
		return catalog.Secret
	}
	argument := argument(before)
	switch {
	case strings.HasSuffix(before, victoriaMetrics), configMapWord.MatchString(argument):
		return catalog.ConfigMap
	case secretWord.MatchString(argument):
		return catalog.Secret
	}
	return 0
}

// lastKey returns the last key on the way.
func (w *walker) lastKey() string {
	for _, step := range slices.Backward(w.at) {
		if step.Index < 0 {
			return step.Key
		}
	}
	return ""
}

// annotations looks at the annotations of the item itself, but for those of
// the tools that handle it.
func (w *walker) annotations(metadata *yaml.Node) {
	for metadata.Kind == yaml.AliasNode {
		metadata = metadata.Alias
	}
	for i := 0; i+1 < len(metadata.Content); i += 2 {
		if metadata.Content[i].Value != "annotations" {
			continue
		}
		annotations := metadata.Content[i+1]
		for annotations.Kind == yaml.AliasNode {
			annotations = annotations.Alias
		}
		w.at.Key("annotations")
		for j := 0; j+1 < len(annotations.Content); j += 2 {
			if key := annotations.Content[j].Value; !isTools(key) {
				w.at.Key(key)
				w.node(annotations.Content[j+1], false, reference.About(key))
				w.at.Back()
			}
		}
		w.at.Back()
	}
}

// isTools reports whether an annotation belongs to a tool that handles
// manifests: its value names files and earlier names.
func isTools(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	switch domain {
	case "confighash.dev", "kubectl.kubernetes.io":
		return true
	}
	return strings.HasSuffix(domain, "config.kubernetes.io") || strings.HasSuffix(domain, "config.k8s.io") ||
		strings.HasSuffix(domain, "kpt.dev")
}

// scalar looks for words of a value that are former names, but for where a
// reference stands.
func (w *walker) scalar(value string, beside catalog.Target) {
	var told map[meant]bool
	for start, end := range words(value) {
		word, before := value[start:end], value[:start]
		if !w.isFormer(word) {
			continue
		}
		if told == nil {
			// No path that is so long can be read.
			if w.at.TooDeep() || w.references[w.at.Path()] {
				return
			}
			told = map[meant]bool{}
		}
		m, ok := w.meant(word, before)
		if !ok {
			continue
		}
		m.about = beside | reference.About(argument(before))
		// Among many it makes no difference, and they are not told one by one.
		if objects := w.objects(m); len(objects) < 16 && slices.Contains(objects, w.resource) {
			m.except = w.resource
		}
		if told[m] {
			continue
		}
		told[m] = true
		for _, message := range w.about(m) {
			w.tell(message)
		}
	}
}

func (w *walker) tell(message string) {
	w.found = append(w.found, graph.Finding{
		Severity: manifest.Warning, Resource: w.resource, Name: w.names[w.resource], Path: w.at.Path(), Message: message,
	})
}

// about returns what is to be told of a word.
func (s *searcher) about(m meant) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	messages, ok := s.messages[m]
	if !ok {
		messages = s.compose(m)
		s.messages[m] = messages
	}
	return messages
}

// compose makes the messages of a word: one for each kind that it may mean.
func (s *searcher) compose(m meant) []string {
	var messages []string
	for _, kind := range catalog.AnyTarget.Each() {
		var now []string
		for _, object := range s.objects(m) {
			about := m.about.Has(kind) || m.about == 0 && !s.keeps(m.word, s.graph.NamespaceOf(object))
			if object.Target == kind && about && object != m.except {
				now = append(now, s.names[object])
			}
		}
		slices.Sort(now)
		switch now = slices.Compact(now); len(now) {
		case 0:
		case 1:
			messages = append(messages, fmt.Sprintf("%q stands here, a former name of the %s that is now %s; if that is meant, this place does not follow: keep the name by the annotation confighash.dev/ignore: \"true\" on the %[2]s",
				m.word, kind, now[0]))
		default:
			messages = append(messages, fmt.Sprintf("%q stands here, a former name of %ss that are now %s; if one of them is meant, this place does not follow: keep the name by the annotation confighash.dev/ignore: \"true\" on these %[2]ss",
				m.word, kind, graph.Enumerate(now)))
		}
	}
	return messages
}

// objects returns the renamed objects that a word may be a former name of.
func (s *searcher) objects(m meant) []*graph.Resource {
	name, _ := s.formerName(m.word)
	if m.anywhere {
		return s.former[name]
	}
	return s.formerIn[nameIn{name, m.namespace}]
}

// own returns the namespace in which names without one are meant, "" for any.
func (w *walker) own() string {
	if w.resource.ScopeUnknown {
		return ""
	}
	return w.graph.NamespaceOf(w.resource)
}

// namespaceIn returns the word that stands with a slash behind it at the end of
// before, "" if there is none.
func namespaceIn(before string) string {
	before, ok := strings.CutSuffix(before, "/")
	if !ok {
		return ""
	}
	start := len(before)
	for start > 0 && isWord(before[start-1]) {
		start--
	}
	return before[start:]
}

// argument returns what stands right before a name: a flag, a key, the first
// part of configmap/name.
func argument(before string) string {
	const most = 60
	before = before[max(0, len(before)-most):]
	trimmed := strings.TrimRight(before, " \t\n:=\"'")
	return trimmed[strings.LastIndexAny(trimmed, " \t\n,;")+1:]
}

// meant returns which objects a word behind before can mean, as far as its place
// tells: those of the resource's own namespace, or those whose namespace, or a
// variable, stands before it. It reports false where it means none.
func (w *walker) meant(word, before string) (meant, bool) {
	own := w.own()
	same := meant{word: word, namespace: own, anywhere: own == ""}
	last, mounted := namespaceIn(before), strings.HasSuffix(before, victoriaMetrics)
	before, slash := strings.CutSuffix(before, "/")
	if !slash {
		return same, true
	}
	start := len(before) - len(last)
	switch {
	case strings.HasSuffix(before, ":/"): // a URL's host
		return same, true
	case strings.HasSuffix(before, ")"), strings.HasSuffix(before, "}"): // $(POD_NAMESPACE)/name
		return same, true
	case reference.About(last) != 0, mounted: // configmap/name
		return same, true
	default:
		return meant{word: word, namespace: last}, !strings.HasSuffix(before[:start], "/") // otherwise a path
	}
}
