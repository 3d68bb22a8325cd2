package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
)

// Exit codes.
const (
	exitFault   = 1 // the input or the functionConfig is wrong
	exitUsage   = 2 // the command line is wrong
	exitDiffers = 3 // --check or diff found a difference, or lint a finding
	exitBudget  = 5 // impact exceeded a budget
)

// A failure is an error with the lines to print and the exit code.
type failure struct {
	lines []string
	code  int
}

func (f *failure) Error() string { return strings.Join(f.lines, "\n") }

// asFailure converts an error of cmd to a failure. Errors that are not failures concern the command line.
func asFailure(cmd *cobra.Command, err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	line := err.Error()
	if !strings.HasSuffix(line, "?") {
		line += ";"
	}
	return &failure{lines: []string{line + " see " + cmd.CommandPath() + " --help"}, code: exitUsage}
}

// fault returns a failure of the input with a line for each of the errors that err joins, nil if err is nil.
func fault(err error) error {
	if err == nil {
		return nil
	}
	f := &failure{code: exitFault}
	var findings []graph.Finding
	for _, e := range function.Errors(err) {
		if finding, ok := errors.AsType[graph.Finding](e); ok && e.Error() == finding.String() {
			findings = append(findings, finding)
		} else {
			f.lines = append(f.lines, strings.TrimSpace(e.Error()))
		}
	}
	for _, s := range graph.Sentences(findings) {
		f.lines = append(f.lines, s.Text)
	}
	// kustomize prints the message without saying whose it is.
	if named, ok := errors.AsType[*function.ConfigError](err); ok {
		for i := range f.lines {
			f.lines[i] = named.FunctionConfig + ": " + f.lines[i]
		}
	}
	return f
}

const namespaceUsage = "`namespace` where you apply objects that name none"

type flags struct {
	file, config                string
	mode, policy, namespace     string
	jobs                        string
	previous, context           []string
	dropLabels, dropAnnotations []string
	keep                        int
	keeps                       bool // --keep was given
	check, quiet                bool
}

