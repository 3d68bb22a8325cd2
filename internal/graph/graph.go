package graph

import (
	"cmp"
	"slices"
	"sync"

	"github.com/confighash/confighash/internal/catalog"
)

// A Graph holds the resources of an input and the edges between them.
type Graph struct {
	// Resources are all resources, in the order of the input.
	Resources []*Resource
	// Kept are earlier versions of objects that an earlier run carried along. They are not among Resources, and no edge
	// leads to them.
	Kept []*Resource
	// Context are the resources of other builds. They are not among Resources: their references count and they can be
	// referred to, but they are never changed.
	Context []*Resource
	// PassedOver are resources that are not for the cluster. They are not among Resources.
	PassedOver []*Resource
	all        []*Resource // Resources and Context
	// Namespace is the namespace in which objects without their own will be applied.
	Namespace string

	// byName holds ConfigMaps and Secrets by current and earlier names, byBase by the same names without an earlier
	// run's suffix. widen adds entries for the scope every: few inputs need them.
	byName, byBase map[key][]*Resource
	widen          func()
	// producers holds what creates ConfigMaps and Secrets, by the name of the product.
	producers map[key][]*Resource
	// others holds resources of other kinds that references may name.
	others map[ID][]*Resource
	// notes are about lists in the maps above.
	notes Notes
	// layersBy are the numbers of referrers' layers, and numbers has them by the layers themselves.
	layersBy map[*Resource]int
	numbers  map[string]int
}

// A key is a name of an object in a scope.
type key struct {
	target    catalog.Target
	scope     scope
	namespace string
	name      string
}

type scope uint8

const (
	present  scope = iota // the target's current namespace
	earlier               // a namespace from earlier in the build
	every                 // any namespace
	anywhere              // for producers: any namespace of the product
)

// An ID identifies a resource to an API server, apart from the version.
type ID struct{ Group, Kind, Namespace, Name string }

// ID returns the ID of r, in the namespace in which it will be applied.
func (g *Graph) ID(r *Resource) ID {
	return ID{Group: r.Group, Kind: r.Kind, Namespace: g.NamespaceOf(r), Name: r.Name}
}

// BaseID is ID with the name without the hash.
func (g *Graph) BaseID(r *Resource) ID { return g.ID(r).Of(cmp.Or(r.Base, r.Name)) }

// Of returns the ID of the same resource under another name.
func (id ID) Of(name string) ID {
	id.Name = name
	return id
}

// New returns the Graph of resources, with all references resolved. namespace is where objects without their own will
// be applied.
func New(resources []*Resource, namespace string) *Graph {
	g := &Graph{
		Resources: make([]*Resource, 0, len(resources)),
		Namespace: namespace,
		byName:    map[key][]*Resource{},
		byBase:    map[key][]*Resource{},
		producers: map[key][]*Resource{},
		others:    map[ID][]*Resource{},
		notes:     Notes{},
		layersBy:  map[*Resource]int{},
		numbers:   map[string]int{},
	}
	for _, r := range resources {
		switch {
		case r.PassedOver && !r.Context:
			g.PassedOver = append(g.PassedOver, r)
		case r.PassedOver, r.Kept && r.Context: // irrelevant for other builds
		case r.Kept:
			g.Kept = append(g.Kept, r)
		case r.Context:
			g.Context = append(g.Context, r)
		default:
			g.Resources = append(g.Resources, r)
		}
	}
	g.widen = sync.OnceFunc(func() { g.addTargets(every) })
	g.all = slices.Concat(g.Resources, g.Context)
	g.scope()
	references := 0
	for i, r := range g.All() {
		r.Index = i
		references += len(r.References)
		if len(r.Exports) > 0 || r.StandsFor {
			// When a transformer runs, references to r have not been rewritten yet.
			for _, name := range r.Names() {
				put(g.others, g.ID(r).Of(name), r)
			}
		}
		g.addProducts(r)
	}
	g.addTargets(present)
	edges := make([]Edge, 0, references)
	for _, r := range g.All() { // all indices are complete
		first := len(edges)
		for i := range r.References {
			edges = append(edges, g.Edge(r, &r.References[i]))
		}
		r.Edges = edges[first:len(edges):len(edges)]
	}
	return g
}

// All returns the resources, followed by those of the context.
func (g *Graph) All() []*Resource { return g.all }

func (g *Graph) scope() {
	scopes := map[catalog.GroupKind]string{}
	for _, r := range g.All() {
		if r.Kind == "CustomResourceDefinition" && r.Group == "apiextensions.k8s.io" {
			scopes[catalog.GroupKind{Group: r.Exports["group"], Kind: r.Exports["kind"]}] = r.Exports["scope"]
		}
	}
	for _, r := range g.All() {
		if scope := scopes[catalog.GroupKind{Group: r.Group, Kind: r.Kind}]; scope != "" {
			r.ClusterScoped, r.ScopeUnknown = scope == "Cluster", false
		}
	}
}

// addTargets indexes all targets in a scope, present or every.
func (g *Graph) addTargets(in scope) {
	for _, r := range g.All() {
		if r.Target != 0 && r.Name != "" {
			g.addTarget(r, in)
		}
	}
}

// addTarget indexes r in a scope, present or every, under each of its current and earlier names.
func (g *Graph) addTarget(r *Resource, in scope) {
	now := g.NamespaceOf(r)
	if in == every {
		now = ""
	}
	enter := func(index map[key][]*Resource, name string) {
		put(index, key{r.Target, in, now, name}, r)
	}
	enterEarlier := func(index map[key][]*Resource, namespace, name string) {
		enter(index, name)
		if in == present && namespace != now {
			put(index, key{r.Target, earlier, namespace, name}, r)
		}
	}
	enter(g.byName, r.Name)
	for _, id := range r.History.Previous {
		enterEarlier(g.byName, id.Namespace, id.Name)
	}
	if r.Base == r.Name || r.Part != "" { // references to parts have their complete names
		return
	}
	// Only the current name can have kustomize's own suffix.
	enter(g.byBase, r.Base)
	for _, id := range r.History.Previous {
		if b := base(id.Name, r.Recorded()); b != id.Name {
			enterEarlier(g.byBase, id.Namespace, b)
		}
	}
}

// put adds r under k, once: all names of one resource are added consecutively.
func put[K comparable](index map[K][]*Resource, k K, r *Resource) {
	if list := index[k]; len(list) == 0 || list[len(list)-1] != r {
		index[k] = append(list, r)
	}
}

func (g *Graph) addProducts(r *Resource) {
	for i := range r.References {
		ref := &r.References[i]
		if ref.Role != catalog.Producer {
			continue
		}
		names := []string{ref.Name}
		if ref.At.Path == "metadata.name" {
			// The product has the name of r. Others of its layer refer to both by the name without prefixes.
			names = append(names, r.Names()[1:]...)
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

// NamespaceOf returns the namespace in which r will be applied, "" if it is cluster-scoped.
func (g *Graph) NamespaceOf(r *Resource) string {
	if r.ClusterScoped {
		return ""
	}
	return cmp.Or(r.Namespace, g.Namespace)
}

// Alike returns the resources that have or had the kind, name and namespace of an object, including the object itself.
func (g *Graph) Alike(r *Resource) []*Resource {
	return g.byName[key{r.Target, present, g.NamespaceOf(r), r.Name}]
}

// Holds reports whether an object of that kind currently has the name.
func (g *Graph) Holds(target catalog.Target, namespace, name string) bool {
	return slices.ContainsFunc(g.byName[key{target, present, namespace, name}], func(r *Resource) bool { return r.Name == name })
}
