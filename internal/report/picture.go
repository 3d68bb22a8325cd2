package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A picture is a diagram with a place for each box, in pixels.
type picture struct {
	Title, Note   string
	Width, Height int
	Legend        []Look
	Boxes         []placed
	Arrows        []curve
}

type placed struct {
	X, Y, W, H int
	Look       Look
	Lines      []textAt
	Tip        string
}

type textAt struct {
	X, Y int
	Text string
}

type curve struct {
	Path   string
	Dashed bool
	Label  string
	X, Y   int
}

// mostBoxes is how many boxes people can follow in a picture.
const mostBoxes = 60

// Sizes in a picture.
const (
	charWidth  = 8
	lineHeight = 16
	padding    = 8
	gapX       = 140
	gapY       = 14
)

// picture places the boxes of a diagram in columns from left to right. It has the largest
// groups if there are too many boxes, and is nil if there is no arrow.
func (d *Diagram) picture() *picture {
	if len(d.Arrows) == 0 {
		return nil
	}
	p := &picture{Title: cmp.Or(d.Title, "Diagram")}
	shown, arrows := d.largest()
	if left := len(d.Boxes) - len(shown); left > 0 {
		p.Note = fmt.Sprintf("The picture shows %d boxes, the largest groups first, and leaves out %d.", len(shown), left)
	}
	column := map[int]int{}
	for range 4 { // so deep is the longest way, from a maker to a workload
		for _, a := range arrows {
			column[a.To] = max(column[a.To], min(column[a.From]+1, 4))
		}
	}
	columns := make([][]int, 5)
	for _, i := range shown {
		columns[column[i]] = append(columns[column[i]], i)
	}
	at := make(map[int]*placed, len(shown))
	x := padding
	for k, boxes := range columns {
		if len(boxes) == 0 {
			continue
		}
		width := d.placeColumn(boxes, k, arrows, x, at)
		for _, i := range boxes {
			p.Height = max(p.Height, at[i].Y+at[i].H+padding)
			at[i].W = width
			p.Boxes = append(p.Boxes, *at[i])
			if look := at[i].Look; !slices.Contains(p.Legend, look) {
				p.Legend = append(p.Legend, look)
			}
		}
		x += width + gapX
	}
	p.Width = x - gapX + padding
	labelled := map[string]bool{} // the ends that have a label, once each
	for _, a := range arrows {
		from, to := at[a.From], at[a.To]
		label := a.Label.short()
		if end := fmt.Sprintf("%d %s", a.To, label); labelled[end] {
			label = ""
		} else {
			labelled[end] = true
		}
		x1, y1, x2, y2 := from.X+from.W, from.Y+from.H/2, to.X, to.Y+to.H/2
		p.Arrows = append(p.Arrows, curve{
			Path:   fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+gapX/2, y1, x2-gapX/2, y2, x2, y2),
			Dashed: a.Dashed, Label: label, X: x2 - gapX/2, Y: y2 - 3,
		})
	}
	return p
}

// placeColumn places boxes below each other, near those that lead to them, and returns the
// width of the widest.
func (d *Diagram) placeColumn(boxes []int, k int, arrows []Arrow, x int, at map[int]*placed) int {
	middle, n := map[int]int{}, map[int]int{}
	for _, a := range arrows {
		if from := at[a.From]; from != nil {
			middle[a.To] += from.Y + from.H/2
			n[a.To]++
		}
	}
	if k > 0 {
		slices.SortStableFunc(boxes, func(a, b int) int {
			return cmp.Compare(middle[a]/max(n[a], 1), middle[b]/max(n[b], 1))
		})
	}
	y, width := padding, 0
	for _, i := range boxes {
		box := &d.Boxes[i]
		h := len(box.Lines)*lineHeight + padding
		y = max(y, middle[i]/max(n[i], 1)-h/2)
		b := &placed{X: x, Y: y, H: h, Look: d.Looks[box.Look], Tip: Printable(box.Tip)}
		for j, line := range box.lines(Phrase.short) {
			b.Lines = append(b.Lines, textAt{x + padding, y + (j+1)*lineHeight, line})
			width = max(width, utf8.RuneCountInString(line)*charWidth+2*padding)
		}
		at[i] = b
		y += h + gapY
	}
	return width
}

// largest returns the boxes that a picture has room for, in their order, and the arrows
// between them.
func (d *Diagram) largest() (shown []int, arrows []Arrow) {
	order := slices.Clone(d.Arrows)
	size := func(a Arrow) int { return max(d.Boxes[a.From].count, d.Boxes[a.To].count) }
	slices.SortStableFunc(order, func(a, b Arrow) int { return cmp.Compare(size(b), size(a)) })
	known := map[int]bool{}
	for _, a := range order {
		if len(known) < mostBoxes-1 {
			known[a.From], known[a.To] = true, true
		}
	}
	for i := range d.Boxes {
		if known[i] {
			shown = append(shown, i)
		}
	}
	for _, a := range d.Arrows {
		if known[a.From] && known[a.To] {
			arrows = append(arrows, a)
		}
	}
	return shown, arrows
}

// leastGroup is how many boxes are worth a group.
const leastGroup = 3

// Group makes one box of boxes that are Many of the same and have the same arrows.
func (d *Diagram) Group() {
	ends := make([][]string, len(d.Boxes))
	for _, a := range d.Arrows {
		ends[a.From] = append(ends[a.From], fmt.Sprintf("to %d %t %q", a.To, a.Dashed, a.Label.String()))
		ends[a.To] = append(ends[a.To], fmt.Sprintf("from %d %t %q", a.From, a.Dashed, a.Label.String()))
	}
	alike := map[string][]int{}
	for i, b := range d.Boxes {
		if b.Many != "" {
			slices.Sort(ends[i])
			key := fmt.Sprintf("%d %s %s", b.Look, b.Many, strings.Join(ends[i], "\n"))
			alike[key] = append(alike[key], i)
		}
	}
	into := make([]int, len(d.Boxes)) // where a box is now, or -1
	for _, group := range alike {
		if len(group) < leastGroup {
			continue
		}
		first := &d.Boxes[group[0]]
		names := Some(group, mostNames, func(i *int) Phrase { return d.Boxes[*i].Name })
		first.Lines = append([]Phrase{Words(fmt.Sprintf("%d %s", len(group), first.Many))}, names...)
		first.Tip, first.count = fmt.Sprintf("%d %s", len(group), first.Many), len(group)
		for _, i := range group[1:] {
			into[i] = -1
		}
	}
	boxes := d.Boxes[:0]
	for i, b := range d.Boxes {
		if into[i] == 0 {
			into[i] = len(boxes)
			boxes = append(boxes, b)
		}
	}
	d.Boxes, d.keys = boxes, nil
	d.Arrows = slices.DeleteFunc(d.Arrows, func(a Arrow) bool { return into[a.From] < 0 || into[a.To] < 0 })
	for i := range d.Arrows {
		a := &d.Arrows[i]
		a.From, a.To = into[a.From], into[a.To]
	}
}

// mostNames is how many names a box of a group shows.
const mostNames = 6
