// Package jobs names Jobs after what they run: the name of a Job gets a hash of its whole spec, so that it runs again
// exactly when that changes. The spec of an existing Job cannot change.
//
// Name is the last step, since it hashes the final spec: with the new names of ConfigMaps and Secrets, and with a
// checksum of what the pods consume. The Job's own name does not count, in its labels or elsewhere; nor do style,
// comments and the order of keys; see hash.Tree.
package jobs

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/plan"
	"github.com/confighash/confighash/internal/policy"
	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// maxName is the maximum length of a Job's name, which is also a label value of its pods.
const maxName = 63

type namer struct {
	graph *graph.Graph
	plan  *plan.Plan
	// names are the new names of Jobs.
	names map[*graph.Resource]string
	index index
	// strips: hashes are removed from names.
	strips bool
}

// Name adds to pl the edits that name Jobs after what they run and update references to them, if spec.Jobs asks for it.
// pl must already hold all other edits. objects are the new names of ConfigMaps and Secrets. Errors are in pl.Err.
func Name(g *graph.Graph, p *policy.Policy, spec *v1alpha1.Spec, pl *plan.Plan, objects map[*graph.Resource]string) {
	if spec.Jobs != v1alpha1.JobsRename {
		return
	}
	n := &namer{graph: g, plan: pl, names: map[*graph.Resource]string{}}
	var taking []*graph.Resource
	for _, r := range g.Resources {
		if !r.IsJob() {
			continue
		}
		if refusal := p.Job(r); refusal == nil {
			taking = append(taking, r)
			n.names[r] = ""
		} else {
			n.plan.Inform(graph.Finding{Resource: r, Message: "not named after what it runs: " + refusal.Reason})
		}
	}
	for _, r := range g.Context {
		if r.IsJob() {
			n.names[r] = r.Name // the name from another build
		}
	}
	n.index = newIndex(g, n.names)
	suffixes := n.suffixes(taking, n.pending(taking, objects), spec.Salt)
	if pl.Err() != nil {
		return
	}
	for _, r := range taking {
		name, most := r.Base+"-"+suffixes[r].suffix, suffixes[r].most
		if n.names[r] = name; len(name) > most {
			pl.Errorf(r, "metadata.name", "with the hash, the name %q would be %d characters long; %d are allowed for this Job, so at most %d before the hash",
				name, len(name), most, max(most-1-hash.Length, 0))
		}
	}
	n.checkUnique()
	for _, r := range taking {
		pl.Edit(r, plan.Rename(r, n.names[r])...)
		pl.Edit(r, plan.Annotate(r, v1alpha1.AnnotationHash, suffixes[r].suffix)...)
		n.plan.Inform(graph.Finding{Resource: r, Message: "named after what it runs"})
		if suffixes[r].removed {
			n.plan.Inform(graph.Finding{Resource: r, Path: "spec.ttlSecondsAfterFinished", Message: "once the cluster has removed the finished Job, a tool that applies manifests again and again, such as Argo CD or Flux, creates it again, and it runs again"})
		}
	}
	n.follow()
	for i, f := range pl.Findings {
		pl.Findings[i].Name = cmp.Or(n.names[f.Resource], f.Name)
	}
}

// Strip adds to pl the edits that remove the hash from the names of Jobs and from references to them. A Job keeps its
// name if another one would have the same. The new names are added to names.
func Strip(g *graph.Graph, pl *plan.Plan, names map[*graph.Resource]string) {
	n := &namer{graph: g, plan: pl, names: map[*graph.Resource]string{}, strips: true}
	count := map[graph.ID]int{}
	var named []*graph.Resource
	for _, r := range g.Resources {
		if r.IsJob() && r.Name != "" {
			named, count[g.BaseID(r)] = append(named, r), count[g.BaseID(r)]+1
		}
	}
	for _, r := range named {
		if _, recorded := r.Annotations[v1alpha1.AnnotationHash]; recorded && count[g.BaseID(r)] == 1 {
			n.names[r], names[r] = r.Base, r.Base
			pl.Edit(r, plan.Strip(r)...)
		} else if r.Base != r.Name {
			pl.Warnf(r, "metadata.name", "keeps the hash: without it, another Job would have the same name, %q; give one version of each object", graph.Clip(r.Base))
		}
	}
	if len(n.names) > 0 {
		n.index = newIndex(g, n.names)
		n.follow()
	}
}

