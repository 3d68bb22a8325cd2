package fast

// An arena hands out values of one type and takes them all back at once.
type arena[T any] struct {
	slabs [][]T
	slab  int // the current one
	used  int // values of it
}

// smallSlab and largeSlab are how many values the first and the largest slab of an
// arena have. An arena keeps at most about maxKept values when it is reset.
const (
	smallSlab = 64
	largeSlab = 4096
	maxKept   = 64 * 1024
)

// reset takes all values back.
func (a *arena[T]) reset() {
	kept := 0
	for i, slab := range a.slabs {
		if kept += len(slab); kept > maxKept {
			a.slabs = a.slabs[:i+1]
			clear(a.slabs[i+1 : cap(a.slabs)])
			break
		}
	}
	for i, slab := range a.slabs {
		if i > a.slab {
			break
		}
		if i == a.slab {
			slab = slab[:a.used]
		}
		clear(slab)
	}
	a.slab, a.used = 0, 0
}

// take hands out a zero value.
func (a *arena[T]) take() *T { return &a.slice(1)[0] }

// slice hands out n zero values, with no capacity beyond.
func (a *arena[T]) slice(n int) []T {
	for a.slab < len(a.slabs) && a.used+n > len(a.slabs[a.slab]) {
		a.slab, a.used = a.slab+1, 0
	}
	if a.slab == len(a.slabs) {
		size := smallSlab
		if last := len(a.slabs) - 1; last >= 0 {
			size = min(2*len(a.slabs[last]), largeSlab)
		}
		a.slabs = append(a.slabs, make([]T, max(size, n)))
	}
	a.used += n
	return a.slabs[a.slab][a.used-n : a.used : a.used]
}
