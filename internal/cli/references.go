package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/confighash/confighash/internal/catalog/list"
)

func newReferences() *cobra.Command {
	return &cobra.Command{
		Use:               "references [KIND[.GROUP]]…",
		Short:             "Print which fields of which kinds are followed",
		ValidArgsFunction: completeKinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			if len(args) == 0 {
				return fault(list.Kinds(out))
			}
			return fault(list.Fields(out, args))
		},
	}
}

// completeKinds completes kinds of the catalogue, also if typed in lower case.
func completeKinds(_ *cobra.Command, given []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var kinds []cobra.Completion
	for _, name := range list.Names() {
		if len(name) >= len(typed) && strings.EqualFold(name[:len(typed)], typed) && !slices.Contains(given, name) {
			kinds = append(kinds, typed+name[len(typed):]) // bash drops what does not begin with typed
		}
	}
	return kinds, cobra.ShellCompDirectiveNoFileComp
}
