//go:build !windows

package examples_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/confighash/confighash/test/support/harness"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/yaml"
)

func TestExamplesFleet_applicationSetMakesApplicationsOfItsPackages(t *testing.T) {
	set := example[argoApplicationSet](t, "fleet/argocd/applicationset.yaml")
	plugin := example[configManagementPlugin](t, "argocd/plugin/plugin.yaml")
	if glob := set.Spec.Generators[0].Git.Directories[0].Path; glob != "packages/*" {
		t.Fatalf("the generator's path is %q, and the packages are in packages", glob)
	}
	encoded, err := yaml.Marshal(set.Spec.Template)
	if err != nil {
		t.Fatal(err)
	}
	tmpl, err := template.New("application").Option(set.Spec.GoTemplateOptions...).Parse(string(encoded))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	// The parameters of Argo CD's git directory generator.
	err = tmpl.Execute(&out, map[string]any{"path": map[string]any{
		"path": "packages/web_shop", "basename": "web_shop", "basenameNormalized": "web-shop",
		"segments": []string{"packages", "web_shop"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	object, err := decodeStrictly([]byte("apiVersion: argoproj.io/v1alpha1\nkind: Application\n" + out.String()))
	if err != nil {
		t.Fatalf("%v in\n%s", err, &out)
	}
	application := object.(*argoApplication)
	got := map[string]string{
		"name":      application.Metadata.Name,
		"path":      application.Spec.Source.Path,
		"namespace": application.Spec.Destination.Namespace,
		"plugin":    application.Spec.Source.Plugin.Name,
		"revision":  application.Spec.Source.TargetRevision,
	}
	want := map[string]string{
		"name": "web-shop", "path": "packages/web_shop", "namespace": "web-shop",
		"plugin": plugin.Metadata.Name, "revision": set.Spec.Generators[0].Git.Revision,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	project := example[argoProject](t, "fleet/argocd/appproject.yaml")
	switch {
	case application.Spec.Project != project.Metadata.Name:
		t.Errorf("the project is %s, and there is %s", application.Spec.Project, project.Metadata.Name)
	case !slices.Contains(project.Spec.SourceRepos, application.Spec.Source.RepoURL):
		t.Errorf("the project lets no application come from %s", application.Spec.Source.RepoURL)
	case !slices.Contains(application.Spec.SyncPolicy.SyncOptions, "CreateNamespace=true"):
		t.Errorf("nothing makes the namespace: %q", application.Spec.SyncPolicy.SyncOptions)
	case !slices.Contains(project.Spec.ClusterResourceWhitelist, metav1.GroupKind{Kind: "Namespace"}):
		t.Errorf("the project refuses the namespace that CreateNamespace=true makes: %+v", project.Spec)
	}
	announced := make(map[string]bool)
	for _, parameter := range plugin.Spec.Parameters.Static {
		announced[parameter.Name] = true
	}
	for _, parameter := range application.Spec.Source.Plugin.Parameters {
		if !announced[parameter.Name] {
			t.Errorf("the plugin announces no parameter %q", parameter.Name)
		}
	}
}

// A fleetRun is a run of the workflow's scripts on one machine.
type fleetRun struct {
	sidecar
	t         *testing.T
	templates map[string]workflowSubtemplate
	fleet     string // the repository's checkout
	rendered  string
	perPod    string
}

func newFleetRun(t *testing.T, perPod string) fleetRun {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skipf("this machine has no shell: %v", err)
	}
	r := fleetRun{sidecar: newSidecar(t, shell), t: t, templates: make(map[string]workflowSubtemplate), perPod: perPod}
	for _, name := range []string{"cat", "cp", "git", "mkdir", "rm"} {
		program, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("this machine has no %s: %v", name, err)
		}
		if err := os.Symlink(program, filepath.Join(r.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, sub := range example[argoWorkflowTemplate](t, "fleet/workflow/workflowtemplate.yaml").Spec.Templates {
		r.templates[sub.Name] = sub
	}
	r.fleet, r.rendered = filepath.Join(openDir(t), "fleet"), filepath.Join(openDir(t), "rendered")
	packages := filepath.Join(r.fleet, "packages")
	if err := os.CopyFS(packages, os.DirFS(filepath.Join(examplesDir, "fleet", "workflow", "packages"))); err != nil {
		t.Fatal(err)
	}
	return r
}

// script runs a template's script with the environment that the template names; values replace its expressions.
func (r fleetRun) script(name string, values map[string]string) (stdout, stderr string, err error) {
	r.t.Helper()
	script := r.templates[name].Script
	if script == nil {
		r.t.Fatalf("there is no script %q", name)
	}
	if strings.Contains(script.Source, "{{") {
		r.t.Errorf("%s: a parameter stands in the script itself, where it could be a command", name)
	}
	var out, complaint bytes.Buffer
	cmd := exec.Command(filepath.Join(r.bin, script.Command[0]), "-c", script.Source) // #nosec G204 -- the examples' own
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &complaint, []string{"PATH=" + r.bin}
	for _, variable := range script.Env {
		value, ok := values[variable.Name]
		if !ok {
			value = variable.Value
		}
		if strings.Contains(value, "{{") {
			r.t.Fatalf("%s: the test gives no value for %s: %s", name, variable.Name, value)
		}
		cmd.Env = append(cmd.Env, variable.Name+"="+value)
	}
	err = cmd.Run()
	return out.String(), complaint.String(), err
}

func (r fleetRun) list() (string, string, error) {
	return r.script("list", map[string]string{"FLEET": r.fleet, "PACKAGES_PER_POD": r.perPod})
}

// renderAll runs a pod for each entry of the list.
func (r fleetRun) renderAll() (stderr string, err error) {
	listed, stderr, err := r.list()
	if err != nil {
		return stderr, err
	}
	var pods []json.Number
	if err := json.Unmarshal([]byte(listed), &pods); err != nil {
		return listed, err
	}
	for _, pod := range pods {
		_, stderr, err := r.script("render", map[string]string{
			"FLEET": r.fleet, "RENDERED": filepath.Join(r.rendered, pod.String()), "MODE": "Rename",
			"SHARD": pod.String(), "PACKAGES_PER_POD": r.perPod,
		})
		if err != nil {
			return stderr, err
		}
	}
	return "", nil
}

func (r fleetRun) files(glob string) []string {
	r.t.Helper()
	found, err := filepath.Glob(filepath.Join(r.rendered, glob))
	if err != nil {
		r.t.Fatal(err)
	}
	for i := range found {
		found[i], _ = filepath.Rel(r.rendered, found[i])
	}
	return found
}

func TestExamplesFleet_workflowListsAPodForEachFewPackages(t *testing.T) {
	for perPod, want := range map[string]string{"1": "[0,1]\n", "2": "[0]\n", "100": "[0]\n"} {
		if got, stderr, err := newFleetRun(t, perPod).list(); err != nil || got != want {
			t.Errorf("%s packages a pod: %q, want %q: %v\n%s", perPod, got, want, err, stderr)
		}
	}
	empty := newFleetRun(t, "1")
	empty.fleet = openDir(t)
	if got, stderr, err := empty.list(); err == nil || got != "" || !strings.Contains(stderr, "there is no packages/") {
		t.Errorf("of no packages: %q, %v\n%s", got, err, stderr)
	}
}

func TestExamplesFleet_workflowRendersEachPackageOnceAndAlike(t *testing.T) {
	var first map[string]string
	for _, perPod := range []string{"1", "100"} {
		r := newFleetRun(t, perPod)
		if stderr, err := r.renderAll(); err != nil || stderr != "" {
			t.Fatalf("%v\n%s", err, stderr)
		}
		got := make(map[string]string)
		for _, file := range r.files("*/packages/*/manifests.yaml") {
			content, err := os.ReadFile(filepath.Join(r.rendered, file))
			if err != nil {
				t.Fatal(err)
			}
			name := path.Base(path.Dir(filepath.ToSlash(file)))
			if got[name] != "" {
				t.Errorf("%s is rendered twice", name)
			}
			got[name] = string(content)
		}
		for name, text := range map[string]string{"billing": "name: web-settings-", "shop": "name: web-settings-hf678c7m2b\n"} {
			if strings.Count(got[name], text) != 2 || !strings.Contains(got[name], "namespace: "+name+"\n") {
				t.Errorf("%s does not hold %q twice:\n%s", name, text, got[name])
			}
		}
		if first == nil {
			first = got
		}
		if diff := cmp.Diff(first, got); diff != "" || len(got) != 2 {
			t.Errorf("%d packages differ with the number of pods:\n%s", len(got), diff)
		}
	}
}

func TestExamplesFleet_workflowKeepsTheNewlinesOfTheLastValue(t *testing.T) {
	const manifest = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: |+\n    b\n\n\n`
	r := newFleetRun(t, "1")
	r.replace(t, "kustomize", "printf '"+manifest+"'\n")
	if stderr, err := r.renderAll(); err != nil || stderr != "" {
		t.Fatalf("%v\n%s", err, stderr)
	}
	for _, file := range r.files("*/packages/*/manifests.yaml") {
		got := string(harness.ReadFile(t, filepath.Join(r.rendered, file)))
		if want := strings.ReplaceAll(manifest, `\n`, "\n"); got != want {
			t.Errorf("%s: got %q, want %q", file, got, want)
		}
	}
}

func TestExamplesFleet_workflowNamesThePackagesThatFailAndRendersTheOthers(t *testing.T) {
	tests := []struct{ label, file, content string }{
		{"kustomize fails", "kustomization.yaml", "resources: [missing.yaml]\n"},
		{"no manifests", "web.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {config.kubernetes.io/local-config: \"true\"}}\n"},
	}
	for _, test := range tests {
		t.Run(test.label, func(t *testing.T) {
			r := newFleetRun(t, "100")
			put(t, filepath.Join(r.fleet, "packages", "billing"), test.file, test.content)
			stderr, err := r.renderAll()
			if err == nil || !strings.Contains(stderr, "not rendered: packages/billing\n") || strings.Contains(stderr, "correct-horse") {
				t.Errorf("%v\n%s", err, stderr)
			}
			if len(r.files("0/packages/shop/manifests.yaml")) != 1 {
				t.Error("the other package is not rendered")
			}
		})
	}
}

// A fleetBranch is the branch to which the workflow commits, and the folder of its repository, which is also the
// script's home.
type fleetBranch struct {
	fleetRun
	home, repository string
}

func (b fleetBranch) git(args ...string) string {
	b.t.Helper()
	cmd := exec.Command(filepath.Join(b.bin, "git"), args...) // #nosec G204 -- a test's own
	cmd.Env = []string{"PATH=" + b.bin, "HOME=" + b.home, "CREDENTIALS=" + b.home}
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit creates a repository from a folder, with a commit of its content, and returns the commit.
func (b fleetBranch) commit(dir, branch string) string {
	b.t.Helper()
	b.git("init", "--quiet", "--initial-branch", branch, dir)
	b.git("-C", dir, "add", ".")
	b.git("-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "a")
	return b.git("-C", dir, "rev-parse", "HEAD")
}

// newFleetBranch renders all packages and creates a branch with another one.
func newFleetBranch(t *testing.T) (b fleetBranch, commit string) {
	t.Helper()
	home := openDir(t)
	b = fleetBranch{newFleetRun(t, "1"), home, filepath.Join(home, "fleet.git")}
	commit = b.commit(b.fleet, "main")
	if stderr, err := b.renderAll(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	seed := filepath.Join(home, "seed")
	if err := (harness.Files{"packages/gone/manifests.yaml": "kind: Gone\n"}).Write(seed); err != nil {
		t.Fatal(err)
	}
	b.commit(seed, "rendered")
	b.git("clone", "--quiet", "--bare", seed, b.repository)
	return b, commit
}

func (b fleetBranch) publish(target string) (stdout, stderr string, err error) {
	b.t.Helper()
	return b.script("publish", map[string]string{
		"HOME": b.home, "FLEET": b.fleet, "RENDERED": b.rendered, "TARGET": filepath.Join(b.home, target),
		"REPOSITORY": "file://" + b.repository, "BRANCH": "rendered", "CREDENTIALS": b.home,
	})
}

func (b fleetBranch) published() []string {
	b.t.Helper()
	return strings.Fields(b.git("-C", b.repository, "ls-tree", "-r", "--name-only", "rendered"))
}

func TestExamplesFleet_workflowCommitsOnlyWhatChanges(t *testing.T) {
	b, commit := newFleetBranch(t)
	if said, stderr, err := b.publish("first"); err != nil || said != "" {
		t.Fatalf("the first commit says %q: %v\n%s", said, err, stderr)
	}
	want := []string{"packages/billing/manifests.yaml", "packages/shop/manifests.yaml"}
	if diff := cmp.Diff(want, b.published()); diff != "" {
		t.Errorf("files on the branch (-want +got):\n%s", diff)
	}
	if message := b.git("-C", b.repository, "log", "--format=%s", "-1", "rendered"); message != "Render "+commit {
		t.Errorf("the commit says %q, and what was rendered is %s", message, commit)
	}
	if said, stderr, err := b.publish("second"); err != nil || said != "nothing changed\n" {
		t.Errorf("the second says %q: %v\n%s", said, err, stderr)
	}
	if commits := b.git("-C", b.repository, "rev-list", "--count", "rendered"); commits != "2" {
		t.Errorf("%s commits, want the one that was there and one more", commits)
	}
}

func TestExamplesFleet_workflowPublishesWhatWasListedOrNothing(t *testing.T) {
	tests := []struct {
		label string
		spoil func(b fleetBranch) error
		want  string
	}{
		{
			"a pod's packages did not come",
			func(b fleetBranch) error { return os.RemoveAll(filepath.Join(b.rendered, "1")) },
			"listed and not rendered: packages/shop\n",
		},
		{
			"a package has no manifests",
			func(b fleetBranch) error {
				return os.Truncate(filepath.Join(b.rendered, "0", "packages", "billing", "manifests.yaml"), 0)
			},
			"listed and not rendered: packages/billing\n",
		},
		{
			"a pod had other packages",
			func(b fleetBranch) error {
				packages := filepath.Join(b.rendered, "1", "packages")
				return os.Rename(filepath.Join(packages, "shop"), filepath.Join(packages, "store"))
			},
			"listed and not rendered: packages/shop packages/store\n",
		},
		{
			"the list came without its commit",
			func(b fleetBranch) error { return os.RemoveAll(filepath.Join(b.fleet, ".git")) },
			"not a git repository",
		},
	}
	for _, test := range tests {
		t.Run(test.label, func(t *testing.T) {
			b, _ := newFleetBranch(t)
			if err := test.spoil(b); err != nil {
				t.Fatal(err)
			}
			if said, stderr, err := b.publish("target"); err == nil || said != "" || !strings.Contains(stderr, test.want) {
				t.Errorf("want an error and %q on stderr: %v\n%s%s", test.want, err, said, stderr)
			}
			if diff := cmp.Diff([]string{"packages/gone/manifests.yaml"}, b.published()); diff != "" {
				t.Errorf("files on the branch (-want +got):\n%s", diff)
			}
		})
	}
}

// The git artifact names the Secret's keys.
func TestExamplesFleet_workflowGivesGitItsCredentials(t *testing.T) {
	b, _ := newFleetBranch(t)
	source := b.templates["list"].Inputs.Artifacts[0].Git
	put(t, b.home, source.UsernameSecret.Key, "renderer\n")
	put(t, b.home, source.PasswordSecret.Key, "pinch-of-sea")
	if said, stderr, err := b.publish("target"); err != nil || strings.Contains(said+stderr, "pinch-of-sea") {
		t.Fatalf("%v\n%s%s", err, said, stderr)
	}
	put(t, b.home, "asked", "protocol=https\nhost=git.example.com\n\n")
	b.git("config", "--global", "alias.ask", "!git credential fill <"+filepath.Join(b.home, "asked"))
	if got := b.git("ask"); !strings.HasSuffix(got, "username=renderer\npassword=pinch-of-sea") {
		t.Errorf("git gets %q", got)
	}
	names := []string{source.UsernameSecret.Name, source.PasswordSecret.Name}
	for _, volume := range example[argoWorkflowTemplate](t, "fleet/workflow/workflowtemplate.yaml").Spec.Volumes {
		if volume.Secret != nil && !slices.Equal(names, []string{volume.Secret.SecretName, volume.Secret.SecretName}) {
			t.Errorf("publish mounts %s, and list takes %q", volume.Secret.SecretName, names)
		}
	}
}

// artifactsToGive returns what steps after the list must pass on: the list's outputs, so that all pods see the same
// commit.
func artifactsToGive(known map[string]workflowSubtemplate) (given []workflowArtifact) {
	for _, artifact := range known["list"].Outputs.Artifacts {
		given = append(given, workflowArtifact{Name: artifact.Name, From: "{{steps.list.outputs.artifacts." + artifact.Name + "}}"})
	}
	return given
}

// Argo Workflows checks these names only when a workflow runs.
func TestExamplesFleet_workflowNamesExistingParts(t *testing.T) {
	workflow := example[argoWorkflowTemplate](t, "fleet/workflow/workflowtemplate.yaml")
	content, err := os.ReadFile(filepath.Join(examplesDir, "fleet", "workflow", "workflowtemplate.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, parameter := range workflow.Spec.Arguments.Parameters {
		if !strings.Contains(string(content), "{{workflow.parameters."+parameter.Name+"}}") {
			t.Errorf("nothing takes the parameter %s", parameter.Name)
		}
	}
	known := make(map[string]workflowSubtemplate)
	for _, sub := range workflow.Spec.Templates {
		known[sub.Name] = sub
	}
	for _, group := range known[workflow.Spec.Entrypoint].Steps {
		for _, step := range group {
			if known[step.Template].Script == nil {
				t.Errorf("step %s has no template %q", step.Name, step.Template)
			}
			if len(step.Arguments.Parameters) != len(known[step.Template].Inputs.Parameters) {
				t.Errorf("step %s gives %d parameters of %d", step.Name, len(step.Arguments.Parameters), len(known[step.Template].Inputs.Parameters))
			}
			if diff := cmp.Diff(artifactsToGive(known), step.Arguments.Artifacts); step.Template != "list" && diff != "" {
				t.Errorf("step %s does not take all of the list's checkout (-want +got):\n%s", step.Name, diff)
			}
		}
	}
	mounted := func(v corev1.Volume) bool {
		return slices.ContainsFunc(workflow.Spec.Templates, func(sub workflowSubtemplate) bool {
			return sub.Script != nil && slices.ContainsFunc(sub.Script.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == v.Name })
		})
	}
	for _, volume := range workflow.Spec.Volumes {
		if !mounted(volume) {
			t.Errorf("no script mounts %s", volume.Name)
		}
	}
	for name, sub := range known {
		if sub.Script == nil {
			continue
		}
		for _, artifact := range sub.Inputs.Artifacts {
			if clones := artifact.Git != nil; clones != (name == "list") || !clones && artifact.S3 == nil && artifact.Name != "fleet" {
				t.Errorf("%s gets %+v; list clones, and the others take what it gives", name, artifact)
			}
		}
		security := sub.Script.SecurityContext
		if !*security.ReadOnlyRootFilesystem || *security.AllowPrivilegeEscalation || sub.Script.Resources.Limits.Memory().IsZero() {
			t.Errorf("%s may do more than it needs: %+v, %+v", name, security, sub.Script.Resources)
		}
	}
}

// The function runner passes a ResourceList to the image's program.
func TestExamplesFleet_porchRendersTheImageOfThePackage(t *testing.T) {
	config := example[porchFunctionConfig](t, "fleet/porch/functionconfig.yaml")
	kpt := example[kptfile](t, "fleet/porch/package/Kptfile")
	name, version, _ := strings.Cut(kpt.Pipeline.Mutators[0].Image, ":")
	if want := config.Spec.Prefixes[0] + "/" + config.Spec.Image; name != want || config.Metadata.Name != config.Spec.Image {
		t.Errorf("the package runs %s, and the FunctionConfig %s is for %s", name, config.Metadata.Name, want)
	}
	if tag := config.Spec.PodExecutor.Tags[0]; !strings.HasPrefix(version, "v"+strings.TrimPrefix(tag, "~")+".") {
		t.Errorf("the package runs %s, and the FunctionConfig is for %s", version, tag)
	}
	dir := filepath.Join(examplesDir, "fleet", "porch", "package")
	functionConfig, err := os.ReadFile(filepath.Join(dir, kpt.Pipeline.Mutators[0].ConfigPath))
	if err != nil {
		t.Fatal(err)
	}
	var in bytes.Buffer
	nodes, err := kio.LocalPackageReader{PackagePath: dir, MatchFilesGlob: append(slices.Clone(kio.DefaultMatch), "Kptfile")}.Read()
	if err != nil {
		t.Fatal(err)
	}
	list, err := yaml.Marshal(map[string]any{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList"})
	if err != nil {
		t.Fatal(err)
	}
	in.Write(list)
	in.WriteString("functionConfig:\n  " + strings.ReplaceAll(strings.TrimSpace(string(functionConfig)), "\n", "\n  ") + "\nitems:\n")
	for _, node := range nodes {
		in.WriteString("- " + strings.ReplaceAll(strings.TrimSpace(node.MustString()), "\n", "\n  ") + "\n")
	}
	out, err := harness.Run(in.Bytes(), harness.Binary)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(out), "name: web-settings-hf678c7m2b\n"); n != 2 {
		t.Errorf("the new name stands %d times, want 2:\n%s", n, out)
	}
}
