package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns text on one line. It writes out every character that a reader would
// not see, or that would steer a terminal or turn the direction of writing, but for those
// to keep.
func Printable(text string, keep ...rune) string {
	hidden := func(r rune) bool { return hidden(r) && !slices.Contains(keep, r) }
	if utf8.ValidString(text) && !strings.ContainsFunc(text, hidden) {
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

// OneLine returns a sentence that is printable, with one space between its words.
func OneLine(text string) string { return Printable(strings.Join(strings.Fields(text), " ")) }

// printableLine returns a line without its break, printable but for its tabs.
func printableLine(line string) string { return Printable(strings.TrimSuffix(line, "\n"), '\t') }

// hidden reports whether a character cannot be seen. Among those that count as
// printable, Unicode calls some ignorable, such as the Hangul fillers; a variation
// selector shows in the character before it only; and one braille pattern is blank.
func hidden(r rune) bool {
	const blankBraille = '\u2800'
	return !unicode.IsPrint(r) || r == blankBraille ||
		r > unicode.MaxASCII && unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// shortened returns printable text, with the middle cut out of what has more than that
// many characters.
func shortened(text string, longest int) string {
	runes := []rune(Printable(text))
	if len(runes) <= longest {
		return string(runes)
	}
	half := longest / 2
	return string(runes[:half-1]) + "…" + string(runes[len(runes)-half:])
}

// code returns text as a code span of Markdown, in which nothing is markup, a mention or
// a link.
func code(text string) string {
	text = Printable(text)
	if text == "" {
		text = `""`
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	// Markdown removes a space on both sides unless there are only spaces.
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || text[0] == ' ' && strings.Trim(text, " ") != "" {
		text = " " + text + " "
	}
	return fence + text + fence
}

// mermaid returns printable text as a part of a quoted label of Mermaid, with or without
// its spaces. What may be more than text becomes an entity.
//
// Mermaid reads a label as Markdown, in which a full stop may make a list or a link.
// Before that it searches the whole diagram, labels included, for lines with a colon and
// a hash after the word style, for "direction LR" and for %%{. Meanwhile it writes an
// entity as ﬂ°°35¶ß.
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

// dot returns lines of text as a quoted string of Graphviz. There, a backslash would
// begin \n or \N, and an ampersand an entity of HTML.
func dot(lines ...string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = dotEscaper.Replace(Printable(line))
	}
	return `"` + strings.Join(escaped, `\n`) + `"`
}

var dotEscaper = strings.NewReplacer(`\`, `\\`, "&", "&amp;", `"`, `\"`)
