package render

import (
	"fmt"
	"sort"
	"strings"

	"github.com/confighash/confighash/pkg/consumers"
	"github.com/confighash/confighash/pkg/internal/escape"
)

// Marker is the first line of Markdown, by which a bot finds what it wrote earlier.
const Marker = "<!-- confighash graph -->"

// longList is how many resources a list shows without being opened, and longDiagram
// how many arrows a diagram does.
const (
	longList    = 10
	longDiagram = 20
)

// markdown writes a graph in at most so many bytes. What is too long loses its
// diagram first, and then the ends of its lists.
func markdown(g *consumers.Graph, o Options) string {
	limit := o.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	limit = max(limit, LeastLimit)
	p := page{list: listOf(g, o.By), by: o.By}
	p.draw(diagramOf(g))
	longest := len(p.blocks)
	for i := range p.blocks {
		longest = max(longest, len(p.blocks[i].rows))
	}
	for _, s := range p.rest {
		longest = max(longest, len(s.rows))
	}
	text := p.write(longest)
	if len(text) <= limit {
		return text
	}
	if p.diagram != "" {
		p.diagram, p.undrawn = "", "There is no diagram: with it this would be too long for a comment."
	}
	// The least number of rows of which there is too much.
	rows := sort.Search(longest+1, func(n int) bool { return len(p.write(n)) > limit })
	return p.write(rows - 1)
}

// A page is what Markdown is written from.
type page struct {
	*list
	by Order
	// diagram is in Mermaid, and undrawn says why there is none.
	diagram, undrawn string
	arrows           int
}

// draw draws the diagram, if it is not too large.
func (p *page) draw(d *diagram) {
	p.arrows = len(d.arrows)
	switch {
	case p.arrows == 0:
		return
	case p.arrows > mostArrows:
		p.undrawn = fmt.Sprintf("There is no diagram: %d arrows are more than one can follow.", p.arrows)
		return
	}
	if drawn := d.mermaid(); len(drawn) <= longestMermaid {
		p.diagram = drawn
	} else {
		p.undrawn = "There is no diagram: its names are too long."
	}
}

// A document is Markdown in the making.
type document struct {
	text strings.Builder
	// folds: something was counted instead of told; cut: so were whole rows.
	folds, cut bool
}

// write returns the page with at most so many rows in a list. Where there are none
// it says nothing but the sum.
func (p *page) write(rows int) string {
	m := &document{}
	fmt.Fprintf(&m.text, "%s\n### %s\n", Marker, p.sum)
	if rows < 0 {
		return m.text.String()
	}
	if p.diagram != "" {
		fmt.Fprintln(&m.text)
		m.details(p.arrows > longDiagram, plural(p.arrows, "arrow"), func() {
			fmt.Fprintf(&m.text, "```mermaid\n%s```\n", p.diagram)
		})
	} else if p.undrawn != "" {
		m.text.WriteString("\n" + p.undrawn + "\n")
	}
	if len(p.blocks) > 0 {
		title := "Objects and who uses them"
		if p.by == ByWorkload {
			title = "Workloads and what they use"
		}
		m.list(title, len(p.blocks), rows, func(i int) { m.block(&p.blocks[i], rows) })
	}
	for _, s := range p.rest {
		m.list(s.title, len(s.rows), rows, func(i int) {
			m.text.WriteString("- " + escape.Code(s.rows[i].node.String()))
			m.mark(s.rows[i].mark, ": ")
			m.text.WriteString("\n")
		})
	}
	switch {
	case m.cut:
		m.text.WriteString("\nLists are cut short here; `confighash graph` on a terminal tells of every resource, and with `-o json` of every key.\n")
	case m.folds:
		m.text.WriteString("\nLong lists are cut short here; `confighash graph -o json` has all of them.\n")
	}
	return m.text.String()
}

// details writes what has to be opened, where it is long.
func (m *document) details(long bool, summary string, write func()) {
	if long {
		m.text.WriteString("<details>\n<summary>" + summary + "</summary>\n\n")
	}
	write()
	if long {
		m.text.WriteString("\n</details>\n")
	}
}

// list writes a list of n resources under a title, at most so many of them.
func (m *document) list(title string, n, most int, write func(i int)) {
	m.text.WriteString("\n#### " + title + "\n\n")
	shown := min(n, most)
	m.details(shown > longList, plural(n, "resource"), func() {
		for i := range shown {
			write(i)
		}
		m.more(n-shown, shown, "")
	})
}

// more counts those that a list leaves out.
func (m *document) more(n, shown int, indent string) {
	switch {
	case n == 0:
		return
	case shown == 0:
		fmt.Fprintf(&m.text, "%s- %s\n", indent, plural(n, "resource"))
	default:
		fmt.Fprintf(&m.text, "%s- and %d more\n", indent, n)
	}
	m.cut = true
}

func (m *document) block(b *block, most int) {
	m.text.WriteString("- **" + escape.Code(b.head.node.String()) + "**")
	m.mark(b.head.mark, ": ")
	m.text.WriteString("\n")
	shown := min(len(b.rows), most)
	for _, r := range b.rows[:shown] {
		m.text.WriteString("  - " + escape.Code(r.node.String()) + ": ")
		for i := range r.ways {
			if i > 0 {
				m.text.WriteString(", ")
			}
			m.text.WriteString(r.ways[i].words(escape.Code))
			m.folds = m.folds || len(r.ways[i].keys) > mostNamed+1
		}
		m.mark(r.mark, "; ")
		m.text.WriteString("\n")
	}
	m.more(len(b.rows)-shown, shown, "  ")
}

// mark writes a mark, if there is one, after a separator.
func (m *document) mark(k mark, separator string) {
	if k.text != "" {
		m.text.WriteString(separator + k.words(escape.Code))
	}
}
