package hash

import (
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// Tree returns the encoding of a part of a resource other than a ConfigMap or a Secret. It does not depend on the order
// of keys, YAML style and comments:
//
//	a scalar    s, and its text
//	null        n
//	a mapping   m, the number of entries, and each key and value, sorted by key
//	a sequence  l, the number of elements, and each of them
//
// Strings are preceded by their length in bytes in decimal and a colon, and numbers are followed by a colon. Null
// entries of mappings are left out, and so are the keys in omit of the part itself.
//
// It fails if a key is duplicate or not a scalar, or aliases expand excessively.
func Tree(part *yaml.Node, omit ...string) ([]byte, error) {
	var t tree
	err := t.write(part, 0, omit)
	return t.encoded, err
}

type tree struct {
	encoded []byte
	budget  yamldoc.Budget
}

// maxDepth bounds the depth of a tree; no API server accepts a tree nearly as deep.
const maxDepth = 1_000

func (t *tree) write(n *yaml.Node, depth int, omit []string) error {
	if depth > maxDepth {
		return fmt.Errorf("more than %d levels deep", maxDepth)
	}
	if n.Kind == yaml.AliasNode {
		n = yamldoc.Resolve(n)
		if err := t.spend(n); err != nil {
			return err
		}
	}
	switch {
	case n.Kind == yaml.MappingNode:
		return t.writeMapping(n, depth, omit)
	case n.Kind == yaml.SequenceNode:
		t.encoded = appendNumber(append(t.encoded, 'l'), len(n.Content))
		for _, element := range n.Content {
			if err := t.write(element, depth+1, nil); err != nil {
				return err
			}
		}
	case yamldoc.IsNull(n):
		t.encoded = append(t.encoded, 'n')
	default:
		t.encoded = appendStrings(append(t.encoded, 's'), n.Value)
	}
	return nil
}

// spend charges the nodes of an alias or a merge key to the budget, one more for each thousand bytes of a scalar: a
// short text must not fill the memory.
func (t *tree) spend(n *yaml.Node) error {
	for range 1 + len(n.Value)/1_000 {
		if err := t.budget.Spend(); err != nil {
			return err
		}
	}
	for _, child := range n.Content {
		if err := t.spend(child); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) writeMapping(n *yaml.Node, depth int, omit []string) error {
	if err := checkKeys(n); err != nil {
		return err
	}
	entries := map[string]*yaml.Node{}
	err := yamldoc.Each(n, &t.budget, func(key string, value *yaml.Node, merged bool) error {
		if merged {
			if err := t.spend(value); err != nil {
				return err
			}
		}
		if !yamldoc.IsNull(yamldoc.Resolve(value)) && !slices.Contains(omit, key) {
			entries[key] = value
		}
		return nil
	})
	if err != nil {
		return err
	}
	t.encoded = appendNumber(append(t.encoded, 'm'), len(entries))
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		t.encoded = appendStrings(t.encoded, key)
		if err := t.write(entries[key], depth+1, nil); err != nil {
			return err
		}
	}
	return nil
}
