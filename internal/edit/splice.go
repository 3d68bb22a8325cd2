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

// A splice puts text in the place of the bytes from start to end.
type splice struct {
	start, end int
	text       string
}

// A splicer collects the splices of all edits of a chunk.
type splicer struct {
	text
	splices []splice
	parser  *yamldoc.Parser
	root    *yaml.Node // of the chunk's tree; nil until an edit needs it
}

// parsers are those not in use, for the memory they have.
var parsers = sync.Pool{New: func() any { return new(yamldoc.Parser) }}

// newSplicer returns a splicer of text, and what to call when it is done with.
func newSplicer(text []byte) (s *splicer, done func()) {
	s = &splicer{}
	s.bytes = text
	s.parser, _ = parsers.Get().(*yamldoc.Parser)
	return s, func() { parsers.Put(s.parser) }
}

// Splice carries the edits out in the text's bytes. It reports false, and
// returns no text, where that is not safe or not possible: [OnNodes] is then
// the way, or tells what is wrong. Splice does not parse the text unless an edit
// is about a mapping's entries. It fails where an edit makes no sense in any text.
//
// The bytes that change are those of a scalar, of the line of an entry, or of
// an entry in a flow mapping with its comma; nothing else does.
func Splice(text []byte, items []Item) (out []byte, ok bool, err error) {
	s, done := newSplicer(text)
	defer done()
	for _, item := range items {
		if ok, err := s.edit(item); err != nil || !ok {
			return nil, false, err
		}
	}
	out, ok = s.apply()
	return out, ok, nil
}

// spliceSome carries the edits of those items out where that can be done in the
// text's bytes, and returns the others. It reports false where it has done
// nothing. No two items are about the same node, or the order would count.
func spliceSome(text []byte, items []Item) (out []byte, rest []Item, ok bool) {
	s, done := newSplicer(text)
	defer done()
	roots := make(map[yamldoc.Path]bool, len(items))
	for _, item := range items {
		if roots[item.Root] || item.Root == "" {
			return nil, nil, false
		}
		roots[item.Root] = true
		taken := len(s.splices)
		if ok, err := s.edit(item); err != nil || !ok {
			s.splices = s.splices[:taken]
			rest = append(rest, item)
		}
	}
	if len(rest) == len(items) {
		return nil, nil, false
	}
	out, ok = s.apply()
	return out, rest, ok && len(rest) > 0
}

// edit collects the splices of an item's edits. It reports false where one
// cannot be carried out in bytes, and fails where one makes no sense.
func (s *splicer) edit(item Item) (ok bool, err error) {
	m := mappings{splicer: s}
	for _, e := range item.Edits {
		if err := check(e); err != nil {
			return false, err
		}
		ok := true
		switch e := e.(type) {
		case SetScalar:
			ok = s.setScalar(e)
		case SplitScalar:
			ok = s.splitScalar(e)
		case SetEntry:
			ok, err = m.set(item.Root, e)
		case RemoveEntry:
			ok, err = m.remove(item.Root, e)
		}
		// What is wrong with this text need not be with the one that the
		// edits before would have made. OnNodes can tell.
		if err != nil || !ok {
			return false, nil
		}
	}
	return m.finish(), nil
}

// apply carries the splices out. It reports false if two of them are about the
// same bytes and differ.
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
				continue // the same edit, asked for twice
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

// find returns where the scalar stands, with its tag, if it stands there alone
// and as it is told.
func (s *splicer) find(at Scalar) (start, end int, ok bool) {
	if at.Shared {
		return 0, 0, false
	}
	start, ok = s.offset(int(at.Line), int(at.Column))
	if !ok {
		return 0, 0, false
	}
	value, ok := s.skipTag(start, at.Style)
	if !ok {
		return 0, 0, false
	}
	end, ok = scalarEnd(s.bytes, value, at.Value, at.Style&^yaml.TaggedStyle)
	return start, end, ok && standsAlone(s.bytes, start, end) && !tabBehind(s.bytes, end)
}

