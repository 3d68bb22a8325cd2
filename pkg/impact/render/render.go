// Package render writes a report of impact for whom it is meant: as text for a
// terminal, as Markdown for a comment on a merge request, as JSON for a program,
// and as a graph for Graphviz.
//
// Names in a report come from manifests, which strangers may have written. None
// of them steers a terminal, or becomes markup, a link or a mention.
package render

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/confighash/confighash/pkg/impact"
)

// A Format is how a report is written.
type Format string

// The formats.
const (
	// Text is for a person at a terminal.
	Text Format = "text"
	// Markdown is for a comment on GitHub or GitLab. Its first line is Marker.
	Markdown Format = "markdown"
	// JSON is the whole report.
	JSON Format = "json"
	// Dot is a graph of causes and workloads, for Graphviz.
	Dot Format = "dot"
)

// Formats returns the names of all formats.
func Formats() []string {
	return []string{string(Text), string(Markdown), string(JSON), string(Dot)}
}

// ParseFormat returns the format of that name.
func ParseFormat(name string) (Format, error) {
	for _, f := range Formats() {
		if f == name {
			return Format(f), nil
		}
	}
	return "", fmt.Errorf("unknown format %q, want %s", name, oneOf(Formats()))
}

// Limits of Markdown in bytes.
const (
	// DefaultLimit keeps below the 65,536 characters that GitHub takes in a
	// comment.
	DefaultLimit = 60_000
	// LeastLimit is the least that Markdown can be held to.
	LeastLimit = 1_000
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
	switch f {
	case Text:
		return writeString(w, text(r, o.Colours))
	case Markdown:
		return writeString(w, markdown(r, o.Limit))
	case JSON:
		return writeJSON(w, r)
	case Dot:
		return writeString(w, drawn(r).dot())
	}
	_, err := ParseFormat(string(f))
	return err
}

func writeString(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}

// writeJSON writes the report with every list that is always there as a list,
// where it is nil too.
func writeJSON(w io.Writer, r *impact.Report) error {
	whole := *r
	whole.Workloads = list(r.Workloads)
	whole.Objects = list(r.Objects)
	whole.Refused = list(r.Refused)
	whole.Disappearing = make([]impact.Disappearing, len(r.Disappearing))
	for i, d := range r.Disappearing {
		d.NeededBy = list(d.NeededBy)
		whole.Disappearing[i] = d
	}
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(&whole); err != nil {
		return err
	}
	return out.Flush()
}

func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

func oneOf(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
