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
			uses = ingredients(uses, g, r, use, object, map[*graph.Resource]bool{object: true})
		}
	}
	means, _ := Means(g, r, ref, nil)
	for i := range means {
		for _, object := range means[i].Objects {
			add(object)
		}
	}
	return uses
}

// ingredients adds what an object that stands for a Secret of r is made with, but
// for the objects that have been met.
func ingredients(uses []Use, g *graph.Graph, r *graph.Resource, use Use, object *graph.Resource, met map[*graph.Resource]bool) []Use {
	for i := range object.References {
		ref := &object.References[i]
		if !ref.Consumed {
			continue
		}
		part := use
		part.Keys = ref.Keys
		means, _ := Means(g, object, ref, r)
		for j := range means {
			for _, part.Object = range means[j].Objects {
				if means[j].StandsFor && met[part.Object] {
					continue
				}
				uses = append(uses, part)
				if means[j].StandsFor {
					met[part.Object] = true
					uses = ingredients(uses, g, r, part, part.Object, met)
				}
			}
		}
	}
	return uses
}

// A Meaning is the object that a reference means, or several that nothing tells
// apart, or one object that stands for it.
type Meaning struct {
	Objects []*graph.Resource
	// Kind is what the objects are taken for.
	Kind string
	// StandsFor: the reference names the Secret that a controller makes of the object.
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
		producers := g.StandIns(g.Producers(r, ref, target))
		for i := range producers {
			means = append(means, Meaning{Objects: producers[i : i+1], Kind: target.String(), StandsFor: true})
		}
	}
	return means, m.Strangers
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
