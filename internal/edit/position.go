package edit

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const byteOrderMark = "\xef\xbb\xbf"

// A Text is YAML with an index of its lines, which is built on first use.
type Text struct {
	bytes []byte
	lines []int // offsets of the lines; none until a line is asked for
	// last is the previous position. The next search starts there, because JSON may be a single line.
	last position
}

type position struct{ line, column, at int }

// NewText returns the Text of b, which must not change afterwards.
func NewText(b []byte) *Text { return &Text{bytes: b} }

// Offset returns the offset of a yaml.v3 position, false if the text does not have it. Lines and columns count from 1,
// and columns count characters. A tab is one character; a byte order mark before the text does not count.
func (t *Text) Offset(line, column int) (int, bool) {
	t.index()
	if line < 1 || line > len(t.lines) || column < 1 {
		return 0, false
	}
	p := &t.last
	if p.line != line {
		p.line, p.column, p.at = line, 1, t.lines[line-1]
	}
	for ; p.column < column && p.at < len(t.bytes); p.column++ {
		_, size := utf8.DecodeRune(t.bytes[p.at:])
		p.at += size
	}
	for ; p.column > column; p.column-- {
		_, size := utf8.DecodeLastRune(t.bytes[:p.at])
		p.at -= size
	}
	return p.at, p.column == column
}

// start returns the offset of a node that was parsed from the text.
func (t *Text) start(n *yaml.Node) int {
	at, _ := t.Offset(n.Line, n.Column)
	return at
}

// lineStart returns the start of the line that contains offset at.
func (t *Text) lineStart(at int) int {
	t.index()
	return t.lines[max(0, sort.SearchInts(t.lines, at+1)-1)]
}

// dash returns the offset of the dash of an element of a block sequence, and the start of its line. The dash must be
// the first of its line; the element may begin on a later line.
func (t *Text) dash(element *yaml.Node) (line, dash int, ok bool) {
	at := t.start(element)
	for line = t.lineStart(at); ; line = t.lineStart(line - 1) {
		dash = skipSpaces(t.bytes, line)
		_, isBlank := restOfLine(t.bytes, dash)
		switch {
		case dash < at && t.bytes[dash] == '-':
			rest := skipBlanks(t.bytes, dash+1)
			return line, dash, rest >= at || t.bytes[rest] == '#' || breakLen(t.bytes, rest) > 0
		case line == t.lines[0], dash < at && !isBlank && t.bytes[dash] != '#':
			return 0, 0, false
		}
	}
}

func skipSpaces(b []byte, at int) int {
	for at < len(b) && b[at] == ' ' {
		at++
	}
	return at
}

// index finds the lines, by the line breaks of YAML 1.1, which yaml.v3 uses: LF, CR, CRLF, NEL, LS and PS.
func (t *Text) index() {
	if len(t.lines) > 0 {
		return
	}
	b, first := t.bytes, 0
	if bytes.HasPrefix(b, []byte(byteOrderMark)) {
		first = len(byteOrderMark)
	}
	t.lines = append(t.lines, first)
	isPlain := bytes.IndexByte(b, '\r') < 0 && bytes.IndexByte(b, 0xC2) < 0 && bytes.IndexByte(b, 0xE2) < 0
	for at := 0; at < len(b); {
		if isPlain {
			next := bytes.IndexByte(b[at:], '\n')
			if next < 0 {
				return
			}
			at += next
		}
		n := breakLen(b, at)
		if at += max(n, 1); n > 0 {
			t.lines = append(t.lines, at)
		}
	}
}

// breakLen returns the length of the line break at b[at], 0 if there is none.
func breakLen[T string | []byte](b T, at int) int {
	switch b[at] {
	case '\n':
		return 1
	case '\r':
		if at+1 < len(b) && b[at+1] == '\n' {
			return 2
		}
		return 1
	case 0xC2:
		if at+1 < len(b) && b[at+1] == 0x85 {
			return 2
		}
	case 0xE2:
		if at+2 < len(b) && b[at+1] == 0x80 && (b[at+2] == 0xA8 || b[at+2] == 0xA9) {
			return 3
		}
	}
	return 0
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// skipBlanks returns the first offset from at that is not a space or a tab.
func skipBlanks(b []byte, at int) int {
	for at < len(b) && isBlank(b[at]) {
		at++
	}
	return at
}

// skipSpace returns the first offset from at that is not a space, tab or line break nor, with comments, part of a
// comment.
func skipSpace(b []byte, at int, comments bool) int {
	for at < len(b) {
		switch n := breakLen(b, at); {
		case n > 0:
			at += n
		case isBlank(b[at]):
			at++
		case comments && b[at] == '#' && at > 0 && (isBlank(b[at-1]) || endsInBreak(b[:at])):
			at = lineEnd(b, at)
		default:
			return at
		}
	}
	return at
}

// lineEnd returns the end of the line that contains offset at, without its break.
func lineEnd(b []byte, at int) int {
	for at < len(b) && breakLen(b, at) == 0 {
		at++
	}
	return at
}

func endsInBreak(b []byte) bool {
	for n := 1; n <= 3 && n <= len(b); n++ {
		if breakLen(b, len(b)-n) == n {
			return true
		}
	}
	return false
}

// restOfLine reports whether the line from at holds only blanks or a comment, and where it ends.
func restOfLine(b []byte, at int) (end int, ok bool) {
	rest := skipBlanks(b, at)
	if rest == len(b) || breakLen(b, rest) > 0 {
		return rest, true
	}
	if b[rest] == '#' && rest > at {
		return lineEnd(b, rest), true
	}
	return 0, false
}

// lineBreak returns the line break for a new line next to the break b[from:to]. If that is empty, at the end of the
// text, it uses the first one of the text. It does not use characters that are not line breaks in YAML 1.2.
func lineBreak(b []byte, from, to int) string {
	if from == to {
		if first := lineEnd(b, 0); first < len(b) {
			from, to = first, first+breakLen(b, first)
		}
	}
	switch s := string(b[from:to]); s {
	case "\n", "\r\n", "\r":
		return s
	default:
		return "\n"
	}
}
