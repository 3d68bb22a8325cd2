package view

import (
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/report"
)

const mostLines = 6

// The looks of boxes.
var (
	causeLook = &report.Look{Name: "cause", Meaning: "what changed", Fill: "#ddf4ff", Stroke: "#0969da"}
	alarmLook = &report.Look{Name: "alarm", Meaning: "refused, stopped or stale", Fill: "#ffd8d3", Stroke: "#cf222e"}
	warnLook  = &report.Look{Name: "warn", Meaning: "pods are replaced", Fill: "#fff1c2", Stroke: "#bf8700"}
	calmLook  = &report.Look{Name: "calm", Meaning: "next run, or up to an operator", Fill: "#eaeef2", Stroke: "#6e7781"}

	impactLooks = []*report.Look{causeLook, alarmLook, warnLook, calmLook}
)

// Diagram puts causes on the left and workloads on the right. It leaves out workloads without a cause.
// The box of an object shows the keys that differ, whatever consumes them.
func (v impactView) Diagram() *report.Diagram {
	d := &report.Diagram{Name: "impact", Title: "Causes and workloads", Looks: impactLooks}
	same := v.Same()
	for _, w := range v.Workloads {
		if len(w.Causes) == 0 {
			continue
		}
		to := d.Box(&w, func() report.Box { return workloadBox(&w) })
		var boxes []int
		ways := map[int][]string{} // by the box they lead from
		for _, c := range w.Causes {
			var from int
			if c.Object != nil {
				id, keys := same(&c)
				from = d.Box(id, func() report.Box { return objectBox(&c, keys) })
			} else {
				field := totalPhrase(&c)
				from = d.Box(field.String(), func() report.Box {
					return report.Box{Look: causeLook, Lines: []report.Phrase{field}, Name: field, Many: "changed fields"}
				})
			}
			if _, known := ways[from]; !known {
				boxes, ways[from] = append(boxes, from), nil
			}
			for _, via := range c.Via {
				if !slices.Contains(ways[from], via) {
					ways[from] = append(ways[from], via)
				}
			}
		}
		for _, from := range boxes {
			d.Arrows = append(d.Arrows, report.Arrow{From: from, To: to, Label: report.Enumerate(ways[from], nameOf)})
		}
	}
	d.Simplify("causes", "workloads")
	return d
}

func workloadBox(w *impact.Workload) report.Box {
	line := outcomeOf(w.Effect).tag
	if w.Accepted {
		line += ", accepted"
	}
	if w.Replicas != nil {
		line += ", " + report.Plural(*w.Replicas, "replica")
	}
	look := map[report.Tone]*report.Look{report.Calm: calmLook, report.Warns: warnLook, report.Alarms: alarmLook}[toneOf(w)]
	box := refBox(look, w.Ref, []report.Phrase{report.Words(line)})
	box.Name, box.Many = report.Names(w.String()), "workloads: "+outcomeOf(w.Effect).tag
	return box
}

func objectBox(c *impact.Cause, keys []impact.Key) report.Box {
	lines := report.Some(keys, mostLines, keyPhrase)
	if len(lines) == 0 {
		lines = []report.Phrase{report.Words(verb(c.Change))}
	}
	object, _ := baseOf(c)
	box := refBox(causeLook, object, lines)
	box.Name, box.Many = totalPhrase(c), "changed objects"
	return box
}

// refBox returns a box with a resource's kind and name on two lines, followed by lines.
func refBox(look *report.Look, r impact.Ref, lines []report.Phrase) report.Box {
	name := report.Names(strings.TrimPrefix(r.String(), r.Kind+" "))
	return report.Box{Look: look, Tip: r.APIVersion + " " + r.String(), Lines: append([]report.Phrase{report.Names(r.Kind), name}, lines...)}
}
