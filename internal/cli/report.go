package cli

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/report"
)

// reportFlags are those of the commands that read sets of manifests and write a report.
type reportFlags struct {
	output, namespace string
}

func (f *reportFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.output, "output", "o", string(report.Text), "`format`: "+strings.Join(report.Formats(), ", "))
	cmd.Flags().StringVar(&f.namespace, "namespace", "", namespaceUsage)
	complete(cmd, "output", values(report.Formats()...))
	complete(cmd, "namespace", values())
}

// format returns the format that the flags name.
func (f *reportFlags) format() (report.Format, error) {
	format, err := report.ParseFormat(f.output)
	if err != nil {
		return "", fmt.Errorf("--output: %w", err)
	}
	return format, nil
}

// options say how to read manifests. Size bounds the garbage of all sets together.
func (f *reportFlags) options() (load.Options, error) {
	if err := graph.CheckNamespace(f.namespace); err != nil {
		return load.Options{}, fmt.Errorf("--namespace %w", err)
	}
	size := 0
	return load.Options{Namespace: f.namespace, Size: func(bytes int) {
		size += bytes
		boundGarbage(size)
	}}, nil
}

// writeReport writes a view to stdout, in colours if that is a terminal.
func writeReport(stdout *os.File, v report.View, f report.Format) error {
	w := bufio.NewWriterSize(stdout, 1<<16)
	return flush(w, report.Write(w, v, f, term.IsTerminal(int(stdout.Fd())) && hasColours()))
}

// stdinTwice reports whether stdin is among files and folders more than once.
func stdinTwice(all []string) bool {
	first := slices.Index(all, load.Stdin)
	return first >= 0 && slices.Contains(all[first+1:], load.Stdin)
}
