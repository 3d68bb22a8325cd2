package graph

import (
	"slices"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/reference"
)

// An Edge is a reference with the objects it resolves to.
type Edge struct {
	Referrer *Resource
	Ref      *reference.Reference
	// Targets are the kinds that the reference may name.
	Targets catalog.Target
	// Matches are the matches that have candidates, one for each kind.
	Matches []Match
	// Strangers are objects of other layers that the reference might mean.
	Strangers []*Resource
	// Makers are the resources that create an object the reference may mean, one entry for each such kind.
	Makers []Makers
	// Derived are the edges to the objects named like this one plus a suffix of Ref.Derived, in that order.
	Derived []Edge
}

// Makers are resources that create an object.
type Makers struct {
	// Kind is the object's kind, or the kind of the Resources if the reference names those.
	Kind string
	// Named: the reference names the Resources themselves.
	Named     bool
	Resources []*Resource
}

// Edge resolves a reference of r. For r.References, r.Edges has the result.
func (g *Graph) Edge(r *Resource, ref *reference.Reference) Edge {
	e := Edge{Referrer: r, Ref: ref, Targets: ref.Targets}
	if from := ref.KindFrom; from != nil {
		kind := "" // unless one object in the input determines it
		if found := g.named(r, catalog.GroupKind{Group: from.Group, Kind: from.Kind}, from.Name); len(found) == 1 {
			kind = found[0].Exports[from.Export]
		}
		e.Targets &= catalog.TargetOf(kind)
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
	// app-2bg6t6bf6t is the Secret of that name, not an earlier version of the ConfigMap app.
	if slices.ContainsFunc(e.Matches, func(match Match) bool { return !match.Stale }) {
		e.Matches = slices.DeleteFunc(e.Matches, func(match Match) bool { return match.Stale })
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

// join concatenates two lists. The result is cached, so that equal lists are identical.
func (g *Graph) join(a, b []*Resource) []*Resource {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return Once(g.notes, a, &b[0], func() []*Resource { return slices.Concat(a, b) })
}

// Current returns the matches by the objects' current names. Matches by a name with another hash or without one count
// only if references are rewritten.
func (e *Edge) Current() []Match {
	based := func(match Match) bool { return match.Based }
	if !slices.ContainsFunc(e.Matches, based) {
		return e.Matches
	}
	return slices.DeleteFunc(slices.Clone(e.Matches), based)
}

// Made reports whether something in the input creates an object that the reference may mean.
func (e *Edge) Made() bool {
	return slices.ContainsFunc(e.Makers, func(m Makers) bool { return !m.Named })
}

// A Meaning is the object that a reference means, or several between which the choice is open, or all objects that
// represent it.
type Meaning struct {
	Objects []*Resource
	// Kind is the kind as which the objects are used.
	Kind string
	// StandsFor: the reference names the Secret that a controller makes from each object.
	StandsFor bool
}

// Meanings returns what the reference means by the objects' current names.
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

// Ingredients visits what the Secret of object, a stand-in that workload uses, is made from: the meanings of its
// references. If a reference means other stand-ins, each of them is visited once, and again for other keys if it is
// Keyed. into asks to visit the ingredients of such a stand-in too, which happens once. Ingredients stops when more is
// false, and returns it.
//
// If the controller reads an object from the Secret's namespace, the object must be in the workload's.
func (g *Graph) Ingredients(object, workload *Resource, visit func(*reference.Reference, Meaning) (into, more bool)) bool {
	met := map[*Resource]bool{object: true} // true if a reference to all its keys led to the object
	done := map[**Resource]bool{}           // lists, by their address, whose objects need no further visit
	var enter func(object *Resource) bool
	makers := func(ref *reference.Reference, meaning Meaning) bool {
		list := &meaning.Objects[0]
		if done[list] {
			return true
		}
		isKeyed := func(r *Resource) bool { return r.Keyed }
		done[list] = ref.Keys == nil || !Once(g.notes, meaning.Objects, "keyed", func() bool { return slices.ContainsFunc(meaning.Objects, isKeyed) })
		for _, maker := range meaning.Objects {
			whole, been := met[maker]
			if whole || been && !maker.Keyed {
				continue
			}
			met[maker] = ref.Keys == nil
			into, more := visit(ref, Meaning{Objects: []*Resource{maker}, Kind: meaning.Kind, StandsFor: true})
			if !more || into && !been && !enter(maker) {
				return false
			}
		}
		return true
	}
	enter = func(object *Resource) bool {
		for i := range object.Edges {
			e := &object.Edges[i]
			if !e.Ref.Consumed {
				continue
			}
			for _, meaning := range g.meaningsIn(e, workload) {
				if meaning.StandsFor {
					if !makers(e.Ref, meaning) {
						return false
					}
				} else if _, more := visit(e.Ref, meaning); !more {
					return false
				}
			}
		}
		return true
	}
	return enter(object)
}

// meaningsIn is Meanings for a Secret in the workload's namespace.
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

// ExtraSources returns the edges from confighash.dev/extra-sources, without duplicates.
func (r *Resource) ExtraSources() []*Edge {
	var extra []*Edge
	met := map[key]bool{}
	for i := range r.Edges {
		ref := r.Edges[i].Ref
		if at := (key{target: ref.Targets, name: ref.Name}); ref.Via == catalog.ViaExtraSource && !met[at] {
			met[at] = true
			extra = append(extra, &r.Edges[i])
		}
	}
	return extra
}

// Lost returns the object that a reference names without the suffix from kustomize or another build, which should have
// written it into the reference. It is nil if there is no such object, or several.
func (match *Match) Lost() *Resource {
	if !match.Based || match.Stale || len(match.Candidates) != 1 {
		return nil
	}
	if c := match.Candidates[0]; (c.Context || c.Recorded() == "") && c.Base != c.Name {
		return c
	}
	return nil
}
