package fast

// An arena allocates values of one type and frees them all at once. It reuses the memory of the last slab, which is the
// largest.
type arena[T any] struct {
	slab []T
	used int // number of values in use
}

// The sizes of an arena's first and largest slab.
const (
	smallSlab = 64
	largeSlab = 4096
)

func (a *arena[T]) reset() {
	clear(a.slab[:a.used])
	a.used = 0
}

func (a *arena[T]) slice(n int) []T {
	if n > largeSlab {
		return make([]T, n)
	}
	if a.used+n > len(a.slab) {
		a.slab, a.used = make([]T, max(n, min(2*len(a.slab), largeSlab), smallSlab)), 0
	}
	a.used += n
	return a.slab[a.used-n : a.used : a.used]
}
