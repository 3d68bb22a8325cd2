package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/yamldoc"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/manifest"
	patterns "github.com/confighash/confighash/internal/pattern"
	"github.com/confighash/confighash/internal/policy/reloader"
	"github.com/confighash/confighash/internal/policy/wave"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A Workload is a pod template with what annotations ask for it.
type Workload struct {
	policy   *Policy
	resource *graph.Resource
	template *graph.PodTemplate
	reloader *reloader.Workload
	wave     wave.Workload
	consumed map[string]bool  // the names of what the pods get
	problems map[problem]bool // of the pod template
}

// An asking is what the annotations of a workload itself ask for.
type asking struct {
	resource *graph.Resource
	wave     wave.Workload
	problems map[problem]bool
	// named are the objects that they name, as reloader has it, once that is known.
	named    []Named
	reloader *reloader.Workload
	known    bool
}

// A problem is an annotation that there is a warning of.
type problem struct {
	key         string
	podTemplate bool
}

// Workload returns the pod template t of r, made ready for judgement.
func (p *Policy) Workload(r *graph.Resource, t *graph.PodTemplate) *Workload {
	w := &Workload{policy: p, resource: r, template: t}
	if p.last.resource != r {
		p.last = asking{resource: r}
		if p.policy == v1alpha1.PolicyWave {
			p.last.wave = wave.Read(r.Annotations)
		}
	}
	switch p.policy {
	case v1alpha1.PolicyReloader:
		controller := p.reloader
		if !reloader.Handles(r.Group, r.Kind) {
			controller = p.asked
		}
		w.reloader = controller.Read(r.Annotations, t.Annotations)
	case v1alpha1.PolicyWave:
		w.wave = p.last.wave
	}
	return w
}

// A Verdict is whether a change of an object is to roll a workload.
type Verdict struct {
	Rolls bool
	// Whole tells that all of the object counts, whatever the workload
	// consumes of it: it is named.
	Whole bool
	// Reason is why not, as the end of a sentence in which "it" is the object.
	Reason string
}

// A Use is what a workload has to do with an object.
type Use struct {
	Object *graph.Resource
	// Kind is what the object is taken for: Secret for most of what stands
	// for one.
	Kind string
	// Consumed tells that the pods consume it, Named that it is one of those
	// that Named returns.
	Consumed, Named bool
}

// Judge tells whether a change of an object is to roll the workload.
func (w *Workload) Judge(u Use) Verdict {
	object, kind, consumed := u.Object, u.Kind, u.Consumed
	if refusal := w.policy.Chosen(object, OptsIn(w.resource)); refusal != nil {
		return Verdict{Reason: refusal.Reason}
	}
	v := Verdict{Rolls: consumed}
	switch w.policy.policy {
	case v1alpha1.PolicyReloader:
		d := w.reloader.Decide(w.policy.object(object, kind))
		w.policy.take(w.resource, 0)
		v = Verdict{Rolls: d.Reload && (consumed || !d.Auto), Whole: d.Reload && !d.Auto, Reason: d.Reason}
		// Reloader has nothing to change where there is no container.
		v.Rolls = v.Rolls && (w.template.Containers || !w.template.HasSpec)
		if d.Reload && !v.Rolls {
			v.Reason = "no container uses it"
		}
		return v
	case v1alpha1.PolicyWave:
		if !w.wave.Enabled {
			return Verdict{Reason: `the workload has no ` + wave.UpdateOnConfigChange + `: "true"`}
		}
		if u.Named {
			return Verdict{Rolls: true, Whole: true}
		}
	}
	if !v.Rolls {
		v.Reason = "no container uses it"
	}
	return v
}

// object returns what Reloader sees of an object.
func (p *Policy) object(r *graph.Resource, kind string) reloader.Object {
	id := taken{r, kind}
	o, ok := p.objects[id]
	if !ok {
		o = reloader.Object{Kind: kind, Names: names(r, kind), Annotations: r.Annotations}
		if r.StandsFor && kind == reloader.Secret {
			o.Annotations = r.SecretAnnotations
		}
		p.objects[id] = o
	}
	return o
}

// taken is an object, and the kind that it is taken for.
type taken struct {
	resource *graph.Resource
	kind     string
}

// names returns the names by which an object may be meant: the present one,
// earlier ones, and the ones without a hash. What stands for a Secret is meant by
// the Secret's.
func names(r *graph.Resource, kind string) []string {
	if r.StandsFor && kind == "Secret" {
		var all []string
		for i := range r.References {
			if ref := &r.References[i]; ref.Role == catalog.Producer && ref.Targets.Has(catalog.Secret) {
				all = append(all, ref.Name)
			}
		}
		for _, id := range r.History.Previous {
			all = append(all, id.Name)
		}
		return all
	}
	all := []string{r.Name}
	if r.Base != "" && r.Base != r.Name {
		all = append(all, r.Base)
	}
	for _, id := range r.History.Previous {
		all = append(all, id.Name)
	}
	return all
}

