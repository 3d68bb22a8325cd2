package report

import (
	"fmt"
	"strings"
	"testing"
)

// TestPage_losesItsDiagramFirst takes room from a page: its diagram goes first,
// then the last rows of its list, and at last the list.
func TestPage_losesItsDiagramFirst(t *testing.T) {
	d := &Diagram{Looks: []Look{{Name: "calm"}}}
	for i := range 30 {
		d.Connect(Arrow{From: d.Add(Box{Lines: []Phrase{Names("web")}}), To: i})
	}
	const (
		diagram = "```mermaid\n"
		gone    = "There is no diagram: a comment has no room for it."
		list    = "#### List\n"
		last    = "- row 99\n"
		cut     = "`confighash graph` on a terminal tells of every object"
		nothing = "There is no room for more here; `confighash graph` on a terminal tells it all."
	)
	for _, tc := range []struct {
		label       string
		row         string
		limit       int
		has, hasNot []string
	}{
		{"room for all", "row %d", 20_000, []string{diagram, list, last}, []string{gone, cut, nothing}},
		{"none for the diagram", "row %d", 1_700, []string{gone, list, last}, []string{diagram, cut, nothing}},
		{"none for all rows", "row %d", 0, []string{gone, list, "- row 0\n", " more\n", cut}, []string{diagram, last, nothing}},
		{"none for a row", "row %d " + strings.Repeat("x", LeastLimit), 0, []string{gone, list, "- 100 resources\n", cut}, []string{diagram, "- row 0", nothing}},
		{"none for the title", "", 0, []string{"### Sum\n", nothing}, []string{diagram, gone, list, cut}},
	} {
		t.Run(tc.label, func(t *testing.T) {
			p := Page{Marker: "<!-- -->", Sum: "Sum", Command: "graph", What: "object", Diagram: d, Longest: 100}
			p.Body = func(m *Document, rows int) {
				m.Diagram("")
				title := "List"
				if tc.row == "" {
					title = strings.Repeat("x", LeastLimit)
				}
				m.List(title, 100, rows, func(i int) { m.Print("- ", fmt.Sprintf(tc.row, i), "\n") })
			}
			limit := max(tc.limit, LeastLimit)
			text := p.Within(limit)
			if len(text) > limit {
				t.Errorf("%d bytes, limit %d", len(text), limit)
			}
			for _, want := range tc.has {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing in\n%s", want, text)
				}
			}
			for _, not := range tc.hasNot {
				if strings.Contains(text, not) {
					t.Errorf("%q is in\n%s", not, text)
				}
			}
		})
	}
}

// TestDocument_foldsLongLists counts the lines below rows too.
func TestDocument_foldsLongLists(t *testing.T) {
	const row = "- row\n"
	for _, tc := range []struct {
		label   string
		n, rows int
		row     string
		folded  bool
	}{
		{"few rows", longList, 100, row, false},
		{"many rows", longList + 1, 100, row, true},
		{"few shown rows of many", 100, longList, row, false},
		{"a row of few lines", 1, 100, strings.Repeat(row, longText), false},
		{"a row of many lines", 1, 100, strings.Repeat(row, longText+1), true},
	} {
		t.Run(tc.label, func(t *testing.T) {
			m := &Document{}
			m.Print("before\n")
			m.List("List", tc.n, tc.rows, func(int) { m.Print(tc.row) })
			text := m.text.String()
			if got := strings.Contains(text, "<details>"); got != tc.folded || !strings.HasPrefix(text, "before\n\n#### List\n\n") {
				t.Errorf("folded: %t, want %t:\n%s", got, tc.folded, text)
			}
			if got, want := strings.Count(text, row), min(tc.n, tc.rows)*strings.Count(tc.row, row); got != want {
				t.Errorf("%d lines, want %d:\n%s", got, want, text)
			}
		})
	}
}
