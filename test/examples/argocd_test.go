//go:build !windows

package examples_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"text/template"

	"github.com/confighash/confighash/test/support/golden"
	"github.com/confighash/confighash/test/support/harness"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// pluginUser is the user that Argo CD requires for a plugin's sidecar, and as which its repo-server runs.
const pluginUser = 999

// pluginEnvironment is the environment of a command of Argo CD's plugin server, without the PATH: there is no HOME, for
// example.
func pluginEnvironment() []string {
	return []string{
		"ARGOCD_APP_NAME=shop",
		"ARGOCD_APP_NAMESPACE=shop",
		"ARGOCD_APP_PROJECT_NAME=default",
		"ARGOCD_APP_REVISION=f913b6cbf58aa5ae5ca1f8a2b149477aebcbd9d8",
		"ARGOCD_APP_SOURCE_PATH=deploy",
		"ARGOCD_APP_SOURCE_REPO_URL=https://git.example.com/shop.git",
		"ARGOCD_APP_SOURCE_TARGET_REVISION=main",
		"KUBE_VERSION=1.34",
		"KUBE_API_VERSIONS=v1,apps/v1",
	}
}

// A sidecar runs a plugin's commands: as pluginUser if the test runs as root, with the programs of the sidecar's image
// in a separate folder.
type sidecar struct {
	bin    string   // the programs, and sh
	extra  []string // environment in addition to pluginEnvironment
	remove []string // missing variables, "ARGOCD_APP_NAMESPACE="
}

// openDir returns a new folder that every user can enter.
func openDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// addProgram adds a program at another path, if possible as a link: the test's own are only accessible to its user.
func addProgram(program, to string) error {
	if os.Link(program, to) == nil {
		return nil
	}
	return copyProgram(program, to)
}

func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Close()
}

