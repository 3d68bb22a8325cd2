package hash

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
	"sigs.k8s.io/kustomize/api/hasher"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/confighash/confighash/test/support/property"
)

var saltVectors = []struct{ text, salt, want string }{
	{"{kind: ConfigMap}", "grains", "f6mtt4kcf9"},
	{"{kind: ConfigMap, data: {b: é, a: '1'}}", "grains", "tt8dgmcf22"},
	{"{kind: Secret, type: Opaque, data: {p: MQ==}, stringData: {q: r}}", "s", "h27mdc2c97"},
}

func suffixOf(t testing.TB, text, salt string) string {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	kind := lookup(doc.Content[0], "kind").Value
	c, err := ContentOf(kind, doc.Content[0])
	if err != nil {
		t.Fatal(err)
	}
	return Suffix(c, salt)
}

func TestSuffix_vectors(t *testing.T) {
	for text, want := range map[string]string{
		`{kind: ConfigMap, data: {x: "1"}}`:                                      "hmg6f82fh6",
		`{kind: ConfigMap, data: {a: b}}`:                                        "4h2mbtbbt6",
		`{kind: ConfigMap}`:                                                      "6ct58987ht",
		`{kind: ConfigMap, data: }`:                                              "6ct58987ht",
		`{kind: ConfigMap, data: {x: 1}, immutable: true}`:                       "hmg6f82fh6",
		`{kind: ConfigMap, metadata: {name: n, labels: {a: b}}, data: {x: "1"}}`: "hmg6f82fh6",
	} {
		if got := suffixOf(t, text, ""); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// TestSuffix_agreesWithKustomize compares the suffix with that of kustomize's hasher, for awkward values of every kind.
func TestSuffix_agreesWithKustomize(t *testing.T) {
	values := rapid.OneOf(
		rapid.SampledFrom([]string{"", "1e3", "~", "yes", "0x1F", "null", "1:20", " lead", "trail \n", "a\n\nb\n", "\ttab", "é 漢 🙂", "\u2028", "#", "- a", "{", "<&>", "\"'", "\\"}),
		rapid.String().Filter(func(s string) bool { return !strings.ContainsFunc(s, unprintable) }),
	)
	data := rapid.MapOfN(rapid.StringMatching(`[a-zA-Z0-9._-]{1,12}`), values, 0, 5)
	property.Check(t, func(rt *rapid.T) {
		object := map[string]any{"apiVersion": "v1", "kind": rapid.SampledFrom([]string{"ConfigMap", "Secret"}).Draw(rt, "kind"), "metadata": map[string]any{"name": "n"}}
		for _, field := range []string{"data", "binaryData", "stringData"} {
			if rapid.Bool().Draw(rt, field) {
				object[field] = data.Draw(rt, field)
			}
		}
		if rapid.Bool().Draw(rt, "typed") {
			object["type"] = "kubernetes.io/basic-auth"
		}
		text, err := json.Marshal(object) // not YAML: yaml.v3 writes some strings so that it cannot read them
		if err != nil {
			rt.Fatal(err)
		}
		h := hasher.Hasher{}
		node, err := kyaml.Parse(string(text))
		if err != nil {
			rt.Fatal(err)
		}
		want, err := h.Hash(node)
		if err != nil {
			rt.Fatal(err)
		}
		if got := suffixOf(t, string(text), ""); got != want {
			rt.Fatalf("got %s, kustomize %s for\n%s", got, want, text)
		}
	})
}

func unprintable(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == 0xfeff || r == 0xfffd || r >= 0xfffe
}

func TestSuffix_countsScalarsAsWritten(t *testing.T) {
	for _, pair := range [][2]string{
		{`{kind: ConfigMap, data: {a: 1e3, b: yes, c: ~, d: 0x1F, e: 2001-01-01, f: }}`, `{kind: ConfigMap, data: {a: "1e3", b: "yes", c: "~", d: "0x1F", e: "2001-01-01", f: ""}}`},
		{"{kind: ConfigMap, data: {a: b, c: d}}", "kind: ConfigMap\ndata:\n  c: 'd' # comment\n  a: >-\n    b\n"},
		{"kind: ConfigMap\nx: &x {a: b, c: e}\ndata: {<<: *x, c: &d d}", "{kind: ConfigMap, data: {a: b, c: d}}"},
		{"kind: ConfigMap\nx: &x {data: {a: b}}\n<<: *x", "{kind: ConfigMap, data: {a: b}}"},
	} {
		if a, b := suffixOf(t, pair[0], ""), suffixOf(t, pair[1], ""); a != b {
			t.Errorf("%s and %s differ:\n%s\n%s", a, b, pair[0], pair[1])
		}
	}
}

func TestSuffix_isKeyedWithTheSalt(t *testing.T) {
	// Another program computed the vectors from the encoding in the package comment.
	for _, v := range saltVectors {
		if got := suffixOf(t, v.text, v.salt); got != v.want {
			t.Errorf("%s with salt %q: got %s, want %s", v.text, v.salt, got, v.want)
		}
	}
}

func TestContentOf_errors(t *testing.T) {
	for text, want := range map[string]string{
		"{kind: ConfigMap, data: [a]}":              "data must be a mapping of keys to strings",
		"{kind: ConfigMap, data: {a: value, a: b}}": `data: the key "a" appears twice; keep one`,
		"{kind: Secret, stringData: {a: [value]}}":  `stringData: the value of "a" is not a string; quote it, or write it as a block`,
		"{kind: Secret, type: [a]}":                 "type is not a string",
		"{kind: Secret, data: {[a]: b}}":            "data: a key is not a string",
	} {
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		if _, err := ContentOf(lookup(doc.Content[0], "kind").Value, doc.Content[0]); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func BenchmarkSuffix(b *testing.B) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte("kind: ConfigMap\ndata:\n  A: b\n  C: d\n  conf: |\n    x = 1\n    y = 2\n    z = 3\n"), &doc); err != nil {
		b.Fatal(err)
	}
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			c, _ := ContentOf("ConfigMap", doc.Content[0])
			Suffix(c, "")
		}
	})
	b.Run("kustomize", func(b *testing.B) {
		h := hasher.Hasher{}
		for b.Loop() {
			if _, err := h.Hash(kyaml.NewRNode(doc.Content[0])); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			var doc yaml.Node
			if err := yaml.Unmarshal([]byte("kind: ConfigMap\ndata:\n  A: b\n  C: d\n  conf: |\n    x = 1\n    y = 2\n    z = 3\n"), &doc); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestPartSuffix_followsFromTheKeysThatCount(t *testing.T) {
	values := func(c Content) []Value {
		found, _ := ValuesOf(c, false)
		return found
	}
	field := func(name, key, value string) Field {
		return Field{Name: name, Entries: []Entry{{Key: key, Value: value}}}
	}
	data := values(Content{Kind: "Secret", Fields: []Field{field("data", "a", "MQ=="), field("stringData", "b", "2")}})
	suffix := PartSuffix("Secret", "Opaque", "a", data, "")
	if !IsSuffix(suffix) {
		t.Errorf("%q is not a suffix", suffix)
	}
	same := map[string]string{
		"without a type":    PartSuffix("Secret", "", "a", data, ""),
		"as stringData":     PartSuffix("Secret", "", "a", values(Content{Kind: "Secret", Fields: []Field{field("stringData", "a", "1")}}), ""),
		"without the other": PartSuffix("Secret", "", "a", data[:1], ""),
	}
	for name, got := range same {
		if got != suffix {
			t.Errorf("%s: %s, want %s", name, got, suffix)
		}
	}
	different := map[string]string{
		"another type":  PartSuffix("Secret", "example.com/x", "a", data, ""),
		"another kind":  PartSuffix("ConfigMap", "", "a", data, ""),
		"another value": PartSuffix("Secret", "", "a", values(Content{Kind: "Secret", Fields: []Field{field("stringData", "a", "2")}}), ""),
		"another key":   PartSuffix("Secret", "", "b", data, ""),
		"all keys":      PartSuffix("Secret", "", AllKeys, data, ""),
		"a key more":    PartSuffix("Secret", "", "a,c", data, ""),
		"a salt":        PartSuffix("Secret", "", "a", data, "pepper"),
	}
	for name, got := range different {
		if got == suffix {
			t.Errorf("%s: the same suffix", name)
		}
	}
}

func TestPartSuffix_countsBinaryDataIfAsked(t *testing.T) {
	values := func(fields ...Field) []Value {
		found, _ := ValuesOf(Content{Kind: "ConfigMap", Fields: fields}, false)
		return found
	}
	text := values(Field{"data", []Entry{{Key: "a", Value: "1"}, {Key: "b", Value: "2"}}})
	moved := values(Field{"data", []Entry{{Key: "b", Value: "2"}}}, Field{"binaryData", []Entry{{Key: "a", Value: "MQ=="}}})
	for _, keys := range []string{"a", "a,b", AllKeys} {
		if PartSuffix("ConfigMap", "", keys, text, "") != PartSuffix("ConfigMap", "", keys, moved, "") {
			t.Errorf("%s: another suffix for the same bytes in another field", keys)
		}
		if PartSuffix("ConfigMap", "", keys+FieldsCount, text, "") == PartSuffix("ConfigMap", "", keys+FieldsCount, moved, "") {
			t.Errorf("%s: the same suffix in another field, which counts", keys)
		}
	}
	if PartSuffix("ConfigMap", "", "b"+FieldsCount, text, "") != PartSuffix("ConfigMap", "", "b"+FieldsCount, moved, "") {
		t.Error("the field of another key counts")
	}
}

func TestKeysOf_readsWhatKeysWrites(t *testing.T) {
	for _, keys := range [][]string{{"a"}, {"a", "b.c_d-e"}, {"a,b", "%2C", "ä", "*", "a b"}, {"a" + FieldsCount}} {
		for _, end := range []string{"", FieldsCount} {
			if got := KeysOf(Keys(keys) + end); !slices.Equal(got, keys) {
				t.Errorf("%q became %q", keys, got)
			}
		}
	}
	if Keys([]string{AllKeys}) == AllKeys || KeysOf(AllKeys) != nil || KeysOf(AllKeys+FieldsCount) != nil {
		t.Error("a key passes for all keys")
	}
}
