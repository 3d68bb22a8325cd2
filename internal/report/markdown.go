package report

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// DefaultLimit is the default maximum size of Markdown in bytes, below the 65,536 characters that GitHub accepts in a
// comment.
const DefaultLimit = 60_000

// A list is not folded if it has at most longList rows and longText lines, nor a diagram if it has at most longDiagram
// arrows.
const (
	longList    = 10
	longText    = 40
	longDiagram = 20
)

// Mermaid refuses a diagram of more than 500 arrows or 50,000 characters. People stop reading one well before.
const (
	// MostArrows bounds how many arrows Markdown draws.
	MostArrows = 80
	// LongestMermaid bounds the size of the diagram in Markdown, in bytes.
	LongestMermaid = 40_000
)

// Marker returns the first line of Markdown, by which a bot finds its earlier comment about that environment, if any.
func Marker(command, environment string) string {
	return "<!-- " + strings.TrimSpace("confighash "+command+" "+environment) + " -->"
}

// Markdown returns the page with a diagram in at most limit bytes, unless the title alone takes more. A page that is
// too long loses its diagram first, if that takes more than a quarter of the limit, and then the last rows of its
// longest lists.
func (p *Page) Markdown(d *Diagram, limit int) string {
	marker := Marker(p.Command, p.Environment) + "\n"
	return marker + p.within(d, limit-len(marker))
}

// within is Markdown without its first line.
func (p *Page) within(d *Diagram, limit int) string {
	diagram, drawn := d.markdown()
	text := p.markdown(d.Title, diagram, limit)
	if len(text) <= limit {
		return text
	}
	if drawn && len(diagram) > limit/4 {
		diagram = notDrawn("it would make this too long for a comment")
	}
	// A row takes more than a byte, so with limit rows the text is too long unless every list is shorter.
	tooMany := sort.Search(limit, func(rows int) bool { return len(p.markdown(d.Title, diagram, rows)) > limit })
	return p.markdown(d.Title, diagram, tooMany-1)
}

// markdown returns the page with lists of limited length. If rows is negative, the page lacks room for the titles of the
// lists.
func (p *Page) markdown(diagramTitle, diagram string, rows int) string {
	m := &document{rows: rows}
	fmt.Fprint(m, "### confighash")
	if p.Environment != "" {
		fmt.Fprint(m, " · ", m.phrase(Prose(p.Environment)))
	}
	fmt.Fprint(m, ": ", m.phrase(p.Title), "\n")
	if rows < 0 {
		fmt.Fprint(m, "\nThe rest is too long for a comment; `confighash ", p.Command, "` on a terminal shows all of it.\n")
		return m.String()
	}
	if diagramTitle == "" {
		fmt.Fprint(m, diagram)
	}
	m.table(p.Table)
	for i, note := range p.Notes {
		if i == 0 {
			fmt.Fprint(m, "\n")
		}
		fmt.Fprint(m, m.phrase(note), "\n")
	}
	for i := range p.Sections {
		m.section(&p.Sections[i])
	}
	if diagramTitle != "" {
		fmt.Fprint(m, diagram)
	}
	switch {
	case m.cut && p.NoJSON:
		fmt.Fprint(m, "\nLists are cut short here; `confighash ", p.Command, "` on a terminal shows every ", p.What, ".\n")
	case m.cut:
		fmt.Fprint(m, "\nLists are cut short here; `confighash ", p.Command, "` on a terminal shows every ", p.What, ", and with `-o json` every key.\n")
	case m.folds:
		fmt.Fprint(m, "\nLong lists are cut short here; `confighash ", p.Command, " -o json` has all of them.\n")
	}
	return m.String()
}

