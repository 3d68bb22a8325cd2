package report

import (
	"bufio"
	_ "embed"
	"html/template"
	"io"
	"slices"
)

//go:embed page.html
var pageHTML string

// IsName reports whether the span is the name of a resource, a key, a field or an image.
func (s Span) IsName() bool { return s.kind == name }

// Plain returns the span as a terminal without colours shows it.
func (s Span) Plain() string { return s.plain() }

// Heading returns the section's title after its tag.
func (s *Section) Heading() string { return s.heading() }

// longSection is how many rows of a section HTML folds.
const longSection = 50

// IsOpen reports whether a reader of HTML need not open the section.
func (s *Section) IsOpen() bool { return s.Open || !s.Folded && len(s.Rows) <= longSection }

// FoldsRows reports whether HTML folds the lines of each row, since there are many.
func (s *Section) FoldsRows() bool {
	lines := 0
	for i := range s.Rows {
		lines += len(s.Rows[i].Lines)
	}
	return s.Groups && lines > longText
}

// A htmlPage is what the template needs.
type htmlPage struct {
	*Page
	Picture *picture
	All     []Section
}

// Few is how many lines below a row of the table are shown without being opened.
func (p htmlPage) Few() int {
	if len(p.Table) > longList {
		return 0
	}
	return longList / 2
}

// Lines returns the lines below a row of the table.
func (p htmlPage) Lines(row int) []Line {
	if p.Below == nil {
		return nil
	}
	return p.Below(row)
}

// writeHTML writes the page with a picture as one file, which loads nothing.
func (p *Page) writeHTML(w io.Writer, d *Diagram) error {
	t, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return err
	}
	h := htmlPage{Page: p, Picture: d.picture(), All: p.Sections}
	if p.Also != nil {
		h.All = slices.Concat(p.Sections, p.Also())
	}
	buffered := bufio.NewWriterSize(w, 1<<16) // the template writes each piece by itself
	if err := t.Execute(buffered, h); err != nil {
		return err
	}
	return buffered.Flush()
}
