package report

import (
	"strings"
	"unicode/utf8"

	"github.com/confighash/confighash/internal/escape"
)

// A Tone says how much a line asks for a reader's eye.
type Tone uint8

// The tones.
const (
	Calm Tone = iota
	Warns
	Alarms
)

// A Terminal is what text is written for.
type Terminal struct {
	sheet
	Colours bool
}

// Text returns what is written, and says so where something was counted only.
func (t *Terminal) Text() string {
	if t.folds {
		t.Print("\n", t.Faint("Long lists are cut short here; -o json has all of them."), "\n")
	}
	return t.text.String()
}

// Bold returns what stands out.
func (t *Terminal) Bold(text string) string { return t.paint("1", text) }

// Faint returns what stands back.
func (t *Terminal) Faint(text string) string { return t.paint("2", text) }

// Toned returns text in the colour of a tone.
func (t *Terminal) Toned(tone Tone, text string) string {
	switch tone {
	case Alarms:
		return t.paint("31", text)
	case Warns:
		return t.paint("33", text)
	}
	return text
}

func (t *Terminal) paint(colour, text string) string {
	if !t.Colours {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// Phrase returns a phrase as a terminal shows it.
func (t *Terminal) Phrase(p Phrase) string {
	var b strings.Builder
	for _, s := range p {
		switch s.kind {
		case path:
			b.WriteString(t.Faint(escape.Printable(s.text)))
		case prose:
			b.WriteString(OneLine(s.text))
		case fold:
			t.folds = true
			b.WriteString(s.text)
		default:
			b.WriteString(escape.Printable(s.text))
		}
	}
	return b.String()
}

// Width returns how many characters a phrase takes.
func Width(p Phrase) int { return utf8.RuneCountInString(p.String()) }

// widest is how far a name pushes the column beside it.
const widest = 60

// Wider returns the width of a column that has this phrase too.
func Wider(width int, p Phrase) int {
	if w := Width(p); w <= widest {
		return max(width, w)
	}
	return width
}
