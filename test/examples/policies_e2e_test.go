//go:build e2e && !windows

package examples_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"
)

// readers are objects and a workload that reads them. KIND is its kind, SPEC its pod spec.
const readers = `apiVersion: v1
kind: ConfigMap
metadata: {name: app, namespace: shop}
data: {a: b}
---
apiVersion: v1
kind: Secret
metadata: {name: db, namespace: shop}
stringData: {a: b}
---
apiVersion: apps/v1
kind: KIND
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {SPEC}
`

// TestE2E_kyvernoRefusesWhatWouldNotRestart runs Kyverno's command on consumers of each kind, which the policy rejects,
// and accepts after either mode.
func TestE2E_kyvernoRefusesWhatWouldNotRestart(t *testing.T) {
	kyverno, err := exec.LookPath("kyverno")
	if err != nil {
		t.Skipf("kyverno is not installed: %v", err)
	}
	values := "apiVersion: cli.kyverno.io/v1alpha1\nkind: Values\nmetadata: {name: values}\nnamespaceSelector:\n- {name: %s, labels: {confighash.dev/restart-on-change: enforced}}\n"
	judge := func(t *testing.T, manifests, labelled string) string {
		t.Helper()
		dir := t.TempDir()
		input, labels := filepath.Join(dir, "input.yaml"), filepath.Join(dir, "values.yaml")
		for path, text := range map[string]string{input: manifests, labels: fmt.Sprintf(values, labelled)} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		// The exit code is also non-zero for a rejected workload.
		out, _ := exec.CommandContext(t.Context(), kyverno, "apply", filepath.Join(policies, "restart-on-change-kyverno.yaml"), "-r", input, "-f", labels, "--remove-color").CombinedOutput()
		return string(out)
	}
	const passes, fails, unjudged = "pass: 1, fail: 0", "pass: 0, fail: 1", "pass: 0, fail: 0"
	for _, row := range []struct{ kind, what, spec string }{
		{"Deployment", "envFrom", "containers: [{name: c, image: i, envFrom: [{configMapRef: {name: app}}]}]"},
		{"StatefulSet", "env", "containers: [{name: c, image: i}], initContainers: [{name: d, image: i, env: [{name: A, valueFrom: {secretKeyRef: {name: db, key: a}}}]}]"},
		{"DaemonSet", "a subPath", "containers: [{name: c, image: i, volumeMounts: [{name: v, mountPath: /v, subPath: a}]}], volumes: [{name: v, projected: {sources: [{secret: {name: db}}]}}]"},
	} {
		manifests := strings.NewReplacer("KIND", row.kind, "SPEC", row.spec).Replace(readers)
		if out := judge(t, manifests, "shop"); !strings.Contains(out, fails) || !strings.Contains(out, "1 -  "+row.what+" ") {
			t.Errorf("%s of a %s is not refused for itself:\n%s", row.what, row.kind, out)
		}
		if out := judge(t, manifests, "other"); !strings.Contains(out, unjudged) {
			t.Errorf("%s of a %s is judged in a namespace without the label:\n%s", row.what, row.kind, out)
		}
		for _, mode := range []string{"Rename", "Annotate"} {
			if out := judge(t, string(harness.MustRun(t, []byte(manifests), harness.Binary, "--mode", mode)), "shop"); !strings.Contains(out, passes) {
				t.Errorf("%s of a %s is refused after mode %s:\n%s", row.what, row.kind, mode, out)
			}
		}
	}
	without := strings.NewReplacer("KIND", "Deployment", "SPEC", "containers: [{name: c, image: i}]").Replace(readers)
	if out := judge(t, without, "shop"); !strings.Contains(out, passes) {
		t.Errorf("a Deployment without configuration is refused:\n%s", out)
	}
	cron := "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: web, namespace: shop}\nspec: {schedule: '@daily', jobTemplate: {spec: {template: {spec: {restartPolicy: Never, " +
		"containers: [{name: c, image: i, envFrom: [{configMapRef: {name: app}}]}]}}}}}\n"
	if out := judge(t, cron, "shop"); !strings.Contains(out, unjudged) {
		t.Errorf("a CronJob is judged:\n%s", out)
	}
}
