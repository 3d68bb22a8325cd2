// Package mapping reads YAML mappings as they are meant: with aliases followed
// and merge keys applied, within bounds that alias bombs do not pass.
package yamldoc

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// maxAliased is how many nodes behind aliases and merge keys are followed, far
// more than an API server would take.
const maxAliased = 100_000

// A Budget bounds the work that aliases and merge keys can ask for. The zero
// Budget is a full one.
type Budget int

// Spend takes one step, and fails where too many have been taken.
func (b *Budget) Spend() error {
	if *b++; *b > maxAliased {
		return fmt.Errorf("aliases and merge keys stand for more than the %d nodes that are followed", maxAliased)
	}
	return nil
}

// Each visits the entries of a mapping in the order of the text, those
// that merge keys bring in included: as YAML has it, the mapping's own
// entries win over merged ones, and earlier merged ones over later.
func Each(m *yaml.Node, b *Budget, visit func(key string, value *yaml.Node, merged bool) error) error {
	var merge *merger
	if HasMerge(m) {
		merge = &merger{seen: ownKeys(m), done: map[*yaml.Node]bool{m: true}, budget: b, visit: visit}
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		if merge != nil && IsMerge(key) {
			if err := merge.from(value); err != nil {
				return err
			}
			continue
		}
		if name, ok := keyOf(key); ok {
			if err := visit(name, value, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// A merger visits what the merge keys of one mapping bring in.
type merger struct {
	seen   map[string]bool // keys that later ones do not replace
	done   map[*yaml.Node]bool
	budget *Budget
	visit  func(key string, value *yaml.Node, merged bool) error
}

// from visits the entries of the value of a merge key: a mapping or a list of
// them. A mapping met again brings in nothing new.
func (m *merger) from(source *yaml.Node) error {
	if source.Kind == yaml.AliasNode {
		source = source.Alias
	}
	if m.done[source] {
		return nil
	}
	m.done[source] = true
	if source.Kind == yaml.SequenceNode {
		for _, element := range source.Content {
			if err := m.from(element); err != nil {
				return err
			}
		}
	}
	if source.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(source.Content); i += 2 {
		if err := m.budget.Spend(); err != nil {
			return err
		}
		key, ok := keyOf(source.Content[i])
		if !ok || IsMerge(source.Content[i]) || m.seen[key] {
			continue
		}
		m.seen[key] = true
		if err := m.visit(key, source.Content[i+1], true); err != nil {
			return err
		}
	}
	for i := 0; i+1 < len(source.Content); i += 2 {
		if IsMerge(source.Content[i]) {
			if err := m.from(source.Content[i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Get returns the value of a key, and whether a merge key brings it in; nil if
// there is none.
func Get(m *yaml.Node, key string, b *Budget) (value *yaml.Node, merged bool) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if name, ok := keyOf(m.Content[i]); ok && name == key && !IsMerge(m.Content[i]) {
			return m.Content[i+1], false
		}
	}
	if !HasMerge(m) {
		return nil, false
	}
	// The walk that shares the budget reports that it is spent.
	_ = Each(m, b, func(name string, candidate *yaml.Node, _ bool) error {
		if value == nil && name == key {
			value = candidate
		}
		return nil
	})
	return value, true
}

// HasMerge reports whether a mapping has merge keys.
func HasMerge(m *yaml.Node) bool {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if IsMerge(m.Content[i]) {
			return true
		}
	}
	return false
}

// IsMerge reports whether key is a merge key: << without quotes.
func IsMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Value == "<<" && key.Tag == "!!merge"
}

func ownKeys(m *yaml.Node) map[string]bool {
	keys := make(map[string]bool, len(m.Content)/2)
	for i := 0; i+1 < len(m.Content); i += 2 {
		if key, ok := keyOf(m.Content[i]); ok && !IsMerge(m.Content[i]) {
			keys[key] = true
		}
	}
	return keys
}

// keyOf returns a key's text.
func keyOf(key *yaml.Node) (string, bool) {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	return key.Value, key.Kind == yaml.ScalarNode
}

// Duplicate returns the second of two equal keys of a mapping, nil if there is
// none.
func Duplicate(m *yaml.Node) *yaml.Node {
	seen := make(map[string]bool, len(m.Content)/2)
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, ok := keyOf(m.Content[i])
		if !ok || IsMerge(m.Content[i]) {
			continue
		}
		if seen[key] {
			return m.Content[i]
		}
		seen[key] = true
	}
	return nil
}

// NameOf returns what messages call a key of a mapping: "the key" with the key in
// quotes, or, where a comma in a value made a key of what stands behind, no more
// than that. In {password: a,b} the b may be half a password.
func NameOf(m, key *yaml.Node) string {
	name, _ := keyOf(key)
	for i := 0; i+1 < len(m.Content); i += 2 {
		if other, ok := keyOf(m.Content[i]); ok && other == name && IsBare(m, m.Content[i+1]) {
			return "a key without a value"
		}
	}
	return fmt.Sprintf("the key %q", name)
}

// IsBare reports whether value is what a key of the flow mapping m has that
// stands there alone.
func IsBare(m, value *yaml.Node) bool {
	return m.Style&yaml.FlowStyle != 0 && value.Kind == yaml.ScalarNode && value.Tag == "!!null" && value.Value == ""
}

// Resolve follows an alias to what it stands for.
func Resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}
