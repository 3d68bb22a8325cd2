package v1alpha1

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"

	"github.com/confighash/confighash/test/support/gen"
	random "github.com/confighash/confighash/test/support/property"
)

// Selector and FieldSpec replace kustomize's types, whose packages link too much. These tests compare them with
// kustomize's own code.

func kustomizeSelector(s Selector) *types.Selector {
	return &types.Selector{
		ResId: resid.ResId{
			Gvk:       resid.Gvk{Group: s.Group, Version: s.Version, Kind: s.Kind},
			Name:      s.Name,
			Namespace: s.Namespace,
		},
		LabelSelector:      s.LabelSelector,
		AnnotationSelector: s.AnnotationSelector,
	}
}

// TestCheckRegex_refusesNoLessThanKustomize checks each part separately: kustomize compiles everything that Parse
// accepts.
func TestCheckRegex_refusesNoLessThanKustomize(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		expr := gen.Pairs().Draw(t, "pair").Expr
		_, plain := regexp.Compile(expr)
		_, theirs := types.NewSelectorRegex(kustomizeSelector(Selector{Name: expr}))
		if refused := checkRegex(expr) != ""; refused != (plain != nil || theirs != nil) {
			t.Errorf("%q: %q; without anchors: %v; kustomize: %v", expr, checkRegex(expr), plain, theirs)
		}
	})
}

// TestSelectorAndFieldSpec_areWrittenAsKustomizeWrites compares the names, the order and the omission of all fields, in
// JSON and in YAML.
func TestSelectorAndFieldSpec_areWrittenAsKustomizeWrites(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		text := func(label string) string { return rapid.SampledFrom([]string{"", "a", "a|b"}).Draw(t, label) }
		gvk := resid.Gvk{Group: text("group"), Version: text("version"), Kind: text("kind")}
		s := Selector{
			Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Name: text("name"), Namespace: text("namespace"),
			LabelSelector: text("labelSelector"), AnnotationSelector: text("annotationSelector"),
		}
		f := FieldSpec{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Path: text("group") + "/path", CreateIfNotPresent: rapid.Bool().Draw(t, "create")}
		theirs := &types.FieldSpec{
			Gvk:  gvk,
			Path: f.Path, CreateIfNotPresent: f.CreateIfNotPresent,
		}
		for format, marshal := range map[string]func(any) ([]byte, error){"JSON": json.Marshal, "YAML": yaml.Marshal} {
			same(t, format+" of a Selector", marshal, kustomizeSelector(s), &s)
			same(t, format+" of a FieldSpec", marshal, theirs, &f)
		}
	})
}

func same(t *rapid.T, label string, marshal func(any) ([]byte, error), theirs, ours any) {
	t.Helper()
	want, err := marshal(theirs)
	if err != nil {
		t.Fatal(err)
	}
	got, err := marshal(ours)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-kustomize +here):\n%s", label, diff)
	}
}
