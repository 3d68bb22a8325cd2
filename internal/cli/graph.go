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

func newGraph(stdin, stdout *os.File) *cobra.Command {
	var f reportFlags
	var by string
	cmd := &cobra.Command{
		Use:   "graph [FILE|DIR|-]…",
		Short: "Show who uses which ConfigMap or Secret",
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
	cmd.Flags().StringVar(&by, "by", string(view.ByObject), "`order` of lists: object or workload first")
	complete(cmd, "by", values(view.Orders()...))
	return cmd
}

// graph reads manifests and resolves who uses what in them.
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
