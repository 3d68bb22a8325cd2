package yamldoc

// A Trail holds the steps from the root of an item to a node, during a walk. The zero Trail is at the root. It builds a
// Path only on request: in a deep document, the paths of all nodes are far longer than its text.
type Trail []trailStep

type trailStep struct {
	Step
	length int // of the path, or slightly less
}

// MaxPath bounds the paths that are reported or kept, as thousands may have the same long beginning. In Kubernetes'
// largest resources, paths have a few hundred characters.
const MaxPath = 4096

// Key descends to the entry of a mapping.
func (t *Trail) Key(key string) { t.enter(Step{Key: key, Index: -1}) }

// Index descends to the element of a sequence.
func (t *Trail) Index(i int) { t.enter(Step{Index: i}) }

func (t *Trail) enter(s Step) {
	*t = append(*t, trailStep{Step: s, length: t.length() + len(s.Key) + len(".")})
}

// Back undoes the last step.
func (t *Trail) Back() { *t = (*t)[:len(*t)-1] }

func (t *Trail) length() int {
	if n := len(*t); n > 0 {
		return (*t)[n-1].length
	}
	return 0
}

// TooDeep reports whether the path is longer than MaxPath.
func (t *Trail) TooDeep() bool { return t.length() > MaxPath }

// Path returns the path of the current node.
func (t Trail) Path() Path {
	var room [256]byte
	b := room[:0]
	for _, step := range t {
		b = step.appendTo(b)
	}
	return Path(b)
}

// Head returns the beginning of a path that is too long, for a message.
func (t Trail) Head() Path {
	head := t[:min(len(t), 3)].Path()
	return head[:min(len(head), 100)] + "…"
}
