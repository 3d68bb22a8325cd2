package view

import (
	"strconv"
	"strings"

	"github.com/confighash/confighash/internal/fielddiff"
	"github.com/confighash/confighash/internal/report"
)

type diffView struct{ *fielddiff.Report }

// Diff returns the view of what differs between two sets of manifests, for text and
// Markdown.
func Diff(r *fielddiff.Report) report.View { return diffView{r} }

// Data returns the report.
func (v diffView) Data() any { return v.Report }

// Diagram returns an empty one.
func (v diffView) Diagram() *report.Diagram { return &report.Diagram{} }

// Page lists what is changed, field by field, and what is added and removed.
func (v diffView) Page() *report.Page {
	p := &report.Page{Command: "diff", What: "field", NoJSON: true, Title: report.Words(v.title()).Toned(report.Bold)}
	p.Table = [][]report.Phrase{{nil, report.Words("resource"), report.Words("what changes")}}
	for _, s := range []struct {
		tag       string
		tone      report.Tone
		resources []fielddiff.Resource
	}{{"changed", report.Warns, v.Changed}, {"added", report.Good, v.Added}, {"removed", report.Alarms, v.Removed}} {
		section := report.Section{Title: s.tag, Folded: true}
		for _, r := range s.resources {
			name := report.Names(r.Name)
			section.Rows = append(section.Rows, report.Row{Tag: s.tag, Tone: s.tone, Name: name, Lines: fieldLines(&r)})
			p.Table = append(p.Table, []report.Phrase{report.Words(s.tag), name, fieldList(&r)})
		}
		if len(section.Rows) > 0 {
			p.Sections = append(p.Sections, section)
		}
	}
	if len(p.Table) == 1 {
		p.Table = nil
	}
	return p
}

// title sums the report up: "2 resources change, 1 is added, and 7 references follow new
// names".
func (v diffView) title() string {
	parts := counted(nil, len(v.Changed), "resource changes", "resources change")
	for _, c := range []struct {
		n    int
		what string
	}{{len(v.Added), " added"}, {len(v.Removed), " removed"}} {
		one, several := "is"+c.what, "are"+c.what
		if len(parts) == 0 {
			one, several = "resource "+one, "resources "+several
		}
		parts = counted(parts, c.n, one, several)
	}
	title := "Nothing changes"
	if len(parts) > 0 {
		title = strings.Join(parts, ", ")
	}
	if n := v.References; n > 0 {
		title += ", and " + report.Plural(n, "reference") + report.Choose(n, " follows a new name", " follow new names")
	}
	return title
}

func fieldLines(r *fielddiff.Resource) (lines []report.Line) {
	for _, f := range r.Fields {
		line := report.Line{Label: report.Path(f.Path, f.Path), Text: report.Words(string(f.What))}
		switch {
		case f.Lines != "":
			line.Diff = f.Lines
		case f.Old != "" && f.New != "":
			line.Text = report.Names(f.Old).Word(" → ").Name(f.New)
		case f.Old+f.New != "":
			line.Text = line.Text.Word(": ").Name(f.Old + f.New)
		}
		lines = append(lines, line)
	}
	if r.More > 0 {
		lines = append(lines, report.Line{Text: report.Words("and " + strconv.Itoa(r.More) + " more")})
	}
	return lines
}

func fieldList(r *fielddiff.Resource) report.Phrase {
	const most = 3
	var parts []report.Phrase
	shown, more := report.First(r.Fields, most)
	for i := range shown {
		part := report.Names(lastOf(shown[i].Path))
		if shown[i].Old != "" && shown[i].New != "" && strings.HasSuffix(shown[i].Path, ".image") {
			part = part.Word(" → ").Name(shown[i].New)
		}
		parts = append(parts, part)
	}
	list := report.Join(parts...)
	if more += r.More; more > 0 {
		list = list.Word(" and " + strconv.Itoa(more) + " more")
	}
	return list
}

// lastOf returns the end of a path: a key, or from the last element of a list that has a
// name.
func lastOf(path string) string {
	for _, field := range []string{"data", "spec"} {
		if rest, ok := strings.CutPrefix(path, field+"["); ok {
			return strings.TrimSuffix(rest, "]")
		}
		if rest, ok := strings.CutPrefix(path, field+"."); ok {
			path = rest
		}
	}
	if at := strings.LastIndexByte(path, '['); at >= 0 {
		return path[1+strings.LastIndexByte(path[:at], '.'):]
	}
	return path
}
