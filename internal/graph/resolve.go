package graph

import (
	"cmp"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/reference"
)

// A Match is what a reference resolves to.
type Match struct {
	// Candidates are the objects that the reference may mean: none, one, or several
	// between which nothing decides.
	Candidates []*Resource
	// Moved: they were found by a namespace in which they were earlier in the build.
	Moved bool
	// Based: they were found by a name without an earlier run's suffix. Stale: by one
	// with a suffix that nothing records.
	Based, Stale bool
	// Strangers are what the reference might mean if there is no candidate: several
	// objects that have or had the name, none of them of the same layers as the referrer.
	Strangers []*Resource
}

// Resolve finds the objects of one kind that a reference means.
//
// It follows the rules by which kustomize rewrites references
// (api/filters/nameref in v0.21.2): an object is found by its present name and
// by every name that it had earlier in the build; in the namespace that the
// reference names, or else in the referrer's present one; in any namespace if the
// referrer belongs to none. Several are narrowed to those with the same prefixes and
// suffixes as the referrer, at first admitting those without any.
//
// Two rules are added. An object that an earlier run renamed is also found by its
// names without the suffix, or with that of another run, if nothing else has that
// name. And if a namespace is named, the present one takes precedence over those of
// earlier in the build.
func (g *Graph) Resolve(referrer *Resource, ref *reference.Reference, target catalog.Target) Match {
	found := g.find(referrer, ref, target)
	found.Candidates, found.Strangers = g.narrower.narrow(found.Candidates, referrer, ref.Name)
	return found
}

// find is Resolve before candidates are narrowed.
func (g *Graph) find(referrer *Resource, ref *reference.Reference, target catalog.Target) Match {
	found := g.lookUp(g.byName, referrer, ref, ref.Name, target)
	if found.Candidates != nil {
		return found
	}
	found = g.lookUp(g.byBase, referrer, ref, ref.Name, target)
	// An object that is not renamed yet will be in this run, so its name without a suffix
	// means it in this run as well as in the next.
	for _, name := range withoutSuffix(ref.Name) {
		for _, index := range []map[key][]*Resource{g.byBase, g.byName} {
			if found.Candidates == nil {
				found = g.lookUp(index, referrer, ref, name, target)
				found.Stale = found.Candidates != nil
			}
		}
	}
	found.Based = found.Candidates != nil
	return found
}

// MaxNameLength is how long the name of an object can be (a DNS-1123 subdomain).
const MaxNameLength = 253

// withoutSuffix returns name without what may be a suffix in it, from the last
// one on: a name from two runs ago, which nothing records. No run made a
// name that is too long for one.
func withoutSuffix(name string) []string {
	if len(name) > MaxNameLength {
		return nil
	}
	var names []string
	for end := len(name); end > hash.Length; {
		dash := strings.LastIndexByte(name[:end], '-')
		if dash <= 0 {
			break
		}
		if hash.IsSuffix(name[dash+1 : end]) {
			names = append(names, name[:dash]+name[end:])
		}
		end = dash
	}
	return names
}

func (g *Graph) lookUp(index map[key][]*Resource, referrer *Resource, ref *reference.Reference, name string, target catalog.Target) Match {
	switch {
	case ref.Namespace != "":
		if found := index[key{target, present, ref.Namespace, name}]; found != nil {
			return Match{Candidates: found}
		}
		return Match{Candidates: index[key{target, earlier, ref.Namespace, name}], Moved: true}
	case referrer.ClusterScoped || ref.ControllerNamespace:
		g.widen()
		return Match{Candidates: index[key{target, every, "", name}]}
	default:
		return Match{Candidates: index[key{target, present, g.NamespaceOf(referrer), name}]}
	}
}

func (g *Graph) makers(referrer *Resource, ref *reference.Reference, target catalog.Target) []*Resource {
	namespace := cmp.Or(ref.Namespace, g.NamespaceOf(referrer))
	found := g.producers[key{target, present, namespace, ref.Name}]
	if found == nil {
		found = g.producers[key{target, every, "", ref.Name}]
	}
	// An object that only other layers make counts as made.
	found, strangers := g.narrower.narrow(found, referrer, ref.Name)
	if found == nil {
		return strangers
	}
	return found
}

// StandIns returns the resources in a list of the graph's that represent a Secret.
func (g *Graph) StandIns(list []*Resource) []*Resource {
	switch {
	case len(list) == 0, len(list) == 1 && !list[0].StandsFor:
		return nil
	case len(list) == 1:
		return list
	}
	return Once(g.notes, list, "stand-ins", func() []*Resource {
		return slices.DeleteFunc(slices.Clone(list), func(r *Resource) bool { return !r.StandsFor })
	})
}

// Unsure reports whether nothing says which object a reference means: its
// referrer belongs to no namespace, or reads in one that nobody names, and several
// namespaces hold an object of that name, or will by what something in the input
// makes. It reports false for fields that kustomize follows: several objects are an
// error there, as they are for kustomize.
func (g *Graph) Unsure(e *Edge) bool {
	ref := e.Ref
	if ref.Kustomize || ref.Namespace != "" || !e.Referrer.ClusterScoped && !ref.ControllerNamespace {
		return false
	}
	return slices.ContainsFunc(e.Matches, func(match Match) bool {
		return Once(g.notes, match.Candidates, spreadOf(ref.Name), func() bool { return g.spread(match.Candidates, ref.Name) })
	})
}

// spreadOf is what Notes hold of candidates: whether they spread over namespaces.
type spreadOf string

func (g *Graph) spread(candidates []*Resource, name string) bool {
	first := g.NamespaceOf(candidates[0])
	elsewhere := func(r *Resource) bool {
		namespace := g.NamespaceOf(r)
		return namespace != "" && namespace != first
	}
	return slices.ContainsFunc(candidates, elsewhere) ||
		slices.ContainsFunc(g.producers[key{candidates[0].Target, anywhere, "", name}], elsewhere)
}

// Elsewhere returns the objects that a reference of a referrer with an unknown
// scope would mean if the referrer belonged to no namespace, a list for each kind.
// There are none if all of them are in the namespace that the referrer is assumed to be in.
func (g *Graph) Elsewhere(e *Edge) [][]*Resource {
	if !e.Referrer.ScopeUnknown || e.Ref.Namespace != "" || e.Ref.ControllerNamespace {
		return nil
	}
	var lists [][]*Resource
	for _, target := range e.Targets.Each() {
		here := g.find(e.Referrer, e.Ref, target).Candidates
		all := g.find(&Resource{ClusterScoped: true}, e.Ref, target).Candidates
		if len(all) != len(here) || len(all) > 0 && g.NamespaceOf(all[0]) != g.Namespace {
			lists = append(lists, all)
		}
	}
	return lists
}

// named returns the resources of a kind other than ConfigMap and Secret that a
// referrer may mean by name: none, one, or several between which nothing decides.
func (g *Graph) named(referrer *Resource, kind catalog.GroupKind, name string) []*Resource {
	for _, namespace := range []string{"", g.NamespaceOf(referrer)} {
		all := g.others[ID{kind.Group, kind.Kind, namespace, name}]
		if found, _ := g.narrower.narrow(all, referrer, name); len(found) > 0 {
			return found
		}
	}
	return nil
}

// export returns what another object, which decides the kind of a reference's target,
// says of it, or "" if that object is not in the input.
func (g *Graph) export(referrer *Resource, from *reference.KindFrom) string {
	found := g.named(referrer, catalog.GroupKind{Group: from.Group, Kind: from.Kind}, from.Name)
	if len(found) != 1 {
		return ""
	}
	return found[0].Exports[from.Export]
}
