package rename

import (
	"github.com/confighash/confighash/pkg/graph"
	"github.com/confighash/confighash/pkg/stream"
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
func (b *builder) derive(m *graph.Mention) {
	for _, suffix := range m.Ref.Derived {
		ref := *m.Ref
		ref.Name += suffix
		also := b.graph.Mention(m.Referrer, &ref)
		for _, match := range also.Matches {
			for _, object := range match.Candidates {
				t := b.target(object)
				t.referred = true
				if t.derived == nil {
					t.derived = &derived{suffix: suffix, by: m.Referrer}
				}
				for _, lead := range m.Matches {
					if lead.Candidates[0].Target == object.Target {
						t.derived.lead = lead.Candidates[0]
					}
				}
			}
		}
	}
}

// settleDerived lets objects take part only together with those that their
// names are derived from.
func (b *builder) settleDerived() {
	for _, r := range b.graph.Resources {
		t := b.targets[r]
		if t == nil || t.derived == nil {
			continue
		}
		d := t.derived
		switch lead := d.lead; {
		case b.takes(r) && (lead == nil || !b.takes(lead)):
			delete(b.plan.Names, r)
			b.tell(stream.Warning, r, "", "not renamed: %s finds it by the name of another object, with %q appended, and that one keeps its name", d.by, d.suffix)
		case lead != nil && b.takes(lead) && !b.takes(r):
			delete(b.plan.Names, lead)
			b.tell(stream.Warning, lead, "", "not renamed: %s finds %s by its name, with %q appended, and that one keeps its name", d.by, r, d.suffix)
		}
	}
}
