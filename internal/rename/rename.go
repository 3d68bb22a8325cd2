// Package rename plans mode Rename: ConfigMaps and Secrets get a hash of their content appended to their names, and
// every reference follows.
//
// New returns the new names and the necessary edits. The plan depends only on the input, not on what an earlier run
// did: names are computed from the name without the recorded suffix, and references are rewritten to complete current
// names. So a second run changes nothing.
package rename

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/plan"
	"github.com/confighash/confighash/internal/policy"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A Plan holds the changes and findings of mode Rename.
type Plan struct {
	plan.Plan
	// Names are the new names of the objects that take part.
	Names map[*graph.Resource]string
	// Added are objects with keys of others, each as a document.
	Added [][]byte
	// Dropped are objects that Strip removes because another one gets their keys.
	Dropped []*graph.Resource
	// Left are the objects that are referred to and keep their names, each with the reason.
	Left []graph.Finding

	parts map[*graph.Edge]*part
	read  map[*graph.Edge]bool // covered by a checksum
}

// Covers returns the pod template annotations of r whose pods consume renamed objects. The value is a clause about
// consumed objects that keep their names, "" if there are none.
func (p *Plan) Covers(r *graph.Resource) map[yamldoc.Path]string {
	covers := map[yamldoc.Path]string{}
	for i := range r.Edges {
		e := &r.Edges[i]
		if !e.Ref.Consumed && e.Ref.Via != catalog.ViaExtraSource || e.Ref.Tentative && len(e.Matches) == 0 {
			continue
		}
		templates := r.PodTemplates
		if at := e.Ref.PodTemplate; at >= 0 {
			templates = templates[at : at+1]
		}
		for j := range templates {
			at := templates[j].AnnotationsAt
			covers[at] = cmp.Or(covers[at], p.gap(e))
		}
	}
	return covers
}

// Called returns the new name of object, to which e refers. It is "" if the reference gets a part of the object
// instead.
func (p *Plan) Called(e *graph.Edge, object *graph.Resource) string {
	if p.parts[e] != nil {
		return ""
	}
	return p.Names[object]
}

// gap returns why a change of the referenced object changes no name, "" if it changes one.
func (p *Plan) gap(e *graph.Edge) string {
	switch {
	case p.parts[e] != nil || p.read[e]:
		return ""
	case len(e.Matches) == 0:
		return fmt.Sprintf("%s %q is not in the input", e.Targets, e.Ref.Name)
	case slices.ContainsFunc(e.Matches, func(m graph.Match) bool { return p.Names[m.Candidates[0]] == "" }):
		return fmt.Sprintf("%s %q keeps its name", e.Targets, e.Ref.Name)
	}
	return ""
}

// New plans mode Rename for g. Its error is that of plan.Plan.Err. If beside is not nil, it is called with the new
// names, concurrently with the rewriting of references.
func New(g *graph.Graph, p *policy.Policy, spec *v1alpha1.Spec, beside func(names map[*graph.Resource]string)) (*Plan, error) {
	b := newBuilder(g)
	b.policy, b.spec, b.plan.Full = p, spec, spec.Report == v1alpha1.ReportFull
	b.findReaders()
	b.count()
	b.ask()
	b.choose()
	b.plan.Add(b.policy.Problems()...)
	b.split()
	b.name()
	b.checkNames()
	if b.plan.Err() == nil {
		var group sync.WaitGroup
		defer group.Wait()
		if beside != nil {
			group.Go(func() { beside(b.plan.Names) })
		}
		b.rewrite()
		b.editTargets()
		b.stampReaders()
		var err error
		if b.plan.Added, err = b.add(); err != nil {
			return nil, err
		}
		b.warnOfKustomize()
		b.warnOfMissed()
		b.warnOfDoubts()
		b.warnOfOrder()
	}
	if err := b.plan.Err(); err != nil {
		return nil, err
	}
	for i, f := range b.plan.Findings {
		b.plan.Findings[i].Name = b.plan.Names[f.Resource]
	}
	return b.plan, nil
}

