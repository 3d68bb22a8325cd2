package render

import (
	"fmt"
	"strings"

	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/usage"
)

// A list is a graph put in an order to be read.
type list struct {
	sum    string
	blocks []block
	// rest are the ends: what uses nothing, and what nothing uses.
	rest []section
}

// A section is a list of resources under a title.
type section struct {
	title string
	rows  []row
}

// A block is a resource with those on the other side of its edges.
type block struct {
	head row
	rows []row
}

// A row is a resource and what there is to tell of it.
type row struct {
	node *usage.Node
	ways []way
	mark mark
}

// A way is a way of use with its keys.
type way struct {
	via      string
	keys     []string
	optional bool
}

// A mark tells what is special about an object, if there is anything.
type mark struct {
	text report.Phrase
	tone report.Tone
}

// words tells a way without its keys, such as "optional env".
func (w *way) words() string {
	if w.optional {
		return "optional " + w.via
	}
	return w.via
}

// phrase tells a way, such as "optional env (LEVEL, THEME)".
func (w *way) phrase() report.Phrase {
	told := report.Words(w.words())
	switch {
	case w.keys == nil:
		return told
	case len(w.keys) == 0:
		return append(told, report.Word(" (no key)"))
	}
	told = append(told, report.Word(" ("))
	told = append(told, report.Enumerate(w.keys, report.Names)...)
	return append(told, report.Word(")"))
}

// phraseOf lists ways with their keys.
func phraseOf(ways []way) report.Phrase {
	parts := make([]report.Phrase, len(ways))
	for i := range ways {
		parts[i] = ways[i].phrase()
	}
	return report.Join(parts...)
}

func nodeName(n usage.Node) report.Phrase { return report.Names(n.String()) }

// An index finds what is at the ends of edges.
type index struct {
	nodes   map[string]*usage.Node
	objects map[string]*usage.Object
}

func newIndex(g *usage.Graph) *index {
	x := &index{map[string]*usage.Node{}, map[string]*usage.Object{}}
	for i := range g.Workloads {
		x.nodes[g.Workloads[i].ID] = &g.Workloads[i]
	}
	for i := range g.Readers {
		x.nodes[g.Readers[i].ID] = &g.Readers[i]
	}
	for i := range g.Objects {
		x.nodes[g.Objects[i].ID] = &g.Objects[i].Node
		x.objects[g.Objects[i].ID] = &g.Objects[i]
	}
	return x
}

// listOf puts a graph in order.
func listOf(g *usage.Graph, by Order) *list {
	x := newIndex(g)
	l := &list{sum: sum(g)}
	rows := map[string][]row{} // by the ID of what stands at the head
	ends := func(e *usage.Edge) (head, other string) {
		if by == ByWorkload {
			return e.From, e.To
		}
		return e.To, e.From
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		head, other := ends(e)
		all := rows[head]
		if len(all) == 0 || all[len(all)-1].node.ID != other {
			r := row{node: x.nodes[other]}
			if by == ByWorkload {
				r.mark = markOf(x.objects[other])
			}
			all = append(all, r)
		}
		last := &all[len(all)-1]
		last.ways = append(last.ways, way{string(e.Via), e.Keys, e.Optional})
		rows[head] = all
	}
	var idle, unused section
	add := func(n *usage.Node, m mark, none *section) {
		if found := rows[n.ID]; len(found) > 0 {
			l.blocks = append(l.blocks, block{row{node: n, mark: m}, found})
		} else if none != nil {
			none.rows = append(none.rows, row{node: n, mark: m})
		}
	}
	if by == ByWorkload {
		idle.title = "Workloads that use nothing"
		for i := range g.Workloads {
			add(&g.Workloads[i], mark{}, &idle)
		}
		for i := range g.Readers {
			add(&g.Readers[i], mark{}, nil)
		}
		for i := range g.Objects {
			add(&g.Objects[i].Node, mark{}, nil)
		}
		used := map[string]bool{}
		for i := range g.Edges {
			used[g.Edges[i].To] = true
		}
		for i := range g.Objects {
			if o := &g.Objects[i]; !used[o.ID] {
				unused.rows = append(unused.rows, row{node: &o.Node, mark: markOf(o)})
			}
		}
	} else {
		for i := range g.Objects {
			add(&g.Objects[i].Node, markOf(&g.Objects[i]), &unused)
		}
	}
	unused.title = "Nothing in the manifests refers to"
	for _, s := range []section{idle, unused} {
		if len(s.rows) > 0 {
			l.rest = append(l.rest, s)
		}
	}
	return l
}

// markOf tells what is special about an object.
func markOf(o *usage.Object) mark {
	switch {
	case o.Missing && o.Optional:
		return mark{report.Words("missing, and optional"), report.Warns}
	case o.Missing && o.Namespace == "":
		return mark{report.Words("missing, in a namespace that the manifests do not tell"), report.Alarms}
	case o.Missing:
		return mark{report.Words("missing"), report.Alarms}
	case len(o.MadeBy) > 0:
		return mark{text: append(report.Words("made by "), report.Enumerate(o.MadeBy, nodeName)...)}
	case len(o.Makes) > 0:
		return mark{text: append(report.Words("makes "), report.Enumerate(o.Makes, nodeName)...)}
	case o.Known:
		return mark{text: report.Words("known to the cluster")}
	}
	return mark{}
}

// sum tells the graph in a line.
func sum(g *usage.Graph) string {
	users, used := map[string]bool{}, map[string]bool{}
	for i := range g.Edges {
		users[g.Edges[i].From], used[g.Edges[i].To] = true, true
	}
	workloads := 0
	for i := range g.Workloads {
		if users[g.Workloads[i].ID] {
			workloads++
		}
	}
	missing, optional, unused := 0, 0, 0
	for i := range g.Objects {
		switch o := &g.Objects[i]; {
		case o.Missing && o.Optional:
			optional++
		case o.Missing:
			missing++
		case o.Unused:
			unused++
		}
	}
	var who []string
	if workloads > 0 {
		who = append(who, report.Plural(workloads, "workload"))
	}
	if others := len(users) - workloads; others > 0 {
		other := "resource"
		if workloads > 0 {
			other = "other resource"
		}
		who = append(who, report.Plural(others, other))
	}
	told := "Nothing uses a ConfigMap or a Secret"
	if len(who) > 0 {
		told = fmt.Sprintf("%s %s %s", strings.Join(who, " and "), report.Choose(len(users), "uses", "use"), report.Plural(len(used), "object"))
	}
	var absent []string
	if missing > 0 {
		absent = append(absent, fmt.Sprintf("%d %s missing", missing, report.Choose(missing, "is", "are")))
	}
	if optional > 0 {
		absent = append(absent, fmt.Sprintf("%d %s missing and optional", optional, report.Choose(optional, "is", "are")))
	}
	if len(absent) > 0 {
		told += ", of which " + strings.Join(absent, " and ")
	}
	if unused > 0 {
		told += fmt.Sprintf("; %s %s unused", report.Plural(unused, "object"), report.Choose(unused, "is", "are"))
	}
	return told
}
