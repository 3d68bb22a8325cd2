package view

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/usage"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/test/support/golden"
	"github.com/confighash/confighash/test/support/property"
)

func stored(t *testing.T, name string) *usage.Graph {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "graph", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	g := &usage.Graph{}
	if err := json.Unmarshal(text, g); err != nil {
		t.Fatal(err)
	}
	if again := write(t, Graph(g, ""), report.JSON); again != string(text) {
		t.Errorf("%s: JSON does not come back as it was:\n%s", name, cmp.Diff(string(text), again))
	}
	return g
}

// hostileGraph returns a graph of hostile names.
func hostileGraph() *usage.Graph {
	g := &usage.Graph{APIVersion: v1alpha1.APIVersion, Kind: usage.Kind}
	for i, name := range hostileNames {
		user := usage.Node{ID: "user " + name, Kind: "Deployment", Namespace: name, Name: name}
		object := usage.Object{Node: usage.Node{ID: "object " + name, Kind: name, Name: name}}
		switch i % 4 {
		case 0:
			object.Missing = true
		case 1:
			object.MadeBy = []usage.Node{{ID: "maker " + name, Kind: name, Name: name}}
		case 2:
			object.Makes = []usage.Node{{ID: "product " + name, Kind: "Secret", Name: name}}
		}
		g.Workloads = append(g.Workloads, user)
		g.Objects = append(g.Objects, object, usage.Object{Node: usage.Node{ID: "unused " + name, Kind: "Secret", Name: name}, Unused: true})
		g.Edges = append(g.Edges, usage.Edge{From: user.ID, To: object.ID, Via: catalog.ViaEnv, Keys: []string{name}, Consumed: true})
	}
	return g
}

func TestGraph_looksLikeItsGoldenFiles(t *testing.T) {
	for name, g := range map[string]*usage.Graph{
		"shop": stored(t, "shop"), "stand-ins": stored(t, "stand-ins"), "hostile": hostileGraph(), "empty": {},
	} {
		compareAll(t, "graph/"+name, Graph(g, ""))
		for extension, format := range map[string]report.Format{".workload.txt": report.Text, ".workload.md": report.Markdown} {
			golden.Compare(t, filepath.Join("testdata", "graph", name+extension), write(t, Graph(g, ByWorkload), format))
		}
	}
}

// someGraph draws a graph of random size, with names that may be hostile.
var someGraph = rapid.Custom(func(t *rapid.T) *usage.Graph {
	name := rapid.OneOf(rapid.SampledFrom(hostileNames), rapid.StringN(0, 30, 250))
	node := func(kind string, i int) usage.Node {
		return usage.Node{ID: fmt.Sprint(kind, i), Kind: kind, Namespace: name.Draw(t, "namespace"), Name: name.Draw(t, "name")}
	}
	g := &usage.Graph{Workloads: []usage.Node{}, Readers: []usage.Node{}, Objects: []usage.Object{}, Edges: []usage.Edge{}}
	for i := range rapid.IntRange(0, 30).Draw(t, "workloads") {
		g.Workloads = append(g.Workloads, node("W", i))
	}
	for i := range rapid.IntRange(0, 5).Draw(t, "readers") {
		g.Readers = append(g.Readers, node("R", i))
	}
	for i := range rapid.IntRange(0, 30).Draw(t, "objects") {
		o := usage.Object{Node: node("O", i), Missing: rapid.Bool().Draw(t, "missing"), Optional: rapid.Bool().Draw(t, "optional"), Known: rapid.Bool().Draw(t, "known")}
		for j := range rapid.IntRange(0, 3).Draw(t, "makers") {
			o.MadeBy = append(o.MadeBy, node("M", j))
		}
		for j := range rapid.IntRange(0, 12).Draw(t, "products") {
			o.Makes = append(o.Makes, node("P", j))
		}
		g.Objects = append(g.Objects, o)
		for w := range g.Workloads {
			if rapid.IntRange(0, 5).Draw(t, "used") == 0 {
				e := usage.Edge{From: g.Workloads[w].ID, To: o.ID, Via: rapid.SampledFrom(usage.Ways()).Draw(t, "via"), Optional: rapid.Bool().Draw(t, "optional")}
				if rapid.Bool().Draw(t, "keys") {
					e.Keys = rapid.SliceOfN(name, 0, 20).Draw(t, "keys")
				}
				g.Edges = append(g.Edges, e)
			}
		}
	}
	return g
})

