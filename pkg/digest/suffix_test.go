package digest

import (
	"testing"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"sigs.k8s.io/kustomize/api/hasher"
)

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
	s, err := Suffix(c, salt)
	if err != nil {
		t.Fatal(err)
	}
	return s
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

func BenchmarkSuffix(b *testing.B) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte("kind: ConfigMap\ndata:\n  A: b\n  C: d\n  conf: |\n    x = 1\n    y = 2\n    z = 3\n"), &doc); err != nil {
		b.Fatal(err)
	}
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			c, _ := ContentOf("ConfigMap", doc.Content[0])
			if _, err := Suffix(c, ""); err != nil {
				b.Fatal(err)
			}
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
