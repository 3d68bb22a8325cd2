package view

import (
	"cmp"
	"strings"

	"github.com/confighash/confighash/internal/fielddiff"
	"github.com/confighash/confighash/internal/report"
)

type diffView struct{ *fielddiff.Report }

// Diff returns the view of the differences between two sets of manifests, for text and Markdown.
func Diff(r *fielddiff.Report) report.View { return diffView{r} }

// Data returns the report.
func (v diffView) Data() any { return v.Report }

// Diagram returns an empty diagram.
func (v diffView) Diagram() *report.Diagram { return &report.Diagram{} }

// Page lists what has changed, field by field, and what was added or removed.
func (v diffView) Page() *report.Page {
	p := &report.Page{Command: "diff", What: "field", NoJSON: true, Title: report.Words(v.title()).Toned(report.Bold)}
	for _, s := range []struct {
		tag       string
		tone      report.Tone
		resources []fielddiff.Resource
	}{{"changed", report.Warns, v.Changed}, {"added", report.Good, v.Added}, {"removed", report.Alarms, v.Removed}} {
		section := report.Section{Title: s.tag}
		for _, r := range s.resources {
			section.Rows = append(section.Rows, report.Row{Tag: s.tag, Tone: s.tone, Name: report.Names(r.Name), Diff: r.Lines})
		}
		p.Add(section)
	}
	return p
}

// title summarizes the report: "2 resources change, 1 is added, and 7 references follow new names".
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
	title := cmp.Or(strings.Join(parts, ", "), "Nothing changes")
	if n := v.References; n > 0 {
		title += ", and " + report.Plural(n, "reference") + report.Choose(n, " follows a new name", " follow new names")
	}
	return title
}
