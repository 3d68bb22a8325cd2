package render

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// most is how many elements of a list are told before the others are counted.
const most = 8

// A phrase is a piece of text in spans, since what comes from manifests is set
// otherwise than the words around it.
type phrase []span

type span struct {
	kind kind
	text string
}

// A kind is what a span is.
type kind uint8

const (
	// word is of this package.
	word kind = iota
	// name is the name of a resource, a key or an image.
	name
	// path is the path of a field.
	path
	// prose is a sentence from the report, which may quote names.
	prose
	// fold counts what is left out.
	fold
)

func words(format string, args ...any) phrase {
	return phrase{{word, fmt.Sprintf(format, args...)}}
}

func names(text string) phrase { return phrase{{name, text}} }

// join joins phrases that are not empty by a separator.
func join(sep string, parts ...phrase) phrase {
	var all phrase
	for _, p := range parts {
		if len(p) == 0 {
			continue
		}
		if len(all) > 0 {
			all = append(all, span{word, sep})
		}
		all = append(all, p...)
	}
	return all
}

// enumerate joins phrases by commas, and counts those beyond the first few.
func enumerate(parts []phrase) phrase {
	more := len(parts) - most
	if more <= 1 {
		return join(", ", parts...)
	}
	return append(join(", ", parts[:most]...), span{fold, fmt.Sprintf(" and %d more", more)})
}

// printable returns a text on one line, with everything written out that a
// reader would not see, or that would steer a terminal or turn the direction of
// writing.
func printable(text string) string {
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

func hidden(r rune) bool { return !unicode.IsPrint(r) }

// oneLine returns a sentence of the report as it can be shown.
func oneLine(text string) string {
	return printable(strings.Join(strings.Fields(text), " "))
}

// plural returns a number with what it counts.
func plural(n int, what string) string {
	return fmt.Sprintf("%d %s%s", n, what, choose(n, "", "s"))
}

func choose[N int | int64](n N, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
