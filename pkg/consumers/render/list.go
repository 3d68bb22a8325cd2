package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/pkg/consumers"
)

// mostNamed is how many elements of a list are told before the others are counted.
const mostNamed = 8

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
	node *consumers.Node
	ways []way
	mark mark
}

// A way is a way of use with its keys.
type way struct {
	via      string
	keys     []string
	optional bool
}

// A mark tells what is special about an object.
type mark struct {
	text  string
	nodes []consumers.Node // which are told after the text
	tone  tone
}

// words tells a mark. escape makes what is shown of a name.
func (m *mark) words(escape func(string) string) string {
	if len(m.nodes) == 0 {
		return m.text
	}
	shown, more := folded(m.nodes)
	names := make([]string, len(shown))
	for i := range shown {
		names[i] = escape(shown[i].String())
	}
	return m.text + " " + enumerated(names, more)
}

// words tells a way, such as "optional env (LEVEL, THEME)". escape makes what is
// shown of the name of a key.
func (w *way) words(escape func(string) string) string {
	told := w.via
	if w.optional {
		told = "optional " + told
	}
	if w.keys == nil {
		return told
	}
	if len(w.keys) == 0 {
		return told + " (no key)"
	}
	shown, more := folded(w.keys)
	keys := make([]string, len(shown))
	for i, key := range shown {
		keys[i] = escape(key)
	}
	return told + " (" + enumerated(keys, more) + ")"
}

// A tone says how much a mark asks for a reader's eye.
type tone uint8

const (
	calm tone = iota
	warns
	alarms
)

// An index finds what is at the ends of edges.
type index struct {
	nodes   map[string]*consumers.Node
	objects map[string]*consumers.Object
}

func newIndex(g *consumers.Graph) *index {
	x := &index{map[string]*consumers.Node{}, map[string]*consumers.Object{}}
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
func listOf(g *consumers.Graph, by Order) *list {
	x := newIndex(g)
	l := &list{sum: sum(g)}
	rows := map[string][]row{} // by the ID of what stands at the head
	ends := func(e *consumers.Edge) (head, other string) {
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
	add := func(n *consumers.Node, m mark, none *section) {
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
func markOf(o *consumers.Object) mark {
	switch {
	case o.Missing && o.Optional:
		return mark{text: "missing, and optional", tone: warns}
	case o.Missing && o.Namespace == "":
		return mark{text: "missing, in a namespace that the manifests do not tell", tone: alarms}
	case o.Missing:
		return mark{text: "missing", tone: alarms}
	case len(o.MadeBy) > 0:
		return mark{text: "made by", nodes: o.MadeBy}
	case len(o.Makes) > 0:
		return mark{text: "makes", nodes: o.Makes}
	case o.Known:
		return mark{text: "known to the cluster"}
	}
	return mark{}
}

// sum tells the graph in a line.
func sum(g *consumers.Graph) string {
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
		who = append(who, plural(workloads, "workload"))
	}
	if others := len(users) - workloads; others > 0 {
		who = append(who, plural(others, choose(workloads, "resource", "other resource")))
	}
	told := "Nothing uses a ConfigMap or a Secret"
	if len(who) > 0 {
		told = fmt.Sprintf("%s %s %s", strings.Join(who, " and "), choose(len(users)-1, "uses", "use"), plural(len(used), "object"))
	}
	var absent []string
	if missing > 0 {
		absent = append(absent, fmt.Sprintf("%d %s missing", missing, choose(missing-1, "is", "are")))
	}
	if optional > 0 {
		absent = append(absent, fmt.Sprintf("%d %s missing and optional", optional, choose(optional-1, "is", "are")))
	}
	if len(absent) > 0 {
		told += ", of which " + strings.Join(absent, " and ")
	}
	if unused > 0 {
		told += fmt.Sprintf("; %s %s unused", plural(unused, "object"), choose(unused-1, "is", "are"))
	}
	return told
}

// plural returns a number with what it counts.
func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// choose returns none where n is 0.
func choose(n int, none, others string) string {
	if n == 0 {
		return none
	}
	return others
}

// folded returns the first of many, and how many more there are.
func folded[T any](all []T) (shown []T, more int) {
	if len(all) <= mostNamed+1 {
		return all, 0
	}
	return slices.Clip(all[:mostNamed]), len(all) - mostNamed
}

// enumerated joins names by commas, and counts those that are left out.
func enumerated(names []string, more int) string {
	told := strings.Join(names, ", ")
	if more > 0 {
		told += fmt.Sprintf(" and %d more", more)
	}
	return told
}
