package fast

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"go.yaml.in/yaml/v3"
)

// plain reads a plain scalar in block context, as far as it stands on one line. It
// ends before a colon that makes it a key, and before a comment.
func (p *Parser) plain() *yaml.Node {
	if !p.mayBePlain() {
		return nil
	}
	n, _ := p.plainText(false)
	return n
}

// plainText reads a plain scalar, as far as it stands on one line, and returns
// where what ends it stands. In a flow collection more does.
func (p *Parser) plainText(inFlow bool) (n *yaml.Node, stop int) {
	start, end, at, text := p.at, p.at, p.at, p.text
loop:
	for ; at < len(text); at++ {
		switch classes[text[at]] {
		case space:
			continue
		case lineBreak:
			break loop
		case flowMark:
			if inFlow {
				break loop
			}
		case colonMark:
			if at+1 == len(text) || isBreakOrSpace(text[at+1]) {
				break loop
			}
		case hash:
			if text[at-1] == ' ' {
				break loop
			}
		case tab, control:
			return nil, at
		}
		end = at + 1
	}
	p.at = end
	value := p.string(start, end)
	n = p.node(yaml.ScalarNode, plainTag(value), start)
	n.Value = value
	return n, at
}

// mayBePlain reports whether a plain scalar begins at the place at hand, and none
// of those that begin with an indicator, but for a dash.
func (p *Parser) mayBePlain() bool {
	switch p.peek(0) {
	case ' ', '\t', '\n', '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return false
	case '-':
		return !isBreakOrSpace(p.peek(1)) && p.peek(1) != '\t'
	}
	return true
}

// quoted reads a scalar in quotes that ends on its line.
func (p *Parser) quoted(quote byte) *yaml.Node {
	start := p.at
	end, escapes := p.endOfQuoted(quote)
	if end < 0 {
		return nil
	}
	n := p.node(yaml.ScalarNode, "!!str", start)
	n.Style = yaml.DoubleQuotedStyle
	if quote == '\'' {
		n.Style = yaml.SingleQuotedStyle
	}
	switch {
	case !escapes:
		n.Value = p.string(start+1, end)
	case quote == '\'':
		n.Value = strings.ReplaceAll(p.string(start+1, end), "''", "'")
	default:
		value, ok := unescape(p.text[start+1 : end])
		if !ok {
			return nil
		}
		n.Value = value
	}
	p.at = end + 1
	return n
}

// endOfQuoted returns where the quote stands that ends the scalar at hand, -1 if
// it is not on this line, and whether anything in it is escaped.
func (p *Parser) endOfQuoted(quote byte) (end int, escapes bool) {
	for at := p.at + 1; at < len(p.text); at++ {
		switch c := p.text[at]; {
		case c == '\n':
			return -1, false
		case c == '\\' && quote == '"':
			escapes = true
			at++
			if at < len(p.text) && p.text[at] == '\n' {
				return -1, false
			}
		case c != quote:
		case quote == '\'' && at+1 < len(p.text) && p.text[at+1] == '\'':
			escapes = true
			at++
		default:
			return at, escapes
		}
	}
	return -1, false
}

// unescape returns what text stands for, the inside of a scalar in double
// quotes, on one line. It reports false where it holds an escape that is
// unknown here.
func unescape(text []byte) (string, bool) {
	out := make([]byte, 0, len(text))
	for at := 0; at < len(text); {
		next := bytes.IndexByte(text[at:], '\\')
		if next < 0 {
			out = append(out, text[at:]...)
			break
		}
		out = append(out, text[at:at+next]...)
		at += next + 1
		if at == len(text) {
			return "", false
		}
		c := text[at]
		at++
		if c == 'u' || c == 'x' {
			digits := 4
			if c == 'x' {
				digits = 2
			}
			r, ok := hexadecimal(text[at:], digits)
			if !ok {
				return "", false
			}
			out = utf8.AppendRune(out, r)
			at += digits
			continue
		}
		i := strings.IndexByte(escapeLetters, c)
		if i < 0 {
			return "", false
		}
		out = append(out, escapedBytes[i])
	}
	return string(out), true
}

// The letters behind a backslash, and the bytes that they stand for.
const (
	escapeLetters = "\"\\ntr'0abvfe "
	escapedBytes  = "\"\\\n\t\r'\x00\a\b\v\f\x1b "
)

// hexadecimal returns the character whose number in hexadecimal digits text
// begins with.
func hexadecimal(text []byte, digits int) (rune, bool) {
	if len(text) < digits {
		return 0, false
	}
	var r rune
	for _, c := range text[:digits] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, !utf16.IsSurrogate(r)
}

