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
	// Least is the least width in which people can read it.
	Least  int
	Legend []Look
	Boxes  []*placed
	Arrows []curve
}

type placed struct {
	X, Y, W, H int
	Look       Look
	Lines      []textAt
	// All are the names that a filter looks for besides the lines.
	Tip, All string
	// in and out are the arrows that end here and begin here.
	in, out []int
}

type textAt struct {
	X, Y int
	Text string
}

type curve struct {
	// From and To are indices of boxes.
	From, To int
	Path     string
	Dashed   bool
	Label    textAt
}

// Sizes in a picture.
const (
	charWidth  = 7.5
	lineHeight = 16
	padding    = 8
	gapX       = 70
	gapY       = 14
	labelChar  = 7
	labelLine  = 14
	mostLayers = 5 // so deep is the longest way, from a maker to a workload
)

func (d *Diagram) legend() []Look {
	var used []Look
	for i, look := range d.Looks {
		if slices.ContainsFunc(d.Boxes, func(b Box) bool { return b.Look == i }) {
			used = append(used, look)
		}
	}
	return used
}

type layout struct {
	*Diagram
	boxes   []*placed
	columns [][]int
	// labels is the room for the labels before a column, and room that before each box.
	labels, room []int
}

// picture places the boxes of a diagram in columns from left to right. It is nil
// without arrows.
func (d *Diagram) picture() *picture {
	if len(d.Arrows) == 0 {
		return nil
	}
	l := &layout{Diagram: d}
	l.measure()
	l.order()
	p := &picture{Title: cmp.Or(d.Title, "Diagram"), Note: d.Note, Boxes: l.boxes}
	x := padding
	for k, column := range l.columns {
		if k > 0 {
			x += gapX + l.labels[k]
		}
		width := 0
		for _, i := range column {
			width = max(width, l.boxes[i].W)
		}
		for _, i := range column {
			l.boxes[i].X, l.boxes[i].W, l.room[i] = x, width, l.labels[k]
		}
		x += width
	}
	l.stack()
	for i, b := range l.boxes {
		for j, line := range l.Boxes[i].lines(Phrase.short) {
			b.Lines = append(b.Lines, textAt{b.X + padding, b.Y + (j+1)*lineHeight, line})
		}
		p.Height = max(p.Height, b.Y+b.H+padding)
	}
	p.Least = (x + padding) * 7 / 10
	p.Width, p.Arrows, p.Legend = x+padding, l.curves(), d.legend()
	return p
}

func (l *layout) measure() {
	column := make([]int, len(l.Boxes))
	for range mostLayers - 1 {
		for _, a := range l.Arrows {
			column[a.To] = max(column[a.To], min(column[a.From]+1, mostLayers-1))
		}
	}
	for i := range l.Boxes {
		box := &l.Boxes[i]
		b := &placed{Look: l.Looks[box.Look], Tip: Printable(box.Tip), All: strings.Join(box.All, " ")}
		for _, line := range box.lines(Phrase.short) {
			b.W = max(b.W, int(float64(utf8.RuneCountInString(line))*charWidth)+2*padding)
		}
		l.boxes = append(l.boxes, b)
	}
	l.columns, l.labels, l.room = make([][]int, mostLayers), make([]int, mostLayers), make([]int, len(l.Boxes))
	for i, a := range l.Arrows {
		from, to := l.boxes[a.From], l.boxes[a.To]
		from.out, to.in = append(from.out, i), append(to.in, i)
		k := &l.labels[column[a.To]]
		*k = max(*k, utf8.RuneCountInString(a.Label.short())*labelChar)
	}
	for i, b := range l.boxes {
		b.H = max(len(l.Boxes[i].Lines)*lineHeight, len(b.in)*labelLine) + padding
	}
	// Boxes that arrows connect begin next to each other.
	known := make([]bool, len(l.Boxes))
	var visit func(i int)
	visit = func(i int) {
		if known[i] {
			return
		}
		known[i] = true
		l.columns[column[i]] = append(l.columns[column[i]], i)
		for _, a := range l.boxes[i].out {
			visit(l.Arrows[a].To)
		}
		for _, a := range l.boxes[i].in {
			visit(l.Arrows[a].From)
		}
	}
	for i := range l.Boxes {
		visit(i)
	}
	for k := range slices.Backward(l.columns) {
		if len(l.columns[k]) == 0 {
			l.columns, l.labels = slices.Delete(l.columns, k, k+1), slices.Delete(l.labels, k, k+1)
		}
	}
}