// A target holds the facts about a ConfigMap or a Secret.
type target struct {
	referred bool            // a reference does not ask for anything else
	asked    bool            // a referrer opts in
	unknown  bool            // kustomize does not know a reference to it
	producer *graph.Resource // pins its name
	implicit bool            // the producer looks for it under a name that no field has
	pinned   *graph.Resource // what may refer to it, or to another of the name
	outside  *policy.Refusal // why another build needs its name
	reader   *policy.Refusal // why a program probably reads it by name
	takes    bool            // it takes part
	restored bool            // it gets back the name from before an earlier run
	named    bool            // the name in Plan.Names is final
	naming   bool            // the name is being computed
	suffix   string
	votes    votes
	derived  *derived         // how its name is derived from another's, if it is
	edges    []*graph.Edge    // from its own content
	leads    bool             // another name is derived from its name
	whole    bool             // something needs the whole object; see split
	parts    map[string]*part // the parts that pods take, by their keys
	own      *part            // the part it becomes, if nothing needs the whole object
	added    []*part          // the parts to be added
}

type builder struct {
	graph   *graph.Graph
	policy  *policy.Policy
	spec    *v1alpha1.Spec
	plan    *Plan
	targets []target      // by graph.Resource.Index
	edges   []*graph.Edge // those that names depend on, or that follow names
	outside []*graph.Edge // the same in other builds, which are not rewritten
	missed  []missed
	readers readers
	doubts  []*graph.Edge // tentative references that may mean two kinds
	strips  bool          // no object takes part, and no name gets longer; see Strip
	// looked has the lists of candidates already processed, with the first resource for which that was done: thousands
	// of references may mean the same thousands of objects.
	looked map[look]*graph.Resource
	notes  graph.Notes
	warned map[graph.Finding]bool // without their paths
}

func newBuilder(g *graph.Graph) *builder {
	return &builder{
		graph: g,
		spec:  &v1alpha1.Spec{},
		plan: &Plan{
			Plan:  plan.Plan{Edits: make(map[*graph.Resource][]edit.Edit, len(g.Resources))},
			Names: make(map[*graph.Resource]string, len(g.Resources)/2), parts: map[*graph.Edge]*part{}, read: map[*graph.Edge]bool{},
		},
		targets: make([]target, len(g.Resources)+len(g.Context)),
		looked:  map[look]*graph.Resource{},
		notes:   graph.Notes{},
		warned:  map[graph.Finding]bool{},
	}
}

// A look is a list of candidates, by address, and why it was processed.
type look struct {
	list **graph.Resource
	why  string
}

// again reports whether the candidates were already processed for that reason, for r or another resource. As a
// candidate may exclude itself, two resources may process them.
func (b *builder) again(candidates []*graph.Resource, r *graph.Resource, why string) bool {
	if len(candidates) == 1 {
		return false // costs no more than the reference itself
	}
	for _, l := range []look{{&candidates[0], why}, {&candidates[0], why + " again"}} {
		by, looked := b.looked[l]
		switch {
		case !looked:
			b.looked[l] = r
			return false
		case by == r || r.Target == 0 && by.Target == 0:
			return true
		}
	}
	return true
}

// note is graph.Once with the notes of b. A single object is not worth caching.
func note[T any](b *builder, objects []*graph.Resource, what string, find func() T) T {
	if len(objects) == 1 {
		return find()
	}
	return graph.Once(b.notes, objects, what, find)
}

func (b *builder) target(r *graph.Resource) *target { return &b.targets[r.Index] }

func (b *builder) takes(r *graph.Resource) bool { return b.target(r).takes }

// hashed reports whether r will be named after its content, by this build or another.
func (b *builder) hashed(r *graph.Resource) bool { return b.takes(r) || r.Context && r.Base != r.Name }

