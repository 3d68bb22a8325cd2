package v1alpha1

// The description of the functionConfig. Each function describes a mapping and
// binds its fields to the struct that they are read into; what the struct
// holds before is the default.

// These bound what is done for each object, or for each kind: there are far more than
// builds need.
const (
	maxSelectors    = 1000
	maxReferences   = 500 // with all of their fieldSpecs
	maxPodTemplates = 100
	maxAnnotations  = 4 << 10 // bytes of keys and values
)

// document describes a ConfigHash.
func document(c *ConfigHash) object {
	return object{fields: []field{
		{name: "apiVersion", required: true, doc: "The version of this format.",
			value: enum[string]{&c.APIVersion, []string{APIVersion}}},
		{name: "kind", required: true, doc: "ConfigHash.",
			value: enum[string]{&c.Kind, []string{Kind}}},
		{name: "metadata", doc: "Name and annotations of the functionConfig; may hold anything.",
			value: metadata{&c.Metadata}},
		{name: "spec", required: true, doc: "What the function does.",
			value: spec(&c.Spec)},
	}}
}

// configMap describes kpt's flat form.
func configMap(c *ConfigHash) object {
	// The ConfigMap's own type is not the ConfigHash's.
	apiVersion, kind := "v1", "ConfigMap"
	return object{fields: []field{
		{name: "apiVersion", required: true, value: enum[string]{&apiVersion, []string{apiVersion}}},
		{name: "kind", required: true, value: enum[string]{&kind, []string{kind}}},
		{name: "metadata", value: metadata{&c.Metadata}},
		{name: "data", required: true, value: flat{spec(&c.Spec)}},
	}}
}

func spec(s *Spec) object {
	return object{fields: []field{
		{name: "mode", required: true,
			doc:   "Rename: append a content hash to the names of ConfigMaps and Secrets and rewrite every reference to them. Annotate: leave the names alone and stamp a checksum annotation on every pod template that consumes them.",
			value: enum[Mode]{&s.Mode, modes}},
		{name: "policy",
			doc:   "Who takes part. All: everything that is not excluded. OptIn: what the annotation confighash.dev/roll asks for. Reloader, Wave: what the controller of that name would roll.",
			value: enum[Policy]{&s.Policy, policies}},
		{name: "include",
			doc:   "Only ConfigMaps and Secrets that one of these selectors matches take part; without any, all do.",
			value: list[Selector]{dst: &s.Include, item: selector, maxItems: maxSelectors}},
		{name: "exclude",
			doc:   "ConfigMaps and Secrets that one of these selectors matches take no part.",
			value: list[Selector]{dst: &s.Exclude, item: selector, maxItems: maxSelectors}},
		{name: "salt",
			doc:   "Keys both hashes (HMAC), against guessing short secrets. The environment variable CONFIGHASH_SALT does the same.",
			value: text{dst: &s.Salt}},
		{name: "rename", doc: "Settings of the mode Rename.",
			value: rename(&s.Rename)},
		{name: "annotate", doc: "Settings of the mode Annotate.",
			value: annotate(&s.Annotate)},
		{name: "references",
			doc:   "Further fields that hold the name of a ConfigMap or a Secret, in the syntax of kustomize's nameReference.",
			value: list[Reference]{dst: &s.References, item: reference, maxItems: maxReferences}},
		{name: "podTemplates",
			doc:   "Further kinds with a pod template that rolls when it changes.",
			value: list[PodTemplate]{dst: &s.PodTemplates, item: podTemplate, maxItems: maxPodTemplates}},
		{name: "namespace",
			doc:   "The namespace where objects that name none will be applied.",
			value: text{&s.Namespace, namespaceFormat()}},
		{name: "discover",
			doc:   "Look for pod specs and the standard reference shapes in kinds that no rule covers.",
			value: toggle{&s.Discover}},
		{name: "unresolved",
			doc:   "What a reference to an object that is not in the input is worth.",
			value: enum[Unresolved]{&s.Unresolved, []Unresolved{UnresolvedIgnore, UnresolvedWarn, UnresolvedError}}},
		{name: "reloader", doc: "Settings of the policy Reloader: what the controller's flags said.",
			value: reloader(&s.Reloader)},
		{name: "report",
			doc:   "What the results hold. Problems: warnings and errors. Full: what was done, too.",
			value: enum[Report]{&s.Report, []Report{ReportProblems, ReportFull}}},
	}}
}

func selector(s *Selector) value {
	return object{
		nonEmpty: "an empty selector would match everything; give at least one of its fields",
		fields: []field{
			{name: "group", doc: "Anchored regular expression.", value: text{&s.Group, regexFormat()}},
			{name: "version", doc: "Anchored regular expression.", value: text{&s.Version, regexFormat()}},
			{name: "kind", doc: "Anchored regular expression.", value: text{&s.Kind, regexFormat()}},
			{name: "name", doc: "Anchored regular expression.", value: text{&s.Name, regexFormat()}},
			{name: "namespace", doc: "Anchored regular expression.", value: text{&s.Namespace, regexFormat()}},
			{name: "labelSelector", doc: "Selects by labels, in Kubernetes' selector syntax.",
				value: text{&s.LabelSelector, labelSelectorFormat()}},
			{name: "annotationSelector", doc: "Selects by annotations, in Kubernetes' selector syntax.",
				value: text{&s.AnnotationSelector, labelSelectorFormat()}},
		},
	}
}

