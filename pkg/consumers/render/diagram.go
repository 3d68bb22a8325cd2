package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/pkg/consumers"
	"github.com/confighash/confighash/pkg/internal/escape"
	"github.com/confighash/confighash/pkg/usage"
)

// longestName is how many characters of a name a box shows.
const longestName = 48

// A diagram has users on its left, objects on their right, and what makes an object
// on the right of that. What has no edge is not in it.
type diagram struct {
	boxes  []box
	arrows []arrow
}

// A box is a resource.
type box struct {
	class class
	lines []string
	mark  string // in words of this package, "" where there is none
	id    string // of the node
}

// An arrow leads from a user to an object, or from an object to what makes it.
type arrow struct {
	from, to int // indices of boxes
	label    string
	detail   string // the label with the keys
	dashed   bool   // no container gets the object by it
}

// A class says how a box is drawn.
type class uint8

const (
	workloadClass class = iota
	readerClass
	objectClass
	missingClass
	optionalClass
	knownClass
)

// looks are the classes' names and colours. Text is dark on a light ground, so
// that it is read on a dark page too.
var looks = [...]struct {
	name, fill, stroke string
	dashed             bool
}{
	workloadClass: {"workload", "#ddf4ff", "#0969da", false},
	readerClass:   {"reader", "#eaeef2", "#6e7781", false},
	objectClass:   {"object", "#dafbe1", "#1a7f37", false},
	missingClass:  {"missing", "#ffd8d3", "#cf222e", true},
	optionalClass: {"optional", "#fff1c2", "#bf8700", true},
	knownClass:    {"known", "#eaeef2", "#6e7781", true},
}

// inkColour is the colour of a box's text.
const inkColour = "#1f2328"

// diagramOf returns the diagram of a graph.
func diagramOf(g *consumers.Graph) *diagram {
	d := &diagram{}
	boxes := map[string]int{}
	workloads := map[string]bool{}
	for i := range g.Workloads {
		workloads[g.Workloads[i].ID] = true
	}
	x := newIndex(g)
	boxOf := func(n *consumers.Node) int {
		at, known := boxes[n.ID]
		if !known {
			b := box{class: readerClass, id: n.ID, lines: []string{
				escape.Shortened(n.Kind, longestName), escape.Shortened(strings.TrimPrefix(n.String(), n.Kind+" "), longestName),
			}}
			if o := x.objects[n.ID]; o != nil {
				b.object(o)
			} else if workloads[n.ID] {
				b.class = workloadClass
			}
			at = len(d.boxes)
			d.boxes = append(d.boxes, b)
			boxes[n.ID] = at
		}
		return at
	}
	for i := 0; i < len(g.Edges); {
		e := &g.Edges[i]
		a := arrow{from: boxOf(x.nodes[e.From]), to: boxOf(x.nodes[e.To]), dashed: true}
		var labels, details []string
		for ; i < len(g.Edges) && g.Edges[i].From == e.From && g.Edges[i].To == e.To; i++ {
			w := way{string(g.Edges[i].Via), nil, g.Edges[i].Optional}
			labels = append(labels, w.words(escape.Printable))
			w.keys = g.Edges[i].Keys
			details = append(details, w.words(escape.Printable))
			a.dashed = a.dashed && g.Edges[i].Via == usage.Reference
		}
		a.label, a.detail = strings.Join(slices.Compact(labels), ", "), strings.Join(details, ", ")
		d.arrows = append(d.arrows, a)
	}
	for i := range g.Objects {
		o := &g.Objects[i]
		at, drawn := boxes[o.ID]
		if !drawn {
			continue
		}
		for j := range o.MadeBy {
			d.arrows = append(d.arrows, arrow{from: at, to: boxOf(&o.MadeBy[j]), label: "made by", detail: "made by", dashed: true})
		}
	}
	return d
}

// object draws the box of an object.
func (b *box) object(o *consumers.Object) {
	switch {
	case o.Missing && o.Optional:
		b.class = optionalClass
	case o.Missing:
		b.class = missingClass
	case o.Known:
		b.class = knownClass
	default:
		b.class = objectClass
	}
	switch m := markOf(o); {
	case len(o.MadeBy) > 0: // arrows tell
	case len(m.nodes) > 0:
		shown, more := folded(m.nodes)
		for i := range shown {
			b.lines = append(b.lines, "makes "+escape.Shortened(shown[i].String(), longestName))
		}
		if more > 0 {
			b.lines = append(b.lines, fmt.Sprintf("and %d more", more))
		}
	case m.text != "":
		b.mark = m.text
	}
}

// dot returns the diagram in Graphviz's language.
func (d *diagram) dot() string {
	var b strings.Builder
	b.WriteString(`digraph consumers {
  rankdir=LR
  ranksep=1.2
  node [shape=box, style="rounded,filled", fontname="Helvetica,Arial,sans-serif", fontsize=11, margin="0.15,0.08"]
  edge [fontname="Helvetica,Arial,sans-serif", fontsize=9, color="#6e7781", fontcolor="#57606a"]
`)
	for i := len(d.boxes) - 1; i >= 0; i-- { // Graphviz draws from the bottom up
		x := &d.boxes[i]
		look := looks[x.class]
		style := ""
		if look.dashed {
			style = `, style="rounded,filled,dashed"`
		}
		lines := x.lines
		if x.mark != "" {
			lines = append(lines, x.mark)
		}
		fmt.Fprintf(&b, "  n%d [label=%s, tooltip=%s, class=%s, fillcolor=%q, color=%q, fontcolor=%q%s]\n",
			i+1, escape.Dot(lines...), escape.Dot(x.id), look.name, look.fill, look.stroke, inkColour, style)
	}
	for _, a := range d.arrows {
		style := ""
		if a.dashed {
			style = ", style=dashed"
		}
		fmt.Fprintf(&b, "  n%d -> n%d [label=%s, tooltip=%s%s]\n", a.from+1, a.to+1, escape.Dot(a.label), escape.Dot(a.detail), style)
	}
	b.WriteString("}\n")
	return b.String()
}

// Mermaid refuses a diagram of more than 500 edges or 50,000 characters. One is no
// longer read by a person well before.
const (
	mostArrows     = 80
	longestMermaid = 40_000
)

// mermaid returns the diagram as a flowchart.
func (d *diagram) mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	classes := make([][]string, len(looks))
	for i := range d.boxes {
		x := &d.boxes[i]
		id := fmt.Sprintf("n%d", i+1)
		lines := make([]string, 0, len(x.lines)+1)
		for _, line := range x.lines {
			lines = append(lines, escape.Mermaid(line))
		}
		if x.mark != "" {
			lines = append(lines, escape.MermaidWords(x.mark))
		}
		fmt.Fprintf(&b, "  %s[\"%s\"]\n", id, strings.Join(lines, "<br/>"))
		classes[x.class] = append(classes[x.class], id)
	}
	for _, a := range d.arrows {
		line := "-->"
		if a.dashed {
			line = "-.->"
		}
		fmt.Fprintf(&b, "  n%d %s|\"%s\"| n%d\n", a.from+1, line, escape.MermaidWords(a.label), a.to+1)
	}
	for c, ids := range classes {
		if len(ids) == 0 {
			continue
		}
		look := looks[c]
		dashes := ""
		if look.dashed {
			dashes = ",stroke-dasharray:5 4"
		}
		fmt.Fprintf(&b, "  classDef %s fill:%s,stroke:%s,color:%s%s\n", look.name, look.fill, look.stroke, inkColour, dashes)
		fmt.Fprintf(&b, "  class %s %s\n", strings.Join(ids, ","), look.name)
	}
	return b.String()
}
