package view

import (
	"fmt"
	"strings"

	"github.com/confighash/confighash/internal/lint"
	"github.com/confighash/confighash/internal/report"
)

type lintView struct{ *lint.Report }

// Lint returns the view of lint's findings. It has no diagram.
func Lint(r *lint.Report) report.View { return lintView{r} }

// Data returns the report.
func (v lintView) Data() any { return v.Report }

// Diagram returns nil.
func (v lintView) Diagram() *report.Diagram { return nil }

var severityTones = map[lint.Severity]report.Tone{lint.Error: report.Alarms, lint.Warning: report.Warns, lint.Note: report.Faint}

// Page lists the findings in the style of compilers, with the place first.
func (v lintView) Page() *report.Page {
	counts := map[lint.Severity]int{}
	var section report.Section
	for _, f := range v.Findings {
		counts[f.Severity]++
		place := fmt.Sprintf("%s:%d", f.File, f.Line)
		if f.Column > 0 {
			place += fmt.Sprintf(":%d", f.Column)
		}
		section.Rows = append(section.Rows, report.Row{
			Tag: string(f.Severity), Tone: severityTones[f.Severity], Name: report.Names(place),
			Text:  report.Words(": ").Name(f.Resource.String()).Word(": ").Add(report.Prose(f.Message)).Word(" (" + f.Rule + ")"),
			Lines: []report.Phrase{report.Words("field: ").Name(f.Field), report.Words("fix: ").Add(report.Prose(f.Fix))},
		})
	}
	var parts []string
	for _, severity := range lint.Severities() {
		parts = counted(parts, counts[severity], string(severity), string(severity)+"s")
	}
	if len(parts) == 0 {
		parts = []string{"No findings"}
	}
	parts = counted(parts, len(v.Accepted), "accepted", "accepted")
	parts = counted(parts, v.Known, "known before", "known before")
	p := &report.Page{Command: "lint", What: "finding", Title: report.Words(strings.Join(parts, ", ")).Toned(report.Bold)}
	p.Add(section)
	return p
}
