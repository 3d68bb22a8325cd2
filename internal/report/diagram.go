package report

import (
	"fmt"
	"slices"
	"strings"
)

// A Diagram has boxes, and arrows from left to right.
type Diagram struct {
	// Name is the graph's name in Graphviz, where "graph" is a keyword.
	Name string
	// Title is the diagram's heading in Markdown, after the lists. Without a title, the diagram comes before them.
	Title string
	// Note says what is left out, if anything.
	Note   string
	Looks  []*Look
	Boxes  []Box
	Arrows []Arrow
	keys   map[any]int
}

// A Look is a style for boxes. Their text is dark on a light background, so that it is legible on a dark page too.
type Look struct {
	// Name has lower-case letters. Meaning is for a legend.
	Name, Meaning, Fill, Stroke string
	Dashed                      bool
}

// ink is the text colour of boxes.
const ink = "#1f2328"

// A Box has lines of text.
type Box struct {
	// Look is one of the diagram's.
	Look  *Look
	Lines []Phrase
	// Tip is shown when a pointer rests on the box.
	Tip string
	// Name is the box's name within a group, and Many the plural noun for such boxes, such as "workloads"; both may be
	// empty.
	Name Phrase
	Many string
	// All are the names of the boxes that a group stands for.
	All []string
}

// An Arrow leads from one box to another.
type Arrow struct {
	// From and To are indices of boxes.
	From, To int
	Label    Phrase
	// Tip is shown when a pointer rests on the label.
	Tip    Phrase
	Dashed bool
}

// Box returns the index of the box with a key, which must be comparable. It adds the box if it is missing.
func (d *Diagram) Box(key any, box func() Box) int {
	at, known := d.keys[key]
	if !known {
		if d.keys == nil {
			d.keys = map[any]int{}
		}
		at = len(d.Boxes)
		d.keys[key] = at
		d.Boxes = append(d.Boxes, box())
	}
	return at
}

// longestName bounds how many characters of a name a diagram shows.
const longestName = 48

// Shortened cuts the middle out of long names, for boxes and labels.
func (p Phrase) Shortened() Phrase {
	short := slices.Clone(p)
	for i := range short {
		s := &short[i]
		if s.short != "" {
			s.text = s.short
		}
		if s.kind != word {
			s.text = shortened(s.text, longestName)
		}
	}
	return short
}

// Mermaid returns the diagram as a flowchart.
func (d *Diagram) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	alike := map[*Look][]string{} // the boxes of each look
	for i, box := range d.Boxes {
		id := fmt.Sprintf("n%d", i+1)
		fmt.Fprintf(&b, "  %s[\"%s\"]\n", id, strings.Join(box.lines(Phrase.mermaid), "<br/>"))
		alike[box.Look] = append(alike[box.Look], id)
	}
	for _, a := range d.Arrows {
		line := "-->"
		if a.Dashed {
			line = "-.->"
		}
		if label := a.Label.mermaid(); label != "" {
			line += `|"` + label + `"|`
		}
		fmt.Fprintf(&b, "  n%d %s n%d\n", a.From+1, line, a.To+1)
	}
	for _, look := range d.legend() {
		dashes := ""
		if look.Dashed {
			dashes = ",stroke-dasharray:5 4"
		}
		fmt.Fprintf(&b, "  classDef %s fill:%s,stroke:%s,color:%s%s\n", look.Name, look.Fill, look.Stroke, ink, dashes)
		fmt.Fprintf(&b, "  class %s %s\n", strings.Join(alike[look], ","), look.Name)
	}
	return b.String()
}

func (b *Box) lines(write func(Phrase) string) []string {
	lines := make([]string, len(b.Lines))
	for i, line := range b.Lines {
		lines[i] = write(line)
	}
	return lines
}

func (p Phrase) short() string { return p.Shortened().String() }

// mermaid returns a phrase as part of a quoted label.
func (p Phrase) mermaid() string {
	var b strings.Builder
	for _, s := range p.Shortened() {
		if s.kind == word || s.kind == fold {
			b.WriteString(mermaid(s.text, true))
		} else {
			b.WriteString(mermaid(Printable(s.text), false))
		}
	}
	return b.String()
}

// Dot returns the diagram in Graphviz's language, with its first box at the top.
func (d *Diagram) Dot() string {
	const font = `fontname="Helvetica,Arial,sans-serif"`
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n  rankdir=LR\n  ranksep=1.2\n  graph [label=%s, %s, fontsize=10]\n", d.Name, dot(d.Note), font)
	fmt.Fprintf(&b, "  node [shape=box, style=\"rounded,filled\", %s, fontsize=11, margin=\"0.15,0.08\"]\n", font)
	if looks := d.legend(); len(looks) > 0 {
		b.WriteString("  subgraph cluster_legend {\n    label=legend\n    color=\"#6e7781\"\n")
		for _, look := range looks {
			fmt.Fprintf(&b, "    %s [label=%s, %s, fontsize=9, height=0.2, margin=\"0.1,0.04\"]\n", look.Name, dot(look.Meaning), look.dot())
		}
		b.WriteString("  }\n")
	}
	fmt.Fprintf(&b, "  edge [%s, fontsize=9, color=\"#6e7781\", fontcolor=\"#57606a\"]\n", font)
	// Graphviz draws connected components from the bottom up.
	for i, box := range slices.Backward(d.Boxes) {
		fmt.Fprintf(&b, "  n%d [label=%s, tooltip=%s, %s]\n", i+1, dot(box.lines(Phrase.short)...), dot(box.Tip), box.Look.dot())
	}
	for _, a := range d.Arrows {
		fmt.Fprintf(&b, "  n%d -> n%d%s\n", a.From+1, a.To+1, a.attributes())
	}
	b.WriteString("}\n")
	return b.String()
}

// dot returns the Graphviz attributes of a look.
func (l *Look) dot() string {
	style := ""
	if l.Dashed {
		style = `, style="rounded,filled,dashed"`
	}
	return fmt.Sprintf("class=%s, fillcolor=%q, color=%q, fontcolor=%q%s", l.Name, l.Fill, l.Stroke, ink, style)
}

// attributes returns the Graphviz attributes of an arrow, in brackets after a space.
func (a *Arrow) attributes() string {
	var all []string
	if len(a.Label) > 0 {
		all = append(all, "label="+dot(a.Label.short()))
	}
	if len(a.Tip) > 0 {
		all = append(all, "tooltip="+dot(a.Tip.String()))
	}
	if a.Dashed {
		all = append(all, "style=dashed")
	}
	if len(all) == 0 {
		return ""
	}
	return " [" + strings.Join(all, ", ") + "]"
}