// watched are the kinds that Reloader watches.
var watched = []string{reloader.ConfigMap, reloader.Secret, reloader.SecretProviderClass}

// A Named is an object that a workload's annotations name.
type Named struct {
	Object *graph.Resource
	// Kind is what the object is taken for.
	Kind string
}

// Named returns the objects that annotations name, whether the pods consume
// them or not, and warnings of names that mean none: of those of the workload
// itself, the first time.
func (w *Workload) Named() (named []Named, unmet []graph.Finding) {
	last := &w.policy.last
	if !last.known || w.reloader != nil && !w.reloader.Same(last.reloader) {
		last.named, unmet = w.name()
		last.known, last.reloader = true, w.reloader
	}
	w.policy.count(w, len(last.named))
	if w.policy.excess != nil {
		return nil, unmet
	}
	return last.named, unmet
}

// count counts how many objects annotations name, and notes where that is too many.
func (p *Policy) count(w *Workload, names int) {
	most := 1_000_000 + 100*len(p.graph.Resources)
	if p.namings += names; p.namings > most && p.excess == nil {
		p.excess = &graph.Finding{
			Severity: manifest.Error, Resource: w.resource, Path: metadataAnnotations,
			Message: fmt.Sprintf("they name %d objects, and those of all workloads name objects more than %d times; let expressions match fewer names", names, most),
		}
	}
}

// name finds what annotations name.
func (w *Workload) name() (named []Named, unmet []graph.Finding) {
	switch w.policy.policy {
	case v1alpha1.PolicyReloader:
		for _, kind := range watched {
			if pattern := w.reloader.Excessive(kind); pattern != nil {
				unmet = append(unmet, graph.Finding{
					Severity: manifest.Error, Resource: w.resource, Path: w.annotation(pattern.Key, pattern.PodTemplate),
					Message: fmt.Sprintf("the expression %q cannot be used: %v", graph.Clip(pattern.Text), patterns.ErrSize),
				})
			}
			for _, pattern := range w.reloader.Patterns(kind) {
				path := w.annotation(pattern.Key, pattern.PodTemplate)
				found := w.policy.matching(w.resource, kind, pattern)
				for _, object := range found {
					named = append(named, Named{object, kind})
					unmet = append(unmet, w.missedNamed(kind, object, path)...)
				}
				if len(found) == 0 && !w.linted(pattern.Key, pattern.PodTemplate) {
					unmet = append(unmet, w.unmet(kind, "", pattern.Text, path))
				}
			}
		}
	case v1alpha1.PolicyWave:
		for _, n := range w.wave.Extra {
			key := wave.ExtraSecrets
			if n.Kind == reloader.ConfigMap {
				key = wave.ExtraConfigMaps
			}
			path := w.annotation(key, false)
			found := w.policy.called(w.resource, n.Kind, n.Namespace, n.Name)
			for _, object := range found {
				named = append(named, Named{object, n.Kind})
				unmet = append(unmet, w.missedNamed(n.Kind, object, path)...)
			}
			if len(found) == 0 {
				unmet = append(unmet, w.unmet(n.Kind, n.Namespace, n.Name, path))
			}
		}
	}
	return named, unmet
}

// linted reports whether there is a warning of an annotation already.
func (w *Workload) linted(key string, podTemplate bool) bool {
	c, last := w.policy.reloader, &w.policy.last
	of := &last.problems
	if podTemplate {
		of = &w.problems
	}
	if *of == nil {
		*of = map[problem]bool{}
		problems := c.LintWorkload(w.resource.Kind, w.resource.Annotations)
		if podTemplate {
			problems = c.LintPodTemplate(w.resource.Annotations, w.template.Annotations)
		}
		for _, p := range problems {
			(*of)[problem{p.Key, p.PodTemplate}] = true
		}
	}
	return (*of)[problem{key, podTemplate}]
}

// annotation returns where an annotation of the workload or of its pod template is.
func (w *Workload) annotation(key string, podTemplate bool) yamldoc.Path {
	if podTemplate {
		return w.template.AnnotationsAt.Key(key)
	}
	return metadataAnnotations.Key(key)
}

