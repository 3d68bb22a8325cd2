// Package policy decides which ConfigMaps and Secrets take part, and which workloads they roll: by the functionConfig's
// selectors, by annotations, including those of Reloader and wave, and by the rules for names that never change.
package policy

import (
	"fmt"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/pattern"
	"github.com/confighash/confighash/internal/policy/reloader"
	"github.com/confighash/confighash/internal/policy/wave"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A Policy decides for the objects of one graph.
type Policy struct {
	graph            *graph.Graph
	catalog          *catalog.Catalog
	policy           v1alpha1.Policy
	renames, jobs    bool
	include, exclude *selectors
	selected         map[*graph.Resource]*Refusal // by selectors
	// budget bounds the matching of names, and stuck is the resource that exhausted it.
	budget *pattern.Budget
	stuck  *graph.Resource

	// The following are for the policies Reloader and Wave.
	controller *controller
	reloader   *reloader.Controller
	objects    map[scope][]candidate // for patterns, in the order of the input
	matched    map[wanted][]match
	reported   map[change]bool
	last       *asking // of the resource asked about last
	namings    int     // sum over workloads of the objects that annotations name
	excess     *graph.Finding
}

// New returns the Policy of a functionConfig. It is not safe for concurrent use. It fails if a selector does not
// compile.
func New(g *graph.Graph, c *catalog.Catalog, spec *v1alpha1.Spec) (*Policy, error) {
	p := &Policy{
		graph: g, catalog: c, policy: spec.Policy, renames: spec.Mode == v1alpha1.ModeRename, jobs: spec.Jobs == v1alpha1.JobsRename,
		budget:   pattern.NewBudget(len(g.All())),
		selected: map[*graph.Resource]*Refusal{}, matched: map[wanted][]match{}, reported: map[change]bool{}, last: &asking{},
	}
	p.reloader = reloader.New(spec.Reloader)
	p.reloader.Budget = p.budget
	switch spec.Policy {
	case v1alpha1.PolicyReloader:
		p.controller = &controller{name: "Reloader", domain: reloader.Domain, renamed: spec.Reloader.AnnotationKeys}
		p.controller.workload, p.controller.podTemplate, p.controller.object = p.reloader.Annotations()
	case v1alpha1.PolicyWave:
		p.controller = &controller{name: "wave", domain: wave.Domain, workload: wave.Annotations}
	}
	var err error
	if p.include, err = compile(spec.Include); err != nil {
		return nil, fmt.Errorf("spec.include: %w", err)
	}
	if p.exclude, err = compile(spec.Exclude); err != nil {
		return nil, fmt.Errorf("spec.exclude: %w", err)
	}
	return p, nil
}

// AsksWorkloads reports whether annotations of workloads decide about each object that they consume, as under Reloader
// and wave.
func (p *Policy) AsksWorkloads() bool { return p.controller != nil }

// A Refusal is why an object does not take part.
type Refusal struct {
	Reason string
	// Severity is Warning if a user would expect the object to take part.
	Severity manifest.Severity
}

// Chosen returns why annotations and selectors exclude the object, nil if they do not. asked: a resource that refers to
// the object opts in (OptsIn).
func (p *Policy) Chosen(object *graph.Resource, asked bool) *Refusal {
	if object.Ignored() || object.SecretAnnotations[v1alpha1.AnnotationIgnore] == "true" {
		return refuse(v1alpha1.AnnotationIgnore + " takes it out")
	}
	if refusal := p.selection(object); refusal != nil {
		return refusal
	}
	if p.policy == v1alpha1.PolicyOptIn && !asked && !OptsIn(object) && object.Annotations[kustomize.NeedsHash] != "true" {
		return refuse(fmt.Sprintf("policy OptIn, and neither it nor a workload that refers to it has %s: \"true\"", v1alpha1.AnnotationRoll))
	}
	return nil
}

// Selected reports whether the selectors include the object.
func (p *Policy) Selected(object *graph.Resource) bool { return p.selection(object) == nil }

func (p *Policy) selection(object *graph.Resource) *Refusal {
	refusal, known := p.selected[object]
	if !known {
		switch {
		case len(p.include.byName)+len(p.include.others) > 0 && !p.matchesAny(p.include, object):
			refusal = refuse("no selector of spec.include matches it")
		case p.matchesAny(p.exclude, object):
			refusal = refuse("a selector of spec.exclude matches it")
		}
		p.selected[object] = refusal
	}
	return refusal
}

func refuse(reason string) *Refusal { return &Refusal{Reason: reason, Severity: manifest.Info} }

// take takes steps from the budget. If that exhausts it, Problems reports r.
func (p *Policy) take(r *graph.Resource, steps int) bool {
	ok := p.budget.Take(steps)
	if !ok && p.stuck == nil {
		p.stuck = r
	}
	return ok
}

// Problems returns errors for exceeded limits. Call it after all other methods.
func (p *Policy) Problems() []graph.Finding {
	var findings []graph.Finding
	if p.stuck != nil {
		findings = append(findings, graph.Finding{
			Severity: manifest.Error, Resource: p.stuck,
			Message: "to match the expressions of spec.include, spec.exclude and annotations with so many names takes too many steps; list names, let expressions begin with what the names begin with, or use fewer",
		})
	}
	if p.excess != nil {
		findings = append(findings, *p.excess)
	}
	return findings
}

// OptsIn reports whether a resource opts in under policy OptIn, for itself or for the objects that it refers to.
func OptsIn(r *graph.Resource) bool {
	return r.Annotations[v1alpha1.AnnotationRoll] == "true" || r.SecretAnnotations[v1alpha1.AnnotationRoll] == "true"
}

// Renamable returns why the object's name must not change because of what it is, nil if it may.
func (p *Policy) Renamable(object *graph.Resource) *Refusal {
	if object.Encrypted {
		return &Refusal{
			Reason:   "it is encrypted by SOPS, whose integrity code covers the name; encrypt with --mac-only-encrypted to have it renamed",
			Severity: manifest.Warning,
		}
	}
	return refusalBy(p.catalog.NeverRename(p.describe(object)))
}

// ReadByName returns which programs are known to look the object up by name, nil if there are none.
func (p *Policy) ReadByName(object *graph.Resource) *Refusal {
	return refusalBy(p.catalog.ReadByName(p.describe(object)))
}

func (p *Policy) describe(object *graph.Resource) catalog.Object {
	return catalog.Object{
		Kind: object.Kind, Namespace: p.graph.NamespaceOf(object), Name: object.Base, Type: object.Type,
		Labels: object.Labels, Annotations: object.Annotations,
	}
}

func refusalBy(rule *catalog.NameRule) *Refusal {
	if rule == nil {
		return nil
	}
	refusal := refuse(rule.Reason)
	if rule.Warning {
		refusal.Severity = manifest.Warning
	}
	return refusal
}

// Standing reports whether an object need not be in the input: every cluster or namespace has one of that kind and
// name, or a component looks it up by this name.
func (p *Policy) Standing(kind, namespace, name string) bool {
	return p.catalog.NameRule(catalog.Object{Kind: kind, Namespace: namespace, Name: name}) != nil
}
