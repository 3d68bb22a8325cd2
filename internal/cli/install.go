package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/confighash/confighash/internal/graph"
)

func newInstall() *cobra.Command {
	return &cobra.Command{
		Use:   "install DIR",
		Short: "Copy this program into a directory",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("install takes one directory, and %d are given", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return fault(graph.Prefixed("install", install(args[0])))
		},
	}
}

func install(dir string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("%s is not a directory; create or mount it first", dir)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	source, err := os.Open(self)
	if err != nil {
		return err
	}
	defer source.Close()
	target := filepath.Join(dir, "confighash")
	if runtime.GOOS == "windows" {
		target += ".exe"
	}
	// Writing into the existing file would fail while it runs.
	temporary, err := os.CreateTemp(filepath.Dir(target), ".confighash-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) // unless it gets another name
	_, err = io.Copy(temporary, source)
	if err == nil {
		err = cmp.Or(temporary.Chmod(0o755), temporary.Sync())
	}
	err = errors.Join(err, temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), target)
	}
	return err
}
