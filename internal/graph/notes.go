package graph

// Notes is what was found in lists of resources, so that thousands of references do not look
// through the same thousands of objects each. A list is known by where it begins: no list of a
// Graph changes any more.
type Notes map[note]any

type note struct {
	list **Resource
	what any
}

// Once returns what find found in a list, which is not empty, the first time that it was asked
// for.
func Once[T any](n Notes, list []*Resource, what any, find func() T) T {
	k := note{&list[0], what}
	found, ok := n[k].(T)
	if !ok {
		found = find()
		n[k] = found
	}
	return found
}
