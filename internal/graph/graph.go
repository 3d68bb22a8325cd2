package graph

import (
	"cmp"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/reference"
)

// A Graph holds the resources of an input, and finds ConfigMaps and Secrets by
// any of their names.
type Graph struct {
	// Resources are all resources, in the order of the input.
	Resources []*Resource
	// Namespace is where objects that name no namespace will be applied.
	Namespace string

	// byName holds targets by present and earlier names, and byBase by the
	// same less an earlier run's suffix: in their present namespace, in
	// their earlier ones, and whatever the namespace.
	byName, byBase map[key][]*Resource
	// producers holds what makes targets, by the name that it gives them.
	producers map[key][]*Resource
	// others holds resources of other kinds that something refers to.
	others map[ID][]*Resource
	// narrowing holds what lists in the maps above were narrowed to.
	narrowing *narrowing
}

type scope uint8

const (
	present  scope = iota // in the namespace where the target is now
	earlier               // in one where it was earlier in the build
	every                 // whatever the namespace
	anywhere              // of producers: whatever the namespace of the product
)

type key struct {
	target    catalog.Target
	scope     scope
	namespace string
	name      string
}

// An ID is what an API server knows a resource by, whatever the version.
type ID struct{ Group, Kind, Namespace, Name string }

// ID returns that of r, in the namespace in which it will be applied.
func (g *Graph) ID(r *Resource) ID {
	return ID{Group: r.Group, Kind: r.Kind, Namespace: g.NamespaceOf(r), Name: r.Name}
}

// New makes a Graph of resources. namespace is where objects that name none
// will be applied.
func New(resources []*Resource, namespace string) *Graph {
	g := &Graph{
		Resources: resources,
		Namespace: namespace,
		byName:    map[key][]*Resource{},
		byBase:    map[key][]*Resource{},
		producers: map[key][]*Resource{},
		others:    map[ID][]*Resource{},
		narrowing: newNarrowing(),
	}
	g.scope()
	for _, r := range resources {
		if len(r.Exports) > 0 || r.StandsFor {
			g.addOther(r)
		}
		g.addProducts(r)
		if r.Target == 0 || r.Name == "" {
			continue
		}
		g.addTarget(r)
	}
	g.resolve()
	return g
}

// scope takes the scopes of custom resources from their definitions.
func (g *Graph) scope() {
	scopes := map[catalog.GroupKind]string{}
	for _, r := range g.Resources {
		if r.Kind == "CustomResourceDefinition" && r.Group == "apiextensions.k8s.io" {
			scopes[catalog.GroupKind{Group: r.Exports["group"], Kind: r.Exports["kind"]}] = r.Exports["scope"]
		}
	}
	for _, r := range g.Resources {
		if scope := scopes[catalog.GroupKind{Group: r.Group, Kind: r.Kind}]; scope != "" {
			r.ClusterScoped, r.ScopeUnknown = scope == "Cluster", false
		}
	}
}

// addTarget enters r under every name that it has and had.
func (g *Graph) addTarget(r *Resource) {
	now := g.NamespaceOf(r)
	entered := map[string]bool{} // names, and names without the suffix
	enter := func(index map[key][]*Resource, name string) {
		if !entered[name] {
			entered[name] = true
			put(index, key{r.Target, present, now, name}, r)
			put(index, key{r.Target, every, "", name}, r)
		}
	}
	enter(g.byName, r.Name)
	for _, id := range r.History.Previous {
		enter(g.byName, id.Name)
		if id.Namespace != now {
			put(g.byName, key{r.Target, earlier, id.Namespace, id.Name}, r)
		}
	}
	if r.Base == r.Name {
		return
	}
	// kustomize's own suffix is taken off the present name alone.
	enter(g.byBase, r.Base)
	for _, id := range r.History.Previous {
		if b := base(id.Name, r.Recorded()); b != id.Name {
			enter(g.byBase, b)
			if id.Namespace != now {
				put(g.byBase, key{r.Target, earlier, id.Namespace, b}, r)
			}
		}
	}
}

// put enters r under k, once.
func put(index map[key][]*Resource, k key, r *Resource) {
	if list := index[k]; len(list) == 0 || list[len(list)-1] != r {
		index[k] = append(list, r)
	}
}

// NamespaceOf returns the namespace in which r will be applied, "" for a
// cluster-scoped one.
func (g *Graph) NamespaceOf(r *Resource) string {
	switch {
	case r.ClusterScoped:
		return ""
	case r.Namespace == "":
		return g.Namespace
	}
	return r.Namespace
}

