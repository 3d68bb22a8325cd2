package fast

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// scalar reads a plain or quoted scalar in block context that ends on its line.
func (p *Parser) scalar() *yaml.Node {
	if c := p.peek(0); c == '"' || c == '\'' {
		return p.quoted()
	}
	n, _ := p.plain(false)
	return n
}

// plain reads a plain scalar up to the end of its line, the colon after a key, or a comment, and in a flow collection
// also up to its punctuation. It returns the end.
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
		case tab:
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

// mayBePlain reports whether a plain scalar begins here. It leaves out some that begin with an indicator.
func (p *Parser) mayBePlain() bool {
	switch p.peek(0) {
	case ' ', '\t', '\n', '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return false
	case '-':
		return !isBreakOrSpace(p.peek(1)) && p.peek(1) != '\t'
	}
	return true
}

// quoted reads a quoted scalar that ends on its line.
func (p *Parser) quoted() *yaml.Node {
	text := p.text[p.at:]
	value, length := Unquote(text)
	if length == 0 || strings.Contains(text[:length], `\/`) { // an error in yaml.v3
		return nil
	}
	n := p.node(yaml.ScalarNode, "!!str", p.at)
	n.Style = yaml.DoubleQuotedStyle
	if text[0] == '\'' {
		n.Style = yaml.SingleQuotedStyle
	}
	n.Value = value
	p.at += length
	return n
}

// Unquote reads the quoted scalar at the beginning of text, according to YAML 1.2 and JSON. It returns its length in
// the text, 0 if none ends on this line.
func Unquote(text string) (value string, length int) {
	end, escapes := endOfQuoted(text)
	if end < 0 {
		return "", 0
	}
	value = text[1:end]
	switch {
	case escapes && text[0] == '\'':
		value = strings.ReplaceAll(value, "''", "'")
	case escapes:
		var ok bool
		if value, ok = unescape(value); !ok {
			return "", 0
		}
	}
	return value, end + 1
}

// endOfQuoted returns the offset of the closing quote, -1 if it is not on this line, and whether there are escapes
// before it.
func endOfQuoted(text string) (end int, escapes bool) {
	if text == "" || text[0] != '"' && text[0] != '\'' {
		return -1, false
	}
	quote := text[0]
	for at := 1; at < len(text); at++ {
		switch c := text[at]; {
		case c == '\n':
			return -1, false
		case c == '\\' && quote == '"':
			escapes = true
			at++
			if at < len(text) && text[at] == '\n' {
				return -1, false
			}
		case c != quote:
		case quote == '\'' && at+1 < len(text) && text[at+1] == '\'':
			escapes = true
			at++
		default:
			return at, escapes
		}
	}
	return -1, false
}

// The letters after a backslash, and the bytes that they stand for.
const (
	escapeLetters = "\"\\/ntr'0abvfe \t"
	escapedBytes  = "\"\\/\n\t\r'\x00\a\b\v\f\x1b \t"
)

var escapedRunes = map[byte]string{'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029"}

// unescape returns the value of a double-quoted scalar from the text between the quotes. It reports false for an
// unknown escape.
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
		if s, ok := escapedRunes[c]; ok {
			out.WriteString(s)
			continue
		}
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
		if digits == 0 || len(text) < digits {
			return "", false
		}
		r, err := strconv.ParseUint(text[:digits], 16, 31)
		if err != nil || !utf8.ValidRune(rune(r)) {
			return "", false
		}
		out.WriteRune(rune(r))
		text = text[digits:]
	}
}
