package cli

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/report/view"
)

func newImpact(stdin, stdout, stderr *os.File) *cobra.Command {
	var f comparisonFlags
	var exitCode bool
	var budget view.Budget
	cmd := &cobra.Command{
		Use:   "impact --from OLD --to NEW | --git BASE[..HEAD] [DIR]…",
		Short: "Predict what rolls when new manifests are applied, and why",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(f.check(cmd, args), setBudget(cmd, &budget)); err != nil {
				return err
			}
			var excess []string
			code := impact.CodeNothing
			err := f.show(args, stdin, stdout, stderr, func(e environment) (report.View, error) {
				predicted, err := impact.Compare(e.before.Graph, e.after.Graph)
				if err != nil {
					return nil, err
				}
				code = max(code, predicted.ExitCode())
				if text := budget.Exceeds(predicted); text != "" {
					excess = append(excess, strings.TrimPrefix(e.Name+": "+text, ": "))
				}
				return view.Impact(predicted), nil
			})
			if err != nil {
				return err
			}
			if excess != nil {
				return &failure{code: exitBudget, lines: excess}
			}
			if exitCode && code != impact.CodeNothing {
				return &failure{code: code}
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f.add(cmd, report.Formats()...)
	budget = view.Budget{
		Workloads: cmd.Flags().Int("max-workloads", 0, "exit 5 if more workloads restart than this `number`"),
		Pods:      cmd.Flags().Int("max-pods", 0, "exit 5 if more pods restart than this `number`"),
	}
	addContext(cmd, &f.context)
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit 3 if something rolls, and 4 if something stays as it is that should change or loses what it needs")
	return cmd
}

// setBudget sets the budgets whose flags are given.
func setBudget(cmd *cobra.Command, b *view.Budget) error {
	for name, most := range map[string]**int{"max-workloads": &b.Workloads, "max-pods": &b.Pods} {
		switch {
		case !cmd.Flags().Changed(name):
			*most = nil
		case **most < 0:
			return fmt.Errorf("--%s must be a whole number, 0 or more, not %d", name, **most)
		}
	}
	return nil
}
