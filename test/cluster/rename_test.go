//go:build cluster

package cluster_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// debug is the change in these tests.
var debug = edit{"LOG_LEVEL: info", "LOG_LEVEL: debug"}

// theOne returns the only name.
func theOne(t *testing.T, names []string) string {
	t.Helper()
	if len(names) != 1 {
		t.Fatalf("there should be one: %v", names)
	}
	return names[0]
}

// TestRename_undoBringsTheOldConfigurationBack checks docs/rename.md about what a rollback needs: the old object stays
// unless something prunes it, and the old ReplicaSet refers to it.
func TestRename_undoBringsTheOldConfigurationBack(t *testing.T) {
	eachWay(t, []string{"Rename"}, ways[:2], func(t *testing.T, mode string, w way, namespace string) {
		first, _ := build(t, namespace, mode, shop)
		_, before := w.apply(t, namespace, first)
		oldName := theOne(t, named(t, namespace, "ConfigMap", "settings-"))
		oldObject := objects(t, namespace)["ConfigMap "+oldName]

		second, _ := build(t, namespace, mode, edited(t, shop, debug))
		_, changed := w.apply(t, namespace, second)
		wantRolled(t, namespace, before, changed, settingsConsumers)
		newName := theOne(t, without(named(t, namespace, "ConfigMap", "settings-"), oldName))

		web := "Deployment " + namespace + "/web"
		for replicaSet, configMap := range map[string]string{
			before[web].Template:  oldName,
			changed[web].Template: newName,
		} {
			if template := template(t, namespace, "ReplicaSet "+replicaSet); !strings.Contains(template, strconv.Quote(configMap)) {
				t.Errorf("ReplicaSet %s does not refer to ConfigMap %s: %s", replicaSet, configMap, template)
			}
		}

		kubectl(t, "", "rollout", "undo", "-n", namespace, "deployment/web", "statefulset/cache", "daemonset/agent")
		undone := rollouts(t, namespace)
		wantRolled(t, namespace, changed, undone, []string{"DaemonSet agent", "Deployment web", "StatefulSet cache"})
		for _, workload := range []string{"DaemonSet %s/agent", "Deployment %s/web", "StatefulSet %s/cache"} {
			workload = fmt.Sprintf(workload, namespace)
			if undone[workload].Template != before[workload].Template {
				t.Errorf("%s rolled back from %v over %v to %v", workload, before[workload], changed[workload], undone[workload])
			}
		}
		if template := template(t, namespace, "Deployment web"); !strings.Contains(template, strconv.Quote(oldName)) {
			t.Errorf("after the undo the Deployment does not refer to ConfigMap %s: %s", oldName, template)
		}
		if diff := cmp.Diff(oldObject, objects(t, namespace)["ConfigMap "+oldName]); diff != "" {
			t.Errorf("the old object changed (-want +got):\n%s", diff)
		}
	})
}

