package edit

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// parse returns the document node of text. It fails if there is a second document.
func parse(text []byte) (*yaml.Node, error) {
	doc, err := yamldoc.ParseWithComments(text)
	var second *yamldoc.SecondDocumentError
	switch {
	case errors.As(err, &second):
		return nil, errors.New("the text has several YAML documents; edit one at a time")
	case err != nil:
		return nil, fmt.Errorf("cannot parse the text: %w", err)
	case doc.Kind == 0:
		return nil, errors.New("the text has no YAML document")
	}
	return doc, nil
}

// stepInto follows step from node, which is at path, and returns the child, with its key if node is a mapping. If a
// mapping does not have the key, child is nil.
func stepInto(node *yaml.Node, path yamldoc.Path, step yamldoc.Step) (child, key *yaml.Node, err error) {
	if step.Index >= 0 {
		if err := mustBe(yaml.SequenceNode, node, path); err != nil {
			return nil, nil, err
		}
		if step.Index >= len(node.Content) {
			return nil, nil, fmt.Errorf("%s: element %d does not exist; the list has %d", show(path), step.Index, len(node.Content))
		}
		return node.Content[step.Index], nil, nil
	}
	if err := mustBe(yaml.MappingNode, node, path); err != nil {
		return nil, nil, err
	}
	i, err := findKey(node, path, step.Key)
	if err != nil || i < 0 {
		return nil, nil, err
	}
	return node.Content[i+1], node.Content[i], nil
}

// findKey returns the index of the key in the mapping's Content, negative if it is missing. Merge keys are ignored. A
// duplicate key is an error, because readers disagree on which one counts.
func findKey(mapping *yaml.Node, path yamldoc.Path, key string) (int, error) {
	found := -1
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		node := yamldoc.Resolve(mapping.Content[i])
		if node.Kind != yaml.ScalarNode || node.Value != key || yamldoc.IsMerge(node) {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("%s: duplicate key in its mapping, in lines %d and %d; remove one", path.Key(key), mapping.Content[found].Line, mapping.Content[i].Line)
		}
		found = i
	}
	return found, nil
}

// holds reports whether value is already what e would set.
func holds(value *yaml.Node, e SetEntry) bool {
	if e.Bool {
		return value.Kind == yaml.ScalarNode && value.ShortTag() == "!!bool" && strings.EqualFold(value.Value, e.Value)
	}
	return isStringNode(value, e.Value)
}

func isStringNode(node *yaml.Node, value string) bool {
	return node.Kind == yaml.ScalarNode && node.Value == value && node.ShortTag() == "!!str"
}

func mustBe(kind yaml.Kind, node *yaml.Node, path yamldoc.Path) error {
	if node.Kind == kind {
		return nil
	}
	return fmt.Errorf("%s: found %s where %s is needed", show(path), yamldoc.Describe(node), yamldoc.Describe(&yaml.Node{Kind: kind, Tag: "!!str"}))
}

func show(path yamldoc.Path) string {
	return cmp.Or(string(path), "the item itself")
}
