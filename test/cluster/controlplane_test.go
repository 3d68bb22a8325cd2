//go:build cluster

package cluster_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/test/cluster"
)

func TestControlPlane_diesWithItsParent(t *testing.T) {
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+controlPlaneChild, "TMPDIR="+t.TempDir())
	child.Stderr = os.Stderr
	stdout, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var pids [3]int
	if _, err := fmt.Sscanf(line, "[%d %d %d]", &pids[0], &pids[1], &pids[2]); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	for _, pid := range pids {
		if !runs(pid) {
			t.Errorf("process %d does not run", pid)
		}
	}

	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // its error is that it was killed
	for _, pid := range pids {
		for deadline := time.Now().Add(10 * time.Second); runs(pid); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d still runs", pid)
			}
		}
	}
}

// runs reports whether a process exists and has not ended.
func runs(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	// It is a zombie until its parent has asked for its exit status.
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func TestStart_showsTheLogOfWhatFails(t *testing.T) {
	binaries := t.TempDir()
	script := "#!/bin/sh\necho 'Error: unknown flag: --swim' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(binaries, "kube-apiserver"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.Start(t.Context(), cluster.Options{Binaries: binaries, Etcd: options.Etcd, Dir: t.TempDir()})
	if err == nil {
		t.Fatal("started", c.Stop())
	}
	for _, want := range []string{"kube-apiserver ended: exit status 1", "unknown flag: --swim"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %q", err, want)
		}
	}
}

func TestControlPlane_answersOnlyTheOwnerOfTheToken(t *testing.T) {
	url := strings.TrimSpace(kubectl(t, "", "config", "view", "-o", "jsonpath={.clusters[0].cluster.server}"))
	if !strings.HasPrefix(url, "https://127.0.0.1:") {
		t.Errorf("the API server is at %s", url)
	}
	result, err := plane.Kubectl(t.Context(), "", "--token=guessed", "get", "secrets", "-A")
	if err != nil {
		t.Fatal(err)
	}
	if result.Code == 0 || !strings.Contains(result.Stderr, "must be logged in") {
		t.Errorf("with another token: %+v", result)
	}
	if answer, err := http.Get(url); err == nil {
		_ = answer.Body.Close()
		t.Error("its certificate is trusted by others")
	}
}

// plain is a package of one workload of each kind, with an image.
func plain(image string) string {
	template := `
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: ` + image
	object := func(version, kind, spec string) string {
		return "---\napiVersion: " + version + "\nkind: " + kind + "\nmetadata:\n  name: web-" + strings.ToLower(kind) + "\nspec:\n" + spec
	}
	selector := "  selector:\n    matchLabels: {app: web}\n"
	return object("apps/v1", "Deployment", "  replicas: 1\n"+selector+"  template:"+template+"\n") +
		object("apps/v1", "StatefulSet", "  serviceName: web\n"+selector+"  template:"+template+"\n") +
		object("apps/v1", "DaemonSet", selector+"  template:"+template+"\n") +
		object("batch/v1", "CronJob", "  schedule: 0 4 * * *\n  suspend: true\n  jobTemplate:\n    spec:\n      template:"+
			strings.ReplaceAll(template+"\n      restartPolicy: Never", "\n", "\n    ")+"\n")
}

func TestRollouts(t *testing.T) {
	all := []string{"CronJob %s/web-cronjob", "DaemonSet %s/web-daemonset", "Deployment %s/web-deployment", "StatefulSet %s/web-statefulset"}
	patch := func(kind, patch string) func(*testing.T, string) {
		return func(t *testing.T, namespace string) {
			kubectl(t, "", "patch", "-n", namespace, kind, "web-"+kind, "--type=merge", "-p", patch)
		}
	}
	apply := func(image string) func(*testing.T, string) {
		return func(t *testing.T, namespace string) {
			kubectl(t, plain(image), "apply", "-n", namespace, "-f", "-")
		}
	}
	const relabeled = `{"metadata":{"labels":{"seen":"true"}}}`
	for _, tc := range []struct {
		name   string
		change []func(t *testing.T, namespace string)
		rolled []string
	}{{
		name:   "another template",
		change: []func(*testing.T, string){apply("web:2")},
		rolled: all,
	}, {
		name:   "another template and back",
		change: []func(*testing.T, string){apply("web:2"), apply("web:1")},
		rolled: []string{all[1], all[2], all[3]}, // a CronJob has no revisions
	}, {
		name:   "the same again",
		change: []func(*testing.T, string){apply("web:1")},
	}, {
		name: "labels and scale",
		change: []func(*testing.T, string){
			patch("deployment", relabeled), patch("statefulset", relabeled), patch("daemonset", relabeled), patch("cronjob", relabeled),
			patch("deployment", `{"spec":{"replicas":3}}`), patch("statefulset", `{"spec":{"replicas":3}}`),
		},
	}, {
		name: "scale and template in one",
		change: []func(*testing.T, string){
			patch("deployment", `{"spec":{"replicas":2,"template":{"metadata":{"annotations":{"now":"2"}}}}}`),
		},
		rolled: []string{all[2]},
	}, {
		name: "a template of a paused Deployment",
		change: []func(*testing.T, string){
			patch("deployment", `{"spec":{"paused":true,"template":{"metadata":{"annotations":{"now":"2"}}}}}`),
		},
	}, {
		name: "a template of a Deployment that was paused",
		change: []func(*testing.T, string){
			patch("deployment", `{"spec":{"paused":true,"template":{"metadata":{"annotations":{"now":"2"}}}}}`),
			patch("deployment", `{"spec":{"paused":false}}`),
		},
		rolled: []string{all[2]},
	}, {
		name: "undone",
		change: []func(*testing.T, string){apply("web:2"), func(t *testing.T, namespace string) {
			rollouts(t, namespace)
			kubectl(t, "", "rollout", "undo", "-n", namespace, "deployment/web-deployment")
		}},
		rolled: all,
	}} {
		t.Run(tc.name, func(t *testing.T) {
			namespace := newNamespace(t)
			apply("web:1")(t, namespace)
			before := rollouts(t, namespace)
			if len(before) != len(all) {
				t.Errorf("these are the workloads: %v", before)
			}
			for _, change := range tc.change {
				change(t, namespace)
				rollouts(t, namespace) // lets the controllers observe each step
			}
			var want []string
			for _, workload := range tc.rolled {
				want = append(want, fmt.Sprintf(workload, namespace))
			}
			after := rollouts(t, namespace)
			if diff := cmp.Diff(want, cluster.Rolled(before, after)); diff != "" {
				t.Errorf("rolled (-want +got):\n%s\nbefore: %v\nafter: %v", diff, before, after)
			}
		})
	}
}
