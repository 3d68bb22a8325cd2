package impact

import (
	"cmp"
	"slices"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
)

// whys are the reasons to need an object, worst first.
var whys = []Why{StillNamed, StillRunning, RunningJobs, Rollout, Rollback}

// whyRunning is why running pods of a workload may need what it used in the old set, by the effect of the apply.
var whyRunning = map[Effect]Why{
	Rolls: Rollout, Kills: Rollout, NextRuns: RunningJobs, RunsAgain: RunningJobs,
	Refused: StillRunning, Waits: StillRunning, Stale: StillRunning, Unknown: StillRunning,
}

func (c *comparison) disappearing() []Disappearing {
	gone, dropped := c.gone(), c.dropped()
	keeps := len(c.before.Kept)+len(c.after.Kept) > 0
	needs := map[*graph.Resource][]Need{}
	for _, s := range c.subjects {
		if s.new == nil {
			continue
		}
		known := map[*graph.Resource]bool{}
		add := func(r *graph.Resource, by Ref, why Why) {
			if !known[r] {
				known[r] = true
				needs[r] = append(needs[r], Need{by, why})
			}
		}
		for _, r := range c.stillNamed(s, gone) {
			add(r, c.ref(s.pair), StillNamed)
		}
		for i := range s.used {
			for _, r := range dropped[line(c.before, s.used[i].Object)] {
				if list := needs[r]; len(list) == 0 || list[len(list)-1].Ref != c.ref(s.pair) {
					needs[r] = append(list, Need{c.ref(s.pair), Rollback})
				}
			}
		}
		if s.result == nil || whyRunning[s.result.Effect] == "" {
			continue
		}
		running := c.ref(s.pair)
		if s.result.Effect == RunsAgain {
			running = refOf(c.before, s.old)
		}
		for i := range s.used {
			if u := &s.used[i]; gone[c.before.ID(u.Object)] == u.Object && u.Template >= 0 {
				add(u.Object, running, whyRunning[s.result.Effect])
			}
		}
	}
	var found []Disappearing
	for _, r := range slices.Concat(c.before.Resources, c.before.Kept) {
		list := needs[r]
		if len(list) == 0 {
			continue
		}
		d := Disappearing{Ref: refOf(c.before, r), Unkept: keeps}
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

// gone returns the ConfigMaps and Secrets of the old set whose names are not in the new set.
func (c *comparison) gone() map[graph.ID]*graph.Resource {
	gone := map[graph.ID]*graph.Resource{}
	for _, r := range c.before.Resources {
		if r.Target != 0 && r.Name != "" {
			if o := c.objects.of[r]; !o.both() || o.renamed() {
				gone[c.before.ID(r)] = r
			}
		}
	}
	for _, r := range slices.Concat(c.after.Resources, c.after.Kept) {
		if r.Target != 0 {
			delete(gone, c.after.ID(r))
		}
	}
	return gone
}

// dropped returns earlier versions that the old set carried along and the new set does not, although it carries along
// fewer versions of the object; by line.
func (c *comparison) dropped() map[graph.ID][]*graph.Resource {
	here, fewer := map[graph.ID]bool{}, map[graph.ID]int{}
	for _, r := range slices.Concat(c.after.Resources, c.after.Kept) {
		here[c.after.ID(r)] = true
	}
	for _, r := range c.after.Kept {
		fewer[line(c.after, r)]--
	}
	for _, r := range c.before.Kept {
		fewer[line(c.before, r)]++
	}
	dropped := map[graph.ID][]*graph.Resource{}
	for _, r := range c.before.Kept {
		if id := line(c.before, r); fewer[id] > 0 && !here[c.before.ID(r)] {
			dropped[id] = append(dropped[id], r)
		}
	}
	return dropped
}

// line identifies all versions of an object.
func line(g *graph.Graph, r *graph.Resource) graph.ID { return g.ID(r).Of(r.Lineage()) }

// stillNamed returns the objects in gone that the new manifest still names.
func (c *comparison) stillNamed(s *subject, gone map[graph.ID]*graph.Resource) []*graph.Resource {
	var found []*graph.Resource
	for _, e := range s.new.Edges {
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