// skipTag returns where what bears the tag at start stands, on the same line; that
// is start if there is none. The tag must be one of a string: !!str, or !, of
// which the node's style tells nothing.
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
	// A directive may have !! stand for other tags.
	return skipBlanks(s.bytes, end), !bytes.Contains(s.bytes, []byte("%TAG"))
}

// setScalar keeps the tag of a string. What stands behind it is written so
// that it is a string without the tag too.
func (s *splicer) setScalar(e SetScalar) bool {
	start, end, ok := s.find(e.At)
	if !ok {
		return isSame(e.At, e.Value)
	}
	untagged := e.At
	untagged.Style &^= yaml.TaggedStyle
	value, _ := s.skipTag(start, e.At.Style)
	if isSame(untagged, e.Value) || untagged != e.At && e.At.Value == e.Value {
		s.add(value, end, string(s.bytes[value:end]))
	} else {
		s.add(value, end, requote(e.Value, untagged))
	}
	return true
}

// requote writes value in the style of the scalar it replaces. Where that is a
// literal that JSON knows, it gets quotes as it needs in JSON.
func requote(value string, was Scalar) string {
	style := was.Style
	if style == 0 && isJSONLiteral(was.Value) {
		style = yaml.DoubleQuotedStyle
	}
	return quote(value, style, mayBeFlow(was.Value))
}

// isJSONLiteral reports whether JSON has value as something else than a string.
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

// mayBeFlow reports whether a plain scalar of this value may stand in a flow
// collection. It need not be known exactly: if not, all that is lost is a new
// value without quotes.
func mayBeFlow(value string) bool {
	return !strings.ContainsAny(value, flowIndicators)
}

func (s *splicer) splitScalar(e SplitScalar) bool {
	if len(e.Values) == 1 {
		return s.setScalar(SetScalar{At: e.At, Value: e.Values[0]})
	}
	start, end, ok := s.find(e.At)
	if !ok || s.bytes[start] == '!' {
		return false
	}
	line := s.lineStart(start)
	lead := string(s.bytes[line:start])
	lineStop, endsLine := restOfLine(s.bytes, end)
	if strings.HasSuffix(strings.TrimRight(lead, " \t"), "-") {
		// In block context. Only the last of several dashes (- - a) is the
		// dash of this element.
		if !endsLine || !isDashes(lead) {
			return false
		}
		dash := strings.LastIndexByte(lead, '-')
		lead = strings.Repeat(" ", dash) + lead[dash:]
		s.add(start, end, quote(e.Values[0], e.At.Style, false))
		lines := make([]string, 0, len(e.Values)-1)
		for _, value := range e.Values[1:] {
			lines = append(lines, lead+quote(value, e.At.Style, false))
		}
		s.insertLines(lineStop, lines)
		return true
	}
	// The dash may stand on the line before. Only what follows tells.
	if next := skipSpace(s.bytes, end, false); next == len(s.bytes) || s.bytes[next] != ',' && s.bytes[next] != ']' {
		return false
	}
	between := ", "
	if line > s.lines[0] && skipBlanks(s.bytes, line) == start {
		before := lineEnd(s.bytes, s.lineStart(line-1))
		between = "," + lineBreak(s.bytes, before, line) + lead
	}
	var all strings.Builder
	for i, value := range e.Values {
		if i > 0 {
			all.WriteString(between)
		}
		all.WriteString(requote(value, e.At))
	}
	s.add(start, end, all.String())
	return true
}

// isDashes reports whether lead, the front of a line, holds nothing but spaces
// and the dashes of block sequences.
func isDashes(lead string) bool {
	for i := range len(lead) {
		switch {
		case lead[i] == ' ':
		case lead[i] != '-' || i+1 == len(lead) || lead[i+1] != ' ':
			return false
		}
	}
	return true
}

// insertLines puts lines behind the line that ends at end, where its break or
// the text's end is.
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
