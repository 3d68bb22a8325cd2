//go:build e2e

package e2e_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"

	"github.com/google/go-cmp/cmp"
)

// maxImageSize is the limit for the image, in bytes: a third of it is kustomize, for confighash build.
const maxImageSize = 18_000_000

// exampleKustomization copies the example to a new folder. function, in YAML's flow style, says how to run the
// function.
func exampleKustomization(t *testing.T, function string) string {
	t.Helper()
	dir := t.TempDir()
	example := filepath.Join("..", "..", "testdata", "example")
	if err := os.CopyFS(filepath.Join(dir, "testdata", "example"), os.DirFS(example)); err != nil {
		t.Fatal(err)
	}
	kustomization, err := os.ReadFile(filepath.Join("..", "..", "kustomization.example.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	harness.ReplaceIn(t, filepath.Join(dir, "testdata", "example", "confighash.yaml"),
		"exec:\n        path: ./bin/confighash\n", function+"\n")
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), kustomization, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestE2E_kustomizeGetsTheSameFromContainerAndExec(t *testing.T) {
	image := harness.ImageUnderTest(t)
	kustomize, err := harness.Kustomize()
	if err != nil {
		t.Fatal(err)
	}
	byExec := harness.MustRun(t, nil, kustomize, "build", "--enable-alpha-plugins", "--enable-exec",
		exampleKustomization(t, "exec: {path: "+harness.Binary+"}"))
	byContainer := harness.MustRun(t, nil, kustomize, "build", "--enable-alpha-plugins",
		exampleKustomization(t, "container: {image: "+image+"}"))
	if diff := cmp.Diff(string(byExec), string(byContainer)); diff != "" {
		t.Errorf("the container builds something else than the executable (-exec +container):\n%s", diff)
	}
	if !regexp.MustCompile(`(?m)^  name: web-settings-[a-z0-9]{10}$`).Match(byContainer) {
		t.Errorf("web-settings was not renamed in\n%s", byContainer)
	}
}

func TestE2E_containerNeedsNoPrivilege(t *testing.T) {
	image := harness.ImageUnderTest(t)
	list := exampleList(t)
	want := harness.MustRun(t, list, harness.Binary)
	tests := []struct {
		label string
		flags []string
	}{
		{"as kustomize runs it", []string{"--network", "none", "--user", "nobody", "--security-opt=no-new-privileges"}},
		{"the image's default user", nil},
		{"locked down, user nobody", []string{"--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", "nobody"}},
		{"locked down, a number", []string{"--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", "65532:65532"}},
	}
	for _, test := range tests {
		t.Run(test.label, func(t *testing.T) {
			args := slices.Concat([]string{"run", "--rm", "-i"}, test.flags, []string{image})
			got := harness.MustRun(t, list, "docker", args...)
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("the container's output is not the executable's (-executable +container):\n%s", diff)
			}
		})
	}
}

// exampleList returns the plain resources of the example as a function's input.
func exampleList(t *testing.T) []byte {
	t.Helper()
	var list strings.Builder
	list.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for _, name := range []string{"config", "deployment", "ingress", "cronjob"} {
		stream, err := os.ReadFile(filepath.Join("..", "..", "testdata", "example", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for document := range strings.SplitSeq(string(stream), "---\n") {
			list.WriteString("- " + strings.ReplaceAll(strings.TrimSuffix(document, "\n"), "\n", "\n  ") + "\n")
		}
	}
	list.WriteString("functionConfig:\n  apiVersion: confighash.dev/v1alpha1\n  kind: ConfigHash\n" +
		"  metadata: {name: roll}\n  spec: {mode: Rename}\n")
	return []byte(list.String())
}

func TestE2E_containerExitsWithTheExecutablesCode(t *testing.T) {
	image := harness.ImageUnderTest(t)
	list := bytes.Replace(exampleList(t), []byte("{mode: Rename}"), []byte("{mode: Rname}"), 1)
	_, err := harness.Run(list, "docker", "run", "--rm", "-i", "--network", "none", "--user", "nobody", image)
	if err == nil {
		t.Fatal("mode Rname was taken without an error")
	}
	for _, want := range []string{"exit status 1", "Rname", "Rename"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
}

func TestE2E_imageIsSmallAndRunsAsNobody(t *testing.T) {
	var inspected []struct {
		Size   int64
		Config struct {
			Entrypoint []string
			User       string
			Labels     map[string]string
		}
	}
	if err := json.Unmarshal(harness.MustRun(t, nil, "docker", "image", "inspect", harness.ImageUnderTest(t)), &inspected); err != nil {
		t.Fatal(err)
	}
	got := inspected[0]
	if got.Size >= maxImageSize {
		t.Errorf("the image holds %d bytes, want fewer than %d", got.Size, maxImageSize)
	}
	if len(got.Config.Entrypoint) != 1 || !filepath.IsAbs(got.Config.Entrypoint[0]) {
		t.Errorf("the entrypoint is %q, want one absolute path", got.Config.Entrypoint)
	}
	if got.Config.User != "nobody" {
		t.Errorf("the image runs as %q, want nobody", got.Config.User)
	}
	for _, label := range []string{"title", "description", "source", "licenses", "version"} {
		if got.Config.Labels["org.opencontainers.image."+label] == "" {
			t.Errorf("the image has no label org.opencontainers.image.%s", label)
		}
	}
}

// kptPackage copies the example package to a new folder. Its Kptfile runs the function by exec.
func kptPackage(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "kpt-example")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "testdata", "kpt-example"))); err != nil {
		t.Fatal(err)
	}
	harness.ReplaceIn(t, filepath.Join(dir, "Kptfile"), "exec: confighash\n", "exec: "+harness.Binary+"\n")
	return dir
}

