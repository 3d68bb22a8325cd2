package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/escape"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/test/golden"
	"github.com/confighash/confighash/internal/usage"
)

// written returns a graph in a format.
func written(t interface {
	Helper()
	Fatal(args ...any)
}, g *usage.Graph, f Format, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, g, f, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// stored returns a graph of testdata.
func stored(t *testing.T, name string) *usage.Graph {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	g := &usage.Graph{}
	if err := json.Unmarshal(text, g); err != nil {
		t.Fatal(err)
	}
	if again := written(t, g, JSON, Options{}); again != string(text) {
		t.Errorf("%s: JSON does not come back as it was:\n%s", name, cmp.Diff(string(text), again))
	}
	return g
}

// hostileNames may be more than text to what shows them.
var hostileNames = []string{
	"a`b", "``", " ", "a|b", "<script>alert(1)</script>", "<!-- x -->", "@team", "[x](http://example.com)", "www.example.com", "*a*", "_b_",
	"\x1b[31mred\x1b[0m", "a\nb", "\"; n1 -> n2", `\N`, "&lt;", "end", "direction LR", "%%{init: {}}%%", "#quot;", "ﬂ°°35¶ß", "größe 日本語 🎉", "\u202eabc", "1. a", "\xff",
	strings.Repeat("long-", 50),
}

// hostile returns a graph of hostile names.
func hostile() *usage.Graph {
	g := &usage.Graph{APIVersion: usage.APIVersion, Kind: usage.Kind}
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

func TestWrite(t *testing.T) {
	for name, g := range map[string]*usage.Graph{
		"shop": stored(t, "shop"), "stand-ins": stored(t, "stand-ins"), "hostile": hostile(), "empty": {},
	} {
		for ending, text := range map[string]string{
			"txt":          written(t, g, Text, Options{}),
			"ansi":         written(t, g, Text, Options{Colours: true}),
			"workload.txt": written(t, g, Text, Options{By: ByWorkload}),
			"md":           written(t, g, Markdown, Options{}),
			"workload.md":  written(t, g, Markdown, Options{By: ByWorkload}),
			"dot":          written(t, g, Dot, Options{}),
		} {
			t.Run(name+"."+ending, func(t *testing.T) {
				golden.Compare(t, filepath.Join("testdata", name+"."+ending), text)
			})
		}
	}
}

func TestWrite_unknownFormat(t *testing.T) {
	if err := Write(&bytes.Buffer{}, &usage.Graph{}, "svg", Options{}); err == nil {
		t.Error("svg is written")
	}
	for _, name := range Formats() {
		if f, err := ParseFormat(name); err != nil || string(f) != name {
			t.Errorf("%s: %q, %v", name, f, err)
		}
	}
	for _, name := range Orders() {
		if o, err := ParseOrder(name); err != nil || string(o) != name {
			t.Errorf("%s: %q, %v", name, o, err)
		}
	}
	if _, err := ParseOrder("key"); err == nil {
		t.Error("there is an order key")
	}
}

// someGraph draws a graph of many sizes, with names that may be hostile.
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

func TestWrite_anyGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := someGraph.Draw(t, "graph")
		by := rapid.SampledFrom([]Order{ByObject, ByWorkload, ""}).Draw(t, "by")
		limit := rapid.SampledFrom([]int{0, 1, 1_500, 10_000}).Draw(t, "limit")
		for _, f := range []Format{Text, Markdown, Dot} {
			text := written(t, g, f, Options{By: by, Limit: limit})
			if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
				t.Fatalf("%s holds %q", f, text[i:i+1])
			}
			for i := range g.Objects {
				if name := escape.Printable(g.Objects[i].String()); f == Text && !strings.Contains(text, name) {
					t.Fatalf("%s is not told of:\n%s", name, text)
				}
			}
		}
		checkMarkdown(t, written(t, g, Markdown, Options{By: by, Limit: limit}), limit)
		var back usage.Graph
		if err := json.Unmarshal([]byte(written(t, g, JSON, Options{})), &back); err != nil {
			t.Fatal(err)
		}
		want := strings.ReplaceAll(written(t, g, JSON, Options{}), `\ufffd`, "\ufffd") // what is not UTF-8 is replaced
		if got := written(t, &back, JSON, Options{}); want != got {
			t.Fatalf("JSON does not come back as it was:\n%s", cmp.Diff(want, got))
		}
	})
}