// newSidecar creates a sidecar with the given shell as its sh, "" for none.
func newSidecar(t *testing.T, shell string) sidecar {
	t.Helper()
	kustomize, err := harness.Kustomize()
	if err != nil {
		t.Fatal(err)
	}
	helm, err := harness.Helm()
	if err != nil {
		t.Fatal(err)
	}
	bin := openDir(t)
	for name, program := range map[string]string{"confighash": harness.Binary, "kustomize": kustomize, "helm": helm} {
		if err := addProgram(program, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	if shell != "" {
		if err := os.Symlink(shell, filepath.Join(bin, "sh")); err != nil {
			t.Fatal(err)
		}
	}
	return sidecar{bin: bin}
}

// replace replaces a program with a shell script.
func (s sidecar) replace(t *testing.T, name, script string) {
	t.Helper()
	path := filepath.Join(s.bin, name)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// run runs a command in dir as Argo CD's plugin server does.
func (s sidecar) run(dir string, line []string) (stdout, stderr string, err error) {
	environment := slices.DeleteFunc(pluginEnvironment(), func(variable string) bool {
		return slices.ContainsFunc(s.remove, func(name string) bool { return strings.HasPrefix(variable, name) })
	})
	var out, complaint bytes.Buffer
	// #nosec G204 -- the examples' own commands
	cmd := exec.Command(filepath.Join(s.bin, line[0]), line[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &complaint
	cmd.Env = append(append(environment, s.extra...), "PATH="+s.bin)
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: pluginUser, Gid: pluginUser}}
	}
	err = cmd.Run()
	return out.String(), complaint.String(), err
}

// copyPackage copies a package of the examples, which only its owner can write.
func copyPackage(t *testing.T, path string) string {
	t.Helper()
	dir := filepath.Join(openDir(t), "package")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(examplesDir, filepath.FromSlash(path)))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// put writes a file that every user can read.
func put(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
}

// pluginConfig is the path at which a sidecar mounts the ConfigMap of its plugin.
const pluginConfig = "/home/argocd/cmp-server/config/"

// generate returns the command of a plugin in the examples, with the files beside plugin.yaml in a folder of the test
// instead of pluginConfig.
func generate(t *testing.T, dir string) []string {
	t.Helper()
	mounted := openDir(t) + "/"
	line := example[configManagementPlugin](t, dir+"/plugin.yaml").Spec.Generate.line()
	for i, argument := range line {
		if name, ok := strings.CutPrefix(argument, pluginConfig); ok {
			put(t, mounted, name, string(harness.ReadFile(t, filepath.Join(examplesDir, filepath.FromSlash(dir), name))))
			line[i] = mounted + name
		}
	}
	return line
}

// expected compares got with a file of the examples.
func expected(t *testing.T, path, got string) {
	t.Helper()
	golden.Compare(t, filepath.Join(examplesDir, filepath.FromSlash(path)), got)
}

// shells returns this machine's shells that an image could have as its sh, by name.
func shells(t *testing.T) map[string]string {
	t.Helper()
	found := make(map[string]string)
	for _, name := range []string{"dash", "bash", "busybox", "mksh"} {
		if path, err := exec.LookPath(name); err == nil {
			found[name] = path
		}
	}
	if len(found) == 0 {
		path, err := exec.LookPath("sh")
		if err != nil {
			t.Skipf("this machine has no shell: %v", err)
		}
		found["sh"] = path
	}
	if os.Getuid() != 0 {
		t.Logf("the test runs as user %d, so the commands do too, and not as %d", os.Getuid(), pluginUser)
	}
	return found
}

func TestExamplesArgoCD_pluginRendersAsExpected(t *testing.T) {
	for dir, all := range map[string]map[string]string{"argocd/plugin": {"no shell": ""}, "argocd/plugin-helm": shells(t)} {
		line := generate(t, dir)
		for name, shell := range all {
			t.Run(dir+" with "+name, func(t *testing.T) {
				s := newSidecar(t, shell)
				stdout, stderr, err := s.run(copyPackage(t, dir+"/package"), line)
				if err != nil || stderr != "" {
					t.Fatalf("%v\n%s", err, stderr)
				}
				expected(t, dir+"/expected.yaml", stdout)
			})
		}
	}
}

// In a shell, $(…) removes all trailing newlines.
func TestExamplesArgoCD_pluginKeepsTheNewlinesOfTheLastValue(t *testing.T) {
	line := generate(t, "argocd/plugin-helm")
	for _, end := range []string{"data:\n  a: |+\n    b\n\n\n", "data:\n  a: |+\n    b\n", "data:\n  a: b"} {
		manifest := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n" + end
		for name, shell := range shells(t) {
			s := newSidecar(t, shell)
			s.replace(t, "helm", "printf '"+strings.ReplaceAll(manifest, "\n", `\n`)+"'\n")
			stdout, stderr, err := s.run(copyPackage(t, "argocd/plugin-helm/package"), line)
			if want := strings.TrimSuffix(manifest, "\n") + "\n"; err != nil || stdout != want {
				t.Errorf("with %s: got %q, want %q: %v\n%s", name, stdout, want, err, stderr)
			}
		}
	}
}

// Argo CD prefixes the stderr of a command with the command and its arguments: cmpserver/plugin/plugin.go, newCmdError.
func TestExamplesArgoCD_errorsBeginWithAShortCommand(t *testing.T) {
	for _, dir := range []string{"argocd/plugin", "argocd/plugin-helm"} {
		line := strings.Join(example[configManagementPlugin](t, dir+"/plugin.yaml").Spec.Generate.line(), " ")
		if len(line) > 80 || strings.Contains(line, "\n") {
			t.Errorf("%s: the command is %d bytes long: %q", dir, len(line), line)
		}
	}
}

// With PruneLast, a sync waits until everything is healthy: a rollout that never becomes healthy would block the commit
// that fixes it.
func TestExamplesArgoCD_noApplicationWaitsForHealth(t *testing.T) {
	applications := map[string]argoApplicationSpec{
		"fleet/argocd/applicationset.yaml": example[argoApplicationSet](t, "fleet/argocd/applicationset.yaml").Spec.Template.Spec,
	}
	for _, name := range []string{"exec", "hydrator", "plugin", "plugin-helm"} {
		file := "argocd/" + name + "/application.yaml"
		applications[file] = example[argoApplication](t, file).Spec
	}
	for file, application := range applications {
		options := application.SyncPolicy.SyncOptions
		if slices.Contains(options, "PruneLast=true") || !slices.Contains(options, "CreateNamespace=true") {
			t.Errorf("%s: the options are %q, want CreateNamespace=true and no PruneLast=true", file, options)
		}
	}
}

func TestExamplesArgoCD_pluginTakesItsSettings(t *testing.T) {
	const annotated, renamed = "checksum/config: ", "name: web-settings-hf678c7m2b\n"
	line := generate(t, "argocd/plugin")
	tests := []struct {
		label     string
		extra     []string
		remove    []string
		config    string
		want, not string
	}{
		{"parameter mode", []string{"PARAM_MODE=Annotate"}, nil, "", annotated, "-hf678c7m2b"},
		{"parameter policy", []string{"PARAM_POLICY=OptIn"}, nil, "", "name: web-settings\n", "-hf678c7m2b"},
		{"both", []string{"PARAM_MODE=Annotate", "PARAM_POLICY=OptIn"}, nil, "", "name: web-settings\n", annotated},
		{"file", []string{"PARAM_MODE=Rename"}, nil, "spec: {mode: Annotate}\n", annotated, "-hf678c7m2b"},
		{"no namespace", nil, []string{"ARGOCD_APP_NAMESPACE="}, "", renamed, "web-database-"},
		{"salt", []string{"CONFIGHASH_SALT=pinch-of-sea"}, nil, "", "name: web-settings-", "-hf678c7m2b"},
		{"salt is not shown", []string{"CONFIGHASH_SALT=pinch-of-sea"}, nil, "", "name: web-settings-", "pinch-of-sea"},
	}
	for _, test := range tests {
		t.Run(test.label, func(t *testing.T) {
			s := newSidecar(t, "")
			s.extra, s.remove = test.extra, test.remove
			dir := copyPackage(t, "argocd/plugin/package")
			if test.config != "" {
				put(t, dir, "confighash.yaml", "apiVersion: confighash.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: x}\n"+test.config)
			}
			stdout, stderr, err := s.run(dir, line)
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr)
			}
			if !strings.Contains(stdout, test.want) || strings.Contains(stdout+stderr, test.not) {
				t.Errorf("want %q in the output, and not %q:\n%s%s", test.want, test.not, stdout, stderr)
			}
		})
	}
}

