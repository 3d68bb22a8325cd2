package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// kustomizeExamples are the folders beneath examples/kustomize that are to be
// built.
var kustomizeExamples = []string{
	"plain", "helm", "generators", "components", "environments/dev", "environments/prod", "annotate", "optin",
}

// runsByExec is what makes an example's kustomization run the function.
var runsByExec = regexp.MustCompile(`(?m)^transformers:\n- (\.\./)?exec\n`)

// kustomizeExample copies the examples to a new folder, and returns the path of
// one of them, with its kustomization's transformers replaced.
func kustomizeExample(t *testing.T, path, transformers string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "examples", "kustomize"))); err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, filepath.FromSlash(path))
	file := filepath.Join(dir, "kustomization.yaml")
	kustomization, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !runsByExec.Match(kustomization) {
		t.Fatalf("%s lists no transformer that runs the function by exec:\n%s", path, kustomization)
	}
	if err := os.WriteFile(file, runsByExec.ReplaceAll(kustomization, []byte(transformers)), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// What stands in the place of an example's transformers.
const (
	asItIs      = "$0"
	byContainer = "transformers:\n- ${1}container\n"
	byNothing   = ""
)

// shell runs a command as a page shows it, in dir, where confighash, kustomize
// and helm are on the PATH, and returns its stdout.
func shell(t *testing.T, dir, command string, env ...string) (stdout, stderr string, err error) {
	t.Helper()
	skipWithoutHelm(t)
	path := []string{filepath.Dir(binary)}
	for _, tool := range []func() (string, error){kustomizeBinary, helmBinary} {
		program, err := tool()
		if err != nil {
			t.Fatal(err)
		}
		path = append(path, filepath.Dir(program))
	}
	path = append(path, os.Getenv("PATH"))
	var out, told bytes.Buffer
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+strings.Join(path, string(os.PathListSeparator)))
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdout, cmd.Stderr = &out, &told
	err = cmd.Run()
	return out.String(), told.String(), err
}

// mustShell runs a command that is to succeed, and to have nothing to tell.
func mustShell(t *testing.T, dir, command string, env ...string) string {
	t.Helper()
	stdout, stderr, err := shell(t, dir, command, env...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, stderr)
	}
	if stderr != "" {
		t.Errorf("%s told\n%s", command, stderr)
	}
	return stdout
}

// buildWithExec builds any of the examples.
const buildWithExec = "kustomize build --enable-alpha-plugins --enable-exec --enable-helm ."

// functionConfigFile is the path of an example's functionConfig, from the
// folder that is built.
func functionConfigFile(path string) string {
	if strings.Contains(path, "/") {
		return "../exec/confighash.yaml"
	}
	return "exec/confighash.yaml"
}

func TestExamplesKustomize_buildToWhatIsExpected(t *testing.T) {
	for _, example := range kustomizeExamples {
		t.Run(example, func(t *testing.T) {
			got := mustShell(t, kustomizeExample(t, example, asItIs), buildWithExec)
			file := filepath.Join("..", "examples", "kustomize", filepath.FromSlash(example), "expected.yaml")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("kustomize builds something else (-expected.yaml +built):\n%s", diff)
			}
		})
	}
}

func TestExamplesKustomize_aPipeGivesTheSame(t *testing.T) {
	for _, example := range kustomizeExamples {
		t.Run(example, func(t *testing.T) {
			byExec := mustShell(t, kustomizeExample(t, example, asItIs), buildWithExec)
			byPipe, told, err := shell(t, kustomizeExample(t, example, byNothing),
				"kustomize build --enable-helm . | confighash --config "+functionConfigFile(example))
			if err != nil {
				t.Fatalf("%v\n%s", err, told)
			}
			// kustomize moves what a function renames to the end.
			found, err := diff([]byte(byExec), []byte(byPipe), false)
			if err != nil {
				t.Fatal(err)
			}
			if found != "" {
				t.Errorf("a pipe gives something else (-exec +pipe):\n%s", found)
			}
		})
	}
}

func TestExamplesKustomize_layersKeepWhatTheyWereGiven(t *testing.T) {
	dir := t.TempDir()
	err := files{"kustomization.yaml": "resources: [example]\nnameSuffix: -blue\ntransformers: [example/exec]\n"}.write(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "example"), os.DirFS(filepath.Join("..", "examples", "kustomize", "plain"))); err != nil {
		t.Fatal(err)
	}
	got := mustShell(t, dir, buildWithExec)
	names := regexp.MustCompile(`web-settings[-a-z0-9]*`).FindAllString(got, -1)
	if len(names) != 2 || names[0] != names[1] || !strings.HasPrefix(names[0], "web-settings-blue-") {
		t.Errorf("the ConfigMap and its reference are %q, want one name with one hash behind blue", names)
	}
}

func TestExamplesKustomize_containerIsConfiguredAsExec(t *testing.T) {
	found, err := filepath.Glob(filepath.Join("..", "examples", "kustomize", "*", "exec", "confighash.yaml"))
	if err != nil || len(found) < 7 {
		t.Fatalf("%d examples have a functionConfig, want at least 7: %v", len(found), err)
	}
	const byExec, byContainer = "exec:\n        path: confighash\n", "container:\n        image: confighash:latest\n"
	for _, file := range found {
		execConfig, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		containerConfig, err := os.ReadFile(strings.Replace(file, "exec", "container", 1))
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Replace(string(execConfig), byExec, byContainer, 1)
		if want == string(execConfig) {
			t.Errorf("%s does not run confighash from the PATH", file)
		}
		if diff := cmp.Diff(want, string(containerConfig)); diff != "" {
			t.Errorf("%s: the container is configured otherwise (-exec +container):\n%s", file, diff)
		}
	}
}
