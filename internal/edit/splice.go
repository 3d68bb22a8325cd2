package edit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/confighash/confighash/internal/yamldoc"

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
	parser  yamldoc.Parser
	root    *yaml.Node // of the chunk's tree; nil until an edit needs it
	changes []*change  // of the current item
}

// splicers holds unused splicers, to reuse their memory.
var splicers = sync.Pool{New: func() any { return new(splicer) }}

// spliceItems makes the edits in the bytes of text for the items where that is safe and possible, and returns the other
// items. It parses the text only for edits of a mapping's entries.
//
// It changes only the bytes of a scalar, of the line of an entry, or of an entry in a flow mapping with its comma.
func spliceItems(text []byte, items []Item) (out []byte, rest []Item) {
	s, _ := splicers.Get().(*splicer)
	defer func() {
		clear(s.splices)
		s.bytes, s.lines, s.last, s.splices, s.root = nil, s.lines[:0], position{}, s.splices[:0], nil
		s.changes = nil
		splicers.Put(s)
	}()
	s.bytes = text
	roots := make(map[yamldoc.Path]bool, len(items))
	for _, item := range items {
		roots[item.Root] = true
		before := len(s.splices)
		if !s.edit(item) {
			s.splices = s.splices[:before]
			rest = append(rest, item)
		}
	}
	out, ok := s.apply()
	if !ok || len(rest) > 0 && (len(roots) < len(items) || roots[""] && len(items) > 1) {
		return text, items // items may overlap, so their order matters
	}
	return out, rest
}

// edit collects the splices of an item's edits. It reports false if one cannot be made in bytes, also on any error:
// earlier edits may remove its cause, so onNodes has to decide.
func (s *splicer) edit(item Item) bool {
	t := tree{inBytes: true}
	var split []yamldoc.Path // sequences whose elements now have other paths
	for _, e := range item.Edits {
		place := e.path()
		if set, ok := e.(SetScalar); ok {
			if !s.setScalar(set) {
				return false
			}
			if len(set.More) > 0 {
				split = append(split, place[:max(0, strings.LastIndexByte(string(place), '['))])
			}
			continue
		}
		if slices.ContainsFunc(split, func(p yamldoc.Path) bool { return strings.HasPrefix(string(place), string(p)) }) {
			return false
		}
		if s.root == nil {
			doc, err := s.parser.Parse(s.bytes)
			if err != nil || doc.Kind == 0 {
				return false
			}
			s.root = doc.Content[0]
		}
		if t.root == nil {
			t.root, t.seen = s.root, make(map[*yaml.Node]bool)
		}
		if t.editEntry(item.Root, e) != nil {
			return false
		}
	}
	s.changes = t.changes
	return !slices.ContainsFunc(t.changes, func(c *change) bool { return !s.write(c) })
}

// apply makes the splices. It reports false if two of them differ but overlap.
func (s *splicer) apply() ([]byte, bool) {
	slices.SortStableFunc(s.splices, func(a, b splice) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	size := len(s.bytes)
	for _, next := range s.splices {
		size += len(next.text) - (next.end - next.start)
	}
	out, from := make([]byte, 0, max(size, 0)), 0
	for i, next := range s.splices {
		switch {
		case i > 0 && next == s.splices[i-1] && next.start < next.end:
			continue // the same edit twice
		case next.start < from:
			return nil, false
		}
		out = append(append(out, s.bytes[from:next.start]...), next.text...)
		from = next.end
	}
	return append(out, s.bytes[from:]...), true
}

func (s *splicer) add(start, end int, text string) {
	s.splices = append(s.splices, splice{start, end, text})
}

// find returns the byte range of the scalar with its tag. It reports false unless these bytes are the whole scalar and
// used in no other place.
func (s *splicer) find(at Scalar) (start, end int, ok bool) {
	start, ok = s.Offset(int(at.Line), int(at.Column))
	if at.Shared || !ok {
		return 0, 0, false
	}
	value, ok := s.skipTag(start, at.Style)
	if !ok {
		return 0, 0, false
	}
	end, ok = scalarEnd(s.bytes, value, at.Value, at.Style&^yaml.TaggedStyle)
	return start, end, ok && isWhole(s.bytes, start, end) && !hasTabAfter(s.bytes, end)
}

// skipTag returns the start of the value after the tag at start, which must be on the same line; without a tag, that is
// start. It accepts only tags of a string: !!str, or !, which the node's style does not show.
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
	// A directive may redefine !!.
	return skipBlanks(s.bytes, end), !bytes.Contains(s.bytes, []byte("%TAG"))
}

