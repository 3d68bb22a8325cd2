package cli

import (
	"bufio"
	"os"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/pkg/function"
)

func addContext(cmd *cobra.Command, paths *[]string) {
	cmd.Flags().StringArrayVar(paths, "context", nil, "`manifests` of other builds, which count and stay as they are: a file or a folder; can be repeated")
}

// manifestsIn reads the files and folders of a flag, and adds their size to size.
func manifestsIn(flag string, paths []string, size *int) ([]function.Manifests, error) {
	manifests := []function.Manifests{}
	err := load.Each(paths, nil, func(name string, data []byte) error {
		manifests = append(manifests, function.Manifests{Name: name, Data: data})
		*size += len(data)
		return nil
	})
	return manifests, graph.Prefixed(flag, err)
}

func newNames(stdin, stdout *os.File) *cobra.Command {
	return reading("names", "List the names with hashes, for --context of other builds", stdin, func(set *load.Set) error {
		w := bufio.NewWriter(stdout)
		e := yaml.NewEncoder(w)
		e.SetIndent(2)
		return flush(w, e.Encode(graph.NamesOf(set.Graph)))
	})
}
