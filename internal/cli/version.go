package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is what the linker gave the program; see Main.
var version = "dev"

// stampedVersion returns the version of this program: the linker's, or the module's if
// `go install MODULE@VERSION` built it without one.
func stampedVersion() string {
	if version != "dev" {
		return version // reading the build information would slow the start
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}
	return versionOf(version, info.Main)
}

// versionOf returns the version of main, or stamped if it was built from a working copy,
// which has no checksum.
func versionOf(stamped string, main debug.Module) string {
	if main.Sum == "" || main.Version == "" {
		return stamped
	}
	return main.Version
}

// printing returns a command that prints a text.
func printing(name, short string, text func() string) *cobra.Command {
	return &cobra.Command{
		Use:               name,
		Short:             short,
		Args:              noArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		Run:               func(cmd *cobra.Command, _ []string) { fmt.Fprint(cmd.OutOrStdout(), text()) },
	}
}
