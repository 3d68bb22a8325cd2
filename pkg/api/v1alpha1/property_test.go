package v1alpha1

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	random "github.com/confighash/confighash/test/support/property"
)

// TestParse_readsBothFormsAlike writes a random configuration as a ConfigHash and as a ConfigMap, and parses both.
func TestParse_readsBothFormsAlike(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		want := configs().Draw(t, "config")
		spec := tree(want.Spec, rapid.Bool().Draw(t, "defaults left out"))
		meta := map[string]any{"name": want.Metadata.Name}

		data := map[string]any{}
		flatten(t, spec, "", data)
		for label, document := range map[string]map[string]any{
			"ConfigHash": {"apiVersion": APIVersion, "kind": Kind, "metadata": meta, "spec": spec},
			"ConfigMap":  {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data},
		} {
			written, err := yaml.Marshal(document)
			if err != nil {
				t.Fatal(err)
			}
			var node yaml.Node
			if err := yaml.Unmarshal(written, &node); err != nil {
				t.Fatal(err)
			}
			got, err := Parse(&node)
			if err != nil {
				t.Fatalf("%s: %v\n%s", label, err, written)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s\n%s", label, diff, written)
			}
		}
	})
}

// tree returns spec in the form of a document. It is written by hand, independently of the field names in fields.go.
func tree(s Spec, sparse bool) map[string]any {
	selectors := func(selectors []Selector) []any {
		var list []any
		for _, s := range selectors {
			list = append(list, compact(map[string]any{
				"group": s.Group, "version": s.Version, "kind": s.Kind, "name": s.Name, "namespace": s.Namespace,
				"labelSelector": s.LabelSelector, "annotationSelector": s.AnnotationSelector,
			}))
		}
		return list
	}
	var references []any
	for _, r := range s.References {
		var fieldSpecs []any
		for _, f := range r.FieldSpecs {
			fieldSpecs = append(fieldSpecs, compact(map[string]any{
				"group": f.Group, "version": f.Version, "kind": f.Kind, "path": f.Path, "create": f.CreateIfNotPresent,
			}))
		}
		references = append(references, compact(map[string]any{
			"version": r.Version, "kind": string(r.Kind), "fieldSpecs": fieldSpecs,
		}))
	}
	var podTemplates []any
	for _, p := range s.PodTemplates {
		podTemplates = append(podTemplates, compact(map[string]any{
			"group": p.Group, "version": p.Version, "kind": p.Kind, "path": p.Path,
		}))
	}
	full := map[string]any{
		"mode": string(s.Mode), "policy": string(s.Policy),
		"include": selectors(s.Include), "exclude": selectors(s.Exclude),
		"salt": s.Salt, "jobs": string(s.Jobs),
		"rename": map[string]any{
			"unreferenced": string(s.Rename.Unreferenced), "readByName": string(s.Rename.ReadByName), "generated": string(s.Rename.Generated),
			"granularity": string(s.Rename.Granularity), "keep": s.Rename.Keep, "immutable": s.Rename.Immutable, "annotations": s.Rename.Annotations,
		},
		"annotate": map[string]any{
			"key": s.Annotate.Key, "scope": string(s.Annotate.Scope), "granularity": string(s.Annotate.Granularity),
		},
		"podMetadata": map[string]any{"dropLabels": s.PodMetadata.DropLabels, "dropAnnotations": s.PodMetadata.DropAnnotations},
		"references":  references, "podTemplates": podTemplates,
		"namespace": s.Namespace, "discover": *s.Discover, "unresolved": string(s.Unresolved),
		"reloader": map[string]any{
			"autoReloadAll": s.Reloader.AutoReloadAll, "annotationKeys": s.Reloader.AnnotationKeys,
		},
		"report": string(s.Report),
	}
	if s.Namespace == "" {
		delete(full, "namespace")
	}
	if sparse {
		leaveOutDefaults(full, tree(New("", "").Spec, false))
	}
	return full
}

func leaveOutDefaults(full, defaults map[string]any) {
	for key, value := range full {
		inner, ok := value.(map[string]any)
		if ok {
			leaveOutDefaults(inner, defaults[key].(map[string]any))
		}
		if ok && len(inner) == 0 || !ok && cmp.Equal(value, defaults[key]) {
			delete(full, key)
		}
	}
}

// compact removes empty and false values.
func compact(m map[string]any) map[string]any {
	for key, value := range m {
		if value == "" || value == false {
			delete(m, key)
		}
	}
	return m
}

func flatten(t *rapid.T, m map[string]any, prefix string, into map[string]any) {
	for key, value := range m {
		switch value := value.(type) {
		case map[string]any:
			flatten(t, value, prefix+key+".", into)
		case string:
			into[prefix+key] = value
		case bool:
			into[prefix+key] = strconv.FormatBool(value)
		default:
			written, err := yaml.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			into[prefix+key] = string(written)
		}
	}
}

