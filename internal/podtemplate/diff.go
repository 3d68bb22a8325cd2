package podtemplate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/confighash/confighash/internal/yamldoc"
)

// What says how a part of a template changed.
type What uint8

const (
	// Changed: the value differs.
	Changed What = iota
	// Added: it is new.
	Added
	// Removed: it no longer exists.
	Removed
	// Reordered: a list has the same elements, or some of them, in another order.
	Reordered
	// Respelled: a quantity has the same value in another notation that the API server keeps, such as 1Gi and
	// 1073741824. A Deployment, which compares values, does not roll; a StatefulSet and a DaemonSet, which compare what
	// is stored, do.
	Respelled
)

// A Difference is a part of a template that differs. A list element that was added or removed is one Difference, and so
// is a mapping of fields, such as a probe.
type Difference struct {
	// Path is for people: spec.containers[web].image. List elements are shown by name if the API server identifies them
	// by name, otherwise by index, in the new list unless they were removed.
	Path string
	What What
	// Old and New are the paths of the node in the two templates: usually of a scalar, otherwise of the element or
	// mapping that differs as a whole. They are empty if that template has no such node, for example for a default.
	Old, New yamldoc.Path
	// From and To are the values of a Changed image, or name of a ConfigMap or Secret. Other values may be secret.
	From, To string
}

// Diff returns the differences of two templates in a fixed order; none if the API server stores the same for both. Both
// must have been read in the same way.
func Diff(before, after *Template) []Difference {
	var d differ
	d.values(&before.root, &after.root)
	return d.found
}

type differ struct {
	steps  []step // from the root to the current node
	length int    // total length of their keys
	found  []Difference
}

type step struct {
	key      string // of the entry, or of the element if it has one
	old, new int32  // node.at, or absent
	element  bool
	named    bool // an element identified by its key, or an entry of a map
}

// absent is the index of what does not exist, not even by default.
const absent = -3

func (d *differ) values(before, after *node) {
	switch {
	case d.length > yamldoc.MaxPath && !equal(before, after):
		d.add(Changed)
	case before.kind == mapping && after.kind == mapping:
		d.mappings(before, after)
	case before.kind == list && after.kind == list:
		d.lists(before, after)
	case before.kind == after.kind && before.value == after.value:
	case before.kind == quantity && after.kind == quantity && sameQuantity(before.value, after.value):
		d.add(Respelled)
	default:
		d.add(Changed)
		if before.flags&after.flags&shown != 0 && before.kind == text && after.kind == text {
			last := &d.found[len(d.found)-1]
			last.From, last.To = before.value, after.value
		}
	}
}

func (d *differ) mappings(before, after *node) {
	a, b := before.children, after.children
	isDynamic := (before.flags|after.flags)&dynamic != 0
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].key < b[0].key:
			d.pair(&a[0], nil, step{named: isDynamic})
			a = a[1:]
		case len(a) == 0 || b[0].key < a[0].key:
			d.pair(nil, &b[0], step{named: isDynamic})
			b = b[1:]
		default:
			d.pair(&a[0], &b[0], step{named: isDynamic})
			a, b = a[1:], b[1:]
		}
	}
}

// pair compares two nodes of a collection, one of which may be nil.
func (d *differ) pair(before, after *node, s step) {
	s.old, s.new = absent, absent
	if before != nil {
		s.key, s.old = before.key, before.at
	}
	if after != nil {
		s.key, s.new = after.key, after.at
	}
	d.steps = append(d.steps, s)
	d.length += len(s.key) + 1
	if one := cmp.Or(after, before); one.flags&hollow != 0 && len(one.children) > 0 && (one.kind == mapping || one.flags&keyed != 0) {
		empty := &node{kind: one.kind}
		before, after = cmp.Or(before, empty), cmp.Or(after, empty)
	}
	switch {
	case before == nil:
		d.add(Added)
	case after == nil:
		d.add(Removed)
	default:
		d.values(before, after)
	}
	d.steps = d.steps[:len(d.steps)-1]
	d.length -= len(s.key) + 1
}

