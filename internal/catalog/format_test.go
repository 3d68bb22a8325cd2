package catalog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A formatCase is the expected match of a pattern in a value.
type formatCase struct {
	pattern, value string
	want           string // name, namespace, key, target; empty for no match
}

func formatCases() []formatCase {
	return []formatCase{
		{"{name}", "app", "app,,,none"},
		{"{name}", "app.v1-x", "app.v1-x,,,none"},
		{"{name}", "App_Config", "App_Config,,,none"},
		{"{name}", "", ""},
		{"{name}", "-app", ""},
		{"{name}", "app.", ""},
		{"{name}", "a b", ""},
		{"{name}", "other/app", ""},
		{"{name}", "${pvc.name}", ""},
		{"{name}", "{{ .Values.name }}", ""},
		{"{name}", "app\n", ""},
		{"{namespace}/{name}", "other/app", "app,other,,none"},
		{"{namespace}/{name}", "app", ""},
		{"{namespace}/{name}", "a/b/c", ""},
		{"{namespace}/{name}", "other/app\n", ""},
		{"{namespace}/{name}", "file:///etc/tls", ""},
		{"[{namespace}/]{name}", "other/app", "app,other,,none"},
		{"[{namespace}/]{name}", "app", "app,,,none"},
		{"[{namespace}/]{name}", "/app", ""},
		{"[{namespace}/]{name}", "https://example.com", ""},
		{"configmap:{configMap}[/{key}]", "configmap:app/file.txt", "app,,file.txt,ConfigMap"},
		{"configmap:{configMap}[/{key}]", "configmap:app", "app,,,ConfigMap"},
		{"configmap:{configMap}[/{key}]", "secret:app", ""},
		{"[{any}=]secret:{secret}", "A=secret:app", "app,,,Secret"},
		{"kubernetes://{name}", "kubernetes://app", "app,,,none"},
		{"kubernetes://{name}", "app", ""},
		{"kubernetes-gateway://{namespace}/{name}", "kubernetes-gateway://ns/app", "app,ns,,none"},
		{"{name}.{namespace}", "app.v1.other", "app.v1,other,,none"},
		{"{any}={name}[:{key}]", "VAR=app:key", "app,,key,none"},
		{"{any}={name}[:{key}]", "VAR=app", "app,,,none"},
		{"{name}.{namespace}", "app", ""},
		{"kubernetes://[{namespace}/]{name}", "kubernetes://app", "app,,,none"},
		{"kubernetes://[{namespace}/]{name}", "kubernetes://ns/app", "app,ns,,none"},
		{"kubernetes://[{namespace}/]{name}", "kubernetes-gateway://ns/app", ""},
		{"k8s://{namespace}/{name}", "k8s://ns/app", "app,ns,,none"},
		{"k8s://{namespace}/{name}", "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----", ""},
		{"git:secret:[{namespace}/]{name}", "git:secret:argocd-image-updater/git-creds", "git-creds,argocd-image-updater,,none"},
		{"git:secret:[{namespace}/]{name}", "git:secret:git-creds", "git-creds,,,none"},
		{"git:secret:[{namespace}/]{name}", "git:repocreds", ""},
		{"pullsecret:{namespace}/{name}", "pullsecret:argocd/registry", "registry,argocd,,none"},
		{"secret:{namespace}/{name}#{key}", "secret:argocd/registry#creds", "registry,argocd,creds,none"},
		{"{name}[/{key}]", "app/tls.crt", "app,,tls.crt,none"},
		{"{name}[/{key}]", "app", "app,,,none"},
		{"[{any}=]configmap:{configMap}[/{key}][@{any}]", "configmap:app", "app,,,ConfigMap"},
		{"[{any}=]configmap:{configMap}[/{key}][@{any}]", "configmap:app/file.txt@/etc/app", "app,,file.txt,ConfigMap"},
		{"[{any}=]configmap:{configMap}[/{key}][@{any}]", "VAR=configmap:app/key", "app,,key,ConfigMap"},
		{"[{any}=]configmap:{configMap}[/{key}][@{any}]", "VAR=value", ""},
		{"[{any}=]secret:{secret}[/{key}][@{any}]", "secret:app@/etc/app", "app,,,Secret"},
		{"[{any}=]secret:{secret}[/{key}][@{any}]", "configmap:app", ""},
		{"ConfigMap/{configMap}", "ConfigMap/app", "app,,,ConfigMap"},
		{"Secret/{secret}", "Secret/app", "app,,,Secret"},
		{"/namespaces/{namespace}/ConfigMap/{configMap}", "/namespaces/ns/ConfigMap/app", "app,ns,,ConfigMap"},
		{"/namespaces/{namespace}/Secret/{secret}", "/namespaces/ns/Secret/app", "app,ns,,Secret"},
		{"a.b+{name}", "a.b+app", "app,,,none"},
		{"a.b+{name}", "axbbapp", ""},
	}
}

