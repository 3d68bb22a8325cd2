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

// selectors returns a warning for each selector with a former name of a renamed object
// in a Kptfile or the configuration of a kpt function, such as ApplyReplacements. kpt
// compares names letter by letter. It hands over both as items, which are not part of
// the graph, so they are read from the chunks of the input.
func (s *searcher) selectors(chunks []*manifest.Chunk) []graph.Finding {
	var found []graph.Finding
	for _, chunk := range chunks {
		if !bytes.Contains(chunk.Text, []byte("kpt.dev/v1")) {
			continue
		}
		_ = chunk.Visit(func(items []manifest.Item) error { // it parsed before
			for _, item := range items {
				found = append(found, s.selectorsIn(chunk, item.Node)...)
			}
			return nil
		})
	}
	return found
}

func (s *searcher) selectorsIn(chunk *manifest.Chunk, item *yaml.Node) []graph.Finding {
	r := &graph.Resource{Chunk: chunk, Line: chunk.Line + max(item.Line, 1) - 1, APIVersion: yamldoc.Text(item, "apiVersion"), Kind: yamldoc.Text(item, "kind")}
	r.Group, _, _ = strings.Cut(r.APIVersion, "/")
	w := walker{searcher: s, resource: r}
	metadata := yamldoc.Value(item, "metadata")
	r.Name, r.Annotations = yamldoc.Text(metadata, "name"), map[string]string{}
	for _, key := range []string{"internal.config.kubernetes.io/path", "internal.config.kubernetes.io/index"} {
		r.Annotations[key] = yamldoc.Text(yamldoc.Value(metadata, "annotations"), key)
	}
	switch {
	case r.Group == "kpt.dev" && r.Kind == "Kptfile":
		w.at.Key("pipeline")
		w.selecting(yamldoc.Value(item, "pipeline"), "")
	case r.Group == "fn.kpt.dev":
		w.selecting(item, "")
	}
	return w.found
}

// selecting searches n, which is under a key, for selectors.
func (w *walker) selecting(n *yaml.Node, key string) {
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
			w.at.Index(i)
			w.selecting(e, key)
			w.at.Back()
		}
	case yaml.MappingNode:
		kind := yamldoc.Text(n, "kind")
		if kind != "" || slices.Contains([]string{"selectors", "exclude", "source", "select", "reject"}, key) {
			w.selector(n, kind, key)
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i].Value
			if len(w.at) == 0 && key == "metadata" {
				continue
			}
			w.at.Key(key)
			w.selecting(n.Content[i+1], key)
			w.at.Back()
		}
	}
}

func (w *walker) selector(n *yaml.Node, kind, key string) {
	word, namespace := yamldoc.Text(n, "name"), yamldoc.Text(n, "namespace")
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
	w.at.Key("name")
	w.report(fmt.Sprintf("%q %s %s by a former name, which matches nothing once the package has the new one; use a label or an annotation here, keep the name with the annotation confighash.dev/ignore: \"true\" on the %s, or take mode Annotate",
		word, does, object.Called(w.names[object]), object.Kind))
	w.at.Back()
}
