package reloader

import (
	"bytes"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A decisionCase is an entry of testdata/decisions.yaml.
type decisionCase struct {
	Label         string
	AutoReloadAll bool              `yaml:"autoReloadAll"`
	Workload      map[string]string `yaml:"workload"`
	PodTemplate   map[string]string `yaml:"podTemplate"`
	Object        struct {
		Kind, Name  string
		Annotations map[string]string
	}
	Invalid  int
	Decision string
}

func decisionCases(t testing.TB) []decisionCase {
	t.Helper()
	content, err := os.ReadFile("testdata/decisions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var cases []decisionCase
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	if err := decoder.Decode(&cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

var decisions = map[string]Decision{
	"none":  {},
	"named": {Reload: true},
	"auto":  {Reload: true, Auto: true},
}

func TestDecide_decidesAsReloader(t *testing.T) {
	labels := map[string]bool{}
	for _, tc := range decisionCases(t) {
		if labels[tc.Label] {
			t.Errorf("two cases are called %q", tc.Label)
		}
		labels[tc.Label] = true
		t.Run(tc.Label, func(t *testing.T) {
			want, ok := decisions[tc.Decision]
			if !ok {
				t.Fatalf("unknown decision %q", tc.Decision)
			}
			c := New(v1alpha1.Reloader{AutoReloadAll: tc.AutoReloadAll})
			w := c.Read(tc.Workload).WithPodTemplate(tc.PodTemplate)
			got := w.Decide(Object{Kind: tc.Object.Kind, Names: []string{tc.Object.Name}, Annotations: tc.Object.Annotations})
			if got.Reason == "" {
				t.Error("no reason")
			}
			got.Reason = ""
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			invalid := 0
			for _, e := range c.expressions {
				if e.Err != nil {
					invalid++
				}
			}
			if invalid != tc.Invalid {
				t.Errorf("%d patterns are invalid, want %d", invalid, tc.Invalid)
			}
		})
	}
}

func TestDecide_givesReasons(t *testing.T) {
	type m = map[string]string
	// Controllers are shared, as one workload's requests must not affect the next.
	controllers := map[bool]*Controller{false: New(v1alpha1.Reloader{}), true: New(v1alpha1.Reloader{AutoReloadAll: true})}
	for _, tc := range []struct {
		label, want           string
		all                   bool
		workload, podTemplate m
		object                Object
	}{
		{label: "nothing", want: "no annotation of Reloader's asks for it"},
		{label: "another kind", want: "Reloader does not watch objects of the kind Service", all: true, object: Object{Kind: "Service"}},
		{label: "ignore", want: `it has reloader.stakater.com/ignore: "true"`, all: true, object: Object{Annotations: m{"reloader.stakater.com/ignore": "true"}}},
		{label: "exclude", want: "secrets.exclude.reloader.stakater.com/reload lists it", all: true,
			workload: m{"secrets.exclude.reloader.stakater.com/reload": "app"}, object: Object{Kind: Secret}},
		{label: "a name", want: "configmap.reloader.stakater.com/reload names it", workload: m{"configmap.reloader.stakater.com/reload": "other,app"}},
		{label: "a pattern", want: `configmap.reloader.stakater.com/reload on the pod template names it by the pattern "a.*"`,
			podTemplate: m{"configmap.reloader.stakater.com/reload": "a.*"}},
		{label: "search and match", want: `reloader.stakater.com/search is "true", and it has reloader.stakater.com/match: "true"`,
			workload: m{"reloader.stakater.com/search": "true"}, object: Object{Annotations: m{"reloader.stakater.com/match": "true"}}},
		{label: "auto", want: `reloader.stakater.com/auto on the pod template is "t"`, podTemplate: m{"reloader.stakater.com/auto": "t"}},
		{label: "typed auto", want: `configmap.reloader.stakater.com/auto is "1"`, workload: m{"configmap.reloader.stakater.com/auto": "1", "reloader.stakater.com/auto": "0"}},
		{label: "the flag", want: "spec.reloader.autoReloadAll is true", all: true},
		{label: "auto is false", want: `reloader.stakater.com/auto is "false"`, all: true, workload: m{"reloader.stakater.com/auto": "false"}},
		{label: "an empty auto", want: `reloader.stakater.com/auto is ""`, workload: m{"reloader.stakater.com/auto": ""}, podTemplate: m{"reloader.stakater.com/auto": "true"}},
		{label: "not named, not marked", want: `configmap.reloader.stakater.com/reload does not name it, and reloader.stakater.com/search is "true" but it has no reloader.stakater.com/match: "true"`,
			workload: m{"configmap.reloader.stakater.com/reload": "other", "reloader.stakater.com/search": "true"}},
		{label: "an empty search", want: `reloader.stakater.com/search is ""`, workload: m{"reloader.stakater.com/search": ""}},
		{label: "search with another value", want: `reloader.stakater.com/search is "yes"`, workload: m{"reloader.stakater.com/search": "yes"}},
		{label: "another typed auto", want: "no annotation of Reloader's asks for it", workload: m{"secret.reloader.stakater.com/auto": "true"}},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if tc.object.Kind == "" {
				tc.object.Kind = ConfigMap
			}
			tc.object.Names = []string{"app"}
			got := controllers[tc.all].Read(tc.workload).WithPodTemplate(tc.podTemplate).Decide(tc.object)
			if got.Reason != tc.want {
				t.Errorf("got  %s\nwant %s", got.Reason, tc.want)
			}
		})
	}
}

func TestDecide_findsAnObjectByAnyOfItsNames(t *testing.T) {
	c := New(v1alpha1.Reloader{})
	object := Object{Kind: ConfigMap, Names: []string{"dev-app-4h2mbtbbt6", "app", "dev-app"}}
	for label, tc := range map[string]struct {
		annotations map[string]string
		want        bool
	}{
		"an earlier name":                  {map[string]string{"configmap.reloader.stakater.com/reload": "app"}, true},
		"the name without the hash":        {map[string]string{"configmap.reloader.stakater.com/reload": "dev-app"}, true},
		"a pattern for the present name":   {map[string]string{"configmap.reloader.stakater.com/reload": "dev-app-.*"}, true},
		"none of them":                     {map[string]string{"configmap.reloader.stakater.com/reload": "dev"}, false},
		"an earlier name excluded":         {map[string]string{"reloader.stakater.com/auto": "true", "configmaps.exclude.reloader.stakater.com/reload": "app"}, false},
		"excluded by name without a hash":  {map[string]string{"reloader.stakater.com/auto": "true", "configmaps.exclude.reloader.stakater.com/reload": "dev-app"}, false},
		"excluded by what it never was":    {map[string]string{"reloader.stakater.com/auto": "true", "configmaps.exclude.reloader.stakater.com/reload": "dev"}, true},
		"named and excluded by two of its": {map[string]string{"configmap.reloader.stakater.com/reload": "dev-app", "configmaps.exclude.reloader.stakater.com/reload": "app"}, false},
	} {
		if got := c.Read(tc.annotations).Decide(object).Reload; got != tc.want {
			t.Errorf("%s: got %t", label, got)
		}
	}
}

func TestDecide_readsTheKeysThatFlagsChanged(t *testing.T) {
	type m = map[string]string
	settings := v1alpha1.Reloader{AnnotationKeys: m{
		"reloader.stakater.com/auto":             "example.com/auto",
		"configmap.reloader.stakater.com/auto":   "example.com/configmap-auto",
		"secret.reloader.stakater.com/auto":      "example.com/secret-auto",
		"configmap.reloader.stakater.com/reload": "example.com/reload",
		"secret.reloader.stakater.com/reload":    "example.com/reload", // one key for two kinds
		"reloader.stakater.com/search":           "example.com/search",
		"reloader.stakater.com/match":            "example.com/match",
		"reloader.stakater.com/ignore":           "example.com/ignore",
	}}
	for _, tc := range []struct {
		label            string
		kind             string
		workload, object m
		want             Decision
	}{
		{"auto", ConfigMap, m{"example.com/auto": "true"}, nil, Decision{true, true, `example.com/auto is "true"`}},
		{"auto, the default key", ConfigMap, m{"reloader.stakater.com/auto": "true"}, nil, Decision{Reason: "no annotation of Reloader's asks for it"}},
		{"typed auto of ConfigMaps", ConfigMap, m{"example.com/configmap-auto": "true"}, nil, Decision{true, true, `example.com/configmap-auto is "true"`}},
		{"typed auto of Secrets", Secret, m{"example.com/secret-auto": "true"}, nil, Decision{true, true, `example.com/secret-auto is "true"`}},
		{"a ConfigMap's name", ConfigMap, m{"example.com/reload": "app"}, nil, Decision{true, false, "example.com/reload names it"}},
		{"a Secret's name", Secret, m{"example.com/reload": "app"}, nil, Decision{true, false, "example.com/reload names it"}},
		{"a SecretProviderClass's name, for which there is no flag", SecretProviderClass, m{"secretproviderclass.reloader.stakater.com/reload": "app"}, nil,
			Decision{true, false, "secretproviderclass.reloader.stakater.com/reload names it"}},
		{"search and match", ConfigMap, m{"example.com/search": "true"}, m{"example.com/match": "true"},
			Decision{true, true, `example.com/search is "true", and it has example.com/match: "true"`}},
		{"the default match", ConfigMap, m{"example.com/search": "true"}, m{"reloader.stakater.com/match": "true"},
			Decision{Reason: `example.com/search is "true" but it has no example.com/match: "true"`}},
		{"ignore", ConfigMap, m{"example.com/auto": "true"}, m{"example.com/ignore": "true"}, Decision{Reason: `it has example.com/ignore: "true"`}},
		{"the default ignore", ConfigMap, m{"example.com/auto": "true"}, m{"reloader.stakater.com/ignore": "true"}, Decision{true, true, `example.com/auto is "true"`}},
		{"exclude, for which there is no flag", ConfigMap, m{"example.com/auto": "true", "configmaps.exclude.reloader.stakater.com/reload": "app"}, nil,
			Decision{Reason: "configmaps.exclude.reloader.stakater.com/reload lists it"}},
	} {
		t.Run(tc.label, func(t *testing.T) {
			got := New(settings).Read(tc.workload).Decide(Object{Kind: tc.kind, Names: []string{"app"}, Annotations: tc.object})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPatterns_areTheEffectiveOnes(t *testing.T) {
	type pattern struct {
		Text        string
		Literal     bool
		Key         string
		PodTemplate bool
		Err         string
	}
	const configMaps, secrets = "configmap.reloader.stakater.com/reload", "secret.reloader.stakater.com/reload"
	w := New(v1alpha1.Reloader{}).Read(map[string]string{configMaps: " app-1 ,,bad[,a.b, App"}).
		WithPodTemplate(map[string]string{configMaps: "unread", secrets: "tls"})
	for kind, want := range map[string][]pattern{
		ConfigMap: {
			{"app-1", true, configMaps, false, ""}, {"bad[", false, configMaps, false, "error parsing regexp: missing closing ]: `[$`"},
			{"a.b", false, configMaps, false, ""}, {"App", true, configMaps, false, ""},
		},
		Secret:              {{"tls", true, secrets, true, ""}},
		SecretProviderClass: nil,
		"Service":           nil,
	} {
		var got []pattern
		for _, p := range w.Patterns(kind) {
			err := ""
			if p.Err != nil {
				err = p.Err.Error()
			}
			got = append(got, pattern{p.Text, p.Literal != "", p.Key, p.PodTemplate, err})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}

func TestMatch_coversTheWholeName(t *testing.T) {
	for _, tc := range []struct {
		pattern, name string
		want          bool
	}{
		{"app", "app", true},
		{"app", "app-1", false},
		{"app", "my-app", false},
		{"a.p", "abp", true},
		{"app-[0-9]+", "app-12", true},
		{"app-[0-9]+", "app-12-x", false},
	} {
		c := New(v1alpha1.Reloader{})
		p := c.patterns("key", false, tc.pattern)
		if len(p) != 1 || p[0].Match(tc.name) != tc.want {
			t.Errorf("%s matches %s: want %t", tc.pattern, tc.name, tc.want)
		}
	}
}

func TestAnnotations_checkValues(t *testing.T) {
	const exclude, strategy = "configmaps.exclude.reloader.stakater.com/reload", "reloader.stakater.com/rollout-strategy"
	takenForFalse := `, which Reloader takes for false; write "true" or "false"`
	workload, podTemplate, object := New(v1alpha1.Reloader{AnnotationKeys: map[string]string{"reloader.stakater.com/auto": "example.com/auto"}}).Annotations()
	for _, tc := range []struct {
		label      string
		known      map[string]func(string) string
		key, value string
		want       string
	}{
		{"auto as strconv reads it", workload, "example.com/auto", "F", ""},
		{"an empty auto", workload, "example.com/auto", "", ""},
		{"auto with a word", workload, "example.com/auto", "yes", `is "yes"` + takenForFalse},
		{"typed auto with a space", podTemplate, "secret.reloader.stakater.com/auto", "true ", `is "true "` + takenForFalse},
		{"search is false", workload, "reloader.stakater.com/search", "false", ""},
		{"search as 1", podTemplate, "reloader.stakater.com/search", "1", `is "1"` + takenForFalse},
		{"match as True", object, "reloader.stakater.com/match", "True", `is "True"` + takenForFalse},
		{"ignore", object, "reloader.stakater.com/ignore", "true", ""},
		{"names and expressions", workload, "configmap.reloader.stakater.com/reload", "a,b[", ""},
		{"excluded names", workload, exclude, "a, b.c,", ""},
		{"an excluded expression", workload, exclude, "a,b.*", `holds "b.*", which is not a name; list names, separated by commas`},
		{"an excluded name with a namespace", workload, exclude, "prod/a", `holds "prod/a", which is not a name; list names, separated by commas`},
		{"a rollout", workload, strategy, "rollout", ""},
		{"a restart", workload, strategy, "restart", `is "restart", but a build can only change the pod template; write "rollout" or remove it`},
		{"a pause", workload, "deployment.reloader.stakater.com/pause-period", "5m", "cannot be followed: one apply is one rollout; remove it"},
	} {
		t.Run(tc.label, func(t *testing.T) {
			check := tc.known[tc.key]
			if check == nil {
				t.Fatalf("%s is not read there", tc.key)
			}
			if got := check(tc.value); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	if workload["reloader.stakater.com/auto"] != nil || podTemplate[exclude] != nil || object["reloader.stakater.com/search"] != nil {
		t.Error("an annotation is known that is not read there")
	}
}
