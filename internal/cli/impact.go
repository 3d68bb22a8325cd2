package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/kubename"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/report/view"
)

const impactHelp = `confighash impact compares two sets of manifests and tells what an apply of
the new one does where the old one runs: which workloads roll and why, which go on
with an earlier configuration, what the API server refuses, and which objects
disappear while something may still need them. It names keys, never values.

A set is a file, a folder with what is in and below it, or - for stdin: what
kustomize, Helm or another tool builds, or a ResourceList. It may have been through
confighash or not.

With --exit-code it exits 0 where nothing rolls, 3 where something does, and 4 where
something stays as it is that ought to change, or an apply is refused.`

const impactExamples = `  confighash impact --from main/ --to branch/
  confighash impact --from old.yaml --to new.yaml -o markdown > comment.md
  kustomize build overlays/prod | confighash --mode Annotate |
    confighash impact --from rendered/prod.yaml --to - --exit-code`

func newImpact(stdin, stdout *os.File) *cobra.Command {
	var from, to []string
	var output, namespace string
	var exitCode bool
	cmd := &cobra.Command{
		Use:     "impact --from OLD --to NEW [flags]",
		Short:   "Tell what rolls when new manifests are applied, and why",
		Long:    impactHelp,
		Example: impactExamples,
		Args:    cobra.NoArgs,
		RunE: func(_ *cobra.Command, _ []string) error {
			format, err := report.ParseFormat(output)
			if err != nil {
				return fmt.Errorf("--output: %w", err)
			}
			if len(from) == 0 || len(to) == 0 {
				return errors.New("both --from and --to are needed: the manifests as they are, and as they will be")
			}
			if stdinTwice(slices.Concat(from, to)) {
				return errors.New("- stands for stdin, which can be read once; give a file for one of the sets")
			}
			compared, err := foretell(from, to, namespace, stdin)
			if err != nil {
				return fault(err)
			}
			w := bufio.NewWriterSize(stdout, 1<<16)
			colours := term.IsTerminal(int(stdout.Fd())) && hasColours()
			err = report.Write(w, view.Impact(compared), format, report.Options{Colours: colours})
			if err := flush(w, err); err != nil {
				return err
			}
			if code := compared.ExitCode(); exitCode && code != 0 {
				return &failure{code: code}
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringArrayVar(&from, "from", nil, "`manifests` as they are: a file, a folder, or - for stdin; may be given several times")
	cmd.Flags().StringArrayVar(&to, "to", nil, "`manifests` as they will be")
	cmd.Flags().StringVarP(&output, "output", "o", string(report.Text), "`format`: "+strings.Join(report.Formats(), ", "))
	cmd.Flags().StringVar(&namespace, "namespace", "", "`namespace` in which objects that name none will be applied")
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit 3 where something rolls, and 4 where something stays as it is that ought to change")
	complete(cmd, "output", report.Formats())
	complete(cmd, "namespace", nil)
	return cmd
}

// stdinTwice reports whether stdin stands among files and folders more than once.
func stdinTwice(all []string) bool {
	first := slices.Index(all, load.Stdin)
	return first >= 0 && slices.Contains(all[first+1:], load.Stdin)
}

// complete tells shells the values of a flag.
func complete(cmd *cobra.Command, flag string, values []string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // there is no such flag
	}
}

// foretell reads both sets and compares them.
func foretell(from, to []string, namespace string, stdin *os.File) (*impact.Report, error) {
	if namespace != "" {
		if err := kubename.CheckNamespace(namespace); err != nil {
			return nil, fmt.Errorf("--namespace %w", err)
		}
	}
	size := 0
	o := load.Options{Namespace: namespace, Size: func(bytes int) {
		size += bytes
		boundGarbage(size)
	}}
	before, errBefore := load.Graph(from, stdin, o)
	after, errAfter := load.Graph(to, stdin, o)
	if err := errors.Join(named("--from", errBefore), named("--to", errAfter)); err != nil {
		return nil, err
	}
	return impact.Compare(before, after)
}

// named puts a flag before each of the errors that err joins.
func named(flag string, err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, named(flag, e))
		}
		return errors.Join(all...)
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", flag, err)
}