// order moves the boxes of each column next to those that arrows connect them with.
func (l *layout) order() {
	at := make([]float64, len(l.Boxes)) // in its column, from 0 to 1
	number := func(column []int) {
		for j, i := range column {
			at[i] = (float64(j) + 0.5) / float64(len(column))
		}
	}
	for _, column := range l.columns {
		number(column)
	}
	for range 8 {
		for _, column := range l.columns {
			mean := map[int]float64{}
			for _, i := range column {
				mean[i] = l.mean(i, func(near int) (float64, bool) { return at[near], true })
			}
			slices.SortStableFunc(column, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
			number(column)
		}
	}
}

// mean returns the mean of what the boxes at the other ends of a box's arrows have, -1 if
// none has any.
func (l *layout) mean(i int, of func(near int) (float64, bool)) float64 {
	sum, n := 0.0, 0
	add := func(near int) {
		if v, ok := of(near); ok {
			sum += v
			n++
		}
	}
	for _, a := range l.boxes[i].in {
		add(l.Arrows[a].From)
	}
	for _, a := range l.boxes[i].out {
		add(l.Arrows[a].To)
	}
	if n == 0 {
		return -1
	}
	return sum / float64(n)
}

// stack places the boxes of each column below each other: the highest column first, and the
// others near the boxes that they are connected with.
func (l *layout) stack() {
	height := func(column []int) int {
		h := 0
		for _, i := range column {
			h += l.boxes[i].H + gapY
		}
		return h
	}
	columns := slices.Clone(l.columns)
	slices.SortStableFunc(columns, func(a, b []int) int { return cmp.Compare(height(b), height(a)) })
	bottom := padding + height(columns[0])
	done := map[int]bool{}
	for _, column := range columns {
		y := padding
		for _, i := range column {
			b := l.boxes[i]
			middle := l.mean(i, func(near int) (float64, bool) {
				return float64(l.boxes[near].Y + l.boxes[near].H/2), done[near]
			})
			b.Y = max(y, int(middle)-b.H/2)
			y = b.Y + b.H + gapY
		}
		y = bottom
		for _, i := range slices.Backward(column) {
			b := l.boxes[i]
			b.Y = min(b.Y, y-b.H-gapY)
			y = b.Y
		}
		for _, i := range column {
			done[i] = true
		}
	}
}

// curves draws the arrows. Those that begin or end at a box do so at different places of
// its side, and end below their labels.
func (l *layout) curves() []curve {
	start, end := make([]int, len(l.Arrows)), make([]int, len(l.Arrows))
	spread := func(b *placed, arrows, at []int, other func(a *Arrow) int) {
		slices.SortStableFunc(arrows, func(x, y int) int {
			return cmp.Compare(l.boxes[other(&l.Arrows[x])].Y, l.boxes[other(&l.Arrows[y])].Y)
		})
		for j, a := range arrows {
			at[a] = b.Y + b.H*(2*j+1)/(2*len(arrows))
		}
	}
	for _, b := range l.boxes {
		spread(b, b.out, start, func(a *Arrow) int { return a.To })
		spread(b, b.in, end, func(a *Arrow) int { return a.From })
	}
	var curves []curve
	for i, a := range l.Arrows {
		from, to := l.boxes[a.From], l.boxes[a.To]
		label := a.Label.short()
		x1, x2 := from.X+from.W, to.X-l.room[a.To]-2*padding
		bend := (x2 - x1) / 2
		curves = append(curves, curve{
			From: a.From, To: a.To,
			Path:   fmt.Sprintf("M%d %dC%d %d %d %d %d %dH%d", x1, start[i], x1+bend, start[i], x2-bend, end[i], x2, end[i], to.X),
			Dashed: a.Dashed, Label: textAt{x2, end[i] - 2, label},
		})
	}
	return curves
}