// nameInPackage matches the names of the example package's ConfigMap and Secret, with anything appended.
var nameInPackage = regexp.MustCompile(`web-(?:settings|database)[-a-z0-9]*`)

// checkNames checks that every name of the package's ConfigMap and Secret, in definitions and references, is the base
// name with the same suffix, and returns the two names by base name. It skips kpt-merge comments, which have the
// upstream names.
func checkNames(t *testing.T, dir string) map[string]string {
	t.Helper()
	oneSuffix := regexp.MustCompile(`^(web-(?:settings|database))-[a-z0-9]{10}$`)
	names := make(map[string]string)
	count := make(map[string]int)
	for path, content := range harness.Contents(t, dir) {
		for line := range strings.Lines(content) {
			if strings.Contains(line, "kpt-merge") {
				continue
			}
			for _, name := range nameInPackage.FindAllString(line, -1) {
				match := oneSuffix.FindStringSubmatch(name)
				if match == nil {
					t.Errorf("%s: name %q is not a base name and one suffix in %q", path, name, line)
					continue
				}
				base := match[1]
				if before := names[base]; before != "" && before != name {
					t.Errorf("%s: name %q beside %q", path, name, before)
				}
				names[base] = name
				count[base]++
			}
		}
	}
	// Each is defined once and used twice.
	if diff := cmp.Diff(map[string]int{"web-settings": 3, "web-database": 3}, count); diff != "" {
		t.Errorf("how often each name stands (-want +got):\n%s", diff)
	}
	return names
}

// withoutHashes removes the suffixes and annotations of mode Rename from files.
func withoutHashes(files map[string]string) map[string]string {
	suffix := regexp.MustCompile(`(web-(?:settings|database))-[a-z0-9]{10}`)
	annotation := regexp.MustCompile(`(?m)^  annotations:\n    confighash\.dev/hash: .*\n`)
	clean := make(map[string]string)
	for path, content := range files {
		clean[path] = annotation.ReplaceAllString(suffix.ReplaceAllString(content, "$1"), "")
	}
	return clean
}

// The ways in which kpt runs the function on a package folder.
var kptRuns = []struct {
	label string
	args  func(dir string) []string
}{
	{"render", func(dir string) []string { return []string{"fn", "render", dir, "--allow-exec"} }},
	{"eval with a functionConfig", func(dir string) []string {
		return []string{"fn", "eval", dir, "--exec", harness.Binary, "--fn-config", filepath.Join(dir, "confighash.yaml")}
	}},
	{"eval with arguments", func(dir string) []string {
		return []string{"fn", "eval", dir, "--exec", harness.Binary, "--", "mode=Rename"}
	}},
}

func TestE2E_kptWritesOneSuffixHoweverOftenItRuns(t *testing.T) {
	kpt := harness.Kpt(t)
	for _, test := range kptRuns {
		t.Run(test.label, func(t *testing.T) {
			dir := kptPackage(t)
			before := harness.Contents(t, dir)
			harness.MustRun(t, nil, kpt, test.args(dir)...)
			first := harness.Contents(t, dir)
			names := checkNames(t, dir)
			if diff := cmp.Diff(before, withoutHashes(first)); diff != "" {
				t.Errorf("more changed than names and their annotations (-before +after):\n%s", diff)
			}

			harness.MustRun(t, nil, kpt, test.args(dir)...)
			if diff := cmp.Diff(first, harness.Contents(t, dir)); diff != "" {
				t.Errorf("a second run changed the package (-first +second):\n%s", diff)
			}

			harness.ReplaceIn(t, filepath.Join(dir, "config.yaml"), "LOG_LEVEL: info", "LOG_LEVEL: debug")
			harness.MustRun(t, nil, kpt, test.args(dir)...)
			edited := harness.Contents(t, dir)
			namesAfterEdit := checkNames(t, dir)
			if names["web-settings"] == namesAfterEdit["web-settings"] {
				t.Errorf("web-settings changed and is still named %s", names["web-settings"])
			}
			if names["web-database"] != namesAfterEdit["web-database"] {
				t.Errorf("web-database did not change, but its name did: %s became %s", names["web-database"], namesAfterEdit["web-database"])
			}

			harness.MustRun(t, nil, kpt, test.args(dir)...)
			if diff := cmp.Diff(edited, harness.Contents(t, dir)); diff != "" {
				t.Errorf("a second run after the edit changed the package (-first +second):\n%s", diff)
			}

			harness.ReplaceIn(t, filepath.Join(dir, "config.yaml"), "LOG_LEVEL: debug", "LOG_LEVEL: info")
			harness.MustRun(t, nil, kpt, test.args(dir)...)
			if diff := cmp.Diff(first, harness.Contents(t, dir)); diff != "" {
				t.Errorf("taking the edit back does not bring back the package (-first +now):\n%s", diff)
			}
		})
	}
}