// addOther enters r under its present and earlier names: at the time that a
// transformer runs, references to it are not mended yet either.
func (g *Graph) addOther(r *Resource) {
	entered := map[string]bool{}
	enter := func(name string) {
		if k := (ID{r.Group, r.Kind, g.NamespaceOf(r), name}); !entered[name] {
			entered[name] = true
			g.others[k] = append(g.others[k], r)
		}
	}
	enter(r.Name)
	for _, id := range r.History.Previous {
		enter(id.Name)
	}
}

// addProducts enters r under the names of what it makes.
func (g *Graph) addProducts(r *Resource) {
	for i := range r.References {
		ref := &r.References[i]
		if ref.Role != catalog.Producer {
			continue
		}
		names := []string{ref.Name}
		if ref.At.Path == "metadata.name" {
			// What it makes is called as it is itself, and others of its layer
			// refer to both by the name of before prefixes.
			for _, id := range r.History.Previous {
				names = append(names, id.Name)
			}
		}
		for _, name := range names {
			for _, target := range ref.Targets.Each() {
				put(g.producers, key{target, anywhere, "", name}, r)
				if ref.ControllerNamespace {
					put(g.producers, key{target, every, "", name}, r)
				} else {
					put(g.producers, key{target, present, cmp.Or(ref.Namespace, g.NamespaceOf(r)), name}, r)
				}
			}
		}
	}
}

// A Match is what a reference resolves to.
type Match struct {
	// Candidates are the objects that the reference may mean: none, one, or
	// several that nothing tells apart.
	Candidates []*Resource
	// Moved tells that they were found by a namespace in which they were
	// earlier in the build.
	Moved bool
	// Based tells that they were found by a name without an earlier run's
	// suffix, and Stale by one with a suffix of which nothing is recorded.
	Based, Stale bool
	// Strangers are what the reference might mean, where there is no
	// candidate: several objects that bear or bore the name, none of them of
	// the same layers as the referrer.
	Strangers []*Resource
}

// Resolve finds the objects of one kind that a reference means.
//
// The rules are those by which kustomize mends references
// (api/filters/nameref in v0.21.2): an object is found by its present name and
// by every name that it had earlier in the build; in the namespace that the
// reference names, or else in the referrer's present one; whatever the
// namespace, if the referrer belongs to none. Several are narrowed to those
// with the same prefixes and suffixes as the referrer, at first letting pass
// those without any. Two things are added. An object that an earlier run
// renamed is found by its names without the suffix, or with that of another run,
// as well, where nothing else bears that name. And where a namespace is named, the present one goes before
// those of earlier in the build.
func (g *Graph) Resolve(referrer *Resource, ref *reference.Reference, target catalog.Target) Match {
	found := g.find(referrer, ref, target)
	found.Candidates, found.Strangers = g.narrowing.narrow(found.Candidates, referrer, ref.Name)
	return found
}

// find is Resolve before candidates are narrowed.
func (g *Graph) find(referrer *Resource, ref *reference.Reference, target catalog.Target) Match {
	found := g.resolveIn(g.byName, referrer, ref, ref.Name, target)
	if found.Candidates == nil {
		found = g.resolveIn(g.byBase, referrer, ref, ref.Name, target)
		// An object that is not renamed yet will be in this run, so that its
		// name less a suffix means it in this run as well as in the next.
		for _, name := range withoutSuffix(ref.Name) {
			for _, index := range []map[key][]*Resource{g.byBase, g.byName} {
				if found.Candidates == nil {
					found = g.resolveIn(index, referrer, ref, name, target)
					found.Stale = found.Candidates != nil
				}
			}
		}
		found.Based = found.Candidates != nil
	}
	return found
}

// maxNameLength is how long the name of an object can be (a DNS-1123 subdomain).
const maxNameLength = 253

