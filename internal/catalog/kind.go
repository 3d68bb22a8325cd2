package catalog

// A Kind is the catalogue's entry for a kind. It is shared and must not be changed.
type Kind struct {
	// ClusterScoped says that objects have no namespace.
	ClusterScoped bool `yaml:"clusterScoped"`
	// Immutable says why an apply is refused if a reference with Rule.Immutable of an existing object changes. It is
	// empty if there is no such reference.
	Immutable string `yaml:"-"`
	// PodTemplates are the pod templates in an object.
	PodTemplates []TemplateRule `yaml:"-"`
	// Workload describes special treatment of its pods, nil if there is none.
	Workload *WorkloadRule `yaml:"workload"`
	// References are all the fields that may name a ConfigMap or a Secret, including those of pod templates.
	References []Rule `yaml:"-"`
	// Exports are values that references of other objects look up in this one.
	Exports []Export `yaml:"exports"`
	// Manifests lead to whole objects that a controller creates in the same cluster: a mapping, or a list of mappings.
	Manifests []Path `yaml:"manifests"`
	// ForeignManifests lead to whole objects that are created in other clusters or namespaces, where the names of this
	// input mean nothing.
	ForeignManifests []Path `yaml:"foreignManifests"`
	// StandIn is set for kinds whose objects represent Secrets: a controller makes the Secret from the object's
	// content.
	StandIn *StandIn `yaml:"standIn"`
}

// A StandIn says which parts of an object that represents a Secret determine the Secret's content.
type StandIn struct {
	Content []Part `yaml:"content"`
	// Metadata leads to the metadata of the Secret. Without it, the Secret gets the object's own labels and
	// annotations.
	Metadata Path `yaml:"metadata"`
	// CopiedUnless leads to a field; if it is absent, the Secret gets the object's own labels and annotations.
	CopiedUnless Path `yaml:"copiedUnless"`
	// Sealed: the object holds the Secret's content, encrypted, so that the content changes only with the object.
	Sealed bool `yaml:"sealed"`
}

// A Part is a part of an object that represents a Secret.
type Part struct {
	Path Path `yaml:"path"`
	// Keys: the part is a mapping whose keys are the Secret's. Other parts count whichever keys are consumed.
	Keys bool `yaml:"keys"`
	// WholeIf leads to a field. If it is present, every key's value counts, whichever keys are consumed.
	WholeIf Path `yaml:"wholeIf"`
	// Omit are keys of the part that do not count.
	Omit []string `yaml:"omit"`
}

// A WorkloadRule describes how the API server and the controller of a kind treat its pods. Paths are written as
// messages print them.
type WorkloadRule struct {
	// BuiltIn: the kind is one of Kubernetes' own; the API server fills defaults into its pod template.
	BuiltIn bool `yaml:"builtIn"`
	// Amounts: a quantity that is merely written differently counts as unchanged.
	Amounts bool `yaml:"amounts"`
	// Strategy is the default type of the rollout.
	Strategy string `yaml:"strategy"`
	// Partition leads to the ordinal below which pods keep the earlier template.
	Partition string `yaml:"partition"`
	// Images: the images of running pods may change although the rest of the template may not; the containers are
	// restarted in place.
	Images bool `yaml:"images"`
	// MayAdd and MayRemove are paths below the template that may be added or removed although the template is otherwise
	// immutable.
	MayAdd    []string `yaml:"mayAdd"`
	MayRemove []string `yaml:"mayRemove"`
	// WhileSuspended are the paths below the template that may change while
	// spec.suspend is true; "[*]" stands for every element of a list.
	WhileSuspended []string `yaml:"whileSuspended"`
	// Restart, Resume and Replace tell the user how to make the pods read new configuration, how to let a Deferred
	// rollout continue, and how to apply what is Forbidden. {} stands for the object as kubectl takes it. If one is
	// empty, messages use words that fit every kind.
	Restart string `yaml:"restart"`
	Resume  string `yaml:"resume"`
	Replace string `yaml:"replace"`
}

// A GroupKind is a kind of an API group.
type GroupKind struct {
	Group string `yaml:"group"`
	Kind  string `yaml:"kind"`
}

// A TemplateRule is a place in an object from which pods are made.
type TemplateRule struct {
	// Spec leads to the pod spec, nil if an operator accepts annotations for its pods but no pod spec.
	Spec Path `yaml:"spec"`
	// Annotations leads to the annotations that pods get, nil if there are none.
	Annotations Path `yaml:"annotations"`
	// Change is the effect of a changed template. If exceptions hold, the first of Except takes its place.
	Change Change      `yaml:"change"`
	Except []Exception `yaml:"except"`
	// Runs: pods are made for each run and end with it, so that the next ones read the configuration of that time.
	Runs bool `yaml:"runs"`
	// Subtree names the references of the spec, if they differ from those of every pod spec.
	Subtree string `yaml:"subtree"`
	// Note is documentation.
	Note string `yaml:"note"`
}

// An Exception is a case in which a changed pod template has another effect.
type Exception struct {
	When   []Condition `yaml:"when"`
	Change Change      `yaml:"change"`
	// Reason says why, as the end of a sentence.
	Reason string `yaml:"reason"`
}

// An Export is a value that an object offers to the references of others.
type Export struct {
	Key  string      `yaml:"key"`
	Path Path        `yaml:"path"`
	When []Condition `yaml:"when"`
}