// TestE2E_kptAnnotate_rollsWhatConsumesTheChange runs mode Annotate, configured by kpt's flat ConfigMap, on a package
// that kpt writes back.
func TestE2E_kptAnnotate_rollsWhatConsumesTheChange(t *testing.T) {
	kpt := harness.Kpt(t)
	dir := kptPackage(t)
	before := harness.Contents(t, dir)
	annotate := func() map[string]string {
		harness.MustRun(t, nil, kpt, "fn", "eval", dir, "--exec", harness.Binary, "--", "mode=Annotate", "annotate.scope=Source")
		return harness.Contents(t, dir)
	}
	first := annotate()
	annotation := regexp.MustCompile(`(?m)^ +(annotations:|checksum/[a-z]+\.[a-z-]+: [0-9a-f]{64})\n`)
	stamps := annotation.FindAllString(first["web/deployment.yaml"], -1)
	if len(stamps) < 2 {
		t.Fatalf("nothing is stamped:\n%s", first["web/deployment.yaml"])
	}
	first["web/deployment.yaml"] = annotation.ReplaceAllString(first["web/deployment.yaml"], "")
	before["web/deployment.yaml"] = annotation.ReplaceAllString(before["web/deployment.yaml"], "")
	if diff := cmp.Diff(before, first); diff != "" {
		t.Errorf("more changed than the pod template's annotations (-before +after):\n%s", diff)
	}

	again := annotate()
	if diff := cmp.Diff(stamps, annotation.FindAllString(again["web/deployment.yaml"], -1)); diff != "" {
		t.Errorf("a second run changed the checksums (-first +second):\n%s", diff)
	}
	harness.ReplaceIn(t, filepath.Join(dir, "config.yaml"), "LOG_LEVEL: info", "LOG_LEVEL: debug")
	changed := annotation.FindAllString(annotate()["web/deployment.yaml"], -1)
	differ := 0
	for i := range stamps {
		if i < len(changed) && changed[i] != stamps[i] {
			differ++
		}
	}
	if len(changed) != len(stamps) || differ != 1 {
		t.Errorf("%d of %d annotations changed with the ConfigMap, want 1:\n%s", differ, len(stamps), strings.Join(changed, ""))
	}
}

func TestE2E_kptResultsAreTheSameFromRunToRun(t *testing.T) {
	kpt := harness.Kpt(t)
	dir := kptPackage(t)
	// A reference to a missing object, and a result that reports it.
	harness.ReplaceIn(t, filepath.Join(dir, "confighash.yaml"), "mode: Rename", "mode: Rename\n  unresolved: Warn")
	harness.ReplaceIn(t, filepath.Join(dir, "web", "deployment.yaml"), `name: "web-settings"`, "name: elsewhere")
	var results []map[string]string
	for range 2 {
		resultsDir := t.TempDir()
		harness.MustRun(t, nil, kpt, "fn", "render", dir, "--allow-exec", "--results-dir", resultsDir)
		results = append(results, harness.Contents(t, resultsDir))
	}
	if diff := cmp.Diff(results[0], results[1]); diff != "" {
		t.Errorf("the results differ (-first +second):\n%s", diff)
	}
	if all := results[0]["results.yaml"]; !strings.Contains(all, "elsewhere") {
		t.Errorf("no result names the ConfigMap elsewhere:\n%s", all)
	}
}

func TestE2E_kptShowsTheErrorAndLeavesThePackage(t *testing.T) {
	kpt := harness.Kpt(t)
	dir := kptPackage(t)
	harness.ReplaceIn(t, filepath.Join(dir, "confighash.yaml"), "mode: Rename", "mode: Rname")
	before := harness.Contents(t, dir)
	out, err := exec.Command(kpt, "fn", "render", dir, "--allow-exec").CombinedOutput()
	if err == nil {
		t.Fatalf("kpt took mode Rname without an error:\n%s", out)
	}
	if !strings.Contains(string(out), "Rname") {
		t.Errorf("kpt does not show what was wrong:\n%s", out)
	}
	if diff := cmp.Diff(before, harness.Contents(t, dir)); diff != "" {
		t.Errorf("a failed run changed the package (-before +after):\n%s", diff)
	}
}
