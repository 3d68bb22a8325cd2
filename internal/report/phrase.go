package report

import (
	"fmt"
	"slices"
	"strings"
)

// Most is how many elements of a list are shown before the others are counted.
const Most = 8

// A Phrase is text in spans: text from manifests, which the writers escape, and the words around it.
type Phrase []Span

// A Span is a part of a phrase.
type Span struct {
	kind kind
	tone Tone
	text string
	// short is what a box shows instead of the text, unless empty.
	short string
}

type kind uint8

const (
	word  kind = iota // the program's own text
	name              // the name of a resource, a key, a field or an image
	prose             // a sentence, which may quote names
	fold              // a count of what is left out
)

// A Tone says how important a span is; a terminal shows it as a colour.
type Tone uint8

// The tones.
const (
	Calm Tone = iota
	Faint
	Good
	Warns
	Alarms
	Bold
)

// Words returns a phrase of the program's own text.
func Words(text string) Phrase { return Phrase{}.Word(text) }

// Names returns a phrase that is a name.
func Names(text string) Phrase { return Phrase{}.Name(text) }

// Prose returns a phrase that is a sentence, which may quote names.
func Prose(text string) Phrase { return Phrase{{kind: prose, text: text}} }

// Path returns a phrase that is the path of a field. A box shows short instead.
func Path(text, short string) Phrase {
	return Phrase{{kind: name, tone: Faint, text: text, short: short}}
}

// Fold returns a phrase that counts what is left out.
func Fold(more int) Phrase { return Phrase{{kind: fold, text: fmt.Sprintf("and %d more", more)}} }

// Word appends the program's own text.
func (p Phrase) Word(text string) Phrase { return append(p, Span{kind: word, text: text}) }

// Name appends the name of a resource, a key or an image.
func (p Phrase) Name(text string) Phrase { return append(p, Span{kind: name, text: text}) }

// Add appends phrases.
func (p Phrase) Add(parts ...Phrase) Phrase { return append(p, slices.Concat(parts...)...) }

// Toned returns the phrase in a tone.
func (p Phrase) Toned(tone Tone) Phrase {
	toned := slices.Clone(p)
	for i := range toned {
		toned[i].tone = tone
	}
	return toned
}

// Join joins phrases by commas.
func Join(parts ...Phrase) Phrase {
	var all Phrase
	for i, p := range parts {
		switch {
		case i > 0 && len(p) > 0 && p[0].kind == fold:
			all = all.Word(" ")
		case i > 0:
			all = all.Word(", ")
		}
		all = append(all, p...)
	}
	return all
}

// Some returns a phrase for each of the first elements, and one that counts the others: none or at least two.
func Some[T any](all []T, most int, phrase func(*T) Phrase) []Phrase {
	var phrases []Phrase
	for i := range all {
		if more := len(all) - i; i == most && more > 1 {
			return append(phrases, Fold(more))
		}
		phrases = append(phrases, phrase(&all[i]))
	}
	return phrases
}

// Enumerate joins the first elements with commas, and counts the others.
func Enumerate[T any](all []T, phrase func(*T) Phrase) Phrase {
	return Join(Some(all, Most, phrase)...)
}

// String returns the phrase for a terminal without colours.
func (p Phrase) String() string {
	var b strings.Builder
	for _, s := range p {
		b.WriteString(s.plain())
	}
	return b.String()
}

// plain returns the span for a terminal without colours.
func (s *Span) plain() string {
	switch s.kind {
	case name:
		return Printable(s.text)
	case prose:
		return OneLine(s.text)
	case word, fold:
	}
	return s.text
}

// Plural returns a number with its noun.
func Plural[N int | int64](n N, what string) string {
	return fmt.Sprintf("%d %s%s", n, what, Choose(n, "", "s"))
}

// Choose returns one for 1, and several for any other number.
func Choose[N int | int64](n N, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
