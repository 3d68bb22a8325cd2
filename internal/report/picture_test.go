package report

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/confighash/confighash/test/support/property"
)

// someDiagram draws a diagram of sources, their users, and the makers of some sources.
var someDiagram = rapid.Custom(func(t *rapid.T) *Diagram {
	d := &Diagram{Name: "uses", Looks: []*Look{{Name: "a"}, {Name: "b"}}}
	box := func(kind string, i int) int {
		name := fmt.Sprint(kind, i)
		return d.Box(name, func() Box {
			return Box{Name: Names(name), Many: kind, Lines: []Phrase{Names(name)}, Look: d.Looks[i%len(d.Looks)]}
		})
	}
	sources, users := rapid.IntRange(1, 60).Draw(t, "sources"), rapid.IntRange(1, 90).Draw(t, "users")
	for range rapid.IntRange(1, 200).Draw(t, "arrows") {
		from, to := box("source", rapid.IntRange(0, sources).Draw(t, "from")), box("user", rapid.IntRange(0, users).Draw(t, "to"))
		a := Arrow{From: from, To: to, Label: Words(rapid.SampledFrom([]string{"", "env", "volume"}).Draw(t, "label"))}
		if !slices.ContainsFunc(d.Arrows, func(b Arrow) bool { return a.From == b.From && a.To == b.To }) {
			d.Arrows = append(d.Arrows, a)
		}
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "makers") {
		d.Arrows = append(d.Arrows, Arrow{From: box("maker", i), To: box("source", i), Dashed: true})
	}
	return d
})

// names returns the names of the boxes that a box stands for.
func (b *Box) names() []string {
	if b.All != nil {
		return b.All
	}
	return []string{b.Name.String()}
}

// An arrow between groups stands for one between each of their members, and what is left out is counted.
func TestDiagram_simplifiedMeansTheSame(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		d := someDiagram.Draw(t, "diagram")
		arrow := func(from, to string, a *Arrow) string { return fmt.Sprint(from, " ", to, " ", a.Label, " ", a.Dashed) }
		known := map[string]bool{}
		for i := range d.Arrows {
			a := &d.Arrows[i]
			known[arrow(d.Boxes[a.From].Name.String(), d.Boxes[a.To].Name.String(), a)] = true
		}
		d.Simplify("sources", "users")
		shown := 0
		for i := range d.Arrows {
			a := &d.Arrows[i]
			for _, from := range d.Boxes[a.From].names() {
				for _, to := range d.Boxes[a.To].names() {
					if shown++; !known[arrow(from, to, a)] {
						t.Fatalf("no arrow leads from %s to %s", from, to)
					}
				}
			}
		}
		if len(d.Boxes) > mostBoxes || len(d.Arrows) > mostArrows {
			t.Fatalf("%d boxes and %d arrows", len(d.Boxes), len(d.Arrows))
		}
		if (shown < len(known)) != (d.Note != "") {
			t.Fatalf("%d of %d arrows, and the note %q", shown, len(known), d.Note)
		}
	})
}

func TestPicture_arrowsLeadToTheRight(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		d := someDiagram.Draw(t, "diagram")
		d.Simplify("sources", "users")
		column := d.columns()
		for _, a := range d.Arrows {
			if column[a.From] >= column[a.To] {
				t.Fatalf("an arrow leads from column %d to column %d", column[a.From], column[a.To])
			}
		}
	})
}
