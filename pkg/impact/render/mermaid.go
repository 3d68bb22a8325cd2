package render

import (
	"fmt"
	"strings"

	"github.com/confighash/confighash/pkg/internal/escape"
)

// Mermaid refuses a diagram of more than 500 edges or 50,000 characters. One is
// no longer read by a person well before.
const (
	mostEdges      = 80
	longestMermaid = 40_000
)

// mermaid returns the diagram as a flowchart.
func (g *diagram) mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	classes := make([][]string, len(looks))
	for i, n := range g.nodes {
		id := fmt.Sprintf("n%d", i+1)
		lines := make([]string, len(n.lines))
		for j, line := range n.lines {
			lines[j] = mermaidPhrase(line)
		}
		fmt.Fprintf(&b, "  %s[\"%s\"]\n", id, strings.Join(lines, "<br/>"))
		classes[n.class] = append(classes[n.class], id)
	}
	for _, e := range g.edges {
		label := mermaidPhrase(e.label())
		if label != "" {
			label = `|"` + label + `"|`
		}
		fmt.Fprintf(&b, "  n%d -->%s n%d\n", e.from+1, label, e.to+1)
	}
	for c, ids := range classes {
		if len(ids) == 0 {
			continue
		}
		look := looks[c]
		fmt.Fprintf(&b, "  classDef %s fill:%s,stroke:%s,color:%s\n", look.name, look.fill, look.stroke, inkColour)
		fmt.Fprintf(&b, "  class %s %s\n", strings.Join(ids, ","), look.name)
	}
	return b.String()
}

// mermaidPhrase returns a phrase as part of a quoted label.
func mermaidPhrase(p phrase) string {
	var b strings.Builder
	for _, s := range p {
		if s.kind == word || s.kind == fold {
			b.WriteString(escape.MermaidWords(s.text))
		} else {
			b.WriteString(escape.Mermaid(s.text))
		}
	}
	return b.String()
}
