package edit_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A plainScalar is a scalar of a document without aliases and merge keys.
type plainScalar struct{ Tag, Value string }

// plainDocument reads a document into maps, slices and plainScalars.
func plainDocument(t testing.TB, text []byte) any {
	t.Helper()
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var doc, further yaml.Node
	if err := decoder.Decode(&doc); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	if err := decoder.Decode(&further); !errors.Is(err, io.EOF) {
		t.Fatalf("a second document (%v) in:\n%s", err, text)
	}
	return plainNode(doc.Content[0])
}

func plainNode(n *yaml.Node) any {
	switch n.Kind {
	case yaml.AliasNode:
		return plainNode(n.Alias)
	case yaml.ScalarNode:
		return plainScalar{n.ShortTag(), n.Value}
	case yaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, child := range n.Content {
			out[i] = plainNode(child)
		}
		return out
	}
	out := make(map[any]any)
	var merged []*yaml.Node
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.ShortTag() == "!!merge" {
			merged = append(merged, value)
			continue
		}
		name, ok := plainNode(key).(plainScalar)
		if !ok {
			name = plainScalar{"complex", ""}
		}
		if name.Tag != "!!str" {
			out[name] = plainNode(value)
			continue
		}
		out[name.Value] = plainNode(value)
	}
	for _, source := range merged {
		sources := []*yaml.Node{source}
		if source.Kind == yaml.SequenceNode {
			sources = source.Content
		}
		for _, source := range sources {
			entries, _ := plainNode(source).(map[any]any)
			for key, value := range entries {
				if _, ok := out[key]; !ok {
					out[key] = value
				}
			}
		}
	}
	return out
}