// count processes all references: what pins names, and what refers to what.
func (b *builder) count() {
	edges := 0
	for _, r := range b.graph.Resources {
		edges += len(r.Edges)
	}
	b.edges = make([]*graph.Edge, 0, edges)
	for _, r := range b.graph.All() {
		for i := range r.Edges {
			e := &r.Edges[i]
			if b.doubtful(e) {
				continue
			}
			for _, match := range e.Matches {
				b.read(e, match.Candidates)
				if len(match.Candidates) > 1 && b.again(match.Candidates, r, countsAs(e, match)) {
					continue
				}
				for _, c := range match.Candidates {
					b.countOne(e, c)
					b.needOutside(e, match, c)
				}
			}
			b.derive(e)
			if e.Ref.Role == catalog.Producer || e.Targets == 0 {
				continue
			}
			if r.Context {
				b.outside = append(b.outside, e)
				continue
			}
			b.edges = append(b.edges, e)
			if r.Content != nil && graph.InContent(e.Ref.At.Path) {
				t := b.target(r)
				t.edges = append(t.edges, e)
			}
		}
	}
}

// countsAs returns a key for the way in which a reference counts for the objects that it may mean.
func countsAs(e *graph.Edge, match graph.Match) string {
	r, ref := e.Referrer, e.Ref
	namespace := ""
	if ref.Kustomize && !r.ClusterScoped && ref.Namespace == "" {
		namespace = r.Namespace // see follows
	}
	if r.Context {
		namespace += fmt.Sprint(" outside ", match.Based, match.Stale)
	}
	return fmt.Sprint("count", ref.Role, ref.List, ref.Follows, ref.Kustomize, ref.Namespace != "", r.ClusterScoped, r.Ignored(), policy.OptsIn(r), " ", namespace)
}

// countOne records that a reference may mean c.
func (b *builder) countOne(e *graph.Edge, c *graph.Resource) {
	r, ref, t := e.Referrer, e.Ref, b.target(c)
	switch {
	case ref.Role == catalog.Producer:
		if t.producer == nil {
			t.producer, t.implicit = r, ref.Default && ref.Name != ref.At.Value
		}
	case r != c && !r.Ignored():
		t.referred = t.referred || !ref.Follows && ref.Via != catalog.ViaExtraSource
		t.asked = t.asked || !ref.Follows && policy.OptsIn(r)
		t.unknown = t.unknown || !b.known(r, ref, c)
	}
}

// needOutside records that another build needs the current name of c. If the reference has a hash, its build follows
// new names.
func (b *builder) needOutside(e *graph.Edge, match graph.Match, c *graph.Resource) {
	r, t := e.Referrer, b.target(c)
	if !r.Context || c.Context || t.outside != nil || e.Ref.Follows || e.Ref.Role == catalog.Producer || match.Stale || !match.Based && c.Base != c.Name {
		return
	}
	t.outside = warning("%s of another build (%s, %s) refers to it by its name without a hash, which would lead to nothing; "+
		`to rename it, set its annotation confighash.dev/roll: "true", and then run the other build with --context on the output of this one`,
		r, r.File, r.Place())
}

// known reports whether kustomize updates ref, which means c. It ignores which kinds an RBAC rule is about, so it may
// mistake a name for one of the other kind.
func (b *builder) known(r *graph.Resource, ref *reference.Reference, c *graph.Resource) bool {
	return follows(r, ref, c) && (!ref.List || len(b.graph.Resolve(r, ref, catalog.AnyTarget&^c.Target).Candidates) == 0)
}

// follows reports whether kustomize updates a field like ref's if it means c. kustomize compares namespaces as written,
// and so misses references in a chart that it inflates (kustomize 5.8).
func follows(r *graph.Resource, ref *reference.Reference, c *graph.Resource) bool {
	return ref.Kustomize && (r.ClusterScoped || ref.Namespace != "" || cmp.Or(r.Namespace, "default") == cmp.Or(c.Namespace, "default"))
}
