package cli

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/confighash/confighash/internal/catalog/list"
)

func newReferences() *cobra.Command {
	var markdown bool
	command := &cobra.Command{
		Use:               "references [KIND[.GROUP]]…",
		Short:             "Print which fields of which kinds are followed",
		ValidArgsFunction: completeKinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			if markdown && len(args) > 0 {
				return fmt.Errorf("--markdown prints all kinds; leave out %q", args[0])
			}
			out := bufio.NewWriter(cmd.OutOrStdout())
			var err error
			switch {
			case markdown:
				list.Page(out)
			case len(args) == 0:
				err = list.Kinds(out)
			default:
				err = list.Fields(out, args)
			}
			return flush(out, err)
		},
	}
	command.Flags().BoolVar(&markdown, "markdown", false, "print a page with all fields of all kinds")
	return command
}

// completeKinds completes the kinds of the catalogue, in lower case as well.
func completeKinds(_ *cobra.Command, given []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var kinds []cobra.Completion
	for _, name := range list.Names() {
		if len(name) >= len(typed) && strings.EqualFold(name[:len(typed)], typed) && !slices.Contains(given, name) {
			kinds = append(kinds, typed+name[len(typed):]) // bash drops what does not begin with typed
		}
	}
	return kinds, cobra.ShellCompDirectiveNoFileComp
}
