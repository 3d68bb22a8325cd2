package kustomize

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzHistoryOf checks any annotations: they are rejected, or can be appended to once and read again.
func FuzzHistoryOf(f *testing.F) {
	f.Add("app,dev-app", "default,prod", "ConfigMap,ConfigMap", uint8(7), "x")
	f.Add("", "", "", uint8(7), "x")
	f.Add("a", "default", "Secret", uint8(3), "a")
	f.Add("a,b", "default", ",", uint8(0), "")
	f.Add("", "default", "Secret", uint8(6), "a")
	f.Fuzz(func(t *testing.T, names, namespaces, kinds string, present uint8, name string) {
		annotations := map[string]string{}
		for i, a := range []Annotation{{PreviousNames, names}, {PreviousNamespaces, namespaces}, {PreviousKinds, kinds}} {
			if present>>i&1 == 1 {
				annotations[a.Key] = a.Value
			}
		}
		h, err := HistoryOf(annotations)
		if err != nil || strings.Contains(name, ",") {
			return // no name of an object has a comma
		}
		id := Identity{Kind: "ConfigMap", Namespace: "prod", Name: name}
		for _, a := range h.Append(id) {
			annotations[a.Key] = a.Value
		}
		once, err := HistoryOf(annotations)
		if err != nil {
			t.Fatalf("%+v with one more: %v", h, err)
		}
		want := h.Previous
		if !slices.Contains(want, id) {
			want = append(slices.Clone(want), id)
		}
		if diff := cmp.Diff(want, once.Previous); diff != "" {
			t.Fatalf("with one more (-want +got):\n%s", diff)
		}
		for _, a := range once.Append(id) {
			if annotations[a.Key] != a.Value {
				t.Errorf("with the same once more, %s is %q, not %q", a.Key, a.Value, annotations[a.Key])
			}
		}
	})
}
