package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/pkg/internal/escape"
)

// dot returns the diagram in Graphviz's language, worst at the top.
func (g *diagram) dot() string {
	var b strings.Builder
	b.WriteString(`digraph impact {
  rankdir=LR
  ranksep=1.2
  node [shape=box, style="rounded,filled", fontname="Helvetica,Arial,sans-serif", fontsize=11, margin="0.15,0.08"]
  edge [fontname="Helvetica,Arial,sans-serif", fontsize=9, color="#6e7781", fontcolor="#57606a"]
`)
	// Graphviz draws parts that hang together from the bottom up.
	for i, n := range slices.Backward(g.nodes) {
		look := looks[n.class]
		fmt.Fprintf(&b, "  n%d [label=%s, tooltip=%s, class=%s, fillcolor=%q, color=%q, fontcolor=%q]\n",
			i+1, escape.Dot(plainLines(n.lines)...), escape.Dot(n.full), look.name, look.fill, look.stroke, inkColour)
	}
	for _, e := range g.edges {
		fmt.Fprintf(&b, "  n%d -> n%d", e.from+1, e.to+1)
		if label := e.label(); len(label) > 0 {
			fmt.Fprintf(&b, " [label=%s]", escape.Dot((&terminal{}).phrase(label)))
		}
		b.WriteString("\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// plainLines returns lines of a box as a terminal shows them, without colours.
func plainLines(lines []phrase) []string {
	all := make([]string, len(lines))
	for i, line := range lines {
		all[i] = (&terminal{}).phrase(line)
	}
	return all
}