func TestExamplesArgoCD_pluginFailsRatherThanPrintNothingOrHalf(t *testing.T) {
	const configHash = "apiVersion: confighash.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: x}\n"
	line := generate(t, "argocd/plugin")
	tests := []struct {
		label string
		extra []string
		files harness.Files
		want  string // on stderr
	}{
		{label: "kustomize fails", files: harness.Files{"kustomization.yaml": "resources: [missing.yaml]\n"}, want: "missing.yaml"},
		{label: "an empty kustomization", files: harness.Files{"kustomization.yaml": ""}, want: "kustomization.yaml is empty"},
		{label: "nothing is built", files: harness.Files{"kustomization.yaml": "namePrefix: a-\n"}, want: "it builds no resources"},
		{
			label: "nothing but what stays local",
			files: harness.Files{"web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    config.kubernetes.io/local-config: \"true\"\n"},
			want:  "it builds no resources",
		},
		{label: "broken YAML", files: harness.Files{"web.yaml": "apiVersion: v1\nkind: [ConfigMap\n"}, want: "web.yaml"},
		{label: "unknown field in the configuration", files: harness.Files{"confighash.yaml": configHash + "spec: {mode: Rename, modus: x}\n"}, want: "modus"},
		{label: "unknown mode", extra: []string{"PARAM_MODE=Bogus"}, want: `the parameter mode "Bogus" is not one of Rename, Annotate`},
		{label: "unknown policy", extra: []string{"PARAM_POLICY=Bogus"}, want: `the parameter policy "Bogus" is not one of `},
		{label: "a misspelt parameter", extra: []string{`ARGOCD_APP_PARAMETERS=[{"name":"Mode","string":"Rename"},{"name":"polcy","string":"OptIn"}]`}, want: `the parameter "polcy" is not one of mode, policy; did you mean policy?`},
		{label: "parameters that are not a list", extra: []string{`ARGOCD_APP_PARAMETERS={"name":"mode"}`}, want: "ARGOCD_APP_PARAMETERS is not a list of parameters in JSON"},
		{label: "a parameter that is a number", extra: []string{`ARGOCD_APP_PARAMETERS=[{"name":"mode","string":1}]`}, want: "ARGOCD_APP_PARAMETERS is not a list of parameters in JSON"},
		{label: "a parameter without a name", extra: []string{`ARGOCD_APP_PARAMETERS=[{"string":"Rename"}]`}, want: `the parameter "" is not one of mode, policy`},
		{label: "a parameter that is a list", extra: []string{`ARGOCD_APP_PARAMETERS=[{"name":"mode","array":["Annotate"]}]`}, want: "the parameter mode is not a string; write string: VALUE"},
		{label: "a parameter is not a command", extra: []string{"PARAM_MODE=$(echo owned; kill -9 $$)"}, want: "$(echo owned"},
		{label: "a parameter is not a flag", extra: []string{"PARAM_MODE=--enable-exec"}, want: `the parameter mode "--enable-exec" is not one of`},
		{label: "a function that is a program", files: harness.Files{
			"kustomization.yaml": "resources: [web.yaml]\ntransformers: [f.yaml]\n",
			"f.yaml":             "apiVersion: v1\nkind: F\nmetadata:\n  name: f\n  annotations:\n    config.kubernetes.io/function: 'exec: {path: /bin/sh}'\n",
		}, want: "external plugins disabled"},
	}
	for _, test := range tests {
		t.Run(test.label, func(t *testing.T) {
			s := newSidecar(t, "")
			s.extra = test.extra
			dir := copyPackage(t, "argocd/plugin/package")
			for file, content := range test.files {
				put(t, dir, file, content)
			}
			stdout, stderr, err := s.run(dir, line)
			if err == nil || stdout != "" || !strings.Contains(stderr, test.want) || strings.Contains(stderr, "correct-horse") {
				t.Errorf("want an error, nothing on stdout, %q on stderr, and no Secret: %v\n%s%s", test.want, err, stdout, stderr)
			}
		})
	}
}

