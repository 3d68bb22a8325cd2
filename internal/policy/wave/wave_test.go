package wave

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRead_readsAsWave(t *testing.T) {
	type annotations = map[string]string
	enabled := func(more annotations) annotations {
		more[UpdateOnConfigChange] = "true"
		return more
	}
	for _, tc := range []struct {
		label       string
		annotations annotations
		want        Workload
	}{
		{"nothing", nil, Workload{}},
		{"enabled", enabled(annotations{}), Workload{Enabled: true}},
		{"as True", annotations{UpdateOnConfigChange: "True"}, Workload{}},
		{"with a blank", annotations{UpdateOnConfigChange: "true "}, Workload{}},
		{"as 1", annotations{UpdateOnConfigChange: "1"}, Workload{}},
		{"says no", annotations{UpdateOnConfigChange: "false"}, Workload{}},
		{"extras of a workload that is not enabled", annotations{ExtraConfigMaps: "a", ExtraSecrets: "b"}, Workload{}},
		{
			"ConfigMaps and Secrets, in their own namespace and in others",
			enabled(annotations{ExtraSecrets: "tls,ns/tls", ExtraConfigMaps: "b,ns-2/a.b"}),
			Workload{true, []Name{{"ConfigMap", "", "b"}, {"ConfigMap", "ns-2", "a.b"}, {"Secret", "", "tls"}, {"Secret", "ns", "tls"}}},
		},
		{
			"blanks, which wave would look for", enabled(annotations{ExtraConfigMaps: " a, b , ns / c\n"}),
			Workload{true, []Name{{"ConfigMap", "", "a"}, {"ConfigMap", "", "b"}, {"ConfigMap", "ns", "c"}}},
		},
		{
			"one twice, and one of each kind", enabled(annotations{ExtraConfigMaps: "a,ns/a,a", ExtraSecrets: "a"}),
			Workload{true, []Name{{"ConfigMap", "", "a"}, {"ConfigMap", "ns", "a"}, {"Secret", "", "a"}}},
		},
		{"no names", enabled(annotations{ExtraConfigMaps: "", ExtraSecrets: " , ,,"}), Workload{Enabled: true}},
		{"empty halves", enabled(annotations{ExtraConfigMaps: "ns/,/a, / ,/"}), Workload{Enabled: true}},
		{"several slashes", enabled(annotations{ExtraConfigMaps: "a/b/c,ns/a/,//a,b"}), Workload{true, []Name{{"ConfigMap", "", "b"}}}},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Read(tc.annotations)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLintWorkload_tellsWhatIsReadOtherwiseThanMeant(t *testing.T) {
	type annotations = map[string]string
	const (
		form    = "; write NAME or NAMESPACE/NAME"
		written = "is written by wave into the cluster, and has no use in a manifest; remove it"
		alone   = `has no effect without wave.pusher.com/update-on-config-change: "true"; add that, or remove this`
		only    = "is read in the metadata of the workload itself only, not on the pod template; move it there"
		unknown = "is no annotation of wave's; it knows wave.pusher.com/update-on-config-change, wave.pusher.com/extra-configmaps and wave.pusher.com/extra-secrets"
		noName  = ", which can be no name: wave reads no patterns; list the names themselves"
		blanks  = ", and wave takes blanks for part of the name, and finds no such object; write "
	)
	extra := func(value string) annotations {
		return annotations{UpdateOnConfigChange: "true", ExtraSecrets: value}
	}
	for _, tc := range []struct {
		label                 string
		workload, podTemplate annotations
		want                  []Problem
	}{
		{label: "no annotations"},
		{label: "annotations of others", workload: annotations{"example.com/update-on-config-change": "True"}, podTemplate: annotations{"checksum/config": "x"}},
		{label: "all in order", workload: extra("a,ns/b.c-1")},
		{label: "no extras at all", workload: extra("")},
		{label: "says no", workload: annotations{UpdateOnConfigChange: "false"}},
		{label: "an empty value", workload: annotations{UpdateOnConfigChange: ""}},
		{label: "switched off, with extras", workload: annotations{UpdateOnConfigChange: "false", ExtraSecrets: "a"}},

		{
			label: "as True", workload: annotations{UpdateOnConfigChange: "True", ExtraConfigMaps: "a"},
			want: []Problem{{UpdateOnConfigChange, false, `is "True", and wave takes nothing but "true" for true; write "true"`}},
		},
		{
			label: "with a blank", workload: annotations{UpdateOnConfigChange: "true "},
			want: []Problem{{UpdateOnConfigChange, false, `is "true ", and wave takes nothing but "true" for true; write "true"`}},
		},
		{
			label: "extras alone", workload: annotations{ExtraConfigMaps: "a", ExtraSecrets: "b"},
			want: []Problem{{ExtraConfigMaps, false, alone}, {ExtraSecrets, false, alone}},
		},
		{
			label: "blanks", workload: extra("a, b,ns/ c"),
			want: []Problem{
				{ExtraSecrets, false, `holds " b"` + blanks + `"b"`},
				{ExtraSecrets, false, `holds "ns/ c"` + blanks + `"ns/c"`},
			},
		},
		{
			label: "an empty name", workload: extra("a,,b,"),
			want: []Problem{{ExtraSecrets, false, "holds an empty name; write commas only between names"}},
		},
		{
			label: "empty halves", workload: extra("ns/,/a"),
			want: []Problem{
				{ExtraSecrets, false, `holds "/a", of which one half is empty` + form},
				{ExtraSecrets, false, `holds "ns/", of which one half is empty` + form},
			},
		},
		{
			label: "several slashes", workload: extra("v1/ns/a"),
			want: []Problem{{ExtraSecrets, false, `holds "v1/ns/a", which has more than one slash and is left out` + form}},
		},
		{
			label: "patterns", workload: extra("app-.*,*/app,a b"),
			want: []Problem{
				{ExtraSecrets, false, `holds "*/app"` + noName},
				{ExtraSecrets, false, `holds "a b"` + noName},
				{ExtraSecrets, false, `holds "app-.*"` + noName},
			},
		},
		{
			label: "on the pod template", podTemplate: annotations{UpdateOnConfigChange: "true", ExtraConfigMaps: "a", ExtraSecrets: "b"},
			want: []Problem{{ExtraConfigMaps, true, only}, {ExtraSecrets, true, only}, {UpdateOnConfigChange, true, only}},
		},
		{
			label: "what wave wrote", workload: annotations{schedulingDisabled: "default-scheduler"}, podTemplate: annotations{configHash: "100444e9"},
			want: []Problem{{schedulingDisabled, false, written}, {configHash, true, written}},
		},
		{
			label: "unknown keys", workload: annotations{"wave.pusher.com/extra-configmap": "a"}, podTemplate: annotations{"wave.pusher.com/update": "true"},
			want: []Problem{{"wave.pusher.com/extra-configmap", false, unknown}, {"wave.pusher.com/update", true, unknown}},
		},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, append(LintWorkload(tc.workload), LintPodTemplate(tc.podTemplate)...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLintObject_tellsWhatIsNotReadThere(t *testing.T) {
	got := LintObject("Secret", map[string]string{UpdateOnConfigChange: "false", configHash: "x", "wave.pusher.com/x": "", "example.com/x": ""})
	want := []Problem{
		{configHash, false, "is written by wave into the cluster, and has no use in a manifest; remove it"},
		{UpdateOnConfigChange, false, "is read in the metadata of the workload itself only, not on a Secret; move it there"},
		{"wave.pusher.com/x", false, "is no annotation of wave's; it knows wave.pusher.com/update-on-config-change, wave.pusher.com/extra-configmaps and wave.pusher.com/extra-secrets"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := LintObject("ConfigMap", map[string]string{"example.com/x": ""}); got != nil {
		t.Errorf("annotations of others: got %v", got)
	}
}

// TestRead_andLint_agree holds for any list of names: where nothing is said, the
// names read are those that wave itself looks for.
func TestRead_andLint_agree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune("ab-./ *")), 0, 5, -1), 1, 4).Draw(t, "names")
		annotations := map[string]string{UpdateOnConfigChange: "true", ExtraConfigMaps: strings.Join(list, ",")}
		problems := LintWorkload(annotations)
		var got []string
		for _, name := range Read(annotations).Extra {
			if name.Kind != "ConfigMap" || name.Name == "" {
				t.Fatalf("read %+v", name)
			}
			got = append(got, strings.TrimPrefix(name.Namespace+"/"+name.Name, "/"))
		}
		var asWave []string
		for _, item := range list {
			if !slices.Contains(asWave, item) {
				asWave = append(asWave, item)
			}
		}
		if problems == nil && annotations[ExtraConfigMaps] != "" && !slices.Equal(got, asWave) {
			t.Fatalf("wave looks for %q, we for %q, and nothing is said", asWave, got)
		}
	})
}
