//go:build cluster

package cluster_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// TestApply_rollsConsumers applies a build of shop, then the build of another version.
func TestApply_rollsConsumers(t *testing.T) {
	for _, tc := range []struct {
		name             string
		edits            []edit
		rename, annotate []string // the workloads that roll
	}{{
		name: "the same again",
	}, {
		name:     "a key of the ConfigMap",
		edits:    []edit{debug},
		rename:   settingsConsumers,
		annotate: without(settingsConsumers, "Deployment checkout"), // takes another key
	}, {
		name:     "a key of the Secret",
		edits:    []edit{{"password: swordfish", "password: marlin"}},
		rename:   credentialsConsumers,
		annotate: without(credentialsConsumers, "Deployment mailer"), // takes another key
	}, {
		name: "labels and annotations of both",
		edits: []edit{
			{"    tier: front\n", "    tier: back\n    team: shop\n  annotations:\n    note: seen\n"},
			{"  name: credentials\nstringData", "  name: credentials\n  labels:\n    team: shop\n  annotations:\n    note: seen\nstringData"},
		},
	}, {
		name: "comments, order and quoting",
		edits: []edit{
			{"  LOG_LEVEL: info\n  CURRENCY: EUR\n", "  CURRENCY: \"EUR\" # of all prices\n  # of all programs\n  LOG_LEVEL: 'info'\n"},
			{"  username: shop\n  password: swordfish\n", "  password: |-\n    swordfish\n  username: !!str shop\n"},
		},
	}, {
		name: "an image",
		edits: []edit{
			{"image: web:1", "image: web:2"},
		},
		rename:   []string{"Deployment web"},
		annotate: []string{"Deployment web"},
	}, {
		name: "an image and configuration together",
		edits: []edit{
			{"image: web:1", "image: web:2"},
			{"image: db:1", "image: db:2"},
			{"image: agent:1", "image: agent:2"},
			debug,
			{"password: swordfish", "password: marlin"},
		},
		rename: []string{
			"CronJob report", "CronJob rotate", "DaemonSet agent", "DaemonSet backup", "Deployment api", "Deployment checkout",
			"Deployment mailer", "Deployment web", "StatefulSet cache", "StatefulSet db",
		},
		annotate: []string{
			"CronJob report", "CronJob rotate", "DaemonSet agent", "DaemonSet backup", "Deployment api",
			"Deployment web", "StatefulSet cache", "StatefulSet db",
		},
	}} {
		t.Run(tc.name, func(t *testing.T) {
			eachWay(t, modes, ways, func(t *testing.T, mode string, w way, namespace string) {
				first, _ := build(t, namespace, mode, shop)
				_, before := w.apply(t, namespace, first)
				objectsBefore := objects(t, namespace)
				if len(before) != len(settingsConsumers)+len(credentialsConsumers)+1 {
					t.Errorf("these are the workloads: %v", before)
				}

				second, _ := build(t, namespace, mode, edited(t, shop, tc.edits...))
				_, after := w.apply(t, namespace, second)
				want := tc.rename
				if mode == "Annotate" {
					want = tc.annotate
				}
				wantRolled(t, namespace, before, after, want)
				wantNoDrift(t, w, namespace, second)
				if tc.edits == nil {
					if diff := cmp.Diff(objectsBefore, objects(t, namespace)); diff != "" {
						t.Errorf("the same build applied again changes objects (-before +after):\n%s", diff)
					}
				}
			})
		})
	}
}

// TestApply_withoutConfighash shows the README's starting point: Kubernetes rolls nothing when a ConfigMap or a Secret
// changes.
func TestApply_withoutConfighash(t *testing.T) {
	eachWay(t, []string{"none"}, ways, func(t *testing.T, _ string, w way, namespace string) {
		_, before := w.apply(t, namespace, shop)
		old := objects(t, namespace)
		_, after := w.apply(t, namespace, edited(t, shop, debug, edit{"password: swordfish", "password: marlin"}))
		wantRolled(t, namespace, before, after, nil)
		now := objects(t, namespace)
		for _, object := range []string{"ConfigMap settings", "Secret credentials"} {
			if cmp.Equal(old[object], now[object]) {
				t.Errorf("%s did not change", object)
			}
		}
	})
}

