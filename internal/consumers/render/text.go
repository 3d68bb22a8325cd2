package render

import (
	"strings"

	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/usage"
)

// A terminal is what text is written for.
type terminal struct{ report.Terminal }

// text writes a graph for a person.
func text(g *usage.Graph, o Options) string {
	l := listOf(g, o.By)
	t := &terminal{report.Terminal{Colours: o.Colours}}
	t.Print(t.Bold(l.sum), "\n")
	width := 0
	for i := range l.blocks {
		for _, r := range l.blocks[i].rows {
			width = report.Wider(width, nodeName(*r.node))
		}
	}
	for i := range l.blocks {
		b := &l.blocks[i]
		t.Print("\n", t.Bold(t.Phrase(nodeName(*b.head.node))))
		t.mark(b.head.mark, ": ")
		for _, r := range b.rows {
			name := nodeName(*r.node)
			t.Print("  ", t.Phrase(name), strings.Repeat(" ", max(width-report.Width(name), 0)+2), t.Phrase(phraseOf(r.ways)))
			t.mark(r.mark, "; ")
		}
	}
	for _, s := range l.rest {
		t.Print("\n", s.title, ":\n")
		for _, r := range s.rows {
			t.Print("  ", t.Phrase(nodeName(*r.node)))
			t.mark(r.mark, ": ")
		}
	}
	return t.Text()
}

// mark ends a line with a mark, if there is one, after a separator.
func (t *terminal) mark(m mark, separator string) {
	if len(m.text) > 0 {
		told := t.Phrase(m.text)
		if m.tone == report.Calm {
			told = t.Faint(told)
		}
		t.Print(separator, t.Toned(m.tone, told))
	}
	t.Print("\n")
}
