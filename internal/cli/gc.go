package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/gc"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/report"
)

var gcFormats = []string{"text", "name", "yaml", "json"}

type gcFlags struct {
	from                []string
	context, kubeconfig string
	skip                []string
	output              string
	explain             bool
	options             gc.Options
}

func newGC(stdin, stdout *os.File) *cobra.Command {
	var f gcFlags
	cmd := &cobra.Command{
		Use:   "gc [OBJECT]…",
		Short: "List the earlier versions in a cluster that nothing uses",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			set := gc.NewSet()
			if err := f.read(cmd.Context(), set, stdin); err != nil {
				return fault(err)
			}
			f.options.Now = time.Now()
			objects, err := hashedObjects(set.Judge(f.options), args)
			if err != nil {
				return fault(err)
			}
			w := bufio.NewWriterSize(stdout, 1<<16)
			return flush(w, f.write(w, objects, hasColours(stdout)))
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringArrayVar(&f.from, "from", nil, "`file`, folder or - with live objects, instead of a cluster; repeatable")
	cmd.Flags().StringVar(&f.context, "kube-context", "", "`context` of kubectl")
	cmd.Flags().StringVar(&f.kubeconfig, "kubeconfig", "", "`file` with the configuration of kubectl")
	cmd.Flags().StringVarP(&f.options.Namespace, "namespace", "n", "", "the only `namespace` to list; all others are read as well")
	cmd.Flags().StringArrayVar(&f.skip, "skip", nil, "`resource`.group that refers to nothing and need not be read; repeatable")
	cmd.Flags().IntVar(&f.options.Keep, "keep", 0, "how many of the newest unused `versions` of each base name stay")
	cmd.Flags().DurationVar(&f.options.OlderThan, "older-than", 24*time.Hour, "`age` below which objects stay")
	cmd.Flags().BoolVar(&f.options.Superseded, "superseded", false, "list versions with confighash.dev/superseded as well, if no manifests carry them any more")
	cmd.Flags().BoolVar(&f.explain, "explain", false, "say why each hashed object stays, or each that you name")
	cmd.Flags().StringVarP(&f.output, "output", "o", gcFormats[0], "`format`: "+strings.Join(gcFormats, ", "))
	complete(cmd, "output", values(gcFormats...))
	for _, flag := range []string{"kube-context", "namespace", "skip", "keep", "older-than"} {
		complete(cmd, flag, values())
	}
	return cmd
}

func (f *gcFlags) check(args []string) error {
	switch err := oneOf("output", "format", f.output, gcFormats); {
	case err != nil:
		return err
	case len(args) > 0 && !f.explain:
		return fmt.Errorf("unexpected argument %q: only --explain takes objects", args[0])
	case f.explain && f.output != gcFormats[0]:
		return fmt.Errorf("--explain writes text; omit -o %s", f.output)
	case f.options.Keep < 0:
		return fmt.Errorf("--keep %d: give 0 or more", f.options.Keep)
	case f.options.OlderThan < 0:
		return fmt.Errorf("--older-than %s: give 0 or more", f.options.OlderThan)
	case len(f.from) > 0 && (f.context != "" || f.kubeconfig != "" || len(f.skip) > 0):
		return errors.New("--from is given with --kube-context, --kubeconfig or --skip; these are about a cluster, which --from replaces")
	case stdinTwice(f.from):
		return errors.New("- is stdin, which can be read only once; give it once")
	}
	return nil
}

func (f *gcFlags) read(ctx context.Context, set *gc.Set, stdin io.Reader) error {
	if err := graph.CheckNamespace(f.options.Namespace); err != nil {
		return fmt.Errorf("--namespace %w", err)
	}
	boundGarbage(0)
	if len(f.from) == 0 {
		cluster := gc.Cluster{Skip: f.skip}
		for _, flag := range [][2]string{{"--context=", f.context}, {"--kubeconfig=", f.kubeconfig}} {
			if flag[1] != "" {
				cluster.Flags = append(cluster.Flags, flag[0]+flag[1])
			}
		}
		return cluster.Read(ctx, set)
	}
	return load.Each(f.from, stdin, func(name string, data []byte) error {
		boundGarbage(len(data) / 100) // only few facts of data stay in memory
		if err := set.Read(data); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}

// hashedObjects returns the objects that args name as KIND/NAME or NAME, or all if there are no args.
func hashedObjects(objects []*gc.Object, args []string) ([]*gc.Object, error) {
	if len(args) == 0 {
		return objects, nil
	}
	var found []*gc.Object
	for _, arg := range args {
		named := slices.DeleteFunc(slices.Clone(objects), func(o *gc.Object) bool {
			return arg != o.Name && !strings.EqualFold(arg, o.Kind+"/"+o.Name)
		})
		if found = append(found, named...); len(named) == 0 {
			return nil, fmt.Errorf("%s: no ConfigMap or Secret with a hash in its name is called so; gc never lists any other object", graph.Clip(arg))
		}
	}
	return found, nil
}

func (f *gcFlags) write(w io.Writer, objects []*gc.Object, colours bool) error {
	unused := slices.DeleteFunc(slices.Clone(objects), func(o *gc.Object) bool { return o.Kept != "" })
	switch f.output {
	case "name":
		for _, o := range unused {
			fmt.Fprintf(w, "%s/%s -n %s\n", strings.ToLower(o.Kind), o.Name, o.Namespace)
		}
		return nil // w keeps its error
	case "yaml":
		encoder := yaml.NewEncoder(w)
		encoder.SetIndent(2)
		return errors.Join(encoder.Encode(listOf(unused)), encoder.Close())
	case "json":
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(listOf(unused))
	}
	title := fmt.Sprintf("%s, %d unused", report.Plural(len(objects), "hashed object"), len(unused))
	shown := unused
	if f.explain {
		shown = objects
	}
	_, err := io.WriteString(w, gcPage(title, shown).Text(colours))
	return err
}

func gcPage(title string, shown []*gc.Object) *report.Page {
	var section report.Section
	for _, o := range shown {
		var made report.Phrase
		if !o.Created.IsZero() {
			made = report.Words(o.Created.Format(time.DateOnly)).Toned(report.Faint)
		}
		why := report.Prose(o.Kept)
		if o.Kept == "" {
			why = report.Words("unused").Toned(report.Good)
		}
		section.Rows = append(section.Rows, report.Row{Name: report.Names(o.String()), Columns: []report.Phrase{made, why}})
	}
	page := &report.Page{Command: "gc", What: "object", Title: report.Words(title)}
	page.Add(section)
	return page
}

// listOf returns a list that kubectl delete -f accepts, with no more than what identifies the objects.
func listOf(objects []*gc.Object) map[string]any {
	items := make([]any, len(objects))
	for i, o := range objects {
		metadata := map[string]string{"name": o.Name, "namespace": o.Namespace}
		if o.UID != "" {
			metadata["uid"] = o.UID
		}
		items[i] = map[string]any{"apiVersion": "v1", "kind": o.Kind, "metadata": metadata}
	}
	return map[string]any{"apiVersion": "v1", "kind": "List", "items": items}
}
