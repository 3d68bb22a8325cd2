package impact

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Total is the effect of a cause on all workloads concerned.
type Total struct {
	// Cause has the keys that any of the workloads consumes, and no Via. A field is that of the first workload; it
	// stands for the same field of the others' pods, and an image for the same image in any container. Objects that
	// hold keys of one source count as the source if the same keys of them differ.
	Cause Cause `json:"cause"`
	// Effects counts the workloads by effect.
	Effects   map[Effect]int `json:"effects"`
	Pods      Pods           `json:"pods"`
	Workloads []Ref          `json:"workloads"`
	// Avoidable counts workloads that restart only for metadata; see Workload.Avoidable.
	Avoidable int `json:"avoidable"`
}

// Restarts returns how many workloads an apply restarts.
func (t *Total) Restarts() int { return t.Effects[Rolls] + t.Effects[Kills] }

// Restarts returns how many workloads an apply restarts.
func (s *Summary) Restarts() int { return s.Rolls + s.Kills }

// Pods counts the pods of workloads that an apply restarts.
type Pods struct {
	// Known is the sum of the replicas in the new manifests.
	Known int64 `json:"known"`
	// PerNode counts the DaemonSets, which have a pod on each node.
	PerNode int `json:"perNode"`
	// Unknown counts the workloads whose manifests do not give the number of pods.
	Unknown int `json:"unknown"`
}

func (p *Pods) add(w *Workload) {
	switch {
	case w.Effect != Rolls && w.Effect != Kills:
	case w.Replicas != nil:
		p.Known += min(max(*w.Replicas, 0), math.MaxInt32) // the range that Kubernetes accepts
	case w.Kind == "Pod":
		p.Known++
	case w.Kind == "DaemonSet": // of Kubernetes and of OpenKruise
		p.PerNode++
	default:
		p.Unknown++
	}
}

// sameCause identifies causes of several workloads that count as one.
type sameCause struct {
	object          Ref
	change          Change
	field, from, to string
	keys            string
}

// Same returns a function that identifies causes that count as one, and returns the keys of an object that differ for
// any workload. Several objects with keys of one source count as one if a report would show the same keys: the consumed
// ones, if there are any.
func (r *Report) Same() func(c *Cause) (id any, keys []Key) {
	keysOf := map[Ref][]Key{}
	for _, o := range r.Objects {
		keysOf[o.Ref] = o.Keys
	}
	known := map[Ref]sameCause{}
	return func(c *Cause) (any, []Key) {
		if c.Object == nil {
			return c.same(), nil
		}
		keys := keysOf[*c.Object]
		if keys == nil {
			keys = c.Keys
		}
		same, found := known[*c.Object]
		if !found {
			same = sameCause{object: *c.Object.source(), change: c.Change, keys: shown(keys)}
			known[*c.Object] = same
		}
		return same, keys
	}
}

func shown(keys []Key) string {
	all := !slices.ContainsFunc(keys, func(k Key) bool { return k.Consumed })
	var b []byte
	for _, k := range keys {
		if all || k.Consumed {
			b = append(strconv.AppendQuote(b, k.Name), k.Change...)
		}
	}
	return string(b)
}

func (c *Cause) same() sameCause {
	field := strings.TrimPrefix(strings.TrimPrefix(c.Field, "spec.jobTemplate."), "spec.template.")
	if c.IsImage() {
		field = ""
	}
	return sameCause{change: c.Change, field: field, from: c.From, to: c.To}
}

// source returns the object whose keys r holds, or r.
func (r Ref) source() *Ref {
	r.Name, r.Source = cmp.Or(r.Source, r.Name), ""
	return &r
}

// IsImage reports whether the cause is a changed image of a container or a volume.
func (c *Cause) IsImage() bool {
	return c.From != "" && c.To != "" && (strings.HasSuffix(c.Field, ".image") || strings.HasSuffix(c.Field, ".image.reference"))
}

// Sum sets Summary and Causes from the other fields.
func (r *Report) Sum() {
	r.Summary = Summary{Disappearing: len(r.Disappearing)}
	s := &r.Summary
	counts := map[Effect]*int{
		Refused: &s.Refused, Kills: &s.Kills, Stale: &s.Stale, Rolls: &s.Rolls, Waits: &s.Waits,
		RunsAgain: &s.RunsAgain, NextRuns: &s.NextRuns, Unknown: &s.Unknown, Starts: &s.Starts, Stops: &s.Stops,
	}
	for i := range r.Objects {
		if r.Objects[i].Unconsumed() {
			s.Unconsumed++
		}
	}
	r.Causes = []Total{}
	same := r.Same()
	at := map[any]int{}
	for _, w := range r.Workloads {
		if w.Avoidable != nil {
			s.Avoidable++
		}
		*counts[w.Effect]++
		s.Pods.add(&w)
		known := map[any]bool{}
		for _, c := range w.Causes {
			id, keys := same(&c)
			if known[id] {
				continue
			}
			known[id] = true
			k, found := at[id]
			if !found {
				k, at[id] = len(r.Causes), len(r.Causes)
				r.Causes = append(r.Causes, Total{Cause: c, Effects: map[Effect]int{}})
				if c.Object != nil {
					r.Causes[k].Cause.Keys, r.Causes[k].Cause.Via = keys, nil
				}
			}
			t := &r.Causes[k]
			if o := t.Cause.Object; o != nil && *o != *c.Object {
				t.Cause.Object, t.Cause.FormerName = o.source(), ""
			}
			t.Effects[w.Effect]++
			t.Pods.add(&w)
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
