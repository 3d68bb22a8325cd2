package cli

import (
	"github.com/spf13/cobra"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// completeFlags tells shells which values the flags take.
func completeFlags(root *cobra.Command) {
	for name, complete := range map[string]cobra.CompletionFunc{
		"mode": cobra.FixedCompletions([]cobra.Completion{
			cobra.CompletionWithDesc(string(v1alpha1.ModeRename), "append content hashes to names"),
			cobra.CompletionWithDesc(string(v1alpha1.ModeAnnotate), "stamp checksums on pod templates"),
		}, cobra.ShellCompDirectiveNoFileComp),
		"policy": cobra.FixedCompletions([]cobra.Completion{
			cobra.CompletionWithDesc(string(v1alpha1.PolicyAll), "everything takes part"),
			cobra.CompletionWithDesc(string(v1alpha1.PolicyOptIn), "what has the annotation "+v1alpha1.AnnotationRoll),
			cobra.CompletionWithDesc(string(v1alpha1.PolicyReloader), "what Reloader's annotations say"),
			cobra.CompletionWithDesc(string(v1alpha1.PolicyWave), "what wave's annotations say"),
		}, cobra.ShellCompDirectiveNoFileComp),
		"namespace": cobra.NoFileCompletions,
		"config":    cobra.FixedCompletions([]cobra.Completion{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt),
	} {
		if err := root.RegisterFlagCompletionFunc(name, complete); err != nil {
			panic(err) // there is no such flag
		}
	}
}
