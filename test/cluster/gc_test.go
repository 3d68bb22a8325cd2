//go:build cluster

package cluster_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// versioned is a package whose workloads keep two templates: the current and the previous one.
const versioned = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {version: "%[1]d"}
---
apiVersion: v1
kind: Secret
metadata: {name: credentials}
stringData: {version: "%[1]d"}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 0
  revisionHistoryLimit: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web, envFrom: [{configMapRef: {name: settings}}]}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 0
  revisionHistoryLimit: 1
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: db, envFrom: [{secretRef: {name: credentials}}]}]}
`

// gcIn runs gc with a user's kubeconfig, and returns its output, and whether it succeeded.
func gcIn(t *testing.T, kubeconfig string, args ...string) (stdout, stderr string, ok bool) {
	t.Helper()
	binaries, err := filepath.Abs(options.Binaries)
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), *binary, append([]string{"gc", "--kubeconfig", kubeconfig, "--older-than", "0"}, args...)...)
	cmd.Env = []string{"PATH=" + binaries, "HOME=" + t.TempDir()}
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), err == nil
}

// as returns the path of a service account's kubeconfig.
func as(t *testing.T, account string) string {
	t.Helper()
	text, err := os.ReadFile(plane.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text = bytes.Replace(text, []byte("    token:"), []byte("    as: system:serviceaccount:confighash:"+account+"\n    token:"), 1)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// rollOut applies versions of the package, and waits until the controllers have deleted the templates that the
// workloads do not keep.
func rollOut(t *testing.T, namespace string, versions ...int) {
	t.Helper()
	for _, version := range versions {
		manifests, _ := build(t, namespace, "Rename", fmt.Sprintf(versioned, version))
		ways[0].apply(t, namespace, manifests)
	}
	want := min(len(versions), 2)
	for range 600 {
		left := kubectl(t, "", "get", "-n", namespace, "replicasets,controllerrevisions", "-o", "name")
		if strings.Count(left, "replicaset") == want && strings.Count(left, "controllerrevision") == want {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the controllers keep more templates than the workloads ask for")
}

// TestGC_listsExactlyWhatNoTemplateNeeds rolls out, rolls back, and deletes what gc lists, with exactly the rights of
// the service accounts in examples/gc.
func TestGC_listsExactlyWhatNoTemplateNeeds(t *testing.T) {
	namespace := newNamespace(t)
	for _, file := range []string{"report.yaml", "delete.yaml"} {
		kubectl(t, "", "apply", "-f", filepath.Join(root, "examples", "gc", file))
	}
	rollOut(t, namespace, 1, 2, 3, 4)
	kubectl(t, "", "rollout", "undo", "-n", namespace, "deployment/web", "statefulset/db")
	rollouts(t, namespace)

	var want []string
	for _, object := range []string{"settings", "credentials"} {
		for version := 1; version <= 2; version++ {
			manifests, _ := build(t, namespace, "Rename", fmt.Sprintf(versioned, version))
			name := regexp.MustCompile(object + `-\w+`).FindString(manifests)
			kind := map[string]string{"settings": "configmap", "credentials": "secret"}[object]
			want = append(want, fmt.Sprintf("%s/%s -n %s", kind, name, namespace))
		}
	}
	slices.Sort(want)
	listed, stderr, ok := gcIn(t, as(t, "gc-report"), "-n", namespace, "-o", "name")
	if !ok {
		t.Fatal(stderr)
	}
	if diff := cmp.Diff(want, lines(listed)); diff != "" {
		t.Errorf("gc lists something else than versions 1 and 2 (-want +got):\n%s", diff)
	}
	kept, _, _ := gcIn(t, as(t, "gc-report"), "-n", namespace, "-o", "name", "--keep", "1")
	if n := len(lines(kept)); n != 2 {
		t.Errorf("with --keep 1 gc lists %d objects, want one of each base name:\n%s", n, kept)
	}

	// As in the container of delete.yaml.
	deleter := as(t, "gc-delete")
	unused, stderr, ok := gcIn(t, deleter, "-n", namespace, "-o", "yaml")
	if !ok {
		t.Fatal(stderr)
	}
	for range 2 { // once more after the deletion
		deleted := kubectl(t, unused, "--kubeconfig", deleter, "delete", "--ignore-not-found", "--wait=false", "-f", "-")
		if unused, _, _ = gcIn(t, deleter, "-n", namespace, "-o", "yaml"); strings.Contains(unused, "name:") {
			t.Errorf("after kubectl printed %q, gc lists\n%s", deleted, unused)
		}
	}
	present := kubectl(t, "", "get", "-n", namespace, "configmaps,secrets", "-o", "name")
	needed := regexp.MustCompile(`(?:settings|credentials)-\w+`).FindAllString(
		kubectl(t, "", "get", "-n", namespace, "deployments,replicasets,statefulsets,controllerrevisions", "-o", "jsonpath={.items[*].spec.template.spec}{.items[*].data.spec.template.spec}"), -1)
	if len(needed) != 6 {
		t.Errorf("the templates refer to objects %d times, want 6: two kept templates of each workload, and its own\n%v", len(needed), needed)
	}
	for _, name := range needed {
		if !strings.Contains(present, "/"+name+"\n") {
			t.Errorf("%s is needed, and only these are present:\n%s", name, present)
		}
	}
}

// TestGC_refusesWithoutOneRight removes one of the rights in examples/gc.
func TestGC_refusesWithoutOneRight(t *testing.T) {
	namespace := newNamespace(t)
	kubectl(t, "", "apply", "-f", filepath.Join(root, "examples", "gc", "report.yaml"))
	t.Cleanup(func() {
		_, _ = plane.Kubectl(t.Context(), "", "apply", "-f", filepath.Join(root, "examples", "gc", "report.yaml"))
	})
	rollOut(t, namespace, 1, 2, 3)
	kinds := lines(kubectl(t, "", "api-resources", "--verbs=list", "-o", "name"))
	grant := func(kinds []string) {
		role := "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: confighash-gc-report}\nrules:\n"
		for _, kind := range kinds {
			resource, group, _ := strings.Cut(kind, ".")
			role += fmt.Sprintf("- {apiGroups: [%q], resources: [%q], verbs: [list]}\n", group, resource)
		}
		kubectl(t, role, "apply", "-f", "-")
	}
	grant(kinds)
	want, stderr, ok := gcIn(t, as(t, "gc-report"), "-n", namespace, "-o", "name")
	if !ok || len(lines(want)) != 2 {
		t.Fatalf("with list on each kind gc lists %q, and says %s", want, stderr)
	}
	for _, missing := range []string{"secrets", "cronjobs.batch", "ingresses.networking.k8s.io"} {
		grant(slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return kind == missing }))
		got, stderr, ok := gcIn(t, as(t, "gc-report"), "-n", namespace, "-o", "yaml")
		if ok || got != "" || !strings.HasPrefix(stderr, "error: "+missing+" cannot be read: kubectl: Error from server (Forbidden): ") ||
			!strings.Contains(stderr, "grant the verb list on "+missing) {
			t.Errorf("without list on %s gc prints %q and says %s", missing, got, stderr)
		}
	}
	got, stderr, ok := gcIn(t, as(t, "gc-report"), "-n", namespace, "-o", "name", "--skip", "ingresses.networking.k8s.io")
	if !ok || got != want {
		t.Errorf("with --skip for the kind gc lists %q, want %q: %s", got, want, stderr)
	}
}

func lines(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }
