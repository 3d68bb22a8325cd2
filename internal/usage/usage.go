// Package usage tells which ConfigMaps and Secrets a resource uses, and how: what
// the containers of its pods get of them, and what it only refers to. No policy
// has a say in it.
package usage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/reference"
)

// A Via is a way by which a resource uses an object.
type Via string

// The ways.
const (
	Env     Via = "env"     // a key is a variable
	EnvFrom Via = "envFrom" // every key is one
	Volume  Via = "volume"  // files, which the kubelet keeps up to date
	SubPath Via = "subPath" // files that a container mounts by subPath, which stay as they are
	// ExtraSource: the workload's annotation confighash.dev/extra-sources says so.
	ExtraSource Via = "extra-sources"
	// Reference: the resource names it, and no container gets it.
	Reference Via = "reference"
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
	Via      Via
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
	for i := range r.Edges {
		if e := &r.Edges[i]; e.Ref.Role != catalog.Producer {
			s.of(e)
		}
	}
	if len(r.PodTemplates) > 0 {
		extra, _ := reference.ExtraSources(r.Annotations)
		for i := range extra {
			e := f.graph.Edge(r, &extra[i])
			s.of(&e)
		}
	}
	return s.uses, s.err
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

func (s *search) of(e *graph.Edge) {
	ref := e.Ref
	further := false
	use := Use{Ref: ref, Template: ref.PodTemplate, Via: ViaOf(ref), Consumed: ref.Consumed, Keys: ref.Keys}
	add := func(object *graph.Resource) bool {
		use.Object = object
		if !s.add(use, further) {
			return false
		}
		further = true
		if len(ref.SubPathKeys) > 0 {
			part := use
			part.Via, part.Keys = SubPath, ref.SubPathKeys
			s.uses = append(s.uses, part)
		}
		return !object.StandsFor || s.ingredients(use, object)
	}
	for _, meaning := range s.graph.Meanings(e) {
		for _, object := range meaning.Objects {
			if !add(object) {
				return
			}
		}
	}
}

// ingredients adds what an object that represents a Secret is made with. It reports
// false once there are too many.
func (s *search) ingredients(use Use, object *graph.Resource) bool {
	return s.graph.Ingredients(object, s.referrer, func(ref *reference.Reference, meaning graph.Meaning) (into, more bool) {
		part := use
		part.Keys = ref.Keys
		for _, part.Object = range meaning.Objects {
			if !s.add(part, true) {
				return false, false
			}
		}
		return true, true
	})
}

// ViaOf tells by where a reference stands how the object is used.
func ViaOf(ref *reference.Reference) Via {
	if !ref.Consumed {
		return Reference
	}
	if ref.At.Path == reference.ExtraSourcesAt {
		return ExtraSource
	}
	path := string(ref.At.Path)
	switch {
	case strings.Contains(path, ".envFrom["):
		return EnvFrom
	case strings.Contains(path, ".env["):
		return Env
	case ref.SubPath:
		return SubPath
	case strings.Contains(strings.ToLower(path), "volumes["):
		return Volume
	}
	return Reference
}
