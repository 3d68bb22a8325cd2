package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/kubename"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/report/view"
	"github.com/confighash/confighash/internal/usage"
)

const graphHelp = `confighash graph draws who uses what in one set of manifests: which workload
gets which ConfigMap or Secret, by which way and which of its keys, what else refers
to one, which are referred to and not in the set, and which nothing refers to. It
names keys, never values.

Manifests are read from files, from folders with all that is in and below them, and
from stdin, for which - stands as well: what kustomize, Helm or another tool builds,
or a ResourceList. Whether they have been through confighash does not matter.

The ways are

  - env: a key is a variable;
  - envFrom: every key is one;
  - volume: files, which the kubelet keeps up to date;
  - subPath: files that are mounted by subPath, which stay as they are while a pod runs;
  - extra-sources: the workload's annotation confighash.dev/extra-sources;
  - reference: it is named, and no container gets it.

It exits 0 also where objects are missing: the cluster may have them.`

const graphExamples = `  kustomize build . | confighash graph
  confighash graph --by workload rendered/
  confighash graph -o markdown rendered.yaml > configuration.md
  confighash graph -o dot rendered.yaml | dot -Tsvg > configuration.svg
  confighash graph -o json rendered.yaml | jq -r '.objects[] | select(.missing) | .id'`

func newGraph(stdin, stdout *os.File) *cobra.Command {
	var output, by, namespace string
	cmd := &cobra.Command{
		Use:     "graph [FILE|DIR|-]…",
		Short:   "Draw who uses which ConfigMap or Secret",
		Long:    graphHelp,
		Example: graphExamples,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := report.ParseFormat(output)
			if err != nil {
				return fmt.Errorf("--output: %w", err)
			}
			order, err := view.ParseOrder(by)
			if err != nil {
				return fmt.Errorf("--by: %w", err)
			}
			if stdinTwice(args) {
				return errors.New("- stands for stdin, which can be read once; give it once")
			}
			if len(args) == 0 {
				if term.IsTerminal(int(stdin.Fd())) {
					_ = cmd.Usage()
					return &failure{code: exitUsage, lines: []string{"stdin is a terminal: give files or folders, or manifests on stdin"}}
				}
				args = []string{load.Stdin}
			}
			g, err := drawn(args, namespace, stdin)
			if err != nil {
				return fault(err)
			}
			w := bufio.NewWriterSize(stdout, 1<<16)
			colours := term.IsTerminal(int(stdout.Fd())) && hasColours()
			return flush(w, report.Write(w, view.Graph(g, order), format, report.Options{Colours: colours}))
		},
		ValidArgsFunction: cobra.FixedCompletions([]cobra.Completion{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt),
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVarP(&output, "output", "o", string(report.Text), "`format`: "+strings.Join(report.Formats(), ", "))
	cmd.Flags().StringVar(&by, "by", string(view.ByObject), "`order` of text and markdown: object or workload first")
	cmd.Flags().StringVar(&namespace, "namespace", "", "`namespace` in which objects that name none will be applied")
	complete(cmd, "output", report.Formats())
	complete(cmd, "by", view.Orders())
	complete(cmd, "namespace", nil)
	return cmd
}

// drawn reads manifests and draws who uses what in them.
func drawn(args []string, namespace string, stdin *os.File) (*usage.Graph, error) {
	if namespace != "" {
		if err := kubename.CheckNamespace(namespace); err != nil {
			return nil, fmt.Errorf("--namespace %w", err)
		}
	}
	set, err := load.Graph(args, stdin, load.Options{Namespace: namespace, Size: boundGarbage})
	if err != nil {
		return nil, err
	}
	return usage.New(set, catalog.Builtin())
}
