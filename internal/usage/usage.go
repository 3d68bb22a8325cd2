// Package usage lists which ConfigMaps and Secrets a resource uses, and how: what its containers get, and what it only
// refers to. It ignores policies.
//
// A Finder returns the uses of one resource; New returns the graph of all uses in a set.
package usage

import (
	"cmp"
	"fmt"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/reference"
)

// A Use is one reference of a resource to one object.
type Use struct {
	// Object is a ConfigMap, a Secret or a stand-in for a Secret.
	Object *graph.Resource
	// Ref is the resource's own reference, even if Object is an ingredient of another object.
	Ref *reference.Reference
	// Template is the index of the pod template with the reference. It is -1 if there is none: a Consumed object then
	// counts for all.
	Template int
	Via      catalog.Via
	// Consumed: the pods' containers get the content.
	Consumed bool
	// Keys are the consumed keys, sorted; nil means all.
	Keys []string
	// Ignored: confighash.dev/ignore takes the object out, or the stand-in that makes a Secret from it.
	Ignored bool
}

// A Finder finds the uses of a graph's resources.
type Finder struct {
	graph *graph.Graph
	// most bounds how many uses there may be in addition to one for each reference.
	most, found int
}

// NewFinder returns a Finder for the resources of g.
func NewFinder(g *graph.Graph) *Finder {
	return &Finder{graph: g, most: 100_000 + 20*len(g.All())}
}

// Of returns the uses of r, in the order of its references: every object that a reference may mean. It fails if
// thousands of references each may mean thousands of objects.
func (f *Finder) Of(r *graph.Resource) ([]Use, error) {
	s := search{Finder: f, referrer: r}
	for _, w := range wanted(r) {
		s.of(w.use, w.edge)
	}
	return s.uses, s.err
}

// A want is a reference of a resource before it is resolved.
type want struct {
	use  Use // without an Object
	edge *graph.Edge
}

// wanted returns the wants of r, in the order of its references.
func wanted(r *graph.Resource) []want {
	wants := make([]want, 0, len(r.Edges))
	workload := len(r.PodTemplates) > 0
	for i := range r.Edges {
		e := &r.Edges[i]
		use := Use{Ref: e.Ref, Template: e.Ref.PodTemplate, Via: e.Ref.Via, Consumed: e.Ref.Consumed, Keys: e.Ref.Keys}
		if e.Ref.Via == catalog.ViaExtraSource {
			if workload {
				continue
			}
			use.Via = catalog.ViaReference
		}
		if e.Ref.Role != catalog.Producer {
			wants = append(wants, want{use, e})
		}
	}
	if workload {
		for _, e := range r.ExtraSources() {
			wants = append(wants, want{Use{Ref: e.Ref, Template: -1, Via: e.Ref.Via, Consumed: true}, e})
		}
	}
	return wants
}

type search struct {
	*Finder
	referrer *graph.Resource
	uses     []Use
	err      error
}

// Spend counts one more object for a reference of r. It fails once there are too many.
func (f *Finder) Spend(r *graph.Resource, ref *reference.Reference) error {
	if f.found++; f.found <= f.most {
		return nil
	}
	return graph.Finding{Severity: manifest.Error, Resource: r, Path: ref.At.Path, Message: fmt.Sprintf(
		"%q, and references before it, may mean more than %d objects in addition to the first of each; name their namespaces, or give the objects names of their own", graph.Clip(ref.Name), f.most)}
}

// add adds a use. It returns false once there are too many.
func (s *search) add(use Use, further bool) bool {
	// Without a template, a use counts for all.
	if n := len(s.referrer.PodTemplates); use.Template < 0 && use.Consumed && n > 1 {
		s.found += n - 1
	}
	if further || s.found > s.most {
		if err := s.Spend(s.referrer, use.Ref); err != nil {
			s.err = cmp.Or(s.err, err)
			return false
		}
	}
	s.uses = append(s.uses, use)
	return true
}

func (s *search) of(use Use, e *graph.Edge) {
	further := false
	for _, meaning := range s.graph.Meanings(e) {
		for _, use.Object = range meaning.Objects {
			use.Ignored = use.Object.Ignored()
			if !s.add(use, further) {
				return
			}
			further = true
			if len(e.Ref.SubPathKeys) > 0 {
				part := use
				part.Via, part.Keys = catalog.ViaSubPath, e.Ref.SubPathKeys
				s.uses = append(s.uses, part)
			}
			if use.Object.StandsFor && !s.ingredients(use) {
				return
			}
		}
	}
}

// ingredients adds what a Secret's stand-in is made with. It returns false once there are too many uses.
func (s *search) ingredients(use Use) bool {
	return s.graph.Ingredients(use.Object, s.referrer, func(ref *reference.Reference, meaning graph.Meaning) (into, more bool) {
		part := use
		part.Keys = ref.Keys
		for _, part.Object = range meaning.Objects {
			part.Ignored = use.Ignored || part.Object.Ignored()
			if !s.add(part, true) {
				return false, false
			}
		}
		return true, true
	})
}
