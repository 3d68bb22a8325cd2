package catalog

// A Rule is a field that may name a ConfigMap or a Secret.
type Rule struct {
	// Path leads to the field. For a rule in Embedded, it starts at the root of the embedded document.
	Path Path `yaml:"path"`
	// Targets are the kinds that the field may name, none if it names an object of kind Of.
	Targets Target `yaml:"target"`
	// Of is a kind whose objects represent Secrets.
	Of   *GroupKind `yaml:"of"`
	Role Role       `yaml:"role"`
	// Consumed: the pods' containers get the content, so that a change of it needs new pods.
	Consumed bool `yaml:"consumed"`
	// Via is how the containers get the content.
	Via Via `yaml:"via"`
	// Items leads to a volume's list of items, which selects the keys.
	Items *Relative `yaml:"items"`
	// Mount says how containers mount the field's volume; nil if the content is consumed without a mount.
	Mount *Mount `yaml:"-"`
	// Formats are tried in order.
	Formats []*Format `yaml:"format"`
	// Separator separates the elements if the value is a list.
	Separator string `yaml:"list"`
	// Embedded are rules for a value that is itself a YAML or JSON document.
	Embedded []Rule `yaml:"-"`
	// Namespace leads to the field with the object's namespace, if there is one.
	Namespace *Relative `yaml:"namespace"`
	// NamespaceDefault is the namespace if no field or value gives it; empty means the referrer's.
	NamespaceDefault string `yaml:"namespaceDefault"`
	// Elsewhere: the namespace is not the referrer's, and no field gives it.
	Elsewhere bool `yaml:"elsewhere"`
	// Kind leads to the field that says which of Targets is named, if there is one.
	Kind *KindField `yaml:"kind"`
	// KindFrom leads to another object that says which of Targets is named.
	KindFrom *KindFrom `yaml:"kindFrom"`
	// Key leads to the field with the only key that is consumed.
	Key *Relative `yaml:"key"`
	// Optional leads to the field that says whether the object may be absent.
	Optional *Relative `yaml:"optional"`
	// Default lists sources of the name if the field is absent or empty. The first one present is used.
	Default []Relative `yaml:"default"`
	// DefaultName is the name if the field is absent or empty, with {} for the value from Default. As no field can be
	// edited, it pins the object's name.
	DefaultName string `yaml:"defaultName"`
	// When are conditions that must all hold.
	When []Condition `yaml:"when"`
	// Names: the field is a list of names, in which one name may become two.
	Names bool `yaml:"names"`
	// Derived are suffixes: whatever reads the object also reads the objects with its name plus a suffix.
	Derived []string `yaml:"derived"`
	// Tentative: the value is a reference only if the input has an object of that name.
	Tentative bool `yaml:"tentative"`
	// Kustomize: kustomize's own nameReference updates this field if its whole value is the name.
	Kustomize bool `yaml:"kustomize"`
	// Follows: the field is updated after a rename but does not cause one.
	Follows bool `yaml:"follows"`
	Pins    Pins `yaml:"pins"`
	// Immutable: the API server rejects changes of this field.
	Immutable bool `yaml:"-"`
	// Note and Source are documentation.
	Note   string `yaml:"note"`
	Source string `yaml:"source"`
}

// Pins says why an object keeps its name if the rule's field names it.
type Pins struct {
	// Reason is the rest of a sentence that begins with the referrer. Most fields have none.
	Reason string `yaml:"reason"`
	// When are conditions that must all hold.
	When []Condition `yaml:"when"`
}

// A Mount says how containers mount a volume. The content of a volume that no container mounts is not consumed.
type Mount struct {
	// Up counts the mappings from the one with the reference up to the pod spec. The mapping just below the pod spec is
	// the volume.
	Up int
	// By are the pod spec's lists of containers.
	By []string
}

// A KindField derives from a field of the same object which kind a reference names.
type KindField struct {
	// Path leads to the field, usually beside the name. If it holds a list, each element counts.
	Path Relative `yaml:"path"`
	// Values maps the field's values to kinds; without it, they are ConfigMap and Secret themselves.
	Values map[string]Target `yaml:"values"`
	// IgnoreCase: the case of the field's value does not matter.
	IgnoreCase bool `yaml:"ignoreCase"`
	// Default is the kind for an absent or empty field; 0 if there is no reference then.
	Default Target `yaml:"default"`
	// Group leads to fields with the kind's group or apiVersion. Each one present must be "" or "v1".
	Group []Relative `yaml:"group"`
}

// A KindFrom names another object that exports the kind a reference names.
type KindFrom struct {
	// Group and Kind are the other object's.
	Group string `yaml:"group"`
	Kind  string `yaml:"kind"`
	// Name leads to the field with its name.
	Name Relative `yaml:"name"`
	// Export is the key of the export.
	Export string `yaml:"export"`
}

// A Condition tests one field, or holds if one of Any does. All tests of the field must succeed.
type Condition struct {
	// Any holds if one of these conditions does; the other fields are empty then.
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
