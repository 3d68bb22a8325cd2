package report

import (
	"slices"
	"strings"
	"unicode/utf8"
)

type terminal struct {
	strings.Builder
	colours bool
	// folds: something was counted instead of shown.
	folds bool
}

// Text returns the page for a terminal.
func (p *Page) Text(colours bool) string {
	t := &terminal{colours: colours}
	if p.Environment != "" {
		t.print(Names(p.Environment), Words(": "))
	}
	t.line(p.Title)
	t.table(p.Table)
	for i, note := range p.Notes {
		if i == 0 {
			t.WriteString("\n")
		}
		t.line(note)
	}
	for i := range p.Sections {
		t.list(&p.Sections[i])
	}
	if t.folds {
		t.WriteString("\n")
		t.line(Words("Long lists are cut short here; -o json has all of them.").Toned(Faint))
	}
	return t.String()
}

// table writes a table whose columns are as wide as necessary, up to a limit.
func (t *terminal) table(rows [][]Phrase) {
	columns := make([]int, 0, 8)
	for _, row := range rows {
		for j, cell := range row {
			if j == len(columns) {
				columns = append(columns, 0)
			}
			columns[j] = wider(columns[j], cell)
		}
	}
	for i, row := range rows {
		if i == 0 {
			t.WriteString("\n")
		}
		if i > longText {
			t.line(Words("  "), Fold(len(rows)-i))
			return
		}
		t.cells(row, columns, 2)
	}
}

// cells writes cells into columns of the given widths, after a gap, and ends the line.
func (t *terminal) cells(cells []Phrase, columns []int, gap int) {
	for i, cell := range cells {
		switch {
		case columns[i] == 0:
		case len(cell) == 0:
			gap += columns[i] + 2
		default:
			t.blanks(gap)
			t.print(cell)
			if gap = columns[i] - width(cell) + 2; gap < 2 { // the next cells follow below
				t.WriteString("\n")
				gap = columns[i] + 4
			}
		}
	}
	t.WriteString("\n")
}

func (t *terminal) list(s *Section) {
	if s.Title != "" {
		t.WriteString("\n" + capital(s.Title) + ":\n")
	}
	tags, names := 0, 0
	var columns []int
	for _, r := range s.Rows {
		if r.Tag != "" {
			tags = max(tags, utf8.RuneCountInString(r.Tag)+2)
		}
		if len(r.Columns) > 0 {
			names = wider(names, r.what())
		}
		for j, column := range r.Columns {
			if j == len(columns) {
				columns = append(columns, 0)
			}
			columns[j] = max(columns[j], width(column))
		}
	}
	for i := range s.Rows {
		t.row(&s.Rows[i], tags, names, columns)
	}
}

// row writes a row in columns of the given widths, and the lines below it.
func (t *terminal) row(r *Row, tags, names int, columns []int) {
	t.WriteString("  ")
	t.print(Words(r.Tag).Toned(r.Tone))
	t.blanks(tags - utf8.RuneCountInString(r.Tag))
	t.print(r.what())
	t.cells(r.Columns, columns, 2+max(names-width(r.what()), 0))
	for _, line := range r.Lines {
		t.WriteString("    ")
		t.line(line)
	}
	for line := range strings.Lines(r.Diff) {
		t.WriteString("    ")
		t.line(Phrase{{kind: word, tone: toneOfDiff[line[0]], text: printableLine(line)}})
	}
}

var toneOfDiff = map[byte]Tone{'+': Good, '-': Alarms}

func (r *Row) what() Phrase { return slices.Concat(r.Name, r.Text) }

var colours = [...]string{Faint: "2", Good: "32", Warns: "33", Alarms: "31", Bold: "1"}

// print writes phrases. Consecutive spans of one tone are coloured together.
func (t *terminal) print(phrases ...Phrase) {
	for _, p := range phrases {
		for i, s := range p {
			t.folds = t.folds || s.kind == fold
			painted := t.colours && s.tone != Calm
			if painted && (i == 0 || p[i-1].tone != s.tone) {
				t.WriteString("\x1b[" + colours[s.tone] + "m")
			}
			t.WriteString(s.plain())
			if painted && (i == len(p)-1 || p[i+1].tone != s.tone) {
				t.WriteString("\x1b[0m")
			}
		}
	}
}

func (t *terminal) line(phrases ...Phrase) {
	t.print(phrases...)
	t.WriteString("\n")
}

func (t *terminal) blanks(n int) { t.WriteString(strings.Repeat(" ", max(n, 0))) }

func width(p Phrase) int { return utf8.RuneCountInString(p.String()) }

// widest bounds how far a name pushes the next column.
const widest = 60

// wider returns the width of a column after adding a phrase.
func wider(column int, p Phrase) int {
	if w := width(p); w <= widest {
		return max(column, w)
	}
	return column
}

func capital(words string) string { return strings.ToUpper(words[:1]) + words[1:] }
