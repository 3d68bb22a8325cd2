package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"maragu.dev/gomponents"
	"maragu.dev/gomponents/html"
)

// html returns the diagram as a picture: columns of boxes, laid out by the browser, and arrows, drawn by the page's
// script. Without arrows there is none.
func (d *Diagram) html() gomponents.Node {
	if len(d.Arrows) == 0 {
		return nil
	}
	title := cmp.Or(d.Title, "Diagram")
	column := d.columns()
	var columns gomponents.Group
	for k := range 1 + slices.Max(column) {
		var boxes gomponents.Group
		for i := range d.Boxes {
			if column[i] == k {
				boxes = append(boxes, d.boxHTML(i))
			}
		}
		columns = append(columns, html.Div(html.Class("column"), boxes), newline)
	}
	return gomponents.Group{html.Details(gomponents.Attr("open"), newline,
		html.Summary(html.H2(gomponents.Text(title))), newline,
		gomponents.If(d.Note != "", gomponents.Group{html.P(gomponents.Text(d.Note)), newline}),
		html.P(html.Class("legend"), gomponents.Map(d.legend(), func(l *Look) gomponents.Node {
			return gomponents.Group{html.Span(html.Style(l.css()), gomponents.Text(l.Meaning)), gomponents.Text(" ")}
		})), newline,
		html.Div(html.Class("picture"), html.TabIndex("0"), html.Role("group"), html.Aria("label", title+"; the lists above have the same in words"), newline,
			html.Div(html.Class("columns"), newline, columns, html.SVG(html.Aria("hidden", "true"),
				gomponents.Raw(`<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" style="fill:#6e7781"/></marker></defs>`), newline,
				each(d.Arrows, (*Arrow).html)))), newline), newline}
}

// columns returns the column of each box, which is right of the boxes that lead to it.
func (d *Diagram) columns() []int {
	const most = 5 // the longest path, from a maker to a workload
	column := make([]int, len(d.Boxes))
	for range most - 1 {
		for _, a := range d.Arrows {
			column[a.To] = max(column[a.To], min(column[a.From]+1, most-1))
		}
	}
	return column
}

// boxHTML returns the i-th box, which arrows refer to by that number.
func (d *Diagram) boxHTML(i int) gomponents.Node {
	b := &d.Boxes[i]
	return gomponents.Group{html.Div(html.Class("box"), html.Data("box", strconv.Itoa(i)), html.Title(Printable(b.Tip)), html.Style(b.Look.css()),
		gomponents.If(b.All != nil, html.Data("all", strings.Join(b.All, " "))),
		gomponents.Map(b.lines(Phrase.short), func(line string) gomponents.Node { return html.Div(gomponents.Text(line)) })), newline}
}

// css returns the style of a box.
func (l *Look) css() string {
	line := "solid"
	if l.Dashed {
		line = "dashed"
	}
	return fmt.Sprintf("background:%s;border:1px %s %s", l.Fill, line, l.Stroke)
}

func (a *Arrow) html() gomponents.Node {
	return gomponents.Group{gomponents.El("g", html.Class("arrow"), html.Data("from", strconv.Itoa(a.From)), html.Data("to", strconv.Itoa(a.To)),
		gomponents.El("path", gomponents.Attr("marker-end", "url(#head)"), gomponents.If(a.Dashed, gomponents.Attr("stroke-dasharray", "5 4"))),
		gomponents.El("text", gomponents.Text(a.Label.short()))), newline}
}

// legend returns the looks in use.
func (d *Diagram) legend() []*Look {
	return slices.DeleteFunc(slices.Clone(d.Looks), func(look *Look) bool {
		return !slices.ContainsFunc(d.Boxes, func(b Box) bool { return b.Look == look })
	})
}
