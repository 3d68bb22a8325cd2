package cli

import (
	"bufio"
	"fmt"
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
	files, err := load.Files(paths, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	manifests := make([]function.Manifests, len(files))
	for i, file := range files {
		manifests[i] = function.Manifests{Name: file.Name, Data: file.Data}
		*size += len(file.Data)
	}
	return manifests, nil
}

func newNames(stdin, stdout *os.File) *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "names [FILE|DIR|-]…",
		Short: "List the names with hashes, for --context of other builds",
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := manifestArgs(cmd, args, stdin)
			if err != nil {
				return err
			}
			options, err := f.options()
			if err != nil {
				return fault(err)
			}
			g, err := load.Graph(args, stdin, options)
			if err != nil {
				return fault(err)
			}
			w := bufio.NewWriter(stdout)
			e := yaml.NewEncoder(w)
			e.SetIndent(2)
			return flush(w, e.Encode(graph.NamesOf(g)))
		},
		ValidArgsFunction: manifestFiles,
	}
	f.addNamespace(cmd)
	return cmd
}
