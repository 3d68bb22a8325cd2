package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/confighash/confighash/internal/build"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/revision"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
)

// gitFlags are the flags of commands that read commits.
type gitFlags struct {
	buildFlags
	commits, render string
}

func (f *gitFlags) add(cmd *cobra.Command, use string) {
	cmd.Flags().StringVar(&f.commits, "git", "", "`commits` to compare, BASE, BASE..HEAD or BASE...HEAD, in place of files")
	cmd.Flags().StringVar(&f.render, "render", "", "with --git, a `command` that prints manifests, in place of folders")
	f.addConfig(cmd, use)
	f.addChanges(cmd)
	f.addKustomize(cmd)
	complete(cmd, "git", values())
	complete(cmd, "render", values())
}

// check rejects flags that need --git. For lint, the functionConfig's flags are valid without it.
func (f *gitFlags) check(cmd *cobra.Command, args []string, always ...string) error {
	if f.commits != "" {
		for _, name := range args {
			if f.render != "" && !environmentName().MatchString(name) {
				return fmt.Errorf("%q is not a name for an environment of --render: it must begin with a letter or a digit, and have only these and -, ., _ and /", name)
			}
		}
		return f.Check()
	}
	if cmd.Flags().Changed("git") { // --git got an unset variable
		return errors.New("--git names no commits; give BASE or BASE..HEAD, such as origin/main")
	}
	own := &cobra.Command{}
	new(gitFlags).add(own, "")
	var needless string
	cmd.Flags().Visit(func(given *pflag.Flag) {
		if own.Flags().Lookup(given.Name) != nil && !slices.Contains(always, given.Name) {
			needless = given.Name
		}
	})
	if needless != "" {
		return fmt.Errorf("--%s is for --git; give both, or neither", needless)
	}
	return nil
}

type environment struct {
	report.Environment
	before, after set
}

// A set is manifests, and the configuration of the confighash run that follows them, nil if none does.
type set struct {
	*graph.Graph
	spec *v1alpha1.Spec
}

