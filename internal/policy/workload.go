package policy

import (
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

// A Workload is a pod template with the requests of annotations for it.
type Workload struct {
	*asking
	policy   *Policy
	template *reference.PodTemplate
	reloader *reloader.Requests // nil under other policies
}

// An asking holds the requests in a resource's own metadata, for all of its pod templates.
type asking struct {
	resource  *graph.Resource
	own       *reloader.Requests // nil under other policies
	wave      wave.Request
	named     map[string][]Named // the named objects of a kind, once computed
	consumed  map[string]bool    // names of what the pods consume
	workloads map[*reference.PodTemplate]*Workload
}

// Workload returns the requests of annotations for the pod template t of r.
func (p *Policy) Workload(r *graph.Resource, t *reference.PodTemplate) *Workload {
	if !p.AsksWorkloads() {
		return &Workload{asking: &asking{resource: r}, policy: p, template: t}
	}
	if p.last.resource != r {
		p.last = p.ask(r)
	}
	w := p.last.workloads[t]
	if w == nil {
		w = &Workload{asking: p.last, policy: p, template: t}
		if w.own != nil {
			w.reloader = w.own.WithPodTemplate(t.Annotations)
		}
		p.last.workloads[t] = w
	}
	return w
}

func (p *Policy) ask(r *graph.Resource) *asking {
	a := &asking{resource: r, named: map[string][]Named{}, consumed: map[string]bool{}, workloads: map[*reference.PodTemplate]*Workload{}}
	for i := range r.References {
		if ref := &r.References[i]; ref.Consumed {
			a.consumed[ref.Name] = true
		}
	}
	switch p.policy {
	case v1alpha1.PolicyWave:
		a.wave = wave.Read(r.Annotations)
	case v1alpha1.PolicyReloader:
		a.own = p.reloader.Read(r.Annotations)
		a.own.AutoReloadAll = a.own.AutoReloadAll && reloader.Handles(r.Group, r.Kind)
	}
	return a
}

// A Verdict says whether a change of an object should roll a workload.
type Verdict struct {
	Rolls bool
	// Whole: the whole object counts, whatever the workload consumes, because it is named.
	Whole bool
	// Reason is why not, as the end of a sentence in which "it" is the object.
	Reason string
}

// A Use is an object that a workload consumes or names.
type Use struct {
	Object *graph.Resource
	// Kind is the kind as which the object is used: Secret for most stand-ins of one.
	Kind string
	// Consumed: the pods consume it. Named: the method Named returns it.
	Consumed, Named bool
}

// Judge returns whether a change of an object should roll the workload.
func (w *Workload) Judge(u Use) Verdict {
	if refusal := w.policy.Chosen(u.Object, OptsIn(w.resource)); refusal != nil {
		return Verdict{Reason: refusal.Reason}
	}
	v := Verdict{Rolls: u.Consumed}
	switch w.policy.policy {
	case v1alpha1.PolicyReloader:
		object := reloader.Object{Kind: u.Kind, Names: names(u.Object, u.Kind), Annotations: u.Object.Annotations}
		if u.Object.StandsFor && u.Kind == reloader.Secret {
			object.Annotations = u.Object.SecretAnnotations
		}
		d := w.reloader.Decide(object)
		w.policy.take(w.resource, 0)
		// Without a container, Reloader has nothing to change.
		v.Rolls = d.Reload && (u.Consumed || !d.Auto) && (w.template.Containers || w.template.Spec == "")
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

// names returns the names by which annotations refer to an object: the current one, the one without a hash, and earlier
// ones. A Secret's stand-in has the Secret's names.
func names(r *graph.Resource, kind string) []string {
	all := []string{r.Name}
	if r.StandsFor && kind == reloader.Secret {
		all = nil
		for i := range r.References {
			if ref := &r.References[i]; ref.Role == catalog.Producer && ref.Targets.Has(catalog.Secret) {
				all = append(all, ref.Name)
			}
		}
	} else if r.Base != "" && r.Base != r.Name {
		all = append(all, r.Base)
	}
	return append(all, r.Names()[1:]...)
}

// A Named is an object that a workload's annotations name.
type Named struct {
	Object *graph.Resource
	// Kind is the kind as which the object is used.
	Kind string
}

// Named returns the objects that annotations name, whether or not the pods consume them, and findings about names.
// Those about names in the resource's own metadata are returned with its first pod template.
func (w *Workload) Named() (named []Named, findings []graph.Finding) {
	p := w.policy
	if !p.AsksWorkloads() {
		return nil, nil
	}
	for _, kind := range reloader.Kinds {
		ofTemplate := w.reloader != nil && w.reloader.AsksInPodTemplate(kind)
		found, known := w.named[kind]
		if !known || ofTemplate {
			var more []graph.Finding
			found, more = w.name(kind)
			findings = append(findings, more...)
		}
		if !ofTemplate {
			w.named[kind] = found
		}
		named = append(named, found...)
	}
	most := 1_000_000 + 100*len(p.graph.All())
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
	key := map[string]string{reloader.ConfigMap: wave.ExtraConfigMaps, reloader.Secret: wave.ExtraSecrets}[kind]
	for _, n := range w.wave.Extra {
		if n.Kind == kind {
			ref := referenceTo(kind, n.Namespace, n.Name)
			add(ref, metadataAnnotations.Key(key), w.policy.called(w.resource, ref))
		}
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

func referenceTo(kind, namespace, name string) *reference.Reference {
	return &reference.Reference{Name: name, Namespace: namespace, Targets: catalog.TargetOf(kind)}
}

func warning(r *graph.Resource, path yamldoc.Path, message string) graph.Finding {
	return graph.Finding{Severity: manifest.Warning, Resource: r, Path: path, Message: message}
}

// invalid reports a pattern that Reloader skips, or that is too large to be used.
func (w *Workload) invalid(pattern *reloader.Pattern, path yamldoc.Path) graph.Finding {
	if errors.Is(pattern.Err, patterns.ErrSize) {
		message := fmt.Sprintf("the expression %q cannot be used: %v", graph.Clip(pattern.Text), patterns.ErrSize)
		return graph.Finding{Severity: manifest.Error, Resource: w.resource, Path: path, Message: message}
	}
	why := pattern.Err.Error()
	if e := new(syntax.Error); errors.As(pattern.Err, &e) {
		why = e.Code.String()
	}
	return warning(w.resource, path, fmt.Sprintf("holds %q, which is not a regular expression (%s), so Reloader skips it; correct it, and mind that every comma separates two", pattern.Text, why))
}

// unmet warns about a name in an annotation that no object in the input has, or only an object that a controller
// writes.
func (w *Workload) unmet(ref *reference.Reference, kind string, path yamldoc.Path) graph.Finding {
	if makers := w.policy.graph.Edge(w.resource, ref).Makers; len(makers) > 0 {
		return warning(w.resource, path, w.policy.missed(kind, ref.Name, makers[0].Resources[0]))
	}
	name := strings.TrimPrefix(ref.Namespace+"/"+ref.Name, "/")
	return warning(w.resource, path, fmt.Sprintf("%q matches no %s in the input; correct the name, remove it, or add the object", name, kind))
}

// called returns the objects that a name refers to: the ConfigMap or Secret, and its stand-ins.
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

type scope struct{ kind, namespace string }

// A candidate is an object with the names by which annotations refer to it.
type candidate struct {
	object *graph.Resource
	names  []string
}

// A match is an object that a pattern matches, by its current name if present.
type match struct {
	object  *graph.Resource
	present bool
}

// wanted is the key of a pattern and the scope of the objects to match.
type wanted struct {
	scope
	pattern string
}

func (p *Policy) candidates(where scope) []candidate {
	if p.objects != nil {
		return p.objects[where]
	}
	p.objects = map[scope][]candidate{}
	for _, r := range p.graph.All() {
		if r.Target == 0 && !r.StandsFor || r.Name == "" {
			continue
		}
		kinds := []string{r.Kind}
		if r.StandsFor {
			kinds = append(kinds, reloader.Secret)
		}
		for _, kind := range kinds {
			at := scope{kind, p.graph.NamespaceOf(r)}
			p.objects[at] = append(p.objects[at], candidate{r, names(r, kind)})
		}
	}
	return p.objects[where]
}

// matching returns the objects in r's namespace that a pattern of Reloader matches.
func (p *Policy) matching(r *graph.Resource, kind string, pattern reloader.Pattern) []*graph.Resource {
	if pattern.Literal != "" && catalog.TargetOf(kind) != 0 {
		return p.called(r, referenceTo(kind, "", pattern.Text))
	}
	id := wanted{scope{kind, p.graph.NamespaceOf(r)}, pattern.Text}
	all, known := p.matched[id]
	if !known {
		all = p.match(r, id.scope, pattern)
		p.matched[id] = all
	}
	p.take(r, len(all))
	if pattern.Literal != "" && len(all) > 0 {
		return []*graph.Resource{all[0].object}
	}
	var found []*graph.Resource
	for _, m := range all {
		// If a namespace has variants of one base, an earlier name refers to the workload's own.
		if m.present || kustomize.SameAffixes(m.object.History, r.History, true) {
			found = append(found, m.object)
		}
	}
	return found
}

// match returns the objects of a scope that a pattern matches by any of their names.
func (p *Policy) match(r *graph.Resource, where scope, pattern reloader.Pattern) []match {
	var found []match
	for _, c := range p.candidates(where) {
		if !p.take(r, len(c.names)) {
			break
		}
		isPresent := func(name string) bool { return name == c.object.Name && pattern.Match(name) }
		if at := slices.IndexFunc(c.names, pattern.Match); at >= 0 {
			found = append(found, match{c.object, slices.ContainsFunc(c.names[at:], isPresent)})
		}
	}
	return found
}
