package edit

// OnNodes makes all edits on nodes.
var OnNodes = onNodes

// Splice makes the edits only in the bytes of text. If some have to be made by OnNodes, it returns false and no text.
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
