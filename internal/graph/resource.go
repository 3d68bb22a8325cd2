// Package graph resolves the references between the resources of an input.
//
// A Resource is what remains of an item when its tree is gone: its identity, the
// names that it had earlier in a kustomize build, what it refers to and where. New
// resolves each reference once and stores the result as an Edge.
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

// A Resource is the facts of an item.
type Resource struct {
	// Index is the place in Graph.All.
	Index int
	// Chunk and Root say where the item is.
	Chunk *manifest.Chunk
	Root  yamldoc.Path
	// Line is the line of the input on which the item begins.
	Line int
	// File is the file of the item, if it was read from one.
	File string
	// Context: another build writes it.
	Context bool
	// PassedOver: it is not for the cluster, such as a Kptfile. Nothing else is known of it than
	// its identity, its labels and its annotations.
	PassedOver bool

	APIVersion, Group, Version, Kind string
	// Namespace is the namespace as written, empty if there is none.
	Namespace string
	// Name is metadata.name, and NameAt where it is.
	Name   string
	NameAt edit.Scalar
	// GenerateName: the API server will make the name.
	GenerateName bool
	// Labels and Annotations are those of the item itself.
	Labels, Annotations map[string]string

	// ClusterScoped: the kind belongs to no namespace, by the catalogue or by a
	// CustomResourceDefinition in the input.
	ClusterScoped bool
	// ScopeUnknown: neither of the two knows the kind, and the object has no namespace:
	// it may belong to one or to none.
	ScopeUnknown bool
	// References are the item's references, in document order, and Edges what New
	// resolved them to, in the same order.
	References []reference.Reference
	Edges      []Edge
	// Mistaken are scalars that kustomize takes for references and that are not.
	Mistaken []edit.Scalar
	// Reads are names that its programs probably read objects by: those of pods,
	// and those that a ConfigMap holds for variables.
	Reads []reference.Read
	// Exports are values of the item that other items' references need.
	Exports map[string]string
	// PodTemplates are the places in the item that pods are made from.
	PodTemplates []reference.PodTemplate
	// History is what kustomize's build annotations say.
	History kustomize.History

	Object
}

// An Object is what only ConfigMaps, Secrets and what represents Secrets have.
type Object struct {
	// Target is the bit of a ConfigMap or a Secret, 0 for other kinds.
	Target catalog.Target

	// Values are what it holds, sorted by key, and ValuesErr why that cannot be
	// said. They are read only if Builder.Values is set.
	Values    []hash.Value
	ValuesErr error
	// Undecoded are keys whose values ought to be base64 and are not.
	Undecoded []string
	// SOPS: the values are encrypted by SOPS.
	SOPS bool
	// StandsFor: a controller makes a Secret of the object. SecretLabels and
	// SecretAnnotations are those that the Secret gets.
	StandsFor                       bool
	Keyed                           bool // its values have keys, as those of a SealedSecret
	SecretLabels, SecretAnnotations map[string]string

	// Base is the name less the suffix that an earlier run recorded, or that
	// kustomize's generators gave it. Jobs have it, too.
	Base string

	// The following are of ConfigMaps and Secrets alone.

	// Part is the value of the annotation confighash.dev/keys of an object that holds keys of
	// another one, whose name Base is; "" for any other object.
	Part string

	// Type is a Secret's type.
	Type string
	// Keys are the keys of the object's data, sorted, and Bare those that no
	// message may show, since they may be part of a value.
	Keys []string
	Bare map[string]bool
	// BinaryKeys are those of binaryData, which no variable can have.
	BinaryKeys []string
	// Mentions: the name of an object may be in the values of this Secret. They
	// hold the word configmap or secret, or a path where operators mount ConfigMaps.
	Mentions bool
	// Content is what counts for the hash. It is kept only if the content itself holds
	// references, whose rewriting changes it.
	Content *hash.Content
	// Suffix is the suffix of the present content, and SuffixErr why there is none.
	Suffix    string
	SuffixErr error
	// Kept: an earlier run carried this version of the object along. It refers to nothing
	// and nothing refers to it.
	Kept bool
	// NameOnly: the object is known by a list of names, and what it holds is not known.
	NameOnly bool
	// Immutable: the object says immutable: true.
	Immutable bool
	// Encrypted: SOPS encrypted the object in such a way that its name must not change.
	Encrypted bool
}

// String returns kind, namespace and name, as messages name a resource.
func (r *Resource) String() string { return r.Called("") }

// Called is String with another name, if that is not empty.
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

// Names returns the name of the resource and those that it had earlier in the
// build.
func (r *Resource) Names() []string {
	names := []string{r.Name}
	for _, id := range r.History.Previous {
		names = append(names, id.Name)
	}
	return names
}

// Identities returns those under which references of other layers may look for the
// resource if it gets a name: the name that it has, the name that it would have without an
// inner layer's suffix, and the name that it gets. kustomize takes the last one for an
// earlier name too when another variant of the same base gets a prefix: unless both
// variants have it in their histories, kustomize rewrites references to it as
// references to the one that has (found with 5.8.2).
func (r *Resource) Identities(name string) []kustomize.Identity {
	id := kustomize.Identity{Kind: r.Kind, Namespace: cmp.Or(r.Namespace, "default"), Name: r.Name}
	ids := []kustomize.Identity{id, id, id}
	ids[1].Name, ids[2].Name = r.Base, name
	return ids
}

// Place says where the resource is, for a person to find.
func (r *Resource) Place() string { return r.Chunk.At(r.Line) }

// Places says where two resources are.
func Places(a, b *Resource) string {
	if first, second := a.Place(), b.Place(); !strings.HasPrefix(first, "line ") {
		return first + " and " + second
	}
	return fmt.Sprintf("lines %d and %d", a.Line, b.Line)
}

// Recorded returns the suffix that an earlier run appended, or "".
func (r *Resource) Recorded() string { return r.Annotations[v1alpha1.AnnotationHash] }

// Lineage returns what all versions of the object have in common: the name without a hash and,
// of a part, its keys.
func (r *Resource) Lineage() string {
	if r.Part == "" {
		return r.Base
	}
	return r.Base + " (keys " + r.Part + ")"
}

// Kin is the Lineage of a part, whether or not it counts which keys are in binaryData. That may
// change from version to version, and two parts that differ in nothing else are kin.
func (r *Resource) Kin() string { return strings.Replace(r.Lineage(), hash.FieldsCount+")", ")", 1) }

// Ignored reports whether the resource asks to be left alone.
func (r *Resource) Ignored() bool { return r.Annotations[v1alpha1.AnnotationIgnore] == "true" }

// IsJob reports whether the resource is a Job of Kubernetes' own.
func (r *Resource) IsJob() bool { return r.Kind == "Job" && r.Group == "batch" }

// Compare orders resources for people: by kind, namespace and name, then by
// place.
func Compare(a, b *Resource) int { return compare(a, b, a.Name, b.Name) }

func compare(a, b *Resource, nameOfA, nameOfB string) int {
	return cmp.Or(
		cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Namespace, b.Namespace),
		cmp.Compare(nameOfA, nameOfB),
		cmp.Compare(a.Line, b.Line),
	)
}

// InContent reports whether path leads into what a ConfigMap's or Secret's
// hash counts.
func InContent(path yamldoc.Path) bool {
	s := string(path)
	return strings.HasPrefix(s, "data.") || strings.HasPrefix(s, "data[") ||
		strings.HasPrefix(s, "stringData.") || strings.HasPrefix(s, "stringData[")
}
