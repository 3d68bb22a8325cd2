package function

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
)

// Nodes is Process for resources that a program holds as YAML nodes. It edits them in place, and only what Process
// would change: order, comments, style and all other nodes stay. Two kinds of aliases and merge keys become copies of
// what they refer to: those on the way to an edit, and all aliases of an item that refers to a node outside of it.
//
// The functionConfig is read if o.Config is nil. Each item is one resource: a mapping, or a document with one.
//
// As in Process, an error means that items or the functionConfig are invalid: no name or annotation has changed then,
// and the Output's results contain the error.
func Nodes(items []*yaml.Node, functionConfig *yaml.Node, o Options) (*Output, error) {
	if o.Config != nil {
		functionConfig = nil
	}
	out, err := transformNodes(items, functionConfig, o)
	if err != nil {
		out = &Output{Results: publicResults(errorResults(err))}
	}
	return out, err
}

func transformNodes(items []*yaml.Node, functionConfig *yaml.Node, o Options) (*Output, error) {
	if err := graph.CheckNamespace(o.Namespace); err != nil {
		return nil, fmt.Errorf("the option Namespace: %w", err)
	}
	if o.Previous != nil {
		return nil, errors.New("the option Previous is for Process, which can add items")
	}
	roots, texts, err := encodeAll(items)
	if err != nil {
		return nil, err
	}
	in, chunks := manifest.FromItems(texts, contentOf(functionConfig))
	o.inPlace = true
	r, err := newRun(in, o)
	if err != nil {
		return nil, err // before any change
	}
	trees := make(map[*manifest.Chunk]*yaml.Node, len(chunks))
	for i, c := range chunks {
		trees[c] = roots[i]
	}
	if err := r.plan.ApplyToTrees(r.graph, trees); err != nil {
		return nil, err
	}
	out, _ := r.output(in)
	return out, nil
}

// contentOf returns the content of a document node, nil if it is empty, and any other node unchanged.
func contentOf(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.DocumentNode {
		if len(n.Content) == 0 {
			return nil
		}
		n = n.Content[0]
	}
	return n
}

// encodeAll returns the items' mappings, without aliases of nodes in other items, and the text of each.
func encodeAll(items []*yaml.Node) (roots []*yaml.Node, texts [][]byte, err error) {
	for i, item := range items {
		root := contentOf(item)
		if root == nil || root.Kind != yaml.MappingNode {
			return nil, nil, fmt.Errorf("items[%d]: not a mapping; every item must be a Kubernetes resource: a mapping with apiVersion and kind", i)
		}
		if err := edit.Embed(root); err != nil {
			return nil, nil, fmt.Errorf("items[%d]: %w", i, err)
		}
		roots = append(roots, root)
	}
	texts = make([][]byte, len(roots))
	errs := make([]error, len(roots))
	manifest.Parallel(len(roots), func(i int) {
		if texts[i], errs[i] = manifest.Encode(roots[i]); errs[i] != nil {
			errs[i] = fmt.Errorf("items[%d]: cannot be written as YAML: %w", i, errs[i])
		}
	})
	return roots, texts, errors.Join(errs...)
}
