package hash

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/hasher"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/confighash/confighash/test/support/corpus"
)

// FuzzSuffix_isKustomizes compares the suffix of an object with kustomize's hasher.
func FuzzSuffix_isKustomizes(f *testing.F) {
	f.Add("a", "b", "", "", "", uint8(0))
	f.Add("k", "1e3", "l", "~", "Opaque", uint8(0xff))
	f.Add("tls.crt", "<&>\u2028\"\\", "<<", "*a", "kubernetes.io/tls", uint8(3))
	f.Add("x", "a\n\n b\n", "y", "\ttab ", "yes", uint8(5))
	f.Fuzz(func(t *testing.T, key, value, otherKey, other, typ string, shape uint8) {
		for _, s := range []string{key, value, otherKey, other, typ} {
			if !utf8.ValidString(s) || strings.ContainsFunc(s, unprintable) {
				return
			}
		}
		object := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "n"}}
		if shape&1 != 0 {
			object["kind"] = "Secret"
		}
		if shape&2 != 0 {
			object["type"] = typ
		}
		if shape&4 != 0 {
			object["data"] = map[string]any{key: value, otherKey: other}
		}
		if shape&8 != 0 {
			object["stringData"] = map[string]any{key: other}
		}
		if shape&16 != 0 {
			object["binaryData"] = map[string]any{otherKey: value}
		}
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		node, err := kyaml.Parse(string(text))
		if err != nil {
			return
		}
		h := hasher.Hasher{}
		want, err := h.Hash(node)
		if err != nil {
			return
		}
		if got := suffixOf(t, string(text), ""); got != want || !IsSuffix(got) {
			t.Errorf("got %s, want %s for %s", got, want, text)
		}
	})
}

// FuzzContentOf checks for any YAML: the content of an object is read, or rejected without showing its values, and its
// suffix does not depend on the style of the text.
func FuzzContentOf(f *testing.F) {
	for _, text := range corpus.Manifests(f, 1<<10) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var doc, again yaml.Node
		if len(text) > 8<<10 || !decodes(text, &doc) || len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
			return
		}
		for _, kind := range []string{"ConfigMap", "Secret"} {
			c, err := ContentOf(kind, doc.Content[0])
			if err != nil {
				continue
			}
			suffix := Suffix(c, "")
			if !IsSuffix(suffix) {
				t.Fatalf("the suffix %q", suffix)
			}
			if salted := Suffix(c, "grains"); salted == suffix {
				t.Fatalf("with salt the suffix is %q", salted)
			}
			plain := map[string]any{}
			if c.Type != nil {
				plain["type"] = *c.Type
			}
			for _, field := range c.Fields {
				entries := map[string]string{}
				for _, e := range field.Entries {
					entries[e.Key] = e.Value
				}
				plain[field.Name] = entries
			}
			written, err := json.Marshal(plain)
			if err != nil {
				t.Fatal(err)
			}
			if !decodes(string(written), &again) {
				continue // an escape of JSON that yaml.v3 does not know
			}
			c, err = ContentOf(kind, again.Content[0])
			if err != nil {
				t.Fatalf("as JSON it is refused: %v\n%s", err, written)
			}
			if as := Suffix(c, ""); as != suffix {
				t.Errorf("%s: the suffix %q becomes %q as JSON: %s", kind, suffix, as, written)
			}
		}
	})
}

// decodes reports whether text is YAML, and decodes its first document into doc.
func decodes(text string, doc *yaml.Node) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false // the parser panics at its own limits
		}
	}()
	return yaml.Unmarshal([]byte(text), doc) == nil
}
