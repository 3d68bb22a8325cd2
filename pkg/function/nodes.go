package function

import (
	"bytes"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/kubename"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/plan"
)

// Nodes does what Process does to resources that a program holds as nodes of
// YAML. It changes them where they stand, and in them nothing but what Process
// would change: order, comments and style stay, and so do the nodes that no
// edit touches. In items with anchors, and in those with aliases of nodes in
// other items, all nodes beneath the first may be new.
//
// The functionConfig is read where o.Config is nil. Each of the items is one
// resource, a mapping or a document that holds one.
//
// An error means that items or functionConfig are at fault, as Process's does:
// no name or annotation has changed then, and the Output's results tell of the
// error.
func Nodes(items []*yaml.Node, functionConfig *yaml.Node, o Options) (*Output, error) {
	if o.Config != nil {
		functionConfig = nil
	}
	out, err := transformNodes(items, functionConfig, o)
	if err != nil {
		return &Output{Results: errorResults(err)}, err
	}
	return out, nil
}

func transformNodes(items []*yaml.Node, functionConfig *yaml.Node, o Options) (*Output, error) {
	if o.Namespace != "" {
		if err := kubename.CheckNamespace(o.Namespace); err != nil {
			return nil, fmt.Errorf("the option Namespace: %w", err)
		}
	}
	roots, err := rootsOf(items)
	if err != nil {
		return nil, err
	}
	texts, err := encodeAll(roots)
	if err != nil {
		return nil, err
	}
	in, chunks := manifest.FromItems(texts, contentOf(functionConfig))
	config, err := configOf(in, o)
	if err != nil {
		return nil, err
	}
	g, p, err := planFor(in, config)
	if err != nil {
		return nil, err
	}
	if _, err := apply(g, p); err != nil {
		return nil, err // before anything has changed
	}
	if err := enter(g, p, chunks, roots); err != nil {
		return nil, err
	}
	return report(p.Findings, config.Spec.Report), nil
}

// contentOf returns the node that a document holds, and any other node as it
// is; nil for an empty document.
func contentOf(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.DocumentNode {
		if len(n.Content) == 0 {
			return nil
		}
		n = n.Content[0]
	}
	return n
}

// rootsOf returns the items without the documents around them.
func rootsOf(items []*yaml.Node) ([]*yaml.Node, error) {
	roots := make([]*yaml.Node, len(items))
	for i, item := range items {
		root := contentOf(item)
		if root == nil || root.Kind != yaml.MappingNode {
			return nil, fmt.Errorf("items[%d]: no mapping; every item must be a Kubernetes resource: a mapping with apiVersion and kind", i)
		}
		if hasNil(root) {
			return nil, fmt.Errorf("items[%d]: a node in it is nil; leave it out, or give it a value", i)
		}
		roots[i] = root
	}
	return roots, nil
}

// encodeAll encodes each of the items as a document of its own.
func encodeAll(roots []*yaml.Node) ([][]byte, error) {
	texts := make([][]byte, len(roots))
	errs := make([]error, len(roots))
	for i, root := range roots { // items may share nodes, so one after the other
		if err := embed(root); err != nil {
			return nil, fmt.Errorf("items[%d]: %w", i, err)
		}
	}
	manifest.Parallel(len(roots), func(i int) {
		if texts[i], errs[i] = encode(roots[i]); errs[i] != nil {
			errs[i] = fmt.Errorf("items[%d]: %w", i, errs[i])
		}
	})
	return texts, errors.Join(errs...)
}

func encode(root *yaml.Node) (text []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			// What the encoder cannot write, it panics about.
			text, err = nil, fmt.Errorf("cannot be written as YAML: %v", r)
		}
	}()
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(root); err != nil {
		return nil, fmt.Errorf("cannot be written as YAML: %w", err)
	}
	return b.Bytes(), nil
}

// enter carries the plan out on the nodes.
func enter(g *graph.Graph, p *plan.Plan, chunks []*manifest.Chunk, roots []*yaml.Node) error {
	index := make(map[*manifest.Chunk]int, len(chunks))
	for i, c := range chunks {
		index[c] = i
	}
	for _, b := range graph.Batches(edited(g, p)) {
		if err := edit.OnTree(roots[index[b.Chunk]], itemsOf(b.Resources, p)); err != nil {
			return fmt.Errorf("items[%d]: %w", index[b.Chunk], err)
		}
	}
	return nil
}