// unmet warns of a name in an annotation that means nothing in the input, or what a
// controller writes.
func (w *Workload) unmet(kind, namespace, name string, path yamldoc.Path) graph.Finding {
	f := graph.Finding{Severity: manifest.Warning, Resource: w.resource, Path: path}
	target := catalog.TargetOf(kind)
	ref := &reference.Reference{Name: name, Namespace: namespace, Targets: target}
	if makers := w.policy.graph.Edge(w.resource, ref).Makers; len(makers) > 0 {
		f.Message = w.policy.missed(kind, name, makers[0].Resources[0])
		return f
	}
	if namespace != "" {
		name = namespace + "/" + name
	}
	f.Message = fmt.Sprintf("%q means no %s in the input; correct the name, remove it, or add the object", name, kind)
	return f
}

// called returns the objects that go by a name: the ConfigMap or Secret, and
// what makes it.
func (p *Policy) called(r *graph.Resource, kind, namespace, name string) []*graph.Resource {
	target := catalog.TargetOf(kind)
	if target == 0 {
		if object := p.named[wanted{scope{kind, p.graph.NamespaceOf(r)}, name}]; object != nil {
			return []*graph.Resource{object}
		}
		return nil
	}
	ref := &reference.Reference{Name: name, Namespace: namespace, Targets: target}
	var found []*graph.Resource
	e := p.graph.Edge(r, ref)
	for _, match := range e.Matches {
		found = append(found, match.Candidates...)
	}
	for _, makers := range e.Makers {
		found = append(found, p.graph.StandIns(makers.Resources)...)
	}
	return found
}

// scope is a kind in a namespace.
type scope struct{ kind, namespace string }

// A calledSo is an object by one of its names.
type calledSo struct {
	name   string
	object *graph.Resource
	place  int // in the order of the input
}

// wanted is a pattern that is to match objects of a scope.
type wanted struct {
	scope
	pattern string
}

// index enters the objects that patterns may mean.
func (p *Policy) index() {
	p.byKind, p.named = map[scope][]*graph.Resource{}, map[wanted]*graph.Resource{}
	p.sorted = map[scope][]calledSo{}
	for _, r := range p.graph.Resources {
		if r.Target == 0 && !r.StandsFor || r.Name == "" {
			continue
		}
		namespace := p.graph.NamespaceOf(r)
		p.byKind[scope{r.Kind, namespace}] = append(p.byKind[scope{r.Kind, namespace}], r)
		if r.Target == 0 {
			for _, name := range names(r, r.Kind) {
				if id := (wanted{scope{r.Kind, namespace}, name}); p.named[id] == nil {
					p.named[id] = r
				}
			}
		}
		if r.StandsFor {
			p.byKind[scope{"Secret", namespace}] = append(p.byKind[scope{"Secret", namespace}], r)
		}
	}
}

// matching returns the objects in r's namespace that a pattern of Reloader's
// means.
func (p *Policy) matching(r *graph.Resource, kind string, pattern reloader.Pattern) []*graph.Resource {
	if pattern.Literal {
		return p.called(r, kind, "", pattern.Text)
	}
	where := scope{kind, p.graph.NamespaceOf(r)}
	id := wanted{where, pattern.Text}
	all, ok := p.matched[id]
	if !ok {
		all = p.match(where, pattern)
		p.matched[id] = all
	}
	p.take(r, len(all))
	var found []*graph.Resource
	for _, c := range all {
		// Of variants of one base in a namespace, an earlier name means the
		// workload's own.
		if c.name == c.object.Name || kustomize.SameAffixes(c.object.History, r.History, true) {
			found = append(found, c.object)
		}
	}
	return found
}

// match returns the objects of a scope that a pattern matches by any of their names,
// each once: by the present one, if that matches.
func (p *Policy) match(where scope, pattern reloader.Pattern) []calledSo {
	sorted, ok := p.sorted[where]
	if !ok {
		for i, object := range p.byKind[where] {
			for _, name := range p.object(object, where.kind).Names {
				sorted = append(sorted, calledSo{name, object, i})
			}
		}
		slices.SortStableFunc(sorted, func(a, b calledSo) int { return strings.Compare(a.name, b.name) })
		p.sorted[where] = sorted
	}
	at, _ := slices.BinarySearchFunc(sorted, pattern.Prefix, func(c calledSo, prefix string) int { return strings.Compare(c.name, prefix) })
	var found []calledSo
	for ; at < len(sorted) && strings.HasPrefix(sorted[at].name, pattern.Prefix) && !p.budget.Exhausted(); at++ {
		if pattern.Match(sorted[at].name) {
			found = append(found, sorted[at])
		}
	}
	isPresent := func(c calledSo) int {
		if c.name == c.object.Name {
			return 0
		}
		return 1
	}
	slices.SortFunc(found, func(a, b calledSo) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(isPresent(a), isPresent(b)))
	})
	return slices.CompactFunc(found, func(a, b calledSo) bool { return a.object == b.object })
}
