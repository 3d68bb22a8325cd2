//go:build !windows

package examples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"
)

// oldVersions is a repository for the recipes of docs/old-versions.md.
type oldVersions struct {
	dir, recipe string
}

// newOldVersions uses the recipe that contains a word.
func newOldVersions(t *testing.T, word string) *oldVersions {
	t.Helper()
	o := &oldVersions{dir: t.TempDir()}
	for _, block := range harness.FencedBlocks(t, filepath.Join("..", "..", "docs", "old-versions.md"), "sh") {
		if strings.Contains(block, word) {
			o.recipe = block
		}
	}
	if o.recipe == "" {
		t.Fatalf("docs/old-versions.md has no recipe with %s", word)
	}
	o.run(t, "git init -q . && git config user.name a && git config user.email a@example.com && git commit -q --allow-empty -m first")
	return o
}

func (o *oldVersions) run(t *testing.T, script string) {
	t.Helper()
	if _, stderr, err := harness.Shell(t, o.dir, "set -eu\n"+script); err != nil {
		t.Fatalf("%v: %s\n%s", err, script, stderr)
	}
}

func ensured(t *testing.T, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// write writes the sources with a version of the configuration.
func (o *oldVersions) write(t *testing.T, name string, version int) {
	t.Helper()
	text := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata: {version: \"%d\"}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"+
		"spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i, envFrom: [{configMapRef: {name: app}}]}]}}}\n", version)
	ensured(t, filepath.Join(o.dir, filepath.Dir(name)))
	if err := os.WriteFile(filepath.Join(o.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// wantVersions checks the number of earlier versions in the rendered manifests, and commits them.
func (o *oldVersions) wantVersions(t *testing.T, want int) {
	t.Helper()
	text := ""
	files, err := filepath.Glob(filepath.Join(o.dir, "rendered", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text += string(harness.ReadFile(t, file))
	}
	if n := strings.Count(text, "confighash.dev/superseded"); n != want {
		t.Errorf("%d earlier versions are rendered, want %d:\n%s", n, want, text)
	}
	o.run(t, "git add rendered && git commit -q --allow-empty -m rendered")
}

func TestOldVersions_inGit(t *testing.T) {
	o := newOldVersions(t, "git show HEAD:rendered")
	ensured(t, filepath.Join(o.dir, "overlays", "prod"))
	ensured(t, filepath.Join(o.dir, "rendered"))
	if err := os.WriteFile(filepath.Join(o.dir, "overlays", "prod", "kustomization.yaml"), []byte("resources: [app.yaml]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for version, want := range []int{0, 1, 2, 3, 3} {
		o.write(t, "overlays/prod/app.yaml", version)
		for range 2 {
			o.run(t, o.recipe)
			o.wantVersions(t, want)
		}
	}
}

func TestOldVersions_ofAPackageOfKpt(t *testing.T) {
	harness.Kpt(t)
	o := newOldVersions(t, "kpt fn sink")
	for version, want := range []int{0, 1, 2, 3, 3} {
		o.write(t, "package/app.yaml", version)
		for range 2 {
			recipe := o.recipe
			if _, err := os.Stat(filepath.Join(o.dir, "rendered")); err != nil {
				recipe = strings.Replace(recipe, "git archive", "# git archive", 1)
			}
			o.run(t, recipe)
			o.wantVersions(t, want)
		}
	}
}
