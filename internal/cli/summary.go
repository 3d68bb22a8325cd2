package cli

import (
	"fmt"
	"os"

	"golang.org/x/term"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
)

// maxNames is how many resources a line of the summary names.
const maxNames = 3

// hasColours reports whether f is a terminal that may be sent colours: by
// https://no-color.org, and if it can show them.
func hasColours(f *os.File) bool {
	t := os.Getenv("TERM")
	return os.Getenv("NO_COLOR") == "" && t != "" && t != "dumb" && term.IsTerminal(int(f.Fd()))
}

func summaryPage(out *function.Output) *report.Page {
	s := out.Summary
	changed := "nothing changed"
	if s.Changed > 0 {
		changed = fmt.Sprintf("%d of %s changed", s.Changed, report.Plural(s.Resources, "resource"))
	}
	done := renamed
	if s.Mode != v1alpha1.ModeRename {
		done = stamped
	}
	lines := done(s)
	if out.Idle != "" {
		lines[0] = lines[0].Word(": ").Add(report.Prose(out.Idle))
	}
	if s.Jobs > 0 {
		lines = append(lines, number(report.Good, s.Jobs, "Job").Word(" named after what "+report.Choose(s.Jobs, "it runs", "they run")))
	}
	if len(s.LeftAlone) > 0 {
		lines = append(lines, report.Words("left alone:"))
	}
	var end []report.Phrase
	if s.Warnings > 0 {
		end = append(end, number(report.Warns, s.Warnings, "warning").Word(" above"))
	}
	return &report.Page{
		Title:    report.Words("confighash " + string(s.Mode) + ":").Toned(report.Bold).Word(" " + changed),
		Sections: []report.Section{rows(lines), leftAlone(s.LeftAlone), rows(end)},
	}
}

func rows(lines []report.Phrase) report.Section {
	var s report.Section
	for _, line := range lines {
		s.Rows = append(s.Rows, report.Row{Text: line})
	}
	return s
}

// number returns a number in the colour of a tone, with what it counts.
func number(tone report.Tone, n int, what string) report.Phrase {
	return report.Words(report.Plural(n, what)).Toned(tone)
}

func renamed(s *function.Summary) []report.Phrase {
	var named report.Phrase
	total := 0
	for i, k := range s.Named {
		switch {
		case i > 0 && i == len(s.Named)-1:
			named = named.Word(" and ")
		case i > 0:
			named = named.Word(", ")
		}
		named = named.Add(number(report.Good, k.N, k.What))
		total += k.N
	}
	if total == 0 {
		return []report.Phrase{report.Words("nothing is named after its content")}
	}
	return []report.Phrase{
		named.Word(" named after " + report.Choose(total, "its", "their") + " content"),
		number(report.Good, s.References, "reference").Word(" to " + report.Choose(total, "it", "them")),
	}
}

func stamped(s *function.Summary) []report.Phrase {
	lines := []report.Phrase{report.Words("nothing is stamped")}
	if s.Stamped > 0 {
		lines[0] = number(report.Good, s.Stamped, "workload").Word(" stamped with a checksum of what " + report.Choose(s.Stamped, "it consumes", "they consume"))
	}
	if s.Unstamped > 0 {
		lines = append(lines, number(report.Good, s.Unstamped, "workload").Word(" lost an annotation of an earlier run"))
	}
	return lines
}

func leftAlone(reasons []function.Reason) report.Section {
	var s report.Section
	for _, r := range reasons {
		tone := report.Faint
		if r.Warned {
			tone = report.Warns
		}
		names := r.Resources
		if more := len(names) - maxNames; more > 1 {
			names = append(names[:maxNames:maxNames], fmt.Sprintf("%d more", more))
		}
		text := report.Prose(r.Text).Toned(tone).Word(": ").Add(report.Prose(graph.Enumerate(names)))
		s.Rows = append(s.Rows, report.Row{Tag: fmt.Sprintf("%5d", len(r.Resources)), Text: text})
	}
	return s
}