// blockScalar reads a literal or folded scalar within a block collection of the
// column parent.
func (p *Parser) blockScalar(indicator byte, parent int) *yaml.Node {
	n := p.node(yaml.ScalarNode, "!!str", p.at)
	n.Style = yaml.LiteralStyle
	if indicator == '>' {
		n.Style = yaml.FoldedStyle
	}
	p.at++
	chomp, increment := p.blockHeader()
	if !p.endLine() {
		return nil
	}
	indent := 0 // not known yet
	if increment > 0 {
		indent = max(parent, 0) + increment
	}
	var ok bool
	n.Value, ok = p.blockText(indent, parent, chomp, indicator == '>')
	if !ok {
		return nil
	}
	return n
}

// blockHeader reads what stands behind the indicator of a block scalar: how to
// end it, and how far it is indented, 0 where that is not said.
func (p *Parser) blockHeader() (chomp byte, increment int) {
	for ; ; p.at++ {
		switch c := p.peek(0); {
		case (c == '+' || c == '-') && chomp == 0:
			chomp = c
		case '1' <= c && c <= '9' && increment == 0:
			increment = int(c - '0')
		default:
			return chomp, increment
		}
	}
}

// blockText reads the lines of a block scalar. indent is how far they are
// indented, 0 if the first of them tells.
func (p *Parser) blockText(indent, parent int, chomp byte, folded bool) (string, bool) {
	lines, ok := p.blockLines(indent, parent)
	if !ok {
		return "", false
	}
	if lines.count == 1 && lines.blankBefore == 0 && chomp != '+' {
		end := lines.last
		if lines.hasBreak && chomp != '-' {
			end++
		}
		return p.string(lines.first, end), true
	}
	var b []byte
	if lines.count > 0 || chomp == '+' {
		b = make([]byte, 0, lines.size)
	}
	b = lines.join(b, p.text, folded)
	if chomp != '-' && lines.hasBreak {
		b = append(b, '\n')
	}
	if chomp == '+' {
		for range lines.blankBehind {
			b = append(b, '\n')
		}
	}
	if len(b) == 0 {
		return "", true
	}
	return unsafe.String(&b[0], len(b)), true //nolint:gosec // b is not empty, and nobody else has it
}

// blockLines are the lines of a block scalar.
type blockLines struct {
	start, end  int // the bytes in which they all stand, blank ones in front
	indent      int
	first, last int // where the first line's content begins and the last line's ends
	count       int // lines with content
	size        int // at most how long the value is
	blankBefore int // blank lines before the first one with content
	blankBehind int // and behind the last one
	hasBreak    bool
}

// blockLines steps over the lines of a block scalar.
func (p *Parser) blockLines(indent, parent int) (blockLines, bool) {
	l := blockLines{start: p.at, indent: indent}
	text := p.text
	widest := 0 // of the blank lines while the indentation is not known
	for {
		spaces := p.at
		for spaces < len(text) && text[spaces] == ' ' && (l.indent == 0 || spaces-p.at < l.indent) {
			spaces++
		}
		column := spaces - p.at
		if spaces == len(text) {
			// Spaces without a line break are no line.
			if l.indent == 0 && column > 0 {
				return l, false
			}
			p.at = spaces
			break
		}
		if text[spaces] == '\n' {
			widest = max(widest, column)
			l.blankBehind++
			l.size++
			p.at = spaces
			p.newline()
			continue
		}
		if l.indent == 0 {
			if text[spaces] == '\t' || widest > column {
				return l, false
			}
			l.indent = max(column, parent+1, 1)
		}
		if column < l.indent {
			if text[spaces] == '\t' {
				return l, false
			}
			break
		}
		if l.count == 0 {
			l.first, l.blankBefore = spaces, l.blankBehind
		}
		l.count++
		l.blankBehind = 0
		end := bytes.IndexByte(text[spaces:], '\n')
		if l.hasBreak = end >= 0; !l.hasBreak {
			end = len(text) - spaces
		}
		l.last = spaces + end
		l.size += end + 1
		p.at = l.last
		if !l.hasBreak {
			break
		}
		p.newline()
	}
	l.end = p.at
	return l, true
}

// join appends the lines with content, and the blank ones before each, to b.
// What stands behind the last of them is for chomping.
func (l *blockLines) join(b, text []byte, folded bool) []byte {
	if l.count == 0 {
		return b
	}
	blank, afterBlank := 0, false
	for at, lines := l.start, 0; lines < l.count; {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text) - at
		}
		line := text[at : at+end]
		at += end + 1
		if len(line) <= l.indent {
			blank++
			continue
		}
		line = line[l.indent:]
		startsBlank := line[0] == ' ' || line[0] == '\t'
		switch {
		case lines == 0:
		case folded && !afterBlank && !startsBlank:
			if blank == 0 {
				b = append(b, ' ')
			}
		default:
			b = append(b, '\n')
		}
		for range blank {
			b = append(b, '\n')
		}
		b = append(b, line...)
		blank, afterBlank = 0, startsBlank
		lines++
	}
	return b
}
