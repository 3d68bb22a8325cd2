package report

import (
	"fmt"
	"strings"

	"github.com/confighash/confighash/internal/escape"
)

// Most is how many elements of a list are told before the others are counted.
const Most = 8

// First returns the first of many elements, and how many more there are: none or
// at least two.
func First[T any](all []T, most int) (shown []T, more int) {
	if len(all) <= most+1 {
		return all, 0
	}
	return all[:most:most], len(all) - most
}

// A Phrase is a piece of text in spans, since what comes from manifests is set
// otherwise than the words around it.
type Phrase []Span

// A Span is a part of a phrase.
type Span struct {
	kind kind
	text string
	// short is what a box shows instead of the text, "" for the text.
	short string
}

type kind uint8

const (
	word kind = iota
	name
	path
	prose
	fold
)

// Word is text of the program's own.
func Word(text string) Span { return Span{kind: word, text: text} }

// Name is the name of a resource, a key or an image.
func Name(text string) Span { return Span{kind: name, text: text} }

// Path is the path of a field, of which a box shows the short one.
func Path(text, short string) Span { return Span{kind: path, text: text, short: short} }

// Prose is a sentence, which may quote names.
func Prose(text string) Span { return Span{kind: prose, text: text} }

// Fold counts what is left out.
func Fold(more int) Span { return Span{kind: fold, text: fmt.Sprintf("and %d more", more)} }

// Words returns a phrase of the program's own.
func Words(text string) Phrase { return Phrase{Word(text)} }

// Names returns a phrase that is a name.
func Names(text string) Phrase { return Phrase{Name(text)} }

// Join joins phrases by commas.
func Join(parts ...Phrase) Phrase {
	var all Phrase
	for i, p := range parts {
		if i > 0 {
			all = append(all, Word(", "))
		}
		all = append(all, p...)
	}
	return all
}

// Enumerate tells elements between commas, and counts those beyond the first few.
func Enumerate[T any](all []T, tell func(T) Phrase) Phrase {
	return EnumerateOf(all, len(all), tell)
}

// EnumerateOf is Enumerate of n elements, of which those that are told are given at
// least: Most+1, or all.
func EnumerateOf[T any](some []T, n int, tell func(T) Phrase) Phrase {
	shown, more := some, 0
	if n > Most+1 {
		shown, more = some[:Most], n-Most
	}
	parts := make([]Phrase, len(shown))
	for i, one := range shown {
		parts[i] = tell(one)
	}
	told := Join(parts...)
	if more > 0 {
		told = append(told, Word(" "), Fold(more))
	}
	return told
}

// String returns a phrase as a terminal without colours shows it.
func (p Phrase) String() string { return (&Terminal{}).Phrase(p) }

// OneLine returns a sentence as it can be shown.
func OneLine(text string) string {
	return escape.Printable(strings.Join(strings.Fields(text), " "))
}

// A sheet is what text is written to.
type sheet struct {
	text strings.Builder
	// folds: something was counted instead of told.
	folds bool
}

// Print writes texts one after the other.
func (s *sheet) Print(texts ...string) {
	for _, text := range texts {
		s.text.WriteString(text)
	}
}

// Plural returns a number with what it counts.
func Plural(n int, what string) string {
	return fmt.Sprintf("%d %s%s", n, what, Choose(n, "", "s"))
}

// Choose returns what is said of one, or of several and of none.
func Choose[N int | int64](n N, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
