package v1alpha1

import (
	"fmt"
	"reflect"
)

// APIVersion and Kind identify the functionConfig.
const (
	APIVersion = "confighash.dev/v1alpha1"
	Kind       = "ConfigHash"
)

// The annotations that belong to this function. A functionConfig may neither set them on renamed objects nor use one
// for the checksum.
const (
	AnnotationHash         = "confighash.dev/hash"
	AnnotationIgnore       = "confighash.dev/ignore"
	AnnotationRoll         = "confighash.dev/roll"
	AnnotationExtraSources = "confighash.dev/extra-sources"
	// AnnotationExtraSum is on pod templates. It has a checksum of objects named by AnnotationExtraSources, which keep
	// their names in mode Rename.
	AnnotationExtraSum   = "confighash.dev/extra-sources-checksum"
	AnnotationLintIgnore = "confighash.dev/lint-ignore"
	// AnnotationKeys is on objects that hold some of the keys of another. It lists the keys that count for the name,
	// separated by commas and escaped as in a URL's path; * stands for all.
	AnnotationKeys = "confighash.dev/keys"
	// AnnotationSuperseded is on earlier versions of renamed objects that a run carried along; 1 is the version before
	// the current one.
	AnnotationSuperseded = "confighash.dev/superseded"
)

// The types of enumerated fields.
type (
	// Mode selects what the function does.
	Mode string
	// Policy selects the objects and workloads that take part.
	Policy string
	// Unreferenced says what happens to an object to which nothing in the input refers.
	Unreferenced string
	// ReadByName says what happens to an object that a program probably reads by name through the API.
	ReadByName string
	// Generated says what happens to an object that kustomize generated and would hash itself.
	Generated string
	// Scope says how many checksum annotations a workload gets.
	Scope string
	// Granularity says how much of an object counts in a checksum, or in a name.
	Granularity string
	// Unresolved is the severity of a reference to an object outside the input.
	Unresolved string
	// Report says what the results contain.
	Report string
	// Jobs says what happens to the names of Jobs.
	Jobs string
	// TargetKind is a kind to which a reference rule can lead.
	TargetKind string
)

// The values of these types.
const (
	ModeRename   Mode = "Rename"
	ModeAnnotate Mode = "Annotate"

	PolicyAll      Policy = "All"
	PolicyOptIn    Policy = "OptIn"
	PolicyReloader Policy = "Reloader"
	PolicyWave     Policy = "Wave"

	UnreferencedKeep   Unreferenced = "Keep"
	UnreferencedRename Unreferenced = "Rename"

	ReadByNameKeep   ReadByName = "Keep"
	ReadByNameRename ReadByName = "Rename"

	GeneratedAuto  Generated = "Auto"
	GeneratedAdopt Generated = "Adopt"
	GeneratedLeave Generated = "Leave"

	ScopeWorkload Scope = "Workload"
	ScopeSource   Scope = "Source"

	GranularityKey    Granularity = "Key"
	GranularityObject Granularity = "Object"

	UnresolvedIgnore Unresolved = "Ignore"
	UnresolvedWarn   Unresolved = "Warn"
	UnresolvedError  Unresolved = "Error"

	ReportProblems Report = "Problems"
	ReportFull     Report = "Full"

	JobsLeave  Jobs = "Leave"
	JobsRename Jobs = "Rename"

	TargetConfigMap TargetKind = "ConfigMap"
	TargetSecret    TargetKind = "Secret"
)

// ConfigHash is the functionConfig. Complete sets the default of each empty field that has one.
type ConfigHash struct {
	APIVersion string   `json:"apiVersion" enum:"confighash.dev/v1alpha1" doc:"The version of this format."`
	Kind       string   `json:"kind" enum:"ConfigHash" doc:"ConfigHash."`
	Metadata   Metadata `json:"metadata,omitzero" doc:"Name and annotations of the functionConfig; may hold anything."`
	Spec       Spec     `json:"spec" doc:"What the function does."`
}

