package report

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A fixed view is a page without rows.
type fixed struct{}

func (fixed) Page() *Page       { return &Page{Command: "graph", Title: Words("Title")} }
func (fixed) Diagram() *Diagram { return &Diagram{Name: "fixed"} }
func (fixed) Data() any         { return map[string]string{"a": "<b>"} }

func TestWrite(t *testing.T) {
	for format, want := range map[Format]string{
		Text:     "Title\n",
		Markdown: "<!-- confighash graph -->\n### confighash: Title\n",
		JSON:     "{\n  \"a\": \"<b>\"\n}\n",
		Dot:      "digraph fixed {\n",
		HTML:     "<!doctype html><html lang=\"en\">\n",
	} {
		var b bytes.Buffer
		if err := Write(&b, fixed{}, format, false); err != nil || !strings.HasPrefix(b.String(), want) {
			t.Errorf("%s: got %q, %v, want %q", format, b.String(), err, want)
		}
	}
}

func TestWrite_refusesUnknownFormats(t *testing.T) {
	if err := Write(&bytes.Buffer{}, fixed{}, "yaml", false); err == nil {
		t.Error("an unknown format is written")
	}
}

type brokenPipe struct{}

var errBrokenPipe = errors.New("broken pipe")

func (brokenPipe) Write([]byte) (int, error) { return 0, errBrokenPipe }

func TestWrite_returnsTheWritersError(t *testing.T) {
	for _, f := range Formats() {
		if err := Write(brokenPipe{}, fixed{}, Format(f), false); !errors.Is(err, errBrokenPipe) {
			t.Errorf("%s: got %v", f, err)
		}
	}
}

// leastLimit is room for the title of a page.
const leastLimit = 1_000

func TestPage_losesItsDiagramFirst(t *testing.T) {
	d := &Diagram{Looks: []*Look{{Name: "calm"}}}
	for i := range 30 {
		d.Arrows = append(d.Arrows, Arrow{From: d.Box(i, func() Box { return Box{Look: d.Looks[0], Lines: []Phrase{Names("web")}} }), To: i})
	}
	const (
		diagram = "```mermaid\n"
		gone    = "The diagram is left out: it would make this too long for a comment."
		list    = "#### List\n"
		last    = "- row 99\n"
		cut     = "`confighash graph` on a terminal shows every object"
		nothing = "The rest is too long for a comment; `confighash graph` on a terminal shows all of it."
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
		{"none for a row", "row %d " + strings.Repeat("x", leastLimit), 0, []string{gone, list, "- 100 resources\n", cut}, []string{diagram, "- row 0", nothing}},
		{"none for the title", "", 0, []string{"### confighash: Sum\n", nothing}, []string{diagram, gone, list, cut}},
	} {
		t.Run(tc.label, func(t *testing.T) {
			p := Page{Command: "graph", What: "object", Title: Words("Sum"), Sections: []Section{{Title: "List"}}}
			if tc.row == "" {
				p.Sections[0].Title = strings.Repeat("x", leastLimit)
			}
			for i := range 100 {
				p.Sections[0].Rows = append(p.Sections[0].Rows, Row{Text: Words(strings.ReplaceAll(tc.row, "%d", fmt.Sprint(i)))})
			}
			limit := max(tc.limit, leastLimit)
			text := p.Markdown(d, limit)
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

// The lines below rows count too.
func TestPage_foldsLongLists(t *testing.T) {
	for _, tc := range []struct {
		label       string
		rows, lines int
		folded      bool
	}{
		{"few rows", longList, 0, false},
		{"many rows", longList + 1, 0, true},
		{"a row of few lines", 1, longText - 1, false},
		{"a row of many lines", 1, longText, true},
	} {
		t.Run(tc.label, func(t *testing.T) {
			row := Row{Text: Words("row"), Lines: slices.Repeat([]Phrase{Words("line")}, tc.lines)}
			p := Page{Command: "graph", Sections: []Section{{Title: "List", Rows: slices.Repeat([]Row{row}, tc.rows)}}}
			text := p.Markdown(&Diagram{}, DefaultLimit)
			if got := strings.Contains(text, "\n#### List\n\n<details>"); got != tc.folded {
				t.Errorf("folded: %t, want %t:\n%s", got, tc.folded, text)
			}
			if got := strings.Count(text, "- line\n"); got != tc.lines {
				t.Errorf("%d lines, want %d:\n%s", got, tc.lines, text)
			}
		})
	}
}

// Adjacent spans of one tone are coloured together.
func TestPage_textPaintsTones(t *testing.T) {
	p := Page{Title: Words("A").Toned(Bold).Word(" b"), Sections: []Section{{Rows: []Row{{Text: Words("made by ").Name("x").Toned(Faint)}}}}}
	if got, want := p.Text(true), "\x1b[1mA\x1b[0m b\n  \x1b[2mmade by x\x1b[0m\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// listed is a page with that many rows.
type listed struct {
	fixed
	rows int
}

func (l listed) Page() *Page {
	p := l.fixed.Page()
	section := Section{Title: "rows"}
	for i := range l.rows {
		section.Rows = append(section.Rows, Row{Name: Names(fmt.Sprintf("resource-%d", i))})
	}
	p.Sections = []Section{section}
	return p
}

// All environments share the size of a comment: small ones stay whole, and none is omitted silently.
func TestWriteEach_fitsIntoAComment(t *testing.T) {
	for _, test := range []struct {
		pages, rows int
		want        string
	}{
		{1, 10, "resource-9"},
		{3, 10, "resource-9"},
		{3, 5000, "and 4"},
		{300, 100, "e299"},
		{5000, 100, "environments more; `confighash graph` on a terminal shows all of them."},
	} {
		all := []Environment{{View: listed{rows: 3}, Name: "small"}}
		for i := range test.pages {
			all = append(all, Environment{View: listed{rows: test.rows}, Name: fmt.Sprintf("e%d", i)})
		}
		var b bytes.Buffer
		if err := WriteEach(&b, all, "eu", Markdown, false); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if len(text) > DefaultLimit || len(text) < DefaultLimit/2 && strings.Contains(text, "cut short") {
			t.Errorf("%d pages of %d rows take %d bytes of %d", test.pages, test.rows, len(text), DefaultLimit)
		}
		if !strings.HasPrefix(text, "<!-- confighash graph eu -->\n### confighash · small: Title\n") || !strings.Contains(text, test.want) {
			t.Errorf("%d pages of %d rows do not have %q:\n%.3000s", test.pages, test.rows, test.want, text)
		}
		if whole := strings.Contains(text, "`resource-2`"); whole != (test.pages < 5000) {
			t.Errorf("%d pages of %d rows: the small one is whole: %t", test.pages, test.rows, whole)
		}
	}
}

func TestWriteEach_gathersEnvironmentsWithoutFindings(t *testing.T) {
	all := []Environment{{View: fixed{}, Name: "a"}, {View: listed{rows: 1}, Name: "b"}, {View: fixed{}, Name: "c"}, {View: fixed{}, Name: "d", Note: "It is new."}}
	var b bytes.Buffer
	if err := WriteEach(&b, all, "", Markdown, false); err != nil {
		t.Fatal(err)
	}
	const first, last = "<!-- confighash graph -->\n### confighash · b: Title\n", "### confighash · 2 environments: Title\n\n`a`, `c`\n"
	if !strings.HasPrefix(b.String(), first) || !strings.HasSuffix(b.String(), last) || strings.Count(b.String(), "###") != 3+1 || !strings.Contains(b.String(), "· d: Title\n\nIt is new.\n") {
		t.Errorf("got %s", b.String())
	}
}
