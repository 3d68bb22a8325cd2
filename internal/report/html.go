package report

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"strconv"

	"maragu.dev/gomponents"
	"maragu.dev/gomponents/html"
)

// Embedded in the page, which loads nothing.
var (
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

// longSection is how many rows make HTML fold a section.
const longSection = 50

var newline = gomponents.Raw("\n")

// writeHTML writes the pages of views, each with a picture, as one file that loads nothing. It does not use
// html/template, for which the linker keeps every exported method: the executable would be a fifth larger.
func writeHTML(w io.Writer, views []Environment) error {
	var title string
	var top, links, pages gomponents.Group
	for i, v := range views {
		p := v.Page()
		of := ""
		if p.Environment != "" {
			of = " · " + p.Environment
		}
		heading := html.H1(gomponents.If(len(views) > 1, html.ID("page-"+strconv.Itoa(i))), gomponents.Text("confighash"+of+": "), p.Title.html())
		if title = "confighash " + p.Command; len(views) > 1 {
			pages = append(pages, heading, newline)
			links = append(links, html.Li(html.A(html.Href("#page-"+strconv.Itoa(i)), gomponents.Text(p.Environment)), gomponents.Text(": "), p.Title.html()), newline)
			top = gomponents.Group{html.H1(gomponents.Text(title)), newline, html.Ul(newline, links)}
		} else if top = (gomponents.Group{heading}); p.Environment != "" {
			title += ": " + p.Environment
		}
		pages = append(pages,
			p.htmlTable(),
			gomponents.Map(p.Notes, func(note Phrase) gomponents.Node {
				return gomponents.Group{html.P(note.html()), newline}
			}),
			each(p.Sections, (*Section).html),
			v.Diagram().html())
	}
	buffered := bufio.NewWriterSize(w, 1<<16) // each node is written separately
	err := html.Doctype(html.HTML(html.Lang("en"), newline,
		html.Head(newline,
			html.Meta(html.Charset("utf-8")), newline,
			html.Meta(html.Name("viewport"), html.Content("width=device-width, initial-scale=1")), newline,
			html.TitleEl(gomponents.Text(title)), newline,
			html.StyleEl(newline, gomponents.Raw(pageCSS)), newline), newline,
		html.Body(newline,
			html.Main(newline, top, newline, search, newline, pages), newline,
			html.Script(newline, gomponents.Raw(pageJS)), newline), newline)).Render(buffered)
	if err != nil {
		return err
	}
	return buffered.Flush()
}

// each renders the items one by one, so that their nodes are never in memory all at once.
func each[T any](items []T, node func(*T) gomponents.Node) gomponents.Node {
	return gomponents.NodeFunc(func(w io.Writer) error {
		for i := range items {
			if err := node(&items[i]).Render(w); err != nil {
				return err
			}
		}
		return nil
	})
}

// search stays hidden until the script shows it.
var search = html.Div(html.ID("search"), gomponents.Attr("hidden"),
	html.Label(html.For("filter"), gomponents.Text("Filter")), gomponents.Text(" "),
	html.Input(html.ID("filter"), html.Type("search"), html.Placeholder("a name, a key, a word")), gomponents.Text(" "),
	html.Span(html.ID("found"), html.Role("status")))

func (p *Page) htmlTable() gomponents.Node {
	if len(p.Table) == 0 {
		return nil
	}
	table := gomponents.Group{newline, html.THead(html.Tr(gomponents.Map(p.Table[0], func(cell Phrase) gomponents.Node {
		return html.Th(html.Scope("col"), cell.html())
	}))), newline}
	for _, row := range p.Table[1:] {
		cells := gomponents.Group{}
		for j, cell := range row {
			number := gomponents.Group{html.Class("number"), html.Data("title", p.Table[0][j].String())}
			cells = append(cells, html.Td(gomponents.If(j > 0, number), cell.html()))
		}
		table = append(table, html.TBody(html.Class("item"), html.Tr(cells)), newline)
	}
	return gomponents.Group{html.Table(table), newline}
}

func (s *Section) html() gomponents.Node {
	return gomponents.Group{html.Details(
		gomponents.If(s.Open || !s.Folded && len(s.Rows) <= longSection, gomponents.Attr("open")), newline,
		html.Summary(html.H2(gomponents.Text(fmt.Sprintf("%s (%d)", s.heading(), len(s.Rows))))), newline,
		html.Ul(newline, each(s.Rows, func(r *Row) gomponents.Node {
			return gomponents.Group{html.Li(html.Class("item"), r.html()), newline}
		})), newline), newline}
}

// html returns the row with its lines, which are folded if there are many.
func (r *Row) html() gomponents.Node {
	text := gomponents.Group{gomponents.If(len(r.Name) > 0, html.Strong(r.Name.html())), r.rest().html()}
	lines := html.Ul(each(r.Lines, func(line *Phrase) gomponents.Node { return html.Li(line.html()) }))
	switch {
	case len(r.Lines) == 0:
		return text
	case len(r.Lines) > longList:
		return html.Details(html.Summary(text, gomponents.Textf(" (%d)", len(r.Lines))), lines)
	}
	return append(text, lines)
}

func (p Phrase) html() gomponents.Node {
	return gomponents.Map(p, func(s Span) gomponents.Node {
		text := gomponents.Text(s.plain())
		if s.kind == name {
			return html.Code(text)
		}
		return text
	})
}
