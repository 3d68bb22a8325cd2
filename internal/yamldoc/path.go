package yamldoc

import (
	"fmt"
	"strconv"
	"strings"
)

// A Path leads from the root of an item to one of its nodes, in the usual notation:
// spec.template.spec.containers[0].envFrom[1].configMapRef.name. A key with characters other than letters, digits, "-"
// and "_" is in brackets and Go's double quotes: metadata.annotations["example.com/key"]. The empty Path is the root.
type Path string

// A Step is one step of a Path: to a mapping's entry or a sequence's element.
type Step struct {
	Key   string // the entry's key, if Index is negative
	Index int    // the element, counted from 0; negative for a mapping
	End   int    // offset in the path where the step ends, set by Steps
}

// Key returns the path of the entry key of the mapping at p.
func (p Path) Key(key string) Path { return Step{Key: key, Index: -1}.From(p) }

// Index returns the path of element i, counted from 0, of the sequence at p.
func (p Path) Index(i int) Path { return Step{Index: i}.From(p) }

// Join appends q to p.
func (p Path) Join(q Path) Path {
	switch {
	case p == "":
		return q
	case q == "", q[0] == '[':
		return p + q
	default:
		return p + "." + q
	}
}

// Steps returns the steps of p. It fails if p is not a result of Key, Index and Join.
func (p Path) Steps() ([]Step, error) {
	steps := make([]Step, 0, strings.Count(string(p), ".")+2)
	for at := 0; at < len(p); {
		if at > 0 && p[at] == '.' {
			at++
		}
		step, length := stepOf(string(p[at:]))
		if length == 0 {
			return nil, fmt.Errorf("path %q: found no step at %q", p, p[at:])
		}
		at += length
		step.End = at
		steps = append(steps, step)
	}
	return steps, nil
}

// stepOf reads the step at the front of a path: key, ["key"] or [3]. The length is 0 if there is none.
func stepOf(path string) (step Step, length int) {
	if !strings.HasPrefix(path, "[") {
		length = len(path)
		if end := strings.IndexAny(path, ".["); end >= 0 {
			length = end
		}
		return Step{Key: path[:length], Index: -1}, length
	}
	end := strings.IndexByte(path, ']')
	if quoted, err := strconv.QuotedPrefix(path[1:]); err == nil {
		step.Key, _ = strconv.Unquote(quoted) // it is valid
		step.Index, end = -1, 1+len(quoted)
	} else if step.Index, err = strconv.Atoi(path[1:max(end, 1)]); err != nil {
		return Step{}, 0
	}
	return step, end + 1
}

func isSimpleKey(key string) bool {
	isOther := func(c rune) bool {
		return (c < 'a' || 'z' < c) && (c < 'A' || 'Z' < c) && (c < '0' || '9' < c) && c != '-' && c != '_'
	}
	return key != "" && !strings.ContainsFunc(key, isOther)
}

// From appends the step to p.
func (s Step) From(p Path) Path {
	var room [256]byte
	return Path(s.appendTo(append(room[:0], p...)))
}

func (s Step) appendTo(path []byte) []byte {
	switch {
	case s.Index >= 0:
		return append(strconv.AppendInt(append(path, '['), int64(s.Index), 10), ']')
	case !isSimpleKey(s.Key):
		return append(strconv.AppendQuote(append(path, '['), s.Key), ']')
	case len(path) > 0:
		path = append(path, '.')
	}
	return append(path, s.Key...)
}

// Roots are numbered places in an item.
type Roots map[Path]int

// Add adds a place, unless it already exists.
func (r Roots) Add(at Path, number int) {
	if _, ok := r[at]; !ok {
		r[at] = number
	}
}

// Holding returns the lowest number of the places that contain path, -1 if there is none.
func (r Roots) Holding(path Path) int {
	least := -1
	for end := 0; end <= len(path); end++ {
		if 0 < end && end < len(path) && path[end] != '.' && path[end] != '[' {
			continue
		}
		if number, ok := r[path[:end]]; ok && (least < 0 || number < least) {
			least = number
		}
	}
	return least
}