// markdownEach returns the pages of environments in at most limit bytes. Pages with nothing to report come last, and
// share a line.
func markdownEach(all []Environment, name string, limit int) string {
	var pages, quiet []*Page
	var diagrams []*Diagram
	for i := range all {
		if p := all[i].Page(); len(p.Table)+len(p.Notes)+len(p.Sections) == 0 {
			quiet = append(quiet, p)
		} else {
			pages, diagrams = append(pages, p), append(diagrams, all[i].Diagram())
		}
	}
	for len(quiet) > 0 { // a page for each title
		p, names := quiet[0], []Phrase(nil)
		quiet = slices.DeleteFunc(quiet, func(q *Page) bool {
			same := q.Title.String() == p.Title.String()
			if same {
				names = append(names, Names(q.Environment))
			}
			return same
		})
		if len(names) > 1 {
			p.Environment = Plural(len(names), "environment")
			p.Notes = []Phrase{Enumerate(names, func(name *Phrase) Phrase { return *name })}
		}
		pages, diagrams = append(pages, p), append(diagrams, &Diagram{})
	}
	marker := Marker(pages[0].Command, name) + "\n"
	limit -= len(marker)
	within := func(share int) string {
		var texts []string
		for i, p := range pages {
			texts = append(texts, p.within(diagrams[i], share))
		}
		return strings.Join(texts, "\n")
	}
	if text := within(limit); len(text) <= limit {
		return marker + text
	}
	if len(within(0)) <= limit {
		tooMuch := sort.Search(limit, func(share int) bool { return len(within(share)) > limit })
		return marker + within(tooMuch-1)
	}
	var text string
	for i, p := range pages {
		more := "\nAnd " + Plural(len(pages)-i, "environment") + " more; `confighash " + p.Command + "` on a terminal shows all of them.\n"
		next := p.within(diagrams[i], 0)
		if len(text)+len(next)+len(more) > limit {
			return marker + text + more
		}
		text += next
	}
	return marker + text
}

// markdown returns the diagram below its title, or why it is not drawn.
func (d *Diagram) markdown() (text string, drawn bool) {
	arrows := len(d.Arrows)
	switch {
	case arrows == 0:
		return "", false
	case arrows > MostArrows:
		return notDrawn(fmt.Sprintf("%d arrows are too many to follow", arrows)), false
	}
	chart := d.Mermaid()
	if len(chart) > LongestMermaid {
		return notDrawn("its names are too long"), false
	}
	if d.Title != "" {
		text = "\n#### " + d.Title + "\n"
	}
	if d.Note != "" {
		text += "\n" + strings.Replace(d.Note, "-o json", "`-o json`", 1) + "\n"
	}
	return text + "\n" + details(arrows > longDiagram, Plural(arrows, "arrow"), "```mermaid\n"+chart+"```\n"), true
}

func notDrawn(reason string) string { return "\nThe diagram is left out: " + reason + ".\n" }

// details returns text, folded if it is long.
func details(long bool, summary, text string) string {
	if !long {
		return text
	}
	return "<details>\n<summary>" + summary + "</summary>\n\n" + text + "\n</details>\n"
}

type document struct {
	strings.Builder
	// rows bounds how many rows of a list are written.
	rows int
	// cut: whole rows were counted instead of written. folds: something else was.
	cut, folds bool
}

func (m *document) section(s *Section) {
	list := &document{rows: m.rows}
	list.list("", len(s.Rows), func(i int) { list.row(&s.Rows[i]) })
	text := list.String()
	m.cut, m.folds = m.cut || list.cut, m.folds || list.folds
	title := s.heading()
	if s.Folded {
		folded := details(true, fmt.Sprintf("%s (%d)", title, len(s.Rows)), text)
		if s.Open {
			folded = strings.Replace(folded, "<details>", "<details open>", 1)
		}
		fmt.Fprint(m, "\n", folded)
		return
	}
	fmt.Fprint(m, "\n#### ", title, "\n\n")
	long := min(len(s.Rows), m.rows) > longList || strings.Count(text, "\n") > longText
	fmt.Fprint(m, details(long, Plural(len(s.Rows), "resource"), text))
}

func (s *Section) heading() string {
	if s.Tag == "" {
		return capital(s.Title)
	}
	return capital(s.Tag) + ": " + s.Title
}

