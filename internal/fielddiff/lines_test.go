package fielddiff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/confighash/confighash/internal/fielddiff"
)

// Similar values are not equal.
func TestCompare_distinguishesSimilarValues(t *testing.T) {
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

// Every difference is visible, including trailing blanks and bytes that the package uses itself.
func TestCompare_showsWhatDiffers(t *testing.T) {
	for before, after := range map[string]string{`"a"`: `"a "`, `"1"`: `1`, `"x\0digest 1"`: `"x\0digest 2"`, `"\e[1m"`: `"\e[2m"`} {
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
		if err != nil || len(found.Changed) != 1 {
			t.Fatalf("%s and %s: got %+v, %v", before, after, found, err)
		}
		was, is, _ := strings.Cut(strings.TrimSpace(found.Changed[0].Lines), "\n")
		if strings.TrimSpace(was[1:]) == strings.TrimSpace(is[1:]) {
			t.Errorf("%s and %s look alike: %q", before, after, found.Changed[0].Lines)
		}
	}
}
