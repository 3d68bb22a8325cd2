// Package edit edits YAML and JSON text and leaves every other byte unchanged. Use [Apply].
//
// Apply has two ways, which lead to the same document. If it is safe, it splices: it locates a scalar in the text, or
// the entries that differ after an edit of the parsed nodes, compares the bytes there with what it expects, and
// replaces only those. Otherwise it makes all edits on the nodes and encodes the item again: for bytes that several
// places share (aliases, anchors, merge keys) and values over several lines.
//
// The text, a chunk, is one YAML document: an element of a list with its indentation and its "- ", a document of a
// stream, or a document with several items in it.
package edit

import (
	"fmt"
	"iter"
	"slices"
	"unicode/utf8"

	"github.com/confighash/confighash/internal/yamldoc"
)

// An Edit is a change to an item: [SetScalar], [SetEntry], [RemoveEntry] or [KeepEntries]. If the text already has the
// result, an edit changes no byte.
type Edit interface {
	// path leads to the target of the edit.
	path() yamldoc.Path
}

// SetScalar replaces the value of a scalar and keeps its quoting style. Value is a string and stays one: a plain scalar
// gets double quotes if a reader of YAML 1.1 or 1.2 would read Value as another type.
//
// The values in More become elements after it; the scalar must then be an element of a sequence.
type SetScalar struct {
	At    Scalar
	Value string
	More  []string
}

// SetEntry sets the entry Key of the mapping at Parent to a string or, with Bool, to true or false.
//
// Parent and the mappings above it are created if they are missing or null. The new entry comes first in its mapping,
// right under the line that names the mapping. A new mapping in an existing one, and a new entry of the item's root,
// come after the entry After, if that exists and is a scalar on one line.
type SetEntry struct {
	Parent     yamldoc.Path
	Key, Value string
	Bool       bool // Value is "true" or "false", for the boolean
	After      string
}

// RemoveEntry removes the entry Key of the mapping at Parent, if it exists. A mapping that loses its last entry becomes
// {}. Comments on lines of their own stay, unless the item is encoded again.
type RemoveEntry struct {
	Parent yamldoc.Path
	Key    string
}

// KeepEntries removes all entries of the mapping at Parent, if it exists, except those with Keys. It works like
// RemoveEntry, for many entries at once.
type KeepEntries struct {
	Parent yamldoc.Path
	Keys   map[string]bool
}

// An Item is one item of a chunk, with its edits.
type Item struct {
	Root  yamldoc.Path // path from the root of the chunk's tree to the item
	Edits []Edit
}

// Apply returns text with the edits made: in its bytes for each item for which that is safe, otherwise on the nodes. It
// does not modify text, but may return it.
//
// It fails if the text cannot be parsed, a path leads to a node of another kind than the edit is for, a mapping on the
// way has a duplicate key, or aliases would expand excessively. No error contains the value of a scalar.
func Apply(text []byte, items []Item) ([]byte, error) {
	if err := check(items); err != nil {
		return nil, err
	}
	out, rest := spliceItems(text, items)
	if len(rest) == 0 {
		return out, nil
	}
	return onNodes(out, rest)
}

// edits yields the edits of all items, each with the root of its item.
func edits(items []Item) iter.Seq2[yamldoc.Path, Edit] {
	return func(yield func(yamldoc.Path, Edit) bool) {
		for _, item := range items {
			for _, e := range item.Edits {
				if !yield(item.Root, e) {
					return
				}
			}
		}
	}
}

// check rejects edits that are invalid whatever the text.
func check(items []Item) error {
	for _, e := range edits(items) {
		valid := true
		switch e := e.(type) {
		case SetScalar:
			valid = utf8.ValidString(e.Value) && !slices.ContainsFunc(e.More, func(s string) bool { return !utf8.ValidString(s) })
		case SetEntry:
			valid = utf8.ValidString(e.Key) && utf8.ValidString(e.Value)
		}
		if !valid {
			return fmt.Errorf("%s: the string to set is not valid UTF-8", e.path())
		}
	}
	return nil
}

func (e SetScalar) path() yamldoc.Path   { return e.At.Path }
func (e SetEntry) path() yamldoc.Path    { return e.Parent.Key(e.Key) }
func (e RemoveEntry) path() yamldoc.Path { return e.Parent.Key(e.Key) }
func (e KeepEntries) path() yamldoc.Path { return e.Parent }
