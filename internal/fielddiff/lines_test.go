package fielddiff_test

import (
	"fmt"
	"testing"

	"github.com/confighash/confighash/internal/fielddiff"
)

// Values that look alike are not the same.
func TestCompare_noticesWhatLooksAlike(t *testing.T) {
	values := []string{`{}`, `"{}"`, `[]`, `"[]"`, `1`, `"1"`, `""`, `" "`, `null`, `[a, b]`, `[b, a]`, `["a, b"]`, `["a\nb"]`, `["a\nb\n"]`, `["a\n", b]`,
		`["a\nb\n", "c\nd\n"]`, `["a\nb\nc\nd\n"]`, `[{name: a}, {name: b}]`, `[{name: b}, {name: a}]`, `{"a\nb": c}`, `{"a": c}`}
	for _, before := range values {
		for _, after := range values {
			manifest := "{apiVersion: example.com/v1, kind: Some, metadata: {name: a}, spec: %s}"
			old, err := read(fmt.Sprintf(manifest, before))
			if err != nil {
				t.Fatal(err)
			}
			now, err := read(fmt.Sprintf(manifest, after))
			if err != nil {
				t.Fatal(err)
			}
			found, err := fielddiff.Compare(old, now)
			if err != nil {
				t.Fatal(err)
			}
			if found.Differs() != (before != after) {
				t.Errorf("%s and %s: got %+v", before, after, found.Changed)
			}
		}
	}
}
