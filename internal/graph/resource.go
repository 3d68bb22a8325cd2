// Package graph resolves the references between the resources of an input.
//
// A Resource holds the facts of an item after its tree is freed: its identity, the names it had earlier in a kustomize
// build, and its references with their places. New resolves each reference once and stores the result as an Edge.
package graph

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/confighash/confighash/internal/yamldoc"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A Resource holds the facts of an item.
type Resource struct {
	// Index is the index in Graph.All.
	Index int
	// Chunk and Root locate the item.
	Chunk *manifest.Chunk
	Root  yamldoc.Path
	// Line is the line of the input on which the item begins.
	Line int
	// File is the file of the item, if it was read from one.
	File string
	// Context: the resource belongs to another build.
	Context bool
	// PassedOver: the resource is not for the cluster, such as a Kptfile. Only its identity, labels and annotations are
	// known.
	PassedOver bool

	APIVersion, Group, Version, Kind string
	// Namespace is the namespace as written, empty if there is none.
	Namespace string
	// Name is metadata.name, and NameAt its place.
	Name   string
	NameAt edit.Scalar
	// GenerateName: the API server will make the name.
	GenerateName bool
	// Labels and Annotations are the item's own.
	Labels, Annotations map[string]string

	// ClusterScoped: the kind has no namespace, according to the catalogue or a CustomResourceDefinition in the input.
	ClusterScoped bool
	// ScopeUnknown: neither of the two knows the kind, and the object gives no namespace.
	ScopeUnknown bool
	// Found has the item's references, pod templates and names that programs read.
	reference.Found
	// Edges are the resolutions of the References by New, in the same order.
	Edges []Edge
	// History is the content of kustomize's build annotations.
	History kustomize.History

	Object
}

// An Object has the facts of ConfigMaps, Secrets and stand-ins for Secrets.
type Object struct {
	// Target is ConfigMap or Secret, 0 for other kinds.
	Target catalog.Target

	// Values are the content, sorted by key, and ValuesErr is why it cannot be read. They are set only with
	// Builder.Values. After a [hash.Unsubstituted], Values tell only whether two contents differ.
	Values    []hash.Value
	ValuesErr error
	// Undecoded are keys whose values should be base64 but are not.
	Undecoded []string
	// SOPS: the values are encrypted by SOPS.
	SOPS bool
	// StandsFor: a controller makes a Secret from the object. SecretLabels and SecretAnnotations are the Secret's.
	StandsFor                       bool
	Keyed                           bool // its values have keys, like those of a SealedSecret
	SecretLabels, SecretAnnotations map[string]string

	// Base is the name without the suffix that an earlier run recorded or that kustomize's generators appended. Jobs
	// have it too.
	Base string

	// The following are set only for ConfigMaps and Secrets.

	// Part is the annotation confighash.dev/keys of an object that holds keys of another one, whose name is Base; ""
	// for any other object.
	Part string

	// Type is a Secret's type.
	Type string
	// Keys are the sorted keys of the object's data. Bare are those that messages must not show, since they may be part
	// of a value.
	Keys []string
	Bare map[string]bool
	// BinaryKeys are the keys of binaryData, which cannot become variables.
	BinaryKeys []string
	// Mentions: the values of this Secret may contain an object's name. They contain the word configmap or secret, or a
	// path where operators mount ConfigMaps.
	Mentions bool
	// Content is the hashed content. It is kept only if it contains references, because rewriting them changes it.
	Content *hash.Content
	// Suffix is the suffix of the current content, and SuffixErr why there is none.
	Suffix    string
	SuffixErr error
	// Kept: an earlier run carried this version of the object along. It has no references, and none to it are resolved.
	Kept bool
	// NameOnly: the object is known only from a list of names, without its content.
	NameOnly bool
	// Immutable: the object says immutable: true.
	Immutable bool
	// Encrypted: SOPS encrypted the object in a way that makes its name part of the MAC, so it must not change.
	Encrypted bool
}

// String returns kind, namespace and name, as in messages.
func (r *Resource) String() string { return r.Called("") }

// Called is String with another name, unless that is empty.
func (r *Resource) Called(name string) string {
	name = Clip(cmp.Or(name, r.Name))
	if name == "" {
		return Clip(r.Kind) + " without a name (" + r.Place() + ")"
	}
	if r.Namespace != "" {
		name = Clip(r.Namespace) + "/" + name
	}
	return Clip(r.Kind) + " " + name
}

// Names returns the resource's name, and the names it had earlier in the build.
func (r *Resource) Names() []string {
	names := []string{r.Name}
	for _, id := range r.History.Previous {
		names = append(names, id.Name)
	}
	return names
}

// Identities returns the identities by which references of other layers may find the resource if it is renamed to name:
// its former and current ones without an inner layer's suffix, its current one, and the new one. kustomize treats the
// last one as an earlier name too when another variant of the same base gets a prefix: unless both variants have it in
// their histories, kustomize rewrites references to it as references to the one that has (found with 5.8.2).
func (r *Resource) Identities(name string) []kustomize.Identity {
	var ids []kustomize.Identity
	for _, id := range r.History.Previous {
		id.Name = base(id.Name, r.Recorded())
		ids = append(ids, id)
	}
	for _, name := range []string{r.Name, r.Base, name} {
		ids = append(ids, kustomize.Identity{Kind: r.Kind, Namespace: cmp.Or(r.Namespace, "default"), Name: name})
	}
	return ids
}

// Place returns the resource's place in the input, for people.
func (r *Resource) Place() string { return r.Chunk.At(r.Line) }

// Places returns the places of two resources.
func Places(a, b *Resource) string {
	if first, second := a.Place(), b.Place(); !strings.HasPrefix(first, "line ") {
		return first + " and " + second
	}
	return fmt.Sprintf("lines %d and %d", a.Line, b.Line)
}

// Recorded returns the suffix that an earlier run appended, or "".
func (r *Resource) Recorded() string { return r.Annotations[v1alpha1.AnnotationHash] }

// Lineage returns what all versions of the object have in common: the name without a hash and, for a part, its keys.
func (r *Resource) Lineage() string {
	if r.Part == "" {
		return r.Base
	}
	return r.Base + " (keys " + r.Part + ")"
}

// Kin is the Lineage of a part, regardless of whether it counts which keys are in binaryData. That may change between
// versions; two parts that differ only in it are kin.
func (r *Resource) Kin() string { return strings.Replace(r.Lineage(), hash.FieldsCount+")", ")", 1) }

// Ignored reports whether an annotation asks to leave the resource alone.
func (r *Resource) Ignored() bool { return r.Annotations[v1alpha1.AnnotationIgnore] == "true" }

// IsJob reports whether the resource is a Job of the group batch.
func (r *Resource) IsJob() bool { return r.Kind == "Job" && r.Group == "batch" }

// Compare orders resources for people: by kind, namespace, name, and place.
func Compare(a, b *Resource) int { return compare(a, b, a.Name, b.Name) }

func compare(a, b *Resource, nameOfA, nameOfB string) int {
	return cmp.Or(
		cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Namespace, b.Namespace),
		cmp.Compare(nameOfA, nameOfB),
		cmp.Compare(a.Line, b.Line),
	)
}

// InContent reports whether path leads into the part of a ConfigMap or Secret that is hashed.
func InContent(path yamldoc.Path) bool {
	s := string(path)
	return strings.HasPrefix(s, "data.") || strings.HasPrefix(s, "data[") ||
		strings.HasPrefix(s, "stringData.") || strings.HasPrefix(s, "stringData[")
}
