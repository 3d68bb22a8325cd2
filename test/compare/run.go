package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/confighash/confighash/test/cluster"
)

// The users of the control plane, whose requests the audit log distinguishes.
const (
	deployer   = "deployer"
	controller = "controller"
)

// A run is one tool on its own control plane.
type run struct {
	tool  *tool
	rows  []*row
	pods  map[string]object
	plane *cluster.ControlPlane
	watch *watcher
	dir   string // for the files of jobs

	program *cluster.Program
	memory  int64
	// installed and installedAlone are the resource versions after the installation of the concurrent rows, and of the
	// row that runs alone.
	installed, installedAlone int64
	refused                   map[*row]string
	// restarted are the resource versions before and after the restart of the controller.
	restarted [2]int64
	alone     timing

	result toolResult
	cells  map[*row]cell
}

// timing has the times of a row that ran alone.
type timing struct{ began, applied, last time.Time }

func execute(ctx context.Context, t *tool, rows []*row, pods map[string]object) (_ *run, err error) {
	r := &run{tool: t, rows: rows, pods: pods, refused: map[*row]string{}}
	if r.dir, err = os.MkdirTemp("", "confighash-compare-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(r.dir)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.plane, err = cluster.Start(ctx, cluster.Options{
		Binaries: kubernetesDir, Etcd: os.Getenv("ETCD"), Users: []string{deployer, controller}, Audit: true,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.plane.Stop()) }()
	r.watch = watch(ctx, r.plane)

	steps := []func(context.Context) error{r.setUp, r.install, r.change, r.changeWhileDown, r.changeAlone}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if r.program != nil {
		r.memory = max(r.memory, r.program.Memory())
		if err := r.program.Err(); err != nil {
			return nil, err
		}
	}
	return r, r.count()
}

// setUp creates the namespaces and starts the controller.
func (r *run) setUp(ctx context.Context) error {
	for _, row := range r.rows {
		for _, name := range []string{row.Namespace, row.Namespace + "-elsewhere"} {
			if err := r.plane.CreateNamespace(ctx, name); err != nil {
				return err
			}
		}
	}
	if r.tool.setUp != nil {
		if err := r.tool.setUp(ctx, r.plane); err != nil {
			return err
		}
	}
	return r.start(ctx, false)
}

// start starts the tool's controller, if it has one, and waits until it is idle.
func (r *run) start(ctx context.Context, alone bool) error {
	if r.tool.controller == nil {
		return nil
	}
	if r.program != nil {
		r.memory = max(r.memory, r.program.Memory())
		r.program.Stop()
	}
	env, args, defaults, err := r.tool.controller(r.plane)
	if err != nil {
		return err
	}
	if alone {
		args = defaults
	}
	path, err := filepath.Abs(r.tool.program)
	if err != nil {
		return err
	}
	if r.program, err = r.plane.Run("controller", controller, path, env, args...); err != nil {
		return err
	}
	return r.settle(ctx)
}

// settle waits until nothing happens any more.
func (r *run) settle(ctx context.Context) error {
	if err := r.watch.settle(ctx); err != nil {
		return err
	}
	if r.program != nil {
		return r.program.Err()
	}
	return nil
}

