package cli

import (
	"github.com/spf13/cobra"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:               "schema",
		Short:             "Print the JSON schema of the functionConfig",
		Args:              noArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(v1alpha1.Schema())
			return err
		},
	}
}
