package render

import (
	"strings"
	"unicode/utf8"

	"github.com/confighash/confighash/pkg/impact"
	"github.com/confighash/confighash/pkg/internal/escape"
)

// widest is how far a name pushes the columns beside it.
const widest = 60

// Escape sequences that set what a terminal prints off.
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	yellow = "33"
)

// A terminal is what text is written for.
type terminal struct {
	strings.Builder
	colours bool
	// folds: something was counted instead of told.
	folds bool
}

// text writes the report for a person.
func text(r *impact.Report, colours bool) string {
	t := &terminal{colours: colours}
	t.WriteString(t.paint(bold, sum(r)) + "\n")
	for _, s := range sections(r) {
		t.section(&s)
	}
	if t.folds {
		t.WriteString("\n" + t.paint(faint, "Long lists are cut short here; -o json has all of them.") + "\n")
	}
	return t.String()
}

func (t *terminal) section(s *section) {
	t.WriteString("\n" + capital(s.title) + ":\n")
	tags, whats := 0, 0
	var columns []int
	for _, r := range s.rows {
		tags = max(tags, utf8.RuneCountInString(r.tag))
		if w := width(r.what); w <= widest && len(r.columns) > 0 {
			whats = max(whats, w)
		}
		for i, column := range r.columns {
			if i == len(columns) {
				columns = append(columns, 0)
			}
			columns[i] = max(columns[i], utf8.RuneCountInString(column))
		}
	}
	for _, r := range s.rows {
		t.row(&r, tags, whats, columns)
	}
}

// row writes a row in columns, the widths of which are given, and its details.
func (t *terminal) row(r *row, tags, whats int, columns []int) {
	t.WriteString("  " + t.paint(colourOf(r.tone), r.tag) + blanks(tags-utf8.RuneCountInString(r.tag)+2) + t.phrase(r.what))
	gap := max(whats-width(r.what), 0)
	for i, column := range r.columns {
		if columns[i] == 0 {
			continue
		}
		gap += 2
		if column == "" {
			gap += columns[i]
			continue
		}
		t.WriteString(blanks(gap) + column)
		gap = columns[i] - utf8.RuneCountInString(column)
	}
	t.WriteString("\n")
	for _, d := range r.details {
		t.WriteString("    ")
		if d.label != "" {
			t.WriteString(t.paint(colourOf(d.tone), d.label+":") + " ")
		}
		t.WriteString(t.phrase(d.text) + "\n")
	}
}

// phrase returns a phrase as a terminal shows it.
func (t *terminal) phrase(p phrase) string {
	var b strings.Builder
	for _, s := range p {
		switch s.kind {
		case path:
			b.WriteString(t.paint(faint, escape.Printable(s.text)))
		case prose:
			b.WriteString(oneLine(s.text))
		case fold:
			t.folds = true
			b.WriteString(s.text)
		default:
			b.WriteString(escape.Printable(s.text))
		}
	}
	return b.String()
}

// width returns how many characters a phrase takes.
func width(p phrase) int {
	return utf8.RuneCountInString((&terminal{}).phrase(p))
}

// capital returns words of this package with a capital letter.
func capital(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

func blanks(n int) string { return strings.Repeat(" ", n) }

func colourOf(t tone) string {
	switch t {
	case alarms:
		return red
	case warns:
		return yellow
	}
	return ""
}

// paint returns text in a colour, where there are colours.
func (t *terminal) paint(colour, text string) string {
	if !t.colours || colour == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}
