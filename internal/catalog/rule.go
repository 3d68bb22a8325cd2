package catalog

// A Rule is a field that may name a ConfigMap or a Secret.
type Rule struct {
	// Path leads to the field. For a rule in Embedded, it starts at the root of the
	// embedded document.
	Path Path `yaml:"path"`
	// Targets are the kinds it may name; none if the field names an object
	// of the kind Of.
	Targets Target `yaml:"target"`
	// Of is a kind whose objects represent Secrets.
	Of   *GroupKind `yaml:"of"`
	Role Role       `yaml:"role"`
	// Consumed: the containers of the pods get the content, so that a change
	// of it needs new pods.
	Consumed bool `yaml:"consumed"`
	// Via is how they get it.
	Via Via `yaml:"via"`
	// Items leads to the list of a volume's items, which gives the keys.
	Items *Relative `yaml:"items"`
	// Mount is how containers mount the volume that the field is part of,
	// if they have to.
	Mount *Mount `yaml:"-"`
	// Formats are tried in order.
	Formats []*Format `yaml:"-"`
	// Separator divides the value if it is a list.
	Separator string `yaml:"list"`
	// Embedded are rules for a value that is itself a YAML or JSON document.
	Embedded []Rule `yaml:"-"`
	// Namespace leads to the field with the object's namespace, if any.
	Namespace *Relative `yaml:"namespace"`
	// NamespaceDefault is the namespace if no field or value gives it;
	// empty for the referrer's.
	NamespaceDefault string `yaml:"namespaceDefault"`
	// Elsewhere: no field gives the namespace, and it is not the referrer's.
	Elsewhere bool `yaml:"elsewhere"`
	// Kind says which of Targets is named, if a field does.
	Kind *KindField `yaml:"kind"`
	// KindFrom says which of Targets is named, if another object does.
	KindFrom *KindFrom `yaml:"kindFrom"`
	// Key leads to the field with the one key that is consumed.
	Key *Relative `yaml:"key"`
	// Optional leads to the field that says whether the object may be absent.
	Optional *Relative `yaml:"optional"`
	// Default leads to where the name comes from if the field is absent or
	// empty: the first of these that is present.
	Default []Relative `yaml:"default"`
	// DefaultName is what the name is if the field is absent or empty, with
	// {} for what Default leads to: nobody can change it, so it pins the object.
	DefaultName string `yaml:"defaultName"`
	// When are conditions that must all hold.
	When []Condition `yaml:"when"`
	// Names: the field is a list of names, one of which may become two.
	Names bool `yaml:"names"`
	// Derived are suffixes: whatever reads the object also reads those named by its
	// name and one of these.
	Derived []string `yaml:"derived"`
	// Tentative: the value is a reference only if the input holds an object of that
	// name.
	Tentative bool `yaml:"tentative"`
	// Kustomize: kustomize's own nameReference follows this field, if its
	// whole value is the name.
	Kustomize bool `yaml:"kustomize"`
	// Follows: the field follows a rename and does not cause one.
	Follows bool `yaml:"follows"`
	Pins    Pins `yaml:"pins"`
	// Immutable: the API server does not let this field change.
	Immutable bool `yaml:"-"`
	// Note and Source are for people.
	Note   string `yaml:"note"`
	Source string `yaml:"source"`
}

// Pins says why the object that a rule's field names keeps its name.
type Pins struct {
	// Reason is the rest of a sentence that begins with the referrer, empty for most
	// fields.
	Reason string `yaml:"reason"`
	// When are conditions that must all hold.
	When []Condition `yaml:"when"`
}

// A Mount is where containers mount a volume. The content of a volume that none of
// them mounts is not consumed.
type Mount struct {
	// Up counts the mappings from the one that holds the reference to the
	// pod spec. The one before is the volume.
	Up int
	// By are the pod spec's lists of containers.
	By []string
}

// A KindField says by the object's own fields which kind a reference names.
type KindField struct {
	// Path leads to the field, usually one next to the name. If it holds
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
}

// A KindFrom names another object, one of whose Exports is the kind that a
// reference names.
type KindFrom struct {
	// Group and Kind are the other object's.
	Group string `yaml:"group"`
	Kind  string `yaml:"kind"`
	// Name leads to the field with its name.
	Name Relative `yaml:"name"`
	// Export is the key of the export.
	Export string `yaml:"export"`
}

// A Condition looks at one field, or holds if one of Any does. All that
// it says of the field must be true.
type Condition struct {
	// Any holds if one of these does; the rest is empty then.
	Any []Condition `yaml:"any"`
	// Path leads to the field.
	Path *Relative `yaml:"path"`
	// Present: whether the field is present and not null.
	Present *bool `yaml:"present"`
	// In: the field is a scalar with one of these values.
	In []string `yaml:"in"`
	// Contains: the field is a list that holds one of these values.
	Contains []string `yaml:"contains"`
}
