//go:build e2e && !windows

package examples_test

import (
	"path/filepath"
	"testing"

	"github.com/confighash/confighash/test/support/harness"

	"github.com/google/go-cmp/cmp"
)

func TestE2E_kustomizeExamplesByContainer(t *testing.T) {
	image := harness.ImageUnderTest(t)
	for _, example := range kustomizeExamples {
		t.Run(example, func(t *testing.T) {
			dir := kustomizeExample(t, example, byContainer)
			config := filepath.Join(dir, filepath.FromSlash(functionConfigFile(example)))
			config = filepath.Join(filepath.Dir(config), "..", "container", "confighash.yaml")
			harness.ReplaceIn(t, config, "confighash:latest", image)
			want := harness.ReadFile(t, filepath.Join("..", "..", "examples", "kustomize", filepath.FromSlash(example), "expected.yaml"))
			got := mustShell(t, dir, "kustomize build --enable-alpha-plugins --enable-helm .")
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the container builds something else (-expected.yaml +built):\n%s", diff)
			}
		})
	}
}
