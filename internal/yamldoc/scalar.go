package yamldoc

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc/fast"
)

// Resolve returns the node that an alias refers to, and any other node unchanged.
func Resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// Describe returns the type of node n, which is not an alias, for messages.
func Describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a sequence"
	case IsNull(n):
		return "null"
	case n.Kind == yaml.ScalarNode:
		return "a scalar"
	}
	return "nothing"
}

// IsNull reports whether n is a null: ~, null, or an empty plain scalar. It does not follow aliases.
func IsNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// StringOf returns the text of a scalar, "" for a null, any other node, and nil.
func StringOf(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.ScalarNode || IsNull(n) {
		return ""
	}
	return n.Value
}

// Bool returns the boolean as which kubectl reads a scalar, according to YAML 1.1: yes is true, and off is false. ok is
// false if the scalar is not a boolean, for example because it is quoted.
func Bool(n *yaml.Node) (value, ok bool) {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	isTagged := n.Style&yaml.TaggedStyle != 0
	if n.Kind != yaml.ScalarNode || n.Style&quoted != 0 && !isTagged || isTagged && n.ShortTag() != "!!bool" {
		return false, false
	}
	switch {
	case slices.Contains([]string{"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}, n.Value):
		return true, true
	case slices.Contains([]string{"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}, n.Value):
		return false, true
	}
	return false, false
}

// Unquote reads the quoted scalar at the beginning of text, according to YAML 1.2 and JSON. It returns its length in
// the text, 0 if none ends on this line.
func Unquote(text string) (value string, length int) { return fast.Unquote(text) }
