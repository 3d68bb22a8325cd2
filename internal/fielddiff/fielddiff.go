// Package fielddiff compares two sets of manifests as a reviewer reads them: field by field, with ConfigMaps and
// Secrets paired by their names without a hash, and without references that only follow a changed hash. It never holds
// a value of a Secret.
package fielddiff

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/rename"
	"github.com/confighash/confighash/internal/yamldoc"
)

// A Report is the difference between two sets of manifests.
type Report struct {
	// Changed, Added and Removed are sorted by kind, namespace and name.
	Changed, Added, Removed []Resource
	// References counts the references that differ only in the hash of the object they name.
	References int
	// Ambiguous are warnings about objects that a set has in several versions.
	Ambiguous []graph.Finding
}

// Differs reports whether anything differs besides hashes in names.
func (r *Report) Differs() bool { return len(r.Changed)+len(r.Added)+len(r.Removed) > 0 }

// A Resource is a resource that differs.
type Resource struct {
	// Name is kind, namespace and name, without a hash.
	Name string
	// Lines are the differences of a changed resource: for each field a diff line with the path to it. The path has the
	// name of a list element, if it has one.
	Lines string
}

// Compare compares two sets, ignoring earlier versions of objects. The facts of both must hold values and bases
// (graph.Builder.Values and Bases).
func Compare(before, after *graph.Graph) (*Report, error) {
	c := &comparison{sides: [2]side{newSide(before), newSide(after)}, texts: graph.SameTexts{}}
	pairs := c.pairs()
	report := &Report{Ambiguous: slices.Concat(c.sides[0].plan.Findings, c.sides[1].plan.Findings)}
	var differing []*pair
	for _, p := range pairs {
		switch {
		case p[0] == nil:
			report.Added = append(report.Added, Resource{Name: c.name(1, p[1])})
		case p[1] == nil:
			report.Removed = append(report.Removed, Resource{Name: c.name(0, p[0])})
		case !c.same(p):
			differing = append(differing, p)
		}
	}
	for i := range c.sides {
		if err := c.sides[i].read(differing, i); err != nil {
			return nil, err
		}
	}
	for _, p := range differing {
		lines, references := changes(c.sides[0].trees[p[0].Index], c.sides[1].trees[p[1].Index])
		report.References += references
		if lines != "" {
			report.Changed = append(report.Changed, Resource{Name: c.name(1, p[1]), Lines: lines})
		}
	}
	for _, list := range [][]Resource{report.Changed, report.Added, report.Removed} {
		slices.SortStableFunc(list, func(a, b Resource) int { return cmp.Compare(a.Name, b.Name) })
	}
	return report, nil
}

type comparison struct {
	sides [2]side
	texts graph.SameTexts
}

// A pair is a resource before and after, either of which may be nil.
type pair [2]*graph.Resource

// A side is one of the sets, with the plan that removes the hashes from its names.
type side struct {
	graph *graph.Graph
	plan  *rename.Plan
	// trees are the resources without hashes, aliases, comments and values of Secrets, by graph.Resource.Index.
	trees []*yaml.Node
}

func newSide(g *graph.Graph) side { return side{graph: g, plan: rename.Strip(g)} }

func (c *comparison) name(i int, r *graph.Resource) string {
	return r.Called(c.sides[i].plan.Names[r])
}

// pairs returns the resources of the new set in its order, then those only in the old set. Resources that the API
// server names (generateName) are paired by their order.
func (c *comparison) pairs() []*pair {
	var all []*pair
	known := map[graph.ID]*pair{}
	for i := range c.sides {
		s := &c.sides[1-i]
		nameless := map[graph.ID]int{}
		for _, r := range s.graph.Resources {
			id := s.graph.ID(r)
			id.Name = cmp.Or(s.plan.Names[r], id.Name)
			if id.Name == "" {
				nameless[id]++
				id.Name = "\x00" + strconv.Itoa(nameless[id])
			}
			p := known[id]
			if p == nil {
				p = &pair{}
				known[id], all = p, append(all, p)
			}
			p[1-i] = r
		}
	}
	return all
}

// stripped returns the values that scalars of r have without hashes, by path.
func (s *side) stripped(r *graph.Resource) map[yamldoc.Path]string {
	values := map[yamldoc.Path]string{}
	for _, e := range s.plan.Edits[r] {
		if set, ok := e.(edit.SetScalar); ok {
			values[set.At.Path] = set.Value
		}
	}
	return values
}

// same reports whether a resource has the same text on both sides, apart from hashes.
func (c *comparison) same(p *pair) bool {
	return c.texts.Have(p[0], p[1]) && maps.Equal(c.sides[0].stripped(p[0]), c.sides[1].stripped(p[1]))
}
