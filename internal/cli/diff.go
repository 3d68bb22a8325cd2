package cli

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/confighash/confighash/internal/fielddiff"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/report/view"
)

const diffHelp = `confighash diff compares two sets of manifests field by field. ConfigMaps and Secrets
whose names end in a hash are compared with the version of the same name without it, so
that you see which lines of a value changed. References that only follow a new name are
counted. Of a Secret it shows which keys changed, never a value.

A set is a file, a folder with everything in and below it, or - for stdin, as for
impact, which says what the difference restarts. Earlier versions that are kept along
with the current ones do not count; nor do the order of keys, comments and the style.
` + gitHelp + `

It exits 0 if nothing differs but names, and 3 if something does.`

const diffExamples = `  confighash diff --git origin/main 'overlays/*'
  confighash diff --from old.yaml --to new.yaml -o markdown > comment.md
  kustomize build . | confighash --mode Rename | confighash diff --from rendered.yaml --to -`

func newDiff(stdin, stdout, stderr *os.File) *cobra.Command {
	var f comparisonFlags
	cmd := &cobra.Command{
		Use:     "diff --from OLD --to NEW | --git BASE[..HEAD] [DIR]…",
		Short:   "Show what changed, whatever the hashes in names",
		Long:    diffHelp,
		Example: diffExamples,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := f.check(cmd, args)
			if err != nil {
				return err
			}
			var ambiguous []graph.Finding
			differs := false
			err = f.show(args, stdin, stdout, stderr, format, func(e environment) (report.View, error) {
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

// warn writes findings to stderr, each once.
func warn(stderr *os.File, findings []graph.Finding) {
	for _, s := range graph.Sentences(graph.SortFindings(findings)) {
		say(stderr, string(s.Severity), s.Text)
	}
}
