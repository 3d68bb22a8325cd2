package graph

import (
	"cmp"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/reference"
)

// A Match is the result of resolving a reference for one kind.
type Match struct {
	// Candidates are the objects that the reference may mean: none, one, or several if the choice is open.
	Candidates []*Resource
	// Moved: the candidates were found by a namespace they had earlier in the build.
	Moved bool
	// Based: the candidates were found by a name without an earlier run's suffix. Stale: by a name with a suffix that
	// is not recorded.
	Based, Stale bool
	// Strangers are what the reference might mean if there is no candidate: several objects that have or had the name,
	// none of them in the referrer's layers.
	Strangers []*Resource
}

// Resolve finds the objects of one kind that a reference means.
//
// It follows kustomize's rules for rewriting references (api/filters/nameref in v0.21.2): an object is found by its
// current name and by every name it had earlier in the build; in the namespace that the reference names, or else in the
// referrer's current one; in any namespace if the referrer is cluster-scoped. Several objects are narrowed to those
// with the same prefixes and suffixes as the referrer, at first admitting those without any.
//
// Two rules are added. If nothing else has the name, an object that an earlier run renamed is also found by its names
// without the suffix, or with that of another run. And if the reference names a namespace, objects currently in it win
// over those that were there earlier in the build.
func (g *Graph) Resolve(referrer *Resource, ref *reference.Reference, target catalog.Target) Match {
	found := g.find(referrer, ref, target)
	found.Candidates, found.Strangers = g.narrow(found.Candidates, referrer, ref.Name)
	return found
}

// find is Resolve without narrowing the candidates.
func (g *Graph) find(referrer *Resource, ref *reference.Reference, target catalog.Target) Match {
	found := g.lookUp(g.byName, referrer, ref, ref.Name, target)
	if found.Candidates != nil {
		return found
	}
	found = g.lookUp(g.byBase, referrer, ref, ref.Name, target)
	// An object that is not renamed yet will be in this run, so its name without a suffix means it in this run as well
	// as in the next.
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

// MaxNameLength is the maximum length of an object's name (a DNS-1123 subdomain).
const MaxNameLength = 253

// withoutSuffix returns name without each part that may be a suffix, from the last one on: it may be a name from two
// runs ago, which is not recorded. A name longer than an object's name cannot be one.
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
	if found == nil && ref.Namespace == "" && (referrer.ClusterScoped || ref.ControllerNamespace) {
		found = g.producers[key{target, anywhere, "", ref.Name}]
	}
	// An object counts as created even if only other layers create it.
	found, strangers := g.narrow(found, referrer, ref.Name)
	if found == nil {
		return strangers
	}
	return found
}

// StandIns returns the resources in a list of the graph that represent a Secret.
func (g *Graph) StandIns(list []*Resource) []*Resource {
	if len(list) == 0 {
		return nil
	}
	return Once(g.notes, list, "stand-ins", func() []*Resource {
		return slices.DeleteFunc(slices.Clone(list), func(r *Resource) bool { return !r.StandsFor })
	})
}

// Unsure reports whether a reference may mean objects in several namespaces: the referrer is cluster-scoped or reads in
// a namespace that is not given, and several namespaces have, or will have from a producer in the input, an object of
// that name. It returns false for fields that kustomize follows, for which several objects are an error, as in
// kustomize.
func (g *Graph) Unsure(e *Edge) bool {
	ref := e.Ref
	if ref.Kustomize || ref.Namespace != "" || !e.Referrer.ClusterScoped && !ref.ControllerNamespace {
		return false
	}
	return slices.ContainsFunc(e.Matches, func(match Match) bool {
		return Once(g.notes, match.Candidates, spreadOf(ref.Name), func() bool {
			first := match.Candidates[0]
			elsewhere := func(r *Resource) bool { return !slices.Contains([]string{"", g.NamespaceOf(first)}, g.NamespaceOf(r)) }
			return slices.ContainsFunc(match.Candidates, elsewhere) ||
				slices.ContainsFunc(g.producers[key{first.Target, anywhere, "", ref.Name}], elsewhere)
		})
	})
}

// spreadOf is the key of Notes for whether candidates of a name are in several namespaces.
type spreadOf string

// Elsewhere returns, for a referrer of unknown scope, the objects that the reference would mean if the referrer were
// cluster-scoped: a list for each kind, empty if all objects are in the namespace assumed for the referrer.
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

// named returns the resources of a kind other than ConfigMap and Secret that a referrer may mean by name: none, one, or
// several if the choice is open.
func (g *Graph) named(referrer *Resource, kind catalog.GroupKind, name string) []*Resource {
	for _, namespace := range []string{"", g.NamespaceOf(referrer)} {
		all := g.others[ID{kind.Group, kind.Kind, namespace, name}]
		if found, _ := g.narrow(all, referrer, name); len(found) > 0 {
			return found
		}
	}
	return nil
}
