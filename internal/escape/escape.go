// Package escape puts names of manifests, which strangers may have written, into
// what people read, so that none of them steers a terminal or becomes markup, a link
// or a mention.
package escape

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns a text on one line, with everything written out that a reader
// would not see, or that would steer a terminal or turn the direction of writing.
func Printable(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	var b strings.Builder
	for text != "" {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case hidden(r):
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
		text = text[n:]
	}
	return b.String()
}

// hidden reports whether a character is not seen. Of those that count as printable,
// Unicode calls some ignorable, such as the Hangul fillers; variation selectors are
// seen in the character before them alone; and a braille pattern is blank.
func hidden(r rune) bool {
	const blankBraille = '\u2800'
	return !unicode.IsPrint(r) || r == blankBraille ||
		r > unicode.MaxASCII && unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Shortened returns a text that is printable with the middle cut out of it, where
// it is longer than that many characters.
func Shortened(text string, longest int) string {
	runes := []rune(Printable(text))
	if len(runes) <= longest {
		return string(runes)
	}
	half := longest / 2
	return string(runes[:half-1]) + "…" + string(runes[len(runes)-half:])
}

// Code returns text as a code span of Markdown, in which nothing is markup, a
// mention or a link.
func Code(text string) string {
	text = Printable(text)
	if text == "" {
		text = `""`
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	// A space on both sides is taken off, where there is anything between.
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || text[0] == ' ' && strings.Trim(text, " ") != "" {
		text = " " + text + " "
	}
	return fence + text + fence
}

// Mermaid returns text as a part of a quoted label of Mermaid. What may be more than
// text becomes an entity.
//
// A label is read as Markdown, in which a full stop may make a list or a link. Before
// that the whole diagram is searched for lines with a colon and a hash behind the
// word style, for "direction LR" and for %%{, in labels too; and Mermaid keeps an
// entity as ﬂ°°35¶ß meanwhile.
func Mermaid(text string) string { return mermaid(Printable(text), false) }

// MermaidWords is Mermaid for words of the program's own, whose spaces stay.
func MermaidWords(text string) string { return mermaid(text, true) }

func mermaid(text string, spaces bool) string {
	var b strings.Builder
	runes := []rune(text)
	alnum := func(i int) bool {
		return i >= 0 && i < len(runes) && runes[i] < unicode.MaxASCII && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	link := strings.Contains(strings.ToLower(text), "www.")
	for i, r := range runes {
		raw := alnum(i)
		switch r {
		case '/', ',', '(':
			raw = true
		case ' ':
			raw = spaces
		case '-', '_':
			raw = alnum(i-1) && alnum(i+1)
		case '.':
			raw = alnum(i-1) && alnum(i+1) && !link
		case ')':
			raw = i > 0 && !unicode.IsDigit(runes[i-1])
		case 'ﬂ', 'ß', '°', '¶':
		default:
			raw = raw || r > unicode.MaxASCII
		}
		if raw {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

// Dot returns lines of text as a quoted string of Graphviz. A backslash would begin
// \n and \N there, and an ampersand an entity of HTML.
func Dot(lines ...string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = dotEscaper.Replace(Printable(line))
	}
	return `"` + strings.Join(escaped, `\n`) + `"`
}

var dotEscaper = strings.NewReplacer(`\`, `\\`, "&", "&amp;", `"`, `\"`)