// list writes the first of n rows, and counts the others.
func (m *document) list(indent string, n int, row func(i int)) {
	shown := min(n, m.rows)
	for i := range shown {
		row(i)
	}
	switch {
	case n == shown:
		return
	case shown == 0:
		fmt.Fprint(m, indent, "- ", Plural(n, "resource"), "\n")
	default:
		fmt.Fprint(m, indent, "- ", Fold(n-shown).String(), "\n")
	}
	m.cut = true
}

// row writes a row, and at most m.rows of the lines below it.
func (m *document) row(r *Row) {
	fmt.Fprint(m, "- ")
	if len(r.Name) > 0 {
		fmt.Fprint(m, "**", m.phrase(r.Name), "**")
	}
	fmt.Fprint(m, m.phrase(r.rest()), "\n")
	m.list("  ", len(r.Lines), func(i int) { fmt.Fprint(m, "  - ", m.phrase(r.Lines[i]), "\n") })
	m.diff(r.Diff)
}

// diff writes at most m.rows lines of a diff, in a fence that none of them can close.
func (m *document) diff(text string) {
	if text == "" {
		return
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	const indent = "\n  "
	fmt.Fprint(m, indent, fence, "diff")
	lines := slices.Collect(strings.Lines(text))
	for _, line := range lines[:min(len(lines), m.rows)] {
		fmt.Fprint(m, indent, printableLine(line))
	}
	if more := len(lines) - m.rows; more > 0 {
		fmt.Fprint(m, indent, Fold(more).String())
		m.cut = true
	}
	fmt.Fprint(m, indent, fence, "\n")
}

func (m *document) table(rows [][]Phrase) {
	for i, row := range rows {
		if i > m.rows || i > longText {
			m.cut = true
			fmt.Fprint(m, "| ", Fold(len(rows)-i).String(), strings.Repeat(" |", len(row)), "\n")
			return
		}
		if i == 0 {
			fmt.Fprint(m, "\n")
		}
		fmt.Fprint(m, "|")
		for _, cell := range row {
			fmt.Fprint(m, " ", strings.ReplaceAll(m.phrase(cell), "|", `\|`), " |")
		}
		fmt.Fprint(m, "\n")
		if i == 0 {
			fmt.Fprint(m, "|", strings.Repeat(" --- |", len(row)), "\n")
		}
	}
}

func (m *document) phrase(p Phrase) string {
	var b strings.Builder
	for _, s := range p {
		switch s.kind {
		case word, fold:
			m.folds = m.folds || s.kind == fold
			b.WriteString(s.text)
		case prose:
			b.WriteString(proseMarkdown(s.text))
		case name:
			b.WriteString(code(s.text))
		}
	}
	return b.String()
}

// command begins a command in a sentence, and commandEnd ends one.
const (
	command    = "kubectl "
	commandEnd = ";"
)

// proseMarkdown returns a sentence as Markdown. A command becomes a code span, and so does every word that may be more
// than plain text.
func proseMarkdown(text string) string {
	var b strings.Builder
	rest := OneLine(text)
	for {
		before, line, found := strings.Cut(rest, command)
		b.WriteString(wordsMarkdown(before))
		if !found {
			return b.String()
		}
		if line, rest, found = strings.Cut(line, commandEnd); found {
			rest = commandEnd + rest
		}
		b.WriteString(code(command + line))
	}
}

// wordsMarkdown turns words that are not plain into code spans.
func wordsMarkdown(text string) string {
	all := strings.Split(text, " ")
	for i, w := range all {
		core := strings.TrimLeft(strings.TrimRight(w, ".,;:)%"), "(")
		if strings.ContainsFunc(core, special) || linked(core) {
			all[i] = strings.Replace(w, core, code(core), 1)
		}
	}
	return strings.Join(all, " ")
}

// linked reports whether GitHub may link a word: to an issue, such as GH-1, or to a commit.
func linked(word string) bool {
	return strings.ContainsFunc(word, unicode.IsDigit) && (len(word) >= 7 || strings.ContainsFunc(word, unicode.IsLetter))
}

// special reports whether a character may be part of markup, a link or a mention.
func special(r rune) bool {
	return r <= unicode.MaxASCII && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(`-'",/`, r)
}
