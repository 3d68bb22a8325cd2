package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// reportFlags are the flags of commands that read sets of manifests and write a report.
type reportFlags struct {
	output    report.Format
	formats   []string // the values that output accepts
	namespace string
	context   []string
}

func (f *reportFlags) add(cmd *cobra.Command, formats ...string) {
	f.formats = formats
	cmd.Flags().StringVarP((*string)(&f.output), "output", "o", string(report.Text), "`format`: "+strings.Join(formats, ", "))
	complete(cmd, "output", values(formats...))
	f.addNamespace(cmd)
}

func (f *reportFlags) addNamespace(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.namespace, "namespace", "", namespaceUsage)
	complete(cmd, "namespace", values())
}

func (f *reportFlags) checkFormat() error {
	return oneOf("output", "format", string(f.output), f.formats)
}

// oneOf returns an error that lists all values of a flag, unless value is one of them.
func oneOf(flag, what, value string, all []string) error {
	return graph.Prefixed("--"+flag, report.OneOf(what, value, all))
}

// options returns how to read manifests. Size bounds the garbage of all sets together.
func (f *reportFlags) options() (load.Options, error) {
	if err := graph.CheckNamespace(f.namespace); err != nil {
		return load.Options{}, fmt.Errorf("--namespace %w", err)
	}
	context, err := load.Files(f.context, nil)
	size := 0
	return load.Options{Namespace: f.namespace, Context: context, Size: func(bytes int) {
		size += bytes
		boundGarbage(size)
	}}, graph.Prefixed("--context", err)
}

// read reads the manifests that args name.
func (f *reportFlags) read(cmd *cobra.Command, args []string, stdin *os.File) (*load.Set, error) {
	args, err := manifestArgs(cmd, args, stdin)
	if err != nil {
		return nil, err
	}
	options, err := f.options()
	if err != nil {
		return nil, fault(err)
	}
	set, err := load.Read(args, stdin, options)
	return set, fault(err)
}

// reading returns a command that reads manifests, with no flag of its own.
func reading(name, short string, stdin *os.File, run func(*load.Set) error) *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   name + " [FILE|DIR|-]…",
		Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := f.read(cmd, args, stdin)
			if err != nil {
				return err
			}
			return run(set)
		},
		ValidArgsFunction: manifestFiles,
	}
	f.addNamespace(cmd)
	return cmd
}

func writeReport(stdout *os.File, v report.View, f report.Format) error {
	w := bufio.NewWriterSize(stdout, 1<<16)
	return flush(w, report.Write(w, v, f, hasColours(stdout)))
}

func stdinTwice(all []string) bool {
	first := slices.Index(all, load.Stdin)
	return first >= 0 && slices.Contains(all[first+1:], load.Stdin)
}

// comparisonFlags are the flags of commands that compare two sets of manifests.
type comparisonFlags struct {
	reportFlags
	from, to    []string
	environment string
	git         gitFlags
}

func (f *comparisonFlags) add(cmd *cobra.Command, formats ...string) {
	cmd.Flags().SortFlags = false
	cmd.Flags().StringArrayVar(&f.from, "from", nil, "`manifests` as they are: a file, a folder, or - for stdin; can be repeated")
	cmd.Flags().StringArrayVar(&f.to, "to", nil, "`manifests` as they will be")
	f.reportFlags.add(cmd, formats...)
	cmd.Flags().StringVar(&f.environment, "environment", "", "`name` of what the manifests are for, such as prod: for the title, and the first line of Markdown")
	complete(cmd, "environment", values())
	f.git.add(cmd, "for --git")
}

// environmentName matches names that are safe within a Markdown comment.
var environmentName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][-A-Za-z0-9._/]{0,99}$`) })

// check returns an error if the flags do not name two sets.
func (f *comparisonFlags) check(cmd *cobra.Command, args []string) error {
	switch err := f.checkFormat(); {
	case err != nil:
		return err
	case f.environment != "" && !environmentName().MatchString(f.environment):
		return fmt.Errorf("--environment %q must begin with a letter or a digit, and have only these and -, ., _ and /, 100 at most", f.environment)
	case f.git.commits != "" && len(f.from)+len(f.to) > 0:
		return errors.New("--git is given with --from or --to; leave these out, or compare files without --git")
	case f.git.commits != "":
		return f.git.check(cmd, args)
	}
	switch err := cmp.Or(f.git.check(cmd, args), noArgs(cmd, args)); {
	case err != nil:
		return err
	case len(f.from) == 0 || len(f.to) == 0:
		return errors.New("both --from and --to are needed: the manifests as they are, and as they will be; or --git BASE")
	case stdinTwice(slices.Concat(f.from, f.to)):
		return errors.New("- is stdin, which can be read only once; give a file for one of the sets")
	}
	return nil
}

// show reads both sets of each environment, and writes the views that visit makes from them.
func (f *comparisonFlags) show(args []string, stdin, stdout, stderr *os.File, visit func(environment) (report.View, error)) error {
	options, err := f.options()
	if err != nil {
		return fault(err)
	}
	var all []report.Environment
	add := func(e environment) (err error) {
		e.View, err = visit(e)
		all = append(all, e.Environment)
		return err
	}
	ofCommits := f.git.commits != ""
	if ofCommits {
		f.git.namespace, f.git.context = f.namespace, f.context
		err = f.git.environments(args, stderr, true, func(files []load.File, _ *v1alpha1.ConfigHash) (set, error) {
			g, err := load.Of(files, options)
			return set{Graph: g}, err
		}, add)
	} else {
		before, errBefore := load.Graph(f.from, stdin, options)
		after, errAfter := load.Graph(f.to, stdin, options)
		if err = errors.Join(graph.Prefixed("--from", errBefore), graph.Prefixed("--to", errAfter)); err == nil {
			err = add(environment{before: set{Graph: before}, after: set{Graph: after}})
		}
	}
	if err != nil {
		return fault(err)
	}
	if !ofCommits || len(all) == 1 && f.environment != "" {
		all[0].Name = f.environment
	}
	if !ofCommits {
		return writeReport(stdout, all[0], f.output)
	}
	w := bufio.NewWriterSize(stdout, 1<<16)
	return flush(w, report.WriteEach(w, all, f.environment, f.output, hasColours(stdout)))
}
