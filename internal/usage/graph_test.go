package usage

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/test/support/golden"
)

// A fataler is a test, or a check of a property.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

func read(t fataler, manifests string) *graph.Graph {
	t.Helper()
	in, err := manifest.Split([]byte(manifests))
	if err != nil {
		t.Fatal(err)
	}
	c := catalog.Builtin()
	finder := reference.NewFinder(c)
	finder.Discover = true
	b := &graph.Builder{Catalog: c, Finder: finder, Values: true, Bases: true}
	_, found, err := manifest.Parse(in, b.Build)
	if err != nil {
		t.Fatal(err)
	}
	return graph.New(slices.Concat(found...), "default")
}

// draw returns the Graph of a stream of manifests.
func draw(t fataler, manifests string) *Graph {
	t.Helper()
	drawn, err := New(read(t, manifests), catalog.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	return drawn
}

// described renders a Graph as lines.
func described(drawn *Graph) string {
	var b strings.Builder
	for i := range drawn.Workloads {
		b.WriteString("workload " + drawn.Workloads[i].ID + "\n")
	}
	for i := range drawn.Readers {
		b.WriteString("reader " + drawn.Readers[i].ID + "\n")
	}
	for i := range drawn.Objects {
		o := &drawn.Objects[i]
		b.WriteString("object " + o.ID)
		for _, mark := range []struct {
			set  bool
			word string
		}{{o.Missing, "missing"}, {o.Optional, "optional"}, {o.Known, "known"}, {o.Unused, "unused"}} {
			if mark.set {
				b.WriteString(", " + mark.word)
			}
		}
		for _, n := range o.MadeBy {
			b.WriteString(", made by " + n.ID)
		}
		for _, n := range o.Makes {
			b.WriteString(", makes " + n.ID)
		}
		b.WriteString("\n")
	}
	for _, e := range drawn.Edges {
		b.WriteString(e.From + " -> " + e.To + ": " + string(e.Via))
		if e.Keys != nil {
			b.WriteString(" (" + strings.Join(e.Keys, ", ") + ")")
		}
		if e.Consumed {
			b.WriteString(", consumed")
		}
		if e.Optional {
			b.WriteString(", optional")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Each file in testdata has manifests and their expected graph.
func TestNew(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			archive := txtar.Parse(data)
			got := described(draw(t, string(archive.Files[0].Data)))
			if golden.Update() {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "graph", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNew_listsAreNeverNull(t *testing.T) {
	text, err := json.Marshal(draw(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"apiVersion":"confighash.dev/v1alpha1","kind":"Graph","workloads":[],"readers":[],"objects":[],"edges":[]}`
	if string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
}