// TestApply_returnsWithTheManifests applies an earlier build again, as after a revert in Git: each workload returns to
// its earlier template.
func TestApply_returnsWithTheManifests(t *testing.T) {
	eachWay(t, modes, ways, func(t *testing.T, mode string, w way, namespace string) {
		first, _ := build(t, namespace, mode, shop)
		_, before := w.apply(t, namespace, first)
		second, _ := build(t, namespace, mode, edited(t, shop, debug))
		_, changed := w.apply(t, namespace, second)
		_, after := w.apply(t, namespace, first)
		want := settingsConsumers
		if mode == "Annotate" {
			want = without(want, "Deployment checkout")
		}
		wantRolled(t, namespace, changed, after, want)
		for workload, was := range before {
			if after[workload].Template != was.Template {
				t.Errorf("%s was at %v, then at %v, and is at %v", workload, was, changed[workload], after[workload])
			}
		}
	})
}

// TestApply_secretReadBack reads a Secret that was applied as stringData from the cluster, where it is data, and builds
// with that.
func TestApply_secretReadBack(t *testing.T) {
	const given = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: credentials\nstringData:\n  username: shop\n  password: swordfish\n"
	for _, tc := range []struct {
		name   string
		secret func(t *testing.T, namespace string) string
	}{{
		name: "read from the cluster",
		secret: func(t *testing.T, namespace string) string {
			const field = "jsonpath={.spec.template.spec.containers[0].env[0].valueFrom.secretKeyRef.name}"
			name := kubectl(t, "", "get", "-n", namespace, "deployment", "api", "-o", field)
			return cleaned(t, kubectl(t, "", "get", "-n", namespace, "-o", "yaml", "secret", name))
		},
	}, {
		name: "written as data",
		secret: func(*testing.T, string) string {
			return "apiVersion: v1\nkind: Secret\nmetadata:\n  name: credentials\ndata:\n" +
				"  username: c2hvcA==\n  password: c3dvcmRmaXNo\n"
		},
	}} {
		t.Run(tc.name, func(t *testing.T) {
			eachWay(t, modes, ways, func(t *testing.T, mode string, w way, namespace string) {
				first, _ := build(t, namespace, mode, shop)
				_, before := w.apply(t, namespace, first)
				data := edited(t, shop, edit{given, tc.secret(t, namespace)})
				second, _ := build(t, namespace, mode, data)
				_, after := w.apply(t, namespace, second)

				// For Annotate the bytes are the same. Rename uses kustomize's hash, which distinguishes stringData
				// from data.
				var want []string
				if mode == "Rename" {
					want = credentialsConsumers
				}
				wantRolled(t, namespace, before, after, want)
				wantNoDrift(t, w, namespace, second)

				// From then on nothing changes, even if it is read back once more.
				third, _ := build(t, namespace, mode, edited(t, shop, edit{given, tc.secret(t, namespace)}))
				_, last := w.apply(t, namespace, third)
				wantRolled(t, namespace, after, last, nil)
			})
		})
	}
}