// withoutSuffix returns name without what may be a suffix in it, from the last
// one on: a name from two runs ago, of which nothing is recorded. No run made a
// name that is too long for one.
func withoutSuffix(name string) []string {
	if len(name) > maxNameLength {
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

func (g *Graph) resolveIn(index map[key][]*Resource, referrer *Resource, ref *reference.Reference, name string, target catalog.Target) Match {
	find := func(s scope, namespace string) []*Resource {
		return index[key{target, s, namespace, name}]
	}
	switch {
	case ref.Namespace != "":
		if found := find(present, ref.Namespace); found != nil {
			return Match{Candidates: found}
		}
		return Match{Candidates: find(earlier, ref.Namespace), Moved: true}
	case referrer.ClusterScoped || ref.ControllerNamespace:
		return Match{Candidates: find(every, "")}
	default:
		return Match{Candidates: find(present, g.NamespaceOf(referrer))}
	}
}

// narrow does what selectReferral does with several candidates, and prefers, of
// several that are all of other layers, the one that bears the name now: a
// workload of an outer layer that refers to dev-app means what is called so. If
// none is left, it returns all as strangers.
func narrow(candidates []*Resource, referrer *Resource, name string) (fitting, strangers []*Resource) {
	if len(candidates) <= 1 {
		return candidates, nil
	}
	if fitting = fit(candidates, referrer); len(fitting) > 0 {
		return fitting, nil
	}
	if named := bearer(candidates, name); named != nil {
		return []*Resource{named}, nil
	}
	return nil, candidates
}

// fit returns the candidates that fit the referrer's layers: closely, where several
// fit at all.
func fit(candidates []*Resource, referrer *Resource) (fitting []*Resource) {
	for _, allowEmpty := range []bool{true, false} {
		fitting = nil
		for _, c := range candidates {
			if kustomize.SameAffixes(c.History, referrer.History, allowEmpty) {
				fitting = append(fitting, c)
			}
		}
		candidates = fitting
		if len(candidates) <= 1 {
			break
		}
	}
	return fitting
}

// bearer returns the candidate that bears the name now, nil if there is none or
// more than one.
func bearer(candidates []*Resource, name string) (found *Resource) {
	for _, c := range candidates {
		if c.Name == name {
			if found != nil {
				return nil
			}
			found = c
		}
	}
	return found
}

// Holds reports whether an object of that kind has the name now.
func (g *Graph) Holds(target catalog.Target, namespace, name string) bool {
	return slices.ContainsFunc(g.byName[key{target, present, namespace, name}], func(r *Resource) bool { return r.Name == name })
}

// makers returns the resources that make the object of one kind that a reference
// means.
func (g *Graph) makers(referrer *Resource, ref *reference.Reference, target catalog.Target) []*Resource {
	namespace := cmp.Or(ref.Namespace, g.NamespaceOf(referrer))
	found := g.producers[key{target, present, namespace, ref.Name}]
	if found == nil {
		found = g.producers[key{target, every, "", ref.Name}]
	}
	// What only layers beside the referrer's make is as good as none.
	found, strangers := g.narrowing.narrow(found, referrer, ref.Name)
	if found == nil {
		return strangers
	}
	return found
}

// StandIns returns those of a list of the graph's that stand for a Secret.
func (g *Graph) StandIns(list []*Resource) []*Resource {
	switch {
	case len(list) == 0, len(list) == 1 && !list[0].StandsFor:
		return nil
	case len(list) == 1:
		return list
	}
	found, ok := g.narrowing.standIns[&list[0]]
	if !ok {
		found = slices.DeleteFunc(slices.Clone(list), func(r *Resource) bool { return !r.StandsFor })
		g.narrowing.standIns[&list[0]] = found
	}
	return found
}

// Unsure reports whether nothing tells which object a reference means: its
// referrer belongs to no namespace, or reads in one that nobody names, and several
// namespaces hold an object of that name, or will by what something in the input
// makes. It reports false for fields that kustomize follows: there several
// objects are an error, as with kustomize.
func (g *Graph) Unsure(e *Edge) bool {
	ref := e.Ref
	if ref.Kustomize || ref.Namespace != "" || !e.Referrer.ClusterScoped && !ref.ControllerNamespace {
		return false
	}
	return slices.ContainsFunc(e.Matches, func(match Match) bool {
		key := nameInList{&match.Candidates[0], ref.Name}
		spread, ok := g.narrowing.spread[key]
		if !ok {
			spread = g.spread(match.Candidates, ref.Name)
			g.narrowing.spread[key] = spread
		}
		return spread
	})
}

// spread reports whether several namespaces hold objects of a name, or will.
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
// scope would mean if that belonged to no namespace, a list for each kind. There
// are none where all of them are in the namespace that it is taken to be in.
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

// Others returns the resources of a kind other than ConfigMap and Secret that a
// reference of referrer may mean by name: none, one, or several that nothing
// tells apart.
func (g *Graph) Others(referrer *Resource, kind catalog.GroupKind, name string) []*Resource {
	for _, namespace := range []string{"", g.NamespaceOf(referrer)} {
		found := g.others[ID{kind.Group, kind.Kind, namespace, name}]
		if len(found) > 0 {
			found, _ = g.narrowing.narrow(found, referrer, name)
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// export returns what another object, which decides the kind of a reference's target,
// says of it, or "" if that object is not in the input.
func (g *Graph) export(referrer *Resource, from *reference.KindFrom) string {
	found := g.Others(referrer, catalog.GroupKind{Group: from.Group, Kind: from.Kind}, from.Name)
	if len(found) != 1 {
		return ""
	}
	return found[0].Exports[from.Export]
}
