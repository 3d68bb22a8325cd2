package docs_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/golden"
	"github.com/confighash/confighash/test/support/harness"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/test/support/transcript"
)

// page is a page for users, with its fenced blocks.
type page struct {
	name, text string
	yaml, sh   []string
}

var fence = regexp.MustCompile("(?s)\n( *)```(yaml|sh)\n(.*?)\n *```\n")

func readPage(t *testing.T, name string) page {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	p := page{name: name, text: string(text)}
	for _, match := range fence.FindAllStringSubmatch(p.text, -1) {
		block := strings.ReplaceAll("\n"+match[3], "\n"+match[1], "\n")[1:] + "\n"
		if match[2] == "yaml" {
			p.yaml = append(p.yaml, block)
		} else {
			p.sh = append(p.sh, block)
		}
	}
	return p
}

// readPages returns the README and the pages in docs.
func readPages(t *testing.T) []page {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages := []page{readPage(t, "README.md")}
	for _, name := range names {
		pages = append(pages, readPage(t, filepath.Join("docs", filepath.Base(name))))
	}
	return pages
}

// block returns the only YAML block that contains text.
func (p page) block(t *testing.T, text string) string {
	t.Helper()
	var found []string
	for _, block := range p.yaml {
		if strings.Contains(block, text) {
			found = append(found, block)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d YAML blocks of %s hold %q, want one", len(found), p.name, text)
	}
	return found[0]
}

// example returns the manifests before and after mode Rename, from the diff in the README.
func example(t *testing.T) (before, after string) {
	t.Helper()
	diffs := harness.FencedBlocks(t, filepath.Join("..", "..", "README.md"), "diff")
	for line := range strings.Lines(diffs[0]) {
		if line[0] != '+' {
			before += line[1:]
		}
		if line[0] != '-' {
			after += line[1:]
		}
	}
	return before, after
}

func TestReadme_showsTheOutput(t *testing.T) {
	in, want := example(t)
	got, err := harness.Run([]byte(in), harness.Binary, "--mode", "Rename")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("README's output is not the function's (-README +function):\n%s", diff)
	}
}

func TestReadme_showsWhatAnnotateStamps(t *testing.T) {
	r := readPage(t, "README.md")
	in, _ := example(t)
	shown := r.block(t, "checksum/config: ")
	got, err := harness.Run([]byte(in), harness.Binary, "--mode", "Annotate")
	if err != nil {
		t.Fatal(err)
	}
	before, after, _ := strings.Cut(in, "  template:\n    spec:\n")
	if diff := cmp.Diff(before+shown+after, string(got)); diff != "" {
		t.Errorf("README's output is not the function's (-README +function):\n%s", diff)
	}
}

func TestDocs_functionConfigsAreAccepted(t *testing.T) {
	accepted := 0
	for _, p := range readPages(t) {
		for _, block := range p.yaml {
			switch {
			case strings.Contains(block, "\nkind: ConfigHash\n"):
			case strings.HasPrefix(block, "spec:\n  mode: "):
				block = "apiVersion: confighash.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: x}\n" + block
			default:
				continue
			}
			config := filepath.Join(t.TempDir(), "confighash.yaml")
			if err := (harness.Files{"confighash.yaml": block}).Write(filepath.Dir(config)); err != nil {
				t.Fatal(err)
			}
			args := []string{"--config", config}
			if strings.Contains(block, "\n    keep: ") {
				args = append(args, "--previous", t.TempDir())
			}
			if _, err := harness.Run([]byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n"), harness.Binary, args...); err != nil {
				t.Errorf("%s: %v\nfor\n%s", p.name, err, block)
			}
			accepted++
		}
	}
	if accepted < 4 {
		t.Errorf("the pages show %d functionConfigs, want at least 4", accepted)
	}
}

// toolPath returns a PATH that begins with confighash and kustomize.
func toolPath(t *testing.T) string {
	t.Helper()
	kustomize, err := harness.Kustomize()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(harness.Binary) + string(os.PathListSeparator) + filepath.Dir(kustomize) + string(os.PathListSeparator) + os.Getenv("PATH")
}