func TestExamplesArgoCD_helmPluginTakesItsSettings(t *testing.T) {
	line := generate(t, "argocd/plugin-helm")
	tests := []struct {
		label, parameter, file, content, extra string
		want, not                              string // want is on stderr if fails
		fails                                  bool
	}{
		{label: "mode", parameter: "PARAM_MODE=Annotate", want: "checksum/config: ", not: "-hf678c7m2b"},
		{label: "release", parameter: "PARAM_RELEASE=store", want: "name: store-settings-hf678c7m2b\n", not: "name: shop"},
		{label: "values", parameter: "PARAM_VALUES=values-prod.yaml", want: "LOG_LEVEL: error\n", not: "LOG_LEVEL: info"},
		{label: "no values file", parameter: "PARAM_VALUES=missing.yaml", want: "missing.yaml", fails: true},
		{label: "values by way of a folder", parameter: "PARAM_VALUES=templates/../values.yaml", want: "values is templates/../values.yaml", fails: true},
		{label: "values with a blank", parameter: "PARAM_VALUES=a b.yaml", want: "a b.yaml", fails: true},
		{label: "values of the sidecar", parameter: "PARAM_VALUES=/etc/passwd", want: "values is /etc/passwd", fails: true},
		{label: "values above the chart", parameter: "PARAM_VALUES=../values.yaml", want: "values is ../values.yaml", fails: true},
		{label: "values from the network", parameter: "PARAM_VALUES=https://127.0.0.1:1/values.yaml", want: "values is https://127.0.0.1:1", fails: true},
		{label: "values as a list", parameter: "PARAM_VALUES=values.yaml,/dev/null", want: "values is values.yaml,/dev/null", fails: true},
		{label: "values quoted as in a list", parameter: `PARAM_VALUES="/dev/null"`, want: "values is", fails: true},
		{label: "values on a second line", parameter: "PARAM_VALUES=\n/dev/null", want: "values is", fails: true},
		{label: "values from stdin", parameter: "PARAM_VALUES=-", want: "./-", fails: true},
		{label: "values that look like a flag", parameter: "PARAM_VALUES=--output-dir", want: "./--output-dir", fails: true},
		{label: "release that would run a program", parameter: "PARAM_RELEASE=--post-renderer=sh", want: "--post-renderer=sh", fails: true},
		{label: "release that would write files", parameter: "PARAM_RELEASE=--output-dir", want: "--output-dir", fails: true},
		{label: "release that would write files there", parameter: "PARAM_RELEASE=--output-dir=/tmp/chart", want: "--output-dir=/tmp/chart", fails: true},
		{
			label: "versions of the cluster's APIs", file: "templates/web.yaml",
			content: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n{{ range list \"example.com/v2/Shop\" \"example.com/v2\" \"example.com/v3\" }}  {{ replace \"/\" \".\" . }}: {{ $.Capabilities.APIVersions.Has . | quote }}\n{{ end }}",
			extra:   "KUBE_API_VERSIONS=v1,example.com/v2,example.com/v2/Shop", want: "  example.com.v2.Shop: \"true\"\n  example.com.v2: \"true\"\n  example.com.v3: \"false\"\n", not: "v3: \"true\"",
		},
		{label: "broken template", file: "templates/web.yaml", content: "a: {{ .Values.x.y.z }}\n", want: "web.yaml", fails: true},
		{label: "nothing rendered", file: "templates/web.yaml", content: "{{ if false }}a: b{{ end }}\n", want: "printed no manifests", fails: true},
		{label: "nothing but comments rendered", file: "templates/web.yaml", content: "# kind: ConfigMap\n---\n  # {{ .Release.Name }}\n", want: "printed no manifests", fails: true},
	}
	for _, test := range tests {
		t.Run(test.label, func(t *testing.T) {
			for name, shell := range shells(t) {
				s := newSidecar(t, shell)
				for _, variable := range []string{test.parameter, test.extra} {
					if variable != "" {
						s.extra = append(s.extra, variable)
					}
				}
				dir := copyPackage(t, "argocd/plugin-helm/package")
				if test.file != "" {
					put(t, dir, test.file, test.content)
				}
				stdout, stderr, err := s.run(dir, line)
				switch {
				case !test.fails && (err != nil || !strings.Contains(stdout, test.want) || strings.Contains(stdout, test.not)):
					t.Errorf("%s: want %q in the output, and not %q: %v\n%s%s", name, test.want, test.not, err, stdout, stderr)
				case test.fails && (err == nil || stdout != "" || !strings.Contains(stderr, test.want)):
					t.Errorf("%s: want an error, nothing on stdout, and %q on stderr: %v\n%s%s", name, test.want, err, stdout, stderr)
				}
			}
		})
	}
}

// Argo CD runs kustomize itself, in the repo-server.
func TestExamplesArgoCD_repoServerRendersAsExpected(t *testing.T) {
	options := example[corev1.ConfigMap](t, "argocd/exec/argocd-cm.yaml").Data["kustomize.buildOptions"]
	deployment := example[appsv1.Deployment](t, "argocd/exec/repo-server.yaml")
	pod := deployment.Spec.Template.Spec
	install, mount := pod.InitContainers[0], pod.Containers[0].VolumeMounts[0]

	// Do what the init container does, then give the container the result.
	s := newSidecar(t, "")
	tools := openDir(t)
	arguments := slices.Clone(install.Args)
	at := slices.Index(arguments, install.VolumeMounts[0].MountPath)
	if at < 0 {
		t.Fatalf("the init container's arguments %q name no mount of it", arguments)
	}
	arguments[at] = tools
	if _, err := harness.Run(nil, harness.Binary, arguments...); err != nil {
		t.Fatal(err)
	}
	if mount.Name != install.VolumeMounts[0].Name || filepath.Dir(mount.MountPath) != "/usr/local/bin" {
		t.Fatalf("the container does not mount the tool on its PATH: %+v", mount)
	}
	link := filepath.Join(s.bin, filepath.Base(mount.MountPath))
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(tools, mount.SubPath), link); err != nil {
		t.Fatal(err)
	}

	dir := copyPackage(t, "argocd/exec/package")
	stdout, stderr, err := s.run(filepath.Dir(dir), append([]string{"kustomize", "build", dir}, strings.Fields(options)...))
	if err != nil || stderr != "" {
		t.Fatalf("%v\n%s", err, stderr)
	}
	expected(t, "argocd/exec/expected.yaml", stdout)
}

// The rules are from Argo CD's page on config management plugins.
func TestExamplesArgoCD_sidecarsAreAsArgoCDAsks(t *testing.T) {
	kustomize, err := harness.Kustomize()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"argocd/plugin", "argocd/plugin-helm", "fleet/argocd"} {
		t.Run(dir, func(t *testing.T) {
			out, err := harness.Run(nil, kustomize, "build", filepath.Join(examplesDir, dir))
			if err != nil {
				t.Fatal(err)
			}
			all, err := decodeAllStrictly(out)
			if err != nil {
				t.Fatal(err)
			}
			template, maps := repoServer(t, all)
			if problem := sidecarProblem(template.Spec, maps); problem != "" {
				t.Errorf("%s", problem)
			}
			if name := template.Annotations["kubectl.kubernetes.io/default-container"]; name != "argocd-repo-server" {
				t.Errorf("kubectl takes the container %q, want the repo-server", name)
			}
		})
	}
}

