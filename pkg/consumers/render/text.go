package render

import (
	"strings"
	"unicode/utf8"

	"github.com/confighash/confighash/pkg/consumers"
	"github.com/confighash/confighash/pkg/internal/escape"
)

// widest is how far a name pushes the column beside it.
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
}

// text writes a graph for a person.
func text(g *consumers.Graph, o Options) string {
	l := listOf(g, o.By)
	t := &terminal{colours: o.Colours}
	t.WriteString(t.paint(bold, l.sum) + "\n")
	width := 0
	for i := range l.blocks {
		for _, r := range l.blocks[i].rows {
			if w := utf8.RuneCountInString(nameOf(r.node)); w <= widest {
				width = max(width, w)
			}
		}
	}
	for i := range l.blocks {
		b := &l.blocks[i]
		t.WriteString("\n" + t.paint(bold, nameOf(b.head.node)))
		t.mark(b.head.mark, ": ")
		t.WriteString("\n")
		for _, r := range b.rows {
			name := nameOf(r.node)
			t.WriteString("  " + name + strings.Repeat(" ", max(width-utf8.RuneCountInString(name), 0)+2) + waysText(r.ways))
			t.mark(r.mark, "; ")
			t.WriteString("\n")
		}
	}
	for _, s := range l.rest {
		t.WriteString("\n" + s.title + ":\n")
		for _, r := range s.rows {
			t.WriteString("  " + nameOf(r.node))
			t.mark(r.mark, ": ")
			t.WriteString("\n")
		}
	}
	return t.String()
}

// mark writes a mark, if there is one, after a separator.
func (t *terminal) mark(m mark, separator string) {
	if m.text == "" {
		return
	}
	t.WriteString(separator + t.paint([...]string{calm: faint, warns: yellow, alarms: red}[m.tone], m.words(escape.Printable)))
}

// paint returns text in a colour, where there are colours.
func (t *terminal) paint(colour, text string) string {
	if !t.colours {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

func nameOf(n *consumers.Node) string { return escape.Printable(n.String()) }

// waysText lists ways with their keys.
func waysText(ways []way) string {
	parts := make([]string, len(ways))
	for i, w := range ways {
		parts[i] = w.words(escape.Printable)
	}
	return strings.Join(parts, ", ")
}
