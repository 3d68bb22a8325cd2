// Package leftover finds former names of renamed objects in places that mode Rename does not update.
//
// References in fields are rewritten. But names also occur in a controller's arguments (--configmap=ns/name), in URLs,
// or in configuration within a ConfigMap. Such a word may be a reference, or the same by chance, so [Search] only
// reports it.
//
// A word counts if it is the whole name, namespace/name, or the name with a suffix other than the object's. It does not
// count if it names something else: a container, a volume, another list element, a resource of another kind, a label,
// an image, a path. If a resource that is not renamed has the same name, it is the more likely target, and the word
// counts only next to the word configmap or secret.
//
// In the content of a Secret, a word counts only where it is hardly confidential: in a path after configmaps/ or
// secrets/, where operators mount them, and after the word configmap or secretName. A report of any other word would
// disclose content.
//
// The warnings depend only on the output, so a second run reports the same.
package leftover

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
)

// Search returns a warning for each place in the resources of g with a former name of a renamed object, and for the
// selectors of a Kptfile or of the configuration of a kpt function, which kpt compares with exact names. names are the
// new names of renamed objects.
func Search(g *graph.Graph, names map[*graph.Resource]string) []graph.Finding {
	s := newSearcher(g, names)
	if len(s.former) == 0 {
		return nil
	}
	searched := slices.DeleteFunc(slices.Clone(g.PassedOver), func(r *graph.Resource) bool { return !isKptfile(r) && r.Group != "fn.kpt.dev" })
	searched = slices.Concat(g.Resources, searched)
	found, _ := graph.EachBatch(graph.Batches(searched), func(b graph.Batch) ([]graph.Finding, error) {
		if !s.mayHold(b.Chunk.Text, b.Resources) {
			return nil, nil
		}
		var found []graph.Finding
		err := b.Parse(func(r *graph.Resource, item *yaml.Node) error {
			found = append(found, s.item(r, item)...)
			return nil
		})
		return found, err
	}) // it parsed before, so it cannot fail
	return slices.Concat(found...)
}

type searcher struct {
	graph *graph.Graph
	names map[*graph.Resource]string
	// former has the renamed objects by their former names.
	former map[string][]*graph.Resource
	// filter has the former names, so that most words need no lookup in former.
	filter filter

	// index computes the following fields on first use: in most inputs, no word needs them.
	index func()
	// formerIn has the renamed objects by former name and current namespace.
	formerIn map[nameIn][]*graph.Resource
	// present has pairs of a former name and the object's current name.
	present map[[2]string]bool
	// kept has the former names that another object has and keeps.
	kept map[nameIn]bool

	mu       sync.Mutex
	messages map[meaning][]string // for words, by what they may refer to
}

// A nameIn is a name in a namespace, "" for cluster-scoped objects.
type nameIn struct{ name, namespace string }

func newSearcher(g *graph.Graph, names map[*graph.Resource]string) *searcher {
	s := &searcher{graph: g, names: names, former: make(map[string][]*graph.Resource, len(names)), messages: map[meaning][]string{}}
	s.index = sync.OnceFunc(s.makeIndex)
	for _, r := range g.Resources {
		if now, renamed := names[r]; renamed {
			s.add(r, r.Base, now)
			for _, id := range r.History.Previous {
				s.add(r, id.Name, now)
			}
		}
	}
	return s
}

func (s *searcher) add(r *graph.Resource, name, now string) {
	list := s.former[name]
	if name == now || len(list) > 0 && list[len(list)-1] == r {
		return
	}
	s.former[name] = append(list, r)
	s.filter.add(name)
}

func (s *searcher) makeIndex() {
	s.formerIn, s.present, s.kept = map[nameIn][]*graph.Resource{}, map[[2]string]bool{}, map[nameIn]bool{}
	for name, objects := range s.former {
		for _, r := range objects {
			in := nameIn{name, s.graph.NamespaceOf(r)}
			s.formerIn[in] = append(s.formerIn[in], r)
			s.present[[2]string{name, s.names[r]}] = true
		}
	}
	for _, r := range s.graph.Resources {
		if _, renamed := s.names[r]; renamed {
			continue
		}
		for _, name := range r.Names() {
			if s.former[name] != nil {
				s.kept[nameIn{name, s.graph.NamespaceOf(r)}] = true
			}
		}
	}
}

