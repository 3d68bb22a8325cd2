// Package load reads files, folders and standard input into a graph of their resources.
package load

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// Stdin is the argument for standard input.
const Stdin = "-"

// Options configure how manifests are read.
type Options struct {
	// Namespace is where objects without their own will be applied; "" means default.
	Namespace string
	// Versions treats earlier versions that a run carried along like other objects.
	Versions bool
	// Context are the manifests of other builds.
	Context []File
	// Suffixes asks for the suffixes of objects, keyed with Salt, instead of their values.
	Suffixes bool
	Salt     string
	// Spec, unless nil, is the spec of the functionConfig that the manifests are processed with; its additions to the
	// catalogue apply.
	Spec *v1alpha1.Spec
	// Size, unless nil, is called with the total size of the manifests before any is parsed.
	Size func(bytes int)
}

// Graph reads the manifests that args name: files, folders and [Stdin]. Each file is a stream of YAML or JSON, which
// may contain Lists, or a ResourceList. In folders and their subfolders, Graph reads the files that end in .yaml, .yml
// or .json, except hidden ones.
//
// It fails if a file cannot be read or parsed; a folder has no manifests, or some that must be built or rendered first;
// the content of a ConfigMap or a Secret is unreadable, other than as [hash.Unsubstituted]; or two resources have the same identity for the API server.
func Graph(args []string, stdin io.Reader, o Options) (*graph.Graph, error) {
	s, err := Read(args, stdin, o)
	if err != nil {
		return nil, err
	}
	return s.Graph, nil
}

// A Set holds manifests and their graph.
type Set struct {
	Graph *graph.Graph
	files []File
}

// Read is [Graph], but keeps the manifests for Write.
func Read(args []string, stdin io.Reader, o Options) (*Set, error) {
	files, err := Files(args, stdin)
	if err != nil {
		return nil, err
	}
	g, err := Of(files, o)
	return &Set{g, files}, err
}

// Of is Graph for files already read. If resources have the same identity for the API server, it returns the graph with
// the error.
func Of(files []File, o Options) (*graph.Graph, error) {
	if o.Size != nil {
		size := 0
		for _, f := range slices.Concat(files, o.Context) {
			size += len(f.Data)
		}
		o.Size(size)
	}
	spec := cmp.Or(o.Spec, &v1alpha1.New(v1alpha1.ModeRename, v1alpha1.PolicyAll).Spec)
	c, err := reference.Catalog(spec)
	if err != nil {
		return nil, err
	}
	finder := reference.NewFinder(c)
	finder.Discover = *spec.Discover
	builder := func() *graph.Builder {
		return &graph.Builder{Catalog: c, Finder: finder, Values: !o.Suffixes, Bases: true, Versions: o.Versions, Salt: o.Salt}
	}
	all, err := resources(files, builder)
	if err != nil {
		return nil, err
	}
	context, err := Context(o.Context, builder)
	if err != nil {
		return nil, err
	}
	g := graph.New(slices.Concat(all, context), cmp.Or(o.Namespace, "default"))
	return g, errors.Join(duplicates(g, all, len(files) > 1), g.CheckContext())
}

// Context returns the resources of other builds. builder makes the builders for them. Errors begin with the flag that
// names the files.
func Context(files []File, builder func() *graph.Builder) ([]*graph.Resource, error) {
	found, err := resources(files, func() *graph.Builder {
		b := builder()
		b.Context = true
		return b
	})
	if err != nil {
		return nil, graph.Prefixed("--context", err)
	}
	return found, nil
}

func resources(files []File, builder func() *graph.Builder) ([]*graph.Resource, error) {
	errs := make([]error, len(files))
	found := make([][]*graph.Resource, len(files))
	manifest.Parallel(len(files), func(i int) {
		found[i], errs[i] = files[i].read(builder())
	})
	return slices.Concat(found...), errors.Join(errs...)
}

// Write writes the manifests of all files as one stream. The text of chunks in replaced is replaced, and chunks in
// gone, which must have one item each, are left out. A ResourceList must be the only file. It returns an error
// otherwise, or the writer's.
func (s *Set) Write(w io.Writer, replaced map[*manifest.Chunk][]byte, gone map[*manifest.Chunk]bool) error {
	for i := range s.files {
		f := &s.files[i]
		if f.in.IsResourceList && len(s.files) > 1 {
			return fmt.Errorf("%s: a ResourceList cannot be written with other manifests; give it alone", f.Name)
		}
		f.in.Drop(gone)
		if i > 0 {
			if err := separate(w, s.files[i-1].Data, f.Data); err != nil {
				return err
			}
		}
		if err := f.in.Write(w, replaced, nil); err != nil {
			return err
		}
	}
	return nil
}

