package rename

import (
	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/jobs"
	"github.com/confighash/confighash/internal/plan"
)

// Strip plans the inverse of New for manifests that are finished: objects get back the
// names from before an earlier run, or from before kustomize's own hash, Jobs too, and references
// follow. An object keeps its name, with a warning, if another one would have the same,
// as several versions of one object would. What kustomize records while it builds
// stays.
func Strip(g *graph.Graph) *Plan {
	b := newBuilder(g)
	b.strips = true
	for _, r := range g.Resources {
		for i := range r.Edges {
			if e := &r.Edges[i]; !b.doubtful(e) && e.Ref.Role != catalog.Producer && len(e.Matches) > 0 {
				b.edges = append(b.edges, e)
			}
		}
	}
	kept := b.stripNames()
	b.rewrite() // its errors are about references that stay
	stripped := &Plan{Plan: plan.Plan{Edits: b.plan.Edits}, Names: map[*graph.Resource]string{}}
	for _, r := range g.Resources {
		if b.targets[r.Index] != nil && b.target(r).restored {
			stripped.Names[r] = r.Base
			stripped.Edit(r, plan.Strip(r)...)
		}
	}
	jobs.Strip(g, &stripped.Plan, stripped.Names)
	for _, r := range kept {
		stripped.Warnf(r, "metadata.name", "keeps the hash: without it, another %s would have the same name, %q; give one version of each object", r.Kind, graph.Clip(r.Base))
	}
	return stripped
}

// stripNames marks the objects that get their base names, and returns those that cannot.
func (b *builder) stripNames() (kept []*graph.Resource) {
	versions := map[graph.ID]int{}
	base := func(r *graph.Resource) graph.ID {
		id := b.graph.ID(r)
		id.Name = r.Base
		return id
	}
	for _, r := range b.graph.Resources {
		if r.Target != 0 {
			versions[base(r)]++
		}
	}
	for _, r := range b.graph.Resources {
		switch {
		case r.Target == 0 || r.Name == "" || b.target(r).pinned != nil:
		case r.Base != r.Name && (versions[base(r)] > 1 || b.graph.Holds(r.Target, b.graph.NamespaceOf(r), r.Base)):
			kept = append(kept, r)
		default:
			b.target(r).restored = true
		}
	}
	return kept
}
