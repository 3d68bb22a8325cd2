package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns text on one line. It escapes every character, except those in keep, that would be invisible,
// control a terminal or change the writing direction.
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

// OneLine returns a printable sentence with single spaces between its words.
func OneLine(text string) string { return Printable(strings.Join(strings.Fields(text), " ")) }

// printableLine returns a printable line without its break, but with its tabs.
func printableLine(line string) string { return Printable(strings.TrimSuffix(line, "\n"), '\t') }

// hidden reports whether a character is invisible. Some printable characters are: those that Unicode calls ignorable,
// such as the Hangul fillers, variation selectors, and the blank braille pattern.
func hidden(r rune) bool {
	const blankBraille = '\u2800'
	return !unicode.IsPrint(r) || r == blankBraille ||
		r > unicode.MaxASCII && unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// shortened returns printable text of at most that many characters, with the middle cut out.
func shortened(text string, longest int) string {
	runes := []rune(Printable(text))
	if len(runes) <= longest {
		return string(runes)
	}
	half := longest / 2
	return string(runes[:half-1]) + "…" + string(runes[len(runes)-half:])
}

// code returns text as a Markdown code span, in which nothing is markup, a mention or a link.
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

// mermaid returns printable text as part of a quoted Mermaid label, with or without its spaces. Characters that may be
// markup become entities.
//
// Mermaid reads a label as Markdown, in which a full stop may make a list or a link. Before that it searches the whole
// diagram, labels included, for lines with a colon and a hash after the word style, for "direction LR" and for %%{.
// During this search, an entity is encoded as ﬂ°°35¶ß.
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

// dot returns lines of text as a quoted Graphviz string, in which a backslash would begin \n or \N, and an ampersand an
// HTML entity.
func dot(lines ...string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = dotEscaper.Replace(Printable(line))
	}
	return `"` + strings.Join(escaped, `\n`) + `"`
}

var dotEscaper = strings.NewReplacer(`\`, `\\`, "&", "&amp;", `"`, `\"`)
