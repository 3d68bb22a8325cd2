package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/pkg/function"
)

// reportFlags are those of the commands that read sets of manifests and write a report.
type reportFlags struct {
	output, namespace string
	formats           []string // that output may name
	context           []string
}

func (f *reportFlags) add(cmd *cobra.Command, formats ...string) {
	f.formats = formats
	cmd.Flags().StringVarP(&f.output, "output", "o", string(report.Text), "`format`: "+strings.Join(formats, ", "))
	complete(cmd, "output", values(formats...))
	f.addNamespace(cmd)
}

func (f *reportFlags) addNamespace(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.namespace, "namespace", "", namespaceUsage)
	complete(cmd, "namespace", values())
}

// format returns the format that the flags name.
func (f *reportFlags) format() (report.Format, error) {
	format, err := report.Parse[report.Format]("format", f.output, f.formats)
	if err != nil {
		return "", fmt.Errorf("--output: %w", err)
	}
	return format, nil
}

// options say how to read manifests. Size bounds the garbage of all sets together.
func (f *reportFlags) options() (load.Options, error) {
	if err := graph.CheckNamespace(f.namespace); err != nil {
		return load.Options{}, fmt.Errorf("--namespace %w", err)
	}
	context, err := load.Files(f.context, nil)
	if err != nil {
		return load.Options{}, fmt.Errorf("--context: %w", err)
	}
	size := 0
	return load.Options{Namespace: f.namespace, Context: context, Size: func(bytes int) {
		size += bytes
		boundGarbage(size)
	}}, nil
}

// writeReport writes a view to stdout, in colours if that is a terminal.
func writeReport(stdout *os.File, v report.View, f report.Format) error {
	w := bufio.NewWriterSize(stdout, 1<<16)
	return flush(w, report.Write(w, v, f, hasColours(stdout)))
}

// stdinTwice reports whether stdin is among files and folders more than once.
func stdinTwice(all []string) bool {
	first := slices.Index(all, load.Stdin)
	return first >= 0 && slices.Contains(all[first+1:], load.Stdin)
}

// comparisonFlags are those of the commands that compare two sets of manifests.
type comparisonFlags struct {
	reportFlags
	from, to    []string
	environment string
}

func (f *comparisonFlags) add(cmd *cobra.Command, formats ...string) {
	cmd.Flags().SortFlags = false
	cmd.Flags().StringArrayVar(&f.from, "from", nil, "`manifests` as they are: a file, a folder, or - for stdin; can be repeated")
	cmd.Flags().StringArrayVar(&f.to, "to", nil, "`manifests` as they will be")
	f.reportFlags.add(cmd, formats...)
	cmd.Flags().StringVar(&f.environment, "environment", "", "`name` of what the manifests are for, such as prod: for the title, and the first line of Markdown")
	complete(cmd, "environment", values())
}

// environmentName matches a name that ends no comment in Markdown.
const environmentName = `^[A-Za-z0-9][-A-Za-z0-9._/]{0,99}$`

// check returns the format, and an error if the flags name no two sets.
func (f *comparisonFlags) check() (report.Format, error) {
	format, err := f.format()
	switch {
	case err != nil:
		return "", err
	case len(f.from) == 0 || len(f.to) == 0:
		return "", errors.New("both --from and --to are needed: the manifests as they are, and as they will be")
	case f.environment != "" && !regexp.MustCompile(environmentName).MatchString(f.environment):
		return "", fmt.Errorf("--environment %q must begin with a letter or a digit, and have only these and -, ., _ and /, 100 at most", f.environment)
	case stdinTwice(slices.Concat(f.from, f.to)):
		return "", errors.New("- is stdin, which can be read once; give a file for one of the sets")
	}
	return format, nil
}

// read reads both sets.
func (f *comparisonFlags) read(stdin *os.File) (before, after *graph.Graph, err error) {
	options, err := f.options()
	if err != nil {
		return nil, nil, err
	}
	before, errBefore := load.Graph(f.from, stdin, options)
	after, errAfter := load.Graph(f.to, stdin, options)
	return before, after, errors.Join(named("--from", errBefore), named("--to", errAfter))
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
