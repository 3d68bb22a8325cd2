package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/report/view"
	"github.com/confighash/confighash/internal/usage"
)

const graphHelp = `confighash graph shows who uses which ConfigMap or Secret in one set of manifests:
which workload gets which keys and how, what else refers to an object, what is
referred to but missing, and what nothing refers to. It prints the names of keys,
never values.

It reads files, folders with everything in and below them, and stdin, also written
as -: what kustomize, Helm or another tool builds, or a ResourceList. The manifests
may have been through confighash or not.

A workload gets an object by

  - env: a key is a variable;
  - envFrom: every key is a variable;
  - volume: files, which the kubelet keeps up to date;
  - subPath: files that stay the same while a pod runs: mounted by subPath, or by
    nothing but init containers;
  - extra-sources: its annotation confighash.dev/extra-sources;
  - reference: it names the object, and no container gets the content.

It exits 0 even if objects are missing: the cluster may have them.`

const graphExamples = `  kustomize build . | confighash graph
  confighash graph --by workload rendered/
  confighash graph -o markdown rendered.yaml > configuration.md
  confighash graph -o dot rendered.yaml | dot -Tsvg > configuration.svg
  confighash graph -o json rendered.yaml | jq -r '.objects[] | select(.missing) | .id'`

func newGraph(stdin, stdout *os.File) *cobra.Command {
	var f reportFlags
	var by string
	cmd := &cobra.Command{
		Use:     "graph [FILE|DIR|-]…",
		Short:   "Show who uses which ConfigMap or Secret",
		Long:    graphHelp,
		Example: graphExamples,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := f.format()
			if err != nil {
				return err
			}
			order, err := report.Parse[view.Order]("order", by, view.Orders())
			if err != nil {
				return fmt.Errorf("--by: %w", err)
			}
			if args, err = manifestArgs(cmd, args, stdin); err != nil {
				return err
			}
			g, err := f.graph(args, stdin)
			if err != nil {
				return fault(err)
			}
			return writeReport(stdout, view.Graph(g, order), format)
		},
		ValidArgsFunction: manifestFiles,
	}
	cmd.Flags().SortFlags = false
	f.add(cmd, report.Formats()...)
	addContext(cmd, &f.context)
	cmd.Flags().StringVar(&by, "by", string(view.ByObject), "`order` of text and markdown: object or workload first")
	complete(cmd, "by", values(view.Orders()...))
	return cmd
}

// graph reads manifests and finds out who uses what in them.
func (f *reportFlags) graph(args []string, stdin *os.File) (*usage.Graph, error) {
	options, err := f.options()
	if err != nil {
		return nil, err
	}
	set, err := load.Graph(args, stdin, options)
	if err != nil {
		return nil, err
	}
	return usage.New(set, catalog.Builtin())
}
