package v1alpha1

import (
	"fmt"
	"slices"
	"strings"
)

// APIVersion and Kind are those of the functionConfig.
const (
	APIVersion = "confighash.dev/v1alpha1"
	Kind       = "ConfigHash"
)

// The annotations that belong to this function. A functionConfig may neither
// set them on renamed objects nor choose one as the checksum's.
const (
	AnnotationHash         = "confighash.dev/hash"
	AnnotationIgnore       = "confighash.dev/ignore"
	AnnotationRoll         = "confighash.dev/roll"
	AnnotationExtraSources = "confighash.dev/extra-sources"
)

// A Mode is one of the two things that the function does.
type Mode string

// The modes.
const (
	ModeRename   Mode = "Rename"
	ModeAnnotate Mode = "Annotate"
)

// A Policy tells which objects and workloads take part.
type Policy string

// The policies.
const (
	PolicyAll      Policy = "All"
	PolicyOptIn    Policy = "OptIn"
	PolicyReloader Policy = "Reloader"
	PolicyWave     Policy = "Wave"
)

// Unreferenced tells what becomes of an object that nothing in the input
// references.
type Unreferenced string

// What becomes of unreferenced objects.
const (
	UnreferencedKeep   Unreferenced = "Keep"
	UnreferencedRename Unreferenced = "Rename"
)

// ReadByName says what happens to an object that a program probably reads by its
// name through the API.
type ReadByName string

// What happens to objects that programs read by name.
const (
	ReadByNameKeep   ReadByName = "Keep"
	ReadByNameRename ReadByName = "Rename"
)

// Generated tells what becomes of an object that kustomize generated and would
// hash itself.
type Generated string

// What becomes of generated objects.
const (
	GeneratedAuto  Generated = "Auto"
	GeneratedAdopt Generated = "Adopt"
	GeneratedLeave Generated = "Leave"
)

// A Scope tells how many checksum annotations a workload gets.
type Scope string

// The scopes.
const (
	ScopeWorkload Scope = "Workload"
	ScopeSource   Scope = "Source"
)

// A Granularity tells how much of an object counts in a checksum.
type Granularity string

// The granularities.
const (
	GranularityKey    Granularity = "Key"
	GranularityObject Granularity = "Object"
)

// Unresolved tells what a reference to an object that is not in the input is
// worth.
type Unresolved string

// What an unresolved reference is worth.
const (
	UnresolvedIgnore Unresolved = "Ignore"
	UnresolvedWarn   Unresolved = "Warn"
	UnresolvedError  Unresolved = "Error"
)

// A Report tells how much the results say.
type Report string

// The reports.
const (
	ReportProblems Report = "Problems"
	ReportFull     Report = "Full"
)

// A TargetKind is a kind that a reference rule can lead to.
type TargetKind string

// The kinds that reference rules lead to.
const (
	TargetConfigMap TargetKind = "ConfigMap"
	TargetSecret    TargetKind = "Secret"
)

// The allowed values, in the order in which errors and the schema list them.
var (
	modes    = []Mode{ModeRename, ModeAnnotate}
	policies = []Policy{PolicyAll, PolicyOptIn, PolicyReloader, PolicyWave}
)

// ConfigHash is the functionConfig, with its defaults filled in.
type ConfigHash struct {
	APIVersion string
	Kind       string
	Metadata   Metadata
	Spec       Spec
}

// Metadata holds what the function reads of the functionConfig's metadata,
// which may hold anything: kustomize and kpt add annotations of theirs.
type Metadata struct {
	Name        string
	Annotations map[string]string
}

// Spec holds the fields of a ConfigHash. fields.go says what each means.
type Spec struct {
	Mode         Mode
	Policy       Policy
	Include      []Selector
	Exclude      []Selector
	Salt         string
	Rename       Rename
	Annotate     Annotate
	References   []Reference
	PodTemplates []PodTemplate
	Namespace    string // empty where it is not set; "default" counts as set
	Discover     bool
	Unresolved   Unresolved
	Reloader     Reloader
	Report       Report
}

// Rename holds what only the mode Rename looks at.
type Rename struct {
	Unreferenced Unreferenced
	ReadByName   ReadByName
	Generated    Generated
	Immutable    bool
	Annotations  map[string]string
}

// Annotate holds what only the mode Annotate looks at.
type Annotate struct {
	Key         string
	Scope       Scope
	Granularity Granularity
}

// A Reference is an entry of kustomize's nameReference: the fields that hold
// the name of a ConfigMap or a Secret. Group and Version are the target's, and
// empty or those of the core API.
type Reference struct {
	Group, Version string
	Kind           TargetKind
	FieldSpecs     []FieldSpec
}

// A PodTemplate tells where objects of a kind hold a pod template that rolls
// when it changes. An empty Group or Version matches any.
type PodTemplate struct {
	Group, Version, Kind string
	Path                 string
}

// Reloader holds what only the policy Reloader looks at: what the
// controller's flags said.
type Reloader struct {
	AutoReloadAll bool
	// AnnotationKeys leads from Reloader's default keys to those used instead.
	AnnotationKeys map[string]string
}

// New returns a ConfigHash of that mode and policy with all else at its
// default. The empty policy is the default, too.
func New(mode Mode, policy Policy) *ConfigHash {
	if policy == "" {
		policy = PolicyAll
	}
	return &ConfigHash{
		APIVersion: APIVersion,
		Kind:       Kind,
		Spec: Spec{
			Mode:       mode,
			Policy:     policy,
			Rename:     Rename{Unreferenced: UnreferencedKeep, ReadByName: ReadByNameKeep, Generated: GeneratedAuto},
			Annotate:   Annotate{Key: "checksum/config", Scope: ScopeWorkload, Granularity: GranularityKey},
			Discover:   true,
			Unresolved: UnresolvedIgnore,
			Report:     ReportProblems,
		},
	}
}

// ParseMode returns the mode that s names. Its error lists the modes.
func ParseMode(s string) (Mode, error) {
	return oneOf("mode", s, modes)
}

// ParsePolicy returns the policy that s names. Its error lists the policies.
func ParsePolicy(s string) (Policy, error) {
	return oneOf("policy", s, policies)
}

func oneOf[T ~string](what, s string, allowed []T) (T, error) {
	if !slices.Contains(allowed, T(s)) {
		return "", fmt.Errorf("%s %s", what, notAllowed(s, allowed))
	}
	return T(s), nil
}

// notAllowed says of s that it is none of the allowed values.
func notAllowed[T ~string](s string, allowed []T) string {
	if len(allowed) == 1 {
		return fmt.Sprintf("%q is not %q, the only one known", s, allowed[0])
	}
	return fmt.Sprintf("%q is not one of %s", s, join(allowed))
}

func join[T ~string](values []T) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	return strings.Join(words, ", ")
}