// TestFormat_everyPatternOfTheDataHasACase ensures that every pattern has been seen to match.
func TestFormat_everyPatternOfTheDataHasACase(t *testing.T) {
	matched := map[string]bool{}
	for _, tc := range formatCases() {
		matched[tc.pattern] = matched[tc.pattern] || tc.want != ""
	}
	check := func(where string, entries []Entry) {
		for _, e := range entries {
			for _, f := range e.Formats {
				if !matched[f.String()] {
					t.Errorf("%s: %s: no value is tried on %s", where, e.Path, f)
				}
			}
		}
	}
	documents := writtenDocuments(Builtin())
	for _, d := range documents {
		check(d.Group, d.Entries)
	}
	for _, s := range subtrees(Builtin()) {
		check(s.Name, s.References)
	}
}

func formatOf(t testing.TB, pattern string) *Format {
	t.Helper()
	f := new(Format)
	if err := f.UnmarshalText([]byte(pattern)); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFormat_findsNames(t *testing.T) {
	for _, tc := range formatCases() {
		f := formatOf(t, tc.pattern)
		got := ""
		if m, ok := f.Match(tc.value); ok {
			text := func(s Span) string { return tc.value[s.Start:s.End] }
			got = strings.Join([]string{text(m.Name), text(m.Namespace), text(m.Key), m.Target.String()}, ",")
		}
		if got != tc.want {
			t.Errorf("%s on %q: %q, want %q", tc.pattern, tc.value, got, tc.want)
		}
	}
}

func TestFormat_refusesInvalidPatterns(t *testing.T) {
	for _, pattern := range []string{"{nam}", "{name", "[{name}", "{name}]", "](", "plain", "{name}{name}", "{configMap}{name}"} {
		if err := new(Format).UnmarshalText([]byte(pattern)); err == nil || !strings.Contains(err.Error(), pattern) {
			t.Errorf("%s: error %v, want one with the pattern", pattern, err)
		}
	}
}

func TestParsePath_readsKustomizesPaths(t *testing.T) {
	for text, want := range map[string]Path{
		"":                                    nil,
		"a":                                   {"a"},
		"a/b-c/d":                             {"a", "b-c", "d"},
		`metadata/annotations/example.com\/a`: {"metadata", "annotations", "example.com/a"},
		"spec/containers[]/name":              {"spec", "containers", "name"},
		"spec/**/*Ref/name":                   {"spec", "**", "*Ref", "name"},
		"a[][]":                               {"a[]"},
		"/a/b":                                {"a", "b"},
	} {
		got, err := ParsePath(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		if again, err := ParsePath(got.String()); err != nil || cmp.Diff(got, again) != "" {
			t.Errorf("%s: its text %q reads as %q, %v", text, got, again, err)
		}
	}
	for _, text := range []string{"/", "//a", "a/", "a//b", "[]"} {
		if p, err := ParsePath(text); err == nil {
			t.Errorf("%q reads as %q, want an error", text, p)
		}
	}
}

func TestRelative_readsTheThreeForms(t *testing.T) {
	for text, want := range map[string]Relative{
		"namespace":      {Path: Path{"namespace"}},
		"../a/b":         {Up: 1, Path: Path{"a", "b"}},
		"../../a":        {Up: 2, Path: Path{"a"}},
		"/metadata/name": {Root: true, Path: Path{"metadata", "name"}},
	} {
		var got Relative
		if err := got.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{"", "/", "../", "a/*", "a//b"} {
		if r := new(Relative); r.UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q reads as %+v, want an error", text, r)
		}
	}
}

func TestSegment_matchesKeys(t *testing.T) {
	for _, tc := range []struct {
		segment Segment
		key     string
		want    bool
	}{
		{"a", "a", true}, {"a", "ab", false},
		{"*", "", true}, {"*", "anything/at.all", true},
		{"*Ref", "secretRef", true}, {"*Ref", "secretRefs", false},
		{"a*", "abc", true}, {"a*", "ba", false},
		{"a*b*c", "a-b-c", true}, {"a*b*c", "acb", false}, {"a*b*c", "abbc", true},
		{"a*a", "a", false}, {"a*a", "aa", true},
	} {
		if got := tc.segment.Matches(tc.key); got != tc.want {
			t.Errorf("%s on %q: %v, want %v", tc.segment, tc.key, got, tc.want)
		}
	}
}
