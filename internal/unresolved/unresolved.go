// Package unresolved reports references to ConfigMaps and Secrets that are not in the input, according to the
// functionConfig's unresolved, and to keys that they do not have.
package unresolved

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/policy"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// Find returns findings about references of g to objects that are not in the input, unless every cluster has them.
//
// asked is the severity for a reference that is not optional, if nothing in the input creates the object; with Ignore
// there is no such finding. In any case there is a warning if an object has a similar name, or the same name in another
// namespace; and, under the policies Reloader and Wave, if the controller would roll the workload for a change that no
// build sees. rewritten: references by names without a hash, or with that of an earlier run, are rewritten.
func Find(g *graph.Graph, p *policy.Policy, asked v1alpha1.Unresolved, rewritten bool) []graph.Finding {
	f := &finder{policy: p, asked: asked, reported: map[report]bool{}}
	for _, e := range consumers(g) {
		for _, makers := range e.Makers {
			for _, maker := range makers.Resources {
				if !makers.Named {
					f.findings = append(f.findings, p.Missed(e.Referrer, e.Ref, makers.Kind, maker)...)
				}
			}
		}
	}
	for _, m := range Misses(g, p, rewritten) {
		f.report(m)
	}
	return f.findings
}

// consumers returns the references of g whose objects must exist.
func consumers(g *graph.Graph) (edges []*graph.Edge) {
	for _, r := range g.Resources {
		for i := range r.Edges {
			ref := r.Edges[i].Ref
			if !r.Ignored() && ref.Role == catalog.Consumer && !ref.Tentative && ref.Via != catalog.ViaExtraSource {
				edges = append(edges, &r.Edges[i])
			}
		}
	}
	return edges
}

type finder struct {
	policy   *policy.Policy
	asked    v1alpha1.Unresolved
	reported map[report]bool
	findings []graph.Finding
}

// A report identifies what is reported only once: a workload may use many keys of one object.
type report struct {
	referrer *graph.Resource
	message  string
}

// A Miss is a reference to a missing object.
type Miss struct {
	*graph.Edge
	// Near says which object is probably meant, "" if none is similar: the problem, a semicolon, and the advice.
	Near string
}

// Misses returns the references of g to objects that are not in the input, except those that p knows to be in every
// cluster. rewritten is as in Find.
func Misses(g *graph.Graph, p *policy.Policy, rewritten bool) []Miss {
	var misses []Miss
	known := sync.OnceValue(func() *names { return newNames(g, rewritten) })
	for _, e := range consumers(g) {
		met := len(e.Current()) > 0 || rewritten && len(e.Matches) > 0
		namespace := cmp.Or(e.Ref.Namespace, g.NamespaceOf(e.Referrer))
		isEverywhere := func(kind string) bool { return p.Standing(kind, namespace, e.Ref.Name) }
		if met || e.Made() || e.Targets == 0 || len(e.Strangers) > 0 || slices.ContainsFunc(e.Targets.Kinds(), isEverywhere) {
			continue
		}
		miss := Miss{Edge: e}
		// Names in RBAC rules may be created at run time, and the policies Reloader and Wave check the names in their
		// annotations themselves.
		isChecked := p.AsksWorkloads() && len(e.Referrer.PodTemplates) > 0 && strings.HasPrefix(string(e.Ref.At.Path), "metadata.annotations")
		if !e.Ref.List && !e.Ref.ControllerNamespace && !isChecked {
			for _, target := range e.Targets.Each() {
				miss.Near = cmp.Or(miss.Near, known().message(e, target))
			}
		}
		misses = append(misses, miss)
	}
	return misses
}

// report reports similar names, or else what asked demands, or else what the controller would see.
func (f *finder) report(m Miss) {
	message := m.Near
	demanded := f.asked != v1alpha1.UnresolvedIgnore && !m.Ref.Optional
	switch {
	case message != "" && demanded:
		message += "; else add it, make the reference optional, or set spec.unresolved: Ignore"
	case demanded:
		name := strings.TrimPrefix(m.Ref.Namespace+"/"+m.Ref.Name, "/")
		message = fmt.Sprintf("%s %q is not in the input; add it, make the reference optional, or set spec.unresolved: Ignore", m.Targets, name)
	case message == "" && !m.Ref.Optional: // most optional objects do not exist anywhere
		for _, target := range m.Targets.Each() {
			f.findings = append(f.findings, f.policy.Missed(m.Referrer, m.Ref, target.String(), nil)...)
		}
	}
	id := report{m.Referrer, message}
	if message == "" || f.reported[id] {
		return
	}
	f.reported[id] = true
	severity := manifest.Warning
	if f.asked == v1alpha1.UnresolvedError && !m.Ref.Optional {
		severity = manifest.Error
	}
	f.findings = append(f.findings, graph.Finding{Severity: severity, Resource: m.Referrer, Path: m.Ref.At.Path, Message: message})
}
