package render

import (
	"fmt"
	"sort"
	"strings"
	"unicode"

	"github.com/confighash/confighash/pkg/impact"
	"github.com/confighash/confighash/pkg/internal/escape"
)

// Marker is the first line of Markdown, by which a bot finds the comment that it
// wrote earlier.
const Marker = "<!-- confighash impact -->"

// longSection is how many rows a section shows without being opened, and
// longDiagram how many edges a diagram does.
const (
	longSection = 10
	longDiagram = 20
)

// markdown writes the report for a comment of at most so many bytes. What is too
// long loses its diagram first, and then the last rows of its longest sections.
func markdown(r *impact.Report, limit int) string {
	if limit == 0 {
		limit = DefaultLimit
	}
	limit = max(limit, LeastLimit)
	p := page{sum: sum(r), sections: sections(r)}
	g := drawn(r)
	p.diagram(g)
	longest := 0
	for _, s := range p.sections {
		longest = max(longest, len(s.rows))
	}
	text := p.write(longest)
	if len(text) <= limit {
		return text
	}
	if p.drawn != "" {
		p.drawn, p.undrawn = "", "There is no diagram: with it this would be too long for a comment."
	}
	// The least number of rows of which there is too much.
	rows := sort.Search(longest+1, func(n int) bool { return len(p.write(n)) > limit })
	if rows == 0 {
		p.sections, p.undrawn = nil, ""
		p.short = true
	}
	return p.write(rows - 1)
}

// A page is what Markdown is written from.
type page struct {
	sum      string
	sections []section
	// drawn is the diagram, and undrawn says why there is none.
	drawn, undrawn string
	edges          int
	// short: not even the titles of the sections find room.
	short bool
}

// diagram draws the diagram, if it is not too large.
func (p *page) diagram(g *diagram) {
	p.edges = len(g.edges)
	switch {
	case p.edges == 0:
		return
	case p.edges <= mostEdges:
		if drawn := g.mermaid(); len(drawn) <= longestMermaid {
			p.drawn = drawn
			return
		}
		p.undrawn = "There is no diagram: its names are too long."
	default:
		p.undrawn = fmt.Sprintf("There is no diagram: %d arrows are more than one can follow.", p.edges)
	}
}

// write returns the page with at most so many rows in a section.
func (p *page) write(rows int) string {
	m := &markup{}
	m.WriteString(Marker + "\n### " + p.sum + "\n")
	for i := range p.sections {
		m.section(&p.sections[i], rows)
	}
	switch {
	case p.drawn != "":
		m.WriteString("\n#### Causes and workloads\n\n")
		m.details(p.edges > longDiagram, plural(p.edges, "arrow"), func() {
			m.WriteString("```mermaid\n" + p.drawn + "```\n")
		})
	case p.undrawn != "":
		m.WriteString("\n" + p.undrawn + "\n")
	}
	switch {
	case p.short:
		m.WriteString("\nThere is no room for more here; `confighash impact` on a terminal tells it all.\n")
	case m.cut:
		m.WriteString("\nLists are cut short here; `confighash impact` on a terminal tells of every workload, and with `-o json` of every key.\n")
	case m.folds:
		m.WriteString("\nLong lists are cut short here; `confighash impact -o json` has all of them.\n")
	}
	return m.String()
}

// A markup is Markdown in the making.
type markup struct {
	strings.Builder
	// folds: something was counted instead of told; cut: so were whole rows.
	folds, cut bool
}

// details writes what has to be opened, where it is long.
func (m *markup) details(long bool, summary string, write func()) {
	if long {
		m.WriteString("<details>\n<summary>" + summary + "</summary>\n\n")
	}
	write()
	if long {
		m.WriteString("\n</details>\n")
	}
}

func (m *markup) section(s *section, rows int) {
	m.WriteString("\n#### " + capital(s.tag) + ": " + s.title + "\n\n")
	rows = min(rows, len(s.rows))
	m.details(rows > longSection, plural(len(s.rows), "resource"), func() {
		for i := range s.rows[:rows] {
			m.row(&s.rows[i])
		}
		if more := len(s.rows) - rows; more > 0 {
			m.cut = true
			if rows == 0 {
				fmt.Fprintf(m, "%s\n", plural(more, "resource"))
			} else {
				fmt.Fprintf(m, "- and %d more\n", more)
			}
		}
	})
}

func (m *markup) row(r *row) {
	m.WriteString("- **" + m.phrase(r.what[:1]) + "**" + m.phrase(r.what[1:]))
	for _, column := range r.columns {
		if column != "" {
			m.WriteString(" · " + proseMarkdown(column))
		}
	}
	m.WriteString("\n")
	for _, d := range r.details {
		m.WriteString("  - ")
		if d.label != "" {
			m.WriteString(d.label + ": ")
		}
		m.WriteString(m.phrase(d.text) + "\n")
	}
}

// phrase returns a phrase as Markdown, on one line.
func (m *markup) phrase(p phrase) string {
	var b strings.Builder
	for _, s := range p {
		switch s.kind {
		case word:
			b.WriteString(s.text)
		case fold:
			m.folds = true
			b.WriteString(s.text)
		case prose:
			b.WriteString(proseMarkdown(s.text))
		default:
			b.WriteString(escape.Code(s.text))
		}
	}
	return b.String()
}

// command begins a command in a sentence, and commandEnd ends one.
const (
	command    = "kubectl "
	commandEnd = ";"
)

// proseMarkdown returns a sentence as Markdown. A command is a code span, and so
// is every word that may be more than a word.
func proseMarkdown(text string) string {
	var b strings.Builder
	rest := oneLine(text)
	for {
		before, line, found := strings.Cut(rest, command)
		b.WriteString(wordsMarkdown(before))
		if !found {
			return b.String()
		}
		if line, rest, found = strings.Cut(line, commandEnd); found {
			rest = commandEnd + rest
		}
		b.WriteString(escape.Code(command + line))
	}
}

// wordsMarkdown sets the words of a text that are not plain as code spans.
func wordsMarkdown(text string) string {
	all := strings.Split(text, " ")
	for i, w := range all {
		core := strings.TrimLeft(strings.TrimRight(w, ".,;:)%"), "(")
		if strings.IndexFunc(core, special) < 0 {
			continue
		}
		at := strings.Index(w, core)
		all[i] = w[:at] + escape.Code(core) + w[at+len(core):]
	}
	return strings.Join(all, " ")
}

// special reports whether a character may begin or be part of markup, of a link
// or of a mention.
func special(r rune) bool {
	return r <= unicode.MaxASCII && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(`-'",/`, r)
}