func TestGraph_anyNamesStayNames(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		g := someGraph.Draw(t, "graph")
		v := Graph(g, rapid.SampledFrom([]Order{ByObject, ByWorkload, ""}).Draw(t, "by"))
		limit := rapid.SampledFrom([]int{report.DefaultLimit, 1, 1_500, 10_000}).Draw(t, "limit")
		checkFormats(t, "graph", v, limit)
		text := write(t, v, report.Text)
		for i := range g.Objects {
			if name := report.Printable(g.Objects[i].String()); !strings.Contains(text, name) {
				t.Fatalf("%s is missing in:\n%s", name, text)
			}
		}
		written := write(t, v, report.JSON)
		var back usage.Graph
		if err := json.Unmarshal([]byte(written), &back); err != nil {
			t.Fatal(err)
		}
		want := strings.ReplaceAll(written, `\ufffd`, "\ufffd") // invalid UTF-8 is replaced
		if diff := cmp.Diff(want, write(t, Graph(&back, ""), report.JSON)); diff != "" {
			t.Fatalf("JSON (-want +got):\n%s", diff)
		}
	})
}

// The diagram of 2,000 workloads is partial, and the lists are truncated.
func TestGraph_largeGraphStaysBelowTheLimit(t *testing.T) {
	g := &usage.Graph{}
	for i := range 2_000 {
		w := usage.Node{ID: fmt.Sprint("w", i), Kind: "Deployment", Namespace: "shop", Name: fmt.Sprint("web-", i)}
		o := usage.Object{Node: usage.Node{ID: fmt.Sprint("o", i), Kind: "ConfigMap", Namespace: "shop", Name: fmt.Sprint("app-", i)}}
		g.Workloads, g.Objects = append(g.Workloads, w), append(g.Objects, o)
		g.Edges = append(g.Edges, usage.Edge{From: w.ID, To: o.ID, Via: catalog.ViaEnvFrom}, usage.Edge{From: w.ID, To: "o0", Via: catalog.ViaEnv, Keys: []string{"A"}})
	}
	text := write(t, Graph(g, ""), report.Markdown)
	checkMarkdown(t, "graph", text, report.DefaultLimit)
	for _, want := range []string{
		"### confighash: 2000 workloads use 2000 objects\n", " of 2000 objects, those with the most users; `-o json` has all.\n", "```mermaid\n",
		"<summary>2000 resources</summary>", " more\n", "\nLists are cut short here; ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if len(text) < report.DefaultLimit*3/4 {
		t.Errorf("%d bytes leave much of the room unused", len(text))
	}
}

// Text and Markdown mention it if they count what JSON lists.
func TestGraph_mentionsCountedLists(t *testing.T) {
	const note = "Long lists are cut short here; "
	for n, want := range map[int]bool{9: false, 10: true} {
		keys := make([]string, n)
		products := make([]usage.Node, n)
		for i := range n {
			keys[i] = fmt.Sprint("KEY_", i)
			products[i] = usage.Node{ID: fmt.Sprint("s", i), Kind: "Secret", Name: fmt.Sprint("made-", i)}
		}
		web, app := usage.Node{ID: "w", Kind: "Deployment", Name: "web"}, usage.Node{ID: "o", Kind: "ConfigMap", Name: "app"}
		for what, g := range map[string]*usage.Graph{
			"keys": {
				Workloads: []usage.Node{web}, Objects: []usage.Object{{Node: app}},
				Edges: []usage.Edge{{From: web.ID, To: app.ID, Via: catalog.ViaEnv, Keys: keys}},
			},
			"products": {Objects: []usage.Object{{Node: app, Makes: products}}},
		} {
			for _, f := range []report.Format{report.Text, report.Markdown} {
				text := write(t, Graph(g, ""), f)
				if got := strings.Contains(text, note); got != want || strings.Contains(text, "and 2 more") != want {
					t.Errorf("%d %s, %s: the note is there: %t, want %t:\n%s", n, what, f, got, want, text)
				}
			}
		}
	}
}
