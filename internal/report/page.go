// Package page writes what the commands tell people, where it is written in the
// same way whatever it tells: phrases on a terminal and in Markdown, a comment that
// folds where it grows too long, and a diagram in Mermaid and for Graphviz.
//
// Names come from manifests, which strangers may have written. Package escape sees to
// each of them here.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Format is how something is written.
type Format string

// The formats.
const (
	Text     Format = "text"
	Markdown Format = "markdown"
	JSON     Format = "json"
	Dot      Format = "dot"
)

// Formats returns the names of all formats.
func Formats() []string {
	return []string{string(Text), string(Markdown), string(JSON), string(Dot)}
}

// Parse returns the value of that name. The error says what it is and which there are.
func Parse[T ~string](what, name string, all []string) (T, error) {
	if !slices.Contains(all, name) {
		last := len(all) - 1
		return "", fmt.Errorf("unknown %s %q, want %s or %s", what, name, strings.Join(all[:last], ", "), all[last])
	}
	return T(name), nil
}

// WriteJSON writes a value on lines of its own.
func WriteJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
