package cli

import (
	"bufio"
	"cmp"
	"os"

	"github.com/spf13/cobra"

	"github.com/confighash/confighash/internal/build"
	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/lint"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/report/view"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// The formats of lint, in addition to text and json.
const (
	sarif = "sarif"
	junit = "junit"
)

func newLint(stdin, stdout, stderr *os.File) *cobra.Command {
	var f reportFlags
	var git gitFlags
	var disabled []string
	cmd := &cobra.Command{
		Use:   "lint [FILE|DIR|-]… | --git BASE[..HEAD] [DIR]…",
		Short: "Find what will go wrong with ConfigMaps and Secrets",
		RunE: func(cmd *cobra.Command, args []string) error {
			err := f.checkFormat()
			for _, name := range disabled {
				err = cmp.Or(err, oneOf("disable", "rule", name, lint.RuleNames()))
			}
			if err := cmp.Or(err, git.check(cmd, args, "config", "mode", "policy")); err != nil {
				return err
			}
			var found *lint.Report
			if git.commits != "" {
				found, err = f.lintCommits(args, stderr, &git, disabled)
			} else if args, err = manifestArgs(cmd, args, stdin); err != nil {
				return err
			} else {
				found, err = f.lint(args, stdin, &git.flags, disabled)
			}
			if err != nil {
				return fault(err)
			}
			if err = writeLint(stdout, found, f.output); err == nil && found.Fails() {
				err = &failure{code: exitDiffers}
			}
			return err
		},
		ValidArgsFunction: manifestFiles,
	}
	cmd.Flags().SortFlags = false
	f.add(cmd, string(report.Text), string(report.JSON), sarif, junit)
	addContext(cmd, &f.context)
	git.add(cmd, "if confighash will run over the manifests")
	cmd.Flags().StringArrayVar(&disabled, "disable", nil, "`rule` to leave out; repeatable")
	complete(cmd, "disable", values(lint.RuleNames()...))
	return cmd
}

// lint reads manifests and finds what is wrong with them now, or will be after the run that config asks for.
func (f *reportFlags) lint(args []string, stdin *os.File, config *flags, disabled []string) (*lint.Report, error) {
	asked, err := config.functionConfig()
	if err != nil {
		return nil, err
	}
	files, err := load.Files(args, stdin)
	if err != nil {
		return nil, err
	}
	s, err := f.toLint(files, asked)
	if err != nil {
		return nil, err
	}
	return s.lint(disabled)
}

func (s *set) lint(disabled []string) (*lint.Report, error) {
	return lint.Check(s.Graph, s.spec, disabled...)
}

// toLint reads manifests, which a run will change unless config is nil.
func (f *reportFlags) toLint(files []load.File, config *v1alpha1.ConfigHash) (set, error) {
	options, err := f.options()
	if err != nil {
		return set{}, err
	}
	options.Suffixes, options.Salt = true, hash.ShortSalt(os.Getenv("CONFIGHASH_SALT"))
	if config != nil {
		if config, err = config.Complete(); err != nil {
			return set{}, err
		}
		options.Spec = &config.Spec
		options.Namespace = cmp.Or(options.Namespace, config.Spec.Namespace)
		options.Salt = cmp.Or(hash.ShortSalt(config.Spec.Salt), options.Salt)
	}
	g, err := load.Of(files, options)
	return set{g, options.Spec}, err
}

// lintCommits finds problems that are new in the second of two commits.
func (f *reportFlags) lintCommits(args []string, stderr *os.File, git *gitFlags, disabled []string) (*lint.Report, error) {
	git.namespace, git.context = f.namespace, f.context
	all := lint.NewReport()
	err := git.environments(args, stderr, false, f.toLint, func(e environment) error {
		before, errBefore := e.before.lint(disabled)
		after, errAfter := e.after.lint(disabled)
		if err := cmp.Or(errBefore, errAfter); err != nil {
			return err
		}
		for i := range after.Findings { // line numbers of the output mean nothing in a kustomization
			if f := &after.Findings[i]; build.IsKustomization(f.File) {
				f.Line, f.Column = 1, 0
			}
		}
		all.AddNew(before, after)
		return nil
	})
	return all, err
}

func writeLint(stdout *os.File, found *lint.Report, format report.Format) error {
	w := bufio.NewWriterSize(stdout, 1<<16)
	if format == sarif {
		return flush(w, view.SARIF(w, found, stampedVersion()))
	}
	if format == junit {
		return flush(w, view.JUnit(w, found))
	}
	return writeReport(stdout, view.Lint(found), format)
}
