package edit

import "github.com/confighash/confighash/internal/yamldoc"

// Splice makes edits of scalars in the bytes of text, without parsing it. It reports false if
// it leaves them to the rest of Apply.
func Splice(text []byte, items []Item) (out []byte, ok bool, err error) {
	if err := check(items); err != nil {
		return nil, false, err
	}
	out, ok = spliceScalars(text, items)
	return out, ok, nil
}

// OnNodes makes the edits without Splice. It reports whether it had to write all of the
// document.
func OnNodes(text []byte, items []Item) (out []byte, rewritten bool, err error) {
	t, err := edited(new(yamldoc.Parser), text, items)
	if err != nil || t == nil {
		return text, false, err
	}
	if out := t.splice(text); out != nil {
		return out, false, nil
	}
	out, err = t.rewrite(text)
	return out, true, err
}