// cleaned returns an object without the fields that the API server and kubectl add, as somebody would save it.
func cleaned(t *testing.T, text string) string {
	t.Helper()
	var object map[string]any
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	metadata := object["metadata"].(map[string]any)
	for _, field := range []string{"creationTimestamp", "managedFields", "resourceVersion", "uid"} {
		delete(metadata, field)
	}
	if annotations, ok := metadata["annotations"].(map[string]any); ok {
		delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	}
	if labels, ok := metadata["labels"].(map[string]any); ok {
		delete(labels, "applyset.kubernetes.io/part-of")
	}
	out, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestApply_job checks docs/messages-references.md about Jobs, whose template cannot change. Rename updates it
// nevertheless and warns; Annotate leaves it alone.
func TestApply_job(t *testing.T) {
	const job = `---
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: migrate:1
        envFrom:
        - configMapRef: {name: settings}
`
	warnings := map[string]string{
		"Rename":   "is named after its content; this field of a Job cannot be changed once it exists",
		"Annotate": "not stamped, although it consumes ConfigMap settings: what it runs cannot change once it exists",
	}
	eachWay(t, modes, ways, func(t *testing.T, mode string, w way, namespace string) {
		first, said := build(t, namespace, mode, shop+job)
		if !strings.Contains(said, warnings[mode]) {
			t.Errorf("confighash does not warn of the Job: %q", said)
		}
		_, before := w.apply(t, namespace, first)
		old := named(t, namespace, "ConfigMap", "settings")

		second, _ := build(t, namespace, mode, edited(t, shop, debug)+job)
		if mode == "Annotate" {
			_, after := w.apply(t, namespace, second)
			wantRolled(t, namespace, before, after, without(settingsConsumers, "Deployment checkout"))
			return
		}
		result := w.tryApply(t, namespace, second)
		if result.Code == 0 || !strings.Contains(result.Stderr, `The Job "migrate" is invalid: spec.template`) ||
			!strings.Contains(result.Stderr, "field is immutable") {
			t.Errorf("kubectl apply: exit code %d, %s", result.Code, result.Stderr)
		}
		// Everything else is applied, and nothing is pruned after a failure: the earlier Job keeps the objects that it
		// refers to.
		wantRolled(t, namespace, before, rollouts(t, namespace), settingsConsumers)
		if now := named(t, namespace, "ConfigMap", "settings"); !slices.Contains(now, theOne(t, old)) || len(now) != 2 {
			t.Errorf("before there was ConfigMap %v, now there are %v", old, now)
		}

		// The page's solution: delete it first.
		kubectl(t, "", "delete", "job", "-n", namespace, "migrate")
		_, after := w.apply(t, namespace, second)
		wantRolled(t, namespace, before, after, slices.Sorted(slices.Values(append([]string{"Job migrate"}, settingsConsumers...))))
	})
}

// TestAnnotate_undoKeepsTheNewContent checks docs/annotate.md about what Annotate cannot do: the pod template returns,
// the configuration does not.
func TestAnnotate_undoKeepsTheNewContent(t *testing.T) {
	eachWay(t, []string{"Annotate"}, ways, func(t *testing.T, mode string, w way, namespace string) {
		first, _ := build(t, namespace, mode, shop)
		_, before := w.apply(t, namespace, first)
		second, _ := build(t, namespace, mode, edited(t, shop, debug))
		_, changed := w.apply(t, namespace, second)
		content := objects(t, namespace)["ConfigMap settings"]

		kubectl(t, "", "rollout", "undo", "-n", namespace, "deployment/web")
		undone := rollouts(t, namespace)
		wantRolled(t, namespace, changed, undone, []string{"Deployment web"})
		web := "Deployment " + namespace + "/web"
		if undone[web].Template != before[web].Template {
			t.Errorf("web rolled back from %v over %v to %v", before[web], changed[web], undone[web])
		}
		if diff := cmp.Diff(content, objects(t, namespace)["ConfigMap settings"]); diff != "" {
			t.Errorf("the undo changed the ConfigMap (-before +after):\n%s", diff)
		}
	})
}

// TestAnnotate_granularityObject counts whole objects, including keys that a workload does not take.
func TestAnnotate_granularityObject(t *testing.T) {
	eachWay(t, []string{"Annotate"}, ways, func(t *testing.T, mode string, w way, namespace string) {
		const object = "annotate: {granularity: Object}"
		first, _ := build(t, namespace, mode, shop, object)
		_, before := w.apply(t, namespace, first)
		second, _ := build(t, namespace, mode, edited(t, shop, debug), object)
		_, after := w.apply(t, namespace, second)
		wantRolled(t, namespace, before, after, settingsConsumers)
	})
}
