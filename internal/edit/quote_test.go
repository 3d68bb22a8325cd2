package edit_test

import (
	"encoding/json"
	"slices"
	"testing"

	yaml11 "go.yaml.in/yaml/v2"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/test/support/property"
)

// checkString sets value in places of every kind, and reads it with yaml.v3 and with a reader of YAML 1.1, which
// Kubernetes uses.
func checkString(t rapid.TB, value string) {
	text := "- a\n- 'a'\n- \"a\"\n- [a, 'a', \"a\"]\n- k: a # c\n"
	var items edit.Item
	for _, at := range []edit.Scalar{
		{Path: "[0]", Line: 1, Column: 3},
		{Path: "[1]", Line: 2, Column: 3, Style: yaml.SingleQuotedStyle},
		{Path: "[2]", Line: 3, Column: 3, Style: yaml.DoubleQuotedStyle},
		{Path: "[3][0]", Line: 4, Column: 4},
		{Path: "[3][1]", Line: 4, Column: 7, Style: yaml.SingleQuotedStyle},
		{Path: "[3][2]", Line: 4, Column: 12, Style: yaml.DoubleQuotedStyle},
		{Path: "[4].k", Line: 5, Column: 6},
	} {
		at.Value = "a"
		items.Edits = append(items.Edits, edit.SetScalar{At: at, Value: value})
	}
	items.Edits = append(items.Edits, edit.SetEntry{Parent: "[4]", Key: "new", Value: value})
	out, ok, err := edit.Splice([]byte(text), []edit.Item{items})
	if err != nil || !ok {
		t.Fatalf("%q: %v, %v", value, ok, err)
	}
	for name, unmarshal := range map[string]func([]byte, any) error{
		"1.1": yaml11.Unmarshal,
		"1.2": yaml.Unmarshal,
	} {
		var got []any
		if err := unmarshal(out, &got); err != nil {
			t.Fatalf("YAML %s: %q: %v in:\n%s", name, value, err, out)
		}
		found := slices.Concat(got[:3], got[3].([]any))
		switch entries := got[4].(type) {
		case map[any]any:
			found = append(found, entries["k"], entries["new"])
		case map[string]any:
			found = append(found, entries["k"], entries["new"])
		}
		if len(found) != 8 {
			t.Fatalf("YAML %s: %q: found %q in:\n%s", name, value, found, out)
		}
		for i, v := range found {
			if v != value {
				t.Errorf("YAML %s: %q comes out as %T %#v at %d in:\n%s", name, value, v, v, i, out)
			}
		}
	}
	source := `{"a": "x", "b": null, "c": {}}`
	out, ok, err = edit.Splice([]byte(source), []edit.Item{{Edits: []edit.Edit{
		edit.SetScalar{At: edit.Scalar{Path: "a", Line: 1, Column: 7, Style: yaml.DoubleQuotedStyle, Value: "x"}, Value: value},
		edit.SetEntry{Parent: "c", Key: value + "k", Value: value},
		edit.SetEntry{Key: "b", Value: value},
	}}})
	if err != nil || !ok && len(value) < 100 {
		t.Fatalf("%q in JSON: %v, %v", value, ok, err)
	}
	var got struct {
		A, B string
		C    map[string]string
	}
	if ok {
		if err := json.Unmarshal(out, &got); err != nil || got.A != value || got.B != value || got.C[value+"k"] != value {
			t.Errorf("%q in JSON becomes %q (%v)", value, out, err)
		}
	}
}

func TestSetScalar_aStringStaysAStringForEveryReader(t *testing.T) {
	for _, value := range values {
		checkString(t, value)
	}
	property.Check(t, func(t *rapid.T) {
		shape := rapid.SampledFrom([]string{
			`[-+]?[0-9_.:eExXoObB+-]{0,8}`, `0[xXoObB][0-9a-fA-F_]{0,6}`, `[0-9]{1,4}-[0-9]{1,2}-[0-9]{1,2}([Tt ][0-9:.Z]{0,9})?`,
			`[yYnN]?[eE]?[sSoO]?[fF]?[fF]?`, `[ -~]{0,6}`, `[-+]?\.?(inf|INF|Inf|nan|NaN|NAN)`, `(?s).{0,6}`, `[a-z0-9]([-a-z0-9.]{0,8}[a-z0-9])?`,
			`[-?:,\[\]{}#&*!|>'"%@=<~\x60 a]{1,5}`,
		}).Draw(t, "shape")
		checkString(t, rapid.StringMatching(shape).Draw(t, "value"))
	})
}
