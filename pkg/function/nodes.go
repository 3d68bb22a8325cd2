package function

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/kubename"
	"github.com/confighash/confighash/internal/manifest"
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
	replaced, err := apply(g, p)
	if err != nil {
		return nil, err
	}
	if err := enter(replaced, chunks, roots); err != nil {
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

// enter carries what became of the chunks over to the nodes.
func enter(replaced map[*manifest.Chunk][]byte, chunks []*manifest.Chunk, roots []*yaml.Node) error {
	type change struct{ node, before, after *yaml.Node }
	changes := make([]change, len(chunks))
	errs := make([]error, len(chunks))
	manifest.Parallel(len(chunks), func(i int) {
		text, ok := replaced[chunks[i]]
		if !ok {
			return
		}
		c := change{node: roots[i]}
		if c.before, errs[i] = decode(chunks[i].Text); errs[i] == nil {
			c.after, errs[i] = decode(text)
		}
		changes[i] = c
	})
	if err := errors.Join(errs...); err != nil {
		return err // before anything has changed
	}
	for _, c := range changes {
		switch {
		case c.node == nil:
		case hasAnchors(c.after) || hasAnchors(c.before):
			*c.node = *c.after
		default:
			merge(c.node, c.before, c.after)
		}
	}
	return nil
}

func decode(text []byte) (*yaml.Node, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("the result is not valid YAML: %w", err)
	}
	return contentOf(&document), nil
}

// merge changes node where after differs from before, which holds the same as
// node.
func merge(node, before, after *yaml.Node) {
	switch {
	case node.Kind != after.Kind || before.Kind != after.Kind || len(node.Content) != len(before.Content):
		*node = *after
		return
	case node.Kind == yaml.MappingNode:
		mergeMapping(node, before, after)
	case node.Kind == yaml.SequenceNode:
		mergeSequence(node, before, after)
	case !same(before, after):
		node.Value, node.Tag, node.Style = after.Value, after.Tag, after.Style
	}
	mergeComments(node, before, after)
}

// mergeComments changes the comments of node where those of after differ: what
// is put into a mapping may move the parser's idea of whose a comment is.
func mergeComments(node, before, after *yaml.Node) {
	for _, c := range []struct {
		of          *string
		before, now string
	}{
		{&node.HeadComment, before.HeadComment, after.HeadComment},
		{&node.LineComment, before.LineComment, after.LineComment},
		{&node.FootComment, before.FootComment, after.FootComment},
	} {
		if c.before != c.now {
			*c.of = c.now
		}
	}
}

// mergeMapping gives the mapping node the entries of after. Those that it has
// stay the nodes that they are.
func mergeMapping(node, before, after *yaml.Node) {
	content := make([]*yaml.Node, 0, len(after.Content))
	taken := make([]bool, len(before.Content)) // a key may stand twice
	next := 0                                  // where the next one most likely stands
	for i := 0; i+1 < len(after.Content); i += 2 {
		key, value := after.Content[i], after.Content[i+1]
		for k := 0; k+1 < len(before.Content); k += 2 {
			j := (next + k) % len(before.Content)
			if taken[j] || !same(before.Content[j], key) {
				continue
			}
			taken[j], next = true, j+2
			mergeComments(node.Content[j], before.Content[j], key)
			merge(node.Content[j+1], before.Content[j+1], value)
			key, value = node.Content[j], node.Content[j+1]
			break
		}
		content = append(content, key, value)
	}
	node.Content = content
}

// mergeSequence gives the sequence node the elements of after. Those that stay
// at the beginning and at the end are the nodes that they were.
func mergeSequence(node, before, after *yaml.Node) {
	was, is := before.Content, after.Content
	first, last := len(was), 0
	if len(was) != len(is) {
		shorter := min(len(was), len(is))
		for first = 0; first < shorter && same(was[first], is[first]); {
			first++
		}
		for last < shorter-first && same(was[len(was)-1-last], is[len(is)-1-last]) {
			last++
		}
	}
	content := slices.Concat(node.Content[:first], is[first:len(is)-last], node.Content[len(was)-last:])
	for i := range first {
		merge(content[i], was[i], is[i])
	}
	for i := 1; i <= last; i++ {
		merge(content[len(content)-i], was[len(was)-i], is[len(is)-i])
	}
	node.Content = content
}

// same reports whether two nodes hold the same, however they are written.
func same(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Value == b.Value && a.ShortTag() == b.ShortTag() &&
		slices.EqualFunc(a.Content, b.Content, same)
}
