// Package gc finds the hashed ConfigMaps and Secrets of a cluster that nothing uses.
//
// A [Set] reads live objects, from manifests or with kubectl, and keeps few facts of each: the hashed objects, and the
// words that may name one. [Set.Judge] then says of each hashed object why it stays, or that it may be deleted.
//
// As users delete objects that gc reports, an object stays in case of doubt: a name counts wherever it is written,
// whether or not the catalogue knows the field.
package gc

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// An Object is a ConfigMap or a Secret with a hash in its name.
type Object struct {
	Kind, Namespace, Name, UID string
	// Created is the creationTimestamp, zero if the object has none.
	Created time.Time
	// Kept is why the object stays, as the rest of a sentence that begins with it; "" if it may be deleted.
	Kept string

	base   string // the name without the hash
	label  string // the part of the name that holds the hash
	held   string // why it stays, used or not
	marked bool   // an earlier version that the manifests carry along
}

// String returns kind, namespace and name, as messages print them.
func (o *Object) String() string { return o.Kind + " " + o.Namespace + "/" + o.Name }

// Options say which unused objects stay.
type Options struct {
	// Namespace is the only namespace whose objects are judged, "" for all.
	Namespace string
	// Keep is how many of the newest unused versions of each base name stay.
	Keep int
	// OlderThan is the age that objects must have at Now to be deleted.
	OlderThan time.Duration
	Now       time.Time
	// Superseded allows deleting earlier versions that the manifests carry along.
	Superseded bool
}

// A Set holds the facts about the objects of a cluster.
type Set struct {
	mu      sync.Mutex
	builder *graph.Builder
	objects map[graph.ID]*Object
	words   map[word]*use
}

// NewSet returns an empty set.
func NewSet() *Set {
	finder := reference.NewFinder(catalog.Builtin())
	finder.Discover = true
	builder := &graph.Builder{Catalog: catalog.Builtin(), Finder: finder, Values: true, Bases: true, Versions: true}
	return &Set{builder: builder, objects: map[graph.ID]*Object{}, words: map[word]*use{}}
}

// A word is a part of a text that may be from the name of a hashed object, in a namespace or, if that is empty, in any.
type word struct{ namespace, label string }

// A use counts the references to something, with the first of them.
type use struct {
	by, path string
	count    int
}

func (u *use) String() string {
	if u.count == 1 {
		return fmt.Sprintf("%s refers to it (%s)", u.by, u.path)
	}
	return fmt.Sprintf("%s refers to it (%s), and %d more", u.by, u.path, u.count-1)
}

// add adds other's count. The first referrer is chosen by name, so that the order does not matter.
func (u *use) add(other *use) {
	u.count += other.count
	if c := cmp.Or(cmp.Compare(other.by, u.by), cmp.Compare(other.path, u.path)); c < 0 {
		u.by, u.path = other.by, other.path
	}
}

// Judge returns all hashed objects, sorted by kind, namespace and name, and sets why each is kept.
func (s *Set) Judge(o Options) []*Object {
	var all []*Object
	versions := map[graph.ID][]*Object{} // unused ones
	for _, object := range s.objects {
		if o.Namespace != "" && object.Namespace != o.Namespace {
			continue
		}
		all = append(all, object)
		object.Kept = ""
		used := cmp.Or(s.words[word{object.Namespace, object.label}], s.words[word{"", object.label}])
		switch {
		case used != nil:
			object.Kept = used.String()
		case object.held != "":
			object.Kept = object.held
		case object.marked && !o.Superseded:
			object.Kept = "is an earlier version that manifests carry along (" + v1alpha1.AnnotationSuperseded + ")"
		default:
			id := graph.ID{Kind: object.Kind, Namespace: object.Namespace, Name: object.base}
			versions[id] = append(versions[id], object)
		}
	}
	for _, unused := range versions {
		o.spare(unused)
	}
	slices.SortFunc(all, func(a, b *Object) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// spare keeps the newest of the unused versions of one base name, and versions that are too young.
func (o *Options) spare(unused []*Object) {
	slices.SortFunc(unused, func(a, b *Object) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.Name, b.Name))
	})
	for i, object := range unused {
		switch age := o.Now.Sub(object.Created); {
		case i < o.Keep:
			object.Kept = fmt.Sprintf("is unused, and among the newest %d unused versions of %s", o.Keep, object.base)
		case o.OlderThan > 0 && object.Created.IsZero():
			object.Kept = "is unused, and has no creationTimestamp that shows its age"
		case age < o.OlderThan:
			object.Kept = fmt.Sprintf("is unused, and younger than %s", o.OlderThan)
		}
	}
}
