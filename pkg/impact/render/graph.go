package render

import (
	"fmt"
	"slices"

	"github.com/confighash/confighash/pkg/impact"
	"github.com/confighash/confighash/pkg/internal/escape"
)

// Limits of what a node of a graph says.
const (
	mostLines   = 6
	longestName = 48
)

// A diagram has causes on its left and workloads on its right.
type diagram struct {
	nodes []node
	edges []edge
}

// A node is a box with lines of text.
type node struct {
	class class
	lines []phrase
	// full names the resource that the box stands for, "" where it is none.
	full string
}

// An edge leads from a cause to a workload.
type edge struct {
	from, to int
	via      []string
}

// A class says how a node is drawn.
type class uint8

const (
	causeClass class = iota
	alarmClass
	warnClass
	calmClass
)

// looks are the classes' names and colours. Text is dark on a light ground, so
// that it is read on a dark page too.
var looks = [...]struct{ name, fill, stroke string }{
	causeClass: {"cause", "#ddf4ff", "#0969da"},
	alarmClass: {"alarm", "#ffd8d3", "#cf222e"},
	warnClass:  {"warn", "#fff1c2", "#bf8700"},
	calmClass:  {"calm", "#eaeef2", "#6e7781"},
}

// inkColour is the colour of a node's text.
const inkColour = "#1f2328"

// drawn returns the diagram of a report. Workloads to which something happens
// without a cause are not in it.
func drawn(r *impact.Report) *diagram {
	g := &diagram{}
	keys := map[impact.Ref][]impact.Key{}
	for i := range r.Objects {
		keys[r.Objects[i].Ref] = r.Objects[i].Keys
	}
	causes := map[string]int{}
	cause := func(id string, n node) int {
		at, known := causes[id]
		if !known {
			at = g.add(n)
			causes[id] = at
		}
		return at
	}
	for i := range r.Workloads {
		w := &r.Workloads[i]
		if len(w.Causes) == 0 {
			continue
		}
		to := g.add(workloadNode(w))
		var fields []phrase
		for j := range w.Causes {
			c := &w.Causes[j]
			if c.Object == nil {
				fields = append(fields, fieldPhrase(c))
				continue
			}
			n := objectNode(c, keys[*c.Object])
			g.connect(cause("object "+n.full, n), to, c.Via)
		}
		if len(fields) > 0 {
			// Workloads of which the same fields differ have one node of them.
			at := cause(fmt.Sprintf("fields %q", fields), node{lines: folded(fields)})
			g.connect(at, to, nil)
		}
	}
	return g
}

// connect adds an edge, or ways to the edge that is there.
func (g *diagram) connect(from, to int, via []string) {
	for i := len(g.edges) - 1; i >= 0 && g.edges[i].to == to; i-- {
		e := &g.edges[i]
		if e.from != from {
			continue
		}
		for _, v := range via {
			if !slices.Contains(e.via, v) {
				e.via = append(slices.Clip(e.via), v)
			}
		}
		return
	}
	g.edges = append(g.edges, edge{from, to, via})
}

// label returns what an edge says.
func (e *edge) label() phrase {
	parts := make([]phrase, len(e.via))
	for i, v := range e.via {
		parts[i] = shortened(names(v))
	}
	return enumerate(parts)
}

// add adds a node and returns its index.
func (g *diagram) add(n node) int {
	g.nodes = append(g.nodes, n)
	return len(g.nodes) - 1
}

func workloadNode(w *impact.Workload) node {
	o := told(w.Effect)
	line := o.tag
	if w.Accepted {
		line += ", accepted"
	}
	if w.Replicas != nil {
		line += ", " + replicasText(*w.Replicas)
	}
	return node{
		class: [...]class{calm: calmClass, warns: warnClass, alarms: alarmClass}[toneOf(w)],
		lines: append(refLines(w.Ref), words("%s", line)),
		full:  refID(w.Ref),
	}
}

// objectNode is the node of an object with the keys that differ, whoever
// consumes them.
func objectNode(c *impact.Cause, keys []impact.Key) node {
	if keys == nil {
		keys = c.Keys
	}
	lines := make([]phrase, len(keys))
	for i, k := range keys {
		lines[i] = phrase{{name, k.Name}, {word, " " + verb(k.Change)}}
	}
	if len(lines) == 0 {
		lines = []phrase{words("%s", verb(c.Change))}
	}
	return node{lines: append(refLines(*c.Object), folded(lines)...), full: refID(*c.Object)}
}

// refLines name a resource in two lines.
func refLines(r impact.Ref) []phrase {
	place := r.Name
	if r.Namespace != "" {
		place = r.Namespace + "/" + r.Name
	}
	return []phrase{shortened(names(r.Kind)), shortened(names(place))}
}

func refID(r impact.Ref) string { return r.APIVersion + " " + r.String() }

// folded returns the first few lines with shortened names, and counts the others.
func folded(lines []phrase) []phrase {
	more := len(lines) - mostLines
	if more > 1 {
		lines = lines[:mostLines]
	}
	short := make([]phrase, 0, len(lines)+1)
	for _, line := range lines {
		short = append(short, shortened(line))
	}
	if more > 1 {
		short = append(short, words("and %d more", more))
	}
	return short
}

// shortened cuts the middle out of long names.
func shortened(p phrase) phrase {
	short := make(phrase, len(p))
	for i, s := range p {
		if s.kind != word {
			s.text = escape.Printable(s.text)
			if s.kind == path {
				s.text = withoutPodSpec(s.text)
			}
			if runes := []rune(s.text); len(runes) > longestName {
				half := longestName / 2
				s.text = string(runes[:half-1]) + "…" + string(runes[len(runes)-half:])
			}
		}
		short[i] = s
	}
	return short
}