func rename(r *Rename) object {
	return object{fields: []field{
		{name: "unreferenced", doc: "Keep or rename what nothing in the input references.",
			value: enum[Unreferenced]{&r.Unreferenced, []Unreferenced{UnreferencedKeep, UnreferencedRename}}},
		{name: "readByName",
			doc:   "Keep or rename what a program probably reads by name through the API: what an RBAC rule, a flag or a variable names, what holds no data, and names that are known.",
			value: enum[ReadByName]{&r.ReadByName, []ReadByName{ReadByNameKeep, ReadByNameRename}}},
		{name: "generated",
			doc:   "What kustomize's own generators made and would hash itself. Auto: rename now what has a reference that kustomize does not know. Adopt: rename all of it now. Leave: leave it to kustomize.",
			value: enum[Generated]{&r.Generated, []Generated{GeneratedAuto, GeneratedAdopt, GeneratedLeave}}},
		{name: "immutable", doc: "Set immutable: true on renamed objects.",
			value: toggle{&r.Immutable}},
		{name: "annotations", doc: "Annotations to set on renamed objects.",
			value: table{dst: &r.Annotations, key: freeAnnotationKeyFormat()}},
	}}
}

func annotate(a *Annotate) object {
	return object{implies: &implication{"scope", string(ScopeSource), "key", "/"}, fields: []field{
		{name: "key", doc: "The key of the checksum annotation.",
			value: text{&a.Key, freeAnnotationKeyFormat()}},
		{name: "scope",
			doc:   "Workload: one annotation. Source: one for each object consumed, named KEY-PREFIX/kind.name.",
			value: enum[Scope]{&a.Scope, []Scope{ScopeWorkload, ScopeSource}}},
		{name: "granularity",
			doc:   "Key: only the keys that a workload consumes count. Object: all of the object.",
			value: enum[Granularity]{&a.Granularity, []Granularity{GranularityKey, GranularityObject}}},
	}}
}

func reference(r *Reference) value {
	return object{fields: []field{
		// kustomize's own rules for the two kinds say version: v1.
		{name: "group", doc: "The group of the kind referred to: empty.",
			value: enum[string]{&r.Group, []string{""}}},
		{name: "version", doc: "The version of the kind referred to.",
			value: enum[string]{&r.Version, []string{"v1"}}},
		{name: "kind", required: true, doc: "The kind referred to.",
			value: enum[TargetKind]{&r.Kind, []TargetKind{TargetConfigMap, TargetSecret}}},
		{name: "fieldSpecs", required: true, doc: "The fields that hold the name.",
			value: list[FieldSpec]{dst: &r.FieldSpecs, item: fieldSpec, minItems: 1, maxItems: maxReferences}},
	}}
}

func fieldSpec(f *FieldSpec) value {
	return object{fields: []field{
		{name: "group", doc: "The group of the kind with the field; any if empty.",
			value: text{&f.Group, groupFormat()}},
		{name: "version", doc: "The version of the kind with the field; any if empty.",
			value: text{&f.Version, versionFormat()}},
		{name: "kind", doc: "The kind with the field; any if empty.",
			value: text{&f.Kind, kindFormat()}},
		{name: "path", required: true, doc: `The way to the field, its steps separated by slashes; a slash within a name is written \/.`,
			value: text{&f.Path, pathFormat()}},
		{name: "create", doc: "Part of kustomize's syntax, without a meaning here: no reference is created.",
			value: toggle{&f.CreateIfNotPresent}},
	}}
}

func podTemplate(p *PodTemplate) value {
	return object{fields: []field{
		{name: "group", doc: "The group of the kind; any if empty.",
			value: text{&p.Group, groupFormat()}},
		{name: "version", doc: "The version of the kind; any if empty.",
			value: text{&p.Version, versionFormat()}},
		{name: "kind", required: true, doc: "The kind.",
			value: text{&p.Kind, oneKindFormat()}},
		{name: "path", required: true, doc: `The way to the pod template, its steps separated by slashes; a slash within a name is written \/.`,
			value: text{&p.Path, pathFormat()}},
	}}
}

func reloader(r *Reloader) object {
	return object{fields: []field{
		{name: "autoReloadAll", doc: "Reloader's flag --auto-reload-all.",
			value: toggle{&r.AutoReloadAll}},
		{name: "annotationKeys", doc: "Annotation keys changed by Reloader's flags: from the default key to the one used instead.",
			value: table{dst: &r.AnnotationKeys, keys: reloaderKeys, value: annotationKeyFormat()}},
	}}
}

// reloaderKeys are the annotation keys that Reloader has a flag for.
var reloaderKeys = []string{
	"reloader.stakater.com/auto",
	"configmap.reloader.stakater.com/auto",
	"secret.reloader.stakater.com/auto",
	"configmap.reloader.stakater.com/reload",
	"secret.reloader.stakater.com/reload",
	"reloader.stakater.com/search",
	"reloader.stakater.com/match",
	"reloader.stakater.com/ignore",
	"deployment.reloader.stakater.com/pause-period",
	"deployment.reloader.stakater.com/paused-at",
}