// TestRename_prunesAfterAllIsApplied checks docs/rename.md about the order in kubectl's ApplySets, and about a later
// rollback.
func TestRename_prunesAfterAllIsApplied(t *testing.T) {
	eachWay(t, []string{"Rename"}, ways[2:], func(t *testing.T, mode string, w way, namespace string) {
		first, _ := build(t, namespace, mode, shop)
		_, before := w.apply(t, namespace, first)
		oldName := theOne(t, named(t, namespace, "ConfigMap", "settings-"))
		oldVersion := version(t, namespace, "configmaps/"+oldName)

		second, _ := build(t, namespace, mode, edited(t, shop, debug))
		said, changed := w.apply(t, namespace, second)
		wantRolled(t, namespace, before, changed, settingsConsumers)
		newName := theOne(t, named(t, namespace, "ConfigMap", "settings-"))
		if newName == oldName {
			t.Fatalf("%s was not pruned\n%s", oldName, said)
		}

		// kubectl prints each object in order, the pruned ones at the end.
		lines := strings.Split(strings.TrimSpace(said), "\n")
		for i, line := range lines {
			if pruned := strings.HasSuffix(line, " pruned"); pruned != (i == len(lines)-1) {
				t.Errorf("line %d of %d is %q", i+1, len(lines), line)
			}
		}
		if last := lines[len(lines)-1]; last != "configmap/"+oldName+" pruned" {
			t.Errorf("the last line is %q", last)
		}
		// The API server counts its changes: the CronJob is the last consumer in the package, and only kubectl changes
		// it.
		made, followed := version(t, namespace, "configmaps/"+newName), version(t, namespace, "cronjobs.batch/report")
		deleted := deletion(t, namespace, oldName, oldVersion)
		if !slices.IsSorted([]int64{oldVersion, made, followed, deleted}) {
			t.Errorf("the new object was made at %d, the CronJob changed at %d, and the old object was deleted at %d", made, followed, deleted)
		}

		// A rollback after that refers to a deleted object.
		web := "Deployment " + namespace + "/web"
		kubectl(t, "", "rollout", "undo", "-n", namespace, "deployment/web")
		undone := rollouts(t, namespace)
		wantRolled(t, namespace, changed, undone, []string{"Deployment web"})
		if undone[web].Template != before[web].Template {
			t.Errorf("web rolled back from %v over %v to %v", before[web], changed[web], undone[web])
		}
		if template := template(t, namespace, "Deployment web"); !strings.Contains(template, strconv.Quote(oldName)) {
			t.Errorf("after the undo the Deployment does not refer to ConfigMap %s: %s", oldName, template)
		}

		// Applying the earlier build restores the object.
		_, restored := w.apply(t, namespace, first)
		if name := theOne(t, named(t, namespace, "ConfigMap", "settings-")); name != oldName {
			t.Errorf("the earlier build has ConfigMap %s, and had %s", name, oldName)
		}
		if restored[web] != undone[web] {
			t.Errorf("web was rolled back to %v; the earlier build rolled it to %v", undone[web], restored[web])
		}
		settled[namespace] = restored
	})
}

// version returns the resourceVersion of an object, which the API server increases over all objects.
func version(t *testing.T, namespace, object string) int64 {
	t.Helper()
	text := kubectl(t, "", "get", "-n", namespace, object, "-o", "jsonpath={.metadata.resourceVersion}")
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return number
}

// deletion returns the resourceVersion of the deletion of a ConfigMap whose last change was since.
func deletion(t *testing.T, namespace, name string, since int64) int64 {
	t.Helper()
	var event struct {
		Type   string
		Object struct {
			Metadata struct{ ResourceVersion string }
		}
	}
	// There is only one event, so the answer is a single document.
	path := fmt.Sprintf("/api/v1/namespaces/%s/configmaps?watch=true&timeoutSeconds=1&resourceVersion=%d&fieldSelector=metadata.name=%s",
		namespace, since, name)
	if err := plane.Get(t.Context(), path, &event); err != nil {
		t.Fatal(err)
	}
	number, err := strconv.ParseInt(event.Object.Metadata.ResourceVersion, 10, 64)
	if event.Type != "DELETED" || err != nil {
		t.Fatalf("ConfigMap %s: %+v", name, event)
	}
	return number
}

