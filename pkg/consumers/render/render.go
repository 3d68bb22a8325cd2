// Package render writes who uses what for whom it is meant: as text for a
// terminal, as Markdown for a page or a comment, as JSON for a program, and as a
// graph for Graphviz.
//
// Names come from manifests, which strangers may have written. None of them steers
// a terminal, or becomes markup, a link or a mention.
package render

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/confighash/confighash/pkg/consumers"
)

// A Format is how a graph is written.
type Format string

// The formats.
const (
	// Text is for a person at a terminal.
	Text Format = "text"
	// Markdown is for a page, or for a comment on GitHub or GitLab. Its first line
	// is Marker.
	Markdown Format = "markdown"
	// JSON is the whole graph.
	JSON Format = "json"
	// Dot is for Graphviz.
	Dot Format = "dot"
)

// Formats returns the names of all formats.
func Formats() []string {
	return []string{string(Text), string(Markdown), string(JSON), string(Dot)}
}

// ParseFormat returns the format of that name.
func ParseFormat(name string) (Format, error) {
	if !slices.Contains(Formats(), name) {
		return "", fmt.Errorf("unknown format %q, want %s", name, oneOf(Formats()))
	}
	return Format(name), nil
}

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
func ParseOrder(name string) (Order, error) {
	if !slices.Contains(Orders(), name) {
		return "", fmt.Errorf("unknown order %q, want %s", name, oneOf(Orders()))
	}
	return Order(name), nil
}

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
	DefaultLimit = 60_000
	// LeastLimit is the least that Markdown can be held to.
	LeastLimit = 1_000
)

// Write writes a graph. It returns the writer's error, or one for an unknown
// format.
func Write(w io.Writer, g *consumers.Graph, f Format, o Options) error {
	switch f {
	case Text:
		return writeString(w, text(g, o))
	case Markdown:
		return writeString(w, markdown(g, o))
	case Dot:
		return writeString(w, diagramOf(g).dot())
	case JSON:
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(g)
	}
	_, err := ParseFormat(string(f))
	return err
}

func writeString(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}

func oneOf(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
