package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/usage"
)

// An Order is what a graph's page groups by.
type Order string

// The orders.
const (
	ByObject   Order = "object"   // each object with its users
	ByWorkload Order = "workload" // each workload, or other user, with its objects
)

// Orders returns the names of all orders.
func Orders() []string { return []string{string(ByObject), string(ByWorkload)} }

type graphView struct {
	*usage.Graph
	by Order
	// nodes are all nodes by ID; workloads and objects are subsets.
	nodes     map[string]*usage.Node
	workloads map[string]bool
	objects   map[string]*usage.Object
	// uses are the edges, grouped by their two nodes.
	uses [][]usage.Edge
}

// Graph returns the view of who uses what. An empty order is ByObject.
func Graph(g *usage.Graph, by Order) report.View {
	v := &graphView{Graph: g, by: cmp.Or(by, ByObject), nodes: map[string]*usage.Node{}, workloads: map[string]bool{}, objects: map[string]*usage.Object{}}
	for _, w := range g.Workloads {
		v.nodes[w.ID], v.workloads[w.ID] = &w, true
	}
	for _, r := range g.Readers {
		v.nodes[r.ID] = &r
	}
	for _, o := range g.Objects {
		v.nodes[o.ID], v.objects[o.ID] = &o.Node, &o
	}
	for i, e := range g.Edges {
		if last := len(v.uses) - 1; i > 0 && v.uses[last][0].From == e.From && v.uses[last][0].To == e.To {
			v.uses[last] = append(v.uses[last], e)
		} else {
			v.uses = append(v.uses, g.Edges[i:i+1:i+1])
		}
	}
	return v
}

// Data returns the graph.
func (v *graphView) Data() any { return v.Graph }

// Page lists objects with their users or users with their objects, then the nodes without edges.
func (v *graphView) Page() *report.Page {
	groups := report.Section{Title: "Objects and who uses them"}
	idle := report.Section{Title: "Workloads that use nothing"}
	unused := report.Section{Title: "Nothing in the manifests refers to"}
	lines := map[string][]report.Phrase{} // by the ID of the node above them
	used := map[string]bool{}
	for _, edges := range v.uses {
		from, to := v.nodes[edges[0].From], v.nodes[edges[0].To]
		used[to.ID] = true
		ways := waysPhrase(edges)
		if v.by == ByWorkload {
			lines[from.ID] = append(lines[from.ID], nodeName(to).Word(": ").Add(withMark(ways, "; ", v.objects[to.ID])))
		} else {
			lines[to.ID] = append(lines[to.ID], nodeName(from).Word(": ").Add(ways))
		}
	}
	group := func(n *usage.Node, text report.Phrase) bool {
		below := lines[n.ID]
		if len(below) > 0 {
			groups.Rows = append(groups.Rows, report.Row{Name: nodeName(n), Text: text, Lines: below})
		}
		return len(below) > 0
	}
	if v.by == ByWorkload {
		groups.Title = "Workloads and what they use"
		for i := range v.Workloads {
			if w := &v.Workloads[i]; !group(w, nil) {
				idle.Rows = append(idle.Rows, report.Row{Text: nodeName(w)})
			}
		}
		for i := range v.Readers {
			group(&v.Readers[i], nil)
		}
	}
	for _, o := range v.Objects {
		var text report.Phrase
		if v.by != ByWorkload {
			text = withMark(nil, ": ", &o)
		}
		group(&o.Node, text)
		if !used[o.ID] {
			unused.Rows = append(unused.Rows, report.Row{Text: withMark(nodeName(&o.Node), ": ", &o)})
		}
	}
	p := &report.Page{Command: "graph", What: "resource", Title: report.Words(v.title()).Toned(report.Bold)}
	for _, s := range []report.Section{groups, idle, unused} {
		p.Add(s)
	}
	return p
}

func (v *graphView) title() string {
	users, used := map[string]bool{}, map[string]bool{}
	for i := range v.Edges {
		users[v.Edges[i].From], used[v.Edges[i].To] = true, true
	}
	workloads := count(v.Workloads, func(n *usage.Node) bool { return users[n.ID] })
	others := "resource"
	if workloads > 0 {
		others = "other resource"
	}
	who := counted(counted(nil, workloads, "workload", "workloads"), len(users)-workloads, others, others+"s")
	title := "Nothing uses a ConfigMap or a Secret"
	if len(who) > 0 {
		title = fmt.Sprintf("%s %s %s", strings.Join(who, " and "), report.Choose(len(users), "uses", "use"), report.Plural(len(used), "object"))
	}
	absent := counted(nil, count(v.Objects, func(o *usage.Object) bool { return o.Missing && !o.Optional }), "missing", "missing")
	absent = counted(absent, count(v.Objects, func(o *usage.Object) bool { return o.Missing && o.Optional }), "missing but optional", "missing but optional")
	if len(absent) > 0 {
		title += " (" + strings.Join(absent, ", ") + ")"
	}
	if unused := count(v.Objects, func(o *usage.Object) bool { return !o.Missing && o.Unused }); unused > 0 {
		title += fmt.Sprintf("; %s %s unused", report.Plural(unused, "object"), report.Choose(unused, "is", "are"))
	}
	return title
}

const elsewhere = "another build"

func nodeName(n *usage.Node) report.Phrase {
	name := report.Names(n.String())
	if n.Context {
		name = name.Word(" (" + elsewhere + ")")
	}
	return name
}

func nameOf(name *string) report.Phrase { return report.Names(*name) }

func waysPhrase(edges []usage.Edge) report.Phrase {
	return report.Join(report.Some(edges, len(edges), wayPhrase)...)
}

