package edit_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/confighash/confighash/internal/yamldoc"

	"github.com/confighash/confighash/internal/edit"
)

// deployment returns a Deployment of 100 lines and edits of five scalars in it.
func deployment(b *testing.B) ([]byte, []edit.Item) {
	b.Helper()
	text, err := os.ReadFile("testdata/seeds/deployment.yaml")
	if err != nil {
		b.Fatal(err)
	}
	head, tail, _ := strings.Cut(string(text), "        env:\n")
	var env strings.Builder
	for i := range 100 - strings.Count(string(text), "\n") {
		fmt.Fprintf(&env, "        # variable %d\n", i)
	}
	source := head + "        env:\n" + env.String() + tail
	item := itemsOf(b, source, map[yamldoc.Path][]plan{"": {
		set("metadata.name", "web-1"),
		set("spec.template.spec.containers[0].envFrom[0].configMapRef.name", "app-6ct58987ht"),
		set("spec.template.spec.containers[0].envFrom[1].secretRef.name", "app-secret-6ct58987ht"),
		set("spec.template.spec.containers[0].env[0].valueFrom.configMapKeyRef.name", "app-6ct58987ht"),
		set("spec.template.spec.volumes[0].projected.sources[1].secret.name", "app-secret-6ct58987ht"),
	}})
	return []byte(source), item
}

func BenchmarkApply_fiveScalars(b *testing.B) {
	text, items := deployment(b)
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, ok, err := edit.Splice(text, items); err != nil || !ok {
			b.Fatal(ok, err)
		}
	}
}

func BenchmarkApply_oneAnnotation(b *testing.B) {
	text, _ := deployment(b)
	items := []edit.Item{{Edits: []edit.Edit{edit.SetEntry{Parent: "spec.template.metadata.annotations", Key: "a", Value: "b"}}}}
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := edit.Apply(text, items); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOnNodes_fiveScalars(b *testing.B) {
	text, items := deployment(b)
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := edit.OnNodes(text, items); err != nil {
			b.Fatal(err)
		}
	}
}
