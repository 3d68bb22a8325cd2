package rename

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A part of a large object does not depend on what other pods take.
func TestNew_addsPartsOfALargeObjectAsIfEachWereAlone(t *testing.T) {
	const keys = 200
	var source strings.Builder
	source.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app # the name\ndata:\n")
	for i := range keys {
		switch i % 4 {
		case 0:
			fmt.Fprintf(&source, "  k%d: |\n    line %[1]d\n\n    another # one\n", i)
		case 1:
			fmt.Fprintf(&source, "  # about k%d\n  k%[1]d: v%[1]d\n", i)
		default:
			fmt.Fprintf(&source, "  k%d: 'v%[1]d' # here\n", i)
		}
	}
	workload := func(name string, taken ...int) string {
		text := "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name + "}\nspec:\n  template:\n    spec:\n      containers:\n      - name: c\n        env:\n"
		for _, key := range taken {
			text += fmt.Sprintf("        - {name: K%d, valueFrom: {configMapKeyRef: {name: app, key: k%[1]d}}}\n", key)
		}
		return text
	}
	byKey := func(s *v1alpha1.Spec) { s.Rename.Granularity = v1alpha1.GranularityKey }
	// A reader of the whole object makes it keep its name, so that all parts are added.
	const reader = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}], volumes: [{name: v, configMap: {name: app}}]}\n"
	all, alone := source.String()+reader, []string{}
	for i := range 40 {
		w := workload(fmt.Sprint("w", i), i, (i*37+11)%keys)
		all += w
		p, err := planOf(t, source.String()+reader+w, byKey)
		if err != nil || len(p.Added) != 1 {
			t.Fatalf("%d objects are added, with the error %v", len(p.Added), err)
		}
		alone = append(alone, string(p.Added[0]))
	}
	p, err := planOf(t, all, byKey)
	if err != nil {
		t.Fatal(err)
	}
	together := make([]string, len(p.Added))
	for i, document := range p.Added {
		together[i] = string(document)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(alone)), slices.Sorted(slices.Values(together))); diff != "" {
		t.Errorf("(-alone +together):\n%s", diff)
	}
}
