package cli

import (
	"cmp"
	"os"

	"github.com/spf13/cobra"

	"github.com/confighash/confighash/internal/catalog"
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
			if err := cmp.Or(f.checkFormat(), oneOf("by", "order", by, view.Orders())); err != nil {
				return err
			}
			set, err := f.read(cmd, args, stdin)
			if err != nil {
				return err
			}
			g, err := usage.New(set.Graph, catalog.Builtin())
			if err != nil {
				return fault(err)
			}
			return writeReport(stdout, view.Graph(g, view.Order(by)), f.output)
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
