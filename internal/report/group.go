package report

import (
	"cmp"
	"fmt"
	"slices"
)

// The largest diagram that people can follow.
const (
	mostBoxes  = 40
	mostArrows = 60
)

// mostNames is how many names the box of a group shows.
const mostNames = 6

// Simplify merges boxes that have the same Many and the same arrows. If there are still too many, it keeps only the
// boxes that lead to the most others, with these, and says so in Note: sources names the boxes that lead to others, and
// users those others.
func (d *Diagram) Simplify(sources, users string) {
	degree := make([]int, len(d.Boxes))
	for _, a := range d.Arrows {
		degree[a.From]++
	}
	var order []int
	for i, n := range degree {
		if n > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(degree[b], degree[a]) })
	all := *d
	all.keys = nil
	const least = 3 // boxes are worth a group
	*d = all.grouped(least)
	for n := min(len(order), mostBoxes); n > 0 && (len(d.Boxes) > mostBoxes || len(d.Arrows) > mostArrows); n -= n/5 + 1 {
		some := all.of(order[:n])
		*d = some.grouped(least - 1)
		if n < len(order) {
			d.Note = fmt.Sprintf("This shows %d of %d %s, those with the most %s; -o json has all.", n, len(order), sources, users)
		}
	}
}

// of returns the part of a diagram that has these boxes and those that they lead to.
func (d *Diagram) of(sources []int) Diagram {
	into := make([]int, len(d.Boxes))
	is := make([]bool, len(d.Boxes))
	for _, i := range sources {
		into[i], is[i] = 1, true
	}
	part := *d
	part.Arrows = nil
	for _, a := range d.Arrows {
		if is[a.From] {
			into[a.To] = 1
			part.Arrows = append(part.Arrows, a)
		}
	}
	return part.kept(into)
}

// kept returns the diagram without boxes for which into is 0, and without their arrows.
func (d *Diagram) kept(into []int) Diagram {
	k := *d
	k.Boxes, k.Arrows = nil, nil
	for i, is := range into {
		if is != 0 {
			k.Boxes = append(k.Boxes, d.Boxes[i])
			into[i] = len(k.Boxes)
		}
	}
	for _, a := range d.Arrows {
		if a.From, a.To = into[a.From]-1, into[a.To]-1; a.From >= 0 && a.To >= 0 {
			k.Arrows = append(k.Arrows, a)
		}
	}
	return k
}

// grouped returns the diagram with a single box for each sufficiently large group.
func (d *Diagram) grouped(least int) Diagram {
	type end struct {
		box        int
		to, dashed bool
		label      string
	}
	ends := make([][]end, len(d.Boxes))
	for _, a := range d.Arrows {
		label := a.Label.String()
		ends[a.From] = append(ends[a.From], end{a.To, true, a.Dashed, label})
		ends[a.To] = append(ends[a.To], end{a.From, false, a.Dashed, label})
	}
	alike := map[string][]int{}
	into := make([]int, len(d.Boxes))
	for i, b := range d.Boxes {
		into[i] = 1
		if b.Many != "" {
			key := fmt.Sprint(b.Look.Name, b.Many, ends[i])
			alike[key] = append(alike[key], i)
		}
	}
	g := *d
	g.Boxes = slices.Clone(d.Boxes)
	for _, group := range alike {
		if len(group) < least {
			continue
		}
		first := &g.Boxes[group[0]]
		title := fmt.Sprintf("%d %s", len(group), first.Many)
		first.Lines = append([]Phrase{Words(title)}, Some(group, mostNames, func(i *int) Phrase { return d.Boxes[*i].Name })...)
		first.Tip = title
		for _, i := range group {
			first.All = append(first.All, d.Boxes[i].Name.String())
		}
		for _, i := range group[1:] {
			into[i] = 0
		}
	}
	return g.kept(into)
}
