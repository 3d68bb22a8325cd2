package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/report/view"
	"github.com/confighash/confighash/pkg/function"
)

const impactHelp = `confighash impact compares two sets of manifests and predicts what applying the
new one over the old one does: which workloads roll and why, which keep the old
configuration, what the API server refuses, and which objects disappear while
something may still need them. It prints the names of keys, never values.

A set is a file, a folder with everything in and below it, or - for stdin: what
kustomize, Helm or another tool builds, or a ResourceList. It may have been through
confighash or not.

With --exit-code it exits 0 if nothing rolls, 3 if something does, and 4 if something
stays as it is that should change, or an apply is refused.`

const impactExamples = `  confighash impact --from main/ --to branch/
  confighash impact --from old.yaml --to new.yaml -o markdown > comment.md
  kustomize build overlays/prod | confighash --mode Annotate |
    confighash impact --from rendered/prod.yaml --to - --exit-code`

func newImpact(stdin, stdout *os.File) *cobra.Command {
	var f reportFlags
	var from, to []string
	var exitCode bool
	cmd := &cobra.Command{
		Use:     "impact --from OLD --to NEW [flags]",
		Short:   "Predict what rolls when new manifests are applied, and why",
		Long:    impactHelp,
		Example: impactExamples,
		Args:    cobra.NoArgs,
		RunE: func(_ *cobra.Command, _ []string) error {
			format, err := f.format()
			if err != nil {
				return err
			}
			if len(from) == 0 || len(to) == 0 {
				return errors.New("both --from and --to are needed: the manifests as they are, and as they will be")
			}
			if stdinTwice(slices.Concat(from, to)) {
				return errors.New("- is stdin, which can be read once; give a file for one of the sets")
			}
			predicted, err := f.predict(from, to, stdin)
			if err != nil {
				return fault(err)
			}
			if err := writeReport(stdout, view.Impact(predicted), format); err != nil {
				return err
			}
			if code := predicted.ExitCode(); exitCode && code != 0 {
				return &failure{code: code}
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringArrayVar(&from, "from", nil, "`manifests` as they are: a file, a folder, or - for stdin; can be repeated")
	cmd.Flags().StringArrayVar(&to, "to", nil, "`manifests` as they will be")
	f.add(cmd)
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit 3 if something rolls, and 4 if something stays as it is that should change")
	return cmd
}

// predict reads both sets and compares them.
func (f *reportFlags) predict(from, to []string, stdin *os.File) (*impact.Report, error) {
	options, err := f.options()
	if err != nil {
		return nil, err
	}
	before, errBefore := load.Graph(from, stdin, options)
	after, errAfter := load.Graph(to, stdin, options)
	if err := errors.Join(named("--from", errBefore), named("--to", errAfter)); err != nil {
		return nil, err
	}
	return impact.Compare(before, after)
}

// named puts a flag before each of the errors that err joins.
func named(flag string, err error) error {
	if err == nil {
		return nil
	}
	var all []error
	for _, e := range function.Errors(err) {
		all = append(all, fmt.Errorf("%s: %w", flag, e))
	}
	return errors.Join(all...)
}