// The values for argo-helm and the operator's ArgoCD have the same sidecar.
func TestExamplesArgoCD_chartAndOperatorHaveTheSameSidecar(t *testing.T) {
	var values struct {
		RepoServer struct {
			ExtraContainers []corev1.Container `json:"extraContainers"`
			Volumes         []corev1.Volume    `json:"volumes"`
		} `json:"repoServer"`
	}
	if err := yaml.UnmarshalStrict(harness.ReadFile(t, filepath.Join(examplesDir, "argocd", "argo-helm", "values.yaml")), &values); err != nil {
		t.Fatal(err)
	}
	operator := example[argoCD](t, "argocd/operator/argocd.yaml").Spec.Repo
	plugin := example[appsv1.Deployment](t, "argocd/plugin/sidecar.yaml").Spec.Template.Spec
	for label, got := range map[string][2]any{
		"argo-helm": {values.RepoServer.ExtraContainers, values.RepoServer.Volumes},
		"operator":  {operator.SidecarContainers, operator.Volumes},
	} {
		if diff := cmp.Diff([2]any{plugin.Containers, plugin.Volumes}, got); diff != "" {
			t.Errorf("%s differs (-plugin +%s):\n%s", label, label, diff)
		}
	}
}

func TestExamplesArgoCD_oneTeamHasNoPlugin(t *testing.T) {
	set := example[argoApplicationSet](t, "argocd/teams/applicationset.yaml")
	patch := template.Must(template.New("").Option("missingkey=error").Parse(set.Spec.TemplatePatch))
	for team, want := range map[string]string{"shop": "confighash", "billing": ""} {
		var text bytes.Buffer
		if err := patch.Execute(&text, map[string]any{"path": map[string]any{"basename": team}}); err != nil {
			t.Fatal(err)
		}
		var application struct {
			Spec argoApplicationSpec `json:"spec"`
		}
		if err := yaml.UnmarshalStrict(text.Bytes(), &application); err != nil {
			t.Fatalf("%v\n%s", err, text.Bytes())
		}
		got := ""
		if plugin := application.Spec.Source.Plugin; plugin != nil {
			got = plugin.Name
		}
		if got != want {
			t.Errorf("%s has the plugin %q, want %q", team, got, want)
		}
	}
}

