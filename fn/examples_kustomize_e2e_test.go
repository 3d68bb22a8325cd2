//go:build e2e

package main_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestE2E_kustomizeExamplesByContainer(t *testing.T) {
	image := imageUnderTest(t)
	for _, example := range kustomizeExamples {
		t.Run(example, func(t *testing.T) {
			dir := kustomizeExample(t, example, byContainer)
			config := filepath.Join(dir, filepath.FromSlash(functionConfigFile(example)))
			config = filepath.Join(filepath.Dir(config), "..", "container", "confighash.yaml")
			replaceIn(t, config, "confighash:latest", image)
			want := readFile(t, filepath.Join("..", "examples", "kustomize", filepath.FromSlash(example), "expected.yaml"))
			got := mustShell(t, dir, "kustomize build --enable-alpha-plugins --enable-helm .")
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the container builds something else (-expected.yaml +built):\n%s", diff)
			}
		})
	}
}
