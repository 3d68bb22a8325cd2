//go:build cluster

package cluster_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// podsOf returns the UIDs of the pods of a Job, once there are some.
func podsOf(t *testing.T, namespace, job string) []string {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		uids := strings.Fields(kubectl(t, "", "get", "pods", "-n", namespace, "-l", "job-name="+job, "-o", "jsonpath={.items[*].metadata.uid}"))
		if len(uids) > 0 || time.Now().After(deadline) {
			return uids
		}
	}
}

// TestJobs_runOnceForEachChange checks docs/jobs.md: a changed Job is created and runs, whatever changed; no apply is
// refused, and an apply without a change runs nothing.
func TestJobs_runOnceForEachChange(t *testing.T) {
	const manifests = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {URL: %q}
---
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, labels: {release: %q}}
spec:
  backoffLimit: %d
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: %q, envFrom: [{configMapRef: {name: settings}}]}]
`
	steps := []struct {
		url, release string
		backoff      int
		image        string
		runs         bool
	}{
		{"a", "1", 1, "migrate:1", true},
		{"b", "1", 1, "migrate:1", true},
		{"b", "2", 1, "migrate:1", false}, // a label of the Job itself
		{"b", "2", 1, "migrate:2", true},
		{"b", "2", 2, "migrate:2", true},
		{"a", "2", 1, "migrate:1", false}, // it has already run, unless it was pruned
	}
	eachWay(t, modes, ways, func(t *testing.T, mode string, w way, namespace string) {
		var ran []string
		for i, step := range steps {
			built, _ := build(t, namespace, mode, fmt.Sprintf(manifests, step.url, step.release, step.backoff, step.image), "jobs: Rename")
			w.apply(t, namespace, built)
			_, job, _ := strings.Cut(built, "name: migrate-")
			job = "migrate-" + job[:10]
			pods := podsOf(t, namespace, job)
			if len(pods) != 1 {
				t.Fatalf("step %d: Job %s has %d pods", i, job, len(pods))
			}
			if runs := !slices.Contains(ran, pods[0]); runs != (step.runs || w.prune && i == len(steps)-1) {
				t.Errorf("step %d: it runs: %v, by Job %s", i, runs, job)
			}
			if !slices.Contains(ran, pods[0]) {
				ran = append(ran, pods[0])
			}
			w.apply(t, namespace, built)
			if again := podsOf(t, namespace, job); !slices.Equal(again, pods) {
				t.Errorf("step %d: an apply without a change makes pods %v of %v", i, again, pods)
			}
			if jobs := named(t, namespace, "Job", "migrate"); w.prune && len(jobs) != 1 {
				t.Errorf("step %d: there are Jobs %v", i, jobs)
			}
		}
		if jobs := named(t, namespace, "Job", "migrate"); !w.prune && len(jobs) != 4 {
			t.Errorf("there are Jobs %v", jobs)
		}
	})
}
