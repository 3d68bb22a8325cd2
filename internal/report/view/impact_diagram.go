package view

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/report"
)

// mostLines is how many keys or fields a box shows.
const mostLines = 6

// The looks of boxes.
const (
	causeLook = iota
	alarmLook
	warnLook
	calmLook
)

var impactLooks = []report.Look{
	causeLook: {Name: "cause", Fill: "#ddf4ff", Stroke: "#0969da"},
	alarmLook: {Name: "alarm", Fill: "#ffd8d3", Stroke: "#cf222e"},
	warnLook:  {Name: "warn", Fill: "#fff1c2", Stroke: "#bf8700"},
	calmLook:  {Name: "calm", Fill: "#eaeef2", Stroke: "#6e7781"},
}

// An impactDiagram is a diagram in the making.
type impactDiagram struct {
	report.Diagram
	// keys are those that differ, whoever consumes them.
	keys map[impact.Ref][]impact.Key
	// boxes are those of objects, by their Ref, and those of fields, by their sum.
	boxes map[any]int
	// arrows are in the order in which ways was filled.
	arrows []ends
	ways   map[ends][]string
}

// ends are the boxes of an arrow.
type ends struct{ from, to int }

// Diagram has causes on its left and workloads on its right. It leaves out workloads to
// which something happens without a cause.
func (v impactView) Diagram() *report.Diagram {
	d := &impactDiagram{keys: map[impact.Ref][]impact.Key{}, boxes: map[any]int{}, ways: map[ends][]string{}}
	d.Name, d.Title, d.Looks = "impact", "Causes and workloads", impactLooks
	for i := range v.Objects {
		d.keys[v.Objects[i].Ref] = v.Objects[i].Keys
	}
	for i := range v.Workloads {
		if w := &v.Workloads[i]; len(w.Causes) > 0 {
			d.workload(w)
		}
	}
	for _, e := range d.arrows {
		d.Connect(report.Arrow{From: e.from, To: e.to, Label: report.Enumerate(d.ways[e], report.Names)})
	}
	return &d.Diagram
}

// workload adds a workload and its causes.
func (d *impactDiagram) workload(w *impact.Workload) {
	line := outcomeOf(w.Effect).tag
	if w.Accepted {
		line += ", accepted"
	}
	if w.Replicas != nil {
		line += ", " + replicasText(*w.Replicas)
	}
	look := map[report.Tone]int{report.Calm: calmLook, report.Warns: warnLook, report.Alarms: alarmLook}[toneOf(w)]
	to := d.Add(refBox(look, w.Ref, []report.Phrase{report.Words(line)}))
	var fields []*impact.Cause
	for i := range w.Causes {
		c := &w.Causes[i]
		if c.Object == nil {
			fields = append(fields, c)
			continue
		}
		d.connect(d.box(*c.Object, func() report.Box { return d.objectBox(c) }), to, c.Via)
	}
	if len(fields) > 0 {
		// Workloads with the same changed fields share a box.
		from := d.box(sumOf(fields), func() report.Box {
			return report.Box{Lines: some(fields, mostLines, func(c **impact.Cause) report.Phrase { return fieldPhrase(*c) })}
		})
		d.connect(from, to, nil)
	}
}

// box returns the box of a cause, made if need be.
func (d *impactDiagram) box(id any, made func() report.Box) int {
	at, known := d.boxes[id]
	if !known {
		at = d.Add(made())
		d.boxes[id] = at
	}
	return at
}

// connect adds an arrow, or ways to the arrow that is there.
func (d *impactDiagram) connect(from, to int, via []string) {
	e := ends{from, to}
	ways, known := d.ways[e]
	if !known {
		d.arrows = append(d.arrows, e)
	}
	for _, v := range via {
		if !slices.Contains(ways, v) {
			ways = append(ways, v)
		}
	}
	d.ways[e] = ways
}

// sumOf returns what is the same for workloads with the same changed fields.
func sumOf(fields []*impact.Cause) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, c := range fields {
		fmt.Fprintf(h, "%q %q %q %q\n", c.Change, c.From, c.To, fieldName(c.Field).String())
	}
	h.Sum(sum[:0])
	return sum
}

// objectBox is the box of an object with the keys that differ.
func (d *impactDiagram) objectBox(c *impact.Cause) report.Box {
	keys := d.keys[*c.Object]
	if keys == nil {
		keys = c.Keys
	}
	lines := some(keys, mostLines, keyPhrase)
	if len(lines) == 0 {
		lines = []report.Phrase{report.Words(verb(c.Change))}
	}
	return refBox(causeLook, *c.Object, lines)
}

// refBox is a box with the name of a resource in two lines above others.
func refBox(look int, r impact.Ref, lines []report.Phrase) report.Box {
	place := r.Name
	if r.Namespace != "" {
		place = r.Namespace + "/" + r.Name
	}
	return report.Box{
		Look: look, Tip: r.APIVersion + " " + r.String(),
		Lines: append([]report.Phrase{report.Names(r.Kind), report.Names(place)}, lines...),
	}
}
