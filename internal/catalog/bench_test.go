package catalog

import "testing"

// BenchmarkKind_coldStart reads the rules of common kinds with an empty cache: the cost for a run, however large the
// catalogue is.
func BenchmarkKind_coldStart(b *testing.B) {
	kinds := []gvk{
		{"", "v1", "Secret"},
		{"", "v1", "ServiceAccount"},
		{"apps", "v1", "Deployment"},
		{"batch", "v1", "CronJob"},
		{"networking.k8s.io", "v1", "Ingress"},
	}
	b.ReportAllocs()
	for b.Loop() {
		c := newCatalog(nil)
		for _, id := range kinds {
			if c.Kind(id.group, id.version, id.kind) == nil {
				b.Fatal("nothing is known of", id)
			}
		}
	}
}
