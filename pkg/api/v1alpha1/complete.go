package v1alpha1

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Complete checks a ConfigHash that a program made, as Parse checks one that
// was read, and returns it with the defaults in place of what is empty. What
// is true by default is false where it was not set: New sets it. The error is
// an Errors, as Parse's is.
func (c *ConfigHash) Complete() (*ConfigHash, error) {
	given := *c
	if given.APIVersion == "" {
		given.APIVersion = APIVersion
	}
	if given.Kind == "" {
		given.Kind = Kind
	}
	return Parse(document(&given).write())
}

// The methods write return what stands in the variable that a value is bound
// to, nil where it is empty.

func (t text) write() *yaml.Node { return writeString(*t.dst) }

func (e enum[T]) write() *yaml.Node { return writeString(string(*e.dst)) }

func (t toggle) write() *yaml.Node {
	value := "false"
	if *t.dst {
		value = "true"
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: value}
}

func (l list[T]) write() *yaml.Node {
	if len(*l.dst) == 0 {
		return nil
	}
	sequence := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for i := range *l.dst {
		sequence.Content = append(sequence.Content, l.item(&(*l.dst)[i]).write())
	}
	return sequence
}

func (t table) write() *yaml.Node { return writeStrings(*t.dst) }

// write returns a mapping even where nothing is in it: the elements of a list
// stay as many as they are.
func (o object) write() *yaml.Node {
	mapping := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, f := range o.fields {
		if value := f.value.write(); value != nil {
			mapping.Content = append(mapping.Content, stringNode(f.name), value)
		}
	}
	return mapping
}

func (m metadata) write() *yaml.Node {
	mapping := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	if m.dst.Name != "" {
		mapping.Content = append(mapping.Content, stringNode("name"), stringNode(m.dst.Name))
	}
	if annotations := writeStrings(m.dst.Annotations); annotations != nil {
		mapping.Content = append(mapping.Content, stringNode("annotations"), annotations)
	}
	return mapping
}

func writeString(s string) *yaml.Node {
	if s == "" {
		return nil
	}
	return stringNode(s)
}

func writeStrings(m map[string]string) *yaml.Node {
	if len(m) == 0 {
		return nil
	}
	mapping := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		mapping.Content = append(mapping.Content, stringNode(key), stringNode(m[key]))
	}
	return mapping
}
