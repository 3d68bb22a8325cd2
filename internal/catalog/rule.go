package catalog

// A Kind is what the catalogue says of a kind. It is shared: nobody writes
// to it.
type Kind struct {
	// ClusterScoped objects have no namespace.
	ClusterScoped bool
	// Immutable says why an apply over an existing object is refused when
	// certain references change (those with Rule.Immutable). It is empty
	// where all may change.
	Immutable string
	// PodTemplates are those an object holds.
	PodTemplates []PodTemplate
	// Workload is what is special about its pods, nil if nothing is.
	Workload *Workload
	// References are all the fields that may name a ConfigMap or a Secret,
	// those of pod templates included.
	References []Rule
	// Exports are what references of other objects ask of this one.
	Exports []Export
	// Manifests lead to whole objects that a controller creates in the same
	// cluster: a mapping, or a list of them.
	Manifests []Path
	// ForeignManifests lead to whole objects that are created elsewhere, in
	// other clusters or namespaces, where names of this input mean nothing.
	ForeignManifests []Path
	// StandIn is set of kinds whose objects stand for Secrets: a controller
	// makes the Secret of what they hold.
	StandIn *StandIn
}

// A StandIn says what of an object that stands for a Secret decides on the
// Secret's content.
type StandIn struct {
	Content []Part
	// Metadata leads to the metadata that the Secret gets. Without it, the
	// Secret gets the object's own labels and annotations.
	Metadata Path
	// CopiedUnless leads to a field without which the Secret gets the object's
	// own labels and annotations.
	CopiedUnless Path
	// Sealed: the object holds the Secret's content, encrypted, so that it changes only
	// with the object.
	Sealed bool
}

// A Part is a part of an object.
type Part struct {
	Path Path
	// Keys: the part is a mapping whose keys are the Secret's. Other parts
	// count whichever keys are consumed.
	Keys bool
	// WholeIf leads to a field that, where it is there, makes every key's value
	// count whichever keys are consumed.
	WholeIf Path
	// Omit are keys of the part that do not count.
	Omit []string
}

// A Workload is how the API server and the controller of a kind treat its pods. Paths
// are written as messages print them.
type Workload struct {
	// BuiltIn: the kind is one of Kubernetes' own, whose pod template the API server
	// completes by defaults.
	BuiltIn bool `yaml:"builtIn"`
	// Amounts: a quantity that is only written in another way is no change.
	Amounts bool `yaml:"amounts"`
	// Strategy is the type of the rollout if the object names none.
	Strategy string `yaml:"strategy"`
	// Partition leads to the number below which pods keep the earlier template.
	Partition string `yaml:"partition"`
	// Images: the images of running pods may change although the template may not:
	// their containers are started again in place.
	Images bool `yaml:"images"`
	// MayAdd and MayRemove are paths below the template that may be added or removed
	// although the template may not change.
	MayAdd    []string `yaml:"mayAdd"`
	MayRemove []string `yaml:"mayRemove"`
	// WhileSuspended are the paths below the template that may change while
	// spec.suspend is true; "[*]" stands for every element of a list.
	WhileSuspended []string `yaml:"whileSuspended"`
	// Restart, Resume and Replace say how to make the pods read new configuration, how
	// to let a Deferred rollout go on, and how to apply what is Forbidden, with {} for
	// the object as kubectl takes it. Empty ones need words that fit every kind.
	Restart string `yaml:"restart"`
	Resume  string `yaml:"resume"`
	Replace string `yaml:"replace"`
}

// A GroupKind is a kind of an API group.
type GroupKind struct {
	Group string `yaml:"group"`
	Kind  string `yaml:"kind"`
}

// A PodTemplate is a place in an object that pods are made from.
type PodTemplate struct {
	// Spec leads to the pod spec. HasSpec is false where an operator takes
	// annotations for its pods but no pod spec.
	Spec    Path
	HasSpec bool
	// Annotations leads to the annotations that pods get. HasAnnotations is
	// false where there are none.
	Annotations    Path
	HasAnnotations bool
	// Change is what follows when the template changes, unless one of
	// Except holds: then the first of them.
	Change Change
	Except []Exception
	// Runs tells that pods are made for each run and end with it, so that the
	// next ones read the configuration that is there then.
	Runs bool
	// Subtree names the references of the spec, where they are not those of
	// every pod spec.
	Subtree string
	// Note is for people.
	Note string
}

// An Exception is a case in which a changed pod template does something else.
type Exception struct {
	When   []Condition
	Change Change
	// Reason says why, as the end of a sentence.
	Reason string
}

