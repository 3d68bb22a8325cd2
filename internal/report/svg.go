package report

import (
	"fmt"
	"strconv"

	"maragu.dev/gomponents"
	"maragu.dev/gomponents/html"
)

// html is the picture with its legend; nil has none.
func (p *picture) html() gomponents.Node {
	if p == nil {
		return nil
	}
	legend := gomponents.Map(p.Legend, func(look Look) gomponents.Node {
		return gomponents.Group{
			html.SVG(attr("width", 14), attr("height", 14), html.Aria("hidden", "true"),
				rect(1, 1, 12, 12, 3, look)),
			gomponents.Text(" " + look.Meaning + " "),
		}
	})
	return gomponents.Group{html.Details(gomponents.Attr("open"), newline,
		html.Summary(html.H2(gomponents.Text(p.Title))), newline,
		gomponents.If(p.Note != "", gomponents.Group{html.P(gomponents.Text(p.Note)), newline}),
		html.P(html.Class("legend"), legend), newline,
		html.Div(html.Class("picture"), html.TabIndex("0"), html.Role("group"), html.Aria("label", p.Title),
			html.SVG(gomponents.Attr("xmlns", "http://www.w3.org/2000/svg"), attr("width", p.Width), attr("height", p.Height),
				gomponents.Attr("viewBox", fmt.Sprintf("0 0 %d %d", p.Width, p.Height)), html.Style(fmt.Sprintf("min-width: %dpx", p.Least)),
				html.Role("img"), html.Aria("label", p.Title+"; the lists above have the same in words"), newline,
				gomponents.Raw(`<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" style="fill:#6e7781"/></marker></defs>`), newline,
				each(p.Arrows, (*curve).svg), each(p.Boxes, func(b **placed) gomponents.Node { return (*b).svg() }))), newline), newline}
}

func (c *curve) svg() gomponents.Node {
	return gomponents.Group{gomponents.El("g", html.Class("arrow"), html.Data("ends", fmt.Sprintf("%d %d", c.From, c.To)),
		gomponents.El("path", gomponents.Attr("d", c.Path), gomponents.Attr("marker-end", "url(#head)"), dashes(c.Dashed)),
		gomponents.If(c.Label.Text != "", c.Label.svg(html.Class("label")))), newline}
}

func (b *placed) svg() gomponents.Node {
	return gomponents.Group{gomponents.El("g", html.Class("box"), gomponents.If(b.All != "", html.Data("all", b.All)),
		gomponents.El("title", gomponents.Text(b.Tip)), rect(b.X, b.Y, b.W, b.H, 6, b.Look),
		gomponents.Map(b.Lines, func(line textAt) gomponents.Node { return line.svg(nil) })), newline}
}

func (t textAt) svg(class gomponents.Node) gomponents.Node {
	return gomponents.El("text", class, attr("x", t.X), attr("y", t.Y), gomponents.Text(t.Text))
}

func rect(x, y, width, height, radius int, look Look) gomponents.Node {
	return gomponents.El("rect", attr("x", x), attr("y", y), attr("width", width), attr("height", height), attr("rx", radius),
		gomponents.Attr("fill", look.Fill), gomponents.Attr("stroke", look.Stroke), dashes(look.Dashed))
}

func dashes(dashed bool) gomponents.Node {
	return gomponents.If(dashed, gomponents.Attr("stroke-dasharray", "5 4"))
}

func attr(name string, value int) gomponents.Node { return gomponents.Attr(name, strconv.Itoa(value)) }
