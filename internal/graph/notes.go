package graph

// Notes caches facts about lists of resources, so that thousands of references do not each scan the same thousands of
// objects. A list is identified by its address, since the lists of a Graph do not change.
type Notes map[note]any

type note struct {
	list **Resource
	what any
}

// Once returns the result of find for a list, which is not empty, and caches it under the key what.
func Once[T any](n Notes, list []*Resource, what any, find func() T) T {
	k := note{&list[0], what}
	found, ok := n[k].(T)
	if !ok {
		found = find()
		n[k] = found
	}
	return found
}
