//go:build !windows

package examples_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"github.com/confighash/confighash/test/support/harness"

	"github.com/google/go-cmp/cmp"
	yamlv3 "go.yaml.in/yaml/v3"
)

// readStrictly reads a YAML document that must not have fields that T lacks.
func readStrictly[T any](t *testing.T, decoder *yamlv3.Decoder) T {
	t.Helper()
	decoder.KnownFields(true)
	var into T
	if err := decoder.Decode(&into); err != nil {
		t.Fatal(err)
	}
	return into
}

func decoderOf(t *testing.T, path string) *yamlv3.Decoder {
	t.Helper()
	content := harness.ReadFile(t, filepath.Join("..", "..", filepath.FromSlash(path)))
	return yamlv3.NewDecoder(bytes.NewReader(content))
}

// A githubAction is the file of a composite action.
type githubAction struct {
	Name, Description, Author string
	Branding                  struct{ Icon, Color string }
	Inputs                    map[string]struct {
		Description, Default string
		Required             bool
	}
	Runs struct {
		Using string
		Steps []githubStep
	}
}

// A githubStep is a step of a workflow's job or of an action.
type githubStep struct {
	Name, If, Uses, Shell, Run string
	Env, With                  map[string]string
}

// A githubWorkflow is a workflow with one job, like those of the examples.
type githubWorkflow struct {
	Name        string
	On          any
	Permissions map[string]string
	Concurrency string
	Jobs        map[string]struct {
		RunsOn string `yaml:"runs-on"`
		Env    map[string]string
		Steps  []githubStep
	}
}

// A release has the files of a release, by name.
type release map[string][]byte

// releaseName returns the name of an archive according to .goreleaser.yaml.
func releaseName(t *testing.T, version, system, arch string) string {
	t.Helper()
	var config struct {
		Archives []struct {
			NameTemplate string `yaml:"name_template"`
		}
		Checksum struct {
			NameTemplate string `yaml:"name_template"`
		}
	}
	if err := decoderOf(t, ".goreleaser.yaml").Decode(&config); err != nil {
		t.Fatal(err)
	}
	if got := config.Checksum.NameTemplate; got != "checksums.txt" {
		t.Fatalf(".goreleaser.yaml calls the checksums %s, and those who download them checksums.txt", got)
	}
	var name strings.Builder
	err := template.Must(template.New("").Parse(config.Archives[0].NameTemplate)).Execute(&name, map[string]string{
		"ProjectName": "confighash", "Version": strings.TrimPrefix(version, "v"), "Os": system, "Arch": arch,
	})
	if err != nil {
		t.Fatal(err)
	}
	if system == "windows" {
		return name.String() + ".zip"
	}
	return name.String() + ".tar.gz"
}

// newRelease creates the archives of release v0.1.0. The executable in them runs the one under test.
func newRelease(t *testing.T) release {
	t.Helper()
	script := []byte("#!/bin/sh\nexec " + harness.Binary + ` "$@"` + "\n")
	r := release{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			var archive bytes.Buffer
			pack := packTar
			name := "confighash"
			if system == "windows" {
				pack, name = packZip, name+".exe"
			}
			if err := pack(&archive, name, script); err != nil {
				t.Fatal(err)
			}
			r[releaseName(t, "v0.1.0", system, arch)] = archive.Bytes()
		}
	}
	r.sum()
	return r
}

// sum writes the checksums.
func (r release) sum() {
	var sums bytes.Buffer
	for name, content := range r {
		if name != "checksums.txt" {
			fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), name)
		}
	}
	r["checksums.txt"] = sums.Bytes()
}

func packTar(to io.Writer, name string, content []byte) error {
	zipped := gzip.NewWriter(to)
	w := tar.NewWriter(zipped)
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content))}); err != nil {
		return err
	}
	if _, err := w.Write(content); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return zipped.Close()
}

func packZip(to io.Writer, name string, content []byte) error {
	w := zip.NewWriter(to)
	header := &zip.FileHeader{Name: name}
	header.SetMode(0o755)
	file, err := w.CreateHeader(header)
	if err != nil {
		return err
	}
	if _, err := file.Write(content); err != nil {
		return err
	}
	return w.Close()
}

