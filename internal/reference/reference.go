// Package reference finds the places where an item names ConfigMaps and Secrets, by the catalogue's entry for its kind.
// [Finder.Find] is the entry point. Package graph resolves the names to objects.
package reference

import (
	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/yamldoc"
)

// A Reference is a place in an item that names a ConfigMap or a Secret.
type Reference struct {
	Role catalog.Role
	// Targets are the kinds it may name: one, unless the item does not say which; none if it names an object of the
	// kind Of.
	Targets catalog.Target
	// Of is a kind whose objects represent Secrets.
	Of *catalog.GroupKind
	// Name is the name as written.
	Name string
	// Namespace is the namespace that is written in the value or in a separate field, or that the catalogue sets. Empty
	// means the referrer's.
	Namespace string
	// At is the scalar that holds the name; its Path starts at the item's root. Start and End delimit the name in its
	// Value, in bytes.
	At         edit.Scalar
	Start, End int
	// NamespaceAt is the scalar that holds the namespace, if there is one; it may be At. NamespaceStart and
	// NamespaceEnd delimit the namespace in its Value.
	NamespaceAt                  *edit.Scalar
	NamespaceStart, NamespaceEnd int
	// ControllerNamespace: the object is in a namespace that the item does not give, such as its controller's.
	ControllerNamespace bool
	// List: the name is an element of a list of names, in which one name may have to become two.
	List bool
	// KindFrom is another object that determines which of Targets is meant, if there is one.
	KindFrom *KindFrom
	// PodTemplate is the index in Found.PodTemplates of the template with the reference, or -1.
	PodTemplate int
	// Consumed: the pods' containers get the content.
	Consumed bool
	// Via is how the containers get it, and catalog.ViaReference if they do not. A reference in
	// confighash.dev/extra-sources is ViaExtraSource without being Consumed.
	Via catalog.Via
	// SubPathKeys are the sorted keys of a volume that are mounted by subPath, if the whole volume is mounted as well.
	// If all mounts are by subPath or in init containers, Via is ViaSubPath instead.
	SubPathKeys []string
	// Keys are the sorted keys that are consumed; nil stands for all.
	Keys []string
	// Required are the sorted keys that the object must have because the reference names them.
	Required []string
	// Optional: the item allows the object to be absent.
	Optional bool
	// Tentative: this is a reference only if the input has an object of that name.
	Tentative bool
	// Kustomize: kustomize's own nameReference updates this field.
	Kustomize bool
	// Follows: the reference is updated after a rename but does not cause one.
	Follows bool
	// Pins is why the object keeps its name, as the rest of a sentence that begins with the referrer; "" if the
	// reference does not pin it.
	Pins string
	// Immutable: an apply over an existing object is refused if this changes.
	Immutable bool
	// Derived are suffixes: whatever reads the object also reads the objects with its name plus a suffix.
	Derived []string
	// Default: the field is absent or empty, and the name comes from another field, At; there is nothing to rewrite.
	Default bool

	// inManifest: the reference is in a whole object within the item.
	inManifest bool
}

// A KindFrom names the object that exports the kind of a reference.
type KindFrom struct {
	Group, Kind string
	// Name is the object's name; it is in the referrer's namespace.
	Name string
	// Export is the key in its Found.Exports. An object without that export refers to neither a ConfigMap nor a Secret.
	Export string
}

// A PodTemplate is a place in an item from which pods are made.
type PodTemplate struct {
	// Index is the index in the catalogue's Kind.PodTemplates, -1 for a template that was discovered by its shape.
	Index int
	// Whole: the template is one mapping, at Root, of metadata and spec.
	Whole bool
	Root  yamldoc.Path
	// Spec leads to the pod spec, "" if there is none.
	Spec yamldoc.Path
	// Containers: the pod spec lists at least one container.
	Containers bool
	// AnnotationsAt leads to the annotations that pods get, even if they are missing. It is "" if the resource has no
	// field for them.
	AnnotationsAt yamldoc.Path
	// Annotations are the existing annotations.
	Annotations map[string]string
	// Change is the effect of a changed template, and Reason why, if the catalogue has a reason for this case.
	Change catalog.Change
	Reason string
	// Runs: each run has its own pods, which end with it.
	Runs bool
}

// Found is the result for an item.
type Found struct {
	// References are in the order of the item's text, followed by those with Default.
	References []Reference
	// Mistaken are elements of lists of names (Reference.List) that kustomize takes for names of ConfigMaps or Secrets
	// although they are not: it ignores the other fields of an RBAC rule.
	Mistaken []edit.Scalar
	// Reads are names that programs get as values of flags and variables.
	Reads []Read
	// Exports are values that references of other items need.
	Exports map[string]string
	// PodTemplates are in the order of the catalogue; those of one entry are in the order of the item.
	PodTemplates []PodTemplate
}