func configs() *rapid.Generator[*ConfigHash] {
	return rapid.Custom(func(t *rapid.T) *ConfigHash {
		boolean := func(label string) bool { return rapid.Bool().Draw(t, label) }
		pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
		several := func(label string) int { return rapid.IntRange(0, 2).Draw(t, label) }
		table := func(label string, values []string, keys ...string) map[string]string {
			var m map[string]string
			for range several(label) {
				if m == nil {
					m = map[string]string{}
				}
				m[pick(label+" key", keys...)] = pick(label+" value", values...)
			}
			return m
		}
		selectors := func(label string) []Selector {
			var list []Selector
			for range several(label) {
				var s Selector
				s.Group = pick("group", "", ".*", "apps")
				s.Version = pick("version", "", "v1")
				s.Kind = pick("kind", "", "ConfigMap|Secret", "true")
				s.Name = pick("name", "app-[0-9]+", "1e3", "~", "yes", "(?i)x", "a: b", "# c")
				s.Namespace = pick("namespace", "", "prod")
				s.LabelSelector = pick("labelSelector", "", "a=b", "a in (b, c)", "!a")
				s.AnnotationSelector = pick("annotationSelector", "", "a/b!=c")
				list = append(list, s)
			}
			return list
		}

		c := New(
			Mode(pick("mode", "Rename", "Annotate")),
			Policy(pick("policy", "All", "OptIn", "Reloader", "Wave")))
		c.Metadata.Name = pick("metadata.name", "a", "null", "x y")
		s := &c.Spec
		s.Include, s.Exclude = selectors("include"), selectors("exclude")
		s.Salt = rapid.OneOf(rapid.SampledFrom([]string{"", "~", "yes", "1e3", "0x1F", "null", " a ", "a\nb\n", "<<"}), printable()).Draw(t, "salt")
		s.Jobs = Jobs(pick("jobs", "Leave", "Rename"))
		s.Rename = Rename{
			Keep:         several("keep"),
			Granularity:  Granularity(pick("granularity of names", "Object", "Key")),
			Unreferenced: Unreferenced(pick("unreferenced", "Keep", "Rename")),
			ReadByName:   ReadByName(pick("readByName", "Keep", "Rename")),
			Generated:    Generated(pick("generated", "Auto", "Adopt", "Leave")),
			Immutable:    boolean("immutable"),
			Annotations:  table("annotations", []string{"", "true", "~", "1", "a\nb", "PruneLast=true"}, "a", "1", "true", "Example.com/b", "c"),
		}
		s.PodMetadata = PodMetadata{DropLabels: []string{"helm.sh/chart"}, DropAnnotations: []string{"checksum/*", "*"}}
		s.Annotate = Annotate{
			Key:         pick("key", "checksum/config", "x", "1", "confighash.dev/checksum"),
			Scope:       Scope(pick("scope", "Workload", "Source")),
			Granularity: Granularity(pick("granularity", "Key", "Object")),
		}
		if s.Annotate.Scope == ScopeSource {
			s.Annotate.Key = pick("prefixed key", "checksum/config", "confighash.dev/checksum")
		}
		for range several("references") {
			r := Reference{Kind: TargetKind(pick("target", "ConfigMap", "Secret")), Version: pick("target version", "", "v1")}
			for i := range 1 + several("fieldSpecs") {
				var f FieldSpec
				f.Group, f.Version, f.Kind = pick("group", "", "apps"), pick("version", "", "v1"), pick("kind", "", "App", "Null")
				f.Path = pick("path", "spec/name", "/a", `metadata/annotations/x.y\/z`, "a[]/b", "spec/*/c") + fmt.Sprint(i)
				f.CreateIfNotPresent = boolean("create")
				r.FieldSpecs = append(r.FieldSpecs, f)
			}
			s.References = append(s.References, r)
		}
		for range several("podTemplates") {
			s.PodTemplates = append(s.PodTemplates, PodTemplate{
				Group: pick("group", "", "example.com"), Version: pick("version", "", "v1"),
				Kind: pick("kind", "App", "Yes"), Path: pick("path", "template", "spec/template"),
			})
		}
		s.Namespace = pick("namespace", "default", "prod", "1", "true", "null")
		s.Discover = new(boolean("discover"))
		s.Unresolved = Unresolved(pick("unresolved", "Ignore", "Warn", "Error"))
		s.Reloader = Reloader{
			AutoReloadAll:  boolean("autoReloadAll"),
			AnnotationKeys: table("annotationKeys", []string{"a", "b.c/d"}, reloaderKeys...),
		}
		s.Report = Report(pick("report", "Problems", "Full"))
		return c
	})
}

// printable generates text that yaml.v3 reads as it wrote it, unlike a block of text that begins with tabs.
func printable() *rapid.Generator[string] {
	return rapid.StringMatching(`[ -~äß€\n]{0,12}`)
}