// serve serves the release's files, and returns the URL of releases.
func (r release) serve(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		request.URL.Path = strings.TrimPrefix(request.URL.Path, "/download")
		if request.URL.Path == "/latest" {
			http.Redirect(w, request, "/tag/v0.1.0", http.StatusFound)
			return
		}
		content, ok := r[strings.TrimPrefix(request.URL.Path, "/v0.1.0/")]
		if !ok {
			http.NotFound(w, request)
			return
		}
		_, _ = w.Write(content)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A runner emulates GitHub's runner for the examples.
type runner struct {
	t        *testing.T
	dir      string // the checked-out repository
	temp     string
	path     string // the PATH
	env      map[string]string
	contexts map[string]string // expressions by value
	releases string
}

func newRunner(t *testing.T, dir string) *runner {
	t.Helper()
	skipWithoutPrograms(t, "bash", "curl", "git")
	temp := t.TempDir()
	for _, name := range []string{"path", "summary"} {
		if err := os.WriteFile(filepath.Join(temp, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &runner{
		t: t, dir: dir, temp: temp,
		path: os.Getenv("PATH"),
		env: map[string]string{
			"RUNNER_OS": "Linux", "RUNNER_ARCH": "X64", "RUNNER_TEMP": temp,
			"GITHUB_PATH": filepath.Join(temp, "path"), "GITHUB_STEP_SUMMARY": filepath.Join(temp, "summary"),
		},
		contexts: map[string]string{},
	}
}

func skipWithoutPrograms(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed: %v", name, err)
		}
	}
}

// file returns what steps wrote into a file of the runner.
func (r *runner) file(name string) string {
	r.t.Helper()
	content, err := os.ReadFile(filepath.Join(r.temp, name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(content)
}

var expression = regexp.MustCompile(`\$\{\{ *([A-Za-z0-9._]+) *\}\}`)

// expand replaces expressions with their values.
func (r *runner) expand(text string, contexts map[string]string) string {
	r.t.Helper()
	if strings.Count(text, "${{") != len(expression.FindAllString(text, -1)) {
		r.t.Fatalf("%s has an expression that this test cannot evaluate", text)
	}
	return expression.ReplaceAllStringFunc(text, func(found string) string {
		value, ok := contexts[expression.FindStringSubmatch(found)[1]]
		if !ok {
			r.t.Fatalf("%s has no value here", found)
		}
		return value
	})
}

// steps runs steps in order and returns their output, with the error of the first that failed.
func (r *runner) steps(steps []githubStep, contexts, env map[string]string) (string, error) {
	r.t.Helper()
	var printed strings.Builder
	for _, step := range steps {
		if strings.Contains(step.Run, "${{") {
			r.t.Fatalf("the step %q has an expression in its script, which runs whatever it holds", step.Name)
		}
		var out string
		var err error
		switch {
		case step.If != "" && !r.holds(step.If, contexts):
			continue
		case step.Run != "":
			out, err = r.script(step, contexts, env)
		case strings.HasPrefix(step.Uses, "confighash/confighash@"):
			out, err = r.action(step.With)
		default: // actions of others: the test has already done their work
		}
		printed.WriteString(out)
		if err != nil {
			return printed.String(), err
		}
	}
	return printed.String(), nil
}

// holds evaluates the only kind of condition in the examples.
func (r *runner) holds(condition string, contexts map[string]string) bool {
	r.t.Helper()
	name, ok := strings.CutSuffix(condition, " != ''")
	value, known := contexts[name]
	if !ok || !known {
		r.t.Fatalf("cannot evaluate the condition %s", condition)
	}
	return value != ""
}

// script runs a step's script as the runner does.
func (r *runner) script(step githubStep, contexts, env map[string]string) (string, error) {
	r.t.Helper()
	path := r.path
	for line := range strings.Lines(r.file("path")) {
		path = strings.TrimSuffix(line, "\n") + ":" + path
	}
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
	cmd.Dir = r.dir
	cmd.Env = []string{"PATH=" + path, "HOME=" + r.temp}
	for _, variables := range []map[string]string{r.env, env, step.Env} {
		for name, value := range variables {
			cmd.Env = append(cmd.Env, name+"="+r.expand(value, contexts))
		}
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// action runs the repository's own action.
func (r *runner) action(with map[string]string) (string, error) {
	r.t.Helper()
	action := readStrictly[githubAction](r.t, decoderOf(r.t, "action.yml"))
	inputs := map[string]string{}
	for name, input := range action.Inputs {
		value, given := with[name]
		if !given {
			if input.Required {
				r.t.Fatalf("the action's input %s is not given", name)
			}
			value = input.Default
		}
		if name == "releases" && !given {
			value = r.releases
		}
		inputs["inputs."+name] = value
	}
	for name := range with {
		if _, ok := action.Inputs[name]; !ok {
			r.t.Fatalf("the action has no input %s", name)
		}
	}
	for _, step := range action.Runs.Steps {
		if step.Run != "" && step.Shell == "" {
			r.t.Fatalf("the step %q names no shell, which a composite action must", step.Name)
		}
	}
	path, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		r.t.Fatal(err)
	}
	return r.steps(action.Runs.Steps, inputs, map[string]string{"GITHUB_ACTION_PATH": path})
}

// workflow runs the only job of a workflow.
func (r *runner) workflow(name string) (string, error) {
	r.t.Helper()
	w := readStrictly[githubWorkflow](r.t, decoderOf(r.t, "examples/ci/github/"+name))
	if w.On == nil || len(w.Jobs) != 1 || w.Permissions["contents"] != "read" {
		r.t.Fatalf("%s is not a workflow of one job that may read the repository", name)
	}
	for _, job := range w.Jobs {
		return r.steps(job.Steps, r.contexts, job.Env)
	}
	return "", nil
}

func TestExamplesCI_actionInstallsOnlyWhatChecksumsVouchFor(t *testing.T) {
	skipWithoutPrograms(t, "unzip")
	linux := releaseName(t, "v0.1.0", "linux", "amd64")
	vouched := fmt.Sprintf("%x", sha256.Sum256(newRelease(t)[linux]))
	tests := []struct {
		label    string
		with     map[string]string // in addition to the version
		env      map[string]string
		tamper   func(release)
		wantFail string
	}{
		{label: "Linux"},
		{label: "macOS", env: map[string]string{"RUNNER_OS": "macOS", "RUNNER_ARCH": "ARM64"}},
		{label: "Windows", env: map[string]string{"RUNNER_OS": "Windows"}},
		{label: "a checksum of one's own", with: map[string]string{"sha256": vouched}},
		{
			label: "a checksum of one's own, and a release that changed with its checksums",
			with:  map[string]string{"sha256": vouched},
			tamper: func(r release) {
				r[linux] = append(slices.Clone(r[linux]), 0)
				r.sum()
			},
			wantFail: "and should have " + vouched,
		},
		{
			label:    "another archive than the checksums are of",
			tamper:   func(r release) { r[linux] = append(slices.Clone(r[linux]), 0) },
			wantFail: "and should have " + vouched,
		},
		{
			label: "checksums that lack the archive",
			tamper: func(r release) {
				r["checksums.txt"] = bytes.ReplaceAll(r["checksums.txt"], []byte(linux), []byte("x"+linux))
			},
			wantFail: "does not list " + linux,
		},
		{
			label:    "no checksums",
			tamper:   func(r release) { delete(r, "checksums.txt") },
			wantFail: "cannot download",
		},
		{
			label:    "no archive",
			tamper:   func(r release) { delete(r, linux) },
			wantFail: "cannot download",
		},
		{label: "an invalid version", with: map[string]string{"version": "latest"}, wantFail: "'latest' is not a version"},
		{label: "a version with a path", with: map[string]string{"version": "v0.1.0/../../x"}, wantFail: "is not a version"},
		{label: "a processor without a release", env: map[string]string{"RUNNER_ARCH": "ARM"}, wantFail: "no release for ARM"},
	}
	for _, test := range tests {
		t.Run(test.label, func(t *testing.T) {
			r := newRunner(t, t.TempDir())
			made := newRelease(t)
			if test.tamper != nil {
				test.tamper(made)
			}
			with := map[string]string{"version": "v0.1.0", "releases": made.serve(t)}
			maps.Copy(with, test.with)
			maps.Copy(r.env, test.env)
			out, err := r.action(with)
			path := r.file("path")
			if test.wantFail == "" {
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				if !strings.Contains(out, "confighash version ") || path == "" {
					t.Errorf("nothing was installed:\n%s", out)
				}
				return
			}
			if err == nil || !strings.Contains(out, "::error::") || !strings.Contains(out, test.wantFail) {
				t.Errorf("the error does not say %q: %v\n%s", test.wantFail, err, out)
			}
			if path != "" {
				t.Errorf("%s is on the PATH of the next steps", path)
			}
		})
	}
}

func TestInstall_putsTheLatestReleaseWhereItIsAskedTo(t *testing.T) {
	skipWithoutPrograms(t, "sh", "curl", "tar")
	script := filepath.Join("..", "..", "packaging", "install.sh")
	archive := releaseName(t, "v0.1.0", runtime.GOOS, runtime.GOARCH)
	made := newRelease(t)
	home := t.TempDir()
	run := func(env ...string) (string, error) {
		cmd := exec.Command("sh", script)
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CONFIGHASH_RELEASES=" + made.serve(t) + "/download"}, env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	installed := filepath.Join(home, ".local", "bin", "confighash")
	whole := made[archive]
	made[archive] = append(slices.Clone(whole), 0)
	if out, err := run(); err == nil || !strings.Contains(out, "nothing is installed") {
		t.Errorf("an archive that was changed is installed: %v\n%s", err, out)
	}
	if _, err := os.Stat(installed); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the changed archive left something: %v", err)
	}
	made[archive] = whole
	if out, err := run(); err != nil || !strings.Contains(out, "is not on your PATH") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := harness.Run(nil, installed, "--version"); err != nil {
		t.Error(err)
	}
	dir := filepath.Join(home, "a folder")
	if out, err := run("CONFIGHASH_VERSION=v0.1.0", "CONFIGHASH_DIR="+dir); err != nil || !strings.Contains(out, "installed "+dir) {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := run("CONFIGHASH_VERSION=v9.9.9"); err == nil || !strings.Contains(out, "cannot download") {
		t.Errorf("a version that was not released: %v\n%s", err, out)
	}
}

func TestFluxPlugin_listsEachArchive(t *testing.T) {
	skipWithoutPrograms(t, "sh", "awk")
	made := newRelease(t)
	sums := string(made["checksums.txt"]) + strings.Repeat("0", 64) + "  confighash_0.1.0_amd64.deb\n"
	out, err := harness.Run([]byte(sums), filepath.Join("..", "..", "packaging", "flux-plugin"), "v0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	// The fields that github.com/fluxcd/flux2/v2/pkg/plugin reads.
	manifest := readStrictly[struct {
		APIVersion                                     string `yaml:"apiVersion"`
		Kind, Name, Description, Homepage, Source, Bin string
		Versions                                       []struct {
			Version   string
			Platforms []struct {
				OS, Arch, URL, Checksum string
				ExtractPath             string `yaml:"extractPath"`
			}
		}
	}](t, yamlv3.NewDecoder(bytes.NewReader(out)))
	if manifest.Bin != "flux-confighash" || len(manifest.Versions) != 1 || manifest.Versions[0].Version != "0.1.0" {
		t.Fatalf("the manifest is of something else:\n%s", out)
	}
	if got := len(manifest.Versions[0].Platforms); got != 6 {
		t.Errorf("%d platforms, want 6", got)
	}
	for _, platform := range manifest.Versions[0].Platforms {
		name := releaseName(t, "v0.1.0", platform.OS, platform.Arch)
		if want := "https://github.com/confighash/confighash/releases/download/v0.1.0/" + name; platform.URL != want {
			t.Errorf("the URL is %s, want %s", platform.URL, want)
		}
		if want := fmt.Sprintf("sha256:%x", sha256.Sum256(made[name])); platform.Checksum != want {
			t.Errorf("%s has the checksum %s, want %s", name, platform.Checksum, want)
		}
		executable := "confighash"
		if platform.OS == "windows" {
			executable += ".exe"
		}
		if platform.ExtractPath != executable {
			t.Errorf("of %s it takes %s, want %s", name, platform.ExtractPath, executable)
		}
	}
}

// shopRepository creates a Git repository with the environments of the example and their rendered manifests.
func shopRepository(t *testing.T) string {
	t.Helper()
	skipWithoutPrograms(t, "git")
	dir := t.TempDir()
	examples := filepath.Join("..", "..", "examples")
	if err := os.CopyFS(filepath.Join(dir, "environments"), os.DirFS(filepath.Join(examples, "kustomize", "environments"))); err != nil {
		t.Fatal(err)
	}
	mustShell(t, dir, "git init --quiet --initial-branch main && cd environments && confighash build dev prod --output ../rendered")
	commitAll(t, dir)
	return dir
}

// commitAll commits any changes.
func commitAll(t *testing.T, dir string) {
	t.Helper()
	if mustShell(t, dir, "git status --porcelain") == "" {
		return
	}
	mustShell(t, dir, "git add --all && git -c user.name=test -c user.email=test@example.com commit --quiet --message change")
}

// edit replaces a text that occurs once in a file.
func edit(t *testing.T, file, before, after string) {
	t.Helper()
	content := harness.ReadFile(t, file)
	if n := strings.Count(string(content), before); n != 1 {
		t.Fatalf("%s holds %q %d times, want once", file, before, n)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(content), before, after, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The ways in which rendered manifests may differ from the expected ones.
var renderedCases = []struct {
	label   string
	change  func(t *testing.T, dir string)
	byCheck bool // whether confighash --check finds it
	wantOut string
}{
	{label: "as it should be", change: func(*testing.T, string) {}},
	{
		"an environment changed, and was not rendered",
		func(t *testing.T, dir string) {
			t.Helper()
			edit(t, filepath.Join(dir, "environments", "base", "config.yaml"), "LOG_LEVEL: info", "LOG_LEVEL: warn")
		},
		false, "+  LOG_LEVEL: warn",
	},
	{
		"a rendered ConfigMap changed by hand",
		func(t *testing.T, dir string) {
			t.Helper()
			edit(t, filepath.Join(dir, "rendered", "prod.yaml"), "LOG_LEVEL: info", "LOG_LEVEL: warn")
		},
		true, "-  name: settings-c7hhc4bf48",
	},
	{
		"a rendered file that is missing",
		func(t *testing.T, dir string) {
			t.Helper()
			if err := os.Remove(filepath.Join(dir, "rendered", "prod.yaml")); err != nil {
				t.Fatal(err)
			}
		},
		false, "prod.yaml",
	},
	{
		"a rendered file without its environment",
		func(t *testing.T, dir string) {
			t.Helper()
			mustShell(t, dir, "cp rendered/dev.yaml rendered/staging.yaml")
		},
		false, "a/rendered/staging.yaml",
	},
}

func TestExamplesCI_githubFindsWhatIsNotRendered(t *testing.T) {
	for _, test := range renderedCases {
		t.Run(test.label, func(t *testing.T) {
			dir := shopRepository(t)
			test.change(t, dir)
			commitAll(t, dir)
			r := newRunner(t, dir)
			r.releases = newRelease(t).serve(t)
			out, err := r.workflow("check.yaml")
			if failed := err != nil; failed != (test.wantOut != "") {
				t.Fatalf("the workflow ended with %v:\n%s", err, out)
			}
			if !strings.Contains(out, test.wantOut) {
				t.Errorf("the log does not say %q:\n%s", test.wantOut, out)
			}
			if inSummary := strings.Contains(r.file("summary"), "confighash would change `rendered/prod.yaml`"); inSummary != test.byCheck {
				t.Errorf("the summary tells what confighash would change: %t, want %t\n%s", inSummary, test.byCheck, r.file("summary"))
			}
		})
	}
}

func TestExamplesCI_actionReportsWhatCannotBeChecked(t *testing.T) {
	tests := []struct {
		label, content string
		with           map[string]string
		want           string
	}{
		{"a missing file", "", map[string]string{"mode": "Rename", "files": "other/*.yaml"}, "there is no file other/*.yaml"},
		{"invalid manifests", "data: [", map[string]string{"mode": "Rename", "files": "all.yaml"}, "cannot check all.yaml"},
		{"an empty file", "", map[string]string{"mode": "Rename", "files": "all.yaml"}, "all.yaml holds no resource"},
		{"a file of comments", "--- # none\r\n  # none\n\n...\n", map[string]string{"mode": "Rename", "files": "all.yaml"}, "all.yaml holds no resource"},
		{"blank lines for files", "", map[string]string{"mode": "Rename", "files": "\n\n"}, "names no file"},
		{"no mode", "kind: ConfigMap", map[string]string{"files": "all.yaml"}, "cannot check all.yaml"},
		{"an unknown mode", "kind: ConfigMap", map[string]string{"files": "all.yaml", "mode": "Rname"}, "Rname"},
	}
	for _, test := range tests {
		t.Run(test.label, func(t *testing.T) {
			r := newRunner(t, t.TempDir())
			if err := (harness.Files{"all.yaml": test.content}).Write(r.dir); err != nil {
				t.Fatal(err)
			}
			test.with["version"], test.with["releases"] = "v0.1.0", newRelease(t).serve(t)
			out, err := r.action(test.with)
			if err == nil || !strings.Contains(out, test.want) {
				t.Errorf("the action does not fail with %q: %v\n%s", test.want, err, out)
			}
		})
	}
}

// obeyed returns the lines of a log that GitHub's runner executes as commands.
func obeyed(log string) []string {
	var commands []string
	stopped := ""
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		word, stops := strings.CutPrefix(line, "::stop-commands::")
		switch {
		case stopped != "" && line == "::"+stopped+"::":
			stopped = ""
		case stopped != "":
		case stops:
			stopped = word
		case strings.HasPrefix(line, "::"):
			commands = append(commands, line)
		}
	}
	return commands
}

func TestExamplesCI_actionObeysNothingThatManifestsOrTheirNamesSay(t *testing.T) {
	r := newRunner(t, t.TempDir())
	in := string(harness.ReadFile(t, filepath.Join("..", "..", "examples", "kustomize", "plain", "config.yaml")))
	web := string(harness.ReadFile(t, filepath.Join("..", "..", "examples", "kustomize", "plain", "web.yaml")))
	named := strings.Replace(in, "metadata:\n", "metadata:\n  ::add-mask::x: y\n", 1)
	const name = "a%,b:\n::warning::c\r.yaml"
	if err := (harness.Files{name: named + "---\n" + web, "d.yaml": "data: |\n  x\n::add-mask::y\n"}).Write(r.dir); err != nil {
		t.Fatal(err)
	}
	out, err := r.action(map[string]string{"version": "v0.1.0", "mode": "Rename", "files": "*.yaml", "releases": newRelease(t).serve(t)})
	if err == nil || !strings.Contains(out, "\n   ::add-mask::x: y\n") {
		t.Fatalf("the log shows no line that looks like a command: %v\n%s", err, out)
	}
	want := []string{
		"::error file=a%25%2Cb%3A%0A%3A%3Awarning%3A%3Ac%0D.yaml::confighash would change a%25,b:%0A::warning::c%0D.yaml",
		"::error file=d.yaml::confighash cannot check d.yaml",
	}
	if diff := cmp.Diff(want, obeyed(out)); diff != "" {
		t.Errorf("other commands (-want +got):\n%s\n%s", diff, out)
	}
}

func TestExamplesCI_gitlabReportsWhatCannotBeChecked(t *testing.T) {
	tests := []struct{ label, content, files, want string }{
		{"a missing file", "", "other/*.yaml", "other/*.yaml is not as"},
		{"an empty file", "", "all.yaml", "all.yaml holds no resource"},
		{"a file of comments", "--- # none\r\n  # none\n\n...\n", "all.yaml", "all.yaml holds no resource"},
		{"blanks for files", "", "  ", "names no file"},
	}
	programs := programsAlone(t, "", append([]string{"curl"}, imagePrograms...)...)
	for _, test := range tests {
		t.Run(test.label, func(t *testing.T) {
			dir := t.TempDir()
			if err := (harness.Files{"all.yaml": test.content}).Write(dir); err != nil {
				t.Fatal(err)
			}
			script, env := gitlabScript(gitlabJobs(t, map[string]string{
				"version": "v0.1.0", "mode": "Rename", "files": test.files, "releases": newRelease(t).serve(t),
			}), "confighash")
			if out, err := runGitlab(t, dir, script, env, programs); err == nil || !strings.Contains(out, test.want) {
				t.Errorf("the job does not fail with %q: %v\n%s", test.want, err, out)
			}
		})
	}
}

func TestExamplesCI_actionShowsNoValueOfASecret(t *testing.T) {
	r := newRunner(t, t.TempDir())
	in := harness.ReadFile(t, filepath.Join("..", "..", "examples", "kustomize", "plain", "config.yaml"))
	web := harness.ReadFile(t, filepath.Join("..", "..", "examples", "kustomize", "plain", "web.yaml"))
	if err := (harness.Files{"all.yaml": string(in) + "---\n" + string(web)}).Write(r.dir); err != nil {
		t.Fatal(err)
	}
	out, err := r.action(map[string]string{"version": "v0.1.0", "mode": "Rename", "files": "all.yaml", "releases": newRelease(t).serve(t)})
	if err == nil || !strings.Contains(out, "+  name: web-database-") {
		t.Fatalf("the Secret would not change: %v\n%s", err, out)
	}
	if strings.Contains(out+r.file("summary"), "correct-horse") {
		t.Errorf("the Secret's value is shown:\n%s\n%s", out, r.file("summary"))
	}
}

// outsideFences returns the lines of Markdown outside of tilde fences, which are rendered. A fence is closed by at
// least as many tildes.
func outsideFences(markdown string) []string {
	var lines []string
	open := 0
	for line := range strings.Lines(markdown) {
		text := strings.TrimLeft(strings.TrimRight(line, " \t\n"), " ")
		tildes := len(text) - len(strings.TrimLeft(text, "~"))
		switch {
		case open == 0 && tildes >= 3:
			open = tildes
		case open > 0 && tildes >= open && tildes == len(text):
			open = 0
		case open == 0 && text != "":
			lines = append(lines, text)
		}
	}
	return lines
}

// breakout is a text that tries to close a fence from any column of a manifest, followed by something that GitHub would
// render.
const breakout = "x: \"~~ ~\n~~~~~~~~~~~~~~~~~~~~~~~~\n# approved\n\"\n"

func TestExamplesCI_noManifestClosesTheFenceOfTheSummary(t *testing.T) {
	r := newRunner(t, t.TempDir())
	in := string(harness.ReadFile(t, filepath.Join("..", "..", "examples", "kustomize", "plain", "config.yaml")))
	web := string(harness.ReadFile(t, filepath.Join("..", "..", "examples", "kustomize", "plain", "web.yaml")))
	in = strings.Replace(in, "\ndata:\n", "\n"+breakout+"data:\n", 1)
	if err := (harness.Files{"a` ![b](c) `.yaml": in + "---\n" + web}).Write(r.dir); err != nil {
		t.Fatal(err)
	}
	out, err := r.action(map[string]string{"version": "v0.1.0", "mode": "Rename", "files": "*.yaml", "releases": newRelease(t).serve(t)})
	if err == nil || !strings.Contains(r.file("summary"), "# approved") {
		t.Fatalf("the summary does not show the manifest: %v\n%s\n%s", err, out, r.file("summary"))
	}
	want := []string{"confighash would change `a ![b](c) .yaml`:"}
	if diff := cmp.Diff(want, outsideFences(r.file("summary"))); diff != "" {
		t.Errorf("rendered (-want +got):\n%s\n%s", diff, r.file("summary"))
	}
}

func TestExamplesCI_githubShowsWhatAPullRequestChanges(t *testing.T) {
	dir := changedShop(t)
	r := newRunner(t, dir)
	r.releases = newRelease(t).serve(t)
	if out, err := r.workflow("diff.yaml"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	summary := r.file("summary")
	for _, want := range []string{
		"### confighash · environments/dev: 1 resource changes, and ", "### confighash · environments/prod: 1 resource changes, and ", "-data.REGION: eu-west-1\n  +data.REGION: eu-west-2\n",
	} {
		if !strings.Contains(summary, want) {
			t.Errorf("the summary lacks %q:\n%s", want, summary)
		}
	}
	if strings.Contains(summary, formerImage) {
		t.Errorf("what others merged is among it:\n%s", summary)
	}
}

// formerImage is an image that main no longer has since the branch of changedShop was created.
const formerImage = "registry.example.com/web:1.4.2"

// changedShop creates a repository with a branch that changes configuration of both environments. main has new commits
// since; the merge of both is checked out.
func changedShop(t *testing.T) string {
	t.Helper()
	dir := shopRepository(t)
	base := filepath.Join(dir, "environments", "base")
	mustShell(t, dir, "git checkout --quiet -b branch")
	edit(t, filepath.Join(base, "config.yaml"), "REGION: eu-west-1", "REGION: eu-west-2")
	commitAll(t, dir)
	mustShell(t, dir, "git checkout --quiet main")
	edit(t, filepath.Join(base, "web.yaml"), formerImage, "registry.example.com/web:1.5.0")
	commitAll(t, dir)
	mustShell(t, dir, "git checkout --quiet --detach && git -c user.name=test -c user.email=test@example.com merge --quiet --no-ff --message merge branch")
	return dir
}

// introducedShop creates a repository whose main has neither confighash nor the environment prod. A branch adds both;
// the merge is checked out.
func introducedShop(t *testing.T) string {
	t.Helper()
	dir := shopRepository(t)
	const added = "rendered environments/prod environments/exec"
	mustShell(t, dir, "git branch all && git rm -r --quiet "+added+" && sed -i '/^transformers:/,$d' environments/dev/kustomization.yaml")
	commitAll(t, dir)
	mustShell(t, dir, "git checkout --quiet -b branch && git checkout all -- environments/dev "+added)
	commitAll(t, dir)
	mustShell(t, dir, "git checkout --quiet --detach main && git -c user.name=test -c user.email=test@example.com merge --quiet --no-ff --message merge branch")
	return dir
}

// impactMarker is the first line of confighash impact's Markdown.
const impactMarker = "<!-- confighash impact -->"

// A stand-in for gh: it records its arguments, and runs --jq on the existing comments.
const ghStandIn = `#!/bin/sh
for last; do :; done
case "$*" in
*--jq*) echo "$2 $3" >>"$RUNNER_TEMP/asked"; jq -r "$last" <"$RUNNER_TEMP/comments.json" ;;
*) echo "$*" >>"$RUNNER_TEMP/asked"; cat "${last#body=@}" >>"$RUNNER_TEMP/commented"; echo "$GH_TOKEN" >"$RUNNER_TEMP/token" ;;
esac
`

func TestExamplesCI_githubCommentsWhatAPullRequestRestarts(t *testing.T) {
	skipWithoutPrograms(t, "jq")
	const (
		other   = `{"id": 1, "user": {"login": "github-actions[bot]"}, "body": "<!-- confighash impact eu -->\n"}`
		stolen  = `{"id": 2, "user": {"login": "mallory"}, "body": "` + impactMarker + `\n"}`
		earlier = `{"id": 3, "user": {"login": "github-actions[bot]"}, "body": "` + impactMarker + `\n### confighash · 2 environments: Nothing restarts.\n"}`
		twice   = `{"id": 4, "user": {"login": "github-actions[bot]"}, "body": "` + impactMarker + `"}`
	)
	const (
		list   = "--paginate repos/acme/shop/issues/7/comments\n"
		create = "api --silent --method POST repos/acme/shop/issues/7/comments --field body=@"
		change = "api --silent --method PATCH repos/acme/shop/issues/comments/3 --field body=@"
	)
	const restarts, starts = "1 workload restarts ", "1 workload starts"
	tests := []struct {
		label, head, comments string
		shop                  func(t *testing.T) string
		asked                 string
		title                 string // of prod
	}{
		{"no comment yet", "acme/shop", "[" + stolen + "]", changedShop, create, restarts},
		{"another comment", "acme/shop", "[" + other + "," + stolen + "]", changedShop, create, restarts},
		{"comments of an earlier run", "acme/shop", "[" + strings.Join([]string{other, stolen, earlier, twice}, ",") + "]", changedShop, change, restarts},
		{"a pull request that adds confighash and an environment", "acme/shop", "[]", introducedShop, create, starts},
		{"a pull request from a fork", "mallory/shop", "[]", changedShop, "", restarts},
	}
	for _, test := range tests {
		t.Run(test.label, func(t *testing.T) {
			r := newRunner(t, test.shop(t))
			r.releases = newRelease(t).serve(t)
			programs := t.TempDir()
			if err := (harness.Files{"gh": ghStandIn}).Write(programs); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(filepath.Join(programs, "gh"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := (harness.Files{"comments.json": test.comments, "asked": ""}).Write(r.temp); err != nil {
				t.Fatal(err)
			}
			r.path = programs + ":" + r.path
			r.env["GITHUB_REPOSITORY"] = "acme/shop"
			maps.Copy(r.contexts, map[string]string{
				"github.token": "ghs_1", "github.event.number": "7",
				"github.event.pull_request.head.repo.full_name": test.head,
			})
			if out, err := r.workflow("impact.yaml"); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			want := ""
			if test.asked != "" {
				want = list + test.asked + r.temp + "/impact.md\n"
				if !strings.HasPrefix(r.file("commented"), impactMarker+"\n### confighash · environments/dev: ") || r.file("token") != "ghs_1\n" {
					t.Errorf("with the token %s, it comments:\n%s", r.file("token"), r.file("commented"))
				}
			}
			if diff := cmp.Diff(want, r.file("asked")); diff != "" {
				t.Errorf("gh was asked for something else (-want +got):\n%s", diff)
			}
			for _, want := range []string{"### confighash · environments/dev: 1 workload restarts ", "### confighash · environments/prod: " + test.title} {
				if !strings.Contains(r.file("summary"), want) {
					t.Errorf("the summary lacks %q:\n%s", want, r.file("summary"))
				}
			}
			if changed := strings.Contains(r.file("summary"), "`REGION` changed"); changed != (test.title == restarts) || strings.Contains(r.file("summary"), formerImage) {
				t.Errorf("the summary has other changes than those of the branch:\n%s", r.file("summary"))
			}
		})
	}
}

func TestExamplesCI_gitlabNotesWhatAMergeRequestRestarts(t *testing.T) {
	skipWithoutPrograms(t, "jq", "curl")
	var pipeline struct {
		Include []struct {
			Remote string
			Inputs map[string]string
		}
		Impact gitlabJob
		Note   gitlabJob `yaml:"impact-note"`
	}
	decoder := decoderOf(t, "examples/ci/gitlab-impact.yml")
	decoder.KnownFields(true)
	if err := decoder.Decode(&pipeline); err != nil {
		t.Fatal(err)
	}
	if include := pipeline.Include[0]; !strings.HasSuffix(include.Remote, "/"+include.Inputs["version"]+"/templates/confighash.yml") {
		t.Errorf("the example includes %s, which is not the template of %s", include.Remote, include.Inputs["version"])
	}
	const others = `{"id": 1, "author": {"id": 5}, "body": "A nit"}, {"id": 2, "author": {"id": 6}, "body": "` + impactMarker + `"}`
	const earlier = `, {"id": 9, "author": {"id": 5}, "body": "` + impactMarker + `\n"}`
	page := others + strings.Repeat(`, {"id": 1, "author": {"id": 5}, "body": "a\nb"}`, 98)
	const restarts = "1 workload restarts "
	const create, change = "POST /projects/3/merge_requests/7/notes", "PUT /projects/3/merge_requests/7/notes/9"
	tests := []struct {
		label  string
		shop   func(t *testing.T) string
		merged bool // whether the pipeline runs for the merge of the branch
		pages  []string
		status int
		want   string
		title  string // of prod
	}{
		{"no note yet", changedShop, true, []string{others}, http.StatusOK, create, restarts},
		{"a note of an earlier run", changedShop, false, []string{others + earlier}, http.StatusOK, change, restarts},
		{"a note behind a hundred", changedShop, true, []string{page, page, others + earlier}, http.StatusOK, change, restarts},
		{"no note among hundreds", changedShop, false, []string{page, page, ""}, http.StatusOK, create, restarts},
		{"a note that cannot be written", changedShop, true, []string{others + earlier}, http.StatusForbidden, change, restarts},
		{"a merge request that adds confighash and an environment", introducedShop, true, []string{others}, http.StatusOK, create, "1 workload starts"},
	}
	for _, test := range tests {
		t.Run(test.label, func(t *testing.T) {
			dir := test.shop(t)
			target := "CI_MERGE_REQUEST_TARGET_BRANCH_SHA=" + mustShell(t, dir, "git rev-parse main")
			if !test.merged {
				mustShell(t, dir, "git checkout --quiet branch")
				target = "CI_MERGE_REQUEST_TARGET_BRANCH_SHA="
			}
			base := "CI_MERGE_REQUEST_DIFF_BASE_SHA=" + mustShell(t, dir, "git merge-base main branch")
			pipeline.Include[0].Inputs["releases"] = newRelease(t).serve(t)
			jobs := gitlabJobs(t, pipeline.Include[0].Inputs)
			jobs["impact"], jobs["impact-note"] = pipeline.Impact, pipeline.Note

			programs := t.TempDir()
			if err := (harness.Files{"apk": "#!/bin/sh\n[ \"$*\" = 'add --quiet --no-cache curl jq' ]\n"}).Write(programs); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(filepath.Join(programs, "apk"), 0o700); err != nil {
				t.Fatal(err)
			}
			path := programs + ":" + os.Getenv("PATH")
			script, env := gitlabScript(jobs, "impact")
			if out, err := runGitlab(t, dir, script, append(env, strings.TrimSpace(target), strings.TrimSpace(base)), path); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}

			var wrote, notes []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
				request.URL.Path = strings.TrimPrefix(request.URL.Path, "/download")
				switch {
				case request.Header.Get("PRIVATE-TOKEN") != "glpat-1":
					w.WriteHeader(http.StatusUnauthorized)
				case request.Method == http.MethodGet && request.URL.Path == "/user":
					fmt.Fprint(w, `{"id": 5}`)
				case request.Method == http.MethodGet:
					number, err := strconv.Atoi(request.FormValue("page"))
					if err != nil || number < 1 || number > len(test.pages) || request.FormValue("per_page") != "100" {
						t.Errorf("the job asked for %s", request.URL)
						return
					}
					fmt.Fprint(w, "["+test.pages[number-1]+"]")
				default:
					wrote, notes = append(wrote, request.Method+" "+request.URL.Path), append(notes, request.FormValue("body"))
					w.WriteHeader(test.status)
				}
			}))
			defer server.Close()
			script, env = gitlabScript(jobs, "impact-note")
			env = append(env, "CI_API_V4_URL="+server.URL, "CI_PROJECT_ID=3", "CI_MERGE_REQUEST_IID=7", "IMPACT_TOKEN=glpat-1")
			if out, err := runGitlab(t, dir, script, env, path); (err == nil) != (test.status == http.StatusOK) {
				t.Fatalf("%v\n%s", err, out)
			}
			if diff := cmp.Diff([]string{test.want}, wrote); diff != "" {
				t.Fatalf("the job asked for something else (-want +got):\n%s", diff)
			}
			report := string(harness.ReadFile(t, filepath.Join(dir, pipeline.Impact.Artifacts.Paths[0])))
			if diff := cmp.Diff(report, notes[0]); diff != "" {
				t.Errorf("the note is not the report (-want +got):\n%s", diff)
			}
			if !strings.HasPrefix(report, impactMarker+"\n### confighash · environments/dev: ") || !strings.Contains(report, "### confighash · environments/prod: "+test.title) || strings.Contains(report, formerImage) {
				t.Errorf("the report has other changes than those of the branch:\n%s", report)
			}
		})
	}
}

// docs/impact-ci.md shows what the tests above run.
func TestExamplesCI_impactPageShowsTheExamples(t *testing.T) {
	for _, block := range harness.FencedBlocks(t, "../../docs/impact-ci.md", "yaml") {
		if !holdsBlock(t, block) {
			t.Errorf("no example holds\n%s", block)
		}
	}
}

func TestExamplesCI_githubPushesWhatIsRendered(t *testing.T) {
	dir := shopRepository(t)
	r := newRunner(t, dir)
	r.releases = newRelease(t).serve(t)
	// Programs that record how they were run, and what was pushed.
	programs := t.TempDir()
	for name, script := range map[string]string{
		"docker": `echo "docker $* < $(cat)" >>"$RUNNER_TEMP/ran"`,
		"flux":   `echo "flux $*" >>"$RUNNER_TEMP/ran"; if [ "$1" = push ]; then cat "$5" >>"$RUNNER_TEMP/pushed"; fi`,
	} {
		if err := os.WriteFile(filepath.Join(programs, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r.path = programs + ":" + r.path
	r.contexts["github.token"] = "token"
	maps.Copy(r.env, map[string]string{
		"GITHUB_ACTOR": "anna", "GITHUB_SHA": "8f2c", "GITHUB_REF_NAME": "main",
		"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "acme/shop",
	})
	if out, err := r.workflow("push.yaml"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := "docker login ghcr.io --username anna --password-stdin < token\n"
	for _, environment := range []string{"dev", "prod"} {
		artifact := "oci://ghcr.io/acme/shop-manifests/" + environment + ":8f2c"
		want += "flux push artifact " + artifact + " --path " + r.temp + "/rendered/" + environment + ".yaml" +
			" --source https://github.com/acme/shop --revision main@sha1:8f2c --reproducible\n" +
			"flux tag artifact " + artifact + " --tag main\n"
	}
	if diff := cmp.Diff(want, r.file("ran")); diff != "" {
		t.Errorf("other programs were run (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(mustShell(t, dir, "cat rendered/dev.yaml rendered/prod.yaml"), r.file("pushed")); diff != "" {
		t.Errorf("something else was pushed (-rendered +pushed):\n%s", diff)
	}
}

// A gitlabTemplate is a GitLab file with inputs.
type gitlabTemplate struct {
	Spec struct {
		Inputs map[string]struct {
			Description, Regex string
			Default            *string
		}
	}
}

// A gitlabJob is a job, or one that others extend.
type gitlabJob struct {
	Extends, Stage string
	Image          any
	Variables      map[string]string
	BeforeScript   []string `yaml:"before_script"`
	Script         []string
	Needs          []string
	Rules          []struct{ If string }
	Artifacts      struct{ Paths []string }
}

// gitlabJobs returns the jobs of the template with the inputs inserted.
func gitlabJobs(t *testing.T, inputs map[string]string) map[string]gitlabJob {
	t.Helper()
	decoder := decoderOf(t, "templates/confighash.yml")
	declared := readStrictly[gitlabTemplate](t, decoder).Spec.Inputs
	for name := range inputs {
		if _, ok := declared[name]; !ok {
			t.Fatalf("the template has no input %s", name)
		}
	}
	var body yamlv3.Node
	if err := decoder.Decode(&body); err != nil {
		t.Fatal(err)
	}
	text, err := yamlv3.Marshal(&body)
	if err != nil {
		t.Fatal(err)
	}
	filled := regexp.MustCompile(`\$\[\[ inputs\.([a-z0-9]+) \]\]`).ReplaceAllStringFunc(string(text), func(found string) string {
		name := strings.TrimSuffix(strings.TrimPrefix(found, "$[[ inputs."), " ]]")
		input, ok := declared[name]
		value, given := inputs[name]
		switch {
		case !ok:
			t.Fatalf("%s is not an input of the template", name)
		case !given && input.Default == nil:
			t.Fatalf("the input %s is not given", name)
		case !given:
			value = *input.Default
		case input.Regex != "" && !regexp.MustCompile(input.Regex).MatchString(value):
			t.Fatalf("the input %s, %q, is not %s", name, value, input.Regex)
		}
		return value
	})
	return readStrictly[map[string]gitlabJob](t, yamlv3.NewDecoder(strings.NewReader(filled)))
}

// gitlabScript returns the single script that GitLab runs for a job.
func gitlabScript(jobs map[string]gitlabJob, name string) (script string, env []string) {
	job := jobs[name]
	base := jobs[job.Extends]
	for _, variables := range []map[string]string{base.Variables, job.Variables} {
		for name, value := range variables {
			env = append(env, name+"="+value)
		}
	}
	return strings.Join(slices.Concat(base.BeforeScript, job.BeforeScript, job.Script), "\n"), env
}

// runGitlab runs a job's script in dir. The PATH has no confighash.
func runGitlab(t *testing.T, dir, script string, env []string, programs string) (string, error) {
	t.Helper()
	cmd := exec.Command("env", "sh", "-e", "-c", script) // env looks for sh on the PATH below
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + programs, "TMPDIR=" + t.TempDir(), "HOME=" + t.TempDir()}, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// programsAlone creates a folder with only these programs: this machine's or, if all is not empty, links to that single
// program.
func programsAlone(t *testing.T, all string, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		program := all
		if program == "" {
			program = name
		}
		skipWithoutPrograms(t, program)
		path, err := exec.LookPath(program)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The programs of an image in which GitLab runs the template.
var imagePrograms = []string{"sh", "uname", "mktemp", "tar", "gzip", "sha256sum", "awk", "cut", "cat"}

func TestExamplesCI_gitlabFindsWhatIsNotRendered(t *testing.T) {
	// Alpine's programs are all busybox.
	for _, image := range []struct{ client, all string }{{"curl", ""}, {"wget", ""}, {"wget", "busybox"}} {
		for _, test := range renderedCases {
			t.Run(image.client+image.all+", "+test.label, func(t *testing.T) {
				programs := programsAlone(t, image.all, append([]string{image.client}, imagePrograms...)...)
				dir := shopRepository(t)
				test.change(t, dir)
				script, env := gitlabScript(gitlabJobs(t, map[string]string{
					"version": "v0.1.0", "mode": "Rename", "files": "rendered/*.yaml", "releases": newRelease(t).serve(t),
				}), "confighash")
				out, err := runGitlab(t, dir, script, env, programs)
				if failed := err != nil; failed != test.byCheck {
					t.Fatalf("the job ended with %v:\n%s", err, out)
				}
				if test.byCheck && !strings.Contains(out, test.wantOut) {
					t.Errorf("the log does not say %q:\n%s", test.wantOut, out)
				}
			})
		}
	}
}

func TestExamplesCI_gitlabInstallsOnlyWhatChecksumsVouchFor(t *testing.T) {
	linux := releaseName(t, "v0.1.0", "linux", "amd64")
	if out, err := exec.Command("uname", "-m").Output(); err != nil || strings.TrimSpace(string(out)) != "x86_64" {
		linux = releaseName(t, "v0.1.0", "linux", "arm64")
	}
	longer := func(r release) { r[linux] = append(slices.Clone(r[linux]), 0) }
	vouched := fmt.Sprintf("%x", sha256.Sum256(newRelease(t)[linux]))
	tests := []struct {
		label    string
		sha256   string
		tamper   func(release)
		wantFail string
	}{
		{label: "another archive", tamper: longer, wantFail: "and should have " + vouched},
		{label: "another archive with its checksums", sha256: vouched, tamper: func(r release) { longer(r); r.sum() }, wantFail: "and should have " + vouched},
		{label: "no archive", tamper: func(r release) { delete(r, linux) }, wantFail: "cannot download"},
		{label: "no checksum", tamper: func(r release) { r["checksums.txt"] = nil }, wantFail: "one that checksums.txt names"},
		{label: "as it should be", sha256: vouched, tamper: func(release) {}},
		{label: "only one's own checksum", sha256: vouched, tamper: func(r release) { delete(r, "checksums.txt") }},
	}
	programs := programsAlone(t, "", append([]string{"curl"}, imagePrograms...)...)
	for _, test := range tests {
		t.Run(test.label, func(t *testing.T) {
			made := newRelease(t)
			test.tamper(made)
			jobs := gitlabJobs(t, map[string]string{"version": "v0.1.0", "files": "x", "sha256": test.sha256, "releases": made.serve(t)})
			base := jobs[".confighash"]
			jobs["own"] = gitlabJob{Extends: ".confighash", Script: []string{"confighash --version", "echo done"}}
			script, env := gitlabScript(jobs, "own")
			out, err := runGitlab(t, t.TempDir(), script, env, programs)
			if len(base.BeforeScript) == 0 {
				t.Fatal("the template installs nothing")
			}
			if failed := err != nil; failed != (test.wantFail != "") || !strings.Contains(out, test.wantFail) {
				t.Errorf("the job ended with %v, want %q:\n%s", err, test.wantFail, out)
			}
			if test.wantFail != "" && strings.Contains(out, "done") {
				t.Errorf("the job went on:\n%s", out)
			}
		})
	}
}

func TestExamplesCI_gitlabJobRendersAgain(t *testing.T) {
	var pipeline struct {
		Include []struct {
			Remote string
			Inputs map[string]string
		}
		Rendered gitlabJob
	}
	decoder := decoderOf(t, "examples/ci/gitlab-ci.yml")
	decoder.KnownFields(true)
	if err := decoder.Decode(&pipeline); err != nil {
		t.Fatal(err)
	}
	include := pipeline.Include[0]
	if !strings.HasSuffix(include.Remote, "/"+include.Inputs["version"]+"/templates/confighash.yml") {
		t.Errorf("the example includes %s, which is not the template of %s", include.Remote, include.Inputs["version"])
	}
	for _, test := range renderedCases {
		t.Run(test.label, func(t *testing.T) {
			dir := shopRepository(t)
			test.change(t, dir)
			commitAll(t, dir)
			include.Inputs["releases"] = newRelease(t).serve(t)
			jobs := gitlabJobs(t, include.Inputs)
			jobs["rendered"] = pipeline.Rendered
			script, env := gitlabScript(jobs, "rendered")
			out, err := runGitlab(t, dir, script, env, os.Getenv("PATH"))
			if failed := err != nil; failed != (test.wantOut != "") {
				t.Fatalf("the job ended with %v:\n%s", err, out)
			}
			if !test.byCheck && !strings.Contains(out, test.wantOut) {
				t.Errorf("the log does not say %q:\n%s", test.wantOut, out)
			}
		})
	}
}

// A preCommitHook has the fields of pre-commit's hooks that the project uses.
type preCommitHook struct {
	ID, Name, Description, Entry, Language string
	Args, Types                            []string
}

func TestExamplesCI_preCommitHooksFindWhatIsNotRendered(t *testing.T) {
	hooks := readStrictly[[]preCommitHook](t, decoderOf(t, ".pre-commit-hooks.yaml"))
	// go install names a program after its folder.
	programs := map[string]string{"golang": "fn", "system": "confighash"}
	if len(hooks) != len(programs) {
		t.Fatalf("%d hooks, want %d", len(hooks), len(programs))
	}
	for _, hook := range hooks {
		for _, test := range renderedCases[:3] {
			t.Run(hook.ID+", "+test.label, func(t *testing.T) {
				dir := shopRepository(t)
				test.change(t, dir)
				path := t.TempDir()
				if err := os.Symlink(harness.Binary, filepath.Join(path, programs[hook.Language])); err != nil {
					t.Fatal(err)
				}
				// pre-commit splits the entry as a shell would.
				cmd := exec.Command("sh", append([]string{"-c", hook.Entry + ` "$@"`, "sh"}, append(slices.Clone(hook.Args), "rendered/dev.yaml", "rendered/prod.yaml")...)...)
				cmd.Dir, cmd.Env = dir, []string{"PATH=" + path + ":/usr/bin:/bin"}
				out, err := cmd.CombinedOutput()
				if failed := err != nil; failed != test.byCheck {
					t.Fatalf("the hook ended with %v:\n%s", err, out)
				}
				if test.byCheck && !strings.Contains(string(out), "rendered/prod.yaml is not as confighash writes it") {
					t.Errorf("the file is not named:\n%s", out)
				}
			})
		}
	}
}

func TestExamplesCI_preCommitShowsWhatAPushRestarts(t *testing.T) {
	var config struct {
		Repos []struct {
			Repo  string
			Hooks []struct{ Entry string }
		}
	}
	if err := decoderOf(t, "examples/ci/pre-commit-config.yaml").Decode(&config); err != nil {
		t.Fatal(err)
	}
	local := config.Repos[len(config.Repos)-1]
	dir := changedShop(t)
	out := mustShell(t, dir, "git update-ref refs/remotes/origin/main main && git checkout --quiet branch && "+local.Hooks[0].Entry)
	for _, want := range []string{"environments/dev: 1 workload restarts (unknown pods)\n", "environments/prod: 1 workload restarts (unknown pods)\n"} {
		if !strings.Contains(out, want) || strings.Contains(out, formerImage) || local.Repo != "local" {
			t.Errorf("the hook of %s does not print %q, or what others merged:\n%s", local.Repo, want, out)
		}
	}
}

func TestExamplesCI_preCommitRunsTheHook(t *testing.T) {
	skipWithoutPrograms(t, "pre-commit", "git")
	hooks := t.TempDir()
	manifest := harness.ReadFile(t, filepath.Join("..", "..", ".pre-commit-hooks.yaml"))
	if err := (harness.Files{".pre-commit-hooks.yaml": string(manifest)}).Write(hooks); err != nil {
		t.Fatal(err)
	}
	mustShell(t, hooks, "git init --quiet --initial-branch main")
	commitAll(t, hooks)
	revision := strings.TrimSpace(mustShell(t, hooks, "git rev-parse HEAD"))
	example := harness.ReadFile(t, filepath.Join("..", "..", "examples", "ci", "pre-commit-config.yaml"))
	// The same hook, without building confighash again.
	config := strings.NewReplacer("https://github.com/confighash/confighash", hooks, "v0.1.0", revision, "id: confighash", "id: confighash-system").
		Replace(string(example))
	for _, test := range renderedCases[:3] {
		t.Run(test.label, func(t *testing.T) {
			dir := shopRepository(t)
			test.change(t, dir)
			err := harness.Files{
				".pre-commit-config.yaml": config,
				"confighash.yaml":         "apiVersion: confighash.dev/v1alpha1\nkind: ConfigHash\nmetadata:\n  name: x\nspec:\n  mode: Rename\n",
			}.Write(dir)
			if err != nil {
				t.Fatal(err)
			}
			mustShell(t, dir, "git add --all")
			out, said, err := harness.Shell(t, dir, "pre-commit run --all-files", "PRE_COMMIT_HOME="+t.TempDir())
			if failed := err != nil; failed != test.byCheck {
				t.Fatalf("pre-commit ended with %v:\n%s%s", err, out, said)
			}
		})
	}
}

func TestExamplesCI_scriptsPassShellcheck(t *testing.T) {
	skipWithoutPrograms(t, "shellcheck")
	for _, script := range []string{"packaging/install.sh", "packaging/check", "packaging/completions", "packaging/flux-plugin"} {
		if _, err := harness.Run(nil, "shellcheck", filepath.Join("..", "..", filepath.FromSlash(script))); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"confighash", ".confighash"} {
		jobs := gitlabJobs(t, map[string]string{"version": "v0.1.0", "files": "x"})
		script := strings.Join(append(jobs[name].BeforeScript, jobs[name].Script...), "\n")
		// GitLab sets some variables, and the list of files must be split.
		if _, err := harness.Run([]byte("#!/bin/sh\n"+script+"\n"), "shellcheck", "--exclude", "SC2154", "-"); err != nil {
			t.Error(err)
		}
	}
}

// An ownWorkflow has the tested fields of this repository's workflows.
type ownWorkflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Needs       string
		Permissions map[string]string
		Steps       []githubStep
	}
}

func TestWorkflows_checkBeforeAnythingMayBeWritten(t *testing.T) {
	read := map[string]string{"contents": "read"}
	for _, name := range []string{"ci", "release"} {
		var workflow ownWorkflow
		if err := decoderOf(t, ".github/workflows/"+name+".yaml").Decode(&workflow); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(read, workflow.Permissions); diff != "" {
			t.Errorf("%s: other rights (-want +got):\n%s", name, diff)
		}
		if rights := workflow.Jobs["ci"].Permissions; rights != nil && !cmp.Equal(rights, read) {
			t.Errorf("%s: the job ci has the rights %v", name, rights)
		}
		var runs []string
		for _, step := range workflow.Jobs["ci"].Steps {
			if step.Run != "" {
				runs = append(runs, step.Run)
			}
		}
		if diff := cmp.Diff([]string{"make bin/tools/goreleaser", ".ci/run"}, runs); diff != "" {
			t.Errorf("%s: the job ci runs something else (-want +got):\n%s", name, diff)
		}
		for job, its := range workflow.Jobs {
			if len(its.Permissions) > 0 && job != "ci" && its.Needs != "ci" {
				t.Errorf("%s: the job %s may write and does not wait for ci", name, job)
			}
		}
	}
}

// The examples are used together, so they must name the same version.
func TestExamplesCI_nameOneVersion(t *testing.T) {
	version := regexp.MustCompile(`(?:confighash:|confighash@|rev: |version: |confighash/confighash/)(v\d+\.\d+\.\d+)`)
	for name, want := range map[string]int{
		"docs/ci.md": 5, "docs/lint-ci.md": 2, "docs/kustomize.md": 1, "docs/kpt.md": 2, "examples/ci/gitlab-ci.yml": 2, "examples/ci/pre-commit-config.yaml": 1,
		"examples/ci/gitlab-impact.yml": 2, "examples/ci/github/impact.yaml": 2, "examples/ci/github/check.yaml": 2, "examples/ci/github/diff.yaml": 2, "examples/ci/github/push.yaml": 2,
	} {
		found := version.FindAllSubmatch(harness.ReadFile(t, filepath.Join("..", "..", filepath.FromSlash(name))), -1)
		if len(found) != want {
			t.Errorf("%s names %d versions of confighash, want %d", name, len(found), want)
		}
		for _, match := range found {
			if string(match[1]) != "v0.1.0" {
				t.Errorf("%s names %s, and other examples v0.1.0", name, match[1])
			}
		}
	}
}

func TestExamplesCI_pageShowsTheExamples(t *testing.T) {
	seen := 0
	for _, block := range slices.Concat(harness.FencedBlocks(t, "../../docs/ci.md", "yaml"), harness.FencedBlocks(t, "../../docs/ci.md", "sh"), harness.FencedBlocks(t, "../../docs/flux.md", "yaml")) {
		if strings.HasPrefix(block, "spec:\n  mode: ") || strings.HasPrefix(block, "confighash --check ") {
			continue // tested below
		}
		if !holdsBlock(t, block) {
			t.Errorf("no example holds\n%s", block)
		}
		seen++
	}
	if seen < 6 {
		t.Errorf("the page shows %d parts of examples, want at least 6", seen)
	}
	page := harness.ReadFile(t, filepath.Join("..", "..", "docs", "ci.md"))
	for name := range readStrictly[githubAction](t, decoderOf(t, "action.yml")).Inputs {
		if !bytes.Contains(page, []byte("`"+name+"`")) {
			t.Errorf("the page does not name the input %s", name)
		}
	}
}

func TestExamplesCI_commandOfThePageFindsADifference(t *testing.T) {
	const command = "confighash --check --mode Rename < rendered/prod.yaml"
	if !slices.Contains(harness.FencedBlocks(t, "../../docs/ci.md", "sh"), command+"\n") {
		t.Fatalf("the page does not show %s", command)
	}
	dir := shopRepository(t)
	mustShell(t, dir, command)
	edit(t, filepath.Join(dir, "rendered", "prod.yaml"), "LOG_LEVEL: info", "LOG_LEVEL: warn")
	_, said, err := harness.Shell(t, dir, command)
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("%s ended with %v, want exit code 3\n%s", command, err, said)
	}
}

func TestExamplesCI_renamedObjectsTellFluxNotToPrune(t *testing.T) {
	var spec string
	for _, block := range harness.FencedBlocks(t, "../../docs/flux.md", "yaml") {
		if strings.HasPrefix(block, "spec:\n  mode: ") {
			spec = strings.TrimPrefix(block, "spec:")
		}
	}
	dir := t.TempDir()
	if err := (harness.Files{"confighash.yaml": harness.FunctionConfig(spec)}).Write(dir); err != nil {
		t.Fatal(err)
	}
	in := harness.ReadFile(t, filepath.Join("..", "..", "examples", "kustomize", "environments", "base", "config.yaml"))
	web := harness.ReadFile(t, filepath.Join("..", "..", "examples", "kustomize", "environments", "base", "web.yaml"))
	out, err := harness.Run(slices.Concat(in, []byte("---\n"), web), harness.Binary, "--config", filepath.Join(dir, "confighash.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(out), "    kustomize.toolkit.fluxcd.io/prune: disabled\n"); n != 1 {
		t.Errorf("%d objects tell Flux not to prune, want 1:\n%s", n, out)
	}
}

// Flux's kinds in the example, with the fields that it sets.
type fluxObject struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name, Namespace string }
	Spec       struct {
		Interval, Timeout, URL, Path string
		Ref                          struct{ Tag string }
		Prune, Wait                  bool
		SourceRef                    struct{ Kind, Name string } `yaml:"sourceRef"`
	}
}

func TestExamplesCI_fluxPullsWhatIsPushed(t *testing.T) {
	decoder := decoderOf(t, "examples/ci/flux/shop.yaml")
	source, build := readStrictly[fluxObject](t, decoder), readStrictly[fluxObject](t, decoder)
	if build.Spec.SourceRef.Kind != source.Kind || build.Spec.SourceRef.Name != source.Metadata.Name {
		t.Errorf("the Kustomization's source is %v, and not %s %s", build.Spec.SourceRef, source.Kind, source.Metadata.Name)
	}
	push := readStrictly[githubWorkflow](t, decoderOf(t, "examples/ci/github/push.yaml"))
	if want := push.Jobs["push"].Env["ARTIFACTS"] + "/prod"; source.Spec.URL != want {
		t.Errorf("Flux pulls %s, and the workflow pushes %s", source.Spec.URL, want)
	}
}
