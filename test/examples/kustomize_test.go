//go:build !windows

package examples_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/golden"
	"github.com/confighash/confighash/test/support/harness"

	"github.com/google/go-cmp/cmp"
)

// kustomizeExamples are the folders beneath examples/kustomize to be built.
var kustomizeExamples = []string{
	"plain", "helm", "generators", "components", "environments/dev", "environments/prod", "annotate", "optin",
}

// runsByExec matches the part of an example's kustomization that runs the function.
var runsByExec = regexp.MustCompile(`(?m)^transformers:\n- (\.\./)?exec\n`)

// kustomizeExample copies the examples to a new folder, and returns the path of one of them, with its kustomization's
// transformers replaced.
func kustomizeExample(t *testing.T, path, transformers string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "examples", "kustomize"))); err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, filepath.FromSlash(path))
	file := filepath.Join(dir, "kustomization.yaml")
	kustomization := harness.ReadFile(t, file)
	if !runsByExec.Match(kustomization) {
		t.Fatalf("%s lists no transformer that runs the function by exec:\n%s", path, kustomization)
	}
	if err := os.WriteFile(file, runsByExec.ReplaceAll(kustomization, []byte(transformers)), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Replacements for an example's transformers.
const (
	asItIs      = "$0"
	byContainer = "transformers:\n- ${1}container\n"
	byNothing   = ""
)

// mustShell runs a command that must succeed without warnings.
func mustShell(t *testing.T, dir, command string, env ...string) string {
	t.Helper()
	stdout, stderr, err := harness.Shell(t, dir, command, env...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, stderr)
	}
	if stderr != "" {
		t.Errorf("%s said\n%s", command, stderr)
	}
	return stdout
}

// buildWithExec builds any of the examples.
const buildWithExec = "kustomize build --enable-alpha-plugins --enable-exec --enable-helm ."

// functionConfigFile returns the path of an example's functionConfig from the folder to be built.
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
			golden.Compare(t, filepath.Join("..", "..", "examples", "kustomize", filepath.FromSlash(example), "expected.yaml"), got)
		})
	}
}

func TestExamplesKustomize_aPipeGivesTheSame(t *testing.T) {
	for _, example := range kustomizeExamples {
		t.Run(example, func(t *testing.T) {
			byExec := mustShell(t, kustomizeExample(t, example, asItIs), buildWithExec)
			byPipe, said, err := harness.Shell(t, kustomizeExample(t, example, byNothing),
				"kustomize build --enable-helm . | confighash --config "+functionConfigFile(example))
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			// kustomize moves objects that a function renames to the end.
			found, err := harness.Diff([]byte(byExec), []byte(byPipe), false)
			if err != nil {
				t.Fatal(err)
			}
			if found != "" {
				t.Errorf("a pipe gives something else (-exec +pipe):\n%s", found)
			}
		})
	}
}

// Objects that kustomize has named itself lack the annotation with the suffix until the function has processed them.
func TestExamplesKustomize_checkAcceptsWhatWasRendered(t *testing.T) {
	check := " | confighash --check --config "
	for _, example := range kustomizeExamples {
		t.Run(example, func(t *testing.T) {
			config := functionConfigFile(example)
			byExec := kustomizeExample(t, example, asItIs)
			out, said, err := harness.Shell(t, byExec, buildWithExec+check+config)
			if clean := err == nil; clean != (example != "generators") {
				t.Errorf("by exec: %v: a second run would change\n%s%s", err, out, said)
			}
			mustShell(t, kustomizeExample(t, example, byNothing), "kustomize build --enable-helm . | confighash --config "+config+check+config)
		})
	}
	t.Run("generators, adopted", func(t *testing.T) {
		dir := kustomizeExample(t, "generators", asItIs)
		edit(t, filepath.Join(dir, "exec", "confighash.yaml"), "generated: Auto", "generated: Adopt")
		mustShell(t, dir, buildWithExec+check+"exec/confighash.yaml")
	})
}

func TestExamplesKustomize_layersKeepWhatTheyWereGiven(t *testing.T) {
	dir := t.TempDir()
	err := harness.Files{"kustomization.yaml": "resources: [example]\nnameSuffix: -blue\ntransformers: [example/exec]\n"}.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "example"), os.DirFS(filepath.Join("..", "..", "examples", "kustomize", "plain"))); err != nil {
		t.Fatal(err)
	}
	got := mustShell(t, dir, buildWithExec)
	names := regexp.MustCompile(`web-settings[-a-z0-9]*`).FindAllString(got, -1)
	if len(names) != 2 || names[0] != names[1] || !strings.HasPrefix(names[0], "web-settings-blue-") {
		t.Errorf("the ConfigMap and its reference are %q, want one name with one hash behind blue", names)
	}
}

