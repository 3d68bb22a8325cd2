package edit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// A splice replaces the bytes from start to end by text.
type splice struct {
	start, end int
	text       string
}

// A splicer collects the splices of all edits of a chunk.
type splicer struct {
	Text
	splices []splice
}

// splicers holds the ones not in use, for their memory.
var splicers = sync.Pool{New: func() any { return new(splicer) }}

// spliceScalars makes the edits in the bytes of text if all of them are of scalars that are
// where the edits say. It does not parse the text.
func spliceScalars(text []byte, items []Item) (out []byte, ok bool) {
	s, _ := splicers.Get().(*splicer)
	defer func() {
		clear(s.splices)
		s.bytes, s.lines, s.last, s.splices = nil, s.lines[:0], position{}, s.splices[:0]
		splicers.Put(s)
	}()
	s.bytes = text
	for _, e := range edits(items) {
		if set, ok := e.(SetScalar); !ok || len(set.More) > 0 || !s.setScalar(set.At, set.Value) {
			return nil, false
		}
	}
	return s.apply()
}

// apply makes the splices. It reports false if two of them differ in the same bytes.
func (s *splicer) apply() ([]byte, bool) {
	slices.SortStableFunc(s.splices, func(a, b splice) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	size, changed := len(s.bytes), false
	kept := s.splices[:0]
	for i, next := range s.splices {
		if i > 0 {
			last := kept[len(kept)-1]
			if next == last && next.start < next.end {
				continue // the same edit twice
			}
			if next.start < last.end {
				return nil, false
			}
		}
		kept = append(kept, next)
		size += len(next.text) - (next.end - next.start)
		changed = changed || string(s.bytes[next.start:next.end]) != next.text
	}
	if !changed {
		return s.bytes, true
	}
	out, from := make([]byte, 0, size), 0
	for _, next := range kept {
		out = append(out, s.bytes[from:next.start]...)
		out = append(out, next.text...)
		from = next.end
	}
	return append(out, s.bytes[from:]...), true
}

func (s *splicer) add(start, end int, text string) {
	s.splices = append(s.splices, splice{start, end, text})
}

// find returns where the scalar is, with its tag. It reports false unless these bytes are
// the scalar, all of it, and of no other place.
func (s *splicer) find(at Scalar) (start, end int, ok bool) {
	if at.Shared {
		return 0, 0, false
	}
	start, ok = s.Offset(int(at.Line), int(at.Column))
	if !ok {
		return 0, 0, false
	}
	value, ok := s.skipTag(start, at.Style)
	if !ok {
		return 0, 0, false
	}
	end, ok = scalarEnd(s.bytes, value, at.Value, at.Style&^yaml.TaggedStyle)
	return start, end, ok && isWhole(s.bytes, start, end) && !hasTabAfter(s.bytes, end)
}

// skipTag returns where the value after the tag at start is, on the same line; start if
// there is no tag. The tag must be one of a string: !!str, or !, which the node's style
// does not show.
func (s *splicer) skipTag(start int, style yaml.Style) (int, bool) {
	tag := "!"
	switch {
	case style&yaml.TaggedStyle != 0:
		tag = "!!str"
	case start == len(s.bytes) || s.bytes[start] != '!':
		return start, true
	}
	end := start + len(tag)
	if !bytes.HasPrefix(s.bytes[start:], []byte(tag)) || end == len(s.bytes) || !isBlank(s.bytes[end]) {
		return 0, false
	}
	// A directive may give !! another meaning.
	return skipBlanks(s.bytes, end), !bytes.Contains(s.bytes, []byte("%TAG"))
}

// setScalar keeps the tag of a string. It writes the value after it so that it is a
// string without the tag too.
func (s *splicer) setScalar(at Scalar, to string) bool {
	start, end, ok := s.find(at)
	if !ok {
		return isSame(at, to)
	}
	untagged := at
	untagged.Style &^= yaml.TaggedStyle
	value, _ := s.skipTag(start, at.Style)
	if isSame(untagged, to) || untagged != at && at.Value == to {
		s.add(value, end, string(s.bytes[value:end]))
	} else {
		s.add(value, end, requote(to, untagged))
	}
	return true
}

// requote writes value in the style of the scalar it replaces. If that is a literal of
// JSON, the value gets the quotes that it needs in JSON.
func requote(value string, was Scalar) string {
	style := was.Style
	if style == 0 && isJSONLiteral(was.Value) {
		style = yaml.DoubleQuotedStyle
	}
	return quote(value, style, mayBeFlow(was.Value))
}

// isJSONLiteral reports whether value is a literal of JSON, but not a string.
func isJSONLiteral(value string) bool {
	return value != "" && strings.IndexByte("ntf-0123456789", value[0]) >= 0 && json.Valid([]byte(value))
}

// isSame reports whether the scalar is the string value already.
func isSame(at Scalar, value string) bool {
	if at.Value != value || at.Style&yaml.TaggedStyle != 0 {
		return false
	}
	return at.Style != 0 || isString(value)
}

// mayBeFlow reports whether a plain scalar of this value may be in a flow collection. It
// need not be exact: a false yes costs a new value a pair of quotes.
func mayBeFlow(value string) bool {
	return !strings.ContainsAny(value, flowIndicators)
}
