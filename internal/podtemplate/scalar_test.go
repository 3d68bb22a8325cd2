package podtemplate

import (
	"encoding/json"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
	kubectl "sigs.k8s.io/yaml"

	"github.com/confighash/confighash/test/support/property"
)

// TestScalarOf_readsAsKubectlDoes compares random scalars with sigs.k8s.io/yaml.
func TestScalarOf_readsAsKubectlDoes(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		"0", "1", "7", "8", "9", "12", "0x", "0o", "0b", "_", "+", "-", ".", "e", "E", "e+", "a", "F", "y", "Y", "n", "no", "No", "on", "OFF", "yes", "true", "True", "TRUE", "false", "null", "Null", "~", ":", "2020-01-01", "T00:00:00Z", " ", ".inf", ".nan", "18446744073709551615", "9223372036854775807", "1000000000000000000000",
	})
	tags := rapid.SampledFrom([]string{"", "", "", "!!str ", "!!int ", "!!float ", "!!bool ", "!!null ", "!!binary ", "!!timestamp ", "!own ", "'", `"`})
	property.Check(t, func(rt *rapid.T) {
		value := strings.Join(rapid.SliceOfN(pieces, 0, 4).Draw(rt, "pieces"), "")
		text := tags.Draw(rt, "tag") + value
		if quote := text[:min(1, len(text))]; quote == "'" || quote == `"` {
			text += quote
		}
		asJSON, err := kubectl.YAMLToJSON([]byte("a: " + text))
		if err != nil {
			rt.SkipNow()
		}
		var want struct {
			A json.RawMessage `json:"a"`
		}
		if err := json.Unmarshal(asJSON, &want); err != nil {
			rt.Fatal(err)
		}
		var tree yaml.Node
		if err := yaml.Unmarshal([]byte("a: "+text), &tree); err != nil || tree.Content[0].Content[1].Kind != yaml.ScalarNode {
			rt.SkipNow()
		}
		if got := asJSONText(rt, scalarOf(tree.Content[0].Content[1])); got != string(want.A) {
			rt.Fatalf("%s is %s, want %s", text, got, want.A)
		}
	})
}

func asJSONText(t rapid.TB, s node) string {
	t.Helper()
	switch s.kind {
	case null:
		return "null"
	case text:
		quoted, err := json.Marshal(s.value)
		if err != nil {
			t.Fatal(err)
		}
		return string(quoted)
	}
	return s.value
}

func TestScalarOf(t *testing.T) {
	for in, want := range map[string]node{
		"":              {},
		"~":             {},
		"yes":           {kind: boolean, value: "true"},
		"Off":           {kind: boolean, value: "false"},
		"0644":          {kind: number, value: "420"},
		"0o644":         {kind: number, value: "420"},
		"0x1F":          {kind: number, value: "31"},
		"0b11":          {kind: number, value: "3"},
		"1_000":         {kind: number, value: "1000"},
		"08":            {kind: number, value: "8"},
		"1e3":           {kind: number, value: "1000"},
		"1.50":          {kind: number, value: "1.5"},
		"1e-7":          {kind: number, value: "1e-7"},
		"1e21":          {kind: number, value: "1e+21"},
		"-0":            {kind: number, value: "0"},
		".5":            {kind: number, value: "0.5"},
		"1:20":          {kind: text, value: "1:20"},
		"2020-01-01":    {kind: text, value: "2020-01-01"},
		"'1'":           {kind: text, value: "1"},
		"!!str 1":       {kind: text, value: "1"},
		"!!int '1'":     {kind: number, value: "1"},
		"!!binary YQ==": {kind: text, value: "a"},
		"!!bool a":      {kind: text, value: "a"},
		"yesterday":     {kind: text, value: "yesterday"},
		"-":             {kind: text, value: "-"},
	} {
		var tree yaml.Node
		if in == "-" {
			tree = yaml.Node{Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: in}}}
		} else if err := yaml.Unmarshal([]byte(in), &tree); err != nil {
			t.Fatal(err)
		}
		got := node{}
		if len(tree.Content) > 0 {
			got = scalarOf(tree.Content[0])
		}
		if !equal(&got, &want) {
			t.Errorf("%s is %+v, want %+v", in, got, want)
		}
	}
}

func TestQuantityText_isWhatIsStored(t *testing.T) {
	for _, tc := range []struct {
		in      string
		rounded bool
		want    string
		ok      bool
	}{
		{"1000m", false, "1", true},
		{" 0.5Gi ", false, "512Mi", true},
		{"1024Mi", false, "1Gi", true},
		{"1073741824", false, "1073741824", true},
		{"1.5", false, "1500m", true},
		{"1u", false, "1u", true},
		{"1u", true, "1m", true},
		{"8Ei", false, "9223372036854775807", true},
		{"1e3", false, "1e3", true},
		{"1 G", false, "1 G", false},
		{"", false, "", false},
		// A few bytes must not take minutes.
		{"1e-999999999", false, "1e-999999999", false},
		{"1" + strings.Repeat("0", 1_000_000), false, "1" + strings.Repeat("0", 1_000_000), false},
	} {
		got := new(reader).scalar(&typ{base: aQuantity, rounded: tc.rounded}, node{kind: text, value: tc.in})
		if ok := got.kind == quantity; got.value != tc.want || ok != tc.ok {
			t.Errorf("%.20s, rounded: %v: stored as %.20q, %v; want %.20q, %v", tc.in, tc.rounded, got.value, ok, tc.want, tc.ok)
		}
	}
}

func TestSameQuantity(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"1Gi", "1073741824", true},
		{"1Gi", "1G", false},
		{"1e3", "1k", true},
		{"1e999999999", "1e999999998", false},
	} {
		if got := sameQuantity(tc.a, tc.b); got != tc.want {
			t.Errorf("%s and %s are the same: %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
}

func TestPullPolicy(t *testing.T) {
	digest := strings.Repeat("0a", 32)
	for image, always := range map[string]bool{
		"nginx":                         true,
		"nginx:latest":                  true,
		"nginx:1.29":                    false,
		"nginx@sha256:" + digest:        false,
		"nginx:latest@sha256:" + digest: true,
		"nginx:latest@sha256:0a":        false,
		"library/nginx":                 true,
		"docker.io/nginx":               true,
		"localhost/nginx":               true,
		"localhost:5000/nginx":          true,
		"localhost:5000/nginx:2":        false,
		"Registry/a/b":                  true,
		"[::1]:5000/a":                  true,
		"a__b/c-d.e":                    true,
		"":                              false,
		"Nginx":                         false,
		"a___b":                         false,
		"a..b":                          false,
		"a/":                            false,
		"-a":                            false,
		"a b":                           false,
		"a:b:c":                         false,
		digest:                          false,
		"a-.com/b":                      false,
		"a.com:x/b":                     false,
		strings.Repeat("a", 256):        false,
	} {
		if got := pullPolicy(image) == "Always"; got != always {
			t.Errorf("%q is always pulled: %v, want %v", image, got, always)
		}
	}
}
