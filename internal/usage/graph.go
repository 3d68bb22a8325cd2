package usage

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// New returns the graph of who uses what in g. The resources must have been built with Builder.Values, and each
// identity for the API server must be unique. An error is a bug in the catalogue.
//
// Only the names in the manifests count: if the object's name is app-4h2mbtbbt6, a reference to app leads to a missing
// object. A reference that may mean several objects has an edge to each. If they are all in other layers of a kustomize
// build, it has none. Resources of the context are included if they have an edge to or from the resources of g.
func New(g *graph.Graph, c *catalog.Catalog) (*Graph, error) {
	b, err := entered(g, c)
	if err != nil {
		return nil, err
	}
	return b.finish(), nil
}

// Unused returns the objects of g that New would mark as unused, in the order of the input.
func Unused(g *graph.Graph, c *catalog.Catalog) ([]*graph.Resource, error) {
	b, err := entered(g, c)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(g.Resources), func(r *graph.Resource) bool {
		n := b.node(b.identityOf(r))
		return !n.object || !n.unused()
	}), nil
}

func entered(g *graph.Graph, c *catalog.Catalog) (*builder, error) {
	b := &builder{g: g, catalog: c, nodes: make(map[identity]*node, len(g.Resources)), own: map[way]*edge{}, linked: map[madeByAll]bool{}}
	for _, r := range g.All() {
		b.enter(r)
	}
	uses := NewFinder(g)
	for _, r := range g.All() {
		if err := cmp.Or(b.use(r, uses), b.make(r, uses)); err != nil {
			return nil, err
		}
	}
	return b, nil
}

type identity struct {
	graph.ID
	unnamed *graph.Resource // set if it has no name to be identified by
}

type node struct {
	Object
	key              identity
	workload, object bool // a reader is neither
	inSet            bool
	uses, used       bool
	makes            []*node
	madeBy           map[*node]bool
	serial           int // of nodes without a name, in the order of the set
}

type way struct {
	to       *node
	via      catalog.Via
	consumed bool
}

type edge struct {
	Edge
	from, to *node
}

type builder struct {
	g       *graph.Graph
	catalog *catalog.Catalog
	nodes   map[identity]*node
	edges   []*edge
	own     map[way]*edge      // of the current resource
	linked  map[madeByAll]bool // the lists of makers that products have
}

type madeByAll struct {
	product *node
	makers  **graph.Resource // address of the first
}

func (b *builder) node(id identity) *node {
	n := b.nodes[id]
	if n == nil {
		n = newNode(id)
		n.serial = len(b.nodes)
		b.nodes[id] = n
	}
	return n
}

func newNode(id identity) *node {
	n := &node{key: id, madeBy: map[*node]bool{}}
	n.Kind, n.Namespace, n.Name = graph.Clip(id.Kind), graph.Clip(id.Namespace), graph.Clip(id.Name)
	return n
}

func (b *builder) identityOf(r *graph.Resource) identity {
	id := identity{ID: b.g.ID(r)}
	if r.Name == "" {
		id.unnamed = r
	}
	return id
}

func (b *builder) enter(r *graph.Resource) {
	n := b.node(b.identityOf(r))
	if r.Context && n.inSet {
		return // for example a Namespace, which several builds have
	}
	n.inSet, n.Context = true, r.Context
	n.APIVersion = graph.Clip(r.APIVersion)
	if r.Name == "" {
		n.Place = r.Place()
	}
	n.workload = len(r.PodTemplates) > 0
	n.object = r.Target != 0 || r.StandsFor
	if r.Part != "" {
		n.Source, n.SourceKeys = graph.Clip(r.Base), hash.KeysOf(r.Part)
	}
	if r.Target != 0 {
		n.Known = b.catalog.NameRule(catalog.Object{Kind: r.Kind, Namespace: n.Namespace, Name: r.Base, Type: r.Type, Labels: r.Labels, Annotations: r.Annotations}) != nil
	}
}

func (b *builder) use(r *graph.Resource, finder *Finder) error {
	from := b.node(b.identityOf(r))
	clear(b.own)
	s := search{Finder: finder, referrer: r}
	for _, w := range wanted(r) {
		before := len(s.uses)
		s.of(w.use, w.edge)
		if len(s.uses) == before && !r.Context {
			b.absent(from, &w)
		}
	}
	for _, u := range s.uses {
		if r.Context && u.Object.Context {
			continue
		}
		if r.Target != 0 && graph.InContent(u.Ref.At.Path) {
			u.Keys = nil // they are part of a value
		}
		b.add(from, b.node(b.identityOf(u.Object)), &u)
	}
	return s.err
}

func (b *builder) add(from, to *node, u *Use) {
	from.uses, to.used = true, true
	key := way{to, u.Via, u.Consumed}
	e := b.own[key]
	if e == nil {
		// Thousands of uses may share their keys.
		e = &edge{Edge{Via: u.Via, Consumed: u.Consumed, Optional: u.Ref.Optional, Keys: slices.Clip(u.Keys)}, from, to}
		b.own[key] = e
		b.edges = append(b.edges, e)
		return
	}
	e.Optional = e.Optional && u.Ref.Optional
	if e.Keys != nil && u.Keys != nil {
		e.Keys = append(e.Keys, u.Keys...)
	} else {
		e.Keys = nil
	}
}

