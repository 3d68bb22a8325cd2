package rename

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/yamldoc"
)

func (b *builder) name() {
	for _, r := range b.graph.Resources {
		if b.takes(r) {
			b.nameOf(r, nil)
		}
	}
}

// nameOf returns the new name of r. The hash of an object includes the new names of objects that its content refers to.
// chain is the objects whose names are being computed.
func (b *builder) nameOf(r *graph.Resource, chain []*graph.Resource) string {
	t := b.target(r)
	switch {
	case !t.takes && !t.restored:
		return r.Name
	case t.named:
		return b.plan.Names[r]
	case t.naming:
		b.plan.Errorf(r, "", "its content refers to itself by way of %s; a hash of it cannot be computed", describeChain(chain, r))
		t.named = true
		return r.Name
	case t.derived != nil:
		lead := b.nameOf(t.derived.lead, chain)
		t.named, t.suffix = true, cmp.Or(b.target(t.derived.lead).suffix, strings.TrimPrefix(t.derived.lead.Name, t.derived.lead.Base+"-"))
		b.plan.Names[r] = lead + t.derived.suffix
		return b.plan.Names[r]
	}
	t.naming = true
	suffix, err := b.suffixOf(r, t, append(chain, r))
	t.naming = false
	if !t.named { // otherwise part of a cycle, which is reported
		if err != nil {
			b.plan.Errorf(r, "", "%v", err)
		}
		t.named, t.suffix = true, suffix
		b.plan.Names[r] = r.Base + "-" + suffix
	}
	return b.plan.Names[r]
}

func describeChain(chain []*graph.Resource, to *graph.Resource) string {
	if i := slices.Index(chain, to); i >= 0 {
		chain = chain[i:]
	}
	const most = 20
	var names []string
	for _, r := range chain[:min(len(chain), most)] {
		names = append(names, r.String())
	}
	if more := len(chain) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

func (b *builder) suffixOf(r *graph.Resource, t *target, chain []*graph.Resource) (string, error) {
	if r.SuffixErr != nil {
		return "", r.SuffixErr
	}
	rewrites := map[yamldoc.Path]*rewriting{}
	for _, e := range t.edges {
		b.rewriteEdge(e, rewrites, chain)
	}
	if len(rewrites) == 0 {
		return r.Suffix, nil
	}
	content := hash.Content{Kind: r.Content.Kind, Type: r.Content.Type}
	for _, f := range r.Content.Fields {
		f.Entries = slices.Clone(f.Entries)
		for i, e := range f.Entries {
			if w := rewrites[yamldoc.Path(f.Name).Key(e.Key)]; w != nil {
				f.Entries[i].Value = w.value()
			}
		}
		content.Fields = append(content.Fields, f)
	}
	return hash.Suffix(content, b.spec.Salt), nil
}

func (b *builder) checkLength(r *graph.Resource, name string) {
	if len(name) > graph.MaxNameLength {
		b.plan.Errorf(r, "metadata.name", "with the hash, the name %q would be %d characters long; %d are allowed, so at most %d before the hash",
			name, len(name), graph.MaxNameLength, graph.MaxNameLength-1-hash.Length)
	}
}

func (b *builder) checkNames() {
	taken, now := map[graph.ID]*graph.Resource{}, map[graph.ID]*graph.Resource{}
	for _, r := range b.graph.All() {
		if r.Target == 0 || r.Name == "" {
			continue
		}
		present := b.graph.ID(r)
		future := present
		called, takes := b.plan.Names[r]
		if takes {
			future.Name = called
			b.checkLength(r, called)
		}
		if len(b.graph.Alike(r)) > 1 {
			if other := now[present]; other != nil {
				if takes || b.takes(other) {
					b.plan.Errorf(r, "metadata.name", "the input holds %s %s/%s twice (%s); keep one",
						r.Kind, present.Namespace, r.Name, graph.Places(other, r))
				}
				continue
			}
			now[present] = r
		}
		if other := taken[future]; other != nil {
			renamed := r
			if !takes {
				renamed, other = other, r
			}
			b.plan.Errorf(renamed, "metadata.name", "its new name %q would be that of %s (%s) in the same namespace; rename or remove one",
				future.Name, other, other.Place())
			continue
		}
		taken[future] = r
	}
	b.checkAdded(taken)
}

// checkAdded checks that the names of parts are not taken.
func (b *builder) checkAdded(taken map[graph.ID]*graph.Resource) {
	for _, r := range b.graph.Resources {
		for _, p := range b.target(r).added {
			b.checkLength(r, p.name)
			future := b.graph.ID(r).Of(p.name)
			if other := taken[future]; other != nil {
				b.plan.Errorf(r, "metadata.name", "the name %q of an object with keys of it would be that of %s (%s) in the same namespace; rename or remove one", p.name, other, other.Place())
			}
			taken[future] = r
		}
	}
}

// A derived name is another object's name with something appended: what refers to the Secret gateway may read
// gateway-cacert too, as Istio does. If the first is renamed, the other's name has to be gateway-HASH-cacert.
type derived struct {
	lead   *graph.Resource // nil if it is not in the input
	suffix string
	by     *graph.Resource // what reads both
}

func (b *builder) derive(e *graph.Edge) {
	for i, suffix := range e.Ref.Derived {
		for _, match := range e.Derived[i].Matches {
			for _, object := range match.Candidates {
				lead := b.leadOf(e, object)
				if lead == nil && len(e.Matches) > 0 {
					continue // the object meant is in another namespace
				}
				if t := b.target(object); t.derived == nil {
					t.derived = &derived{lead: lead, suffix: suffix, by: e.Referrer}
				}
			}
		}
	}
}

// leadOf returns the object of the same kind and namespace as object that e means.
func (b *builder) leadOf(e *graph.Edge, object *graph.Resource) (lead *graph.Resource) {
	for _, match := range e.Matches {
		for _, c := range match.Candidates {
			if c.Target == object.Target && b.graph.NamespaceOf(c) == b.graph.NamespaceOf(object) {
				lead = c
			}
		}
	}
	return lead
}

// settleDerived lets objects take part only together with those from which their names are derived. An object that is
// also referred to directly keeps its name: a derived name would not change with its content.
func (b *builder) settleDerived() {
	for settled := false; !settled; {
		settled = true
		for _, r := range b.graph.All() {
			t, d := b.target(r), b.target(r).derived
			if d == nil {
				continue
			}
			keep := func(object *graph.Resource, format string, args ...any) {
				b.target(object).takes = false
				b.leave(object, warning(format, args...))
				settled = false
			}
			takes, leads := b.takes(r), d.lead != nil && b.hashed(d.lead)
			switch {
			case takes && t.referred:
				keep(r, "%s finds it by the name of another object, with %q appended, and other resources refer to it as well; a name that follows the other's would not change with its content", d.by, d.suffix)
			case takes && !leads:
				keep(r, "%s finds it by the name of another object, with %q appended, and that one keeps its name", d.by, d.suffix)
			case leads && !takes && !d.lead.Context:
				keep(d.lead, "%s finds %s by its name, with %q appended, and that one keeps its name", d.by, r, d.suffix)
			}
		}
	}
}
