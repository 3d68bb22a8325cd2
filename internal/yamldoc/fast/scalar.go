package fast

import (
	"strconv"
	"strings"
	"unicode/utf16"

	"go.yaml.in/yaml/v3"
)

// scalar reads a scalar in block context, plain or in quotes, that ends on its line.
func (p *Parser) scalar() *yaml.Node {
	if c := p.peek(0); c == '"' || c == '\'' {
		return p.quoted(c)
	}
	n, _ := p.plain(false)
	return n
}

// plain reads a plain scalar up to the end of its line, a colon that makes it a key,
// or a comment; in a flow collection more ends it. It returns where that is.
func (p *Parser) plain(inFlow bool) (n *yaml.Node, stop int) {
	if !p.mayBePlain() {
		return nil, p.at
	}
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
	value := text[start:end]
	n = p.node(yaml.ScalarNode, plainTag(value), start)
	n.Value = value
	return n, at
}

// mayBePlain reports whether a plain scalar begins here, but for some of those that
// begin with an indicator.
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
	n.Value = p.text[start+1 : end]
	if escapes && quote == '\'' {
		n.Value = strings.ReplaceAll(n.Value, "''", "'")
	} else if escapes {
		var ok bool
		if n.Value, ok = unescape(n.Value); !ok {
			return nil
		}
	}
	p.at = end + 1
	return n
}

// endOfQuoted returns the place of the closing quote, -1 if it is not on this line,
// and whether there are escapes before it.
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

// The letters after a backslash, and the bytes that they represent.
const (
	escapeLetters = "\"\\ntr'0abvfe "
	escapedBytes  = "\"\\\n\t\r'\x00\a\b\v\f\x1b "
)

// unescape returns the value of a scalar in double quotes from the text between
// them. It reports false for an escape that is unknown here.
func unescape(text string) (string, bool) {
	var out strings.Builder
	out.Grow(len(text))
	for {
		before, after, found := strings.Cut(text, `\`)
		out.WriteString(before)
		switch {
		case !found:
			return out.String(), true
		case after == "":
			return "", false
		}
		c := after[0]
		text = after[1:]
		if i := strings.IndexByte(escapeLetters, c); i >= 0 {
			out.WriteByte(escapedBytes[i])
			continue
		}
		digits := 4
		if c == 'x' {
			digits = 2
		}
		if c != 'x' && c != 'u' || len(text) < digits {
			return "", false
		}
		r, err := strconv.ParseUint(text[:digits], 16, 16)
		if err != nil || utf16.IsSurrogate(rune(r)) {
			return "", false
		}
		out.WriteRune(rune(r))
		text = text[digits:]
	}
}
