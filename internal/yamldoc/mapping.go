package yamldoc

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// maxAliased bounds how many nodes behind aliases and merge keys are visited, far more than an API server would accept.
const maxAliased = 100_000

// A Budget bounds the work that aliases and merge keys can cause. The zero Budget is unused.
type Budget int

// Spend takes one step. It fails if too many have been taken.
func (b *Budget) Spend() error {
	if *b++; *b > maxAliased {
		return fmt.Errorf("aliases and merge keys expand to more than the %d nodes that are followed", maxAliased)
	}
	return nil
}

// Each visits the entries of a mapping in the order of the text. Merged entries, as given by [Sources], come at the
// first merge key. It returns the first error of visit, or the budget's.
func Each(m *yaml.Node, b *Budget, visit func(key string, value *yaml.Node, merged bool) error) error {
	isMerged := false
	for i := 0; i+1 < len(m.Content); i += 2 {
		var err error
		if key, ok := keyOf(m.Content[i]); ok {
			err = visit(key, m.Content[i+1], false)
		} else if IsMerge(m.Content[i]) && !isMerged {
			isMerged, err = true, eachMerged(m, b, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func eachMerged(m *yaml.Node, b *Budget, visit func(key string, value *yaml.Node, merged bool) error) error {
	seen := make(map[string]bool)
	for source, err := range Sources(m) {
		if err != nil {
			continue // it brings in nothing
		}
		for i := 0; i+1 < len(source.Content); i += 2 {
			if source != m {
				if err := b.Spend(); err != nil {
					return err
				}
			}
			key, ok := keyOf(source.Content[i])
			if !ok || seen[key] {
				continue
			}
			seen[key] = true
			if source == m {
				continue
			}
			if err := visit(key, source.Content[i+1], true); err != nil {
				return err
			}
		}
	}
	return nil
}

// Get returns the value of a key, nil if it is missing, and whether it comes from a merge key.
func Get(m *yaml.Node, key string, b *Budget) (value *yaml.Node, merged bool) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if name, ok := keyOf(m.Content[i]); ok && name == key {
			return m.Content[i+1], false
		}
	}
	if !HasMerge(m) {
		return nil, false
	}
	// If the budget is exhausted, the walk that shares it reports that.
	_ = eachMerged(m, b, func(name string, candidate *yaml.Node, _ bool) error {
		if value == nil && name == key {
			value = candidate
		}
		return nil
	})
	return value, true
}

// At returns the node at path below n, with aliases and merge keys resolved; nil if there is none.
func At(n *yaml.Node, path Path) *yaml.Node {
	steps, _ := path.Steps() // a path of this package is valid
	for _, step := range steps {
		switch n = Resolve(n); {
		case step.Index >= 0 && n.Kind == yaml.SequenceNode && step.Index < len(n.Content):
			n = n.Content[step.Index]
		case step.Index < 0 && n.Kind == yaml.MappingNode:
			n, _ = Get(n, step.Key, new(Budget))
		default:
			return nil
		}
		if n == nil {
			return nil
		}
	}
	return Resolve(n)
}

// keyOf returns the text of a key. It reports false for a merge key, and for a key that is not a scalar.
func keyOf(key *yaml.Node) (string, bool) {
	scalar := Resolve(key)
	return scalar.Value, scalar.Kind == yaml.ScalarNode && !IsMerge(key)
}

// Duplicate returns the second of two equal keys of a mapping, nil if there is none.
func Duplicate(m *yaml.Node) *yaml.Node {
	seen := make(map[string]bool, len(m.Content)/2)
	for i := 0; i+1 < len(m.Content); i += 2 {
		if key, ok := keyOf(m.Content[i]); ok {
			if seen[key] {
				return m.Content[i]
			}
			seen[key] = true
		}
	}
	return nil
}

// NameOf returns the name of a key for messages: "the key" with the quoted key. It leaves the key out if that may be
// the rest of a value with a comma: in {password: a,b} the b may be half a password.
func NameOf(m, key *yaml.Node) string {
	name, _ := keyOf(key)
	for i := 0; i+1 < len(m.Content); i += 2 {
		if other, ok := keyOf(m.Content[i]); ok && other == name && IsBare(m, m.Content[i+1]) {
			return "a key without a value"
		}
	}
	return fmt.Sprintf("the key %q", name)
}

// IsBare reports whether value belongs to a key without a value in the flow mapping m.
func IsBare(m, value *yaml.Node) bool {
	return m.Style&yaml.FlowStyle != 0 && value.Value == "" && IsNull(value)
}

// Remove removes an entry of a mapping, if it exists.
func Remove(m *yaml.Node, key string) {
	if i := Index(m, key); i >= 0 {
		m.Content = slices.Delete(m.Content, i, i+2)
	}
}

// Index returns the index of a key in the content of a mapping, -1 if it is missing or m is not a mapping.
func Index(m *yaml.Node, key string) int {
	for i := 0; m.Kind == yaml.MappingNode && i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// RemoveAnnotations removes annotations of an item, and the mapping if it becomes empty.
func RemoveAnnotations(item *yaml.Node, keys ...string) {
	metadata := Value(item, "metadata")
	annotations := Value(metadata, "annotations")
	if annotations == nil {
		return
	}
	for _, key := range keys {
		Remove(annotations, key)
	}
	if len(annotations.Content) == 0 {
		Remove(metadata, "annotations")
	}
}

// Value returns the value of a mapping's own entry, with aliases resolved: nil if it is missing, or m is nil or not a
// mapping.
func Value(m *yaml.Node, key string) *yaml.Node {
	if m == nil {
		return nil
	}
	m = Resolve(m)
	if i := Index(m, key); i >= 0 {
		return Resolve(m.Content[i+1])
	}
	return nil
}

// Text returns the text of a mapping's own entry, "" if it is missing.
func Text(m *yaml.Node, key string) string {
	if value := Value(m, key); value != nil {
		return value.Value
	}
	return ""
}
