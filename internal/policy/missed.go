package policy

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/policy/reloader"
	"github.com/confighash/confighash/internal/policy/wave"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A change identifies what Missed has reported: the changes of an object for a workload.
type change struct {
	workload              *graph.Resource
	kind, namespace, name string
}

// Missed returns a warning if the controller would roll the workload r for changes of an object that no build sees,
// because it is only in the cluster: maker makes a controller write the object there or, if maker is nil, it is not in
// the input. It reports each object once per workload, and nothing under policies that follow no controller.
func (p *Policy) Missed(r *graph.Resource, ref *reference.Reference, kind string, maker *graph.Resource) []graph.Finding {
	if !p.AsksWorkloads() || !ref.Consumed {
		return nil
	}
	message := p.missed(kind, ref.Name, maker)
	id := change{r, kind, cmp.Or(ref.Namespace, p.graph.NamespaceOf(r)), ref.Name}
	if message == "" || p.reported[id] {
		return nil
	}
	object, standsIn := maker, maker != nil && maker.StandsFor
	if !standsIn {
		object = &graph.Resource{
			APIVersion: "v1", Version: "v1", Kind: kind, Namespace: id.namespace, Name: ref.Name,
			Object: graph.Object{Base: ref.Name, Target: catalog.TargetOf(kind)},
		}
	}
	for i := range r.PodTemplates {
		if ref.PodTemplate >= 0 && ref.PodTemplate != i {
			continue
		}
		workload := p.Workload(r, &r.PodTemplates[i])
		if !standsIn && workload.names(kind, ref.Name) {
			return nil // Named reports it
		}
		if workload.Judge(Use{Object: object, Kind: kind, Consumed: true}).Rolls {
			p.reported[id] = true
			return []graph.Finding{warning(r, ref.At.Path, message)}
		}
	}
	return nil
}

// missed returns the message about changes of an object that the controller would see and a build does not, "" if there
// are none.
func (p *Policy) missed(kind, name string, maker *graph.Resource) string {
	controller := p.controller.name
	advice := "restart the workload then, or keep " + controller + " for it"
	if maker == nil {
		return fmt.Sprintf("%s %q is not in the input, so no build sees it change, and %s would roll this workload for that: add it, %s", kind, name, controller, advice)
	}
	written := fmt.Sprintf("%s %q is written in the cluster because of %s, and %s would roll this workload for each change there; ", kind, name, maker, controller)
	known := p.catalog.Kind(maker.Group, maker.Version, maker.Kind)
	sealed := known != nil && known.StandIn != nil && known.StandIn.Sealed
	switch {
	case maker.StandsFor && p.renames:
		return written + fmt.Sprintf("mode Rename never does, mode Annotate does if the %s changes in the input", maker.Kind)
	case sealed:
		return "" // it only changes with the manifest
	case maker.StandsFor:
		return written + fmt.Sprintf("this build does so only if the %s changes in the input: %s", maker.Kind, advice)
	}
	return written + "no build sees these: " + advice
}

// names reports whether annotations of the workload name an object literally.
func (w *Workload) names(kind, name string) bool {
	if w.policy.policy == v1alpha1.PolicyWave {
		return slices.ContainsFunc(w.wave.Extra, func(n wave.Name) bool { return n.Kind == kind && n.Name == name })
	}
	return slices.ContainsFunc(w.reloader.Patterns(kind), func(p reloader.Pattern) bool { return p.Literal == name })
}

// missedNamed is Missed for a Secret's stand-in that an annotation names and the pods do not consume.
func (w *Workload) missedNamed(kind string, object *graph.Resource, path yamldoc.Path) []graph.Finding {
	// Mode Rename warns about everything that the pods do not consume.
	if !object.StandsFor || kind != reloader.Secret || w.policy.renames {
		return nil
	}
	called := names(object, kind)
	if slices.ContainsFunc(called, func(name string) bool { return w.consumed[name] }) {
		return nil
	}
	if message := w.policy.missed(kind, called[0], object); message != "" {
		return []graph.Finding{warning(w.resource, path, message)}
	}
	return nil
}
