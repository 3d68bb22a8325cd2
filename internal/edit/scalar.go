package edit

import (
	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// A Scalar is a scalar of an item, with its position in the parsed text. It outlives the tree: it is enough to replace
// the scalar in the text, and to find it again on new nodes.
type Scalar struct {
	// Path leads to the scalar from the item's root.
	Path yamldoc.Path
	// Value is the scalar's value as yaml.v3 reads it, before any tag is applied.
	Value string
	// Line and Column are the yaml.v3 node's: they count from 1, columns in characters.
	Line, Column int32
	// Style is the node's style.
	Style yaml.Style
	// Shared says that other places of the item may use the same text: the path to the scalar leads through an alias or
	// a merge key, or the scalar or a node above it has an anchor. Such a scalar is never replaced in the text.
	Shared bool
}

// ScalarAt returns the Scalar of node, which must be a ScalarNode.
func ScalarAt(path yamldoc.Path, node *yaml.Node, shared bool) Scalar {
	return Scalar{
		Path:   path,
		Value:  node.Value,
		Line:   int32(node.Line),   //nolint:gosec // a text of 2^31 lines does not fit the memory
		Column: int32(node.Column), //nolint:gosec // nor does such a line
		Style:  node.Style,
		Shared: shared || node.Anchor != "",
	}
}
