package rename

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const reads = `
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{args: [--configmap=app], envFrom: [{configMapRef: {name: app-4h2mbtbbt6}}]}]}
`

// An earlier run did not know the flag, and appended a hash.
func TestNew_restoresTheFormerName(t *testing.T) {
	p, err := planOf(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app-4h2mbtbbt6, annotations: {confighash.dev/hash: 4h2mbtbbt6}}\ndata: {a: b}"+reads, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"ConfigMap app-4h2mbtbbt6: metadata.name = app",
		"ConfigMap app-4h2mbtbbt6: metadata.annotations[confighash.dev/hash] removed",
		"Pod p: spec.containers[0].envFrom[0].configMapRef.name = app",
	}
	if diff := cmp.Diff(want, describe(p)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(p.Findings) != 1 || p.Findings[0].Name != "app" {
		t.Errorf("the warning does not name the object as it will be: %v", p.Findings)
	}
}

func TestNew_restoresNoNameThatIsTaken(t *testing.T) {
	p, err := planOf(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app-4h2mbtbbt6, annotations: {confighash.dev/hash: 4h2mbtbbt6}}\ndata: {a: b}\n---\n"+
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata: {a: c}"+reads, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string(nil), describe(p)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Through a pipe, the name already has kustomize's hash, and nothing is recorded.
func TestNew_leavesNamesThatKustomizeHashed(t *testing.T) {
	p, err := planOf(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app-4h2mbtbbt6}\ndata: {a: b}"+reads, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string(nil), describe(p)); diff != "" || len(p.Findings) != 0 {
		t.Errorf("(-want +got):\n%s\nfindings: %v", diff, p.Findings)
	}
}
