package kustomize

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resource"

	"github.com/confighash/confighash/test/support/property"
)

func TestHistoryOf_readsWhatKustomizeWrites(t *testing.T) {
	got, err := HistoryOf(map[string]string{
		PreviousNames: "app,dev-app", PreviousNamespaces: "default,prod", PreviousKinds: "ConfigMap,ConfigMap",
		Prefixes: "dev-,x-", Suffixes: "-eu", GeneratorBehavior: "unspecified", NeedsHashSuffix: "enabled", ID: "kind: ConfigMap\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := History{
		Previous: []Identity{{"ConfigMap", "default", "app"}, {"ConfigMap", "prod", "dev-app"}},
		Prefixes: []string{"dev-", "x-"}, Suffixes: []string{"-eu"},
		Built: true, Generated: true, NeedsHash: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHistoryOf_refusesListsOfDifferentLengths(t *testing.T) {
	_, err := HistoryOf(map[string]string{PreviousNames: "a,b", PreviousNamespaces: "default", PreviousKinds: "Secret,Secret"})
	if err == nil || !strings.Contains(err.Error(), "list 2, 1 and 2 entries") {
		t.Errorf("got %v", err)
	}
	_, err = HistoryOf(map[string]string{PreviousNamespaces: "default", PreviousKinds: "Secret"})
	if err == nil || !strings.Contains(err.Error(), "list 0, 1 and 1 entries") {
		t.Errorf("got %v", err)
	}
}

func newResource(t testing.TB, annotations map[string]any) *resource.Resource {
	t.Helper()
	r, err := provider.NewDefaultDepProvider().GetResourceFactory().FromMap(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "x", "annotations": annotations},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAppend_writesWhatKustomizeReads compares the annotations with how kustomize itself reads and writes them.
func TestAppend_writesWhatKustomizeReads(t *testing.T) {
	annotations := map[string]string{}
	r := newResource(t, nil)
	var ids []Identity
	for _, name := range []string{"a", "b", "c"} {
		ids = append(ids, Identity{Kind: "ConfigMap", Namespace: "default", Name: name})
		h, err := HistoryOf(annotations)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range h.Append(ids...) { // all but the last are already there
			annotations[a.Key] = a.Value
		}
		if err := r.SetName(name); err != nil {
			t.Fatal(err)
		}
		r.StorePreviousId()
	}
	if diff := cmp.Diff(r.GetAnnotations(), annotations); diff != "" {
		t.Errorf("(-kustomize +ours):\n%s", diff)
	}
}

// TestSameAffixes_agreesWithKustomize compares SameAffixes with kustomize's PrefixesSuffixesEquals.
func TestSameAffixes_agreesWithKustomize(t *testing.T) {
	property.Check(t, func(rt *rapid.T) {
		affixes := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), 0, 3)
		drawn := func() (History, *resource.Resource) {
			h := History{Prefixes: affixes.Draw(rt, "prefixes"), Suffixes: affixes.Draw(rt, "suffixes")}
			annotations := map[string]any{}
			if len(h.Prefixes) > 0 {
				annotations[Prefixes] = strings.Join(h.Prefixes, ",")
			}
			if len(h.Suffixes) > 0 {
				annotations[Suffixes] = strings.Join(h.Suffixes, ",")
			}
			return h, newResource(t, annotations)
		}
		a, ra := drawn()
		b, rb := drawn()
		for _, allowEmpty := range []bool{true, false} {
			if want, got := ra.PrefixesSuffixesEquals(rb, allowEmpty), SameAffixes(a, b, allowEmpty); want != got {
				rt.Fatalf("%v and %v, allowEmpty %t: kustomize says %t, we %t", a, b, allowEmpty, want, got)
			}
		}
	})
}
