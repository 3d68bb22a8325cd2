//go:build cluster

package cluster_test

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/confighash/confighash/test/cluster"
)

// shop is what the tests apply.
//
//go:embed testdata/shop.yaml
var shop string

// settingsConsumers and credentialsConsumers are the workloads of shop that consume its ConfigMap and its Secret.
var (
	settingsConsumers    = []string{"CronJob report", "DaemonSet agent", "Deployment checkout", "Deployment web", "StatefulSet cache"}
	credentialsConsumers = []string{"CronJob rotate", "DaemonSet backup", "Deployment api", "Deployment mailer", "StatefulSet db"}
)

// without returns all workloads except one.
func without(workloads []string, workload string) []string {
	return slices.DeleteFunc(slices.Clone(workloads), func(w string) bool { return w == workload })
}

// edit replaces a text in manifests.
type edit struct{ old, new string }

// edited returns manifests with all edits, each of which must match exactly once.
func edited(t *testing.T, manifests string, edits ...edit) string {
	t.Helper()
	for _, e := range edits {
		if n := strings.Count(manifests, e.old); n != 1 {
			t.Fatalf("the manifests hold %q %d times", e.old, n)
		}
		manifests = strings.Replace(manifests, e.old, e.new, 1)
	}
	return manifests
}

var modes = []string{"Rename", "Annotate"}

// build pipes manifests through bin/confighash for a namespace, and returns its stdout and stderr. spec has further
// fields of the functionConfig.
func build(t *testing.T, namespace, mode, manifests string, spec ...string) (stdout, stderr string) {
	t.Helper()
	config := "apiVersion: confighash.dev/v1alpha1\nkind: ConfigHash\nmetadata:\n  name: test\nspec:\n  mode: " + mode + "\n"
	for _, line := range spec {
		config += "  " + line + "\n"
	}
	file := filepath.Join(t.TempDir(), "confighash.yaml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), *binary, "--config", file, "--namespace", namespace)
	cmd.Stdin = strings.NewReader(manifests)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("confighash: %v\n%s", err, errs.String())
	}
	return out.String(), errs.String()
}

// way is a way to apply.
type way struct {
	name  string
	flags []string
	prune bool // an ApplySet deletes objects that left the manifests
}

// ways are kubectl's four ways to apply.
var ways = []way{
	{name: "client", flags: []string{"--server-side=false"}},
	{name: "server", flags: []string{"--server-side"}},
	{name: "client pruning", flags: []string{"--server-side=false", "--prune", "--applyset=shop"}, prune: true},
	{name: "server pruning", flags: []string{"--server-side", "--prune", "--applyset=shop"}, prune: true},
}

// tryApply applies manifests to a namespace and returns kubectl's result.
func (w way) tryApply(t *testing.T, namespace, manifests string) cluster.Result {
	t.Helper()
	args := append([]string{"apply", "-n", namespace, "-f", "-"}, w.flags...)
	result, err := plane.Kubectl(t.Context(), manifests, args...)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// apply applies manifests to a namespace, waits until the controllers have observed them, and returns kubectl's output
// and the workloads' revisions.
func (w way) apply(t *testing.T, namespace, manifests string) (string, cluster.Snapshot) {
	t.Helper()
	result := w.tryApply(t, namespace, manifests)
	if result.Code != 0 {
		t.Fatalf("kubectl apply %s: exit code %d\n%s%s", strings.Join(w.flags, " "), result.Code, result.Stdout, result.Stderr)
	}
	return result.Stdout, rollouts(t, namespace)
}

// eachWay runs a test for modes and ways, each in its own namespace.
func eachWay(t *testing.T, modes []string, ways []way, test func(t *testing.T, mode string, w way, namespace string)) {
	t.Helper()
	for _, mode := range modes {
		for _, w := range ways {
			t.Run(mode+"/"+w.name, func(t *testing.T) { test(t, mode, w, newNamespace(t)) })
		}
	}
}

// names converts results of Rolled to "Kind name".
func names(workloads []string) []string {
	var names []string
	for _, workload := range workloads {
		kind, name, _ := strings.Cut(workload, " ")
		_, name, _ = strings.Cut(name, "/")
		names = append(names, kind+" "+name)
	}
	return names
}

// wantRolled checks that exactly these workloads, as "Kind name", rolled once between the snapshots. It keeps the later
// one, so that TestMain can check that it lasts.
func wantRolled(t *testing.T, namespace string, before, after cluster.Snapshot, want []string) {
	t.Helper()
	rolled := cluster.Rolled(before, after)
	got := names(rolled)
	if diff := cmp.Diff(want, got); diff != "" {
		wrong := slices.DeleteFunc(slices.Concat(want, got), func(workload string) bool {
			return slices.Contains(want, workload) && slices.Contains(got, workload)
		})
		t.Errorf("rolled (-want +got):\n%s\n%s", diff, dump(t, namespace, wrong...))
	}
	for i, workload := range rolled {
		// CronJobs have no numbers.
		if was, is := before[workload].Number, after[workload].Number; was != 0 && is != was+1 {
			t.Errorf("%s rolled from revision %d to %d\n%s", workload, was, is, dump(t, namespace, got[i]))
		}
	}
	settled[namespace] = after
}

// settled holds the last snapshot of each namespace, which should last.
var settled = map[string]cluster.Snapshot{}

// collections are the paths of the objects that a test applies, or that result from them.
var collections = []struct{ kind, path string }{
	{"ConfigMap", "/api/v1/namespaces/%s/configmaps"},
	{"CronJob", "/apis/batch/v1/namespaces/%s/cronjobs"},
	{"DaemonSet", "/apis/apps/v1/namespaces/%s/daemonsets"},
	{"Deployment", "/apis/apps/v1/namespaces/%s/deployments"},
	{"Job", "/apis/batch/v1/namespaces/%s/jobs"},
	{"ReplicaSet", "/apis/apps/v1/namespaces/%s/replicasets"},
	{"Secret", "/api/v1/namespaces/%s/secrets"},
	{"StatefulSet", "/apis/apps/v1/namespaces/%s/statefulsets"},
}

// objects returns the objects of a namespace by "Kind name", with only what an apply determines: without status,
// versions and times. Digests replace the values of ConfigMaps and Secrets.
func objects(t *testing.T, namespace string) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	for _, collection := range collections {
		var list struct{ Items []map[string]any }
		if err := plane.Get(t.Context(), fmt.Sprintf(collection.path, namespace), &list); err != nil {
			t.Fatal(err)
		}
		for _, object := range list.Items {
			delete(object, "status")
			metadata := object["metadata"].(map[string]any)
			for _, field := range []string{"creationTimestamp", "managedFields", "resourceVersion"} {
				delete(metadata, field)
			}
			annotations, _ := metadata["annotations"].(map[string]any)
			digestValues(annotations, "kubectl.kubernetes.io/last-applied-configuration")
			for _, field := range []string{"data", "binaryData"} {
				values, _ := object[field].(map[string]any)
				digestValues(values, slices.Collect(maps.Keys(values))...)
			}
			all[fmt.Sprintf("%s %s", collection.kind, metadata["name"])] = object
		}
	}
	return all
}

