package graph

import (
	"slices"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/reference"
)

// An Edge is a reference with what it resolves to.
type Edge struct {
	Referrer *Resource
	Ref      *reference.Reference
	// Targets are the kinds that the reference may name.
	Targets catalog.Target
	// Matches are those with candidates, one for each kind.
	Matches []Match
	// Strangers are objects of other layers that the reference might mean.
	Strangers []*Resource
	// Makers are the resources that make an object the reference may mean, one entry for
	// each kind that something makes.
	Makers []Makers
	// Derived are the edges to the objects whose names are this one with a suffix of
	// Ref.Derived, in that order.
	Derived []Edge
}

// Makers are the resources that make an object.
type Makers struct {
	// Kind is that of the object, or of the Resources if the reference names those.
	Kind string
	// Named: the reference names the Resources themselves.
	Named     bool
	Resources []*Resource
}

// resolve stores the edges of all resources. It runs when all indices are complete.
func (g *Graph) resolve() {
	references := 0
	for _, r := range g.All() {
		references += len(r.References)
	}
	edges := make([]Edge, 0, references)
	for _, r := range g.All() {
		first := len(edges)
		for i := range r.References {
			edges = append(edges, g.Edge(r, &r.References[i]))
		}
		r.Edges = edges[first:len(edges):len(edges)]
	}
}

// Edge resolves a reference of r. Those of r.References are in r.Edges.
func (g *Graph) Edge(r *Resource, ref *reference.Reference) Edge {
	e := Edge{Referrer: r, Ref: ref, Targets: ref.Targets}
	if ref.KindFrom != nil {
		e.Targets &= catalog.TargetOf(g.export(r, ref.KindFrom))
	}
	for _, target := range e.Targets.Each() {
		match := g.Resolve(r, ref, target)
		if len(match.Candidates) == 0 {
			e.Strangers = g.join(e.Strangers, match.Strangers)
		} else {
			e.Matches = append(e.Matches, match)
		}
		if makers := g.makers(r, ref, target); len(makers) > 0 {
			e.Makers = append(e.Makers, Makers{Kind: target.String(), Resources: makers})
		}
	}
	// app-2bg6t6bf6t is the Secret of that name, not an earlier one of the ConfigMap app.
	stale := func(match Match) bool { return match.Stale }
	if slices.ContainsFunc(e.Matches, func(match Match) bool { return !match.Stale }) {
		e.Matches = slices.DeleteFunc(e.Matches, stale)
	}
	if ref.Of != nil {
		if named := g.named(r, *ref.Of, ref.Name); len(named) > 0 {
			e.Makers = append(e.Makers, Makers{Kind: ref.Of.Kind, Named: true, Resources: named})
		}
	}
	for _, suffix := range ref.Derived {
		derived := *ref
		derived.Name, derived.Derived = ref.Name+suffix, nil
		e.Derived = append(e.Derived, g.Edge(r, &derived))
	}
	return e
}

// join returns two lists as one, which is the same each time.
func (g *Graph) join(a, b []*Resource) []*Resource {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return Once(g.notes, a, &b[0], func() []*Resource { return slices.Concat(a, b) })
}

// Current returns the matches by names that the objects have now, without those by a
// name with another hash or with none: these count only if references are rewritten.
func (e *Edge) Current() []Match {
	based := func(match Match) bool { return match.Based }
	if !slices.ContainsFunc(e.Matches, based) {
		return e.Matches
	}
	return slices.DeleteFunc(slices.Clone(e.Matches), based)
}

// Made reports whether something in the input makes an object that the reference may
// mean.
func (e *Edge) Made() bool {
	return slices.ContainsFunc(e.Makers, func(m Makers) bool { return !m.Named })
}

// A Meaning is the object that a reference means, or several between which nothing decides,
// or all objects that represent it.
type Meaning struct {
	Objects []*Resource
	// Kind is the kind that the objects are used as.
	Kind string
	// StandsFor: the reference names the Secret that a controller makes of each object.
	StandsFor bool
}

// Meanings returns what the reference means by the names that objects have now.
func (g *Graph) Meanings(e *Edge) []Meaning {
	var found []Meaning
	for _, match := range e.Current() {
		found = append(found, Meaning{Objects: match.Candidates, Kind: match.Candidates[0].Kind})
	}
	for _, makers := range e.Makers {
		if objects := g.StandIns(makers.Resources); len(objects) > 0 {
			found = append(found, Meaning{Objects: objects, Kind: makers.Kind, StandsFor: !makers.Named})
		}
	}
	return found
}

// Ingredients visits what object, which represents a Secret of a workload, is made with:
// what each reference means, and, for a reference to other objects that represent a
// Secret, each of these once, and again for other keys if it is Keyed. into says whether to
// visit what such an object is made with as well, which happens once. It stops when more is
// false, and returns that.
//
// If the controller reads an object where the Secret is, the object has to be in the
// workload's namespace.
func (g *Graph) Ingredients(object, workload *Resource, visit func(*reference.Reference, Meaning) (into, more bool)) bool {
	return g.ingredients(object, workload, map[*Resource]bool{object: true}, visit)
}

// ingredients is Ingredients without those of met: true if a reference to all of its keys
// led to an object.
func (g *Graph) ingredients(object, workload *Resource, met map[*Resource]bool, visit func(*reference.Reference, Meaning) (into, more bool)) bool {
	for i := range object.Edges {
		e := &object.Edges[i]
		if !e.Ref.Consumed {
			continue
		}
		for _, meaning := range g.meaningsIn(e, workload) {
			if !meaning.StandsFor {
				if _, more := visit(e.Ref, meaning); !more {
					return false
				}
				continue
			}
			for _, maker := range meaning.Objects {
				whole, been := met[maker]
				if whole || been && !maker.Keyed {
					continue
				}
				met[maker] = e.Ref.Keys == nil
				into, more := visit(e.Ref, Meaning{Objects: []*Resource{maker}, Kind: meaning.Kind, StandsFor: true})
				if !more || into && !been && !g.ingredients(maker, workload, met, visit) {
					return false
				}
			}
		}
	}
	return true
}

// meaningsIn is Meanings for the Secret in the namespace of a workload.
func (g *Graph) meaningsIn(e *Edge, workload *Resource) []Meaning {
	if !e.Ref.ControllerNamespace || e.Ref.Of != nil {
		return g.Meanings(e)
	}
	there := *e.Ref
	there.Namespace, there.ControllerNamespace = g.NamespaceOf(workload), false
	in := g.Edge(e.Referrer, &there)
	in.Matches = slices.DeleteFunc(in.Matches, func(match Match) bool { return match.Moved })
	return g.Meanings(&in)
}

// ExtraSources returns the edges that confighash.dev/extra-sources makes: each object
// once.
func (r *Resource) ExtraSources() []*Edge {
	var extra []*Edge
	type object struct {
		targets catalog.Target
		name    string
	}
	met := map[object]bool{}
	for i := range r.Edges {
		ref := r.Edges[i].Ref
		if at := (object{ref.Targets, ref.Name}); ref.Via == catalog.ViaExtraSource && !met[at] {
			met[at] = true
			extra = append(extra, &r.Edges[i])
		}
	}
	return extra
}

// Lost returns the object that was found by its name less the suffix that
// kustomize, or another build, gave it and did not write into the reference, nil if there
// is none, or several.
func (match *Match) Lost() *Resource {
	if !match.Based || match.Stale || len(match.Candidates) != 1 {
		return nil
	}
	if c := match.Candidates[0]; (c.Context || c.Recorded() == "") && c.Base != c.Name {
		return c
	}
	return nil
}
