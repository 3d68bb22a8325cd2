package hash

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// Content is the part of a ConfigMap or a Secret that hashes cover.
type Content struct {
	Kind   string
	Type   *string // of a Secret, nil if it has none
	Fields []Field // in the order data, binaryData, stringData
}

// A Field is a field of a Content that maps keys to values.
type Field struct {
	Name    string
	Entries []Entry // in the order of the document
}

// An Entry is a key of a Field with its value.
type Entry struct {
	Key, Value string
	// Bare marks a key without a value. It may be the end of the previous value, if that contains a comma and should
	// have been quoted, so messages must not show it.
	Bare bool
}

// Keys returns the sorted keys of all fields, the subset without a value, and the keys in binaryData.
func (c Content) Keys() (keys []string, bare map[string]bool, binary []string) {
	bare = map[string]bool{}
	for _, f := range c.Fields {
		for _, e := range f.Entries {
			keys = append(keys, e.Key)
			if f.Name == "binaryData" {
				binary = append(binary, e.Key)
			}
			if e.Bare {
				bare[e.Key] = true
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys), bare, binary
}

// Unsubstituted is the error for a field that is a variable where a mapping should be, as before envsubst. The content
// has the variable as the only entry of that field.
type Unsubstituted struct{ Field string }

func (e *Unsubstituted) Error() string {
	return e.Field + " must be a mapping of keys to strings, and is a variable; substitute it first"
}

// ContentOf reads the content of item, a ConfigMap or Secret.
//
// It fails if a field is not a mapping, a value is not a scalar, or a key is duplicate. Errors name the key, never the
// value.
func ContentOf(kind string, item *yaml.Node) (Content, error) {
	c := Content{Kind: kind}
	names := []string{"data", "binaryData"}
	if kind == "Secret" {
		names = []string{"data", "stringData"}
		if typ := lookup(item, "type"); typ != nil {
			if typ.Kind != yaml.ScalarNode {
				return c, fmt.Errorf("type is not a string")
			}
			c.Type = &typ.Value
		}
	}
	var unsubstituted error
	for _, name := range names {
		node := lookup(item, name)
		if node == nil {
			continue
		}
		if node.Kind == yaml.ScalarNode && strings.HasPrefix(node.Value, "${") {
			c.Fields = append(c.Fields, Field{name, []Entry{{Key: name, Value: node.Value}}})
			unsubstituted = &Unsubstituted{name}
			continue
		}
		if node.Kind != yaml.MappingNode {
			return c, fmt.Errorf("%s must be a mapping of keys to strings", name)
		}
		entries, err := entriesOf(node)
		if err != nil {
			return c, fmt.Errorf("%s: %w", name, err)
		}
		c.Fields = append(c.Fields, Field{name, entries})
	}
	return c, unsubstituted
}

// lookup returns the value of key in a mapping, nil if it is missing or null.
func lookup(m *yaml.Node, key string) *yaml.Node {
	value, _ := yamldoc.Get(m, key, new(yamldoc.Budget))
	if value == nil || yamldoc.IsNull(yamldoc.Resolve(value)) {
		return nil
	}
	return yamldoc.Resolve(value)
}

// entriesOf returns the entries of a mapping, including those of merge keys.
func entriesOf(m *yaml.Node) ([]Entry, error) {
	if err := checkKeys(m); err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(m.Content)/2)
	err := yamldoc.Each(m, new(yamldoc.Budget), func(key string, value *yaml.Node, _ bool) error {
		value = yamldoc.Resolve(value)
		if value.Kind != yaml.ScalarNode {
			return fmt.Errorf("the value of %q is not a string; quote it, or write it as a block", key)
		}
		entries = append(entries, Entry{Key: key, Value: value.Value, Bare: yamldoc.IsNull(value) && value.Value == ""})
		return nil
	})
	return entries, err
}

// checkKeys returns an error if a key of a mapping is duplicate or not a scalar.
func checkKeys(m *yaml.Node) error {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if key := m.Content[i]; yamldoc.Resolve(key).Kind != yaml.ScalarNode {
			return fmt.Errorf("a key is not a string")
		}
	}
	if key := yamldoc.Duplicate(m); key != nil {
		return fmt.Errorf("%s appears twice; keep one", yamldoc.NameOf(m, key))
	}
	return nil
}