// wayPhrase returns the way of an edge, such as "optional env (LEVEL, THEME)".
func wayPhrase(e *usage.Edge) report.Phrase {
	way := report.Words(wayOf(e))
	switch {
	case e.Keys == nil:
		return way
	case len(e.Keys) == 0:
		return way.Word(" (no key)")
	}
	return way.Word(" (").Add(report.Enumerate(e.Keys, nameOf)).Word(")")
}

func wayOf(e *usage.Edge) string {
	if e.Optional {
		return "optional " + string(e.Via)
	}
	return string(e.Via)
}

// withMark appends a separator and what is special about an object, if anything.
func withMark(p report.Phrase, separator string, o *usage.Object) report.Phrase {
	if mark, _ := describe(o); len(mark) > 0 {
		return p.Word(separator).Add(mark)
	}
	return p
}

// describe returns what is special about an object, nil for nothing, and the look of its box.
func describe(o *usage.Object) (mark report.Phrase, look *report.Look) {
	look = objectLook
	if o.Known {
		look = knownLook
	}
	switch {
	case o.Missing && o.Optional:
		return report.Words("missing but optional").Toned(report.Warns), optionalLook
	case o.Missing && o.Namespace == "":
		return report.Words("missing, in a namespace that the manifests do not name").Toned(report.Alarms), missingLook
	case o.Missing:
		return report.Words("missing").Toned(report.Alarms), missingLook
	case len(o.MadeBy) > 0:
		return report.Words("made by ").Add(report.Enumerate(o.MadeBy, nodeName)).Toned(report.Faint), look
	case len(o.Makes) > 0:
		return report.Words("makes ").Add(report.Enumerate(o.Makes, nodeName)).Toned(report.Faint), look
	case len(o.SourceKeys) > 0:
		return report.Words("keys ").Add(report.Enumerate(o.SourceKeys, nameOf)).Word(" of ").Add(report.Names(o.Source)).Toned(report.Faint), look
	case o.Source != "":
		return report.Words("all keys of ").Add(report.Names(o.Source)).Toned(report.Faint), look
	case o.Known:
		return report.Words("known to the cluster").Toned(report.Faint), look
	}
	return nil, look
}

// The looks of boxes in a graph.
var (
	workloadLook = &report.Look{Name: "workload", Meaning: "workload", Fill: "#ddf4ff", Stroke: "#0969da"}
	readerLook   = &report.Look{Name: "reader", Meaning: "other resource", Fill: "#eaeef2", Stroke: "#6e7781"}
	objectLook   = &report.Look{Name: "object", Meaning: "ConfigMap or Secret", Fill: "#dafbe1", Stroke: "#1a7f37"}
	missingLook  = &report.Look{Name: "missing", Meaning: "missing", Fill: "#ffd8d3", Stroke: "#cf222e", Dashed: true}
	optionalLook = &report.Look{Name: "optional", Meaning: "missing but optional", Fill: "#fff1c2", Stroke: "#bf8700", Dashed: true}
	knownLook    = &report.Look{Name: "known", Meaning: "known to the cluster", Fill: "#eaeef2", Stroke: "#6e7781", Dashed: true}

	graphLooks = []*report.Look{workloadLook, readerLook, objectLook, missingLook, optionalLook, knownLook}
)

// Diagram puts objects left of their users and right of what makes them. It leaves out nodes without edges.
func (v *graphView) Diagram() *report.Diagram {
	d := &report.Diagram{Name: "uses", Looks: graphLooks}
	boxOf := func(n *usage.Node) int { return d.Box(n.ID, func() report.Box { return v.box(n) }) }
	drawn := map[string]bool{}
	for _, edges := range v.uses {
		// The arrow is dashed if no container gets the object.
		to := boxOf(v.nodes[edges[0].From])
		a := report.Arrow{From: boxOf(v.nodes[edges[0].To]), To: to, Tip: waysPhrase(edges), Dashed: true}
		var labels []string
		for i := range edges {
			labels = append(labels, wayOf(&edges[i]))
			a.Dashed = a.Dashed && edges[i].Via == catalog.ViaReference
		}
		a.Label = report.Words(strings.Join(slices.Compact(labels), ", "))
		drawn[edges[0].From], drawn[edges[0].To] = true, true
		d.Arrows = append(d.Arrows, a)
	}
	makes := report.Words("makes")
	for _, o := range v.Objects {
		for _, maker := range o.MadeBy {
			if drawn[o.ID] {
				d.Arrows = append(d.Arrows, report.Arrow{From: boxOf(&maker), To: boxOf(&o.Node), Label: makes, Tip: makes, Dashed: true})
			}
		}
	}
	d.Simplify("objects", "users")
	return d
}

func (v *graphView) box(n *usage.Node) report.Box {
	b := report.Box{Look: readerLook, Tip: n.ID, Name: nodeName(n), Many: "other resources", Lines: []report.Phrase{
		report.Names(n.Kind), report.Names(strings.TrimPrefix(n.String(), n.Kind+" ")),
	}}
	if n.Context {
		b.Lines = append(b.Lines, report.Words(elsewhere))
	}
	o := v.objects[n.ID]
	if o == nil {
		if v.workloads[n.ID] {
			b.Look, b.Many = workloadLook, "workloads"
		}
		return b
	}
	mark, look := describe(o)
	b.Look, b.Many = look, "objects"
	if o.Missing {
		b.Many = "missing objects"
	}
	switch {
	case len(o.MadeBy) > 0: // arrows show that
	case len(o.Makes) > 0 && !o.Missing:
		b.Lines = append(b.Lines, report.Some(o.Makes, report.Most, func(n *usage.Node) report.Phrase { return report.Names("makes " + n.String()) })...)
	case len(mark) > 0:
		b.Lines = append(b.Lines, mark)
	}
	return b
}