// setScalar keeps the tag of a string. The new value is written so that it would be a string without the tag too.
func (s *splicer) setScalar(e SetScalar) bool {
	if len(e.More) > 0 {
		return s.splitScalar(e)
	}
	start, end, ok := s.find(e.At)
	if !ok {
		return isSame(e.At, e.Value)
	}
	untagged := e.At
	untagged.Style &^= yaml.TaggedStyle
	value, _ := s.skipTag(start, e.At.Style)
	text := requote(e.Value, untagged)
	if isSame(untagged, e.Value) || untagged != e.At && e.At.Value == e.Value {
		text = string(s.bytes[value:end])
	}
	s.add(value, end, text)
	return true
}

// requote writes value in the style of the scalar it replaces. If that is a JSON literal, such as a number, value gets
// the quotes that JSON needs.
func requote(value string, was Scalar) string {
	style := was.Style
	if style == 0 && isJSONLiteral(was.Value) {
		style = yaml.DoubleQuotedStyle
	}
	return quote(value, style, mayBeFlow(was.Value))
}

// isJSONLiteral reports whether value is a JSON literal other than a string.
func isJSONLiteral(value string) bool {
	return value != "" && strings.IndexByte("ntf-0123456789", value[0]) >= 0 && json.Valid([]byte(value))
}

// isSame reports whether the scalar already is the string value.
func isSame(at Scalar, value string) bool {
	if at.Value != value || at.Style&yaml.TaggedStyle != 0 {
		return false
	}
	return at.Style != 0 || isString(value)
}

// mayBeFlow reports whether a plain scalar of this value may be in a flow collection. A false yes only costs a new
// value a pair of quotes.
func mayBeFlow(value string) bool {
	return !strings.ContainsAny(value, flowIndicators)
}

func (s *splicer) splitScalar(e SetScalar) bool {
	start, end, ok := s.find(e.At)
	if !ok || s.bytes[start] == '!' {
		return false
	}
	line := s.lineStart(start)
	lead := string(s.bytes[line:start])
	lineStop, endsLine := restOfLine(s.bytes, end)
	if strings.HasSuffix(strings.TrimRight(lead, " \t"), "-") {
		// In block context: only the last of several dashes (- - a) is the dash of this element.
		if !endsLine || !isDashes(lead) {
			return false
		}
		dash := strings.LastIndexByte(lead, '-')
		lead = strings.Repeat(" ", dash) + lead[dash:]
		s.add(start, end, quote(e.Value, e.At.Style, false))
		var lines []string
		for _, value := range e.More {
			lines = append(lines, lead+quote(value, e.At.Style, false))
		}
		s.insertLines(lineStop, lines)
		return true
	}
	// The dash may be on the line before, so look at what follows.
	if next := skipSpace(s.bytes, end, false); next == len(s.bytes) || s.bytes[next] != ',' && s.bytes[next] != ']' {
		return false
	}
	between := ", "
	if line > s.lines[0] && skipBlanks(s.bytes, line) == start {
		before := lineEnd(s.bytes, s.lineStart(line-1))
		between = "," + lineBreak(s.bytes, before, line) + lead
	}
	var all strings.Builder
	all.WriteString(requote(e.Value, e.At))
	for _, value := range e.More {
		all.WriteString(between + requote(value, e.At))
	}
	s.add(start, end, all.String())
	return true
}

// isDashes reports whether lead, the beginning of a line, has only spaces and the dashes of block sequences.
func isDashes(lead string) bool {
	return strings.Trim(strings.ReplaceAll(lead, "- ", "  "), " ") == ""
}

// insertLines inserts lines after the line that ends at end, which is the offset of its break or the end of the text.
func (s *splicer) insertLines(end int, lines []string) {
	next := end
	if end < len(s.bytes) {
		next += breakLen(s.bytes, end)
	}
	eol := lineBreak(s.bytes, end, next)
	joined := strings.Join(lines, eol)
	if end == next {
		joined = eol + joined
	} else {
		joined += eol
	}
	s.add(next, next, joined)
}
