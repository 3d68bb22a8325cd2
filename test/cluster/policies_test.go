//go:build cluster

package cluster_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// reader is a workload whose pods read a ConfigMap or a Secret. SPEC is their pod spec.
const reader = `apiVersion: v1
kind: ConfigMap
metadata: {name: app}
data: {a: b}
---
apiVersion: v1
kind: Secret
metadata: {name: db}
stringData: {a: b}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {SPEC}
`

// TestPolicy_admitsWhatConfighashWrites applies consumers of each kind, which the policy in examples/policies rejects,
// and admits after either mode.
func TestPolicy_admitsWhatConfighashWrites(t *testing.T) {
	namespace := newNamespace(t)
	kubectl(t, "", "label", "namespace", namespace, "confighash.dev/restart-on-change=enforced")
	policy := filepath.Join(root, "examples", "policies", "restart-on-change.yaml")
	kubectl(t, "", "apply", "-f", policy)
	t.Cleanup(func() { _, _ = plane.Kubectl(t.Context(), "", "delete", "-f", policy) })

	create := func(manifests string) (refusal string) {
		result, err := plane.Kubectl(t.Context(), manifests, "apply", "--dry-run=server", "-n", namespace, "-f", "-")
		if err != nil {
			t.Fatal(err)
		}
		return result.Stderr
	}
	specs := map[string]string{
		"envFrom":   "containers: [{name: c, image: i, envFrom: [{configMapRef: {name: app}}]}]",
		"env":       "containers: [{name: c, image: i}], initContainers: [{name: d, image: i, env: [{name: A, valueFrom: {secretKeyRef: {name: db, key: a}}}]}]",
		"a subPath": "containers: [{name: c, image: i, volumeMounts: [{name: v, mountPath: /v, subPath: a}]}], volumes: [{name: v, projected: {sources: [{secret: {name: db}}]}}]",
	}
	refused := func(spec string) string { return create(strings.Replace(reader, "SPEC", spec, 1)) }
	// It takes a while until the API server enforces a new policy.
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(refused(specs["envFrom"]), "denied"); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the policy refuses nothing")
		}
	}
	for what, spec := range specs {
		if refusal := refused(spec); !strings.Contains(refusal, what+" ") || !strings.Contains(refusal, "run the manifests through confighash") {
			t.Errorf("%s is not refused for itself: %q", what, refusal)
		}
		for _, mode := range []string{"Rename", "Annotate"} {
			manifests, _ := build(t, namespace, mode, strings.Replace(reader, "SPEC", spec, 1))
			if refusal := create(manifests); refusal != "" {
				t.Errorf("%s, after mode %s: %s", what, mode, refusal)
			}
		}
	}
	files := "containers: [{name: c, image: i, volumeMounts: [{name: v, mountPath: /v}]}], volumes: [{name: v, configMap: {name: app}}]"
	if refusal := refused(files); refusal != "" {
		t.Errorf("files that are kept up to date are refused: %s", refusal)
	}
}
