package render

import (
	"strings"
	"unicode/utf8"

	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/report"
)

// A terminal is what text is written for.
type terminal struct{ report.Terminal }

// text writes the report for a person.
func text(r *impact.Report, colours bool) string {
	t := &terminal{report.Terminal{Colours: colours}}
	t.Print(t.Bold(sum(r)), "\n")
	for _, s := range sections(r) {
		t.section(&s)
	}
	return t.Text()
}

func (t *terminal) section(s *section) {
	t.Print("\n", capital(s.title), ":\n")
	tags, whats := 0, 0
	var columns []int
	for _, r := range s.rows {
		tags = max(tags, utf8.RuneCountInString(r.tag))
		if len(r.columns) > 0 {
			whats = report.Wider(whats, r.what)
		}
		for i, column := range r.columns {
			if i == len(columns) {
				columns = append(columns, 0)
			}
			columns[i] = max(columns[i], report.Width(column))
		}
	}
	for _, r := range s.rows {
		t.row(&r, tags, whats, columns)
	}
}

// row writes a row in columns, the widths of which are given, and its details.
func (t *terminal) row(r *row, tags, whats int, columns []int) {
	t.Print("  ", t.Toned(r.tone, r.tag), blanks(tags-utf8.RuneCountInString(r.tag)+2), t.Phrase(r.what))
	gap := max(whats-report.Width(r.what), 0)
	for i, column := range r.columns {
		if columns[i] == 0 {
			continue
		}
		gap += 2
		if len(column) == 0 {
			gap += columns[i]
			continue
		}
		t.Print(blanks(gap), t.Phrase(column))
		gap = columns[i] - report.Width(column)
	}
	t.Print("\n")
	for _, d := range r.details {
		t.Print("    ")
		if d.label != "" {
			t.Print(t.Toned(d.tone, d.label+":"), " ")
		}
		t.Print(t.Phrase(d.text), "\n")
	}
}

// capital returns words of this package with a capital letter.
func capital(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

func blanks(n int) string { return strings.Repeat(" ", n) }
