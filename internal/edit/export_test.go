package edit

// OnNodes makes the edits the other way.
var OnNodes = onNodes

// Splice makes the edits in the bytes of text only. It reports false, and returns no text,
// if it leaves some of them to OnNodes.
func Splice(text []byte, items []Item) (out []byte, ok bool, err error) {
	if err := check(items); err != nil {
		return nil, false, err
	}
	out, rest := spliceItems(text, items)
	if len(rest) > 0 {
		return nil, false, nil
	}
	return out, true, nil
}
