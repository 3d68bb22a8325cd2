package impact

import (
	"cmp"
	"slices"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
)

// disappearing returns the objects of the old set that the new one does not have
// under their names, and that something needs.
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
		add := func(r *graph.Resource, n Need) {
			if !known[r] {
				known[r] = true
				needs[r] = append(needs[r], n)
			}
		}
		for _, r := range c.stillNamed(s, gone) {
			add(r, Need{c.ref(s.pair), StillNamed})
		}
		why := needOf(s)
		if why == "" {
			continue
		}
		for i := range s.used {
			if u := &s.used[i]; gone[c.before.ID(u.Object)] == u.Object && u.Template >= 0 {
				add(u.Object, Need{c.ref(s.pair), why})
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
		order := []Why{StillNamed, StillRunning, RunningJobs, Rollout}
		slices.SortFunc(list, func(a, b Need) int {
			return cmp.Or(cmp.Compare(slices.Index(order, a.Why), slices.Index(order, b.Why)), compareRefs(a.Ref, b.Ref))
		})
		d.NeededBy = list
		found = append(found, d)
	}
	return found
}

// gone returns the ConfigMaps and Secrets of the old set of which the new set has
// none of the name.
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

// stillNamed returns the objects that are gone and that the new manifest of a
// resource names all the same.
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
			if r == nil {
				continue
			}
			if e.Targets.Has(target) && !e.Made() {
				found = append(found, r)
			}
		}
	}
	return found
}

// needOf returns why what runs of a workload may need what it used in the old set, ""
// if it does not.
func needOf(s *subject) Why {
	if s.old == nil || s.new == nil || s.result == nil {
		return ""
	}
	switch s.result.Effect {
	case Rolls, Kills:
		return Rollout
	case NextRuns:
		return RunningJobs
	case Refused, Waits, Stale, Unknown:
		return StillRunning
	}
	return ""
}
