// Package markup puts names of manifests, which strangers may have written, into
// what people read, so that none of them steers a terminal or becomes markup.
package markup

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

func hidden(r rune) bool { return !unicode.IsPrint(r) }
