package report

import (
	_ "embed"
	"html/template"
	"io"
)

//go:embed page.html
var pageHTML string

// IsName reports whether the span is the name of a resource, a key, a field or an image.
func (s Span) IsName() bool { return s.kind == name }

// Plain returns the span as a terminal without colours shows it.
func (s Span) Plain() string { return s.plain() }

// Heading returns the section's title after its tag.
func (s *Section) Heading() string { return s.heading() }

// writeHTML writes the page with a picture as one file, which loads nothing.
func (p *Page) writeHTML(w io.Writer, d *Diagram) error {
	t, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return err
	}
	return t.Execute(w, struct {
		*Page
		Picture *picture
	}{p, d.picture()})
}
