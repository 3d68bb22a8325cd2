package cli

import (
	"bufio"
	"cmp"
	"errors"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/rename"
)

func newStrip(stdin, stdout, stderr *os.File) *cobra.Command {
	return reading("strip", "Remove hashes from names, for other diff tools", stdin, func(set *load.Set) error {
		stripped := rename.Strip(set.Graph)
		replaced, failed := stripped.Apply(set.Graph)
		gone, inseparable := graph.ChunksOf(slices.Concat(set.Graph.Kept, stripped.Dropped))
		if err := cmp.Or(failed, inseparable); err != nil {
			return fault(err)
		}
		w := bufio.NewWriterSize(stdout, 1<<20)
		if err := flush(w, set.Write(w, replaced, gone)); err != nil {
			return err
		}
		warn(stderr, stripped.Findings)
		return nil
	})
}

// manifestArgs returns the files and folders that a command reads; without args, that is stdin.
func manifestArgs(cmd *cobra.Command, args []string, stdin *os.File) ([]string, error) {
	switch {
	case stdinTwice(args):
		return nil, errors.New("- is stdin, which can be read only once; give it once")
	case len(args) > 0:
		return args, nil
	case term.IsTerminal(int(stdin.Fd())):
		_ = cmd.Usage()
		return nil, &failure{code: exitUsage, lines: []string{"stdin is a terminal: give files or folders, or manifests on stdin"}}
	}
	return []string{load.Stdin}, nil
}
