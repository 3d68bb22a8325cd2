package rename

import (
	"fmt"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/policy"
)

// A derived name is another object's with something appended: who refers to
// the Secret gateway may read gateway-cacert too, as Istio does. When the one
// is renamed, the other's name has to be gateway-HASH-cacert.
type derived struct {
	lead   *graph.Resource // nil if it is not in the input
	suffix string
	by     *graph.Resource // who reads both
}

// derive enters the objects whose names are derived from those that m means.
func (b *builder) derive(m *graph.Edge) {
	for i, suffix := range m.Ref.Derived {
		for _, match := range m.Derived[i].Matches {
			for _, object := range match.Candidates {
				b.deriveOne(m, object, suffix)
			}
		}
	}
}

func (b *builder) deriveOne(m *graph.Edge, object *graph.Resource, suffix string) {
	var lead *graph.Resource
	for _, match := range m.Matches {
		for _, c := range match.Candidates {
			if c.Target == object.Target && b.graph.NamespaceOf(c) == b.graph.NamespaceOf(object) {
				lead = c
			}
		}
	}
	if lead == nil && len(m.Matches) > 0 {
		return // what is meant is in another namespace
	}
	if t := b.target(object); t.derived == nil {
		t.derived = &derived{lead: lead, suffix: suffix, by: m.Referrer}
	}
}

// settleDerived lets objects take part only together with those that their
// names are derived from. An object that others refer to as well keeps its name:
// a derived one would not change with its content.
func (b *builder) settleDerived() {
	for settled := false; !settled; {
		settled = true
		for _, r := range b.graph.Resources {
			t := b.targets[r]
			if t == nil || t.derived == nil {
				continue
			}
			d := t.derived
			keep := func(object *graph.Resource, format string, args ...any) {
				delete(b.plan.Names, object)
				b.leave(object, &policy.Refusal{
					Reason: fmt.Sprintf(format, args...), Group: "its name goes together with that of another object, which keeps its own",
					Severity: manifest.Warning,
				})
				settled = false
			}
			takes, leads := b.takes(r), d.lead != nil && b.takes(d.lead)
			switch {
			case takes && t.referred:
				keep(r, "%s finds it by the name of another object, with %q appended, and other resources refer to it as well; a name that follows the other's would not change with its content", d.by, d.suffix)
			case takes && !leads:
				keep(r, "%s finds it by the name of another object, with %q appended, and that one keeps its name", d.by, d.suffix)
			case leads && !takes:
				keep(d.lead, "%s finds %s by its name, with %q appended, and that one keeps its name", d.by, r, d.suffix)
			}
		}
	}
}
