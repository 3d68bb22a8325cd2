package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by Main.
var version = "dev"

// stampedVersion returns the version from the linker, or else the module's, which `go install MODULE@VERSION` records.
func stampedVersion() string {
	if version == "dev" { // otherwise reading the build information would slow the start
		if info, ok := debug.ReadBuildInfo(); ok {
			return versionOf(version, info.Main)
		}
	}
	return version
}

// versionOf returns the version of main, or stamped if it was built from a working copy, which has no checksum.
func versionOf(stamped string, main debug.Module) string {
	if main.Sum == "" || main.Version == "" {
		return stamped
	}
	return main.Version
}

func printing(name, short string, text func() string) *cobra.Command {
	return &cobra.Command{
		Use:               name,
		Short:             short,
		Args:              noArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		Run:               func(cmd *cobra.Command, _ []string) { fmt.Fprint(cmd.OutOrStdout(), text()) },
	}
}