// TestRename_immutable makes objects that cannot be changed in place: the next build makes new ones, so it succeeds.
func TestRename_immutable(t *testing.T) {
	eachWay(t, []string{"Rename"}, ways, func(t *testing.T, mode string, w way, namespace string) {
		const immutable = "rename: {immutable: true}"
		edits := []edit{debug, {"password: swordfish", "password: marlin"}}
		first, _ := build(t, namespace, mode, shop, immutable)
		_, before := w.apply(t, namespace, first)
		old := objects(t, namespace)

		// The same change to the existing objects.
		result := w.tryApply(t, namespace, edited(t, first, edits...))
		if n := strings.Count(result.Stderr, "field is immutable when `immutable` is set"); result.Code == 0 || n != 2 {
			t.Errorf("a change in place of a ConfigMap and a Secret: exit code %d, %s", result.Code, result.Stderr)
		}

		second, _ := build(t, namespace, mode, edited(t, shop, edits...), immutable)
		_, after := w.apply(t, namespace, second)
		want := slices.Sorted(slices.Values(slices.Concat(settingsConsumers, credentialsConsumers)))
		wantRolled(t, namespace, before, after, want)
		now := objects(t, namespace)
		for _, kind := range []string{"ConfigMap", "Secret"} {
			made := 0
			for _, prefix := range []string{"settings-", "credentials-"} {
				for _, name := range named(t, namespace, kind, prefix) {
					object := now[kind+" "+name]
					if object["immutable"] != true {
						t.Errorf("%s %s is not immutable", kind, name)
					}
					if old[kind+" "+name] == nil {
						made++
					} else if diff := cmp.Diff(old[kind+" "+name], object); diff != "" {
						t.Errorf("%s %s changed (-before +after):\n%s", kind, name, diff)
					}
				}
			}
			if made != 1 {
				t.Errorf("%d objects of kind %s were made\n%s", made, kind, dump(t, namespace))
			}
		}
	})
}

// TestRename_granularityKey checks docs/granularity.md: a key that no container takes rolls nothing, another key rolls
// those that take it, and a rollback finds the earlier keys.
func TestRename_granularityKey(t *testing.T) {
	const byKey = "rename: {granularity: Key}"
	const manifests = `
apiVersion: v1
kind: ConfigMap
metadata: {name: app}
data: {LEVEL: info, THEME: light, UNUSED: a}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: level}
spec:
  selector: {matchLabels: {app: level}}
  template:
    metadata: {labels: {app: level}}
    spec: {containers: [{name: c, image: c, env: [{name: LEVEL, valueFrom: {configMapKeyRef: {name: app, key: LEVEL}}}]}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: theme}
spec:
  selector: {matchLabels: {app: theme}}
  template:
    metadata: {labels: {app: theme}}
    spec:
      containers: [{name: c, image: c, volumeMounts: [{name: v, mountPath: /theme, subPath: THEME}]}]
      volumes: [{name: v, configMap: {name: app}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: all}
spec:
  selector: {matchLabels: {app: all}}
  template:
    metadata: {labels: {app: all}}
    spec: {containers: [{name: c, image: c, envFrom: [{configMapRef: {name: app}}]}]}
`
	eachWay(t, []string{"Rename"}, ways[:2], func(t *testing.T, mode string, w way, namespace string) {
		text := manifests
		first, _ := build(t, namespace, mode, text, byKey)
		_, before := w.apply(t, namespace, first)
		oldName := regexp.MustCompile(`app-[a-z0-9]{10}`).FindString(template(t, namespace, "Deployment level"))
		oldObject := objects(t, namespace)["ConfigMap "+oldName]
		for _, step := range []struct {
			change edit
			want   []string
		}{
			{edit{"LEVEL: info", "LEVEL: debug"}, []string{"Deployment all", "Deployment level"}},
			{edit{"THEME: light", "THEME: dark"}, []string{"Deployment all", "Deployment theme"}},
			{edit{"UNUSED: a", "UNUSED: b"}, []string{"Deployment all"}},
			{edit{"metadata: {name: app}\n", "metadata: {name: app, labels: {team: a}}\n"}, nil},
		} {
			text = edited(t, text, step.change)
			next, _ := build(t, namespace, mode, text, byKey)
			_, after := w.apply(t, namespace, next)
			wantRolled(t, namespace, before, after, step.want)
			before = after
		}
		kubectl(t, "", "rollout", "undo", "-n", namespace, "deployment/level")
		wantRolled(t, namespace, before, rollouts(t, namespace), []string{"Deployment level"})
		undone, now := template(t, namespace, "Deployment level"), objects(t, namespace)["ConfigMap "+oldName]
		if diff := cmp.Diff(oldObject, now); diff != "" || !strings.Contains(undone, strconv.Quote(oldName)) {
			t.Errorf("after the undo the Deployment does not refer to ConfigMap %s as it was: %s\n%s", oldName, diff, undone)
		}
	})
}
