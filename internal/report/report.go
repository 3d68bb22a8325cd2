// Package report writes what a command shows: as text for a terminal, as Markdown for a
// page or a comment on a merge request, as JSON for a program, as HTML for a browser, and as a graph for
// Graphviz. Write is its entry point.
//
// Names come from manifests that strangers may have written. The writers escape each of
// them, so that none steers a terminal or becomes markup, a link or a mention.
package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/typo"
)

// A Format is how a report is written.
type Format string

// The formats.
const (
	Text     Format = "text"
	Markdown Format = "markdown"
	JSON     Format = "json"
	Dot      Format = "dot"
	HTML     Format = "html"
)

// Formats returns the names of all formats.
func Formats() []string {
	return []string{string(Text), string(Markdown), string(JSON), string(Dot), string(HTML)}
}

// Parse returns the value of that name. The error lists all of them.
func Parse[T ~string](what, name string, all []string) (T, error) {
	if !slices.Contains(all, name) {
		last := len(all) - 1
		return "", fmt.Errorf("unknown %s %q, want %s or %s%s", what, name, strings.Join(all[:last], ", "), all[last], typo.DidYouMean(name, all))
	}
	return T(name), nil
}

// A View presents the data of a command in the shapes that the formats need.
type View interface {
	// Page is for Text and Markdown.
	Page() *Page
	// Diagram is for Markdown and Dot.
	Diagram() *Diagram
	// Data is for JSON.
	Data() any
}

// An Environment is the view of what is for an environment, such as prod.
type Environment struct {
	View `json:"-"`
	Name string `json:"name"`
	// Change is Added or Removed if one of two sets does not have it, and Note says so.
	Change string `json:"change,omitempty"`
	Note   string `json:"-"`
}

// Page names the environment.
func (e Environment) Page() *Page {
	p := e.View.Page()
	p.Environment = cmp.Or(e.Name, p.Environment)
	if e.Note != "" {
		p.Notes = slices.Insert(p.Notes, 0, Prose(e.Note))
	}
	return p
}

// Write writes a view, as Text with the colours of a terminal if asked to. It returns the
// writer's error, or one for an unknown format.
func Write(w io.Writer, v View, f Format, colours bool) error {
	switch f {
	case JSON:
		return WriteJSON(w, v.Data())
	case Markdown:
		_, err := io.WriteString(w, v.Page().Markdown(v.Diagram(), DefaultLimit))
		return err
	default:
		return WriteEach(w, []Environment{{View: v}}, "", f, colours)
	}
}

// WriteJSON writes data as a person can read it too.
func WriteJSON(w io.Writer, data any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(data)
}

// WriteEach writes the views of environments, of one command, one after the other. name,
// which may be empty, is what the first line of Markdown calls them all. Dot holds only one.
func WriteEach(w io.Writer, all []Environment, name string, f Format, colours bool) error {
	var written string
	switch f {
	case Text:
		var texts []string
		for _, e := range all {
			texts = append(texts, e.Page().Text(colours))
		}
		written = strings.Join(texts, "\n")
	case Markdown:
		written = markdownEach(all, name, DefaultLimit)
	case HTML:
		return writeHTML(w, all)
	case JSON:
		type environment struct {
			Environment
			Report any `json:"report"`
		}
		var list struct {
			Environments []environment `json:"environments"`
		}
		for _, e := range all {
			list.Environments = append(list.Environments, environment{e, e.Data()})
		}
		return WriteJSON(w, list)
	case Dot:
		if len(all) > 1 {
			return fmt.Errorf("%s shows one environment, and there are %d; name one of them", f, len(all))
		}
		written = all[0].Diagram().Dot()
	default:
		_, err := Parse[Format]("format", string(f), Formats())
		return err
	}
	_, err := io.WriteString(w, written)
	return err
}

// A Page is a title and lists of resources.
type Page struct {
	// Command is the command of confighash that writes the page, such as "impact",
	// and What the thing that it lists, such as "workload".
	Command, What string
	Title         Phrase
	// Environment is what the page is about, such as prod; it may be empty.
	Environment string
	// Table sums the page up, for Markdown, and, if Sums, for other formats too. Its first
	// row has the titles of the columns.
	Table [][]Phrase
	Sums  bool
	// Notes are sentences below the table.
	Notes    []Phrase
	Sections []Section
	// NoJSON: no other format says more.
	NoJSON bool
}

// A Section is a list of resources.
type Section struct {
	// Tag is the section in a word, which Markdown sets before the title. Both may be
	// empty.
	Tag, Title string
	Rows       []Row
	// Folded: Markdown shows the rows once a reader opens the section, whose Title they
	// are counted in. Open: a reader need not open it.
	Folded, Open bool
}

// A Row is a resource with what a report says about it.
type Row struct {
	// Tag is a word or two before the row in Text, in the colour of Tone.
	Tag  string
	Tone Tone
	// Name is emphasized, and Text follows it.
	Name, Text Phrase
	// Columns are aligned with those of the section's other rows, of which there are
	// as many. A column may be empty.
	Columns []Phrase
	// Lines are written below the row, and below them Diff, lines of a diff.
	Lines []Line
	Diff  string
}

// A Line is a line below a row. Its Label may be empty.
type Line struct {
	Label, Text Phrase
}