// NewRoot returns the command over these streams.
func NewRoot(stdin, stdout, stderr *os.File) *cobra.Command {
	var f flags
	root := &cobra.Command{
		Use:           "confighash [flags] < manifests > manifests",
		Short:         "Restart workloads when their ConfigMaps and Secrets change",
		Version:       stampedVersion(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unexpected,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.checkKeep(cmd); err != nil {
				return err
			}
			if f.file == load.Stdin && term.IsTerminal(int(stdin.Fd())) {
				_ = cmd.Usage()
				return &failure{code: exitUsage, lines: []string{"stdin is a terminal: manifests are read from stdin or from --file"}}
			}
			return transform(f, stdin, stdout, stderr)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	root.SetFlagErrorFunc(flagError)
	root.Flags().StringVarP(&f.file, "file", "f", load.Stdin, "`file` with manifests, - for stdin")
	f.add(root)
	complete(root, "file", manifestFiles)
	root.Flags().BoolVar(&f.check, "check", false, "print a diff of what would change instead of manifests, and exit 3 if there is one")
	root.AddCommand(
		newBuild(stdout, stderr), newReferences(), newInstall(), newImpact(stdin, stdout, stderr), newDiff(stdin, stdout, stderr), newStrip(stdin, stdout, stderr),
		newGraph(stdin, stdout), newNames(stdin, stdout), newLint(stdin, stdout, stderr), newGC(stdin, stdout),
		printing("schema", "Print the JSON schema of the functionConfig", func() string { return string(v1alpha1.Schema()) }),
		printing("version", "Print the version, as --version does", func() string { return "confighash version " + stampedVersion() + "\n" }),
	)
	describe(root)
	return root
}

// addConfig adds the flags that set the functionConfig; use says in their help when to give it.
func (f *flags) addConfig(cmd *cobra.Command, use string) {
	cmd.Flags().StringVar(&f.config, "config", "", "`file` with the functionConfig, "+use)
	cmd.Flags().StringVar(&f.mode, "mode", "", "`mode` instead of a functionConfig: Rename or Annotate")
	cmd.Flags().StringVar(&f.policy, "policy", "", "`policy` with --mode: All, OptIn, Reloader or Wave (default All)")
	completeConfig(cmd)
}

func (f *flags) add(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	f.addConfig(cmd, "for an input that has none")
	cmd.Flags().StringVar(&f.namespace, "namespace", "", namespaceUsage)
	complete(cmd, "namespace", values())
	f.addChanges(cmd)
	cmd.Flags().IntVar(&f.keep, "keep", 0, "how many earlier `versions` of each renamed object to carry along; needs --previous")
	cmd.Flags().StringArrayVar(&f.previous, "previous", nil, "what the last run `wrote`: a file or a folder, empty on the first run; can be repeated")
	addContext(cmd, &f.context)
	cmd.Flags().BoolVar(&f.quiet, "quiet", false, "omit the summary on a terminal")
}

// addChanges adds the flags that override fields of the functionConfig.
func (f *flags) addChanges(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.dropLabels, "drop-label", nil, "`key` of a label to drop from pod templates unless a selector needs it, as in helm.sh/chart; can be repeated")
	cmd.Flags().StringArrayVar(&f.dropAnnotations, "drop-annotation", nil, "`key` of an annotation to drop from pod templates, as in 'checksum/*'; can be repeated")
	cmd.Flags().StringVar(&f.jobs, "jobs", "", "`what` happens to the names of Jobs: Leave, or Rename by what they run (default Leave)")
	complete(cmd, "jobs", values(
		cobra.CompletionWithDesc(string(v1alpha1.JobsLeave), "Jobs keep their names"),
		cobra.CompletionWithDesc(string(v1alpha1.JobsRename), "append a hash of what they run"),
	))
}

func (f *flags) checkKeep(cmd *cobra.Command) error {
	if f.keeps = cmd.Flags().Changed("keep"); f.keeps && f.keep < 0 {
		return fmt.Errorf("--keep must be a whole number, 0 or more, not %d", f.keep)
	}
	return nil
}

// options returns the options from flags and environment, and the total size of the files that they name.
func (f flags) options() (function.Options, int, error) {
	config, err := f.functionConfig()
	if err != nil {
		return function.Options{}, 0, err
	}
	helmNamespace := os.Getenv("HELM_NAMESPACE")
	for name, value := range map[string]string{"--namespace": f.namespace, "HELM_NAMESPACE": helmNamespace} {
		if err := graph.CheckNamespace(value); err != nil {
			return function.Options{}, 0, fmt.Errorf("%s %w", name, err)
		}
	}
	options := function.Options{
		Config:          config,
		Namespace:       f.namespace,
		FilterNamespace: helmNamespace,
		Salt:            os.Getenv("CONFIGHASH_SALT"),
	}
	if f.jobs != "" {
		if options.Jobs, err = v1alpha1.ParseJobs(f.jobs); err != nil {
			return options, 0, fmt.Errorf("--%w", err)
		}
	}
	if f.keeps {
		options.Keep = &f.keep
	}
	size := 0
	if f.previous != nil {
		if options.Previous, err = manifestsIn("--previous", f.previous, &size); err != nil {
			return options, 0, err
		}
	}
	options.Context, err = manifestsIn("--context", f.context, &size)
	return options, size, err
}

func (f flags) input(stdin *os.File) ([]byte, error) {
	if f.file == load.Stdin {
		data, err := io.ReadAll(stdin)
		return data, graph.Prefixed("reading stdin", err)
	}
	if info, err := os.Stat(f.file); err == nil && info.IsDir() {
		return nil, fmt.Errorf("--file: %s is a folder; build it first, or give one file", f.file)
	}
	data, err := os.ReadFile(f.file)
	return data, graph.Prefixed("--file", err)
}

func transform(f flags, stdin, stdout, stderr *os.File) error {
	options, size, err := f.options()
	if err != nil {
		return fault(err)
	}
	data, err := f.input(stdin)
	if err != nil {
		return fault(err)
	}
	boundGarbage(size + len(data))
	w := bufio.NewWriterSize(stdout, 1<<20)
	var out *function.Output
	var differs bool
	if f.check {
		differs, out, err = function.Check(data, w, options)
	} else {
		out, err = function.Process(data, w, options)
	}
	if err := flush(w, err); err != nil {
		return err
	}
	tell(stderr, "", out)
	switch {
	case differs:
		return &failure{code: exitDiffers}
	case f.quiet:
	case out.Idle != "" || !f.check:
		summarize(stderr, "", out)
	}
	return nil
}

// tell writes the function's messages.
func tell(stderr *os.File, prefix string, out *function.Output) {
	for _, m := range out.Messages {
		say(stderr, string(m.Severity), prefix+m.Text)
	}
}

// summarize writes why nothing happened or, if stderr is a terminal, a summary.
func summarize(stderr *os.File, prefix string, out *function.Output) {
	if out.Idle != "" {
		say(stderr, "info", prefix+"nothing is renamed or stamped: "+out.Idle)
	} else if out.Summary != "" && term.IsTerminal(int(stderr.Fd())) {
		say(stderr, "info", prefix+out.Summary)
	}
}

// flush flushes w, and returns the failure of a run that ended with err, nil if there is none.
func flush(w *bufio.Writer, err error) error {
	var writeError *function.WriteError
	switch flushErr := w.Flush(); {
	case flushErr == nil || errors.As(err, &writeError):
	case errors.Is(err, flushErr): // w keeps the error of an earlier write
		err = &function.WriteError{Err: flushErr}
	default:
		err = errors.Join(err, &function.WriteError{Err: flushErr})
	}
	return fault(err)
}

// functionConfig returns the functionConfig from the flags, nil if they give none.
func (f flags) functionConfig() (*v1alpha1.ConfigHash, error) {
	config, err := f.baseConfig()
	switch {
	case err != nil || len(f.dropLabels)+len(f.dropAnnotations) == 0:
		return config, err
	case config == nil:
		return nil, errors.New("--drop-label or --drop-annotation is given without --mode or --config; give one of these")
	}
	drop := &config.Spec.PodMetadata
	drop.DropLabels, drop.DropAnnotations = append(drop.DropLabels, f.dropLabels...), append(drop.DropAnnotations, f.dropAnnotations...)
	return config, nil
}

func (f flags) baseConfig() (*v1alpha1.ConfigHash, error) {
	switch {
	case f.config != "" && f.mode+f.policy != "":
		return nil, errors.New("--config is given with --mode or --policy; leave these out, and set spec.mode and spec.policy in the file")
	case f.config != "":
		return readConfig(f.config)
	case f.mode == "" && f.policy != "":
		return nil, errors.New("--policy is given without --mode; give --mode Rename or --mode Annotate, too")
	case f.mode == "":
		return nil, nil //nolint:nilnil // the input has to bring it
	}
	return configOf("--", f.mode, f.policy)
}

// configOf returns the functionConfig with a mode and a policy, All if that is empty. An error begins with what names
// them.
func configOf(what, mode, policy string) (*v1alpha1.ConfigHash, error) {
	m, noMode := v1alpha1.ParseMode(mode)
	p, noPolicy := v1alpha1.ParsePolicy(cmp.Or(policy, string(v1alpha1.PolicyAll)))
	if err := cmp.Or(noMode, noPolicy); err != nil {
		return nil, fmt.Errorf("%s%w", what, err)
	}
	return v1alpha1.New(m, p), nil
}

func readConfig(file string) (*v1alpha1.ConfigHash, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	config, err := v1alpha1.ParseYAML(data)
	return config, graph.Prefixed("--config "+file, err)
}
