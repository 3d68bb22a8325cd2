// Package usage tells which ConfigMaps and Secrets a resource uses, and how: what
// the containers of its pods get of them, and what it only refers to. No policy
// has a say in it.
package usage

import (
	"slices"
	"strings"

	"github.com/confighash/confighash/pkg/catalog"
	"github.com/confighash/confighash/pkg/graph"
	"github.com/confighash/confighash/pkg/reference"
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

// Of returns what r uses, in the order of its references: every object that a
// reference may mean, by the names that the objects bear now.
func Of(g *graph.Graph, r *graph.Resource) []Use {
	var uses []Use
	for i := range r.References {
		if ref := &r.References[i]; ref.Role != catalog.Producer {
			uses = of(uses, g, r, ref)
		}
	}
	if len(r.PodTemplates) > 0 {
		extra, _ := reference.ExtraSources(r.Annotations)
		for i := range extra {
			uses = of(uses, g, r, &extra[i])
		}
	}
	return uses
}

func of(uses []Use, g *graph.Graph, r *graph.Resource, ref *reference.Reference) []Use {
	use := Use{Ref: ref, Template: ref.PodTemplate, Via: ViaOf(ref), Consumed: ref.Consumed, Keys: ref.Keys}
	add := func(object *graph.Resource) {
		use.Object = object
		uses = append(uses, use)
		if len(ref.SubPathKeys) > 0 {
			part := use
			part.Via, part.Keys = SubPath, ref.SubPathKeys
			uses = append(uses, part)
		}
		if object.StandsFor {
			uses = ingredients(uses, g, use, object, map[*graph.Resource]bool{object: true})
		}
	}
	if ref.Of != nil {
		for _, object := range g.Others(r, *ref.Of, ref.Name) {
			if object.StandsFor {
				add(object)
			}
		}
		return uses
	}
	m := g.Mention(r, ref)
	m.DropBased()
	for _, match := range m.Matches {
		for _, object := range match.Candidates {
			add(object)
		}
	}
	for _, target := range m.Targets.Each() {
		for _, producer := range g.Producers(r, ref, target) {
			if producer.StandsFor {
				add(producer)
			}
		}
	}
	return uses
}

// ingredients adds what an object that stands for a Secret is made with, but for
// the objects that have been met.
func ingredients(uses []Use, g *graph.Graph, use Use, object *graph.Resource, met map[*graph.Resource]bool) []Use {
	for i := range object.References {
		ref := &object.References[i]
		if !ref.Consumed {
			continue
		}
		part := use
		part.Keys = ref.Keys
		m := g.Mention(object, ref)
		m.DropBased()
		for _, match := range m.Matches {
			for _, candidate := range match.Candidates {
				part.Object = candidate
				uses = append(uses, part)
			}
		}
		for _, target := range m.Targets.Each() {
			for _, producer := range g.Producers(object, ref, target) {
				if producer.StandsFor && !met[producer] {
					met[producer] = true
					part.Object = producer
					uses = append(uses, part)
					uses = ingredients(uses, g, part, producer, met)
				}
			}
		}
	}
	return uses
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