// pending returns the edits that kustomize will make in Jobs: it appends a hash to the names of generated objects and
// to references. They only serve to compute the hash of a Job.
func (n *namer) pending(jobs []*graph.Resource, objects map[*graph.Resource]string) map[*graph.Resource][]edit.Edit {
	type place struct {
		job *graph.Resource
		at  edit.Scalar
	}
	var generated []*graph.Resource
	places := map[*graph.Resource][]place{}
	for _, r := range jobs {
		for i := range r.Edges {
			e := &r.Edges[i]
			for _, match := range e.Matches {
				object := match.Candidates[0]
				if _, named := objects[object]; named || !e.Ref.Kustomize || !object.History.NeedsHash {
					continue
				}
				if places[object] == nil {
					generated = append(generated, object)
				}
				places[object] = append(places[object], place{r, e.Ref.At})
			}
		}
	}
	suffixes := each(n, generated, func(r *graph.Resource, item *yaml.Node) (string, error) {
		content, err := hash.ContentOf(r.Kind, item)
		return hash.Suffix(content, ""), err
	})
	edits := map[*graph.Resource][]edit.Edit{}
	for _, object := range generated {
		for _, p := range places[object] {
			edits[p.job] = append(edits[p.job], edit.SetScalar{At: p.at, Value: object.Name + "-" + suffixes[object]})
		}
	}
	return edits
}

// each returns the results of visit for resources in their final form. Errors are added to the plan.
func each[T any](n *namer, resources []*graph.Resource, visit func(r *graph.Resource, item *yaml.Node) (T, error)) map[*graph.Resource]T {
	type one struct {
		resource *graph.Resource
		value    T
		err      error
	}
	all, _ := graph.EachItem(graph.Batches(resources), func(r *graph.Resource, item *yaml.Node) (one, error) {
		o := one{resource: r}
		if r.Root != "" {
			item = copied(item) // items of one chunk may share nodes
		}
		if o.err = edit.OnTree(item, []edit.Item{{Edits: n.plan.Edits[r]}}); o.err == nil {
			o.value, o.err = visit(r, item)
		}
		return o, nil
	}) // it parsed before, so it cannot fail
	values := map[*graph.Resource]T{}
	for _, o := range all {
		if values[o.resource] = o.value; o.err != nil {
			n.plan.Errorf(o.resource, "", "%v", o.err)
		}
	}
	return values
}

func copied(n *yaml.Node) *yaml.Node {
	made := *yamldoc.Resolve(n)
	made.Anchor, made.Content = "", slices.Clone(made.Content)
	for i, child := range made.Content {
		made.Content[i] = copied(child)
	}
	return &made
}

type facts struct {
	suffix  string
	most    int  // the maximum length of its name
	removed bool // after it has finished
}

func (n *namer) suffixes(jobs []*graph.Resource, pending map[*graph.Resource][]edit.Edit, salt string) map[*graph.Resource]facts {
	return each(n, jobs, func(r *graph.Resource, item *yaml.Node) (f facts, err error) {
		var own []mention // which get no new name: it depends on the hash
		for _, m := range find(r, item).mentions {
			if n.index.resolve(n.graph, r, m) == r {
				own = append(own, m)
			}
		}
		if err := edit.OnTree(item, []edit.Item{{Edits: rewrite(pending[r], own)}}); err != nil {
			return f, err
		}
		var budget yamldoc.Budget
		spec, _ := yamldoc.Get(item, "spec", &budget)
		spec = yamldoc.Resolve(spec)
		encoded, err := hash.Tree(spec)
		if err != nil {
			return f, fmt.Errorf("spec: %w", err)
		}
		f.suffix, f.most = hash.TreeSuffix(encoded, salt), maxName
		f.removed = yamldoc.Text(spec, "ttlSecondsAfterFinished") != ""
		if last, err := strconv.Atoi(yamldoc.Text(spec, "completions")); err == nil && last > 0 && yamldoc.Text(spec, "completionMode") == "Indexed" {
			f.most -= len("-" + strconv.Itoa(last-1)) // host names of pods have the Job's name and their index
		}
		return f, nil
	})
}

func (n *namer) checkUnique() {
	taken := map[graph.ID]*graph.Resource{}
	for _, r := range n.graph.Resources {
		if !r.IsJob() || r.Name == "" {
			continue
		}
		id := n.graph.ID(r).Of(cmp.Or(n.names[r], r.Name))
		other := taken[id]
		if other == nil {
			taken[id] = r
			continue
		}
		renamed := r
		if n.names[r] == "" {
			renamed, other = other, r
		}
		if n.names[renamed] != "" {
			n.plan.Errorf(renamed, "metadata.name", "its new name %q would be that of %s (%s) in the same namespace; rename or remove one", id.Name, other, other.Place())
		}
	}
}
