// Package load reads files, folders and standard input as the graph of the resources
// that they hold.
package load

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/reference"
)

// Stdin is the argument for standard input.
const Stdin = "-"

// Options say how manifests are read.
type Options struct {
	// Namespace is where objects without one will be applied; "" is default.
	Namespace string
	// Size, unless nil, is called with the number of bytes of all manifests, before
	// any is parsed.
	Size func(bytes int)
}

// Graph reads the manifests that args name: files, folders and [Stdin]. Each file is
// a stream of YAML or JSON, which may contain Lists, or a ResourceList. In folders, and
// below them, Graph reads the files that end in .yaml, .yml or .json, except hidden
// ones.
//
// Errors: a file cannot be read or does not parse; a folder has no manifests, or some
// that must be built or rendered first; the content of a ConfigMap or a Secret is not
// readable; two resources are the same to the API server.
func Graph(args []string, stdin io.Reader, o Options) (*graph.Graph, error) {
	files, err := list(args, stdin)
	if err != nil {
		return nil, err
	}
	if o.Size != nil {
		size := 0
		for _, f := range files {
			size += len(f.data)
		}
		o.Size(size)
	}
	c := catalog.Builtin()
	finder := reference.NewFinder(c)
	finder.Discover = true
	errs := make([]error, len(files))
	manifest.Parallel(len(files), func(i int) {
		errs[i] = files[i].read(&graph.Builder{Catalog: c, Finder: finder, Values: true, Bases: true})
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var all []*graph.Resource
	for _, f := range files {
		all = append(all, f.resources...)
	}
	g := graph.New(all, cmp.Or(o.Namespace, "default"))
	return g, duplicates(g, files)
}

type file struct {
	name      string
	data      []byte
	resources []*graph.Resource
}

func (f *file) read(b *graph.Builder) error {
	in, err := manifest.Split(f.data)
	if err != nil {
		return f.failed(err)
	}
	b.FunctionConfig = in.FunctionConfig
	_, resources, err := manifest.Parse(in, b.Build)
	if err != nil {
		return f.failed(err)
	}
	f.resources = slices.Concat(resources...)
	var errs []error
	for _, r := range f.resources {
		if r.ValuesErr != nil {
			errs = append(errs, f.failed(fmt.Errorf("%s: %s: %w", r.Place(), r, r.ValuesErr)))
		}
	}
	return errors.Join(errs...)
}

// failed adds the file's name in front of each error that err joins.
func (f *file) failed(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, f.failed(e))
		}
		return errors.Join(all...)
	}
	return fmt.Errorf("%s: %w", f.name, err)
}

func list(args []string, stdin io.Reader) ([]file, error) {
	var files []file
	for _, arg := range args {
		if arg == Stdin {
			data, err := io.ReadAll(stdin)
			if err != nil {
				return nil, fmt.Errorf("reading stdin: %w", err)
			}
			files = append(files, file{name: "stdin", data: data})
			continue
		}
		names, err := under(arg)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			files = append(files, file{name: name, data: data})
		}
	}
	return files, nil
}

// under returns name, or, if it is a folder, the manifests in and below it, in the
// order of their names.
func under(name string) ([]string, error) {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []string{name}, err
	}
	var files []string
	err := filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
		switch base := entry.Name(); {
		case err != nil:
			return err
		case path != name && strings.HasPrefix(base, "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case entry.IsDir():
		case slices.Contains([]string{"kustomization.yaml", "kustomization.yml", "Kustomization"}, base):
			return fmt.Errorf("%s: %s has to be built first; give the output of kustomize build instead", path, filepath.Dir(path))
		case base == "Chart.yaml":
			return fmt.Errorf("%s: %s is a chart; give the output of helm template instead", path, filepath.Dir(path))
		case slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(base)):
			files = append(files, path)
		}
		return nil
	})
	if err == nil && files == nil {
		err = fmt.Errorf("%s: the folder has no manifests: no file in or below it ends in .yaml, .yml or .json", name)
	}
	return files, err
}

// duplicates reports resources that are the same one to the API server.
func duplicates(g *graph.Graph, files []file) error {
	type place struct {
		resource *graph.Resource
		file     string
	}
	known := make(map[graph.ID]place, len(g.Resources))
	var errs []error
	for _, f := range files {
		for _, r := range f.resources {
			first, isKnown := known[g.ID(r)]
			if r.Name == "" {
				continue
			}
			if !isKnown {
				known[g.ID(r)] = place{r, f.name}
				continue
			}
			places := graph.Places(first.resource, r)
			if len(files) > 1 {
				places = fmt.Sprintf("%s, %s, and %s, %s", first.file, first.resource.Place(), f.name, r.Place())
			}
			errs = append(errs, fmt.Errorf("%s: the manifests contain it twice (%s); keep one, and give the manifests of one cluster at a time", r, places))
		}
	}
	return errors.Join(errs...)
}
