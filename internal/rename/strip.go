package rename

import (
	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/jobs"
	"github.com/confighash/confighash/internal/plan"
	"github.com/confighash/confighash/internal/yamldoc"
)

// Strip plans the inverse of New for finished manifests: objects and Jobs get back the names from before an earlier
// run, or from before kustomize's own hash, and references follow. An object keeps its name, with a warning, if another
// one would have the same, for example if there are several versions of it. What kustomize records while it builds
// stays.
//
// The first part of an object becomes the object, with the keys of the other parts, unless the object itself exists as
// well. The other parts are Dropped. In Names, each part has its Kin, or its Lineage if it is not the only one of its
// kin.
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
	b.rewrite() // its errors concern references that stay
	stripped := &Plan{Plan: plan.Plan{Edits: b.plan.Edits}, Names: map[*graph.Resource]string{}}
	kin := map[graph.ID]int{}
	kinOf := func(r *graph.Resource) graph.ID { return g.ID(r).Of(r.Kin()) }
	for _, r := range g.Resources {
		kin[kinOf(r)]++
	}
	for _, r := range g.Resources {
		if b.target(r).restored {
			if stripped.Names[r] = r.Kin(); kin[kinOf(r)] > 1 {
				stripped.Names[r] = r.Lineage()
			}
			stripped.Edit(r, plan.Strip(r)...)
		}
	}
	joinParts(g, stripped)
	jobs.Strip(g, &stripped.Plan, stripped.Names)
	for _, r := range kept {
		stripped.Warnf(r, "metadata.name", "keeps the hash: without it, another %s would have the same name, %q; give one version of each object", r.Kind, graph.Clip(r.Base))
	}
	return stripped
}

// stripNames marks the objects that get their base names, and returns those that cannot.
func (b *builder) stripNames() (kept []*graph.Resource) {
	versions := map[graph.ID]int{}
	base := func(r *graph.Resource) graph.ID { return b.graph.ID(r).Of(r.Lineage()) }
	for _, r := range b.graph.Resources {
		if r.Target != 0 {
			versions[base(r)]++
		}
	}
	for _, r := range b.graph.Resources {
		switch {
		case r.Target == 0 || r.Name == "" || b.target(r).pinned != nil:
		case r.Part != "" && versions[base(r)] == 1 && versions[b.graph.BaseID(r)] <= 1:
			b.target(r).restored = true
		case r.Base != r.Name && (versions[base(r)] > 1 || r.Part != "" || b.graph.Holds(r.Target, b.graph.NamespaceOf(r), r.Base)):
			kept = append(kept, r)
		default:
			b.target(r).restored = true
		}
	}
	return kept
}

// joinParts makes one object from the parts of each object: the first gets the keys of the others, unless the whole
// object exists as well.
func joinParts(g *graph.Graph, stripped *Plan) {
	whole, first, has := map[graph.ID]bool{}, map[graph.ID]*graph.Resource{}, map[graph.ID]map[string]bool{}
	var parts []*graph.Resource
	for _, r := range g.Resources {
		if stripped.Names[r] != "" && r.Part != "" {
			parts = append(parts, r)
		} else if r.Target != 0 {
			whole[g.BaseID(r)] = true
		}
	}
	for _, r := range parts {
		id := g.BaseID(r)
		if first[id] == nil && !whole[id] {
			first[id], has[id] = r, map[string]bool{}
			for _, key := range r.Keys {
				has[id][key] = true
			}
			continue
		}
		stripped.Dropped = append(stripped.Dropped, r)
		if first[id] == nil {
			continue
		}
		_ = graph.Batches([]*graph.Resource{r})[0].Parse(func(_ *graph.Resource, item *yaml.Node) error {
			content, err := hash.ContentOf(r.Kind, item)
			for _, f := range content.Fields {
				for _, e := range f.Entries {
					if !has[id][e.Key] {
						has[id][e.Key] = true
						stripped.Edit(first[id], edit.SetEntry{Parent: yamldoc.Path(f.Name), Key: e.Key, Value: e.Value})
					}
				}
			}
			return err
		}) // cannot fail, as it was read before
	}
}
