package render

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/report"
)

// mostLines is how many keys or fields a box tells of.
const mostLines = 6

// An edge leads from the box of a cause to that of a workload.
type edge struct {
	from, to int
	via      []string
}

// The looks of boxes.
const (
	causeLook = iota
	alarmLook
	warnLook
	calmLook
)

var looks = []report.Look{
	causeLook: {Name: "cause", Fill: "#ddf4ff", Stroke: "#0969da"},
	alarmLook: {Name: "alarm", Fill: "#ffd8d3", Stroke: "#cf222e"},
	warnLook:  {Name: "warn", Fill: "#fff1c2", Stroke: "#bf8700"},
	calmLook:  {Name: "calm", Fill: "#eaeef2", Stroke: "#6e7781"},
}

// drawn returns the diagram of a report: causes on its left and workloads on its
// right. Workloads to which something happens without a cause are not in it.
func drawn(r *impact.Report) *report.Diagram {
	g := &report.Diagram{Name: "impact", Looks: looks}
	var edges []edge
	keys := map[impact.Ref][]impact.Key{}
	for i := range r.Objects {
		keys[r.Objects[i].Ref] = r.Objects[i].Keys
	}
	objects := map[impact.Ref]int{}
	ofFields := map[[sha256.Size]byte]int{}
	for i := range r.Workloads {
		w := &r.Workloads[i]
		if len(w.Causes) == 0 {
			continue
		}
		to := g.Add(workloadBox(w))
		var fields []*impact.Cause
		for j := range w.Causes {
			c := &w.Causes[j]
			if c.Object == nil {
				fields = append(fields, c)
				continue
			}
			at, known := objects[*c.Object]
			if !known {
				at = g.Add(objectBox(c, keys[*c.Object]))
				objects[*c.Object] = at
			}
			edges = connect(edges, at, to, c.Via)
		}
		if len(fields) > 0 {
			// Workloads of which the same fields differ have one box of them.
			id := sumOf(fields)
			at, known := ofFields[id]
			if !known {
				at = g.Add(report.Box{Lines: folded(fields, fieldPhrase)})
				ofFields[id] = at
			}
			edges = connect(edges, at, to, nil)
		}
	}
	for _, e := range edges {
		g.Connect(report.Arrow{From: e.from, To: e.to, Label: report.Enumerate(e.via, report.Names)})
	}
	return g
}

// sumOf returns what fields have in common with the same ones of another workload.
func sumOf(fields []*impact.Cause) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, c := range fields {
		fmt.Fprintf(h, "%q %q %q %q\n", c.Change, c.From, c.To, fieldName(c.Field).String())
	}
	h.Sum(sum[:0])
	return sum
}

// connect adds an edge, or ways to the edge that is there.
func connect(edges []edge, from, to int, via []string) []edge {
	for i := len(edges) - 1; i >= 0 && edges[i].to == to; i-- {
		e := &edges[i]
		if e.from != from {
			continue
		}
		for _, v := range via {
			if !slices.Contains(e.via, v) {
				e.via = append(slices.Clip(e.via), v)
			}
		}
		return edges
	}
	return append(edges, edge{from, to, via})
}

func workloadBox(w *impact.Workload) report.Box {
	line := told(w.Effect).tag
	if w.Accepted {
		line += ", accepted"
	}
	if w.Replicas != nil {
		line += ", " + replicasText(*w.Replicas)
	}
	return report.Box{
		Look:  [...]int{report.Calm: calmLook, report.Warns: warnLook, report.Alarms: alarmLook}[toneOf(w)],
		Lines: append(refLines(w.Ref), report.Words(line)),
		Tip:   refID(w.Ref),
	}
}

// objectBox is the box of an object with the keys that differ, whoever consumes
// them.
func objectBox(c *impact.Cause, keys []impact.Key) report.Box {
	if keys == nil {
		keys = c.Keys
	}
	lines := folded(keys, func(k impact.Key) report.Phrase {
		return report.Phrase{report.Name(k.Name), report.Word(" " + verb(k.Change))}
	})
	if len(lines) == 0 {
		lines = []report.Phrase{report.Words(verb(c.Change))}
	}
	return report.Box{Lines: append(refLines(*c.Object), lines...), Tip: refID(*c.Object)}
}

// refLines name a resource in two lines.
func refLines(r impact.Ref) []report.Phrase {
	place := r.Name
	if r.Namespace != "" {
		place = r.Namespace + "/" + r.Name
	}
	return []report.Phrase{report.Names(r.Kind), report.Names(place)}
}

func refID(r impact.Ref) string { return r.APIVersion + " " + r.String() }

// folded returns a line for each of the first few elements, and counts the others.
func folded[T any](all []T, tell func(T) report.Phrase) []report.Phrase {
	shown, more := report.First(all, mostLines)
	var lines []report.Phrase
	for _, one := range shown {
		lines = append(lines, tell(one))
	}
	if more > 0 {
		lines = append(lines, report.Phrase{report.Fold(more)})
	}
	return lines
}