func TestReadme_commandsGiveTheNamesItShows(t *testing.T) {
	r := readPage(t, "README.md")
	tests := []struct {
		label, command, kustomization string
	}{
		{
			"kustomize by exec",
			"kustomize build --enable-alpha-plugins --enable-exec .",
			"resources: [manifests.yaml]\n" + r.block(t, "transformers:"),
		},
		{
			"filter",
			"kustomize build . | confighash --mode Rename",
			"resources: [manifests.yaml]\n",
		},
	}
	for _, test := range tests {
		t.Run(test.label, func(t *testing.T) {
			if !strings.Contains(r.text, "\n"+test.command) {
				t.Fatalf("the README shows no command %q", test.command)
			}
			out := readmePackage(t, r, test.kustomization).run(t, test.command)
			if n := strings.Count(out, "name: web-settings-hf678c7m2b\n"); n != 2 {
				t.Errorf("web-settings-hf678c7m2b stands %d times in the output, want 2:\n%s", n, out)
			}
		})
	}
}

type workshop struct {
	dir, path string
}

// readmePackage creates a package with the README's manifests.
func readmePackage(t *testing.T, r page, kustomization string) workshop {
	t.Helper()
	w := workshop{t.TempDir(), toolPath(t)}
	in, _ := example(t)
	err := harness.Files{
		"manifests.yaml":     in,
		"confighash.yaml":    r.block(t, "path: confighash\n"),
		"kustomization.yaml": kustomization,
	}.Write(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// run returns the output of a script in which each command must succeed.
func (w workshop) run(t *testing.T, script string) string {
	t.Helper()
	cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = w.dir, append(os.Environ(), "PATH="+w.path)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Errorf("%v\n%s%s\nof\n%s", err, &stdout, &stderr, script)
	}
	return stdout.String()
}

// TestDocs_commandsRun runs the commands in the pages that need no cluster, on manifests rendered by confighash.
func TestDocs_commandsRun(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not on the PATH")
	}
	r := readPage(t, "README.md")
	w := readmePackage(t, r, "resources: [manifests.yaml]\n")
	in, _ := example(t)
	renamed, err := harness.Run([]byte(in), harness.Binary, "--mode", "Rename")
	if err != nil {
		t.Fatal(err)
	}
	stub := "#!/bin/sh\ncase \"$1\" in apply) cat ;; get) echo ghcr.io/stakater/reloader ;; *) cat manifests.yaml ;; esac\n"
	tools := harness.Files{"kubectl": stub, "helm": stub, "kpt": stub, "custom-tools/none": ""}
	tools["flux"], tools["git"] = "#!/bin/sh\nls \"$5\"\n", "#!/bin/sh\necho \"$*\"\n"
	tools["manifests.yaml"] = string(renamed)
	tools["before.yaml"], tools["after.yaml"] = in, string(renamed)
	if err := tools.Write(w.dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"flux", "git", "kubectl", "helm", "kpt"} {
		if err := os.Chmod(filepath.Join(w.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.path = w.dir + string(os.PathListSeparator) + w.path

	// elsewhere has the blocks that do not run here.
	elsewhere := map[string]string{
		"confighash gc":       "TestScript runs it",
		"make ":               "CI runs them",
		"go install ":         "needs a release",
		"go get ":             "needs a release",
		"kpt fn render":       "TestE2E runs it",
		"kpt fn eval":         "TestE2E runs it",
		"helm upgrade":        "needs a cluster",
		"go doc":              "needs the source",
		"custom-tools":        "runs below, in another folder",
		"--enable-exec .":     "TestReadme_commandsGiveTheNamesItShows runs it",
		"head -c 32 /dev/ura": "says nothing of confighash",
	}
	ran := 0
	for _, name := range []string{"README.md", "docs/annotate.md", "docs/cli.md", "docs/custom-resources.md", "docs/flux.md", "docs/library.md", "docs/migrate.md", "docs/rename.md", "docs/symptoms.md"} {
	blocks:
		for _, block := range readPage(t, name).sh {
			for text := range elsewhere {
				if strings.Contains(block, text) {
					continue blocks
				}
			}
			if w.run(t, block) == "" && !strings.Contains(block, "--check") && !strings.Contains(block, "source <") {
				t.Errorf("%s: nothing comes out of\n%s", name, block)
			}
			ran++
		}
	}
	if ran < 8 {
		t.Errorf("%d blocks ran, want at least 8", ran)
	}
	w.run(t, "confighash install ./custom-tools && ./custom-tools/confighash --version")
}

// TestDocs_transcriptsPrintWhatTheyShow runs the transcripts in the pages on the manifests of testdata/story; -update
// writes their output. kubectl needs a control plane: TestStory_printsWhatThePagesShow of test/cluster runs the
// transcripts of the README and of docs/getting-started.md.
func TestDocs_transcriptsPrintWhatTheyShow(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not on the PATH")
	}
	compared := 0
	for _, p := range readPages(t) {
		transcripts := transcript.Read(p.text)
		if len(transcripts) == 0 {
			continue
		}
		w := workshop{t.TempDir(), toolPath(t)}
		if err := os.CopyFS(w.dir, os.DirFS(filepath.Join("..", "..", "testdata", "story"))); err != nil {
			t.Fatal(err)
		}
		if err := (harness.Files{"kubectl": "#!/bin/sh\ncase $* in *' -') cat >/dev/null ;; esac\n"}).Write(w.dir); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(w.dir, "kubectl"), 0o755); err != nil {
			t.Fatal(err)
		}
		w.path = w.dir + string(os.PathListSeparator) + w.path
		for i := range transcripts {
			for j := range transcripts[i].Commands {
				c := &transcripts[i].Commands[j]
				out := w.run(t, c.Text)
				if !strings.Contains(c.Text, "kubectl") {
					c.Output = out
					compared++
				} else if !slices.Contains([]string{"README.md", filepath.Join("docs", "getting-started.md")}, p.name) {
					t.Errorf("%s: no control plane runs %s", p.name, c.Text)
				}
			}
		}
		shown := transcript.Write(p.text, transcripts)
		golden.Compare(t, filepath.Join("..", "..", p.name), shown)
	}
	if compared < 5 {
		t.Errorf("%d commands were compared, want at least 5", compared)
	}

	story, err := os.ReadFile(filepath.Join("..", "..", "test", "cluster", "story_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(story, []byte("//go:build cluster\n")) || !bytes.Contains(story, []byte("\nfunc TestStory_printsWhatThePagesShow(t *testing.T) {\n")) {
		t.Error("make e2e-cluster does not run the README's transcripts")
	}
}

func TestDocs_libraryExampleGivesWhatTheExecutableDoes(t *testing.T) {
	_, rest, found := strings.Cut(readPage(t, "docs/library.md").text, "\n```go\n")
	program, _, closed := strings.Cut(rest, "\n```\n")
	if !found || !closed {
		t.Fatal("docs/library.md shows no program")
	}
	dir := t.TempDir()
	if err := (harness.Files{"main.go": program}).Write(dir); err != nil {
		t.Fatal(err)
	}
	example, _ := example(t)
	in := []byte(example)
	want, err := harness.Run(in, harness.Binary, "--mode", "Rename")
	if err != nil {
		t.Fatal(err)
	}
	got, err := harness.Run(in, "go", "run", filepath.Join(dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("(-executable +program of docs/library.md):\n%s", diff)
	}
}

// TestTroubleshooting_kustomizeIsSilentWithoutEnableExec checks the first statement of the page.
func TestTroubleshooting_kustomizeIsSilentWithoutEnableExec(t *testing.T) {
	r := readPage(t, "README.md")
	w := readmePackage(t, r, "resources: [manifests.yaml]\n"+r.block(t, "transformers:"))
	if out := w.run(t, "kustomize build --enable-alpha-plugins . 2>&1"); strings.Contains(out, "web-settings-") || !strings.HasPrefix(out, "apiVersion") {
		t.Errorf("kustomize no longer passes over the function without a word:\n%s", out)
	}
	if out := w.run(t, "! kustomize build . 2>&1"); !strings.Contains(out, "unable to load external plugin 'ConfigHash'") {
		t.Errorf("kustomize says something else now: %s", out)
	}
}
