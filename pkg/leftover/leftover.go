// Package leftover finds former names that a Rename left standing.
//
// References in fields are rewritten. But names also stand where no field is
// one: in a controller's arguments (--configmap=ns/name), in URLs, in
// configuration that is itself the data of a ConfigMap. What stands there may
// be such a name, or a word that happens to be the same, so it is told and not
// touched.
//
// A name counts where it stands as a whole word, or as namespace/name. It does
// not count in fields that name something else: the names of resources,
// containers and volumes, labels and selectors, images, and what is a path; nor
// where another resource of the input bears the same name, since then that one
// is likelier meant. The content of Secrets is not looked at.
//
// What is told follows from what stands in the result alone, so that a second
// run tells the same.
package leftover

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/pkg/catalog"
	"github.com/confighash/confighash/pkg/edit"
	"github.com/confighash/confighash/pkg/graph"
	"github.com/confighash/confighash/pkg/stream"
)

// maxVisited bounds how many nodes of an item are looked at, which aliases can
// make more than there are in the text.
const maxVisited = 1 << 20

// Search returns a warning for every place in the resources of g where a former
// name of a renamed object stands. names are the names of renamed objects, as
// they will be.
func Search(g *graph.Graph, names map[*graph.Resource]string) []graph.Finding {
	s := &searcher{graph: g, names: names, former: formerNames(g, names)}
	if len(s.former) == 0 {
		return nil
	}
	byChunk := map[*stream.Chunk][]*graph.Resource{}
	var chunks []*stream.Chunk
	for _, r := range g.Resources {
		if byChunk[r.Chunk] == nil {
			chunks = append(chunks, r.Chunk)
		}
		byChunk[r.Chunk] = append(byChunk[r.Chunk], r)
	}
	found := make([][]graph.Finding, len(chunks))
	stream.Parallel(len(chunks), func(i int) {
		if s.mayHold(chunks[i].Text) {
			found[i] = s.chunk(chunks[i], byChunk[chunks[i]])
		}
	})
	return slices.Concat(found...)
}

// formerNames returns the renamed objects by the names that they no longer
// bear, without names that any other resource bears.
func formerNames(g *graph.Graph, names map[*graph.Resource]string) map[string][]*graph.Resource {
	former := map[string][]*graph.Resource{}
	add := func(r *graph.Resource, name string) {
		if name != names[r] && !slices.Contains(former[name], r) {
			former[name] = append(former[name], r)
		}
	}
	for _, r := range g.Resources {
		if _, renamed := names[r]; !renamed {
			continue
		}
		add(r, r.Base)
		for _, id := range r.History.Previous {
			add(r, id.Name)
		}
	}
	for _, r := range g.Resources {
		if _, renamed := names[r]; renamed {
			continue
		}
		delete(former, r.Name)
		for _, id := range r.History.Previous {
			delete(former, id.Name)
		}
	}
	return former
}

type searcher struct {
	graph  *graph.Graph
	names  map[*graph.Resource]string
	former map[string][]*graph.Resource
}

// mayHold reports whether a former name stands anywhere in text but behind
// "name:", where volumes and containers have theirs. It spares parsing again
// what holds none.
func (s *searcher) mayHold(text []byte) bool {
	for start, end := range words(text) {
		if _, ok := s.former[string(text[start:end])]; ok {
			line := text[bytes.LastIndexByte(text[:start], '\n')+1 : start]
			if !bytes.HasSuffix(bytes.TrimRight(line, ` "'`), []byte("name:")) {
				return true
			}
		}
	}
	return false
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

// chunk searches the items of a chunk.
func (s *searcher) chunk(c *stream.Chunk, resources []*graph.Resource) []graph.Finding {
	items, err := c.Items()
	if err != nil {
		return nil // it was parsed before, so this cannot be
	}
	byRoot := make(map[edit.Path]*graph.Resource, len(resources))
	for _, r := range resources {
		byRoot[r.Root] = r
	}
	var found []graph.Finding
	for _, item := range items {
		r := byRoot[item.Root]
		if r == nil {
			continue // passed over altogether
		}
		w := walker{searcher: s, resource: r, references: map[edit.Path]bool{}}
		for _, ref := range r.References {
			w.references[ref.At.Path] = true
		}
		w.mapping("", item.Node, true)
		found = append(found, w.found...)
	}
	return found
}

// A walker walks over one item.
type walker struct {
	*searcher
	resource   *graph.Resource
	references map[edit.Path]bool
	visited    int
	found      []graph.Finding
}

func (w *walker) node(path edit.Path, n *yaml.Node) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if w.visited++; w.visited > maxVisited {
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		w.mapping(path, n, false)
	case yaml.SequenceNode:
		for i, element := range n.Content {
			w.node(path.Index(i), element)
		}
	case yaml.ScalarNode:
		if n.ShortTag() == "!!str" && !w.references[path] {
			w.scalar(path, n.Value)
		}
	}
}

func (w *walker) mapping(path edit.Path, n *yaml.Node, root bool) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		switch key {
		case "name", "namespace", "image", "labels", "matchLabels", "selector", "mountPath", "subPath", "serviceName", "serviceAccountName":
			continue
		case "metadata":
			if root {
				w.annotations(path.Key(key), value)
				continue
			}
		case "data", "stringData":
			if root && w.resource.Target == catalog.Secret {
				continue
			}
		}
		w.node(path.Key(key), value)
	}
}

// annotations looks at the annotations of the item itself, but for those of
// the tools that handle it.
func (w *walker) annotations(path edit.Path, metadata *yaml.Node) {
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
		for j := 0; j+1 < len(annotations.Content); j += 2 {
			key := annotations.Content[j].Value
			if !isTools(key) {
				w.node(path.Key("annotations").Key(key), annotations.Content[j+1])
			}
		}
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

// scalar looks for words of a value that are former names.
func (w *walker) scalar(path edit.Path, value string) {
	for start, end := range words(value) {
		name := value[start:end]
		for _, object := range w.former[name] {
			if object != w.resource && w.means(object, value[:start]) {
				w.tell(path, name, object)
			}
		}
	}
}

// means reports whether a name behind before can be that of object: in the same
// namespace, or with its namespace before it.
func (w *walker) means(object *graph.Resource, before string) bool {
	namespace := w.graph.NamespaceOf(object)
	if !strings.HasSuffix(before, "/") {
		own := w.graph.NamespaceOf(w.resource)
		return own == "" || own == namespace
	}
	before = strings.TrimSuffix(before, "/")
	if strings.HasSuffix(before, ":/") {
		return w.graph.NamespaceOf(w.resource) == namespace // a URL's host
	}
	rest, ok := strings.CutSuffix(before, namespace)
	return ok && (rest == "" || !isWord(rest[len(rest)-1]) && rest[len(rest)-1] != '/')
}

func (w *walker) tell(path edit.Path, name string, object *graph.Resource) {
	w.found = append(w.found, graph.Finding{
		Severity: stream.Warning, Resource: w.resource, Name: w.names[w.resource], Path: path,
		Message: fmt.Sprintf("the word %q stands here, the former name of a %s that is now %s; if it is meant, this place does not follow: keep the name with the annotation confighash.dev/ignore: \"true\" on the %s",
			name, object.Kind, w.names[object], object.Kind),
	})
}
