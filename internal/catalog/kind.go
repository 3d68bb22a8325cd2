package catalog

// A Kind is what the catalogue says of a kind. It is shared and must not be changed.
type Kind struct {
	// ClusterScoped objects have no namespace.
	ClusterScoped bool `yaml:"clusterScoped"`
	// Immutable says why an apply over an existing object is refused when
	// certain references change (those with Rule.Immutable). It is empty
	// if all may change.
	Immutable string `yaml:"-"`
	// PodTemplates are those an object holds.
	PodTemplates []TemplateRule `yaml:"-"`
	// Workload is what is special about its pods, nil if nothing is.
	Workload *WorkloadRule `yaml:"workload"`
	// References are all the fields that may name a ConfigMap or a Secret,
	// those of pod templates included.
	References []Rule `yaml:"-"`
	// Exports are what references of other objects ask of this one.
	Exports []Export `yaml:"exports"`
	// Manifests lead to whole objects that a controller creates in the same
	// cluster: a mapping, or a list of them.
	Manifests []Path `yaml:"manifests"`
	// ForeignManifests lead to whole objects that are created elsewhere, in
	// other clusters or namespaces, where names of this input mean nothing.
	ForeignManifests []Path `yaml:"foreignManifests"`
	// StandIn is set for kinds whose objects represent Secrets: a controller
	// makes the Secret of what they hold.
	StandIn *StandIn `yaml:"standIn"`
}

// A StandIn says which parts of an object that represents a Secret decide on the
// Secret's content.
type StandIn struct {
	Content []Part `yaml:"content"`
	// Metadata leads to the metadata that the Secret gets. Without it, the
	// Secret gets the object's own labels and annotations.
	Metadata Path `yaml:"metadata"`
	// CopiedUnless leads to a field without which the Secret gets the object's
	// own labels and annotations.
	CopiedUnless Path `yaml:"copiedUnless"`
	// Sealed: the object holds the Secret's content, encrypted, so that it changes only
	// with the object.
	Sealed bool `yaml:"sealed"`
}

// A Part is a part of an object.
type Part struct {
	Path Path `yaml:"path"`
	// Keys: the part is a mapping whose keys are the Secret's. Other parts
	// count whichever keys are consumed.
	Keys bool `yaml:"keys"`
	// WholeIf leads to a field that, if it is present, makes every key's value
	// count whichever keys are consumed.
	WholeIf Path `yaml:"wholeIf"`
	// Omit are keys of the part that do not count.
	Omit []string `yaml:"omit"`
}

// A WorkloadRule is how the API server and the controller of a kind treat its pods. Paths
// are written as messages print them.
type WorkloadRule struct {
	// BuiltIn: the kind is one of Kubernetes' own, whose pod template the API server
	// completes by defaults.
	BuiltIn bool `yaml:"builtIn"`
	// Amounts: a quantity that is only written in another way has not changed.
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

// A TemplateRule is a place in an object of a kind that pods are made from.
type TemplateRule struct {
	// Spec leads to the pod spec, and is nil if an operator takes annotations for its
	// pods but no pod spec.
	Spec Path `yaml:"spec"`
	// Annotations leads to the annotations that pods get, and is nil if there are none.
	Annotations Path `yaml:"annotations"`
	// Change is what follows when the template changes, unless one of
	// Except holds: then the first of them.
	Change Change      `yaml:"change"`
	Except []Exception `yaml:"except"`
	// Runs: pods are made for each run and end with it, so that the
	// next ones read the configuration that is present then.
	Runs bool `yaml:"runs"`
	// Subtree names the references of the spec, if they are not those of
	// every pod spec.
	Subtree string `yaml:"subtree"`
	// Note is for people.
	Note string `yaml:"note"`
}

// An Exception is a case in which a changed pod template does something else.
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