func (d *differ) lists(before, after *node) {
	a, b := before.children, after.children
	if (before.flags|after.flags)&keyed != 0 {
		if byKey := keys(a); byKey != nil && keys(b) != nil {
			d.byKey(a, b, byKey)
			return
		}
	}
	d.byIndex(a, b)
}

// keys returns the indices of elements by key, nil if an element has no key or two have the same.
func keys(elements []node) map[string]int {
	at := make(map[string]int, len(elements))
	for i := range elements {
		if elements[i].key == "" {
			return nil
		}
		at[elements[i].key] = i
	}
	if len(at) < len(elements) {
		return nil
	}
	return at
}

func (d *differ) byKey(a, b []node, at map[string]int) {
	last, reordered := -1, false
	kept := make([]bool, len(a))
	for i := range b {
		if j, found := at[b[i].key]; found {
			kept[j] = true
			reordered = reordered || j < last
			last = max(last, j)
		}
	}
	if reordered {
		d.add(Reordered)
	}
	for i := range a {
		if !kept[i] {
			d.pair(&a[i], nil, step{element: true, named: true})
		}
	}
	for i := range b {
		if j, found := at[b[i].key]; found {
			d.pair(&a[j], &b[i], step{element: true, named: true})
		} else {
			d.pair(nil, &b[i], step{element: true, named: true})
		}
	}
}

// maxShuffled bounds the length of lists that are searched for reordered elements, which compares each element with
// each other.
const maxShuffled = 64

// byIndex compares list elements without keys. It skips the common ones at the beginning and the end, so that a single
// added or removed element is one Difference.
func (d *differ) byIndex(a, b []node) {
	for len(a) > 0 && len(b) > 0 && equal(&a[0], &b[0]) {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && equal(&a[len(a)-1], &b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == len(b) && len(a) > 1 && len(a) <= maxShuffled && shuffled(a, b) {
		d.add(Reordered)
		return
	}
	common := min(len(a), len(b))
	for i := range common {
		d.pair(&a[i], &b[i], step{element: true})
	}
	for i := common; i < len(a); i++ {
		d.pair(&a[i], nil, step{element: true})
	}
	for i := common; i < len(b); i++ {
		d.pair(nil, &b[i], step{element: true})
	}
}

func shuffled(a, b []node) bool {
	left := slices.Clone(b)
	for i := range a {
		at := slices.IndexFunc(left, func(n node) bool { return equal(&a[i], &n) })
		if at < 0 {
			return false
		}
		left = slices.Delete(left, at, at+1)
	}
	return true
}

func equal(before, after *node) bool {
	same := func(a, b node) bool { return (before.kind != mapping || a.key == b.key) && equal(&a, &b) }
	return before.kind == after.kind && before.value == after.value && slices.EqualFunc(before.children, after.children, same)
}

func (d *differ) add(what What) {
	d.found = append(d.found, Difference{
		Path: d.path(), What: what,
		Old: d.editPath(func(s *step) int32 { return s.old }),
		New: d.editPath(func(s *step) int32 { return s.new }),
	})
}

func (d *differ) path() string {
	var b strings.Builder
	for i := range d.steps {
		s := &d.steps[i]
		switch {
		case s.named:
			b.WriteString("[" + printable(s.key) + "]")
		case s.element && s.new >= 0:
			b.WriteString("[" + strconv.Itoa(int(s.new)) + "]")
		case s.element:
			b.WriteString("[" + strconv.Itoa(int(s.old)) + "]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(printable(s.key))
		}
	}
	return b.String()
}

// printable returns a key, quoted if it has spaces, brackets or invisible characters.
func printable(key string) string {
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsGraphic(r) || r == ' ' || r == '"' || r == '[' || r == ']' }) {
		return strconv.Quote(key)
	}
	return key
}

// editPath returns the path of the current node in one of the templates, empty if that has no such node.
func (d *differ) editPath(at func(*step) int32) (path yamldoc.Path) {
	for i := range d.steps {
		s := &d.steps[i]
		switch place := at(s); {
		case place == absent, place == byDefault:
			return ""
		case s.element:
			path = path.Index(int(place))
		case place == byOtherName:
			path = path.Key(otherName(s.key))
		default:
			path = path.Key(s.key)
		}
	}
	return path
}
