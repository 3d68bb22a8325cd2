package impact

import (
	"cmp"
	"slices"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
)

// whys are the reasons to need an object, worst first.
var whys = []Why{StillNamed, StillRunning, RunningJobs, Rollout}

// whyRunning is why what runs of a workload may need what it used in the old set, by
// what an apply does to the workload.
var whyRunning = map[Effect]Why{
	Rolls: Rollout, Kills: Rollout, NextRuns: RunningJobs,
	Refused: StillRunning, Waits: StillRunning, Stale: StillRunning, Unknown: StillRunning,
}

func (c *comparison) disappearing() []Disappearing {
	gone := c.gone()
	if len(gone) == 0 {
		return nil
	}
	needs := map[*graph.Resource][]Need{}
	for _, s := range c.subjects {
		if s.new == nil {
			continue
		}
		known := map[*graph.Resource]bool{}
		add := func(r *graph.Resource, why Why) {
			if !known[r] {
				known[r] = true
				needs[r] = append(needs[r], Need{c.ref(s.pair), why})
			}
		}
		for _, r := range c.stillNamed(s, gone) {
			add(r, StillNamed)
		}
		if s.result == nil || whyRunning[s.result.Effect] == "" {
			continue
		}
		for i := range s.used {
			if u := &s.used[i]; gone[c.before.ID(u.Object)] == u.Object && u.Template >= 0 {
				add(u.Object, whyRunning[s.result.Effect])
			}
		}
	}
	var found []Disappearing
	for _, r := range c.before.Resources {
		list := needs[r]
		if len(list) == 0 {
			continue
		}
		d := Disappearing{Ref: refOf(c.before, r)}
		if o := c.objects.of[r]; o != nil && o.new != nil {
			d.Successor = o.new.Name
		}
		slices.SortFunc(list, func(a, b Need) int {
			return cmp.Or(cmp.Compare(slices.Index(whys, a.Why), slices.Index(whys, b.Why)), compareRefs(a.Ref, b.Ref))
		})
		d.NeededBy = list
		found = append(found, d)
	}
	return found
}

// gone returns the ConfigMaps and Secrets of the old set whose names the new set does
// not have.
func (c *comparison) gone() map[graph.ID]*graph.Resource {
	gone := map[graph.ID]*graph.Resource{}
	for _, r := range c.before.Resources {
		if r.Target != 0 && r.Name != "" {
			if o := c.objects.of[r]; !o.both() || o.renamed() {
				gone[c.before.ID(r)] = r
			}
		}
	}
	for _, r := range c.after.Resources {
		if r.Target != 0 {
			delete(gone, c.after.ID(r))
		}
	}
	return gone
}

// stillNamed returns the objects that are gone and that the new manifest still names.
func (c *comparison) stillNamed(s *subject, gone map[graph.ID]*graph.Resource) []*graph.Resource {
	var found []*graph.Resource
	for i := range s.new.Edges {
		e := &s.new.Edges[i]
		ref := e.Ref
		if ref.Role == catalog.Producer || ref.ControllerNamespace || ref.Tentative || ref.Optional {
			continue
		}
		for _, target := range ref.Targets.Each() {
			r := gone[graph.ID{Kind: target.String(), Namespace: cmp.Or(ref.Namespace, c.after.NamespaceOf(s.new)), Name: ref.Name}]
			if r != nil && e.Targets.Has(target) && !e.Made() {
				found = append(found, r)
			}
		}
	}
	return found
}
