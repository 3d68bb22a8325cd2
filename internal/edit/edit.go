// Package edit carries edits out on a piece of YAML or JSON text, and leaves
// every byte that the edits do not concern as it was.
//
// There are two ways to do that. [Splice] works in the text itself: it finds
// where a scalar or a mapping stands, holds what it finds there against what
// it expects, and exchanges those bytes alone. [OnNodes] works on the nodes of
// the parsed text and encodes the item anew; it is for the places where the
// same bytes mean several things (aliases, anchors, merge keys) or where a
// value is spread over lines. [Apply] takes the first way and, where that is
// not safe, the second. Both lead to the same document.
//
// A piece of text, a chunk, holds one YAML document: an element of a list with
// its indentation and its "- ", a document of a stream, or a document with
// several items in it.
package edit

import (
	"fmt"

	"github.com/confighash/confighash/internal/yamldoc"
)

// An Edit is a change to an item: [SetScalar], [SplitScalar], [SetEntry] or
// [RemoveEntry]. An edit whose result already stands in the text changes no
// byte.
type Edit interface {
	isEdit()
}

// SetScalar replaces the value of a scalar and keeps its quoting style. Value
// is a string and comes out as one: a plain scalar is put in double quotes
// where some reader of YAML 1.1 or 1.2 would take Value for something else.
type SetScalar struct {
	At    Scalar
	Value string
}

// SplitScalar replaces one element of a sequence, a scalar, by several.
type SplitScalar struct {
	At     Scalar
	Values []string
}

// SetEntry sets the entry Key of the mapping at Parent to a string, or, with
// Bool, to true or false.
//
// Parent and the mappings above it are created where they are missing or null.
// The new entry comes first in its mapping, right under the line that names
// the mapping. What is created in a mapping that was there, if it is a mapping
// itself or belongs into the item's root, comes behind the entry After, if
// that is there and a scalar on one line.
type SetEntry struct {
	Parent     yamldoc.Path
	Key, Value string
	Bool       bool // Value is "true" or "false", and means the boolean
	After      string
}

// RemoveEntry removes the entry Key of the mapping at Parent. It is no error
// if there is none. A mapping that loses its last entry becomes {}. Comments
// on lines of their own stay, except where the item is encoded anew.
type RemoveEntry struct {
	Parent yamldoc.Path
	Key    string
}

func (SetScalar) isEdit()   {}
func (SplitScalar) isEdit() {}
func (SetEntry) isEdit()    {}
func (RemoveEntry) isEdit() {}

// An Item is one item of a chunk and what is to be done to it.
type Item struct {
	Root  yamldoc.Path // leads from the root of the chunk's tree to the item
	Edits []Edit
}

// Apply returns text with the edits carried out, item by item in its bytes where that is
// safe and on its nodes where it is not. It does not change text, but may
// return it.
//
// It fails where the text cannot be parsed, where a path leads to a node of
// another kind than the edit is for, where a key on the way stands twice in its
// mapping, and where aliases would expand beyond measure. No error tells the
// value of a scalar.
func Apply(text []byte, items []Item) ([]byte, error) {
	out, rest, err := spliceItems(text, items)
	if err != nil || len(rest) == 0 {
		return out, err
	}
	return OnNodes(out, rest)
}

// check refuses edits that make no sense in any text.
func check(items []Item) error {
	for _, item := range items {
		for _, e := range item.Edits {
			if err := checkEdit(e); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkEdit(e Edit) error {
	switch e := e.(type) {
	case SetScalar:
		return checkString(e.At.Path, e.Value)
	case SplitScalar:
		if len(e.Values) == 0 {
			return fmt.Errorf("%s: to be split into no values at all; at least one is needed", e.At.Path)
		}
		for _, value := range e.Values {
			if err := checkString(e.At.Path, value); err != nil {
				return err
			}
		}
	case SetEntry:
		if e.Bool && e.Value != "true" && e.Value != "false" {
			return fmt.Errorf(`%s: a boolean to be set is neither "true" nor "false"`, e.Parent.Key(e.Key))
		}
		if err := checkString(e.Parent, e.Key); err != nil {
			return err
		}
		return checkString(e.Parent.Key(e.Key), e.Value)
	case RemoveEntry:
	default:
		return fmt.Errorf("unknown edit %T", e)
	}
	return nil
}