// separate writes what must be between two streams to join them.
func separate(w io.Writer, before, after []byte) error {
	marker := ""
	if len(before) > 0 && before[len(before)-1] != '\n' {
		marker = "\n"
	}
	switch {
	case bytes.HasPrefix(after, []byte("%")):
		marker += "...\n"
	case !bytes.HasPrefix(after, []byte("---")):
		marker += "---\n"
	}
	_, err := io.WriteString(w, marker)
	return err
}

// A File is manifests, with their name in errors.
type File struct {
	Name string
	Data []byte

	in *manifest.Input
}

func (f *File) read(b *graph.Builder) ([]*graph.Resource, error) {
	in, err := manifest.Split(f.Data)
	if err != nil {
		return nil, graph.Prefixed(f.Name, err)
	}
	f.in = in
	b.FunctionConfig = in.FunctionConfig
	_, found, err := manifest.Parse(in, b.Build)
	if err != nil {
		return nil, graph.Prefixed(f.Name, err)
	}
	resources := slices.Concat(found...)
	var errs []error
	for _, r := range resources {
		r.File = f.Name
		if _, later := errors.AsType[*hash.Unsubstituted](r.ValuesErr); r.ValuesErr != nil && !later {
			errs = append(errs, graph.Prefixed(f.Name, fmt.Errorf("%s: %s: %w", r.Place(), r, r.ValuesErr)))
		}
	}
	return resources, errors.Join(errs...)
}

// Files reads the manifests that args name, as Graph does. Without stdin, folders may be empty, and - is an ordinary
// file.
func Files(args []string, stdin io.Reader) ([]File, error) {
	var files []File
	err := Each(args, stdin, func(name string, data []byte) error {
		files = append(files, File{Name: name, Data: data})
		return nil
	})
	return files, err
}

// Each calls visit with the content of each file that [Graph] would read, in order.
func Each(args []string, stdin io.Reader, visit func(name string, data []byte) error) error {
	for _, arg := range args {
		if arg == Stdin && stdin != nil {
			data, err := io.ReadAll(stdin)
			if err != nil {
				return fmt.Errorf("reading stdin: %w", err)
			}
			if err := visit("stdin", data); err != nil {
				return err
			}
			continue
		}
		names, err := under(arg)
		if err != nil {
			return err
		}
		if names == nil && stdin != nil {
			return fmt.Errorf("%s: the folder has no manifests: no file in or below it ends in .yaml, .yml or .json", arg)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if err := visit(name, data); err != nil {
				return err
			}
		}
	}
	return nil
}

// under returns name or, if it is a folder, the manifests in and below it, sorted. Their paths have slashes on Windows
// too, so that reports and messages are the same everywhere.
func under(name string) ([]string, error) {
	switch info, err := os.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file or folder", name)
	case err != nil || !info.IsDir():
		return []string{name}, err
	}
	var files []string
	err := filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		switch base := entry.Name(); {
		case path != filepath.ToSlash(name) && strings.HasPrefix(base, "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case entry.IsDir():
		case slices.Contains([]string{"kustomization.yaml", "kustomization.yml", "Kustomization"}, base):
			return fmt.Errorf("%s: %s has to be built first; give the output of kustomize build or confighash build; with --git, impact, diff and lint build the folder that you name", path, strings.TrimSuffix(path, "/"+base))
		case base == "Chart.yaml":
			return fmt.Errorf("%s: %s is a chart; give the output of helm template; with --git, impact, diff and lint take this command as --render", path, strings.TrimSuffix(path, "/"+base))
		case slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(base)):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// duplicates reports resources with the same identity for the API server.
func duplicates(g *graph.Graph, all []*graph.Resource, inFiles bool) error {
	known := make(map[graph.ID]*graph.Resource, len(all))
	var errs []error
	for _, r := range all {
		first := known[g.ID(r)]
		switch {
		case r.Name == "" || r.PassedOver:
		case first == nil:
			known[g.ID(r)] = r
		default:
			places := graph.Places(first, r)
			if inFiles {
				places = fmt.Sprintf("%s, %s, and %s, %s", first.File, first.Place(), r.File, r.Place())
			}
			errs = append(errs, fmt.Errorf("%s: the manifests contain it twice (%s); keep one, and give the manifests of one cluster at a time", r, places))
		}
	}
	return errors.Join(errs...)
}
