package render

import (
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/usage"
)

// Marker is the first line of Markdown, by which a bot finds what it wrote earlier.
const Marker = "<!-- confighash graph -->"

// markdown writes a graph in at most so many bytes.
func markdown(g *usage.Graph, o Options) string {
	l := listOf(g, o.By)
	p := report.Page{Marker: Marker, Sum: l.sum, Command: "graph", What: "resource", Diagram: drawn(g), Longest: len(l.blocks)}
	for i := range l.blocks {
		p.Longest = max(p.Longest, len(l.blocks[i].rows))
	}
	for _, s := range l.rest {
		p.Longest = max(p.Longest, len(s.rows))
	}
	title := "Objects and who uses them"
	if o.By == ByWorkload {
		title = "Workloads and what they use"
	}
	p.Body = func(m *report.Document, rows int) {
		m.Diagram("")
		if len(l.blocks) > 0 {
			m.List(title, len(l.blocks), rows, func(i int) { writeBlock(m, &l.blocks[i], rows) })
		}
		for _, s := range l.rest {
			m.List(s.title, len(s.rows), rows, func(i int) {
				m.Print("- ", m.Phrase(nodeName(*s.rows[i].node)))
				writeMark(m, s.rows[i].mark, ": ")
			})
		}
	}
	return p.Within(o.Limit)
}

func writeBlock(m *report.Document, b *block, rows int) {
	m.Print("- **", m.Phrase(nodeName(*b.head.node)), "**")
	writeMark(m, b.head.mark, ": ")
	m.Rows("  ", len(b.rows), rows, func(i int) {
		r := &b.rows[i]
		m.Print("  - ", m.Phrase(nodeName(*r.node)), ": ", m.Phrase(phraseOf(r.ways)))
		writeMark(m, r.mark, "; ")
	})
}

// writeMark ends a line with a mark, if there is one, after a separator.
func writeMark(m *report.Document, k mark, separator string) {
	if len(k.text) > 0 {
		m.Print(separator, m.Phrase(k.text))
	}
	m.Print("\n")
}
