package reference

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/yamldoc"
)

// embed reads the value of n as a YAML or JSON document, and finds the references in it. It reports whether there are
// any.
func (w *walker) embed(r *rule, n *yaml.Node, shared bool) (bool, error) {
	var document yaml.Node
	if yaml.Unmarshal([]byte(n.Value), &document) != nil {
		return false, nil // the format of another tool's annotation is not our concern
	}
	if w.tooDeep() {
		return false, nil
	}
	at := edit.ScalarAt(w.steps.Path(), n, shared)
	inner := &walker{root: unwrap(&document), within: &at, positions: edit.NewText([]byte(n.Value)), budget: w.budget}
	if err := inner.run(r.embedded, false); err != nil {
		return false, err
	}
	w.found = append(w.found, inner.found...)
	return len(inner.found) > 0, nil
}

// locate returns the scalar of the item that contains n, and the offset of n's value in its value.
func (w *walker) locate(n *yaml.Node, shared bool) (at edit.Scalar, offset int, ok bool) {
	if w.within == nil && w.tooDeep() {
		return edit.Scalar{}, 0, false
	}
	return w.locateAt(w.steps.Path(), n, shared)
}

// locateAt is locate for a node at another path. Within an embedded document it fails if the text of the scalar differs
// from its value, or is shared with other scalars: the bytes of such a scalar cannot be replaced.
func (w *walker) locateAt(path yamldoc.Path, n *yaml.Node, shared bool) (at edit.Scalar, offset int, ok bool) {
	if w.within == nil {
		return edit.ScalarAt(path, n, shared), 0, true
	}
	if offset, ok = w.positions.Offset(n.Line, n.Column); !ok || shared {
		return edit.Scalar{}, 0, false
	}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		offset++
	}
	if text := w.within.Value; offset > len(text) || !strings.HasPrefix(text[offset:], n.Value) {
		return edit.Scalar{}, 0, false
	}
	return *w.within, offset, true
}
