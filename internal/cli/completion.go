package cli

import (
	"github.com/spf13/cobra"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// completeFlags lets shells complete the values of the flags.
func completeFlags(root *cobra.Command) {
	for name, complete := range map[string]cobra.CompletionFunc{
		"mode": cobra.FixedCompletions([]cobra.Completion{
			cobra.CompletionWithDesc(string(v1alpha1.ModeRename), "append content hashes to names"),
			cobra.CompletionWithDesc(string(v1alpha1.ModeAnnotate), "stamp checksums on pod templates"),
		}, cobra.ShellCompDirectiveNoFileComp),
		"policy": cobra.FixedCompletions([]cobra.Completion{
			cobra.CompletionWithDesc(string(v1alpha1.PolicyAll), "all objects and workloads"),
			cobra.CompletionWithDesc(string(v1alpha1.PolicyOptIn), "those with the annotation "+v1alpha1.AnnotationRoll),
			cobra.CompletionWithDesc(string(v1alpha1.PolicyReloader), "those that Reloader's annotations select"),
			cobra.CompletionWithDesc(string(v1alpha1.PolicyWave), "those that wave's annotations select"),
		}, cobra.ShellCompDirectiveNoFileComp),
		"namespace": cobra.NoFileCompletions,
		"config":    cobra.FixedCompletions([]cobra.Completion{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt),
	} {
		if err := root.RegisterFlagCompletionFunc(name, complete); err != nil {
			panic(err) // there is no such flag
		}
	}
}
