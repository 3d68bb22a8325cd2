package function

import (
	"cmp"
	"maps"
	"slices"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A Summary counts what a run did. All but Resources and Changed follows from
// the results of report: Full, and is the same of a second run.
type Summary struct {
	Mode v1alpha1.Mode
	// Resources is how many there are, without those that are passed over
	// altogether, and Changed how many of them differ in the output.
	Resources, Changed int
	// Named are how many objects are named after their content, by kind.
	Named []Count
	// Jobs are how many Jobs are named after what they run.
	Jobs int
	// References are how many fields hold the names of such objects.
	References int
	// Stamped are how many resources have a checksum on a pod template, and
	// Unstamped how many lost an annotation of an earlier run.
	Stamped, Unstamped int
	// LeftAlone are the resources that stay as they are, by the reason, the most
	// frequent one first.
	LeftAlone []Reason
	// Warnings are how many warnings there are.
	Warnings int
}

// A Count is how many of something there are.
type Count struct {
	What string
	N    int
}

// A Reason is why resources are left alone.
type Reason struct {
	Text string
	// Warned says that it is a warning, too.
	Warned bool
	// Resources are the resources as messages name them, sorted.
	Resources []string
}

func summaryOf(r *run) *Summary {
	s := &Summary{Mode: r.spec.Mode, Resources: len(r.graph.Resources), Changed: len(r.plan.Edits)}
	met := map[graph.Outcome]map[*graph.Resource]bool{graph.Stamped: {}, graph.Unstamped: {}}
	named := map[string]int{}
	reasons := map[string]*Reason{}
	for _, f := range graph.SortFindings(r.plan.Findings) {
		if f.Severity == manifest.Warning {
			s.Warnings++
		}
		switch f.Outcome {
		case graph.Named:
			if f.Resource.Target == 0 {
				s.Jobs++
			} else {
				named[f.Resource.Kind]++
			}
		case graph.Followed:
			s.References++
		case graph.Stamped, graph.Unstamped:
			met[f.Outcome][f.Resource] = true
		case graph.LeftAlone:
			r := reasons[f.Reason]
			if r == nil {
				r = &Reason{Text: f.Reason}
				reasons[f.Reason] = r
			}
			r.Warned = r.Warned || f.Severity == manifest.Warning
			r.Resources = append(r.Resources, cmp.Or(f.Object, f.Resource).Called(""))
		}
	}
	s.Stamped, s.Unstamped = len(met[graph.Stamped]), len(met[graph.Unstamped])
	for _, kind := range slices.Sorted(maps.Keys(named)) {
		s.Named = append(s.Named, Count{kind, named[kind]})
	}
	for _, r := range reasons {
		slices.Sort(r.Resources)
		r.Resources = slices.Compact(r.Resources)
		s.LeftAlone = append(s.LeftAlone, *r)
	}
	slices.SortFunc(s.LeftAlone, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(len(b.Resources), len(a.Resources)), cmp.Compare(a.Text, b.Text))
	})
	return s
}
