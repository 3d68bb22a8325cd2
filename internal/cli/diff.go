package cli

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/confighash/confighash/internal/fielddiff"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/report/view"
)

func newDiff(stdin, stdout, stderr *os.File) *cobra.Command {
	var f comparisonFlags
	cmd := &cobra.Command{
		Use:   "diff --from OLD --to NEW | --git BASE[..HEAD] [DIR]…",
		Short: "Show what changed, whatever the hashes in names",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd, args); err != nil {
				return err
			}
			var ambiguous []graph.Finding
			differs := false
			err := f.show(args, stdin, stdout, stderr, func(e environment) (report.View, error) {
				found, err := fielddiff.Compare(e.before.Graph, e.after.Graph)
				if err != nil {
					return nil, err
				}
				ambiguous = append(ambiguous, found.Ambiguous...)
				differs = differs || found.Differs()
				return view.Diff(found), nil
			})
			if err != nil {
				return err
			}
			warn(stderr, ambiguous)
			if differs {
				return &failure{code: exitDiffers}
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f.add(cmd, string(report.Text), string(report.Markdown))
	return cmd
}

// warn writes findings to stderr without duplicates.
func warn(stderr *os.File, findings []graph.Finding) {
	for _, s := range graph.Sentences(graph.SortFindings(findings)) {
		say(stderr, string(s.Severity), s.Text)
	}
}
