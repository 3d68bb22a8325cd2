// Package report writes what a command shows: as text for a terminal, as Markdown for a page or a comment on a merge
// request, as JSON for a program, as HTML for a browser, and as a graph for Graphviz. Write is its entry point.
//
// Names come from manifests that strangers may have written. The writers escape them, so that they cannot control a
// terminal or become markup, links or mentions.
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

// A Format is an output format of a report.
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

// OneOf returns an error that lists all names, unless name is one of them.
func OneOf(what, name string, all []string) error {
	if slices.Contains(all, name) {
		return nil
	}
	last := len(all) - 1
	return fmt.Errorf("unknown %s %q, want %s or %s%s", what, name, strings.Join(all[:last], ", "), all[last], typo.DidYouMean(name, all))
}

// A View presents the result of a command in the forms that the formats need.
type View interface {
	// Page is for Text and Markdown.
	Page() *Page
	// Diagram is for Markdown and Dot.
	Diagram() *Diagram
	// Data is for JSON.
	Data() any
}

// An Environment is the view of one environment, such as prod.
type Environment struct {
	View `json:"-"`
	Name string `json:"name"`
	// Change is Added or Removed if only one of two sets has the environment, and Note explains that.
	Change string `json:"change,omitempty"`
	Note   string `json:"-"`
	// Report is the view's data, which WriteEach sets.
	Report any `json:"report"`
}

// Page returns the view's page, with the environment's name.
func (e Environment) Page() *Page {
	p := e.View.Page()
	p.Environment = cmp.Or(e.Name, p.Environment)
	if e.Note != "" {
		p.Notes = slices.Insert(p.Notes, 0, Prose(e.Note))
	}
	return p
}

// Write writes a view; colours only matter for Text. It returns the writer's error, or one for an unknown format.
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

// WriteJSON writes data as indented JSON. It returns the writer's error, or the encoder's.
func WriteJSON(w io.Writer, data any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(data)
}

// WriteEach writes the views of a command for several environments. name, which may be empty, identifies all of them in
// the first line of Markdown. It returns the writer's error, one for an unknown format, or one for more than one
// environment in Dot.
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
		for i := range all {
			all[i].Report = all[i].Data()
		}
		return WriteJSON(w, map[string][]Environment{"environments": all})
	case Dot:
		if len(all) > 1 {
			return fmt.Errorf("%s shows one environment, and there are %d; name one of them", f, len(all))
		}
		written = all[0].Diagram().Dot()
	default:
		return OneOf("format", string(f), Formats())
	}
	_, err := io.WriteString(w, written)
	return err
}

// A Page is a title and lists of resources.
type Page struct {
	// Command is the command of confighash that writes the page, such as "impact", and What the noun for what it lists,
	// such as "workload".
	Command, What string
	Title         Phrase
	// Environment is the page's environment, such as prod; it may be empty.
	Environment string
	// Table summarizes the page. Its first row has the column titles.
	Table [][]Phrase
	// Notes are sentences below the table.
	Notes    []Phrase
	Sections []Section
	// NoJSON: no other format has more details.
	NoJSON bool
}

// Add appends a section, unless it has no rows.
func (p *Page) Add(s Section) {
	if len(s.Rows) > 0 {
		p.Sections = append(p.Sections, s)
	}
}

// A Section is a list of resources.
type Section struct {
	// Tag is a one-word name of the section, which Markdown puts before the title. Both may be empty.
	Tag, Title string
	Rows       []Row
	// Folded: Markdown hides the rows until a reader opens the section, whose Title has their number. Open: the section
	// is initially open.
	Folded, Open bool
}

// A Row is a resource with the report's statement about it.
type Row struct {
	// Tag is a word or two before the row in Text, coloured by Tone.
	Tag  string
	Tone Tone
	// Name is emphasized and followed by Text.
	Name, Text Phrase
	// Columns are aligned with those of the section's other rows, which must have as many. A column may be empty.
	Columns []Phrase
	// Lines are written below the row, followed by Diff, which has lines of a diff.
	Lines []Phrase
	Diff  string
}

// rest returns what follows the name: the text and the columns, for formats that do not align these.
func (r *Row) rest() Phrase {
	rest := r.Text
	for _, column := range r.Columns {
		if len(column) > 0 {
			rest = rest.Word(" · ").Add(column)
		}
	}
	return rest
}
