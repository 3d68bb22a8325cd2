package render

import (
	"fmt"
	"strings"
	"unicode"
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
			b.WriteString(mermaidEscape(s.text, true))
		} else {
			b.WriteString(mermaidEscape(printable(s.text), false))
		}
	}
	return b.String()
}

// mermaidEscape writes what may be more than text as entities of Mermaid. A label
// is read as Markdown, in which a full stop may make a list or a link. Before
// that the whole diagram is searched for lines with a colon and a hash behind the
// word style, for "direction LR" and for %%{, in labels too; and Mermaid keeps an
// entity as ﬂ°°35¶ß meanwhile.
func mermaidEscape(text string, spaces bool) string {
	var b strings.Builder
	runes := []rune(text)
	alnum := func(i int) bool {
		return i >= 0 && i < len(runes) && runes[i] < unicode.MaxASCII && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	link := strings.Contains(strings.ToLower(text), "www.")
	for i, r := range runes {
		raw := alnum(i)
		switch r {
		case '/', ',', '(':
			raw = true
		case ' ':
			raw = spaces
		case '-', '_':
			raw = alnum(i-1) && alnum(i+1)
		case '.':
			raw = alnum(i-1) && alnum(i+1) && !link
		case ')':
			raw = i > 0 && !unicode.IsDigit(runes[i-1])
		case 'ﬂ', 'ß', '°', '¶':
		default:
			raw = raw || r > unicode.MaxASCII
		}
		if raw {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
