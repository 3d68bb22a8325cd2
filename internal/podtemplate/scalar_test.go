package podtemplate

import (
	"encoding/json"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"
	kubectl "sigs.k8s.io/yaml"
)

// TestScalarOf_readsAsKubectlDoes holds random scalars against sigs.k8s.io/yaml.
func TestScalarOf_readsAsKubectlDoes(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		"0", "1", "7", "8", "9", "12", "0x", "0o", "0b", "_", "+", "-", ".", "e", "E", "e+", "a", "F", "y", "Y", "n", "no", "No", "on", "OFF", "yes", "true", "True", "TRUE", "false", "null", "Null", "~", ":", "2020-01-01", "T00:00:00Z", " ", ".inf", ".nan", "18446744073709551615", "9223372036854775807", "1000000000000000000000",
	})
	tags := rapid.SampledFrom([]string{"", "", "", "!!str ", "!!int ", "!!float ", "!!bool ", "!!null ", "!!binary ", "!!timestamp ", "!own ", "'", `"`})
	rapid.Check(t, func(rt *rapid.T) {
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

func asJSONText(t rapid.TB, s scalar) string {
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
	for in, want := range map[string]scalar{
		"":              {},
		"~":             {},
		"yes":           {boolean, "true"},
		"Off":           {boolean, "false"},
		"0644":          {number, "420"},
		"0o644":         {number, "420"},
		"0x1F":          {number, "31"},
		"0b11":          {number, "3"},
		"1_000":         {number, "1000"},
		"08":            {number, "8"},
		"1e3":           {number, "1000"},
		"1.50":          {number, "1.5"},
		"1e-7":          {number, "1e-7"},
		"1e21":          {number, "1e+21"},
		"-0":            {number, "0"},
		".5":            {number, "0.5"},
		"1:20":          {text, "1:20"},
		"2020-01-01":    {text, "2020-01-01"},
		"'1'":           {text, "1"},
		"!!str 1":       {text, "1"},
		"!!int '1'":     {number, "1"},
		"!!binary YQ==": {text, "a"},
		"!!bool a":      {text, "a"},
		"yesterday":     {text, "yesterday"},
		"-":             {text, "-"},
	} {
		var tree yaml.Node
		if in == "-" {
			tree = yaml.Node{Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: in}}}
		} else if err := yaml.Unmarshal([]byte(in), &tree); err != nil {
			t.Fatal(err)
		}
		got := scalar{}
		if len(tree.Content) > 0 {
			got = scalarOf(tree.Content[0])
		}
		if got != want {
			t.Errorf("%s is %v, want %v", in, got, want)
		}
	}
}

// TestQuantityText_isWhatIsStored holds random quantities against apimachinery: the
// text that is stored, and which are the same amount.
func TestQuantityText_isWhatIsStored(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"0", "00", "1", "2", "5", "8", "10", "16", "99", "000", "123456789", "1024", "9223372036854775807", "."})
	suffixes := rapid.SampledFrom([]string{"", "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E3", "e-3", "e+2", "e0", "e18", "e-12", "i", "K", "e", " "})
	draw := func(rt *rapid.T, label string) string {
		sign := rapid.SampledFrom([]string{"", "", "", "+", "-", " "}).Draw(rt, label+" sign")
		return sign + strings.Join(rapid.SliceOfN(pieces, 0, 4).Draw(rt, label), "") + suffixes.Draw(rt, label+" suffix")
	}
	stored := func(rt *rapid.T, s string, rounded bool) (string, bool) {
		q, err := resource.ParseQuantity(strings.TrimSpace(s))
		if err != nil {
			return "", false
		}
		if rounded {
			q.RoundUp(resource.Milli)
		}
		encoded, err := json.Marshal(q)
		if err != nil {
			rt.Fatal(err)
		}
		return strings.Trim(string(encoded), `"`), true
	}
	rapid.Check(t, func(rt *rapid.T) {
		a, b, rounded := draw(rt, "a"), draw(rt, "b"), rapid.Bool().Draw(rt, "rounded")
		wantA, okA := stored(rt, a, rounded)
		wantB, okB := stored(rt, b, rounded)
		gotA, isA := quantityText(a, rounded)
		gotB, isB := quantityText(b, rounded)
		if isA != okA || okA && gotA != wantA {
			rt.Errorf("%q, rounded: %v: stored as %q, %v; want %q, %v", a, rounded, gotA, isA, wantA, okA)
		}
		if isB != okB || okB && gotB != wantB {
			rt.Errorf("%q, rounded: %v: stored as %q, %v; want %q, %v", b, rounded, gotB, isB, wantB, okB)
		}
		if !okA || !okB {
			return
		}
		// What is stored is read again.
		p, q := resource.MustParse(wantA), resource.MustParse(wantB)
		if got, want := sameQuantity(gotA, gotB), p.Cmp(q) == 0; got != want {
			rt.Errorf("%s and %s are the same: %v, want %v", gotA, gotB, got, want)
		}
	})
}

// TestQuantityText_hugeExponents: a few bytes do not ask for minutes.
func TestQuantityText_hugeExponents(t *testing.T) {
	for in, want := range map[string]string{
		"1e999999999":  "1e999999999",
		"1e-999999999": "1e-9",
		"0e999999999":  "0",
	} {
		if got, ok := quantityText(in, false); !ok || got != want {
			t.Errorf("%s is stored as %s, %v; want %s", in, got, ok, want)
		}
	}
	if sameQuantity("1e999999999", "1e999999998") || !sameQuantity("10e999999998", "1e999999999") {
		t.Error("huge amounts are not told apart")
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
