package edit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/confighash/confighash/internal/yamldoc"

	"go.yaml.in/yaml/v3"
)

var errEmpty = errors.New("the text holds no YAML document")

// parse returns the document node of text, which holds one document.
func parse(text []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var doc, further yaml.Node
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, errEmpty
	case err != nil:
		return nil, fmt.Errorf("cannot parse the text: %w", err)
	}
	switch err := decoder.Decode(&further); {
	case err == nil:
		return nil, errors.New("the text holds several YAML documents; one at a time can be edited")
	case !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("cannot parse the text: %w", err)
	}
	return &doc, nil
}

// bothSteps returns the steps of root and of the path behind it, and how many
// of them are root's.
func bothSteps(root, path yamldoc.Path) (steps []yamldoc.Step, inRoot int, err error) {
	steps, err = root.Steps()
	if err != nil {
		return nil, 0, err
	}
	further, err := path.Steps()
	return append(steps, further...), len(steps), err
}

// stepInto returns the node that step leads to from node, which stands at path,
// and the key if node is a mapping. There may be none in a mapping: then child
// is nil.
func stepInto(node *yaml.Node, path yamldoc.Path, step yamldoc.Step) (child, key *yaml.Node, err error) {
	if step.Index >= 0 {
		if err := mustBe(yaml.SequenceNode, node, path); err != nil {
			return nil, nil, err
		}
		if step.Index >= len(node.Content) {
			return nil, nil, fmt.Errorf("%s: there is no element %d, only %d in all", show(path), step.Index, len(node.Content))
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

// findKey returns the index of the key in the mapping's Content, negative if
// it is not there. A merge key is none of the entries. A key that stands twice is an error: readers differ on
// which one counts.
func findKey(mapping *yaml.Node, path yamldoc.Path, key string) (int, error) {
	found := -1
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		node := mapping.Content[i]
		if node.Kind == yaml.AliasNode {
			node = node.Alias
		}
		if node.Kind != yaml.ScalarNode || node.Value != key || isMerge(node) {
			continue
		}
		if found >= 0 {
			return 0, twice(path.Key(key), mapping.Content[found], mapping.Content[i])
		}
		found = i
	}
	return found, nil
}

func twice(path yamldoc.Path, first, second *yaml.Node) error {
	return fmt.Errorf("%s: the key stands twice in its mapping, in lines %d and %d; it may stand there once", path, first.Line, second.Line)
}

// mergeIndex returns the index of the merge key in the mapping's Content,
// negative if it has none.
func mergeIndex(mapping *yaml.Node) int {
	if mapping.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if isMerge(mapping.Content[i]) {
			return i
		}
	}
	return -1
}

func isMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Value == "<<" && key.ShortTag() == "!!merge"
}

func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}

func isBlockScalar(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

// lastLeaf returns the node in node's tree that ends last.
func lastLeaf(node *yaml.Node) *yaml.Node {
	for len(node.Content) > 0 {
		node = node.Content[len(node.Content)-1]
	}
	return node
}

// holds reports whether value is what e would set.
func holds(value *yaml.Node, e SetEntry) bool {
	if e.Bool {
		return value.Kind == yaml.ScalarNode && value.ShortTag() == "!!bool" && strings.EqualFold(value.Value, e.Value)
	}
	return isStringNode(value, e.Value)
}

func isStringNode(node *yaml.Node, value string) bool {
	return node.Kind == yaml.ScalarNode && node.Value == value && node.ShortTag() == "!!str"
}

// keysOf returns the keys of steps, which lead on from path into what is not
// there. Elements of sequences are not created.
func keysOf(steps []yamldoc.Step, path yamldoc.Path) ([]string, error) {
	keys := make([]string, 0, len(steps)+1)
	for _, step := range steps {
		if step.Index >= 0 {
			return nil, fmt.Errorf("%s: there is no element %d, and elements are not created", show(path), step.Index)
		}
		keys, path = append(keys, step.Key), path.Key(step.Key)
	}
	return keys, nil
}

var kindNames = map[yaml.Kind]string{
	yaml.MappingNode:  "a mapping",
	yaml.SequenceNode: "a sequence",
	yaml.ScalarNode:   "a scalar",
	yaml.AliasNode:    "an alias",
}

// mustBe returns an error if node, which stands at path, is of another kind.
func mustBe(kind yaml.Kind, node *yaml.Node, path yamldoc.Path) error {
	if node.Kind == kind {
		return nil
	}
	found := kindNames[node.Kind]
	if isNull(node) {
		found = "null"
	}
	return fmt.Errorf("%s: found %s where %s is needed", show(path), found, kindNames[kind])
}

func noItem(root yamldoc.Path) error {
	return fmt.Errorf("%s: no item stands there", show(root))
}

func show(path yamldoc.Path) string {
	if path == "" {
		return "the item itself"
	}
	return string(path)
}
