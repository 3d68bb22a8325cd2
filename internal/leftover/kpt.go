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

// Selectors returns a warning for each selector with a former name of a renamed object
// in a Kptfile or the configuration of a kpt function, such as ApplyReplacements. kpt
// compares names letter by letter. It hands over both as items, which are not part of
// the graph, so they are read from the chunks of the input. names are as for [Search].
func Selectors(chunks []*manifest.Chunk, g *graph.Graph, names map[*graph.Resource]string) []graph.Finding {
	if len(names) == 0 {
		return nil
	}
	w := selectorWalker{searcher: newSearcher(g, names)}
	for _, chunk := range chunks {
		if bytes.Contains(chunk.Text, []byte("kpt.dev/v1")) {
			_ = chunk.Visit(func(items []manifest.Item) error { // it parsed before
				for _, item := range items {
					w.item(chunk, item.Node)
				}
				return nil
			})
		}
	}
	return w.found
}

type selectorWalker struct {
	*searcher
	resource *graph.Resource
	visited  int // nodes of the item
	found    []graph.Finding
}

// item searches a Kptfile or the configuration of a kpt function.
func (w *selectorWalker) item(chunk *manifest.Chunk, item *yaml.Node) {
	r := &graph.Resource{Chunk: chunk, Line: chunk.Line + max(item.Line, 1) - 1, APIVersion: scalar(item, "apiVersion"), Kind: scalar(item, "kind")}
	r.Group, _, _ = strings.Cut(r.APIVersion, "/")
	root := yamldoc.Path("")
	switch {
	case r.Group == "kpt.dev" && r.Kind == "Kptfile":
		root = "pipeline"
	case r.Group != "fn.kpt.dev":
		return
	}
	metadata := child(item, "metadata")
	r.Name, r.Annotations = scalar(metadata, "name"), map[string]string{}
	for _, key := range []string{"internal.config.kubernetes.io/path", "internal.config.kubernetes.io/index"} {
		r.Annotations[key] = scalar(child(metadata, "annotations"), key)
	}
	if root != "" {
		item = child(item, string(root))
	}
	w.resource, w.visited = r, 0
	w.node(root, item, "")
}

// node searches n, which is under a key, for selectors.
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

// selector reports a selector with a former name.
func (w *selectorWalker) selector(path yamldoc.Path, word, kind, namespace, key string) {
	name, _ := w.formerName(word)
	at := slices.IndexFunc(w.former[name], func(r *graph.Resource) bool {
		return (kind == "" || kind == r.Kind) && (namespace == "" || namespace == cmp.Or(r.Namespace, "default"))
	})
	if at < 0 {
		return
	}
	object := w.former[name][at]
	does := "selects"
	if key == "exclude" || key == "reject" {
		does = "excludes"
	}
	w.found = append(w.found, graph.Finding{
		Severity: manifest.Warning, Resource: w.resource, Path: path,
		Message: fmt.Sprintf("%q %s %s by a former name, which matches nothing once the package has the new one; use a label or an annotation here, keep the name with the annotation confighash.dev/ignore: \"true\" on the %s, or take mode Annotate",
			word, does, object.Called(w.names[object]), object.Kind),
	})
}

// child returns the value that a mapping has under a key, nil if there is none.
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
