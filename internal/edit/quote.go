package edit

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

const quotedStyles = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle

// flowIndicators end a plain scalar in a flow collection for yaml.v3. In block context they are ordinary characters.
const flowIndicators = ",[]{}?"

// scalarEnd returns the end of the scalar at b[at]. It reports false unless the scalar has this value and style, and is
// plain or quoted on a single line.
func scalarEnd(b []byte, at int, value string, style yaml.Style) (int, bool) {
	if at > len(b) || hasBreak(value) && style&yaml.DoubleQuotedStyle == 0 {
		return 0, false
	}
	switch style {
	case 0:
		// A plain scalar on one line equals its value. One on several lines does not: its value has no breaks.
		end := at + len(value)
		return end, value != "" && end <= len(b) && string(b[at:end]) == value
	case yaml.DoubleQuotedStyle, yaml.SingleQuotedStyle:
		const widest = len(`\U00000041`) // the longest way to write a byte of the value
		text := string(b[at:min(len(b), at+len(value)*widest+len(`""`))])
		isDouble := strings.HasPrefix(text, `"`)
		got, length := yamldoc.Unquote(text)
		return at + length, length > 0 && got == value && isDouble == (style == yaml.DoubleQuotedStyle) && !hasBreak(text[:length])
	default:
		return 0, false
	}
}

// isWhole reports whether, judging by the surrounding bytes, b[at:end] can be a complete scalar that is the value of an
// entry or an element.
func isWhole(b []byte, at, end int) bool {
	if at > 0 && !isBlank(b[at-1]) && strings.IndexByte("[{,:", b[at-1]) < 0 && !endsInBreak(b[:at]) &&
		string(b[:at]) != byteOrderMark {
		return false
	}
	if _, ok := restOfLine(b, end); ok {
		return true
	}
	next := b[skipBlanks(b, end)]
	return next == ',' || next == ']' || next == '}'
}

// hasTabAfter reports whether there is a tab in the empty lines after end, or before the comments in them. The tab may
// belong to a plain scalar, and is an error after any other. It does not matter if something else follows on the
// scalar's line.
func hasTabAfter(b []byte, end int) bool {
	end, ok := restOfLine(b, end)
	if !ok {
		return false
	}
	for ; end < len(b); end = lineEnd(b, end) {
		start := end + breakLen(b, end)
		end = skipBlanks(b, start)
		if end < len(b) && b[end] != '#' && breakLen(b, end) == 0 {
			return false
		}
		if bytes.IndexByte(b[start:end], '\t') >= 0 {
			return true
		}
	}
	return false
}

func hasBreak(s string) bool {
	for i := range len(s) {
		if breakLen(s, i) > 0 {
			return true
		}
	}
	return false
}

// quote writes value as a scalar of the given style, plain or quoted. With flow, a plain scalar must also be valid in a
// flow collection.
func quote(value string, style yaml.Style, flow bool) string {
	switch {
	case style&yaml.DoubleQuotedStyle != 0:
		return quoteDouble(value)
	case style&yaml.SingleQuotedStyle != 0:
		if strings.ContainsFunc(value, func(r rune) bool { return !isPrintable(r) }) {
			return quoteDouble(value)
		}
		return "'" + strings.ReplaceAll(value, "'", "''") + "'"
	case staysPlain(value, flow):
		return value
	default:
		return quoteDouble(value)
	}
}

// quoteDouble writes value in double quotes, with escapes that YAML and JSON share.
func quoteDouble(value string) string {
	var out strings.Builder
	out.Grow(len(value) + 2)
	out.WriteByte('"')
	for _, r := range value {
		switch i := strings.IndexRune("\"\\\n\r\t", r); {
		case i >= 0:
			out.WriteByte('\\')
			out.WriteByte(`"\nrt`[i])
		case isPrintable(r):
			out.WriteRune(r)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// isPrintable reports whether r can be in a quoted scalar without an escape: it is not a control character, line break,
// byte order mark or non-character.
func isPrintable(r rune) bool {
	switch r {
	case 0x2028, 0x2029, 0xfeff, 0xfffe, 0xffff:
		return false
	}
	return r >= 0x20 && (r < 0x7f || r > 0x9f)
}

// staysPlain reports whether every YAML reader reads the unquoted s as the string s. Readers of YAML 1.1 read yes,
// 0x1F, 1:20 and 1_000 as other types, and those of YAML 1.2 have other such cases.
func staysPlain(s string, flow bool) bool {
	if isName(s) {
		return true
	}
	if s == "" || s == "<<" || strings.IndexByte("-?:,[]{}#&*!|>'\"%@`=~ ", s[0]) >= 0 {
		return false
	}
	if last := s[len(s)-1]; last == ' ' || last == ':' || strings.HasPrefix(s, "...") {
		return false
	}
	for i, r := range s {
		switch {
		case r == ':' && s[i+1] == ' ', r == '#' && s[i-1] == ' ':
			return false
		case flow && strings.ContainsRune(flowIndicators, r):
			return false
		case !isPrintable(r), r == utf8.RuneError, r > 0xffff: // yaml.v3 itself writes these in quotes
			return false
		}
	}
	return isString(s) && !looksLikeNumber(s) && !isWord(s)
}

// isName reports whether s is like most names and keys, which every YAML reader reads as a string: it begins with a
// letter and consists of letters, digits, dots, hyphens and slashes, with at least one hyphen or slash.
func isName(s string) bool {
	divided := false
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', i > 0 && ('0' <= c && c <= '9' || c == '.'):
		case i > 0 && (c == '-' || c == '/'):
			divided = true
		default:
			return false
		}
	}
	return divided
}

// isString reports whether yaml.v3 reads the plain scalar s as a string.
func isString(s string) bool {
	return s != "<<" && (&yaml.Node{Kind: yaml.ScalarNode, Value: s}).ShortTag() == "!!str"
}

// isWord reports whether YAML 1.1 reads s as a boolean or null.
func isWord(s string) bool {
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return true
	}
	return false
}

// numbers matches more than the numbers and dates of any YAML: a false match costs a pair of quotes, a missed one
// changes the value.
var numbers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(` +
		`[-+]?0[box][0-9a-f_]*|` +
		`[-+]?[0-9][0-9_]*(:[0-9]+)+(\.[0-9_]*)?|` +
		`[-+]?[0-9._]+(e[-+]?[0-9_]*)?|` +
		`[-+]?\.(inf|nan)|` +
		`[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([t ].*)?` +
		`)$`)
})

func looksLikeNumber(s string) bool {
	c := s[0]
	return ('0' <= c && c <= '9' || c == '+' || c == '.') && numbers().MatchString(s)
}
