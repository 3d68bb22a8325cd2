// Package usage tells which ConfigMaps and Secrets a resource uses, and how: what
// the containers of its pods get of them, and what it only refers to. No policy
// has a say in it.
package usage

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/reference"
)

// A Use is one reference of a resource to one object.
type Use struct {
	// Object is a ConfigMap, a Secret, or what stands for a Secret.
	Object *graph.Resource
	// Ref is the reference, of the resource itself also where Object is what
	// another object is made with.
	Ref *reference.Reference
	// Template is the index of the pod template that the reference is in, and -1
	// where it is in none: then a Consumed object counts for all.
	Template int
	Via      catalog.Via
	// Consumed: the containers of the pods get the content.
	Consumed bool
	// Keys are the keys that they get, sorted; nil stands for all of them.
	Keys []string
}

// Gets reports whether the containers get what stands under key.
func (u *Use) Gets(key string) bool {
	if !u.Consumed || u.Keys == nil {
		return u.Consumed
	}
	_, found := slices.BinarySearch(u.Keys, key)
	return found
}

// A Finder finds what the resources of a graph use.
type Finder struct {
	graph *graph.Graph
	// most is how many uses there may be beside one for each reference, and found
	// how many have been found.
	most, found int
}

// NewFinder returns a Finder for the resources of g.
func NewFinder(g *graph.Graph) *Finder {
	return &Finder{graph: g, most: 100_000 + 20*len(g.Resources)}
}

// Of returns what r uses, in the order of its references: every object that a
// reference may mean, by the names that the objects bear now. It fails where thousands
// of references each may mean thousands of objects, or use them by way of what makes a
// Secret.
func (f *Finder) Of(r *graph.Resource) ([]Use, error) {
	s := search{Finder: f, referrer: r}
	for _, use := range Wanted(r) {
		s.of(use)
	}
	return s.uses, s.err
}

// Wanted returns what r uses by its references alone: uses without an Object.
func Wanted(r *graph.Resource) []Use {
	uses := make([]Use, 0, len(r.References))
	workload := len(r.PodTemplates) > 0
	for i := range r.References {
		ref := &r.References[i]
		use := Use{Ref: ref, Template: ref.PodTemplate, Via: ref.Via, Consumed: ref.Consumed, Keys: ref.Keys}
		if ref.Via == catalog.ViaExtraSource {
			if workload {
				continue
			}
			use.Via = catalog.ViaReference
		}
		if ref.Role != catalog.Producer {
			uses = append(uses, use)
		}
	}
	if workload {
		for _, ref := range reference.ExtraSources(r.References) {
			uses = append(uses, Use{Ref: ref, Template: -1, Via: ref.Via, Consumed: true})
		}
	}
	return uses
}

// A search is for what one resource uses.
type search struct {
	*Finder
	referrer *graph.Resource
	uses     []Use
	err      error
}

// Spend counts that a reference of r means one more object. It fails once that is
// too much.
func (f *Finder) Spend(r *graph.Resource, ref *reference.Reference) error {
	if f.found++; f.found <= f.most {
		return nil
	}
	return graph.Finding{Severity: manifest.Error, Resource: r, Path: ref.At.Path, Message: fmt.Sprintf(
		"%q, and references before it, may mean more than %d objects beside the first of each; name their namespaces, or give the objects names of their own", graph.Clip(ref.Name), f.most)}
}

// add adds a use. It reports false once there are too many.
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

func (s *search) of(use Use) {
	further, ref := false, use.Ref
	add := func(object *graph.Resource) bool {
		use.Object = object
		if !s.add(use, further) {
			return false
		}
		further = true
		if len(ref.SubPathKeys) > 0 {
			part := use
			part.Via, part.Keys = catalog.ViaSubPath, ref.SubPathKeys
			s.uses = append(s.uses, part)
		}
		return !object.StandsFor || s.ingredients(use, object, map[*graph.Resource]bool{object: true})
	}
	means, _ := Means(s.graph, s.referrer, ref, nil)
	for i := range means {
		for _, object := range means[i].Objects {
			if !add(object) {
				return
			}
		}
	}
}

// ingredients adds what an object that stands for a Secret is made with, but for
// the objects that have been met. It reports false once there are too many.
func (s *search) ingredients(use Use, object *graph.Resource, met map[*graph.Resource]bool) bool {
	for i := range object.References {
		ref := &object.References[i]
		if !ref.Consumed {
			continue
		}
		part := use
		part.Keys = ref.Keys
		means, _ := Means(s.graph, object, ref, s.referrer)
		for j := range means {
			for _, part.Object = range means[j].Objects {
				if means[j].StandsFor && met[part.Object] {
					continue
				}
				if !s.add(part, true) {
					return false
				}
				if means[j].StandsFor {
					met[part.Object] = true
					if !s.ingredients(part, part.Object, met) {
						return false
					}
				}
			}
		}
	}
	return true
}

// A Meaning is the object that a reference means, or several that nothing tells
// apart, or all objects that stand for it.
type Meaning struct {
	Objects []*graph.Resource
	// Kind is what the objects are taken for.
	Kind string
	// StandsFor: the reference names the Secret that a controller makes of each object.
	StandsFor bool
}

// Means returns what a reference of r means by the names that objects have now, and
// the objects of other layers that it might mean. If r stands for a Secret of a
// workload, what its controller reads where the Secret is has to be there.
func Means(g *graph.Graph, r *graph.Resource, ref *reference.Reference, workload *graph.Resource) (means []Meaning, strangers []*graph.Resource) {
	if ref.Of != nil {
		if found := g.StandIns(g.Others(r, *ref.Of, ref.Name)); len(found) > 0 {
			means = append(means, Meaning{Objects: found, Kind: found[0].Kind})
		}
		return means, nil
	}
	moves := true
	if workload != nil && ref.ControllerNamespace {
		there := *ref
		there.Namespace, there.ControllerNamespace = g.NamespaceOf(workload), false
		ref, moves = &there, false
	}
	m := g.Mention(r, ref)
	m.DropBased()
	for _, match := range m.Matches {
		if moves || !match.Moved {
			means = append(means, Meaning{Objects: match.Candidates, Kind: match.Candidates[0].Kind})
		}
	}
	for _, target := range m.Targets.Each() {
		if producers := g.StandIns(g.Producers(r, ref, target)); len(producers) > 0 {
			means = append(means, Meaning{Objects: producers, Kind: target.String(), StandsFor: true})
		}
	}
	return means, m.Strangers
}
