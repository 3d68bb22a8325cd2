// Package kustomize builds with kustomize as a library, for tests that build often.
package kustomize

import (
	"fmt"
	"os"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// Build runs `kustomize build --enable-alpha-plugins --enable-exec` in this process, on files on disk. Its error ends
// with what the function wrote to stderr.
func Build(dir string) (out []byte, err error) {
	stderr, err := os.CreateTemp(dir, "stderr-")
	if err != nil {
		return nil, err
	}
	// kustomize lets a function write to its own process's stderr.
	own := os.Stderr
	os.Stderr = stderr
	defer func() {
		os.Stderr = own
		if err != nil {
			said, _ := os.ReadFile(stderr.Name())
			err = fmt.Errorf("%w\n%s", err, said)
		}
		stderr.Close()
	}()
	plugins := types.EnabledPluginConfig(types.BploUseStaticallyLinked)
	plugins.FnpLoadingOptions.EnableExec = true
	plugins.HelmConfig.Enabled = false
	options := krusty.MakeDefaultOptions()
	options.PluginConfig, options.Reorder = plugins, krusty.ReorderOptionUnspecified
	resources, err := krusty.MakeKustomizer(options).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, err
	}
	return resources.AsYaml()
}
