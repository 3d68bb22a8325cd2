package cli

import (
	"github.com/spf13/cobra"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

var manifestFiles = cobra.FixedCompletions([]cobra.Completion{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt)

// completeConfig adds shell completion for the flags that set the functionConfig.
func completeConfig(cmd *cobra.Command) {
	complete(cmd, "mode", values(
		cobra.CompletionWithDesc(string(v1alpha1.ModeRename), "append content hashes to names"),
		cobra.CompletionWithDesc(string(v1alpha1.ModeAnnotate), "stamp checksums on pod templates"),
	))
	complete(cmd, "policy", values(
		cobra.CompletionWithDesc(string(v1alpha1.PolicyAll), "all objects and workloads"),
		cobra.CompletionWithDesc(string(v1alpha1.PolicyOptIn), "those with the annotation "+v1alpha1.AnnotationRoll),
		cobra.CompletionWithDesc(string(v1alpha1.PolicyReloader), "those that Reloader's annotations select"),
		cobra.CompletionWithDesc(string(v1alpha1.PolicyWave), "those that wave's annotations select"),
	))
	complete(cmd, "config", manifestFiles)
}

// values completes the given values, without files.
func values(all ...cobra.Completion) cobra.CompletionFunc {
	return cobra.FixedCompletions(all, cobra.ShellCompDirectiveNoFileComp)
}

func complete(cmd *cobra.Command, flag string, completion cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, completion); err != nil {
		panic(err) // the flag does not exist
	}
}
