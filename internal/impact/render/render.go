// Package render writes a report of impact for whom it is meant: as text for a
// terminal, as Markdown for a comment on a merge request, as JSON for a program,
// and as a graph for Graphviz.
//
// Names in a report come from manifests, which strangers may have written. None
// of them steers a terminal, or becomes markup, a link or a mention.
package render

import (
	"io"

	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/report"
)

// A Format is how a report is written.
type Format = report.Format

// The formats.
const (
	// Text is for a person at a terminal.
	Text = report.Text
	// Markdown is for a comment on GitHub or GitLab. Its first line is Marker.
	Markdown = report.Markdown
	// JSON is the whole report.
	JSON = report.JSON
	// Dot is a graph of causes and workloads, for Graphviz.
	Dot = report.Dot
)

// Formats returns the names of all formats.
func Formats() []string { return report.Formats() }

// ParseFormat returns the format of that name.
func ParseFormat(name string) (Format, error) { return report.Parse[Format]("format", name, Formats()) }

// Limits of Markdown in bytes.
const (
	// DefaultLimit keeps below the 65,536 characters that GitHub takes in a
	// comment.
	DefaultLimit = report.DefaultLimit
	// LeastLimit is the least that Markdown can be held to.
	LeastLimit = report.LeastLimit
)

// Options say how to write.
type Options struct {
	// Colours sets Text off by the escape sequences of a terminal.
	Colours bool
	// Limit is how many bytes Markdown may take: DefaultLimit where it is 0, and
	// no less than LeastLimit. What does not fit is counted.
	Limit int
}

// Write writes a report. It returns the writer's error, or one for an unknown
// format.
func Write(w io.Writer, r *impact.Report, f Format, o Options) error {
	var written string
	switch f {
	case Text:
		written = text(r, o.Colours)
	case Markdown:
		written = markdown(r, o.Limit)
	case Dot:
		written = drawn(r).Dot()
	case JSON:
		return report.WriteJSON(w, whole(r))
	default:
		_, err := ParseFormat(string(f))
		return err
	}
	_, err := io.WriteString(w, written)
	return err
}

// whole returns the report with every list that is always there as a list, where
// it is nil too.
func whole(r *impact.Report) *impact.Report {
	whole := *r
	whole.Workloads = list(r.Workloads)
	whole.Objects = list(r.Objects)
	whole.Refused = list(r.Refused)
	whole.Disappearing = make([]impact.Disappearing, len(r.Disappearing))
	for i, d := range r.Disappearing {
		d.NeededBy = list(d.NeededBy)
		whole.Disappearing[i] = d
	}
	return &whole
}

func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}
