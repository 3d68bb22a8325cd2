package fielddiff

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/diff"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// read parses the resources of this side again; i is the side's index in a pair.
func (s *side) read(pairs []*pair, i int) error {
	s.trees = make([]*yaml.Node, len(s.graph.Resources))
	var wanted []*graph.Resource
	for _, p := range pairs {
		wanted = append(wanted, p[i])
	}
	_, err := graph.EachBatch(graph.Batches(wanted), func(b graph.Batch) (struct{}, error) {
		return struct{}{}, b.Parse(func(r *graph.Resource, item *yaml.Node) (err error) {
			c := copier{values: s.stripped(r), name: r.NameAt.Path}
			if s.trees[r.Index], err = c.copy(item, ""); err != nil {
				return fmt.Errorf("%s: %w", r, err)
			}
			clean(r, s.trees[r.Index])
			return nil
		})
	})
	return err
}

// A copier copies a tree, with other values at some paths. The original value of a reference is kept in its comment.
type copier struct {
	values map[yamldoc.Path]string
	name   yamldoc.Path // of the resource's own name
	budget yamldoc.Budget
}

func (c *copier) copy(n *yaml.Node, path yamldoc.Path) (*yaml.Node, error) {
	n = yamldoc.Resolve(n)
	made := &yaml.Node{Kind: n.Kind, Tag: n.ShortTag(), Value: n.Value}
	add := func(child *yaml.Node, at func() yamldoc.Path) error {
		var below yamldoc.Path
		if len(c.values) > 0 {
			below = at()
		}
		copied, err := c.copy(child, below)
		made.Content = append(made.Content, copied)
		return err
	}
	switch n.Kind {
	case yaml.SequenceNode:
		for i, child := range n.Content {
			if err := add(child, func() yamldoc.Path { return path.Index(i) }); err != nil {
				return nil, err
			}
		}
	case yaml.MappingNode:
		return made, yamldoc.Each(n, &c.budget, func(key string, value *yaml.Node, _ bool) error {
			made.Content = append(made.Content, scalar(key))
			return add(value, func() yamldoc.Path { return path.Key(key) })
		})
	default:
		if value, ok := c.values[path]; ok {
			if path != c.name {
				made.LineComment = n.Value
			}
			made.Value, made.Tag = value, "!!str"
		}
	}
	return made, nil
}

// clean removes mode Rename's annotation from an object, and hides values of Secrets and base64 values, which are
// unreadable.
func clean(r *graph.Resource, root *yaml.Node) {
	if r.Target != 0 || r.IsJob() {
		yamldoc.RemoveAnnotations(root, v1alpha1.AnnotationHash)
	}
	diff.Hide(root)
	if binary := yamldoc.Value(root, "binaryData"); r.Target != 0 && binary != nil {
		for i := 1; i < len(binary.Content); i += 2 {
			diff.HideNode(binary.Content[i])
		}
	}
	if r.Target == 0 || r.Kind != "Secret" {
		return
	}
	// A value in data is the same as in stringData.
	yamldoc.Remove(root, "data")
	yamldoc.Remove(root, "stringData")
	data := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	values := map[string]*yaml.Node{}
	for _, v := range r.Values {
		key, value := v.Key, &yaml.Node{Kind: yaml.ScalarNode, Value: string(v.Sum[:])}
		if r.Bare[key] { // the key may be part of a value
			key, value.Value = "(hidden)", value.Value+key
		}
		if before := values[key]; before != nil {
			before.Value += value.Value
			value = before
		} else {
			values[key] = value
			data.Content = append(data.Content, scalar(key), value)
		}
		diff.HideNode(value)
	}
	root.Content = append(root.Content, scalar("data"), data)
}

func scalar(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}
