package impact_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/internal/impact"
)

func TestSum_countsObjectsWithKeysOfOneSourceAsOne(t *testing.T) {
	part := func(name, source string) *impact.Ref {
		return &impact.Ref{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: name, Source: source}
	}
	changed := func(keys ...impact.Key) []impact.Key { return keys }
	a := impact.Key{Name: "A", Change: impact.Changed, Consumed: true}
	b := impact.Key{Name: "B", Change: impact.Changed, Consumed: true}
	unused := impact.Key{Name: "B", Change: impact.Changed}
	rolls := func(name string, object *impact.Ref, keys []impact.Key) impact.Workload {
		return impact.Workload{
			Ref: impact.Ref{Kind: "Deployment", Name: name}, Effect: impact.Rolls, Replicas: new(int64(2)),
			Causes: []impact.Cause{{Change: impact.Changed, Object: object, FormerName: "former", Keys: keys}},
		}
	}
	r := &impact.Report{Workloads: []impact.Workload{
		rolls("one", part("app-1", "app"), changed(a)),
		rolls("two", part("app-2", "app"), changed(a, unused)), // looks the same
		rolls("both", part("app-3", "app"), changed(a, b)),     // another change
		rolls("other", part("db-1", "db"), changed(a)),         // another source
		rolls("whole", part("app", ""), changed(a)),            // the source itself
		rolls("again", part("app-1", "app"), changed(a)),       // the same object
	}}
	r.Sum()
	got := map[string]int64{}
	for _, total := range r.Causes {
		got[total.Cause.Object.Name+" "+total.Cause.FormerName] = total.Pods.Known
	}
	want := map[string]int64{"app ": 8, "app-3 former": 2, "db-1 former": 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pods by cause (-want +got):\n%s", diff)
	}
}
