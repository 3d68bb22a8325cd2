package edit

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/confighash/confighash/internal/yamldoc"

	"go.yaml.in/yaml/v3"
)

const quotedStyles = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle

// flowIndicators are what ends a plain scalar in a flow collection for
// yaml.v3. In block context they are characters like others.
const flowIndicators = ",[]{}?"

// scalarEnd returns where the scalar ends that begins at b[at] and has this
// value and style. It reports false where something else stands there, or where
// the scalar is none of plain and quoted on a single line.
func scalarEnd(b []byte, at int, value string, style yaml.Style) (int, bool) {
	if at > len(b) || hasBreak(value) && style&yaml.DoubleQuotedStyle == 0 {
		return 0, false
	}
	switch style {
	case 0:
		// A plain scalar's value is its text, without the blanks around it,
		// unless it runs over several lines: then there are no breaks in it.
		end := at + len(value)
		return end, value != "" && end <= len(b) && string(b[at:end]) == value
	case yaml.DoubleQuotedStyle:
		got, end, ok := unquoteDouble(b, at)
		return end, ok && got == value
	case yaml.SingleQuotedStyle:
		got, end, ok := unquoteSingle(b, at)
		return end, ok && got == value
	default:
		return 0, false
	}
}

// standsAlone reports whether b[at:end] can be a whole scalar that is the value
// of an entry or an element, by what stands on both sides.
func standsAlone(b []byte, at, end int) bool {
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

// tabBehind reports whether a tab stands in the empty lines or before a comment
// in the lines behind end. There it may belong to a plain scalar, and be an
// error behind another; not where something follows in the scalar's own line,
// which may be all of the text.
func tabBehind(b []byte, end int) bool {
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
	if strings.IndexByte(s, '\n') >= 0 || strings.IndexByte(s, '\r') >= 0 {
		return true
	}
	return strings.Contains(s, "\u0085") || strings.Contains(s, "\u2028") || strings.Contains(s, "\u2029")
}

// unquoteSingle reads the single-quoted scalar at b[at]. It must end on its
// line.
func unquoteSingle(b []byte, at int) (value string, end int, ok bool) {
	if at >= len(b) || b[at] != '\'' {
		return "", 0, false
	}
	var out []byte
	for from, i := at+1, at+1; i < len(b); i++ {
		switch {
		case b[i] != '\'':
			if breakLen(b, i) > 0 {
				return "", 0, false
			}
		case i+1 < len(b) && b[i+1] == '\'':
			out = append(out, b[from:i+1]...)
			i++
			from = i + 1
		default:
			return string(append(out, b[from:i]...)), i + 1, true
		}
	}
	return "", 0, false
}

// unquoteDouble reads the double-quoted scalar at b[at]. It must end on its
// line.
func unquoteDouble(b []byte, at int) (value string, end int, ok bool) {
	if at >= len(b) || b[at] != '"' {
		return "", 0, false
	}
	var out []byte
	from := at + 1
	for i := at + 1; i < len(b); i++ {
		switch {
		case b[i] == '"':
			if out == nil {
				return string(b[from:i]), i + 1, true
			}
			return string(append(out, b[from:i]...)), i + 1, true
		case b[i] == '\\':
			out = append(out, b[from:i]...)
			r, n := escape(b[i+1:])
			if n == 0 {
				return "", 0, false
			}
			out = utf8.AppendRune(out, r)
			i += n
			from = i + 1
		case breakLen(b, i) > 0:
			return "", 0, false
		}
	}
	return "", 0, false
}

// escapes are the one-character escapes of YAML 1.2, JSON's \/ included, which
// yaml.v3 does not know but other readers hand on.
var escapes = map[byte]rune{
	'0': 0, 'a': '\a', 'b': '\b', 't': '\t', '\t': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r', 'e': '\x1b',
	' ': ' ', '"': '"', '\'': '\'', '/': '/', '\\': '\\', 'N': '\u0085', '_': '\u00a0', 'L': '\u2028', 'P': '\u2029',
}

// escape reads what follows a backslash: the character it stands for, and how
// many bytes it takes; 0 if it is no escape.
func escape(b []byte) (rune, int) {
	if len(b) == 0 {
		return 0, 0
	}
	if r, ok := escapes[b[0]]; ok {
		return r, 1
	}
	digits := 0
	switch b[0] {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	}
	if digits == 0 || len(b) <= digits {
		return 0, 0
	}
	var r rune
	for _, c := range b[1 : 1+digits] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, 0
		}
	}
	if !utf8.ValidRune(r) {
		return 0, 0
	}
	return r, 1 + digits
}

// quote writes value as a scalar of the given style: plain or quoted. With
// flow, a plain one must hold in a flow collection too.
func quote(value string, style yaml.Style, flow bool) string {
	switch {
	case style&yaml.DoubleQuotedStyle != 0:
		return quoteDouble(value)
	case style&yaml.SingleQuotedStyle != 0:
		for _, r := range value {
			if !isPrintable(r) {
				return quoteDouble(value)
			}
		}
		return "'" + strings.ReplaceAll(value, "'", "''") + "'"
	case staysPlain(value, flow):
		return value
	default:
		return quoteDouble(value)
	}
}

// quoteDouble writes value in double quotes, with escapes that YAML and JSON
// share.
func quoteDouble(value string) string {
	var out strings.Builder
	out.Grow(len(value) + 2)
	out.WriteByte('"')
	for _, r := range value {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\r':
			out.WriteString(`\r`)
		case r == '\t':
			out.WriteString(`\t`)
		case isPrintable(r):
			out.WriteRune(r)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// isPrintable reports whether r may stand in a quoted scalar as it is: no
// control character, line break, byte order mark or non-character.
func isPrintable(r rune) bool {
	switch {
	case r < 0x20, 0x7f <= r && r <= 0x9f, r == 0x2028, r == 0x2029, r == 0xfeff, r == 0xfffe, r == 0xffff:
		return false
	default:
		return true
	}
}

// checkString refuses what YAML cannot hold as a string.
func checkString(path yamldoc.Path, s string) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("%s: the string to be set is not valid UTF-8", path)
	}
	return nil
}

// staysPlain reports whether s, written without quotes, is read as the string
// s by every reader: those of YAML 1.1 take yes, 0x1F, 1:20 and 1_000 for other
// things, those of YAML 1.2 others again.
func staysPlain(s string, flow bool) bool {
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

// isString reports whether yaml.v3 reads the plain scalar s as a string.
func isString(s string) bool {
	return (&yaml.Node{Kind: yaml.ScalarNode, Value: s}).ShortTag() == "!!str"
}

// isWord reports whether s is one of the words that YAML 1.1 takes for a
// boolean or null.
func isWord(s string) bool {
	if len(s) > 5 {
		return false
	}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return true
	default:
		return false
	}
}

// numbers matches more than the numbers and dates of any YAML: that costs a
// pair of quotes, the other error would cost the value.
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