// absent records a use of an object that is not in the set.
func (b *builder) absent(from *node, w *want) {
	e, r, ref := w.edge, w.edge.Referrer, w.edge.Ref
	// A name in the content of an object is part of a value.
	if ref.Tentative || r.Target != 0 && graph.InContent(ref.At.Path) {
		return
	}
	id := identity{ID: graph.ID{Namespace: b.namespaceOf(r, ref), Name: ref.Name}}
	var makers [][]*graph.Resource
	switch {
	case ref.Of != nil:
		id.Group, id.Kind = ref.Of.Group, ref.Of.Kind
	case e.Targets == 0, len(e.Strangers) > 0:
		return
	default:
		id.Kind = e.Targets.String()
		for _, m := range e.Makers {
			id.Kind = m.Kind
			makers = append(makers, m.Resources)
		}
		if ref.Role == catalog.Both && makers == nil {
			makers = [][]*graph.Resource{{r}}
		}
	}
	to := b.node(id)
	to.object = true
	if id.Group == "" && id.Kind != catalog.AnyTarget.String() {
		to.APIVersion = "v1"
	}
	for _, target := range ref.Targets.Each() {
		to.Known = to.Known || b.catalog.NameRule(catalog.Object{Kind: target.Kinds()[0], Namespace: id.Namespace, Name: id.Name}) != nil
	}
	for _, list := range makers {
		if all := (madeByAll{to, &list[0]}); !b.linked[all] {
			b.linked[all] = true
			for _, maker := range list {
				to.madeBy[b.node(b.identityOf(maker))] = true
			}
		}
	}
	b.add(from, to, &w.use)
}

// namespaceOf returns the namespace of the object that ref names, "" if unknown.
func (b *builder) namespaceOf(r *graph.Resource, ref *reference.Reference) string {
	if ref.Namespace == "" && ref.ControllerNamespace {
		return ""
	}
	return cmp.Or(ref.Namespace, b.g.NamespaceOf(r))
}

func (b *builder) make(r *graph.Resource, finder *Finder) error {
	from := b.node(b.identityOf(r))
	for _, e := range r.Edges {
		ref := e.Ref
		if ref.Role != catalog.Producer {
			continue
		}
		if r.StandsFor {
			for _, kind := range ref.Targets.Kinds() {
				product := newNode(identity{ID: graph.ID{Kind: kind, Namespace: b.namespaceOf(r, ref), Name: ref.Name}})
				product.APIVersion = "v1"
				from.makes = append(from.makes, product)
			}
		}
		for _, match := range e.Current() {
			for i, object := range match.Candidates {
				if i > 0 {
					if err := finder.Spend(r, ref); err != nil {
						return err
					}
				}
				b.node(b.identityOf(object)).madeBy[from] = true
			}
		}
	}
	return nil
}

func (b *builder) finish() *Graph {
	nodes := slices.SortedFunc(maps.Values(b.nodes), compare)
	ids := map[string]int{} // with the number of nodes
	for _, n := range nodes {
		id := n.id()
		for n.ID = id; ids[n.ID] > 0; {
			ids[id]++
			n.ID = id + " #" + strconv.Itoa(ids[id])
		}
		ids[n.ID] = 1
	}
	required := map[*node]bool{}
	for _, e := range b.edges {
		required[e.to] = required[e.to] || !e.Optional
	}
	drawn := &Graph{APIVersion: v1alpha1.APIVersion, Kind: Kind, Workloads: []Node{}, Readers: []Node{}, Objects: []Object{}, Edges: []Edge{}}
	for _, n := range nodes {
		switch {
		case n.Context && !n.uses && !n.used: // unrelated to the set
		case n.object:
			absent := !n.inSet && len(n.madeBy) == 0 && !n.Known
			n.Missing, n.Optional = absent, absent && !required[n]
			n.Unused = n.unused()
			n.MadeBy, n.Makes = listed(slices.Collect(maps.Keys(n.madeBy))), listed(n.makes)
			drawn.Objects = append(drawn.Objects, n.Object)
		case n.workload:
			drawn.Workloads = append(drawn.Workloads, n.Node)
		case n.uses:
			drawn.Readers = append(drawn.Readers, n.Node)
		}
	}
	slices.SortFunc(b.edges, func(x, y *edge) int {
		return cmp.Or(
			compare(x.to, y.to), compare(x.from, y.from), cmp.Compare(rank(x.Via), rank(y.Via)),
			cmp.Compare(strconv.FormatBool(y.Consumed), strconv.FormatBool(x.Consumed)), // true comes first
		)
	})
	for _, e := range b.edges {
		e.From, e.To = e.from.ID, e.to.ID
		if !slices.IsSorted(e.Keys) { // several uses added keys, to a separate list
			slices.Sort(e.Keys)
		}
		e.Keys = slices.Compact(e.Keys)
		drawn.Edges = append(drawn.Edges, e.Edge)
	}
	return drawn
}

func (n *node) unused() bool { return n.inSet && !n.used && len(n.madeBy) == 0 && !n.Known }

// listed returns nodes, sorted and without duplicates.
func listed(nodes []*node) []Node {
	slices.SortFunc(nodes, compare)
	var all []Node
	for _, n := range nodes {
		n.ID = cmp.Or(n.ID, n.id())
		all = append(all, n.Node)
	}
	return slices.Compact(all)
}

// id returns the node's name, without a suffix for duplicates.
func (n *node) id() string {
	return strings.TrimSuffix(n.key.Kind+"."+n.key.Group, ".") + " " + n.path()
}

func rank(via catalog.Via) int { return slices.Index(Ways(), via) }

// compare orders nodes for people: by kind, namespace and name.
func compare(a, b *node) int {
	return cmp.Or(
		cmp.Compare(a.key.Kind, b.key.Kind), cmp.Compare(a.key.Group, b.key.Group), cmp.Compare(a.key.Namespace, b.key.Namespace),
		cmp.Compare(a.key.Name, b.key.Name), cmp.Compare(a.serial, b.serial),
	)
}
