// Package unresolved tells of references that lead to nothing: to ConfigMaps and
// Secrets that are not in the input, as the functionConfig's unresolved asks
// for, and to keys that they do not have.
package unresolved

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/policy"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// Find returns findings about references of g to objects that the input does not hold,
// unless every cluster has them.
//
// A reference that is not optional, and for which nothing in the input makes the object,
// is worth what asked says, and nothing with Ignore. In any case a warning is due if an
// object comes near, by its name or but for its namespace; and, under the policies
// Reloader and Wave, if the controller would roll the workload for a change that no
// build sees. rewritten: references by names without a hash, or with that of an earlier
// run, are rewritten.
func Find(g *graph.Graph, p *policy.Policy, asked v1alpha1.Unresolved, rewritten bool) []graph.Finding {
	f := &finder{asked: asked, near: newNearMisses(g, rewritten)}
	var unmet []miss
	for _, r := range g.Resources {
		if r.Ignored() {
			continue
		}
		watch := p.Watch(r)
		for i := range r.Edges {
			e := &r.Edges[i]
			ref := e.Ref
			if ref.Role != catalog.Consumer || ref.Tentative || ref.Via == catalog.ViaExtraSource {
				continue
			}
			for _, makers := range e.Makers {
				if makers.Named {
					continue
				}
				for _, maker := range makers.Resources {
					f.findings = append(f.findings, watch.Missed(ref, makers.Kind, maker)...)
				}
			}
			met := len(e.Matches) > 0
			if !rewritten {
				met = len(e.Current()) > 0
			}
			if !met && !e.Made() && e.Targets != 0 && len(e.Strangers) == 0 && !stands(g, p, e) {
				unmet = append(unmet, f.miss(e, watch))
			}
		}
	}
	f.near.find()
	for i := range unmet {
		f.report(&unmet[i])
	}
	return f.findings
}

type finder struct {
	asked    v1alpha1.Unresolved
	near     *nearMisses
	last     *graph.Resource
	reported map[string]bool // of last
	findings []graph.Finding
}

// A miss is a reference that leads to nothing.
type miss struct {
	referrer *graph.Resource
	ref      *reference.Reference
	targets  catalog.Target
	near     []*nearMiss
	watch    *policy.Watch
}

func (f *finder) miss(m *graph.Edge, watch *policy.Watch) miss {
	found := miss{referrer: m.Referrer, ref: m.Ref, targets: m.Targets, watch: watch}
	// What a rule of RBAC names may come at run time, and of annotations of Reloader and
	// wave their policies report.
	annotation := watch != nil && strings.HasPrefix(string(m.Ref.At.Path), "metadata.annotations")
	if !m.Ref.List && !m.Ref.ControllerNamespace && !annotation {
		for _, target := range m.Targets.Each() {
			found.near = append(found.near, f.near.of(m.Referrer, m.Ref, target))
		}
	}
	return found
}

// report reports a miss: what comes near, or else what is asked for, or else what the
// controller would see.
func (f *finder) report(m *miss) {
	severity := manifest.Warning
	if f.asked == v1alpha1.UnresolvedError && !m.ref.Optional {
		severity = manifest.Error
	}
	demanded := f.asked != v1alpha1.UnresolvedIgnore && !m.ref.Optional
	message := ""
	for _, near := range m.near {
		message = cmp.Or(message, f.near.message(near, m.referrer, m.ref))
	}
	switch {
	case message != "" && demanded:
		message += "; else add it, make the reference optional, or set spec.unresolved: Ignore"
	case message == "" && demanded:
		name := m.ref.Name
		if m.ref.Namespace != "" {
			name = m.ref.Namespace + "/" + name
		}
		message = fmt.Sprintf("%s %q is not in the input; add it, make the reference optional, or set spec.unresolved: Ignore", m.targets, name)
	case message == "" && m.ref.Optional:
		return // most such objects are nowhere
	case message == "":
		for _, target := range m.targets.Each() {
			f.findings = append(f.findings, m.watch.Missed(m.ref, target.String(), nil)...)
		}
		return
	case f.last != m.referrer:
		f.last, f.reported = m.referrer, map[string]bool{message: true}
	case f.reported[message]:
		return // a workload may take many keys
	default:
		f.reported[message] = true
	}
	f.findings = append(f.findings, graph.Finding{Severity: severity, Resource: m.referrer, Path: m.ref.At.Path, Message: message})
}

// stands reports whether every cluster has an object that m may mean.
func stands(g *graph.Graph, p *policy.Policy, m *graph.Edge) bool {
	namespace := cmp.Or(m.Ref.Namespace, g.NamespaceOf(m.Referrer))
	return slices.ContainsFunc(m.Targets.Kinds(), func(kind string) bool { return p.Standing(kind, namespace, m.Ref.Name) })
}