// formerName returns the former name that word is, possibly with a suffix. It returns false if no renamed object had
// it.
func (s *searcher) formerName(word string) (string, bool) {
	if s.former[word] != nil {
		return word, true
	}
	if !hash.Suffixed(word) {
		return "", false
	}
	base := word[:len(word)-1-hash.Length]
	if s.former[base] == nil {
		return base, false
	}
	// The current name of an object looks like a former name of another one with the same base.
	s.index()
	return base, !s.present[[2]string{base, word}]
}

func (s *searcher) isFormer(word string) bool {
	_, ok := s.formerName(word)
	return ok
}

// mayHold reports whether a chunk has to be parsed, because a former name occurs in its text more often than in the
// names and references of its resources, or because escapes or aliases may hide names.
func (s *searcher) mayHold(text []byte, resources []*graph.Resource) bool {
	if bytes.IndexByte(text, '\\') >= 0 {
		return true
	}
	known := map[string]int{}
	add := func(name string) {
		if mayHave(&s.filter, name) {
			known[name]++
		}
	}
	for _, r := range resources {
		if r.Mentions || r.NameAt.Shared {
			return true
		}
		add(r.Name)
		for i := range r.References {
			if r.References[i].At.Shared {
				return true
			}
			add(r.References[i].Name)
		}
	}
	for start, end := range words(text) {
		word := text[start:end]
		switch {
		case !mayHave(&s.filter, word):
		case known[string(word)] > 0:
			known[string(word)]--
		case s.isFormer(string(word)):
			return true
		}
	}
	return false
}

// A meaning is what a word may refer to.
type meaning struct {
	word      string
	namespace string         // of the object, "" for any
	about     catalog.Target // kinds mentioned by the adjacent text
	// except is the resource that contains the word, if that is its own former name.
	except *graph.Resource
}

func (s *searcher) messagesOf(m meaning) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	messages, ok := s.messages[m]
	if !ok {
		for _, kind := range catalog.AnyTarget.Each() {
			if now := s.candidates(m, kind); len(now) > 0 {
				messages = append(messages, message(m.word, kind, now))
			}
		}
		s.messages[m] = messages
	}
	return messages
}

// candidates returns the current names of the objects that a word may refer to.
func (s *searcher) candidates(m meaning, kind catalog.Target) []string {
	s.index()
	var now []string
	for _, object := range s.objects(m) {
		namespace := s.graph.NamespaceOf(object)
		isAbout := m.about.Has(kind) || m.about == 0 && !s.kept[nameIn{m.word, ""}] && !s.kept[nameIn{m.word, namespace}]
		if object.Target == kind && isAbout && object != m.except {
			now = append(now, s.names[object])
		}
	}
	slices.Sort(now)
	return slices.Compact(now)
}

func message(word string, kind catalog.Target, now []string) string {
	if len(now) == 1 {
		return fmt.Sprintf("%q is a former name of the %s that is now %s; if this place refers to it, it is not updated: keep the name with the annotation confighash.dev/ignore: \"true\" on the %[2]s",
			word, kind, now[0])
	}
	return fmt.Sprintf("%q is a former name of %ss that are now %s; if this place refers to one of them, it is not updated: keep the name with the annotation confighash.dev/ignore: \"true\" on these %[2]ss",
		word, kind, graph.Enumerate(now))
}

// objects returns the renamed objects for which a word may be a former name.
func (s *searcher) objects(m meaning) []*graph.Resource {
	name, _ := s.formerName(m.word)
	if m.namespace == "" {
		return s.former[name]
	}
	s.index()
	return s.formerIn[nameIn{name, m.namespace}]
}
