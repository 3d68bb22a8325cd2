package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readme is the README with what it shows in fenced blocks.
type readme struct {
	text   string
	blocks []string // the YAML ones
}

func readReadme(t *testing.T) readme {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	r := readme{text: string(text)}
	for _, match := range regexp.MustCompile("(?s)\n```yaml\n(.*?)```\n").FindAllStringSubmatch(r.text, -1) {
		r.blocks = append(r.blocks, match[1])
	}
	return r
}

// block returns the one YAML block that holds text.
func (r readme) block(t *testing.T, text string) string {
	t.Helper()
	var found []string
	for _, block := range r.blocks {
		if strings.Contains(block, text) {
			found = append(found, block)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d YAML blocks of the README hold %q, want one", len(found), text)
	}
	return found[0]
}

func TestReadme_showsWhatComesOut(t *testing.T) {
	r := readReadme(t)
	in := r.block(t, "name: web-settings\n")
	want := r.block(t, "name: web-settings-")
	got, err := run([]byte(in), binary, "--mode", "Rename")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("README's output is not the function's (-README +function):\n%s", diff)
	}
}

func TestReadme_showsWhatAnnotateStamps(t *testing.T) {
	r := readReadme(t)
	in, shown := r.block(t, "name: web-settings\n"), r.block(t, "checksum/config: ")
	got, err := run([]byte(in), binary, "--mode", "Annotate")
	if err != nil {
		t.Fatal(err)
	}
	before, after, _ := strings.Cut(in, "  template:\n    spec:\n")
	if diff := cmp.Diff(before+shown+after, string(got)); diff != "" {
		t.Errorf("README's output is not the function's (-README +function):\n%s", diff)
	}
}

func TestReadme_functionConfigsAreAccepted(t *testing.T) {
	accepted := 0
	for _, block := range readReadme(t).blocks {
		if !strings.HasPrefix(block, "spec:\n  mode: ") {
			continue
		}
		config := filepath.Join(t.TempDir(), "confighash.yaml")
		err := files{"confighash.yaml": "apiVersion: confighash.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: x}\n" + block}.write(filepath.Dir(config))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run([]byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n"), binary, "--config", config); err != nil {
			t.Errorf("%v\nfor\n%s", err, block)
		}
		accepted++
	}
	if accepted < 2 {
		t.Errorf("the README shows %d specs, want at least 2", accepted)
	}
}

func TestReadme_commandsGiveTheNamesItShows(t *testing.T) {
	r := readReadme(t)
	kustomize, err := kustomizeBinary()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Dir(binary) + ":" + filepath.Dir(kustomize) + ":" + os.Getenv("PATH")
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
			dir := t.TempDir()
			err := files{
				"manifests.yaml":     r.block(t, "name: web-settings\n"),
				"confighash.yaml":    r.block(t, "path: confighash\n"),
				"kustomization.yaml": test.kustomization,
			}.write(dir)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("sh", "-c", test.command)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+path)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if n := strings.Count(string(out), "name: web-settings-hf678c7m2b\n"); n != 2 {
				t.Errorf("web-settings-hf678c7m2b stands %d times in the output, want 2:\n%s", n, out)
			}
		})
	}
}
