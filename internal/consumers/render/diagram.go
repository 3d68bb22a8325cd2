package render

import (
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/usage"
)

// The looks of boxes.
const (
	workloadLook = iota
	readerLook
	objectLook
	missingLook
	optionalLook
	knownLook
)

var looks = []report.Look{
	workloadLook: {Name: "workload", Fill: "#ddf4ff", Stroke: "#0969da"},
	readerLook:   {Name: "reader", Fill: "#eaeef2", Stroke: "#6e7781"},
	objectLook:   {Name: "object", Fill: "#dafbe1", Stroke: "#1a7f37"},
	missingLook:  {Name: "missing", Fill: "#ffd8d3", Stroke: "#cf222e", Dashed: true},
	optionalLook: {Name: "optional", Fill: "#fff1c2", Stroke: "#bf8700", Dashed: true},
	knownLook:    {Name: "known", Fill: "#eaeef2", Stroke: "#6e7781", Dashed: true},
}

// drawn returns the diagram of a graph: users on its left, objects on their right,
// and what makes an object on the right of that. What has no edge is not in it.
func drawn(g *usage.Graph) *report.Diagram {
	d := &report.Diagram{Name: "consumers", Looks: looks}
	boxes := map[string]int{}
	workloads := map[string]bool{}
	for i := range g.Workloads {
		workloads[g.Workloads[i].ID] = true
	}
	x := newIndex(g)
	boxOf := func(n *usage.Node) int {
		at, known := boxes[n.ID]
		if !known {
			b := report.Box{Look: readerLook, Tip: n.ID, Lines: []report.Phrase{
				report.Names(n.Kind), report.Names(strings.TrimPrefix(n.String(), n.Kind+" ")),
			}}
			if o := x.objects[n.ID]; o != nil {
				b.Look = lookOf(o)
				b.Lines = append(b.Lines, markLines(o)...)
			} else if workloads[n.ID] {
				b.Look = workloadLook
			}
			at = d.Add(b)
			boxes[n.ID] = at
		}
		return at
	}
	for i := 0; i < len(g.Edges); {
		e := &g.Edges[i]
		// It is dashed where no container gets the object by it.
		a := report.Arrow{From: boxOf(x.nodes[e.From]), To: boxOf(x.nodes[e.To]), Dashed: true}
		var labels []string
		var ways []way
		for ; i < len(g.Edges) && g.Edges[i].From == e.From && g.Edges[i].To == e.To; i++ {
			w := way{string(g.Edges[i].Via), g.Edges[i].Keys, g.Edges[i].Optional}
			labels, ways = append(labels, w.words()), append(ways, w)
			a.Dashed = a.Dashed && g.Edges[i].Via == catalog.ViaReference
		}
		a.Label, a.Tip = report.Words(strings.Join(slices.Compact(labels), ", ")), phraseOf(ways)
		d.Connect(a)
	}
	for i := range g.Objects {
		o := &g.Objects[i]
		at, drawn := boxes[o.ID]
		if !drawn {
			continue
		}
		madeBy := report.Words("made by")
		for j := range o.MadeBy {
			d.Connect(report.Arrow{From: at, To: boxOf(&o.MadeBy[j]), Label: madeBy, Tip: madeBy, Dashed: true})
		}
	}
	return d
}

func lookOf(o *usage.Object) int {
	switch {
	case o.Missing && o.Optional:
		return optionalLook
	case o.Missing:
		return missingLook
	case o.Known:
		return knownLook
	}
	return objectLook
}

// markLines tell in a box of what is special about an object.
func markLines(o *usage.Object) []report.Phrase {
	switch m := markOf(o); {
	case len(o.MadeBy) > 0: // arrows tell
		return nil
	case len(o.Makes) > 0 && !o.Missing:
		shown, more := report.First(o.Makes, report.Most)
		var lines []report.Phrase
		for i := range shown {
			lines = append(lines, report.Names("makes "+shown[i].String()))
		}
		if more > 0 {
			lines = append(lines, report.Phrase{report.Fold(more)})
		}
		return lines
	case len(m.text) > 0:
		return []report.Phrase{m.text}
	}
	return nil
}