// digestValues replaces values with digests.
func digestValues(values map[string]any, keys ...string) {
	for _, key := range keys {
		if text, ok := values[key].(string); ok {
			values[key] = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:12]
		}
	}
}

// dump returns the ConfigMaps and Secrets of a namespace, and the given workloads with their ReplicaSets, as YAML, for
// a failure.
func dump(t *testing.T, namespace string, workloads ...string) string {
	t.Helper()
	all := objects(t, namespace)
	maps.DeleteFunc(all, func(object string, _ map[string]any) bool {
		kind, name, _ := strings.Cut(object, " ")
		return kind != "ConfigMap" && kind != "Secret" && !slices.ContainsFunc(workloads, func(workload string) bool {
			deployment, ok := strings.CutPrefix(workload, "Deployment ")
			return workload == object || ok && kind == "ReplicaSet" && strings.HasPrefix(name, deployment+"-")
		})
	})
	text, err := yaml.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return "of namespace " + namespace + ", with digests of values:\n" + string(text)
}

// named returns the sorted names of the objects of a kind that begin with prefix, such as the renamed ones of a base
// name.
func named(t *testing.T, namespace, kind, prefix string) []string {
	t.Helper()
	var found []string
	for _, key := range slices.Sorted(maps.Keys(objects(t, namespace))) {
		if name, ok := strings.CutPrefix(key, kind+" "); ok && strings.HasPrefix(name, prefix) {
			found = append(found, name)
		}
	}
	return found
}

// template returns the JSON of the pod template of a ReplicaSet or another workload.
func template(t *testing.T, namespace, workload string) string {
	t.Helper()
	object, ok := objects(t, namespace)[workload]
	if !ok {
		t.Fatalf("there is no %s", workload)
	}
	text, err := json.Marshal(object["spec"].(map[string]any)["template"])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// wantNoDrift checks that kubectl diff finds nothing.
func wantNoDrift(t *testing.T, w way, namespace, manifests string) {
	t.Helper()
	if w.prune {
		// kubectl diff does not know ApplySets: it would report their labels.
		return
	}
	result, err := plane.Kubectl(t.Context(), manifests, append([]string{"diff", "-n", namespace, "-f", "-"}, w.flags...)...)
	if err != nil {
		t.Fatal(err)
	}
	if result.Code == 0 && result.Stdout == "" {
		return
	}
	t.Errorf("kubectl diff: exit code %d\n%s%s", result.Code, withoutValues(result.Stdout), result.Stderr)
}

// withoutValues returns a diff that only shows the names of ConfigMaps and Secrets that differ.
func withoutValues(diff string) string {
	files := strings.SplitAfter("\n"+diff, "\ndiff ")
	for i, file := range files {
		header, _, _ := strings.Cut(file, "\n")
		if strings.Contains(header, "v1.ConfigMap.") || strings.Contains(header, "v1.Secret.") {
			files[i] = header + "\n(differs)\ndiff "
		}
	}
	return strings.Join(files, "")
}
