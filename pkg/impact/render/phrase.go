package render

import (
	"fmt"
	"strings"

	"github.com/confighash/confighash/pkg/internal/escape"
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

// oneLine returns a sentence of the report as it can be shown.
func oneLine(text string) string {
	return escape.Printable(strings.Join(strings.Fields(text), " "))
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