// repoServer returns the pod template of the repo-server in objects, and the content of ConfigMaps with a plugin, by
// name.
func repoServer(t *testing.T, objects []any) (template corev1.PodTemplateSpec, plugins map[string]string) {
	t.Helper()
	plugins = make(map[string]string)
	for _, object := range objects {
		switch o := object.(type) {
		case *appsv1.Deployment:
			template = o.Spec.Template
		case *corev1.ConfigMap:
			if plugin := o.Data["plugin.yaml"]; plugin != "" {
				plugins[o.Name] = plugin
			}
		}
	}
	return template, plugins
}

// sidecarProblem returns what is wrong with a plugin's sidecar in the pod of a repo-server, "" if nothing.
func sidecarProblem(pod corev1.PodSpec, plugins map[string]string) string {
	const server = "argocd-repo-server"
	containers := make(map[string]corev1.Container)
	for _, c := range pod.Containers {
		containers[c.Name] = c
	}
	if len(containers) != 2 {
		return fmt.Sprintf("%d containers, want the repo-server and the sidecar", len(containers))
	}
	var side corev1.Container
	for name, c := range containers {
		if name != server {
			side = c
		}
	}
	volumes := make(map[string]corev1.Volume)
	for _, v := range pod.Volumes {
		volumes[v.Name] = v
	}
	mounts, servers := mountsByPath(side), mountsByPath(containers[server])
	security := side.SecurityContext
	plugin := volumes[mounts[strings.TrimSuffix(pluginConfig, "/")].Name].ConfigMap
	switch {
	case !slices.Equal(side.Command, []string{"/var/run/argocd/argocd-cmp-server"}):
		return fmt.Sprintf("the command is %q", side.Command)
	case security == nil || *security.RunAsUser != pluginUser || !*security.RunAsNonRoot || !*security.ReadOnlyRootFilesystem:
		return fmt.Sprintf("the security context is %+v", security)
	case mounts["/var/run/argocd"].Name != "var-files" || mounts["/home/argocd/cmp-server/plugins"].Name != "plugins":
		return fmt.Sprintf("the mounts are %+v", mounts)
	case mounts["/tmp"].Name == servers["/tmp"].Name || volumes[mounts["/tmp"].Name].EmptyDir == nil:
		return fmt.Sprintf("/tmp is the volume %q, the repo-server's %q", mounts["/tmp"].Name, servers["/tmp"].Name)
	case plugin == nil || plugins[plugin.Name] == "":
		return fmt.Sprintf("the plugin's ConfigMap is %+v, and there are %d", plugin, len(plugins))
	case side.Resources.Limits.Memory().IsZero() || side.Resources.Requests.Cpu().IsZero():
		return fmt.Sprintf("the resources are %+v", side.Resources)
	}
	return ""
}

func mountsByPath(c corev1.Container) map[string]corev1.VolumeMount {
	mounts := make(map[string]corev1.VolumeMount)
	for _, m := range c.VolumeMounts {
		mounts[m.MountPath] = m
	}
	return mounts
}

// pluginBuild is the command in docs/argocd-plugin.md that builds the sidecar's image.
const pluginBuild = "docker build --tag registry.example.com/argocd-confighash-helm:v0.1.0 examples/argocd/plugin-helm"