func TestExamplesKustomize_containerIsConfiguredAsExec(t *testing.T) {
	found, err := filepath.Glob(filepath.Join("..", "..", "examples", "kustomize", "*", "exec", "confighash.yaml"))
	if err != nil || len(found) < 7 {
		t.Fatalf("%d examples have a functionConfig, want at least 7: %v", len(found), err)
	}
	const byExec, byContainer = "exec:\n        path: confighash\n", "container:\n        image: confighash:latest\n"
	for _, file := range found {
		execConfig := harness.ReadFile(t, file)
		containerConfig := harness.ReadFile(t, strings.Replace(file, "exec", "container", 1))
		want := strings.Replace(string(execConfig), byExec, byContainer, 1)
		if want == string(execConfig) {
			t.Errorf("%s does not run confighash from the PATH", file)
		}
		if diff := cmp.Diff(want, string(containerConfig)); diff != "" {
			t.Errorf("%s: the container is configured otherwise (-exec +container):\n%s", file, diff)
		}
	}
}

func TestExamplesKustomize_pathCountsFromTheKustomizationThatListsIt(t *testing.T) {
	program := harness.ReadFile(t, harness.Binary)
	for _, lists := range []string{"dev", "base"} {
		for _, holds := range []string{"dev", "base", "exec"} {
			t.Run("listed by "+lists+", in "+holds, func(t *testing.T) {
				dir := filepath.Dir(kustomizeExample(t, "environments/dev", byNothing))
				kustomization := filepath.Join(dir, lists, "kustomization.yaml")
				content := harness.ReadFile(t, kustomization)
				if err := os.WriteFile(kustomization, append(content, "transformers: [../exec]\n"...), 0o600); err != nil {
					t.Fatal(err)
				}
				edit(t, filepath.Join(dir, "exec", "confighash.yaml"), "path: confighash", "path: ./tools/confighash")
				tools := filepath.Join(dir, holds, "tools")
				if err := os.Mkdir(tools, 0o750); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(tools, "confighash"), program, 0o700); err != nil {
					t.Fatal(err)
				}
				_, said, err := harness.Shell(t, dir, "kustomize build --enable-alpha-plugins --enable-exec dev")
				if found := err == nil; found != (lists == holds) {
					t.Errorf("kustomize finds the executable: %t, want %t\n%s", found, lists == holds, said)
				}
			})
		}
	}
}

// holdsBlock reports whether a file beneath examples and templates contains a text.
func holdsBlock(t *testing.T, text string) bool {
	t.Helper()
	for _, dir := range []string{"examples", "templates"} {
		for _, content := range contentsBelow(t, filepath.Join("..", "..", dir)) {
			if strings.Contains(content, text) {
				return true
			}
		}
	}
	return false
}

func contentsBelow(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		all = append(all, string(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestExamplesKustomize_pageShowsTheExamples(t *testing.T) {
	page := harness.ReadFile(t, filepath.Join("..", "..", "docs", "kustomize.md"))
	for _, example := range kustomizeExamples {
		if name, _, _ := strings.Cut(example, "/"); !bytes.Contains(page, []byte("| `"+name+"` |")) {
			t.Errorf("the page does not list the example %s", name)
		}
	}
	for _, block := range harness.FencedBlocks(t, "../../docs/kustomize.md", "yaml") {
		if !holdsBlock(t, block) {
			t.Errorf("no example holds\n%s", block)
		}
	}
}

// kubectlIsKustomize replaces kubectl, which contains kustomize, by kustomize, and prints what would be applied.
const kubectlIsKustomize = "kubectl() { case $1 in kustomize) kustomize build $2 ;; apply) cat ;; esac }\n"

func TestExamplesKustomize_commandsOfThePageRun(t *testing.T) {
	expected := map[string]string{"plain": "plain", "environments/dev": "environments/dev", "helm": "helm"}
	ran := 0
	for _, block := range harness.FencedBlocks(t, "../../docs/kustomize.md", "sh") {
		dir := filepath.Dir(kustomizeExample(t, "plain", asItIs))
		if strings.Contains(block, "|") {
			dir = filepath.Dir(kustomizeExample(t, "plain", byNothing))
		}
		got, said, err := harness.Shell(t, dir, "bash -c '"+kubectlIsKustomize+block+"'")
		if err != nil {
			t.Errorf("%s: %v\n%s", block, err, said)
			continue
		}
		words := strings.Fields(strings.SplitN(block, "|", 2)[0])
		want := harness.ReadFile(t, filepath.Join("..", "..", "examples", "kustomize", expected[words[len(words)-1]], "expected.yaml"))
		if found, err := harness.Diff(want, []byte(got), false); err != nil || found != "" {
			t.Errorf("%s: %v: it builds something else (-expected.yaml +built):\n%s", block, err, found)
		}
		ran++
	}
	if ran != 5 {
		t.Errorf("%d commands ran, want 5", ran)
	}
}

func TestExamplesKustomize_withoutPluginsTheBuildFails(t *testing.T) {
	dir := filepath.Dir(kustomizeExample(t, "plain", asItIs))
	const command = "kustomize build plain"
	if !slices.Contains(harness.FencedBlocks(t, "../../docs/kustomize.md", "text"), command+"\n") {
		t.Errorf("the page does not show %s", command)
	}
	if out, said, err := harness.Shell(t, dir, command); err == nil || out != "" || !strings.Contains(said, "plugins disabled") {
		t.Errorf("kustomize does not say that plugins are disabled: %v\n%s%s", err, out, said)
	}
}