// environments reads the environments that args name from both commits, and calls visit for each. read makes the set
// from a commit's manifests and, unless the function runs here, its functionConfig.
func (f *gitFlags) environments(args []string, stderr *os.File, runs bool, read reader, visit func(environment) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	pair, err := revision.Open(ctx, f.commits)
	switch {
	case err != nil && ctx.Err() != nil:
		return errors.New("--git: interrupted")
	case err != nil:
		return fmt.Errorf("--git: %w", err)
	}
	defer pair.Close()
	if pair.Uncommitted != "" {
		say(stderr, "warning", "--git: "+pair.Uncommitted+" has changes that are not committed, and these are not compared")
	}
	defer context.AfterFunc(ctx, func() {
		pair.Close()
		os.Exit(exitFault)
	})()
	r := &revisions{gitFlags: f, pair: pair, stderr: stderr, runs: runs, read: read}
	names, err := r.names(args)
	if err != nil {
		return err
	}
	r.several = len(names) > 1
	var all []error
	for _, name := range names {
		e, err := r.environment(name)
		if err == nil {
			err = visit(e)
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}

// A reader makes a set of manifests. config is nil unless a run is still to come.
type reader func(files []load.File, config *v1alpha1.ConfigHash) (set, error)

type revisions struct {
	*gitFlags
	pair    *revision.Pair
	stderr  *os.File
	runs    bool
	read    reader
	several bool
	// refusal is the message of a shell that did not find the command.
	refusal string
}

// names returns the environments that args name: paths in the repository or, with a command, any names.
func (r *revisions) names(args []string) ([]string, error) {
	switch {
	case r.render != "" && len(args) == 0:
		return []string{""}, nil
	case r.render != "":
		return args, nil
	case len(args) == 0:
		args = []string{"."}
	}
	var names []string
	for _, arg := range args {
		inside, ok := r.pair.Path(arg)
		if !ok {
			return nil, fmt.Errorf("%s: it is not in the repository", arg)
		}
		found := []string{inside}
		if strings.ContainsAny(arg, "*?[") {
			var err error
			if found, err = r.matches(inside); err != nil {
				return nil, fmt.Errorf("%s: %w", arg, err)
			}
		}
		if len(found) == 0 {
			return nil, r.neither(arg)
		}
		slices.Sort(found)
		for _, name := range found {
			if build.IsKustomization(name) {
				name = path.Dir(name)
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// matches returns the kustomizations of both trees that match a pattern or, if there are none, the files with
// manifests.
func (r *revisions) matches(pattern string) ([]string, error) {
	var kustomizations, files []string
	for _, tree := range []revision.Tree{r.pair.Before, r.pair.After} {
		found, err := fs.Glob(os.DirFS(tree.Root), pattern)
		if err != nil {
			return nil, errors.New("the pattern has a [ without a ]")
		}
		for _, name := range found {
			switch {
			case build.HasKustomization(filepath.Join(tree.Root, name)):
				kustomizations = append(kustomizations, name)
			case slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)):
				files = append(files, name)
			}
		}
	}
	if kustomizations != nil {
		return kustomizations, nil
	}
	return files, nil
}

// environment builds an environment from both commits.
func (r *revisions) environment(name string) (e environment, err error) {
	if e.Name = name; r.render == "" {
		e.Name = r.pair.Shown(name)
	}
	r.refusal = ""
	hadBefore, err := r.set(&r.pair.Before, &e.before, e.Name, name)
	if err != nil {
		return e, err
	}
	hasAfter, err := r.set(&r.pair.After, &e.after, e.Name, name)
	switch {
	case err != nil:
	case !hadBefore && !hasAfter:
		err = r.neither(e.Name)
	case !hadBefore:
		e.Change, e.Note = "Added", "It is new: "+r.pair.Before.Name+" does not have it."
	case !hasAfter:
		e.Change, e.Note = "Removed", "It is gone: "+r.pair.After.Name+" does not have it."
	}
	return e, err
}

// neither reports that both commits lack an environment.
func (r *revisions) neither(name string) error {
	commits := r.pair.Before.Name + " nor " + r.pair.After.Name
	switch {
	case r.render == "":
		return fmt.Errorf("%s: neither %s has a kustomization or manifests there; give what Git tracks", name, commits)
	case r.refusal != "":
		return fmt.Errorf("--render: the command runs on neither %s: %s", commits, r.refusal)
	}
	return fmt.Errorf("--render: the command prints manifests for neither %s", commits)
}

// set builds an environment from one commit, and reports whether the commit has it.
func (r *revisions) set(t *revision.Tree, into *set, shown, name string) (has bool, err error) {
	said := new(function.Output)
	files, config, err := r.files(t, shown, name, said)
	if err == nil {
		*into, err = r.read(files, config)
	}
	if err != nil {
		var all []error
		for _, e := range function.Errors(err) {
			inside := strings.NewReplacer(t.Root+string(filepath.Separator), "", t.Root, ".")
			all = append(all, errors.New(t.Name+": "+inside.Replace(e.Error())))
		}
		return false, errors.Join(all...)
	}
	prefix := ""
	if r.several {
		prefix = shown + ": "
	}
	if t == &r.pair.After { // messages about the other commit are not new
		tell(r.stderr, prefix, said)
	}
	return files != nil, nil
}

// files builds an environment from one commit, and returns nil if the commit lacks it. It also returns the
// functionConfig, unless the function ran.
func (r *revisions) files(t *revision.Tree, shown, name string, said *function.Output) ([]load.File, *v1alpha1.ConfigHash, error) {
	o := r.Options
	o.Optional, o.AllowEmpty = true, true
	var err error
	if o.Function, err = r.functionOptions(t); err != nil {
		return nil, nil, err
	}
	var files []load.File
	at := filepath.Join(t.Root, filepath.FromSlash(name))
	switch _, err := os.Stat(at); {
	case r.render != "":
		text, err := r.rendered(t, name)
		if err != nil || len(bytes.TrimSpace(text)) == 0 {
			return nil, nil, err
		}
		files = []load.File{{Name: shown, Data: text}}
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case build.HasKustomization(at) && r.runs:
		text, out, err := build.Run(at, o)
		if err == nil {
			*said = *out
		}
		return []load.File{{Name: shown, Data: text}}, nil, err
	case build.HasKustomization(at):
		in, err := build.Read(at, o)
		if err != nil {
			return nil, nil, err
		}
		return []load.File{{Name: r.inside(t, in.Name), Data: in.Text}}, in.Config, nil
	default:
		err := load.Each([]string{at}, nil, func(file string, data []byte) error {
			files = append(files, load.File{Name: r.inside(t, file), Data: data})
			return within(t, file)
		})
		if err != nil || files == nil {
			return nil, nil, err
		}
	}
	if o.Function.Config == nil || !r.runs {
		return files, o.Function.Config, nil
	}
	files, err = processed(files, shown, o.Function, said)
	return files, nil, err
}

// within rejects a link that leads out of a commit's files: a report could show its author other files of the machine.
func within(t *revision.Tree, file string) error {
	target, err := filepath.EvalSymlinks(file)
	if err == nil && !strings.HasPrefix(target, t.Root+string(filepath.Separator)) {
		err = fmt.Errorf("%s: it is a link that leads out of the repository; commit the file itself", file)
	}
	return err
}

// inside returns the path of a file in a tree as the user would write it.
func (r *revisions) inside(t *revision.Tree, file string) string {
	return r.pair.Shown(filepath.ToSlash(strings.TrimPrefix(file, t.Root+string(filepath.Separator))))
}

// processed runs the function over files, as one stream.
func processed(files []load.File, shown string, o function.Options, said *function.Output) ([]load.File, error) {
	var in, out bytes.Buffer
	for _, f := range files {
		in.WriteString("---\n")
		in.Write(f.Data)
		in.WriteString("\n")
	}
	ran, err := function.Process(in.Bytes(), &out, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	*said = *ran
	return []load.File{{Name: shown, Data: out.Bytes()}}, nil
}

// notFound is the exit code of a shell that does not find a program. If only one commit fails with it, that commit
// lacks the program.
const notFound = 127

// longestSaid is how many bytes of a command's messages are shown, counted from the end.
const longestSaid = 2000

// rendered runs the command in a commit's files, and returns its output, which is empty if the commit lacks the
// command.
func (r *revisions) rendered(t *revision.Tree, name string) ([]byte, error) {
	cmd := exec.Command("sh", "-c", r.render, "confighash", name)
	cmd.Dir = r.pair.Dir(t)
	if _, err := os.Stat(cmd.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err == nil {
		return out, nil
	}
	said := strings.TrimSpace(stderr.String())
	if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == notFound {
		r.refusal = said
		return nil, nil
	}
	if cut := len(said) - longestSaid; cut > 0 {
		said = "…" + strings.ToValidUTF8(said[cut:], "")
	}
	if said != "" {
		said = ": " + said
	}
	return nil, fmt.Errorf("--render: the command fails with %w%s; if the commit has nothing to render, let it print nothing and succeed", err, said)
}

// functionOptions returns the options of the function, with the functionConfig of the commit.
func (r *revisions) functionOptions(t *revision.Tree) (function.Options, error) {
	flags := r.flags
	if inside, ok := r.pair.Path(r.config); ok && r.config != "" {
		has := func(t *revision.Tree) bool {
			_, err := os.Stat(filepath.Join(t.Root, inside))
			return err == nil
		}
		switch {
		case has(t):
			flags.config = filepath.Join(t.Root, inside)
			if err := within(t, flags.config); err != nil {
				return function.Options{}, fmt.Errorf("--config: %w", err)
			}
		case has(&r.pair.Before), has(&r.pair.After):
			flags.config = "" // confighash was added or removed between the commits
		default:
			return function.Options{}, fmt.Errorf("--config: neither commit has %s; give a file that Git tracks, or one outside of the repository", r.config)
		}
	}
	options, _, err := flags.options()
	return options, err
}