// install applies the states before all changes.
func (r *run) install(ctx context.Context) error {
	for _, row := range r.rows {
		if !row.Alone {
			if err := r.apply(ctx, row, row.Before, row.Apply); err != nil {
				return fmt.Errorf("%s: %w", row.Change, err)
			}
		}
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	var err error
	r.installed, err = r.version(ctx)
	return err
}

// change makes the changes that need a running controller.
func (r *run) change(ctx context.Context) error {
	for phase := 0; ; phase++ {
		more := false
		for _, row := range r.rows {
			if phases := row.phases(); !row.Down && !row.Alone && phase < len(phases) {
				more = true
				for _, step := range phases[phase] {
					if err := r.step(ctx, row, step); err != nil {
						return fmt.Errorf("%s: %s: %w", row.Change, step, err)
					}
				}
			}
		}
		if !more {
			return nil
		}
		if err := r.settle(ctx); err != nil {
			return err
		}
	}
}

// changeWhileDown makes the changes that need a stopped controller.
func (r *run) changeWhileDown(ctx context.Context) (err error) {
	if r.program != nil {
		r.memory = max(r.memory, r.program.Memory())
		r.program.Stop()
	}
	for _, row := range r.rows {
		if row.Down {
			if err := r.step(ctx, row, "apply"); err != nil {
				return err
			}
		}
	}
	if r.restarted[0], err = r.version(ctx); err != nil {
		return err
	}
	if err := r.start(ctx, false); err != nil {
		return err
	}
	r.restarted[1], err = r.version(ctx)
	return err
}

// changeAlone makes the changes that are timed.
func (r *run) changeAlone(ctx context.Context) error {
	for _, row := range r.rows {
		if !row.Alone {
			continue
		}
		if err := r.apply(ctx, row, row.Before, row.Apply); err != nil {
			return err
		}
		if err := r.settle(ctx); err != nil {
			return err
		}
		if err := r.start(ctx, true); err != nil {
			return err
		}
		var err error
		if r.installedAlone, err = r.version(ctx); err != nil {
			return err
		}
		r.alone.began = time.Now()
		if err := r.step(ctx, row, "apply"); err != nil {
			return err
		}
		r.alone.applied = time.Now()
		if err := r.settle(ctx); err != nil {
			return err
		}
		r.alone.last = r.watch.lastMove()
	}
	return nil
}

// version returns the current resource version.
func (r *run) version(ctx context.Context) (int64, error) {
	var list struct {
		Metadata struct {
			ResourceVersion int64 `json:",string"`
		}
	}
	err := r.plane.Get(ctx, "/api/v1/configmaps?limit=1", &list)
	return list.Metadata.ResourceVersion, err
}

// step does one step of a row: apply, before, server-side, replace, prune, restart, undo, "delete NAME" or "patch
// NAME". A refused apply is a result, not an error.
func (r *run) step(ctx context.Context, row *row, step string) (err error) {
	verb, name, _ := strings.Cut(step, " ")
	switch verb {
	case "apply":
		err = r.apply(ctx, row, row.After, row.Apply)
	case "before":
		err = r.apply(ctx, row, row.Before, row.Apply)
	case "server-side", "replace":
		err = r.apply(ctx, row, row.After, verb)
	case "prune":
		err = r.prune(ctx, row)
	case "restart", "undo":
		for _, kind := range []string{"deployment/d", "statefulset/s", "daemonset/ds"} {
			if err := r.kubectl(ctx, row, "rollout", verb, kind); err != nil {
				return err
			}
		}
	case "delete":
		for _, version := range r.versions(row, name) {
			if err := r.kubectl(ctx, row, "delete", "configmap", version.name); err != nil {
				return err
			}
		}
	case "patch":
		versions := r.versions(row, name)
		err = r.kubectl(ctx, row, "patch", "configmap", versions[len(versions)-1].name, "--type=merge", "-p", `{"data":{"A":"2"}}`)
	default:
		return fmt.Errorf("the step %q is unknown", verb)
	}
	if refusal := (*refusal)(nil); errors.As(err, &refusal) {
		r.refused[row] = refusal.Error()
		return nil
	}
	return err
}

// versions returns the ConfigMaps that a tool made from the one with that name, the newest last.
func (r *run) versions(row *row, name string) []event {
	r.watch.mu.Lock()
	defer r.watch.mu.Unlock()
	var versions []event
	for _, e := range r.watch.last {
		if e.kind == "ConfigMap" && e.namespace == row.Namespace && !e.deleted &&
			(e.name == name || strings.HasPrefix(e.name, name+"-")) {
			versions = append(versions, e)
		}
	}
	slices.SortFunc(versions, func(a, b event) int { return int(a.version - b.version) })
	return versions
}

// prune deletes what the last apply no longer had, as GitOps tools do at the end. kapp and Helm do it in their own way,
// during the apply.
func (r *run) prune(ctx context.Context, row *row) error {
	if r.tool.deploy != nil {
		return nil
	}
	// Ask the API server, as the watch may lag behind.
	kept := map[string]bool{}
	for _, workload := range []string{"deployments/d", "statefulsets/s", "daemonsets/ds"} {
		var stored struct{ Spec struct{ Template object } }
		if err := r.plane.Get(ctx, "/apis/apps/v1/namespaces/"+row.Namespace+"/"+workload, &stored); err != nil {
			return err
		}
		for _, at := range references(stored.Spec.Template) {
			kept[at.name] = true
		}
	}
	for _, version := range r.versions(row, "app") {
		if !kept[version.name] {
			if err := r.kubectl(ctx, row, "delete", "configmap", version.name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) kubectl(ctx context.Context, row *row, args ...string) error {
	_, err := r.command(ctx, row, "", kubectl, args...)
	return err
}

func (r *run) apply(ctx context.Context, row *row, s state, mode string) (err error) {
	j := &job{run: r, row: row, workloads: row.workloads(s, r.pods)}
	if j.sources, err = row.sources(s); err != nil {
		return err
	}
	for _, workload := range j.workloads {
		if r.tool.ask != nil {
			r.tool.ask(row, workload)
		}
	}
	if j.dir, err = os.MkdirTemp(r.dir, "job-"); err != nil {
		return err
	}
	if r.tool.deploy != nil {
		return r.tool.deploy(ctx, j)
	}
	manifests := j.text()
	if r.tool.render != nil {
		if manifests, err = r.tool.render(ctx, j); err != nil {
			return err
		}
	}
	args := map[string][]string{
		"":            {"apply", "-f", "-"},
		"server-side": {"apply", "--server-side", "--force-conflicts", "-f", "-"},
		"replace":     {"replace", "-f", "-"},
	}[mode]
	_, err = r.command(ctx, row, manifests, kubectl, args...)
	return err
}

// refusal is the output of a program that failed.
type refusal struct{ program, said string }

// Error returns the program and its output on one line.
func (r *refusal) Error() string { return r.program + ": " + blanks.ReplaceAllString(r.said, " ") }

var blanks = regexp.MustCompile(`\s+`)

// command runs a program as the deployer, in the namespace of a row, and returns its output. The error is a refusal if
// the program failed.
func (r *run) command(ctx context.Context, row *row, stdin, path string, args ...string) (string, error) {
	kubeconfig := filepath.Join(r.dir, "kubeconfig-"+row.Namespace)
	if _, err := os.Stat(kubeconfig); err != nil {
		content, err := os.ReadFile(r.plane.KubeconfigOf(deployer))
		if err != nil {
			return "", err
		}
		content = bytes.Replace(content, []byte("    cluster: test\n"), []byte("    cluster: test\n    namespace: "+row.Namespace+"\n"), 1)
		if err := os.WriteFile(kubeconfig, content, 0o600); err != nil {
			return "", err
		}
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + r.dir, "KUBECONFIG=" + kubeconfig}
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.Exited() {
		return "", &refusal{filepath.Base(path), strings.TrimSpace(stderr.String())}
	}
	return stdout.String(), err
}
