// Package render writes who uses what for whom it is meant: as text for a
// terminal, as Markdown for a page or a comment, as JSON for a program, and as a
// graph for Graphviz.
//
// Names come from manifests, which strangers may have written. None of them steers
// a terminal, or becomes markup, a link or a mention.
package render

import (
	"io"

	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/internal/usage"
)

// A Format is how a graph is written.
type Format = report.Format

// The formats.
const (
	// Text is for a person at a terminal.
	Text = report.Text
	// Markdown is for a page, or for a comment on GitHub or GitLab. Its first line
	// is Marker.
	Markdown = report.Markdown
	// JSON is the whole graph.
	JSON = report.JSON
	// Dot is for Graphviz.
	Dot = report.Dot
)

// Formats returns the names of all formats.
func Formats() []string { return report.Formats() }

// ParseFormat returns the format of that name.
func ParseFormat(name string) (Format, error) { return report.Parse[Format]("format", name, Formats()) }

// An Order is what Text and Markdown list first.
type Order string

// The orders.
const (
	ByObject   Order = "object"   // each object with its users
	ByWorkload Order = "workload" // each workload, or other user, with its objects
)

// Orders returns the names of all orders.
func Orders() []string { return []string{string(ByObject), string(ByWorkload)} }

// ParseOrder returns the order of that name.
func ParseOrder(name string) (Order, error) { return report.Parse[Order]("order", name, Orders()) }

// Options say how to write.
type Options struct {
	// Colours sets Text off by the escape sequences of a terminal.
	Colours bool
	// By is the order of Text and Markdown, "" for ByObject.
	By Order
	// Limit is how many bytes Markdown may take: DefaultLimit where it is 0, and
	// no less than LeastLimit. What does not fit is counted.
	Limit int
}

// Limits of Markdown in bytes.
const (
	// DefaultLimit keeps below the 65,536 characters that GitHub takes in a
	// comment.
	DefaultLimit = report.DefaultLimit
	// LeastLimit is the least that Markdown can be held to.
	LeastLimit = report.LeastLimit
)

// Write writes a graph. It returns the writer's error, or one for an unknown
// format.
func Write(w io.Writer, g *usage.Graph, f Format, o Options) error {
	var written string
	switch f {
	case Text:
		written = text(g, o)
	case Markdown:
		written = markdown(g, o)
	case Dot:
		written = drawn(g).Dot()
	case JSON:
		return report.WriteJSON(w, g)
	default:
		_, err := ParseFormat(string(f))
		return err
	}
	_, err := io.WriteString(w, written)
	return err
}
