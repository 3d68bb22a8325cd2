// Package reference finds the places where an item names ConfigMaps and Secrets, by
// what the catalogue says of its kind. [Finder.Find] is the entry point. It resolves
// nothing: package graph finds the objects that the names refer to.
package reference

import (
	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/yamldoc"
)

// A Reference is one place in an item that names a ConfigMap or a Secret.
type Reference struct {
	Role catalog.Role
	// Targets are the kinds it may name: one, unless nothing in the item
	// says which; none if it names an object of the kind Of.
	Targets catalog.Target
	// Of is a kind whose objects represent Secrets.
	Of *catalog.GroupKind
	// Name is the name as it is written.
	Name string
	// Namespace is the namespace that is written in the value or in a
	// field of its own, or that the catalogue fixes. It is empty for the
	// referrer's.
	Namespace string
	// At is the scalar that holds the name; its Path starts at the item's
	// root. Start and End are the bytes of its Value that are the name.
	At         edit.Scalar
	Start, End int
	// NamespaceAt is the scalar that holds the namespace, if one does.
	// NamespaceStart and NamespaceEnd are the bytes of its Value. It may be the
	// scalar At.
	NamespaceAt                  *edit.Scalar
	NamespaceStart, NamespaceEnd int
	// ControllerNamespace: the object is in a namespace that the item does
	// not contain, such as its controller's.
	ControllerNamespace bool
	// List: the name is an element of a list of names, one of which may have to
	// become two.
	List bool
	// KindFrom is another object that says which of Targets is meant, if one does.
	KindFrom *KindFrom
	// PodTemplate is the index in Found.PodTemplates of the template that
	// holds the reference, or -1.
	PodTemplate int
	// Consumed: the containers of the pods get the content.
	Consumed bool
	// Via is how they get it, and catalog.ViaReference if they do not. A reference
	// in confighash.dev/extra-sources is ViaExtraSource without being Consumed.
	Via catalog.Via
	// SubPathKeys are the keys of a volume that are mounted by subPath besides a mount
	// of all of it, sorted. Via is ViaSubPath if all mounts are of that kind, or of init
	// containers.
	SubPathKeys []string
	// Keys are the keys that count, sorted; nil stands for all of them.
	Keys []string
	// Required are the keys that the object must have, sorted: those that the
	// reference names.
	Required []string
	// Optional: the item says that the object may be absent.
	Optional bool
	// Tentative: this is a reference only if the input holds an object of that name.
	Tentative bool
	// Kustomize: kustomize's own nameReference follows this field.
	Kustomize bool
	// Follows: the reference follows a rename and does not cause one.
	Follows bool
	// Pins says why the object keeps its name, as the rest of a sentence that
	// begins with the referrer; "" if the reference does not cause that.
	Pins string
	// Immutable: an apply over an existing object is refused if this changes.
	Immutable bool
	// Derived are suffixes: whatever reads the object also reads those named by its
	// name and one of these.
	Derived []string
	// Default: the field itself is absent or empty and the name comes from
	// At, another field; there is nothing to rewrite.
	Default bool

	// inManifest: the reference is in a whole object within the item.
	inManifest bool
}

// A KindFrom names the object whose export is the kind of a reference.
type KindFrom struct {
	Group, Kind string
	// Name is the object's; it is in the referrer's namespace.
	Name string
	// Export is the key in its Found.Exports. An object without that export
	// refers to neither a ConfigMap nor a Secret.
	Export string
}

// A PodTemplate is a place in an item that pods are made from.
type PodTemplate struct {
	// Index is that of Kind.PodTemplates in the catalogue, and -1 for one that
	// was discovered by its shape.
	Index int
	// Whole: the template is one mapping of metadata and spec, to which Root leads.
	Whole bool
	Root  yamldoc.Path
	// Spec leads to the pod spec, "" if there is none.
	Spec yamldoc.Path
	// Containers: the pod spec lists at least one container.
	Containers bool
	// AnnotationsAt leads to the annotations that pods get, which need not be
	// present. It is "" if the resource has no field for them.
	AnnotationsAt yamldoc.Path
	// Annotations are those that are present.
	Annotations map[string]string
	// Change is what follows when the template changes, and Reason why, if the catalogue
	// names one for this case.
	Change catalog.Change
	Reason string
	// Runs: each run has pods of its own, which end with it.
	Runs bool
}

// Found is what an item holds.
type Found struct {
	// References are in the order of the item's text; those with Default
	// follow them.
	References []Reference
	// Mistaken are the elements of lists of names (Reference.List) that name
	// neither a ConfigMap nor a Secret, but that kustomize takes for one: it does
	// not read what a rule is about.
	Mistaken []edit.Scalar
	// Reads are names that programs get as the values of flags and variables.
	Reads []Read
	// Exports are values that references of other items ask for.
	Exports map[string]string
	// PodTemplates are in the order of the catalogue, and those of one of
	// its entries in the order of the item.
	PodTemplates []PodTemplate
}
