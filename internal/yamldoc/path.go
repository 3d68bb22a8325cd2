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
	rest := string(p)
	for first := true; rest != ""; first = false {
		if rest[0] == '[' {
			step, after, err := bracketStep(rest)
			if err != nil {
				return nil, fmt.Errorf("path %q: %w", p, err)
			}
			step.End = len(p) - len(after)
			steps, rest = append(steps, step), after
			continue
		}
		if !first {
			if rest[0] != '.' {
				return nil, fmt.Errorf("path %q: a dot is missing before %q", p, rest)
			}
			rest = rest[1:]
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return nil, fmt.Errorf("path %q: empty key before %q", p, rest)
		}
		steps, rest = append(steps, Step{Key: rest[:end], Index: -1, End: len(p) - len(rest) + end}), rest[end:]
	}
	return steps, nil
}

// bracketStep reads [3] or ["key"] from the front of s.
func bracketStep(s string) (step Step, rest string, err error) {
	if quoted, qerr := strconv.QuotedPrefix(s[1:]); qerr == nil {
		rest = s[1+len(quoted):]
		if !strings.HasPrefix(rest, "]") {
			return Step{}, "", fmt.Errorf("no ] after %s", quoted)
		}
		key, err := strconv.Unquote(quoted)
		return Step{Key: key, Index: -1}, rest[1:], err
	}
	end := strings.IndexByte(s, ']')
	if end < 0 {
		return Step{}, "", fmt.Errorf("no ] after %q", s)
	}
	index, err := strconv.Atoi(s[1:end])
	if err != nil || index < 0 {
		return Step{}, "", fmt.Errorf("%q is not an index", s[1:end])
	}
	return Step{Index: index}, s[end+1:], nil
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
