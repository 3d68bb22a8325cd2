package impact

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/podtemplate"
	"github.com/confighash/confighash/internal/usage"
	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// Compare predicts the effect of applying the manifests of after over those of before. The facts of both graphs must
// hold values and bases (graph.Builder.Values and Bases). The Report shares no memory with them.
//
// Objects whose content cannot be read (graph.Resource.ValuesErr) count by graph.Resource.Values. It fails if a workload cannot be
// read; the error names it.
func Compare(before, after *graph.Graph) (*Report, error) {
	c := &comparison{
		before: before, after: after, objects: matchObjects(before, after),
		renames: slices.ContainsFunc(after.Resources, func(r *graph.Resource) bool { return r.Target != 0 && r.Recorded() != "" }),
	}
	if err := c.match(); err != nil {
		return nil, err
	}
	if err := c.read(); err != nil {
		return nil, err
	}
	report := &Report{APIVersion: v1alpha1.APIVersion, Kind: Kind, Workloads: []Workload{}, Objects: []Object{}, Disappearing: []Disappearing{}, Refused: []Refusal{}}
	for _, s := range c.subjects {
		if s.isWorkload() {
			if s.result = c.workload(s); s.result != nil {
				report.Workloads = append(report.Workloads, *s.result)
			}
		} else if fields, o := c.refused(s, false); len(fields) > 0 {
			report.Refused = append(report.Refused, Refusal{Ref: c.ref(s.pair), Field: graph.Enumerate(fields), Reason: o.reason, Fix: o.fix})
		}
	}
	report.Objects = append(report.Objects, c.changedObjects()...)
	report.Disappearing = append(report.Disappearing, c.disappearing()...)
	slices.SortStableFunc(report.Workloads, func(a, b Workload) int { // worst first
		return cmp.Or(compareEffects(a.Effect, b.Effect), compareRefs(a.Ref, b.Ref))
	})
	slices.SortStableFunc(report.Objects, func(a, b Object) int { return compareRefs(a.Ref, b.Ref) })
	slices.SortStableFunc(report.Disappearing, func(a, b Disappearing) int { return compareRefs(a.Ref, b.Ref) })
	slices.SortStableFunc(report.Refused, func(a, b Refusal) int { return compareRefs(a.Ref, b.Ref) })
	report.Sum()
	return report, nil
}

type comparison struct {
	before, after *graph.Graph
	objects       *objects
	subjects      []*subject // in the new set's order, then those only in the old one
	renames       bool       // mode Rename has processed the new set
}

// A pair is a resource in the two sets, or nil.
type pair struct{ old, new *graph.Resource }

func (p pair) now() *graph.Resource { return cmp.Or(p.new, p.old) }

func (p pair) both() bool { return p.old != nil && p.new != nil }

func (p pair) renamed() bool { return p.both() && p.old.Name != p.new.Name }

func (p pair) formerName() string {
	if p.renamed() {
		return graph.Clip(p.old.Name)
	}
	return ""
}

func (c *comparison) ref(p pair) Ref {
	if p.new != nil {
		return refOf(c.after, p.new)
	}
	return refOf(c.before, p.old)
}

func refOf(g *graph.Graph, r *graph.Resource) Ref {
	ref := Ref{
		APIVersion: graph.Clip(r.APIVersion), Kind: graph.Clip(r.Kind),
		Namespace: graph.Clip(g.NamespaceOf(r)), Name: cmp.Or(graph.Clip(r.Name), "(generated)"), // by the API server
		Context: r.Context,
	}
	if r.Part != "" {
		ref.Source = graph.Clip(r.Base)
	}
	return ref
}

// compareEffects orders effects, worst first.
func compareEffects(a, b Effect) int {
	return cmp.Compare(slices.Index(Effects(), a), slices.Index(Effects(), b))
}

func compareRefs(a, b Ref) int {
	return cmp.Or(
		strings.Compare(a.Kind, b.Kind), strings.Compare(a.Namespace, b.Namespace),
		strings.Compare(a.Name, b.Name), strings.Compare(a.APIVersion, b.APIVersion),
	)
}

// A subject is a resource that uses objects or makes pods.
type subject struct {
	pair
	differs    bool        // the text of the resource differs in any way
	uses, used []usage.Use // in the new set, and in the old one
	// usesAt and usedAt index uses and used by path, on first use.
	usesAt, usedAt map[yamldoc.Path][]*usage.Use
	before, after  *facts // nil unless something may happen to it
	influences     []*influence
	byObject       map[*object]*influence
	on             [][]*influence // the influences on each pod template
	result         *Workload
}

