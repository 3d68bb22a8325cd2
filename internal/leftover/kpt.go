package leftover

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/yamldoc"
)

// Selectors returns a warning for every selector of a Kptfile, and of the configuration
// of a kpt function such as ApplyReplacements, that holds a former name of a renamed
// object. kpt compares names letter by letter, and hands over both as items, which are
// passed over elsewhere; so they are read from the chunks of the input. names are as of
// Search.
func Selectors(chunks []*manifest.Chunk, g *graph.Graph, names map[*graph.Resource]string) []graph.Finding {
	var found []graph.Finding
	var s *selectors
	for _, chunk := range chunks {
		if len(names) == 0 || !bytes.Contains(chunk.Text, []byte("kpt.dev/v1")) {
			continue
		}
		if s == nil {
			s = newSelectors(g, names)
		}
		_ = chunk.Visit(func(items []manifest.Item) error { // it parsed before
			for _, item := range items {
				found = append(found, s.item(chunk, item.Node)...)
			}
			return nil
		})
	}
	return found
}

type selectors struct {
	*searcher
	byID map[selectedID]*graph.Resource
}

// A selectedID is what a selector may say of an object, each part of which may be "".
type selectedID struct{ kind, namespace, name string }

func newSelectors(g *graph.Graph, names map[*graph.Resource]string) *selectors {
	s := &selectors{newSearcher(g, names), map[selectedID]*graph.Resource{}}
	for _, r := range g.Resources {
		if _, renamed := names[r]; !renamed {
			continue
		}
		former := []string{r.Base}
		for _, id := range r.History.Previous {
			former = append(former, id.Name)
		}
		for _, name := range former {
			for _, kind := range []string{"", r.Kind} {
				for _, namespace := range []string{"", cmp.Or(r.Namespace, "default")} {
					id := selectedID{kind, namespace, name}
					s.byID[id] = cmp.Or(s.byID[id], r)
				}
			}
		}
	}
	return s
}

// item looks at a Kptfile or the configuration of a kpt function.
func (s *selectors) item(chunk *manifest.Chunk, item *yaml.Node) []graph.Finding {
	r := &graph.Resource{Chunk: chunk, Line: chunk.Line + max(item.Line, 1) - 1, APIVersion: scalar(item, "apiVersion"), Kind: scalar(item, "kind")}
	r.Group, _, _ = strings.Cut(r.APIVersion, "/")
	root := yamldoc.Path("")
	switch {
	case r.Group == "kpt.dev" && r.Kind == "Kptfile":
		root = "pipeline"
	case r.Group != "fn.kpt.dev":
		return nil
	}
	metadata := child(item, "metadata")
	r.Name, r.Annotations = scalar(metadata, "name"), map[string]string{}
	for _, key := range []string{"internal.config.kubernetes.io/path", "internal.config.kubernetes.io/index"} {
		r.Annotations[key] = scalar(child(metadata, "annotations"), key)
	}
	w := selectorWalker{selectors: s, resource: r}
	if root != "" {
		item = child(item, string(root))
	}
	w.node(root, item, "")
	return w.found
}

type selectorWalker struct {
	*selectors
	resource *graph.Resource
	visited  int
	found    []graph.Finding
}

// node looks for selectors in n, which is under a key.
func (w *selectorWalker) node(path yamldoc.Path, n *yaml.Node, key string) {
	if n == nil {
		return
	}
	n = yamldoc.Resolve(n)
	if w.visited++; w.visited > maxVisited {
		return
	}
	switch n.Kind {
	case yaml.SequenceNode:
		for i, e := range n.Content {
			w.node(path.Index(i), e, key)
		}
	case yaml.MappingNode:
		if kind := scalar(n, "kind"); kind != "" || slices.Contains([]string{"selectors", "exclude", "source", "select", "reject"}, key) {
			w.selector(path.Key("name"), scalar(n, "name"), kind, scalar(n, "namespace"), key)
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if key := n.Content[i].Value; path != "" || key != "metadata" {
				w.node(path.Key(key), n.Content[i+1], key)
			}
		}
	}
}

// selector reports a selector that holds a former name.
func (w *selectorWalker) selector(path yamldoc.Path, word, kind, namespace, key string) {
	name, _ := w.formerName(word)
	object := w.byID[selectedID{kind, namespace, name}]
	if name == "" || object == nil {
		return
	}
	does := "selects"
	if key == "exclude" || key == "reject" {
		does = "excludes"
	}
	w.found = append(w.found, graph.Finding{
		Severity: manifest.Warning, Resource: w.resource, Path: path,
		Message: fmt.Sprintf("%q %s %s by a former name, which matches nothing once the package holds the new one; use a label or an annotation here, keep the name by the annotation confighash.dev/ignore: \"true\" on the %s, or take mode Annotate",
			word, does, object.Called(w.names[object]), object.Kind),
	})
}

// child returns what a mapping has under a key, nil if there is nothing.
func child(n *yaml.Node, key string) *yaml.Node {
	if n == nil {
		return nil
	}
	n = yamldoc.Resolve(n)
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if n.Content[i].Value == key {
			return yamldoc.Resolve(n.Content[i+1])
		}
	}
	return nil
}

// scalar returns the text that a mapping has under a key, "" if there is none.
func scalar(n *yaml.Node, key string) string {
	if value := child(n, key); value != nil && value.Kind == yaml.ScalarNode {
		return value.Value
	}
	return ""
}
