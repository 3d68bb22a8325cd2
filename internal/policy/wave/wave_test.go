package wave

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/confighash/confighash/test/support/property"
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
		want        Request
	}{
		{"nothing", nil, Request{}},
		{"enabled", enabled(annotations{}), Request{Enabled: true}},
		{"as True", annotations{UpdateOnConfigChange: "True"}, Request{}},
		{"with a blank", annotations{UpdateOnConfigChange: "true "}, Request{}},
		{"as 1", annotations{UpdateOnConfigChange: "1"}, Request{}},
		{"as false", annotations{UpdateOnConfigChange: "false"}, Request{}},
		{"extras of a workload that is not enabled", annotations{ExtraConfigMaps: "a", ExtraSecrets: "b"}, Request{}},
		{
			"ConfigMaps and Secrets, in their own namespace and in others",
			enabled(annotations{ExtraSecrets: "tls,ns/tls", ExtraConfigMaps: "b,ns-2/a.b"}),
			Request{true, []Name{{"ConfigMap", "", "b"}, {"ConfigMap", "ns-2", "a.b"}, {"Secret", "", "tls"}, {"Secret", "ns", "tls"}}},
		},
		{
			"blanks, which wave would look for", enabled(annotations{ExtraConfigMaps: " a, b , ns / c\n"}),
			Request{true, []Name{{"ConfigMap", "", "a"}, {"ConfigMap", "", "b"}, {"ConfigMap", "ns", "c"}}},
		},
		{
			"one twice, and one of each kind", enabled(annotations{ExtraConfigMaps: "a,ns/a,a", ExtraSecrets: "a"}),
			Request{true, []Name{{"ConfigMap", "", "a"}, {"ConfigMap", "ns", "a"}, {"Secret", "", "a"}}},
		},
		{"no names", enabled(annotations{ExtraConfigMaps: "", ExtraSecrets: " , ,,"}), Request{Enabled: true}},
		{"empty halves", enabled(annotations{ExtraConfigMaps: "ns/,/a, / ,/"}), Request{Enabled: true}},
		{"several slashes", enabled(annotations{ExtraConfigMaps: "a/b/c,ns/a/,//a,b"}), Request{true, []Name{{"ConfigMap", "", "b"}}}},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Read(tc.annotations)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnnotations_checkValues(t *testing.T) {
	form := ", which is not NAME or NAMESPACE/NAME; list names, separated by commas alone"
	for _, tc := range []struct{ label, key, value, want string }{
		{"enabled", UpdateOnConfigChange, "true", ""},
		{"disabled", UpdateOnConfigChange, "false", ""},
		{"an empty value", UpdateOnConfigChange, "", ""},
		{"as True", UpdateOnConfigChange, "True", `is "True", which wave takes for false; write "true" or "false"`},
		{"with a space", UpdateOnConfigChange, "true ", `is "true ", which wave takes for false; write "true" or "false"`},
		{"names", ExtraConfigMaps, "a,ns/b.c-1", ""},
		{"no names", ExtraSecrets, "", ""},
		{"a space before a name", ExtraSecrets, "a, b", `holds " b"` + form},
		{"a space in a qualified name", ExtraSecrets, "ns/ c", `holds "ns/ c"` + form},
		{"an empty name", ExtraSecrets, "a,,b", `holds ""` + form},
		{"an empty half", ExtraSecrets, "ns/", `holds "ns/"` + form},
		{"several slashes", ExtraSecrets, "v1/ns/a", `holds "v1/ns/a"` + form},
		{"a pattern", ExtraConfigMaps, "app-.*", `holds "app-.*"` + form},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if got := Annotations[tc.key](tc.value); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestRead_andAnnotations_agree checks for any list of names: if nothing is reported, the names read are those that
// wave itself looks for.
func TestRead_andAnnotations_agree(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune("ab-./ *")), 0, 5, -1), 1, 4).Draw(t, "names")
		annotations := map[string]string{UpdateOnConfigChange: "true", ExtraConfigMaps: strings.Join(list, ",")}
		problem := Annotations[ExtraConfigMaps](annotations[ExtraConfigMaps])
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
		if problem == "" && annotations[ExtraConfigMaps] != "" && !slices.Equal(got, asWave) {
			t.Fatalf("wave looks for %q, we for %q, and nothing is reported", asWave, got)
		}
	})
}