func (s *subject) isWorkload() bool { return templatesOf(s.old)+templatesOf(s.new) > 0 }

func templatesOf(r *graph.Resource) int {
	if r == nil {
		return 0
	}
	return len(r.PodTemplates)
}

func (c *comparison) match() error {
	known := map[graph.ID]*subject{}
	for _, g := range []*graph.Graph{c.after, c.before} {
		finder := usage.NewFinder(g)
		nameless := map[graph.ID]int{} // named by the API server, so paired by order
		for _, r := range g.All() {    // resources of the context do not differ, but their objects may
			if len(r.PodTemplates) == 0 && len(r.References) == 0 && !podtemplate.IsFixed(kindOf(r)) {
				continue
			}
			uses, err := finder.Of(r)
			if err != nil {
				return err
			}
			key := g.ID(r)
			if r.Name == "" {
				nameless[key]++
				key.Name = "\x00" + strconv.Itoa(nameless[key])
			}
			s := known[key]
			if s == nil || g == c.after {
				s = &subject{}
				c.subjects = append(c.subjects, s)
			}
			if g == c.after {
				known[key] = s
				s.new, s.uses = r, uses
			} else {
				s.old, s.used = r, uses
			}
		}
	}
	c.pair(hookAliases)
	c.pair(jobAlias)
	same := graph.SameTexts{}
	for _, s := range c.subjects {
		s.differs = !s.both() || !same.Have(s.old, s.new)
		c.influence(s)
	}
	return nil
}

// An alias is the constant part of a resource's identity if its name differs between the sets.
type alias struct {
	graph.ID
	hook string
}

// pair pairs subjects that are in only one set each, if they alone have an alias there.
func (c *comparison) pair(aliases func(*graph.Graph, *graph.Resource) []alias) {
	var order []alias // of the new set
	news, olds := map[alias][]*subject{}, map[alias][]*subject{}
	for _, s := range c.subjects {
		switch {
		case s.old == nil:
			for _, a := range aliases(c.after, s.new) {
				order, news[a] = append(order, a), append(news[a], s)
			}
		case s.new == nil:
			for _, a := range aliases(c.before, s.old) {
				olds[a] = append(olds[a], s)
			}
		}
	}
	for _, a := range order {
		if len(news[a]) != 1 || len(olds[a]) != 1 {
			continue
		}
		if now, was := news[a][0], olds[a][0]; now.old == nil && was.old != nil {
			now.old, now.used, was.old = was.old, was.used, nil
		}
	}
	c.subjects = slices.DeleteFunc(c.subjects, func(s *subject) bool { return s.old == nil && s.new == nil })
}

// jobAlias is the name of a Job without its hash.
func jobAlias(g *graph.Graph, r *graph.Resource) []alias {
	if !r.IsJob() || r.Name == "" {
		return nil
	}
	return []alias{{ID: g.BaseID(r)}}
}

// hookAliases are the names of a Helm hook without one part, which may be random in each rendering, mainly for tests.
// Without a pair, such a hook would seem to start and stop with an apply.
func hookAliases(g *graph.Graph, r *graph.Resource) []alias {
	hook, ok := r.Annotations["helm.sh/hook"]
	if !ok || len(r.Name) > 63 {
		return nil
	}
	var found []alias
	parts := strings.Split(r.Name, "-")
	for i, part := range parts {
		if len(part) >= 4 && len(part) <= 10 && strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789") == "" {
			parts[i] = strings.Repeat("*", len(part))
			found = append(found, alias{graph.ID{Kind: r.Kind, Namespace: g.NamespaceOf(r), Name: strings.Join(parts, "-")}, hook})
			parts[i] = part
		}
	}
	return found
}

func (c *comparison) read() error {
	var wanted []*graph.Resource
	for _, s := range c.subjects {
		if !s.both() || !s.isWorkload() && !podtemplate.IsFixed(kindOf(s.new)) {
			continue
		}
		if s.differs {
			wanted = append(wanted, s.old, s.new)
		} else if slices.ContainsFunc(s.influences, func(i *influence) bool { return i.object.differs() }) {
			wanted = append(wanted, s.new)
		}
	}
	read, err := readFacts(wanted)
	for _, s := range c.subjects {
		if s.new != nil && read[s.new] != nil {
			s.before, s.after = cmp.Or(read[s.old], read[s.new]), read[s.new]
		}
	}
	return err
}
