package cli

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/confighash/confighash/internal/build"
	"github.com/confighash/confighash/internal/typo"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// flagError explains an error in a flag of cmd, and suggests the flag that may be meant.
func flagError(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		text := err.Error()
		if before, _, isNumber := strings.Cut(text, ": strconv."); isNumber {
			return errors.New(before + ": it must be a whole number")
		}
		if before, _, isDuration := strings.Cut(text, ": time: "); isDuration {
			return errors.New(before + ": it must be a duration, such as 36h")
		}
		return err
	}
	// One argument may hold both the flag and its value, which may be secret.
	name, _, glued := strings.Cut(unknown.GetSpecifiedName(), " ")
	switch {
	case glued && cmd.Flags().Lookup(name) != nil:
		return fmt.Errorf("unknown flag: one argument holds --%s and its value; give two arguments, or --%[1]s=VALUE", name)
	case unknown.GetSpecifiedShortnames() == "":
		return fmt.Errorf("unknown flag: --%s%s", name, didYouMean(cmd, name))
	case name == "f" && strings.Contains(cmd.Use, "[FILE"):
		return fmt.Errorf("unknown flag: -f; give files without it: %s FILE", cmd.CommandPath())
	}
	var long []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if strings.HasPrefix(f.Name, name) {
			long = append(long, "--"+f.Name)
		}
	})
	if len(long) == 1 {
		return fmt.Errorf("unknown flag: -%s; did you mean %s?", name, long[0])
	}
	return fmt.Errorf("unknown flag: -%s", name)
}

// didYouMean returns "; did you mean X?" if word is like a flag or command of cmd or, for the root command, a mode;
// otherwise "".
func didYouMean(cmd *cobra.Command, word string) string {
	shown := map[string]string{}
	if !cmd.HasParent() {
		for _, mode := range []v1alpha1.Mode{v1alpha1.ModeRename, v1alpha1.ModeAnnotate} {
			shown[string(mode)] = "--mode " + string(mode)
		}
	}
	for _, c := range cmd.Commands() {
		shown[c.Name()] = cmd.CommandPath() + " " + c.Name()
	}
	if cmd.Flags().Lookup("to") != nil { // common names of the two sets
		shown["before"], shown["old"], shown["after"], shown["new"] = "--from", "--from", "--to", "--to"
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { shown[f.Name] = "--" + f.Name })
	meant := typo.Meant(word, slices.Sorted(maps.Keys(shown)))
	if meant == nil {
		return ""
	}
	for i, name := range meant {
		meant[i] = shown[name]
	}
	return "; did you mean " + strings.Join(meant, " or ") + "?"
}

// unexpected explains the first argument of the root command, which takes none.
func unexpected(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	// Somebody may write salt=VALUE as for kpt. The value must not be printed.
	name, _, _ := strings.Cut(args[0], "=")
	if build.HasKustomization(args[0]) {
		return fmt.Errorf("unexpected argument %q: it is a kustomization; did you mean confighash build %[1]s?", name)
	}
	if _, err := os.Stat(args[0]); err == nil {
		return fmt.Errorf("unexpected argument %q: manifests are read from stdin; give a file as --file %[1]s", name)
	}
	if hint := didYouMean(root, name); hint != "" {
		return fmt.Errorf("%q is not a command%s", name, hint)
	}
	return fmt.Errorf("unexpected argument %q: it is not a command, and manifests are read from stdin or from --file", name)
}

// refuseUnknown makes cobra's own commands reject unknown commands. By default they print help and succeed.
func refuseUnknown(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				topic, rest, _ := root.Find(args)
				return notACommand(topic, rest)
			}
		case "completion":
			c.Args = notACommand
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() } // otherwise cobra ignores Args
		}
	}
}

// notACommand rejects arguments of a command that takes only commands.
func notACommand(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasParent():
		return asFailure(cmd, fmt.Errorf("%q is not a command of %s%s", args[0], cmd.CommandPath(), didYouMean(cmd, args[0])))
	}
	return asFailure(cmd, fmt.Errorf("%q is not a command%s", args[0], didYouMean(cmd, args[0])))
}

// noArgs rejects arguments. For a command that compares manifests, they are probably the sets.
func noArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.Flags().Lookup("to") == nil:
		return fmt.Errorf("%s takes no arguments, and %q is given", cmd.Name(), args[0])
	case len(args) == 2:
		return fmt.Errorf("%s takes no arguments; did you mean --from %s --to %s?", cmd.Name(), args[0], args[1])
	}
	return fmt.Errorf("%s takes no arguments without --git, and %q is given; give commits with --git, or manifests with --from and --to", cmd.Name(), args[0])
}