// Metadata holds the parts of the functionConfig's metadata that the function reads. The metadata may contain anything
// else: kustomize and kpt add their own annotations.
type Metadata struct {
	Name        string            `json:"name,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// maxReferences also bounds all fieldSpecs together.
const maxReferences = 500

// Spec holds the fields of a ConfigHash. An empty Namespace is unset and depends on the input, unlike "default", which
// is an ordinary namespace.
type Spec struct {
	Mode         Mode          `json:"mode" enum:"Rename,Annotate" doc:"Rename: append a content hash to the names of ConfigMaps and Secrets and rewrite every reference to them. Annotate: leave the names alone and stamp a checksum annotation on every pod template that consumes them."`
	Policy       Policy        `json:"policy,omitempty" enum:"All,OptIn,Reloader,Wave" default:"All" doc:"Who takes part. All: everything that is not excluded. OptIn: what the annotation confighash.dev/roll asks for. Reloader, Wave: what the controller of that name would roll."`
	Include      []Selector    `json:"include,omitempty" max:"1000" doc:"Only ConfigMaps and Secrets that one of these selectors matches take part; without any, all do."`
	Exclude      []Selector    `json:"exclude,omitempty" max:"1000" doc:"ConfigMaps and Secrets that one of these selectors matches take no part."`
	Salt         string        `json:"salt,omitempty" doc:"Keys both hashes (HMAC), against guessing short secrets. The environment variable CONFIGHASH_SALT does the same."`
	Jobs         Jobs          `json:"jobs,omitempty" enum:"Leave,Rename" default:"Leave" doc:"Leave: Jobs keep their names. Rename: in both modes, append to the name of a Job a hash of all that it runs, so that it runs again when that changes, and only then."`
	Rename       Rename        `json:"rename,omitzero" doc:"Settings of the mode Rename."`
	Annotate     Annotate      `json:"annotate,omitzero" doc:"Settings of the mode Annotate."`
	PodMetadata  PodMetadata   `json:"podMetadata,omitzero" doc:"Labels and annotations to drop from pod templates, so that what a chart changes with each version replaces no pods. A key that something needs stays."`
	References   []Reference   `json:"references,omitempty" max:"500" doc:"Further fields that hold the name of a ConfigMap or a Secret, in the syntax of kustomize's nameReference."`
	PodTemplates []PodTemplate `json:"podTemplates,omitempty" max:"100" doc:"Further kinds with a pod template that rolls when it changes."`
	Namespace    string        `json:"namespace,omitempty" format:"namespace" unset:"default" doc:"The namespace where objects that name none will be applied."`
	Discover     *bool         `json:"discover,omitempty" default:"true" doc:"Look for pod specs and the standard reference shapes in kinds that no rule covers."`
	Unresolved   Unresolved    `json:"unresolved,omitempty" enum:"Ignore,Warn,Error" default:"Ignore" doc:"The severity of a reference to an object that is not in the input."`
	Reloader     Reloader      `json:"reloader,omitzero" doc:"Settings of the policy Reloader: what the controller's flags said."`
	Report       Report        `json:"report,omitempty" enum:"Problems,Full" default:"Problems" doc:"What the results hold. Problems: warnings and errors. Full: what was done, too."`
}

// A Selector selects the objects that match all of its parts; an empty part matches any. It has the fields of
// kustomize's types.Selector (sigs.k8s.io/kustomize/api v0.21.2), whose package would link Kubernetes' OpenAPI schema.
type Selector struct {
	Group              string `json:"group,omitempty" yaml:"group,omitempty" format:"regex" doc:"Anchored regular expression."`
	Version            string `json:"version,omitempty" yaml:"version,omitempty" format:"regex" doc:"Anchored regular expression."`
	Kind               string `json:"kind,omitempty" yaml:"kind,omitempty" format:"regex" doc:"Anchored regular expression."`
	Name               string `json:"name,omitempty" yaml:"name,omitempty" format:"regex" doc:"Anchored regular expression."`
	Namespace          string `json:"namespace,omitempty" yaml:"namespace,omitempty" format:"regex" doc:"Anchored regular expression."`
	AnnotationSelector string `json:"annotationSelector,omitempty" yaml:"annotationSelector,omitempty" format:"labelSelector" doc:"Selects by annotations, in Kubernetes' selector syntax."`
	LabelSelector      string `json:"labelSelector,omitempty" yaml:"labelSelector,omitempty" format:"labelSelector" doc:"Selects by labels, in Kubernetes' selector syntax."`
}

// Rename holds the settings of mode Rename.
type Rename struct {
	Unreferenced Unreferenced      `json:"unreferenced,omitempty" enum:"Keep,Rename" default:"Keep" doc:"Keep or rename what nothing in the input references."`
	ReadByName   ReadByName        `json:"readByName,omitempty" enum:"Keep,Rename" default:"Keep" doc:"Keep or rename what a program probably reads by name through the API: what an RBAC rule, a flag or a variable names, what holds no data, and names that are known."`
	Generated    Generated         `json:"generated,omitempty" enum:"Auto,Adopt,Leave" default:"Auto" doc:"What kustomize's own generators made and would hash itself. Auto: rename now what has a reference that kustomize does not know. Adopt: rename all of it now. Leave: leave it to kustomize."`
	Granularity  Granularity       `json:"granularity,omitempty" enum:"Object,Key" default:"Object" doc:"Object: a renamed object stays whole, and its name changes with all of it. Key: pods get an object of their own with the keys that they take, and its name changes with these."`
	Keep         int               `json:"keep,omitempty" doc:"How many earlier versions of each renamed object are carried along, for old pods and rollbacks. Needs --previous."`
	Immutable    bool              `json:"immutable,omitempty" doc:"Set immutable: true on renamed objects."`
	Annotations  map[string]string `json:"annotations,omitempty" keys:"ownAnnotation" doc:"Annotations to set on renamed objects."`
}

// Annotate holds the settings of mode Annotate.
type Annotate struct {
	Key         string      `json:"key,omitempty" format:"ownAnnotation" default:"checksum/config" doc:"The key of the checksum annotation."`
	Scope       Scope       `json:"scope,omitempty" enum:"Workload,Source" default:"Workload" doc:"Workload: one annotation. Source: one for each object consumed, named KEY-PREFIX/kind.name."`
	Granularity Granularity `json:"granularity,omitempty" enum:"Key,Object" default:"Key" doc:"Key: only the keys that a workload consumes count. Object: all of the object."`
}

// PodMetadata says what to drop from pod templates.
type PodMetadata struct {
	DropLabels      []string `json:"dropLabels,omitempty" max:"100" format:"keyPattern" doc:"Keys of labels; * matches any characters but a slash. A label that a selector in the input mentions stays."`
	DropAnnotations []string `json:"dropAnnotations,omitempty" max:"100" format:"keyPattern" doc:"Keys of annotations; * matches any characters but a slash. A chart's checksum stays where nothing else would roll the pods."`
}

// A Reference is an entry of kustomize's nameReference: the fields that hold the name of a ConfigMap or a Secret.
// kustomize's own rules for the two kinds have version: v1.
type Reference struct {
	Group      string      `json:"group,omitempty" enum:"" doc:"The group of the kind referred to: empty."`
	Version    string      `json:"version,omitempty" enum:"v1" doc:"The version of the kind referred to."`
	Kind       TargetKind  `json:"kind" enum:"ConfigMap,Secret" doc:"The kind referred to."`
	FieldSpecs []FieldSpec `json:"fieldSpecs" max:"500" doc:"The fields that hold the name."`
}

// A FieldSpec is a field of a kind. It has the fields of kustomize's
// types.FieldSpec (sigs.k8s.io/kustomize/api v0.21.2).
type FieldSpec struct {
	Group              string `json:"group,omitempty" yaml:"group,omitempty" format:"group" doc:"The group of the kind with the field; any if empty."`
	Version            string `json:"version,omitempty" yaml:"version,omitempty" format:"version" doc:"The version of the kind with the field; any if empty."`
	Kind               string `json:"kind,omitempty" yaml:"kind,omitempty" format:"kind" doc:"The kind with the field; any if empty."`
	Path               string `json:"path" yaml:"path,omitempty" format:"path" doc:"The way to the field, its steps separated by slashes; a slash within a name is written \\/."`
	CreateIfNotPresent bool   `json:"create,omitempty" yaml:"create,omitempty" doc:"Part of kustomize's syntax, without a meaning here: no reference is created."`
}

// A PodTemplate says where objects of a kind have a pod template whose changes roll them.
type PodTemplate struct {
	Group   string `json:"group,omitempty" format:"group" doc:"The group of the kind; any if empty."`
	Version string `json:"version,omitempty" format:"version" doc:"The version of the kind; any if empty."`
	Kind    string `json:"kind" format:"kind" doc:"The kind."`
	Path    string `json:"path" format:"path" doc:"The way to the pod template, its steps separated by slashes; a slash within a name is written \\/."`
}

// Reloader holds the settings of policy Reloader, which were the controller's flags.
type Reloader struct {
	AutoReloadAll  bool              `json:"autoReloadAll,omitempty" doc:"Reloader's flag --auto-reload-all."`
	AnnotationKeys map[string]string `json:"annotationKeys,omitempty" keys:"reloaderKey" format:"annotation" doc:"Annotation keys changed by Reloader's flags: from the default key to the one used instead."`
}

// New returns a ConfigHash with that mode and policy and the defaults of all other fields. An empty policy means All.
func New(mode Mode, policy Policy) *ConfigHash {
	given, c := ConfigHash{APIVersion: APIVersion, Kind: Kind, Spec: Spec{Mode: mode, Policy: policy}}, &ConfigHash{}
	new(reader).object(nodeOf(reflect.ValueOf(given)), reflect.ValueOf(c).Elem(), "")
	return c
}

// ParseMode returns s as a mode. Its error lists the modes.
func ParseMode(s string) (Mode, error) {
	return Mode(s), oneOf("mode", s)
}

// ParsePolicy returns s as a policy. Its error lists the policies.
func ParsePolicy(s string) (Policy, error) {
	return Policy(s), oneOf("policy", s)
}

// ParseJobs returns s as a value of Jobs. Its error lists the values.
func ParseJobs(s string) (Jobs, error) {
	return Jobs(s), oneOf("jobs", s)
}

func oneOf(field, s string) error {
	for _, f := range fields(reflect.TypeFor[Spec]()) {
		if wrong := f.check(s); f.name == field && wrong != "" {
			return fmt.Errorf("%s %s", field, wrong)
		}
	}
	return nil
}
