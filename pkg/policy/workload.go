package policy

import (
	"fmt"
	"slices"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/catalog"
	"github.com/confighash/confighash/pkg/edit"
	"github.com/confighash/confighash/pkg/graph"
	"github.com/confighash/confighash/pkg/kustomize"
	"github.com/confighash/confighash/pkg/reference"
	"github.com/confighash/confighash/pkg/reloader"
	"github.com/confighash/confighash/pkg/stream"
	"github.com/confighash/confighash/pkg/wave"
)

// A Workload is a pod template with what annotations ask for it.
type Workload struct {
	policy   *Policy
	resource *graph.Resource
	template *graph.PodTemplate
	reloader *reloader.Workload
	wave     wave.Workload
	consumed map[string]bool // the names of what the pods get
}

// Workload returns the pod template t of r, made ready for judgement.
func (p *Policy) Workload(r *graph.Resource, t *graph.PodTemplate) *Workload {
	w := &Workload{policy: p, resource: r, template: t}
	switch p.policy {
	case v1alpha1.PolicyReloader:
		controller := p.reloader
		if !reloader.Handles(r.Group, r.Kind) {
			controller = p.asked
		}
		w.reloader = controller.Read(r.Annotations, t.Annotations)
	case v1alpha1.PolicyWave:
		w.wave = wave.Read(r.Annotations)
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

func (p *Policy) isCalled(r *graph.Resource, kind, name string) bool {
	for _, n := range p.object(r, kind).Names {
		if n == name {
			return true
		}
	}
	return false
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
// them or not, and warnings of names that mean none.
func (w *Workload) Named() (named []Named, unmet []graph.Finding) {
	switch w.policy.policy {
	case v1alpha1.PolicyReloader:
		for _, kind := range watched {
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
	problems := w.policy.reloader.LintWorkload(w.resource.Kind, w.resource.Annotations, w.template.Annotations)
	return slices.ContainsFunc(problems, func(p reloader.Problem) bool { return p.Key == key && p.PodTemplate == podTemplate })
}

// annotation returns where an annotation of the workload or of its pod template is.
func (w *Workload) annotation(key string, podTemplate bool) edit.Path {
	if podTemplate {
		return w.template.AnnotationsAt.Key(key)
	}
	return metadataAnnotations.Key(key)
}

// unmet warns of a name in an annotation that means nothing in the input, or what a
// controller writes.
func (w *Workload) unmet(kind, namespace, name string, path edit.Path) graph.Finding {
	f := graph.Finding{Severity: stream.Warning, Resource: w.resource, Path: path}
	target := catalog.TargetOf(kind)
	ref := &reference.Reference{Name: name, Namespace: namespace, Targets: target}
	if makers := w.policy.graph.Producers(w.resource, ref, target); len(makers) > 0 {
		f.Message = w.policy.missed(kind, name, makers[0])
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
		for _, object := range p.byKind[scope{kind, p.graph.NamespaceOf(r)}] {
			if p.isCalled(object, kind, name) {
				return []*graph.Resource{object}
			}
		}
		return nil
	}
	ref := &reference.Reference{Name: name, Namespace: namespace, Targets: target}
	var found []*graph.Resource
	m := p.graph.Mention(r, ref)
	for _, match := range m.Matches {
		found = append(found, match.Candidates...)
	}
	for _, producer := range p.graph.Producers(r, ref, target) {
		if producer.StandsFor {
			found = append(found, producer)
		}
	}
	return found
}

// scope is a kind in a namespace.
type scope struct{ kind, namespace string }

// wanted is a pattern that is to match objects of a scope.
type wanted struct {
	scope
	pattern string
}

// index enters the objects that patterns may mean.
func (p *Policy) index() {
	p.byKind = map[scope][]*graph.Resource{}
	for _, r := range p.graph.Resources {
		if r.Target == 0 && !r.StandsFor || r.Name == "" {
			continue
		}
		namespace := p.graph.NamespaceOf(r)
		p.byKind[scope{r.Kind, namespace}] = append(p.byKind[scope{r.Kind, namespace}], r)
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
		for _, object := range p.byKind[where] {
			for _, name := range p.object(object, kind).Names {
				if pattern.Match(name) {
					all = append(all, object)
					break
				}
			}
		}
		p.matched[id] = all
	}
	var found []*graph.Resource
	for _, object := range all {
		// Of variants of one base in a namespace, an earlier name means the
		// workload's own.
		if pattern.Match(object.Name) || kustomize.SameAffixes(object.History, r.History, true) {
			found = append(found, object)
		}
	}
	return found
}