// checkMarkdown holds a page to its limits and its frame.
func checkMarkdown(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, text string, limit int) {
	t.Helper()
	if limit == 0 {
		limit = DefaultLimit
	}
	if most := max(limit, LeastLimit); len(text) > most {
		t.Fatalf("%d bytes, and no more than %d are asked for", len(text), most)
	}
	if !strings.HasPrefix(text, Marker+"\n### ") {
		t.Fatalf("the marker is missing:\n%s", text)
	}
	fences, diagram, arrows := 0, 0, 0
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "```"):
			fences++
		case fences == 1:
			diagram += len(line)
			if strings.Contains(line, "-->|") || strings.Contains(line, "-.->|") {
				arrows++
			}
			// A quote, a hash that begins no entity and a bracket end a label.
			if parts := strings.Split(line, `"`); strings.Contains(line, "[") && (len(parts) != 3 || strings.ContainsAny(strings.ReplaceAll(parts[1], "<br/>", ""), "[]<>`*\\{}&")) {
				t.Fatalf("a label ends early: %s", line)
			}
		case strings.ContainsAny(withoutCode(line), "<@[*_|") && !strings.HasPrefix(line, "- **`") && !isFrame(line):
			t.Fatalf("markup that is none of ours: %s", line)
		}
	}
	if fences != 0 && fences != 2 {
		t.Fatalf("%d fences:\n%s", fences, text)
	}
	if arrows > report.MostArrows || diagram > report.LongestMermaid {
		t.Fatalf("the diagram has %d arrows and %d bytes", arrows, diagram)
	}
	if strings.Count(text, "<details>") != strings.Count(text, "</details>") {
		t.Fatalf("details are not closed:\n%s", text)
	}
}

func isFrame(line string) bool {
	return strings.HasPrefix(line, "<!-- ") || strings.HasPrefix(line, "<details>") || strings.HasPrefix(line, "<summary>") || strings.HasPrefix(line, "</details>")
}

// withoutCode returns a line without its code spans.
func withoutCode(line string) string {
	var b strings.Builder
	for line != "" {
		before, rest, found := strings.Cut(line, "`")
		b.WriteString(before)
		if !found {
			break
		}
		n := 1 + len(rest) - len(strings.TrimLeft(rest, "`"))
		rest = rest[n-1:]
		fence := strings.Repeat("`", n)
		for {
			_, after, closed := strings.Cut(rest, fence)
			if !closed {
				return b.String() + "unclosed`<"
			}
			if !strings.HasPrefix(after, "`") {
				line = after
				break
			}
			rest = strings.TrimLeft(after, "`")
		}
	}
	return b.String()
}

// A graph of 2,000 workloads has no diagram, and loses the ends of its lists.
func TestWrite_largeGraphStaysBelowTheLimit(t *testing.T) {
	g := &usage.Graph{}
	for i := range 2_000 {
		w := usage.Node{ID: fmt.Sprint("w", i), Kind: "Deployment", Namespace: "shop", Name: fmt.Sprint("web-", i)}
		o := usage.Object{Node: usage.Node{ID: fmt.Sprint("o", i), Kind: "ConfigMap", Namespace: "shop", Name: fmt.Sprint("app-", i)}}
		g.Workloads, g.Objects = append(g.Workloads, w), append(g.Objects, o)
		g.Edges = append(g.Edges, usage.Edge{From: w.ID, To: o.ID, Via: catalog.ViaEnvFrom}, usage.Edge{From: w.ID, To: "o0", Via: catalog.ViaEnv, Keys: []string{"A"}})
	}
	text := written(t, g, Markdown, Options{})
	checkMarkdown(t, text, 0)
	for _, want := range []string{
		"### 2000 workloads use 2000 objects\n", "There is no diagram: 3999 arrows are more than one can follow.\n",
		"<summary>2000 resources</summary>", " more\n", "\nLists are cut short here; ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if len(text) < DefaultLimit*3/4 {
		t.Errorf("%d bytes leave much of the room unused", len(text))
	}
}

// What is counted instead of told is in the JSON, and text and Markdown say so.
func TestWrite_saysWhereItCounts(t *testing.T) {
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
			for _, f := range []Format{Text, Markdown} {
				text := written(t, g, f, Options{})
				if got := strings.Contains(text, note); got != want || strings.Contains(text, "and 2 more") != want {
					t.Errorf("%d %s, %s: the note is there: %t, want %t:\n%s", n, what, f, got, want, text)
				}
			}
		}
	}
}
