//go:build cluster

package cluster_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A keeper renders a package repeatedly, each time with its last output.
type keeper struct {
	keep, namespace, last string
}

func newKeeper(t *testing.T, keep int) *keeper {
	t.Helper()
	return &keeper{keep: fmt.Sprint(keep), namespace: newNamespace(t), last: t.TempDir()}
}

func (k *keeper) render(t *testing.T, manifests string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), *binary, "--mode", "Rename", "--namespace", k.namespace, "--keep", k.keep, "--previous", k.last)
	cmd.Stdin, cmd.Stderr = strings.NewReader(manifests), os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = os.WriteFile(filepath.Join(k.last, "manifests.yaml"), out, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// versionNames matches the names of the versions of settings and credentials.
var versionNames = regexp.MustCompile(`\b(?:settings|credentials)-[2456789bcdfghkmt]{10}\b`)

// present returns the versions in the cluster.
func (k *keeper) present(t *testing.T) []string {
	t.Helper()
	return versionNames.FindAllString(kubectl(t, "", "get", "-n", k.namespace, "configmaps,secrets", "-o", "name"), -1)
}

// wantResolved checks that all versions named by resources are in the cluster.
func (k *keeper) wantResolved(t *testing.T, resources, path string) {
	t.Helper()
	present := k.present(t)
	for _, name := range versionNames.FindAllString(kubectl(t, "", "get", "-n", k.namespace, resources, "-o", "jsonpath={"+path+"}"), -1) {
		if !slices.Contains(present, name) {
			t.Errorf("%s refer to %s, and only these are in the cluster: %v", resources, name, present)
		}
	}
}

// held is a package whose rollouts never end, since none of its pods becomes ready.
const held = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {version: "%d"}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  strategy: {rollingUpdate: {maxUnavailable: 0, maxSurge: 1}}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web, envFrom: [{configMapRef: {name: settings}}]}]}
`

// TestKeep_leavesWhatOldPodsAndRollbacksNeed changes the configuration while an old pod runs, with applies that prune,
// and rolls back by three versions.
func TestKeep_leavesWhatOldPodsAndRollbacksNeed(t *testing.T) {
	k, w := newKeeper(t, 3), ways[2]
	for version := range 4 {
		w.apply(t, k.namespace, k.render(t, fmt.Sprintf(held, version)))
		k.wantResolved(t, "pods", ".items[*].spec")
		k.wantResolved(t, "replicasets", ".items[*].spec.template.spec")
	}
	if n := len(k.present(t)); n != 4 {
		t.Errorf("%d versions are in the cluster, want 4", n)
	}
	kubectl(t, "", "rollout", "undo", "-n", k.namespace, "deployment/web", "--to-revision=1")
	rollouts(t, k.namespace)
	k.wantResolved(t, "deployments", ".items[*].spec.template.spec")
	k.wantResolved(t, "pods", ".items[*].spec")
	if listed, stderr, ok := gcIn(t, plane.Kubeconfig(), "-n", k.namespace, "-o", "name"); !ok || strings.TrimSpace(listed) != "" {
		t.Errorf("gc lists %q, want nothing\n%s", listed, stderr)
	}
	// The next change exceeds the limit, so the first version is removed.
	w.apply(t, k.namespace, k.render(t, fmt.Sprintf(held, 4)))
	if n := len(k.present(t)); n != 4 {
		t.Errorf("%d versions are in the cluster, want 4", n)
	}
}

// A drift is a random state of a package; -1 stands for a removed object.
type drift struct{ settings, credentials, image int }

func (d drift) manifests() string {
	text, from := "", ""
	if d.settings >= 0 {
		text += fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {version: \"%d\"}\n---\n", d.settings)
		from += "{configMapRef: {name: settings}}, "
	}
	if d.credentials >= 0 {
		text += fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: credentials}\nstringData: {version: \"%d\"}\n---\n", d.credentials)
		from += "{secretRef: {name: credentials}}, "
	}
	return text + fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 0\n  selector: {matchLabels: {app: web}}\n"+
		"  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: web, image: \"web:%d\", envFrom: [%s]}]}\n", d.image, from)
}

// TestKeep_holdsOverRandomChanges makes 200 changes, reverts, deletions and repeated applies, half of them with
// pruning. The objects of the last renders stay, and gc removes unused ones.
func TestKeep_holdsOverRandomChanges(t *testing.T) {
	for keep := range 4 {
		t.Run(fmt.Sprint("keep ", keep), func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, uint64(keep)))
			k := newKeeper(t, keep)
			w := ways[2]
			if keep%2 == 1 {
				w = ways[1] // gc removes what is not pruned
			}
			d := drift{0, 0, 0}
			var templates []string // of the runs that changed something
			for step := range 50 {
				switch random.IntN(5) {
				case 0:
					d.image = random.IntN(3)
				case 1, 2:
					d.settings = random.IntN(6) - 1
				case 3:
					d.credentials = random.IntN(6) - 1
				}
				out := k.render(t, d.manifests())
				w.apply(t, k.namespace, out)
				_, template, _ := strings.Cut(out, "kind: Deployment")
				template, _, _ = strings.Cut(template, "---")
				if len(templates) == 0 || templates[len(templates)-1] != template {
					templates = append(templates, template)
				}
				present, carried := k.present(t), versionNames.FindAllString(out, -1)
				for _, name := range carried {
					if !slices.Contains(present, name) {
						t.Fatalf("step %d: %s is rendered, and not in the cluster", step, name)
					}
				}
				if n := len(templates); keep > 0 && n > 1 {
					for _, name := range versionNames.FindAllString(templates[n-2], -1) {
						if !slices.Contains(carried, name) {
							t.Errorf("step %d: the template before the last change refers to %s, which is not rendered", step, name)
						}
					}
				}
				if !w.prune && step%10 == 9 {
					unused, stderr, ok := gcIn(t, plane.Kubeconfig(), "-n", k.namespace, "--superseded", "-o", "yaml")
					if !ok {
						t.Fatal(stderr)
					}
					kubectl(t, unused, "delete", "--ignore-not-found", "-f", "-")
					k.wantResolved(t, "deployments,replicasets", ".items[*].spec.template.spec")
					needed := kubectl(t, "", "get", "-n", k.namespace, "deployments,replicasets", "-o", "jsonpath={.items[*].spec.template.spec}") + out
					for _, name := range k.present(t) {
						if !strings.Contains(needed, name) {
							t.Errorf("step %d: %s is left, and nothing needs it", step, name)
						}
					}
				}
				if w.prune {
					for _, name := range present {
						if !slices.Contains(carried, name) {
							t.Errorf("step %d: %s is left, and nothing renders it", step, name)
						}
					}
				}
				if t.Failed() {
					t.Fatalf("%+v\n%s", d, out)
				}
			}
		})
	}
}