// A Rule is a field that may name a ConfigMap or a Secret.
type Rule struct {
	// Path leads to the field. For a rule in Embedded, it does so from the
	// root of the embedded document.
	Path Path
	// Targets are the kinds it may name; none if the field names an object
	// of the kind Of.
	Targets Target
	// Of is a kind that stands for Secrets.
	Of   *GroupKind
	Role Role
	// Consumed: the containers of the pods get the content, so that a change
	// of it calls for new pods.
	Consumed bool
	// Via is how they get it.
	Via Via
	// Items leads to the list of a volume's items, which tells the keys.
	Items *Relative
	// Mount tells how containers mount the volume that the field is part of,
	// if they have to.
	Mount *Mount
	// Formats are tried in order; the first that fits is taken.
	Formats []*Format
	// Separator divides the value where it is a list.
	Separator string
	// Embedded are rules for a value that is itself a YAML or JSON document.
	Embedded []Rule
	// Namespace leads to the field with the object's namespace, if any.
	Namespace *Relative
	// NamespaceDefault is the namespace where no field or value tells it;
	// empty for the referrer's.
	NamespaceDefault string
	// Elsewhere: no field tells the namespace, and it is not the referrer's.
	Elsewhere bool
	// Kind tells which of Targets is named, if a field does.
	Kind *KindField
	// KindFrom tells which of Targets is named, if another object does.
	KindFrom *KindFrom
	// Key leads to the field with the one key that is consumed.
	Key *Relative
	// Optional leads to the field that says whether the object may be absent.
	Optional *Relative
	// Default leads to where the name comes from if the field is absent or
	// empty: the first of these that is there.
	Default []Relative
	// DefaultName is what the name is if the field is absent or empty, with
	// {} for what Default leads to: nobody can change it, so it pins the object.
	DefaultName string
	// When are conditions that must all hold.
	When []Condition
	// Names: the field is a list of names, of which one may become two.
	Names bool
	// Derived are suffixes: whoever reads the object reads those too whose
	// names are its own and one of these.
	Derived []string
	// Tentative: the value is taken for a reference only if it names an
	// object that is there.
	Tentative bool
	// Kustomize: kustomize's own nameReference follows this field, where its
	// whole value is the name.
	Kustomize bool
	// Follows: the field follows a rename and is no reason for one.
	Follows bool
	// Pins says why the object named keeps its name, as the rest of a sentence
	// that begins with the referrer, if the conditions PinsWhen hold. It is
	// empty for most fields.
	Pins     string
	PinsWhen []Condition
	// Immutable: the API server does not let this field change.
	Immutable bool
	// Note and Source are for people.
	Note, Source string
}

// A Mount is where containers mount a volume: content of a volume that none of
// them mounts is not consumed.
type Mount struct {
	// Up counts the mappings from the one that holds the reference to the
	// pod spec. The one before is the volume.
	Up int
	// By are the pod spec's lists of containers.
	By []string
}

// A KindField tells by the object's own fields which kind a reference names.
type KindField struct {
	// Path leads to the field, usually one beside the name. Where it holds
	// a list, each element counts.
	Path Relative `yaml:"path"`
	// Values says what the field's values stand for; without it ConfigMap
	// and Secret stand for themselves.
	Values map[string]Target `yaml:"values"`
	// IgnoreCase: the case of the field's value does not matter.
	IgnoreCase bool `yaml:"ignoreCase"`
	// Default is what an absent or empty field stands for; 0 for no
	// reference.
	Default Target `yaml:"default"`
	// Group leads to fields with the kind's group or apiVersion: every one
	// present must be "" or "v1".
	Group []Relative `yaml:"group"`
	// GroupDefault is the group meant where none of Group is present.
	GroupDefault string `yaml:"groupDefault"`
}

// A KindFrom names another object, which tells by one of its Exports what
// kind a reference names.
type KindFrom struct {
	// Group and Kind are the other object's.
	Group string `yaml:"group"`
	Kind  string `yaml:"kind"`
	// Name leads to the field with its name.
	Name Relative `yaml:"name"`
	// Export is the key of the export.
	Export string `yaml:"export"`
}

// An Export is a value that an object offers to the references of others.
type Export struct {
	Key  string
	Path Path
	When []Condition
}

// A Condition looks at one field, or holds where one of Any does. All that
// it says of the field must be true.
type Condition struct {
	// Any holds where one of these does; the rest is empty then.
	Any []Condition `yaml:"any"`
	// Path leads to the field.
	Path *Relative `yaml:"path"`
	// Present: whether the field is there and not null.
	Present *bool `yaml:"present"`
	// In: the field is a scalar with one of these values.
	In []string `yaml:"in"`
	// NotIn: it is absent or has none of these values.
	NotIn []string `yaml:"notIn"`
	// Contains: the field is a list that holds one of these values.
	Contains []string `yaml:"contains"`
}
