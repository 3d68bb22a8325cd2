package render

import (
	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/report"
)

// Marker is the first line of Markdown, by which a bot finds the comment that it
// wrote earlier.
const Marker = "<!-- confighash impact -->"

// markdown writes the report for a comment of at most so many bytes.
func markdown(r *impact.Report, limit int) string {
	all := sections(r)
	p := report.Page{Marker: Marker, Sum: sum(r), Command: "impact", What: "workload", Diagram: drawn(r)}
	for _, s := range all {
		p.Longest = max(p.Longest, len(s.rows))
	}
	p.Body = func(m *report.Document, rows int) {
		for _, s := range all {
			m.List(capital(s.tag)+": "+s.title, len(s.rows), rows, func(i int) { writeRow(m, &s.rows[i]) })
		}
		m.Diagram("\n#### Causes and workloads\n")
	}
	return p.Within(limit)
}

func writeRow(m *report.Document, r *row) {
	m.Print("- **", m.Phrase(r.what[:1]), "**", m.Phrase(r.what[1:]))
	for _, column := range r.columns {
		if len(column) > 0 {
			m.Print(" · ", m.Phrase(column))
		}
	}
	m.Print("\n")
	for _, d := range r.details {
		m.Print("  - ")
		if d.label != "" {
			m.Print(d.label, ": ")
		}
		m.Print(m.Phrase(d.text), "\n")
	}
}
