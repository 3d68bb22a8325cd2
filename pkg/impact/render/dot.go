package render

import (
	"fmt"
	"slices"
	"strings"
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
			i+1, dotString(dotLines(n.lines)), dotString(dotEscape(n.full)), look.name, look.fill, look.stroke, inkColour)
	}
	for _, e := range g.edges {
		fmt.Fprintf(&b, "  n%d -> n%d", e.from+1, e.to+1)
		if label := e.label(); len(label) > 0 {
			fmt.Fprintf(&b, " [label=%s]", dotString(dotLines([]phrase{label})))
		}
		b.WriteString("\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// dotLines returns lines as a label's text.
func dotLines(lines []phrase) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = dotEscape((&terminal{}).phrase(line))
	}
	return strings.Join(escaped, `\n`)
}

// dotEscape escapes what a label takes for something else: a backslash begins
// \n and \N, and an ampersand an entity of HTML.
func dotEscape(text string) string {
	return strings.NewReplacer(`\`, `\\`, "&", "&amp;").Replace(printable(text))
}

// dotString quotes a text that is escaped.
func dotString(text string) string {
	return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"`
}
