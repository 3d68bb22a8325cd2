package function_test

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// published are the packages that other modules can import.
var published = []string{"pkg/api/v1alpha1", "pkg/function", "pkg/function/kyaml", "pkg/function/kpt"}

// An apiWalk looks for types of internal packages in a package's exported API.
type apiWalk struct {
	met   map[types.Type]bool
	found []string
}

func (w *apiWalk) walk(at string, t types.Type) {
	if w.met[t] {
		return
	}
	w.met[t] = true
	switch t := t.(type) {
	case *types.Alias:
		w.name(at, t.Obj())
		w.walk(at, types.Unalias(t))
	case *types.Named:
		w.name(at, t.Obj())
		if p := t.Obj().Pkg(); p == nil || !strings.HasPrefix(p.Path(), module) {
			return
		}
		w.walk(at, t.Underlying())
		for m := range t.Methods() {
			if m.Exported() {
				w.walk(at+"."+m.Name(), m.Type())
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				w.walk(at+"."+f.Name(), f.Type())
			}
		}
	case *types.Signature:
		for _, list := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range list.Variables() {
				w.walk(at, v.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			w.walk(at+"."+m.Name(), m.Type())
		}
	case *types.Map:
		w.walk(at, t.Key())
		w.walk(at, t.Elem())
	case interface{ Elem() types.Type }:
		w.walk(at, t.Elem())
	}
}

func (w *apiWalk) name(at string, o *types.TypeName) {
	if o.Pkg() != nil && strings.Contains(o.Pkg().Path(), "/internal/") {
		w.found = append(w.found, fmt.Sprintf("%s has the type %s of %s", at, o.Name(), o.Pkg().Path()))
	}
}

const module = "github.com/confighash/confighash/"

func TestPublishedPackages_exportNoInternalType(t *testing.T) {
	for _, name := range published {
		path := module + name
		w := &apiWalk{met: map[types.Type]bool{}}
		scope := packageOf(t, path).Scope()
		for _, name := range scope.Names() {
			if o := scope.Lookup(name); o.Exported() {
				w.walk(path+"."+name, o.Type())
			}
		}
		if len(w.met) == 0 {
			t.Errorf("%s exports nothing", path)
		}
		for _, found := range w.found {
			t.Error(found)
		}
	}
}

// packageOf reads the compiler's export data of a package.
func packageOf(t *testing.T, path string) *types.Package {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", path)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range bytes.Lines(out) {
		path, file, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		files[path] = file
	}
	p, err := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	}).Import(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
