package impact

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A Total is what a cause does to all workloads that it concerns.
type Total struct {
	// Cause has the keys that any of the workloads consumes, and no Via. The field of a
	// workload is that of the first; it stands for the same field of the others' pods, and
	// that of an image for the same images in any container.
	Cause Cause `json:"cause"`
	// Effects counts the workloads by what happens to them.
	Effects   map[Effect]int `json:"effects"`
	Pods      Pods           `json:"pods"`
	Workloads []Ref          `json:"workloads"`
	// Avoidable are how many of them restart for metadata alone; see Workload.Avoidable.
	Avoidable int `json:"avoidable"`
}

// Restarts returns how many workloads an apply restarts.
func (t *Total) Restarts() int { return t.Effects[Rolls] + t.Effects[Kills] }

// Restarts returns how many workloads an apply restarts.
func (s *Summary) Restarts() int { return s.Rolls + s.Kills }

// Pods counts the pods of workloads that an apply restarts.
type Pods struct {
	// Known adds up the replicas of the new manifests.
	Known int64 `json:"known"`
	// PerNode counts the DaemonSets, of which each node has a pod.
	PerNode int `json:"perNode"`
	// Unknown counts the workloads whose manifests do not say how many pods they have.
	Unknown int `json:"unknown"`
}

func (p *Pods) add(w *Workload) {
	switch {
	case w.Effect != Rolls && w.Effect != Kills:
	case w.Replicas != nil:
		p.Known += min(max(*w.Replicas, 0), math.MaxInt32) // what Kubernetes takes
	case w.Kind == "Pod":
		p.Known++
	case w.Kind == "DaemonSet": // of Kubernetes, and of OpenKruise
		p.PerNode++
	default:
		p.Unknown++
	}
}

// sameCause is what causes of several workloads have in common that count as one.
type sameCause struct {
	object          Ref
	change          Change
	field, from, to string
}

func (c *Cause) same() sameCause {
	if c.Object != nil {
		return sameCause{object: *c.Object}
	}
	field := strings.TrimPrefix(strings.TrimPrefix(c.Field, "spec.jobTemplate."), "spec.template.")
	if c.IsImage() {
		field = ""
	}
	return sameCause{change: c.Change, field: field, from: c.From, to: c.To}
}

// IsImage reports whether the cause is another image of a container or a volume.
func (c *Cause) IsImage() bool {
	return c.From != "" && c.To != "" && (strings.HasSuffix(c.Field, ".image") || strings.HasSuffix(c.Field, ".image.reference"))
}

// Sum counts workloads by their effect and by their causes, and objects.
func (r *Report) Sum() {
	r.Summary = Summary{Disappearing: len(r.Disappearing)}
	s := &r.Summary
	counts := map[Effect]*int{
		Refused: &s.Refused, Kills: &s.Kills, Stale: &s.Stale, Rolls: &s.Rolls, Waits: &s.Waits,
		RunsAgain: &s.RunsAgain, NextRuns: &s.NextRuns, Unknown: &s.Unknown, Starts: &s.Starts, Stops: &s.Stops,
	}
	keys := map[Ref][]Key{}
	for i := range r.Objects {
		o := &r.Objects[i]
		keys[o.Ref] = o.Keys
		if o.Unconsumed() {
			s.Unconsumed++
		}
	}
	r.Causes = []Total{}
	at := map[sameCause]int{}
	for i := range r.Workloads {
		w := &r.Workloads[i]
		if w.Avoidable != nil {
			s.Avoidable++
		}
		*counts[w.Effect]++
		s.Pods.add(w)
		known := map[sameCause]bool{}
		for j := range w.Causes {
			id := w.Causes[j].same()
			if known[id] {
				continue
			}
			known[id] = true
			k, found := at[id]
			if !found {
				k, at[id] = len(r.Causes), len(r.Causes)
				r.Causes = append(r.Causes, Total{Cause: w.Causes[j], Effects: map[Effect]int{}})
				if c := &r.Causes[k].Cause; c.Object != nil {
					c.Via = nil
					if keys[*c.Object] != nil {
						c.Keys = keys[*c.Object]
					}
				}
			}
			t := &r.Causes[k]
			t.Effects[w.Effect]++
			t.Pods.add(w)
			if w.Avoidable != nil {
				t.Avoidable++
			}
			t.Workloads = append(t.Workloads, w.Ref)
		}
	}
	slices.SortStableFunc(r.Causes, func(a, b Total) int {
		return cmp.Or(cmp.Compare(b.Restarts(), a.Restarts()), cmp.Compare(b.Pods.Known, a.Pods.Known), cmp.Compare(len(b.Workloads), len(a.Workloads)))
	})
}
