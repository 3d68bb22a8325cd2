package policy

import (
	"cmp"
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/manifest"
	patterns "github.com/confighash/confighash/internal/pattern"
	"github.com/confighash/confighash/internal/policy/reloader"
	"github.com/confighash/confighash/internal/policy/wave"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A Workload is a pod template with what annotations ask for it.
type Workload struct {
	policy   *Policy
	resource *graph.Resource
	template *graph.PodTemplate
	reloader *reloader.Workload // nil under other policies
	wave     wave.Workload
	consumed map[string]bool // the names of what the pods get
}

// An asking is what the annotations in a resource's own metadata ask for, for all of its
// pod templates.
type asking struct {
	resource *graph.Resource
	reloader *reloader.Workload
	wave     wave.Workload
	// named are the objects of a kind that they name, once known.
	named map[string][]Named
}

// Workload returns the pod template t of r, prepared for judgement.
func (p *Policy) Workload(r *graph.Resource, t *graph.PodTemplate) *Workload {
	if p.last.resource != r {
		p.last = asking{resource: r, named: map[string][]Named{}}
		switch {
		case p.policy == v1alpha1.PolicyWave:
			p.last.wave = wave.Read(r.Annotations)
		case p.policy == v1alpha1.PolicyReloader && reloader.Handles(r.Group, r.Kind):
			p.last.reloader = p.reloader.Read(r.Annotations)
		case p.policy == v1alpha1.PolicyReloader:
			p.last.reloader = p.asked.Read(r.Annotations)
		}
	}
	w := &Workload{policy: p, resource: r, template: t, wave: p.last.wave}
	if p.last.reloader != nil {
		w.reloader = p.last.reloader.WithPodTemplate(t.Annotations)
	}
	return w
}

// A Verdict is whether a change of an object is to roll a workload.
type Verdict struct {
	Rolls bool
	// Whole reports that all of the object counts, whatever the workload
	// consumes of it: it is named.
	Whole bool
	// Reason is why not, as the end of a sentence in which "it" is the object.
	Reason string
}

// A Use is an object that a workload consumes or names.
type Use struct {
	Object *graph.Resource
	// Kind is what the object is taken for: Secret for most of what stands
	// for one.
	Kind string
	// Consumed reports that the pods consume it, Named that Named returns it.
	Consumed, Named bool
}

// Judge returns whether a change of an object is to roll the workload.
func (w *Workload) Judge(u Use) Verdict {
	if refusal := w.policy.Chosen(u.Object, OptsIn(w.resource)); refusal != nil {
		return Verdict{Reason: refusal.Reason}
	}
	v := Verdict{Rolls: u.Consumed}
	switch w.policy.policy {
	case v1alpha1.PolicyReloader:
		d := w.reloader.Decide(w.policy.object(u.Object, u.Kind))
		w.policy.take(w.resource, 0)
		// Reloader has nothing to change if there is no container.
		v.Rolls = d.Reload && (u.Consumed || !d.Auto) && (w.template.Containers || !w.template.HasSpec)
		v.Whole = d.Reload && !d.Auto
		if !d.Reload || v.Rolls {
			v.Reason = d.Reason
			return v
		}
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
	id := takenFor{r, kind}
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

// takenFor is an object and the kind that it is taken for.
type takenFor struct {
	resource *graph.Resource
	kind     string
}

// names returns the names by which annotations refer to an object: the present one,
// the one without a hash, and earlier ones. What stands for a Secret has the Secret's
// names.
func names(r *graph.Resource, kind string) []string {
	var all []string
	if r.StandsFor && kind == reloader.Secret {
		for i := range r.References {
			if ref := &r.References[i]; ref.Role == catalog.Producer && ref.Targets.Has(catalog.Secret) {
				all = append(all, ref.Name)
			}
		}
	} else {
		all = append(all, r.Name)
		if r.Base != "" && r.Base != r.Name {
			all = append(all, r.Base)
		}
	}
	for _, id := range r.History.Previous {
		all = append(all, id.Name)
	}
	return all
}

// A Named is an object that a workload's annotations name.
type Named struct {
	Object *graph.Resource
	// Kind is what the object is taken for.
	Kind string
}

// Named returns the objects that annotations name, whether the pods consume
// them or not, and findings about names. Those about names in the resource's own
// metadata come with its first pod template.
func (w *Workload) Named() (named []Named, findings []graph.Finding) {
	p := w.policy
	if !p.AsksWorkloads() {
		return nil, nil
	}
	for _, kind := range reloader.Kinds {
		found, known := p.last.named[kind]
		if !known || w.reloader != nil && w.reloader.AsksInPodTemplate(kind) {
			var more []graph.Finding
			found, more = w.name(kind)
			findings = append(findings, more...)
			if w.reloader == nil || !w.reloader.AsksInPodTemplate(kind) {
				p.last.named[kind] = found
			}
		}
		named = append(named, found...)
	}
	most := 1_000_000 + 100*len(p.graph.Resources)
	if p.namings += len(named); p.namings > most && p.excess == nil {
		p.excess = &graph.Finding{
			Severity: manifest.Error, Resource: w.resource, Path: metadataAnnotations,
			Message: fmt.Sprintf("they name %d objects, and those of all workloads name objects more than %d times; let expressions match fewer names", len(named), most),
		}
	}
	if p.excess != nil {
		return nil, findings
	}
	return named, findings
}

// name finds the objects of a kind that annotations name.
func (w *Workload) name(kind string) (named []Named, findings []graph.Finding) {
	add := func(ref *reference.Reference, path yamldoc.Path, found []*graph.Resource) {
		for _, object := range found {
			named = append(named, Named{object, kind})
			findings = append(findings, w.missedNamed(kind, object, path)...)
		}
		if len(found) == 0 {
			findings = append(findings, w.unmet(ref, kind, path))
		}
	}
	for _, n := range w.wave.Extra {
		if n.Kind != kind {
			continue
		}
		key := wave.ExtraSecrets
		if kind == reloader.ConfigMap {
			key = wave.ExtraConfigMaps
		}
		ref := referenceTo(kind, n.Namespace, n.Name)
		add(ref, metadataAnnotations.Key(key), w.policy.called(w.resource, ref))
	}
	if w.reloader == nil {
		return named, findings
	}
	for _, pattern := range w.reloader.Patterns(kind) {
		path := metadataAnnotations.Key(pattern.Key)
		if pattern.PodTemplate {
			path = w.template.AnnotationsAt.Key(pattern.Key)
		}
		if pattern.Err != nil {
			findings = append(findings, w.invalid(&pattern, path))
			continue
		}
		add(referenceTo(kind, "", pattern.Text), path, w.policy.matching(w.resource, kind, pattern))
	}
	return named, findings
}

// referenceTo is a name in an annotation.
func referenceTo(kind, namespace, name string) *reference.Reference {
	return &reference.Reference{Name: name, Namespace: namespace, Targets: catalog.TargetOf(kind)}
}

// invalid reports a pattern that Reloader skips, or that is too large to be matched.
func (w *Workload) invalid(pattern *reloader.Pattern, path yamldoc.Path) graph.Finding {
	f := graph.Finding{Severity: manifest.Error, Resource: w.resource, Path: path}
	if errors.Is(pattern.Err, patterns.ErrSize) {
		f.Message = fmt.Sprintf("the expression %q cannot be used: %v", graph.Clip(pattern.Text), patterns.ErrSize)
		return f
	}
	why := pattern.Err.Error()
	if e := new(syntax.Error); errors.As(pattern.Err, &e) {
		why = e.Code.String()
	}
	f.Severity = manifest.Warning
	f.Message = fmt.Sprintf("holds %q, which is not a regular expression (%s), so Reloader skips it; correct it, and mind that every comma separates two", pattern.Text, why)
	return f
}

// unmet warns of a name in an annotation that no object in the input has, or only what a
// controller writes.
func (w *Workload) unmet(ref *reference.Reference, kind string, path yamldoc.Path) graph.Finding {
	f := graph.Finding{Severity: manifest.Warning, Resource: w.resource, Path: path}
	if makers := w.policy.graph.Edge(w.resource, ref).Makers; len(makers) > 0 {
		f.Message = w.policy.missed(kind, ref.Name, makers[0].Resources[0])
		return f
	}
	name := ref.Name
	if ref.Namespace != "" {
		name = ref.Namespace + "/" + name
	}
	f.Message = fmt.Sprintf("%q matches no %s in the input; correct the name, remove it, or add the object", name, kind)
	return f
}

// called returns the objects that a name refers to: the ConfigMap or Secret, and
// what makes it.
func (p *Policy) called(r *graph.Resource, ref *reference.Reference) []*graph.Resource {
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
	place  int // in the input
}

// wanted is a pattern that is to match objects of a scope.
type wanted struct {
	scope
	pattern string
}

// index enters the objects that patterns may match, sorted by name.
func (p *Policy) index() {
	p.sorted = map[scope][]calledSo{}
	for i, r := range p.graph.Resources {
		if r.Target == 0 && !r.StandsFor || r.Name == "" {
			continue
		}
		kinds := []string{r.Kind}
		if r.StandsFor {
			kinds = append(kinds, reloader.Secret)
		}
		for _, kind := range kinds {
			where := scope{kind, p.graph.NamespaceOf(r)}
			for _, name := range p.object(r, kind).Names {
				p.sorted[where] = append(p.sorted[where], calledSo{name, r, i})
			}
		}
	}
	for _, called := range p.sorted {
		slices.SortStableFunc(called, func(a, b calledSo) int { return strings.Compare(a.name, b.name) })
	}
}

// from returns the objects of a scope, from the first name on that is not less than prefix.
func (p *Policy) from(where scope, prefix string) []calledSo {
	if p.sorted == nil {
		p.index()
	}
	sorted := p.sorted[where]
	at, _ := slices.BinarySearchFunc(sorted, prefix, func(c calledSo, prefix string) int { return strings.Compare(c.name, prefix) })
	return sorted[at:]
}

// matching returns the objects in r's namespace that a pattern of Reloader's matches.
func (p *Policy) matching(r *graph.Resource, kind string, pattern reloader.Pattern) []*graph.Resource {
	where := scope{kind, p.graph.NamespaceOf(r)}
	if pattern.Literal != "" {
		if catalog.TargetOf(kind) != 0 {
			return p.called(r, referenceTo(kind, "", pattern.Text))
		}
		if found := p.from(where, pattern.Text); len(found) > 0 && found[0].name == pattern.Text {
			return []*graph.Resource{found[0].object}
		}
		return nil
	}
	id := wanted{where, pattern.Text}
	all, ok := p.matched[id]
	if !ok {
		all = p.match(where, pattern)
		p.matched[id] = all
	}
	p.take(r, len(all))
	var found []*graph.Resource
	for _, c := range all {
		// Of variants of one base in a namespace, an earlier name refers to the
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
	var found []calledSo
	for _, c := range p.from(where, pattern.Prefix) {
		if !strings.HasPrefix(c.name, pattern.Prefix) || p.budget.Exhausted() {
			break
		}
		if pattern.Match(c.name) {
			found = append(found, c)
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
