package v1alpha1

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// head begins every ConfigHash.
const head = "apiVersion: confighash.dev/v1alpha1\nkind: ConfigHash\n"

// flatHead begins every ConfigMap.
const flatHead = "apiVersion: v1\nkind: ConfigMap\n"

func parse(tb testing.TB, document string) (*ConfigHash, error) {
	tb.Helper()
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(document), &node); err != nil {
		tb.Fatalf("the test's YAML: %v", err)
	}
	return Parse(&node)
}

func TestParse_fillsInDefaults(t *testing.T) {
	want := &ConfigHash{
		APIVersion: "confighash.dev/v1alpha1",
		Kind:       "ConfigHash",
		Spec: Spec{
			Mode:       "Rename",
			Policy:     "All",
			Jobs:       "Leave",
			Rename:     Rename{Unreferenced: "Keep", ReadByName: "Keep", Generated: "Auto", Granularity: "Object"},
			Annotate:   Annotate{Key: "checksum/config", Scope: "Workload", Granularity: "Key"},
			Discover:   new(true),
			Unresolved: "Ignore",
			Report:     "Problems",
		},
	}
	for label, document := range map[string]string{
		"all else absent":  head + "spec: {mode: Rename}",
		"all else null":    head + "metadata:\nspec: {mode: Rename, policy: ~, include: null, salt: , rename: , annotate: {key: , scope: }, discover: null, namespace: , report: ~}",
		"all else empty":   head + "metadata: {}\nspec: {mode: Rename, include: [], rename: {annotations: {}}, annotate: {}, references: [], podTemplates: [], reloader: {}}",
		"JSON":             `{"apiVersion": "confighash.dev/v1alpha1", "kind": "ConfigHash", "spec": {"mode": "Rename"}}`,
		"ConfigMap":        flatHead + "data: {mode: Rename}",
		"ConfigMap, nulls": flatHead + "data: {mode: Rename, policy: null, include: ~, rename.annotations: ''}",
	} {
		got, err := parse(t, document)
		if err != nil {
			t.Errorf("%s: %v", label, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", label, diff)
		}
	}
	if diff := cmp.Diff(want, New(ModeRename, "")); diff != "" {
		t.Errorf("New (-want +got):\n%s", diff)
	}
}

// everything sets each field to a value other than its default.
const everything = head + `
metadata:
  name: roll
  annotations: {config.kubernetes.io/function: "exec: {path: x}"}
  anything: [1, {more: true}]
spec:
  mode: Annotate
  policy: Reloader
  include:
  - {group: "", version: v1, kind: ConfigMap|Secret, name: app-.*, namespace: prod, labelSelector: "a in (b, c),!d", annotationSelector: e=f}
  exclude: [{name: legacy}]
  salt: pepper
  jobs: Rename
  rename:
    unreferenced: Rename
    readByName: Rename
    granularity: Key
    generated: Adopt
    keep: 3
    immutable: true
    annotations: {argocd.argoproj.io/sync-options: PruneLast=true}
  annotate: {key: confighash.dev/checksum, scope: Source, granularity: Object}
  podMetadata: {dropLabels: [helm.sh/chart, "*"], dropAnnotations: [checksum/*]}
  references:
  - kind: ConfigMap
    version: v1
    group: ""
    fieldSpecs:
    - {group: example.com, version: v1beta1, kind: App, path: 'spec/list[]/configs/example.com\/name', create: true}
  - {kind: Secret, fieldSpecs: [{path: /spec/secretName}]}
  podTemplates:
  - {group: example.com, version: v1, kind: App, path: spec/template}
  namespace: prod
  discover: false
  unresolved: Error
  reloader:
    autoReloadAll: true
    annotationKeys: {reloader.stakater.com/auto: Example.com/auto}
  report: Full
`

func TestParse_readsEveryField(t *testing.T) {
	selector := Selector{LabelSelector: "a in (b, c),!d", AnnotationSelector: "e=f"}
	selector.Version, selector.Kind, selector.Name, selector.Namespace = "v1", "ConfigMap|Secret", "app-.*", "prod"
	legacy := Selector{}
	legacy.Name = "legacy"
	fieldSpec := FieldSpec{Path: `spec/list[]/configs/example.com\/name`, CreateIfNotPresent: true}
	fieldSpec.Group, fieldSpec.Version, fieldSpec.Kind = "example.com", "v1beta1", "App"
	want := &ConfigHash{
		APIVersion: APIVersion,
		Kind:       Kind,
		Metadata: Metadata{
			Name:        "roll",
			Annotations: map[string]string{"config.kubernetes.io/function": "exec: {path: x}"},
		},
		Spec: Spec{
			Mode:    ModeAnnotate,
			Policy:  PolicyReloader,
			Include: []Selector{selector},
			Exclude: []Selector{legacy},
			Salt:    "pepper",
			Jobs:    JobsRename,
			Rename: Rename{
				Unreferenced: UnreferencedRename,
				ReadByName:   ReadByNameRename,
				Generated:    GeneratedAdopt,
				Granularity:  GranularityKey,
				Keep:         3,
				Immutable:    true,
				Annotations:  map[string]string{"argocd.argoproj.io/sync-options": "PruneLast=true"},
			},
			Annotate: Annotate{Key: "confighash.dev/checksum", Scope: ScopeSource, Granularity: GranularityObject},
			PodMetadata: PodMetadata{
				DropLabels:      []string{"helm.sh/chart", "*"},
				DropAnnotations: []string{"checksum/*"},
			},
			References: []Reference{
				{Kind: TargetConfigMap, Version: "v1", FieldSpecs: []FieldSpec{fieldSpec}},
				{Kind: TargetSecret, FieldSpecs: []FieldSpec{{Path: "/spec/secretName"}}},
			},
			PodTemplates: []PodTemplate{{Group: "example.com", Version: "v1", Kind: "App", Path: "spec/template"}},
			Namespace:    "prod",
			Discover:     new(false),
			Unresolved:   UnresolvedError,
			Reloader: Reloader{
				AutoReloadAll:  true,
				AnnotationKeys: map[string]string{"reloader.stakater.com/auto": "Example.com/auto"},
			},
			Report: ReportFull,
		},
	}
	got, err := parse(t, everything)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParse_resolvesAliasesAndMergeKeys(t *testing.T) {
	for label, document := range map[string]string{
		"alias": head + `
metadata: {annotations: {mode: &mode Annotate}}
spec: {mode: *mode, include: &list [&app {name: app}], exclude: *list}`,
		"alias as key": head + `
metadata: {x: &key mode}
spec: {*key : Annotate, include: [{name: app}], exclude: [{name: app}]}`,
		"merge": head + `
metadata: {base: &base {mode: Rename, include: [{name: app}]}}
spec: {<<: *base, mode: Annotate, exclude: [{name: app}]}`,
		"merge after the key that wins": head + `
spec: {mode: Annotate, <<: {mode: Rename, include: [{name: app}], exclude: [{name: app}]}}`,
		"merge of a list, the first wins": head + `
spec: {<<: [{mode: Annotate}, {mode: Rename, include: [{name: app}]}], exclude: [{name: app}]}`,
		"merge of merges": head + `
metadata:
  a: &a {include: [{name: app}]}
  b: &b {<<: [*a, *a], exclude: [{name: app}]}
spec: {<<: [*b, *a, *b], mode: Annotate}`,
		"merge at the root": `
metadata: {base: &base {apiVersion: confighash.dev/v1alpha1, kind: ConfigHash}}
<<: *base
spec: {mode: Annotate, include: [{name: app}], exclude: [{name: app}]}`,
		"in text of a ConfigMap": flatHead + `
data: {mode: Annotate, include: "[{<<: {name: app}}]", exclude: "[name: app]"}`,
	} {
		got, err := parse(t, document)
		if err != nil {
			t.Errorf("%s: %v", label, err)
			continue
		}
		want := New(ModeAnnotate, "")
		want.Metadata = got.Metadata
		app := Selector{}
		app.Name = "app"
		want.Spec.Include, want.Spec.Exclude = []Selector{app}, []Selector{app}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", label, diff)
		}
	}
}

func TestParse_endsOnMergesOfMerges(t *testing.T) {
	// Followed one by one, these are 2^60 merges.
	var doc strings.Builder
	doc.WriteString(head + "metadata:\n  m0: &m0 {mode: Rename}\n")
	for i := 1; i <= 60; i++ {
		fmt.Fprintf(&doc, "  m%d: &m%d {<<: [*m%d, *m%d]}\n", i, i, i-1, i-1)
	}
	doc.WriteString("spec: {<<: *m60}\n")
	got, err := parse(t, doc.String())
	if err != nil || got.Spec.Mode != ModeRename {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestParse_readsScalarsAsWritten(t *testing.T) {
	got, err := parse(t, head+`
spec:
  mode: !!str Rename
  salt: "1e3"
  discover: !!bool false
  rename:
    annotations: {a: yes, b: "no", c: 2020-01-01, 1: "~", e: ""}`)
	if err != nil {
		t.Fatal(err)
	}
	want := New(ModeRename, "")
	want.Spec.Salt, want.Spec.Discover = "1e3", new(false)
	want.Spec.Rename.Annotations = map[string]string{"a": "yes", "b": "no", "c": "2020-01-01", "1": "~", "e": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParse_typesTextInAConfigMapByItsField(t *testing.T) {
	got, err := parse(t, flatHead+`
metadata: {name: function-input}
data:
  mode: Annotate
  rename.keep: "3"
  rename.immutable: "true"
  discover: false
  salt: 1e3
  namespace: 123
  rename.annotations: "example.com/a: yes"
  references: |
    - kind: Secret
      fieldSpecs:
      - path: spec/secretName
`)
	if err != nil {
		t.Fatal(err)
	}
	want := New(ModeAnnotate, PolicyAll)
	want.Metadata.Name = "function-input"
	want.Spec.Rename.Keep, want.Spec.Rename.Immutable = 3, true
	want.Spec.Discover = new(false)
	want.Spec.Salt = "1e3"
	want.Spec.Namespace = "123"
	want.Spec.Rename.Annotations = map[string]string{"example.com/a": "yes"}
	want.Spec.References = []Reference{{Kind: TargetSecret, FieldSpecs: []FieldSpec{{Path: "spec/secretName"}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParse_showsAMinimalConfigForNone(t *testing.T) {
	for label, node := range map[string]*yaml.Node{
		"nil":            nil,
		"zero":           {},
		"null":           {Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"},
		"empty document": {Kind: yaml.DocumentNode},
		"alias of none":  {Kind: yaml.AliasNode},
		"list":           {Kind: yaml.SequenceNode},
	} {
		_, err := Parse(node)
		if err == nil {
			t.Errorf("%s: no error", label)
			continue
		}
		_, shown, _ := strings.Cut(err.Error(), "\n\n")
		got, err := parse(t, shown)
		if err != nil {
			t.Errorf("%s: what the error shows does not parse: %v", label, err)
			continue
		}
		want := New(ModeRename, "")
		want.Metadata = got.Metadata
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", label, diff)
		}
	}
}

func TestParse_survivesNodesPutTogetherByHand(t *testing.T) {
	text := func(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }
	ring := &yaml.Node{Kind: yaml.AliasNode}
	ring.Alias = ring
	for label, node := range map[string]*yaml.Node{
		"ring of aliases":    ring,
		"odd mapping":        {Kind: yaml.MappingNode, Content: []*yaml.Node{text("kind")}},
		"nil in a mapping":   {Kind: yaml.MappingNode, Content: []*yaml.Node{nil, nil}},
		"unknown kind":       {Kind: 77},
		"document in itself": {Kind: yaml.MappingNode, Content: []*yaml.Node{text("spec"), {Kind: yaml.DocumentNode}}},
	} {
		if _, err := Parse(node); err == nil {
			t.Errorf("%s: no error", label)
		}
	}
}

func TestParse_refuses(t *testing.T) {
	mode := head + "spec:\n  mode: Rename\n"
	flat := flatHead + "data:\n  mode: Rename\n"
	fields := "known here: mode, policy, include, exclude, salt, jobs, rename, annotate, podMetadata, references, podTemplates, namespace, discover, unresolved, reloader, report"
	for _, test := range []struct {
		label    string
		document string
		want     string // the errors, one per line
	}{
		{"a scalar", `hello`, "functionConfig: must be a mapping, not a string; the minimum:\n\n" + minimal},

		{"no kind, no apiVersion", `spec: {mode: Rename}`,
			"apiVersion: is required: confighash.dev/v1alpha1\nkind: is required: ConfigHash"},
		{"other kind", "apiVersion: apps/v1\nkind: Deployment\nspec: {replicas: 1}",
			`kind: "Deployment" is not known; known are ConfigHash (apiVersion confighash.dev/v1alpha1) and ConfigMap (apiVersion v1), the flat form`},
		{"kind of wrong type", "apiVersion: apps/v1\nkind: [ConfigHash]",
			`kind: must be ConfigHash or ConfigMap, not a list`},
		{"other version", "apiVersion: confighash.dev/v1\nkind: ConfigHash\nspec: {mode: Rename}",
			`apiVersion: "confighash.dev/v1" is not "confighash.dev/v1alpha1", the only one known`},
		{"ConfigMap of another version", "apiVersion: confighash.dev/v1alpha1\nkind: ConfigMap\ndata: {mode: Rename}",
			`apiVersion: "confighash.dev/v1alpha1" is not "v1", the only one known`},

		{"no spec", head, `spec.mode: is required: one of Rename, Annotate`},
		{"null spec", head + "spec:", `spec.mode: is required: one of Rename, Annotate`},
		{"null mode", head + "spec: {mode: }", `spec.mode: is required: one of Rename, Annotate`},
		{"ConfigMap without data", flatHead, `data.mode: is required: one of Rename, Annotate`},
		{"spec is not a mapping", head + "spec: Rename", `spec: must be a mapping, not a string`},
		{"metadata is not a mapping", mode + "metadata: []", `metadata: must be a mapping, not a list`},

		{"unknown mode", head + "spec: {mode: rename}", `spec.mode: "rename" is not one of Rename, Annotate; did you mean Rename?`},
		{"unknown policy", mode + "  policy: None", `spec.policy: "None" is not one of All, OptIn, Reloader, Wave`},
		{"unknown jobs", mode + "  jobs: Keep", `spec.jobs: "Keep" is not one of Leave, Rename`},
		{"unknown unreferenced", mode + "  rename: {unreferenced: Drop}", `spec.rename.unreferenced: "Drop" is not one of Keep, Rename`},
		{"unknown readByName", mode + "  rename: {readByName: keep}", `spec.rename.readByName: "keep" is not one of Keep, Rename; did you mean Keep?`},
		{"unknown generated", mode + "  rename: {generated: ''}", `spec.rename.generated: "" is not one of Auto, Adopt, Leave`},
		{"unknown scope", mode + "  annotate: {scope: Pod}", `spec.annotate.scope: "Pod" is not one of Workload, Source`},
		{"unknown granularity", mode + "  annotate: {granularity: Byte}", `spec.annotate.granularity: "Byte" is not one of Key, Object`},
		{"unknown unresolved", mode + "  unresolved: Fail", `spec.unresolved: "Fail" is not one of Ignore, Warn, Error`},
		{"unknown report", mode + "  report: All", `spec.report: "All" is not one of Problems, Full`},

		{"misspelt field", mode + "  polcy: All", `spec.polcy: is not a known field; did you mean policy?`},
		{"no such field", mode + "  frequency: 3", `spec.frequency: is not a known field; ` + fields},
		{"two letters swapped", mode + "  raneme: {}", `spec.raneme: is not a known field; did you mean rename?`},
		{"field in another case", mode + "  podtemplates: []", `spec.podtemplates: is not a known field; did you mean podTemplates?`},
		{"field in the wrong place", mode + "  immutable: true", `spec.immutable: is not a known field; did you mean spec.rename.immutable?`},
		{"field outside of spec", mode + "discover: true", `discover: is not a known field; did you mean spec.discover?`},
		{"scope Source and a key without a prefix", mode + "  annotate: {key: sum, scope: Source}",
			`spec.annotate.key: "sum" has no prefix; with the scope Source the annotations are called PREFIX/kind.name, so give the key one: example.com/sum`},
		{"strange field", mode + "  annotate: {colour: red}", `spec.annotate.colour: is not a known field; known here: key, scope, granularity`},
		{"strange field in a selector", mode + "  include: [{labels: {a: b}, name: x}]",
			`spec.include[0].labels: is not a known field; did you mean labelSelector?`},
		{"no space after the colon", mode + "  rename: {immutable:true}",
			`spec.rename.immutable: is not a known field; put a space between a field's colon and its value`},
		{"a negative number", mode + "  rename: {keep: -1}", `spec.rename.keep: must be a whole number, 0 or more, not "-1"`},
		{"a number in quotes", mode + "  rename: {keep: '1'}", `spec.rename.keep: must be a whole number, 0 or more, not "1"`},
		{"a broken number", mode + "  rename: {keep: 1.5}", `spec.rename.keep: must be a whole number, 0 or more, not "1.5"`},
		{"two fields twice", mode + "  policy: All\n  policy: Wave\n  rename: {immutable: true, immutable: true}",
			"spec.policy: is set twice; remove one of the two\nspec.rename.immutable: is set twice; remove one of the two"},
		{"twice in a merged mapping", head + "spec: {<<: {mode: Rename, mode: Annotate}}", `spec.mode: is set twice; remove one of the two`},
		{"two merge keys", head + "spec: {<<: {mode: Rename}, <<: {policy: All}}", `spec["<<"]: is set twice; remove one of the two`},
		{"twice in metadata", mode + "metadata: {name: a, name: b, annotations: {x: y, x: z}}",
			"metadata.name: is set twice; remove one of the two\nmetadata.annotations.x: is set twice; remove one of the two"},
		{"twice at the root", mode + "kind: ConfigHash", `kind: is set twice; remove one of the two`},
		{"a list as key", head + "spec: {[a]: b, mode: Rename}", `spec: holds a key that is a list; keys are strings`},
		{"quoted merge key", mode + "  rename: {annotations: {'<<': a}}",
			`spec.rename.annotations["<<"]: "<<" is not ` + annotationRule},
		{"merge of a scalar", mode + "  <<: x", `spec["<<"]: must be a mapping or a list of mappings, not a string`},
		{"merge of a list of scalars", mode + "  <<: [{}, 1]", `spec["<<"]: must be a mapping or a list of mappings, not a number`},
		{"merge of itself", head + "spec: &s\n  mode: Rename\n  <<: *s", `spec["<<"]: merges a mapping into itself`},
		{"in itself", head + "spec: &s\n  mode: Rename\n  rename: *s",
			"spec.rename.mode: is not a known field; did you mean spec.mode?\nspec.rename.rename: is not a known field; did you mean spec.rename?"},

		{"quoted boolean", mode + "  discover: 'true'", `spec.discover: must be true or false, not the string "true": write it without quotes`},
		{"yes", mode + "  discover: yes", `spec.discover: must be true or false, not "yes"`},
		{"True", mode + "  discover: True", `spec.discover: must be true or false, not "True"`},
		{"0", mode + "  discover: 0", `spec.discover: must be true or false, not "0"`},
		{"boolean is a list", mode + "  discover: [true]", `spec.discover: must be true or false, not a list`},
		{"string is a number", mode + "  namespace: 1", `spec.namespace: must be a string, not a number: write it in quotes`},
		{"string is a boolean", mode + "  namespace: true", `spec.namespace: must be a string, not a boolean: write it in quotes`},
		{"string is a mapping", mode + "  namespace: {a: b}", `spec.namespace: must be a string, not a mapping`},
		{"string of a strange tag", mode + "  namespace: !x a", `spec.namespace: must be a string, not a value with a tag: write it in quotes`},
		{"a salt without a space", head + "spec: {mode: Rename\n salt:hunter2}", "spec.mode: holds the next field, salt, as well; put a space between a field's colon and its value"},
		{"a salt without a space, after text", head + "spec: {mode: Rename, namespace: prod\n salt:hunter2}", "spec.namespace: holds the next field, salt, as well; put a space between a field's colon and its value"},
		{"a salt without a space, after a boolean", head + "spec: {mode: Rename, discover: true\n salt:hunter2}", "spec.discover: holds the next field, salt, as well; put a space between a field's colon and its value"},
		{"a salt read as a tag", mode + "  salt: !hunter2", `spec.salt: must be a string, not a value with a tag: write it in quotes`},
		{"a salt with a comma", head + "spec: {mode: Rename, salt: a,hunter2}", `spec: holds a key without a value that is not a known field; quote a value that holds a comma; known here: ` +
			"mode, policy, include, exclude, salt, jobs, rename, annotate, podMetadata, references, podTemplates, namespace, discover, unresolved, reloader, report"},
		{"a salt with commas", head + "spec: {mode: Rename, salt: a,hunter2,hunter2}", "spec: has a duplicate key without a value; quote a value that holds a comma\n" +
			"spec: holds a key without a value that is not a known field; quote a value that holds a comma; known here: " +
			"mode, policy, include, exclude, salt, jobs, rename, annotate, podMetadata, references, podTemplates, namespace, discover, unresolved, reloader, report"},
		{"flat: a list read as an alias", flat + "  include: \"*hunter2\"", `data.include: must be a list, written as YAML; ` +
			"line 1: not valid YAML: an alias names an anchor that is not there; quote a value that begins with *"},
		{"enum is a boolean", head + "spec: {mode: true}", `spec.mode: must be one of Rename, Annotate, not a boolean`},
		{"list is a mapping", mode + "  include: {name: x}", `spec.include: must be a list, not a mapping`},
		{"mapping is a list", mode + "  rename: [immutable]", `spec.rename: must be a mapping, not a list`},
		{"annotations are a list", mode + "  rename: {annotations: [a]}", `spec.rename.annotations: must be a mapping, not a list`},
		{"annotation is a boolean", mode + "  rename: {annotations: {a: true}}", `spec.rename.annotations.a: must be a string, not a boolean: write it in quotes`},
		{"annotation is null", mode + "  rename: {annotations: {a: }}", `spec.rename.annotations.a: must be a string, not null`},

		{"null selector", mode + "  include:\n  - name: x\n  -", `spec.include[1]: must be a mapping, not null`},
		{"empty selector", mode + "  exclude: [{}]", `spec.exclude[0]: an empty selector would match everything; give at least one of its fields`},
		{"bad expression", mode + "  include: [{name: 'app('}]",
			"spec.include[0].name: \"app(\" is not a regular expression: error parsing regexp: missing closing ): `app(`"},
		{"expression that anchors would fix", mode + "  include: [{kind: 'a)|(?:b'}]",
			"spec.include[0].kind: \"a)|(?:b\" is not a regular expression: error parsing regexp: unexpected ): `a)|(?:b`"},
		{"expression that anchors break", mode + `  include: [{group: '\Qa'}]`,
			"spec.include[0].group: \"\\\\Qa\" is not a regular expression: error parsing regexp: missing closing ): `^(?:\\Qa)$`"},
		{"bad label selector", mode + "  include: [{labelSelector: 'a in b'}]",
			`spec.include[0].labelSelector: "a in b" is not a label selector: unable to parse requirement: found 'b' expected: '('`},
		{"bad annotation selector", mode + "  include: [{annotationSelector: 'a==='}]",
			`spec.include[0].annotationSelector: "a===" is not a label selector: unable to parse requirement: found '=', expected: identifier`},

		{"annotation key with a blank", mode + "  annotate: {key: check sum}",
			`spec.annotate.key: "check sum" is not ` + annotationRule},
		{"empty annotation key", mode + "  annotate: {key: ''}",
			`spec.annotate.key: "" is not ` + annotationRule},
		{"own annotation as key", mode + "  annotate: {key: confighash.dev/hash}",
			`spec.annotate.key: "confighash.dev/hash" belongs to this function, to kustomize or to kpt; choose another key`},
		{"own annotations set", mode + "  rename: {annotations: {confighash.dev/hash: x, confighash.dev/ignore: x}}",
			"spec.rename.annotations[\"confighash.dev/hash\"]: \"confighash.dev/hash\" belongs to this function, to kustomize or to kpt; choose another key\n" +
				"spec.rename.annotations[\"confighash.dev/ignore\"]: \"confighash.dev/ignore\" belongs to this function, to kustomize or to kpt; choose another key"},
		{"kustomize's annotation", mode + "  rename: {annotations: {internal.config.kubernetes.io/previousNames: x}}",
			`spec.rename.annotations["internal.config.kubernetes.io/previousNames"]: "internal.config.kubernetes.io/previousNames" belongs to this function, to kustomize or to kpt; choose another key`},
		{"kpt's annotation", mode + "  rename: {annotations: {config.kubernetes.io/local-config: 'true'}}",
			`spec.rename.annotations["config.kubernetes.io/local-config"]: "config.kubernetes.io/local-config" belongs to this function, to kustomize or to kpt; choose another key`},
		{"needs-hash", mode + "  rename: {annotations: {kustomize.config.k8s.io/needs-hash: 'true'}}",
			`spec.rename.annotations["kustomize.config.k8s.io/needs-hash"]: "kustomize.config.k8s.io/needs-hash" belongs to this function, to kustomize or to kpt; choose another key`},
		{"annotation of three parts", mode + "  rename: {annotations: {a/b/: x}}",
			`spec.rename.annotations["a/b/"]: "a/b/" is not ` + annotationRule},
		{"bad namespace", mode + "  namespace: a.b", `spec.namespace: "a.b" is not a namespace: ` + labelRule},
		{"empty namespace", mode + "  namespace: ''", `spec.namespace: "" is not a namespace: ` + labelRule},

		{"reference without anything", mode + "  references: [{}]",
			"spec.references[0].kind: is required: one of ConfigMap, Secret\nspec.references[0].fieldSpecs: is required: a list"},
		{"reference to another kind", mode + "  references: [{kind: Service, fieldSpecs: [{path: a}]}]",
			`spec.references[0].kind: "Service" is not one of ConfigMap, Secret`},
		{"reference to another group", mode + "  references: [{group: apps, version: v2, kind: Secret, fieldSpecs: [{path: a}]}]",
			"spec.references[0].group: \"apps\" is not \"\", the only one known\nspec.references[0].version: \"v2\" is not \"v1\", the only one known"},
		{"reference without fields", mode + "  references: [{kind: Secret, fieldSpecs: []}]",
			`spec.references[0].fieldSpecs: is empty; give at least one entry`},
		{"field without a path", mode + "  references: [{kind: Secret, fieldSpecs: [{kind: App}]}]",
			`spec.references[0].fieldSpecs[0].path: is required: a string`},
		{"field with an empty path", mode + "  references: [{kind: Secret, fieldSpecs: [{path: ''}]}]",
			`spec.references[0].fieldSpecs[0].path: "" is not ` + formats["path"].what},
		{"path with dots", mode + "  references: [{kind: Secret, fieldSpecs: [{path: spec.secretName}]}]",
			`spec.references[0].fieldSpecs[0].path: "spec.secretName" is not ` + formats["path"].what},
		{"path with an index", mode + "  references: [{kind: Secret, fieldSpecs: [{path: 'spec/a[0]/b'}]}]",
			`spec.references[0].fieldSpecs[0].path: "spec/a[0]/b" is not ` + formats["path"].what},
		{"path with two slashes", mode + "  references: [{kind: Secret, fieldSpecs: [{path: 'spec//b'}]}]",
			`spec.references[0].fieldSpecs[0].path: "spec//b" is not ` + formats["path"].what},
		{"path with a backslash", mode + "  references: [{kind: Secret, fieldSpecs: [{path: 'spec/b\\'}]}]",
			`spec.references[0].fieldSpecs[0].path: "spec/b\\" is not ` + formats["path"].what},
		{"group with a version", mode + "  references: [{kind: Secret, fieldSpecs: [{group: apps/v1, path: a}]}]",
			`spec.references[0].fieldSpecs[0].group: "apps/v1" is not an API group: lower-case letters, digits and dashes, in parts divided by dots; the version has a field of its own`},
		{"pod template without anything", mode + "  podTemplates: [{group: apps}]",
			"spec.podTemplates[0].kind: is required: a string\nspec.podTemplates[0].path: is required: a string"},
		{"pod template with empty fields", mode + "  podTemplates: [{kind: '', path: '', version: V}]",
			"spec.podTemplates[0].kind: \"\" is not a kind: a kind is one word of letters and digits, as in Deployment\n" +
				"spec.podTemplates[0].path: \"\" is not " + formats["path"].what + "\n" +
				"spec.podTemplates[0].version: \"V\" is not an API version: " + labelRule},
		{"pod template with create", mode + "  podTemplates: [{kind: App, path: spec, create: true}]",
			`spec.podTemplates[0].create: is not a known field; known here: group, version, kind, path`},
		{"a pattern of two prefixes", mode + "  podMetadata: {dropLabels: [a/b/c], dropAnnotations: [checksum/*, '']}",
			`spec.podMetadata.dropLabels[0]: "a/b/c" is not ` + formats["keyPattern"].what + "\n" +
				`spec.podMetadata.dropAnnotations[1]: "" is not ` + formats["keyPattern"].what},
		{"a pattern that is a mapping", mode + "  podMetadata: {dropLabels: [{key: a}]}", `spec.podMetadata.dropLabels[0]: must be a string, not a mapping`},
		{"unknown Reloader key", mode + "  reloader: {annotationKeys: {reloader.stakater.com/autos: a/b}}",
			`spec.reloader.annotationKeys["reloader.stakater.com/autos"]: "reloader.stakater.com/autos" is not one of ` + strings.Join(reloaderKeys, ", ") + "; did you mean reloader.stakater.com/auto?"},
		{"bad Reloader key", mode + "  reloader: {annotationKeys: {reloader.stakater.com/auto: -}}",
			`spec.reloader.annotationKeys["reloader.stakater.com/auto"]: "-" is not ` + annotationRule},

		{"flat: unknown", flat + "  colour: red",
			`data.colour: is not a known field; known here: mode, policy, include, exclude, salt, jobs, rename.unreferenced, rename.readByName, rename.generated, rename.granularity, rename.keep, rename.immutable, rename.annotations, ` +
				`annotate.key, annotate.scope, annotate.granularity, podMetadata.dropLabels, podMetadata.dropAnnotations, references, podTemplates, namespace, discover, unresolved, reloader.autoReloadAll, reloader.annotationKeys, report`},
		{"flat: without its dotted path", flat + "  immutable: 'true'", `data.immutable: is not a known field; did you mean rename.immutable?`},
		{"flat: with spec in front", flat + "  spec.report: Full", `data["spec.report"]: is not a known field; did you mean report?`},
		{"flat: scope Source and a key without a prefix", flat + "  annotate.key: sum\n  annotate.scope: Source",
			`data["annotate.key"]: "sum" has no prefix; with the scope Source the annotations are called PREFIX/kind.name, so give the key one: example.com/sum`},
		{"flat: an object", flat + "  annotate: 'key: a/b'", `data.annotate: is not a known field; did you mean annotate.key or annotate.scope or annotate.granularity?`},
		{"flat: into a mapping", flat + "  rename.annotations.a: b", `data["rename.annotations.a"]: is not a known field; did you mean rename.annotations?`},
		{"flat: outside of data", flat + "mode: Rename", `mode: is not a known field; did you mean data.mode?`},
		{"flat: of an application", flatHead + "data: {LOG_LEVEL: info, app.properties: 'a: b'}",
			`data: no key is a field of a functionConfig; an application's ConfigMap belongs in the input, and a functionConfig has at least mode: Rename or mode: Annotate`},
		{"flat: of an application, and a mode in other case", flatHead + "data: {names: x, Mode: Rename}",
			"data.mode: is required: one of Rename, Annotate\ndata.names: is not a known field; did you mean namespace?\ndata.Mode: is not a known field; did you mean mode?"},
		{"flat: spec", flat + "spec: {mode: Rename}", `spec: is not a known field; known here: apiVersion, kind, metadata, data`},
		{"flat: no mode", flatHead + "data: {policy: All}", `data.mode: is required: one of Rename, Annotate`},
		{"flat: unknown value", flat + "  rename.generated: Never", `data["rename.generated"]: "Never" is not one of Auto, Adopt, Leave`},
		{"flat: not a boolean", flat + "  rename.immutable: 'yes'", `data["rename.immutable"]: must be true or false, not "yes"`},
		{"flat: empty boolean", flat + "  rename.immutable: ''", `data["rename.immutable"]: must be true or false, not ""`},
		{"flat: not text", flat + "  include: [{name: x}]",
			`data.include: must be text, not a list: a ConfigMap's values are strings; write lists and mappings in them as YAML`},
		{"flat: not YAML", flat + "  include: '[{'", `data.include: must be a list, written as YAML; line 1: not valid YAML: did not find expected node content`},
		{"flat: not one YAML", flat + "  include: \"[]\\n---\\n[]\"", `data.include: must be a list, written as YAML; it holds more than one document`},
		{"flat: one YAML and rubbish", flat + "  include: \"[]\\n---\\n[\"", `data.include: must be a list, written as YAML; line 3: not valid YAML: did not find expected node content`},
		{"flat: not a list", flat + "  include: x", `data.include: must be a list, not a string`},
		{"flat: not a mapping", flat + "  rename.annotations: a=b", `data["rename.annotations"]: must be a mapping, not a string`},
		{"flat: within text", flat + "  include: '[{name: [x]}]'", `data.include[0].name: must be a string, not a list`},
		{"flat: twice", flat + "  mode: Rename", `data.mode: is set twice; remove one of the two`},

		{"all at once, in order", head + `
metadata: x
spec:
  report: 1
  policy: None
  report: 2
  rename: {annotations: {a b: c}, immutable: 2, generated: Y}
  include: [1, {}, {kind: "["}]
more: true`,
			"metadata: must be a mapping, not a string\n" +
				"spec.report: is set twice; remove one of the two\n" +
				"spec.mode: is required: one of Rename, Annotate\n" +
				"spec.report: must be one of Problems, Full, not a number\n" +
				"spec.policy: \"None\" is not one of All, OptIn, Reloader, Wave\n" +
				"spec.rename.annotations[\"a b\"]: \"a b\" is not " + annotationRule + "\n" +
				"spec.rename.immutable: must be true or false, not \"2\"\n" +
				"spec.rename.generated: \"Y\" is not one of Auto, Adopt, Leave\n" +
				"spec.include[0]: must be a mapping, not a number\n" +
				"spec.include[1]: an empty selector would match everything; give at least one of its fields\n" +
				"spec.include[2].kind: \"[\" is not a regular expression: error parsing regexp: missing closing ]: `[`\n" +
				"more: is not a known field; known here: apiVersion, kind, metadata, spec"},
	} {
		t.Run(test.label, func(t *testing.T) {
			got, err := parse(t, test.document)
			if err == nil {
				t.Fatalf("no error, but %+v", got)
			}
			if got != nil {
				t.Errorf("an error, and %+v with it", got)
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrors_giveAccessToEach(t *testing.T) {
	_, err := parse(t, head+"spec: {mode: x, report: y}")
	want := Errors{
		{Path: "spec.mode", Message: `"x" is not one of Rename, Annotate`},
		{Path: "spec.report", Message: `"y" is not one of Problems, Full`},
	}
	var errs Errors
	if !errors.As(err, &errs) {
		t.Fatalf("%T is not Errors", err)
	}
	if diff := cmp.Diff(want, errs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var first FieldError
	if !errors.As(err, &first) || first.Path != "spec.mode" {
		t.Errorf("errors.As finds %+v, want the first", first)
	}
}

func TestParse_neverEchoesTheSalt(t *testing.T) {
	const salt = "hunter2-hunter2"
	for label, document := range map[string]string{
		"next to an error":          head + "spec: {mode: x, salt: " + salt + "}",
		"twice":                     head + "spec: {mode: Rename, salt: " + salt + ", salt: " + salt + "}",
		"in a list":                 head + "spec: {mode: Rename, salt: [" + salt + "]}",
		"in a mapping":              head + "spec: {mode: Rename, salt: {value: " + salt + "}}",
		"as a key":                  head + "spec: {mode: Rename, salt: {" + salt + ": x}}",
		"tagged":                    head + "spec: {mode: Rename, salt: !secret " + salt + "}",
		"misspelt":                  head + "spec: {mode: Rename, slat: " + salt + "}",
		"outside of spec":           head + "salt: " + salt + "\nspec: {mode: Rename}",
		"in rename":                 head + "spec: {mode: Rename, rename: {salt: " + salt + "}}",
		"instead of a mapping":      head + "spec: 'salt: " + salt + "'",
		"without a blank":           head + "spec: {mode: Rename, salt:" + salt + "}",
		"without a blank, twice":    head + "spec: {mode: Rename, salt:" + salt + ": , salt:" + salt + ": }",
		"with an equals sign":       head + "spec: {mode: Rename, salt=" + salt + "}",
		"flat, next to an error":    flatHead + "data: {mode: x, salt: " + salt + "}",
		"flat, in a list":           flatHead + "data: {mode: Rename, salt: [" + salt + "]}",
		"flat, misspelt":            flatHead + "data: {mode: Rename, slat: " + salt + "}",
		"flat, with an equals sign": flatHead + "data: {mode: Rename, salt=" + salt + ": ''}",
		"flat, instead of data":     flatHead + "data: salt=" + salt,
	} {
		_, err := parse(t, document)
		if err == nil {
			t.Errorf("%s: no error", label)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error quotes the salt: %v", label, err)
		}
	}
}

func TestParseMode_listsWhatIsAllowed(t *testing.T) {
	for _, mode := range []Mode{ModeRename, ModeAnnotate} {
		if got, err := ParseMode(string(mode)); err != nil || got != mode {
			t.Errorf("ParseMode(%q) = %q, %v", mode, got, err)
		}
	}
	for _, policy := range []Policy{PolicyAll, PolicyOptIn, PolicyReloader, PolicyWave} {
		if got, err := ParsePolicy(string(policy)); err != nil || got != policy {
			t.Errorf("ParsePolicy(%q) = %q, %v", policy, got, err)
		}
	}
	_, err := ParseMode("rename")
	if want := `mode "rename" is not one of Rename, Annotate; did you mean Rename?`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_, err = ParsePolicy("")
	if want := `policy "" is not one of All, OptIn, Reloader, Wave`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(everything)
	f.Add(flatHead + "data: {mode: Rename, include: '[{name: a}]', rename.annotations: '{a: b}', discover: 'true'}")
	f.Add(head + "spec: &s {mode: Rename, <<: [*s, {policy: All}], rename: *s}")
	f.Add("{}")
	f.Fuzz(func(t *testing.T, document string) {
		var node yaml.Node
		if err := yaml.Unmarshal([]byte(document), &node); err != nil {
			return
		}
		config, err := Parse(&node)
		if err != nil {
			var errs Errors
			if config != nil || !errors.As(err, &errs) || len(errs) == 0 {
				t.Fatalf("%+v, %#v", config, err)
			}
			return
		}
		if _, err := ParseMode(string(config.Spec.Mode)); err != nil {
			t.Error(err)
		}
	})
}
