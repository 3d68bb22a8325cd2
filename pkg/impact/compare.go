package impact

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/confighash/confighash/pkg/graph"
	"github.com/confighash/confighash/pkg/usage"
)

// Compare tells what happens when the manifests of after are applied where those of
// before run. The facts of both graphs must hold values and bases
// (graph.Builder.Values and Bases). The Report shares no memory with them.
//
// Objects whose content cannot be told (graph.Resource.ValuesErr) count as empty. It
// fails where a workload cannot be read; the error names it.
func Compare(before, after *graph.Graph) (*Report, error) {
	c := &comparison{before: before, after: after, objects: matchObjects(before, after), facts: map[*graph.Resource]*facts{}}
	if err := c.match(); err != nil {
		return nil, err
	}
	if err := c.read(); err != nil {
		return nil, err
	}
	report := &Report{APIVersion: APIVersion, Kind: Kind, Workloads: []Workload{}, Objects: []Object{}, Disappearing: []Disappearing{}, Refused: []Refusal{}}
	for _, s := range c.subjects {
		if s.isWorkload() {
			if s.result = c.workload(s); s.result != nil {
				report.Workloads = append(report.Workloads, *s.result)
			}
		} else if refusal := c.refusal(s); refusal != nil {
			report.Refused = append(report.Refused, *refusal)
		}
	}
	report.Objects = append(report.Objects, c.changedObjects()...)
	report.Disappearing = append(report.Disappearing, c.disappearing()...)
	report.finish()
	return report, nil
}

type comparison struct {
	before, after *graph.Graph
	objects       *objects
	subjects      []*subject // in the new set's order, then those that are gone
	facts         map[*graph.Resource]*facts
}

// A subject is a resource that uses objects, or makes pods, as it is in the two sets.
type subject struct {
	old, new   *graph.Resource // nil in a set that does not have it
	uses, used []usage.Use     // of the new set, and of the old one
	influences []*influence
	result     *Workload
}

// now returns the resource as the new set has it, or else the old one.
func (s *subject) now() *graph.Resource {
	if s.new != nil {
		return s.new
	}
	return s.old
}

func (s *subject) isWorkload() bool {
	return s.new != nil && len(s.new.PodTemplates) > 0 || s.old != nil && len(s.old.PodTemplates) > 0
}

// differs reports whether the text of the resource does, in any way.
func (s *subject) differs() bool {
	return s.old == nil || s.new == nil || s.old.Root != s.new.Root || !bytes.Equal(s.old.Chunk.Text, s.new.Chunk.Text)
}

// match pairs the resources that use objects or make pods.
func (c *comparison) match() error {
	before, after := usage.NewFinder(c.before), usage.NewFinder(c.after)
	type id struct{ group, kind, namespace, name string }
	known := map[id]*subject{}
	counts := func(r *graph.Resource) bool { return len(r.PodTemplates) > 0 || len(r.References) > 0 || isFixed(r) }
	// Those that the API server names are told apart by their order.
	nameless := [2]map[id]int{{}, {}}
	idOf := func(set int, g *graph.Graph, r *graph.Resource) id {
		one := id{r.Group, r.Kind, g.NamespaceOf(r), r.Name}
		if r.Name == "" {
			nameless[set][one]++
			one.name = "\x00" + strconv.Itoa(nameless[set][one])
		}
		return one
	}
	for _, r := range c.after.Resources {
		if counts(r) {
			uses, err := after.Of(r)
			if err != nil {
				return err
			}
			s := &subject{new: r, uses: uses}
			c.subjects = append(c.subjects, s)
			known[idOf(1, c.after, r)] = s
		}
	}
	for _, r := range c.before.Resources {
		if !counts(r) {
			continue
		}
		s := known[idOf(0, c.before, r)]
		if s == nil {
			s = &subject{}
			c.subjects = append(c.subjects, s)
		}
		var err error
		if s.used, err = before.Of(r); err != nil {
			return err
		}
		s.old = r
	}
	for _, s := range c.subjects {
		s.influences = c.influencesOf(s)
	}
	return nil
}

// read reads the facts of the workloads to which something may happen.
func (c *comparison) read() error {
	var wanted []*graph.Resource
	for _, s := range c.subjects {
		if s.old == nil || s.new == nil || !s.isWorkload() && !isFixed(s.new) {
			continue
		}
		if s.differs() {
			wanted = append(wanted, s.old, s.new)
		} else if slices.ContainsFunc(s.influences, func(i *influence) bool { return i.object.differs() }) {
			wanted = append(wanted, s.new)
		}
	}
	return readFacts(wanted, c.facts)
}

// differs reports whether anything about the object does.
func (o *object) differs() bool { return !o.both() || len(o.keys) > 0 || o.renamed() }

// An influence is an object that a subject uses, in either set.
type influence struct {
	object *object
	uses   []*usage.Use // those of the new set first
	// present are how many of uses are of the new set.
	present int
}

// influencesOf returns the objects that s uses, sorted.
func (c *comparison) influencesOf(s *subject) []*influence {
	if len(s.uses)+len(s.used) == 0 {
		return nil
	}
	var all []*influence
	known := make(map[*object]*influence, len(s.uses))
	for n, uses := range [][]usage.Use{s.uses, s.used} {
		for i := range uses {
			use := &uses[i]
			o := c.objects.of[use.Object]
			if o == nil {
				continue
			}
			one := known[o]
			if one == nil {
				one = &influence{object: o}
				known[o] = one
				all = append(all, one)
			}
			one.uses = append(one.uses, use)
			if n == 0 {
				one.present++
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *influence) int { return graph.Compare(a.object.now(), b.object.now()) })
	return all
}

// gets reports whether the pods of one of the templates get what stands under a key,
// by either set; a negative template stands for any of them.
func (i *influence) gets(key *keyChange, template int) bool { return gets(i.uses, key, template) }

func gets(uses []*usage.Use, key *keyChange, template int) bool {
	return slices.ContainsFunc(uses, func(u *usage.Use) bool {
		return of(u, template) && u.Consumed && (key.always || u.Gets(key.name))
	})
}

// of reports whether a use counts for a template, which a negative number leaves open.
func of(u *usage.Use, template int) bool {
	return template < 0 || u.Template < 0 || u.Template == template
}

// consumed reports whether pods get any of the object.
func (i *influence) consumed() bool {
	return slices.ContainsFunc(i.uses, func(u *usage.Use) bool { return u.Consumed })
}

// keys returns the keys that differ. Workloads that get all of them, or none, share
// the list.
func (i *influence) keys() []Key {
	o := i.object
	consumed := make([]bool, len(o.keys))
	n := 0
	for k := range o.keys {
		if consumed[k] = i.gets(&o.keys[k], -1); consumed[k] {
			n++
		}
	}
	all := n == len(o.keys)
	if (all || n == 0) && o.shared[all] != nil {
		return o.shared[all]
	}
	keys := make([]Key, len(o.keys))
	for k := range o.keys {
		keys[k] = o.keys[k].Key
		keys[k].Name = strings.Clone(keys[k].Name)
		keys[k].Consumed = consumed[k]
	}
	if all || n == 0 {
		if o.shared == nil {
			o.shared = map[bool][]Key{}
		}
		o.shared[all] = keys
	}
	return keys
}

// configures reports whether pods of a template get something else than before, if
// the template stays as it is: the object is in both sets, under the name that the new
// manifest refers to, and differs in what they get; or it comes or goes, and they run
// without what they get of it.
func (i *influence) configures(template int) bool {
	o := i.object
	if o.both() {
		return slices.ContainsFunc(o.keys, func(k keyChange) bool { return gets(i.uses[:i.present], &k, template) })
	}
	return slices.ContainsFunc(i.uses, func(u *usage.Use) bool {
		return u.Consumed && u.Ref.Optional && of(u, template) &&
			slices.ContainsFunc(o.keys, func(k keyChange) bool { return k.always || u.Gets(k.name) })
	})
}

// ways returns the ways by which the pods get what differs, or else all ways, sorted.
func (i *influence) ways() []string {
	ways := func(counts func(*usage.Use) bool) []string {
		var all []string
		for _, u := range i.uses {
			if via := string(u.Via); counts(u) && !slices.Contains(all, via) {
				all = append(all, via)
			}
		}
		slices.Sort(all)
		return all
	}
	found := ways(func(u *usage.Use) bool {
		return u.Consumed && slices.ContainsFunc(i.object.keys, func(k keyChange) bool { return k.always || u.Gets(k.name) })
	})
	if found == nil {
		found = ways(func(*usage.Use) bool { return true })
	}
	return found
}

// missing returns a key that new pods of a template need and that the object has no
// longer, "" if there is none.
func (i *influence) missing(template int) string {
	for k := range i.object.keys {
		key := &i.object.keys[k]
		if key.Change == Removed && i.object.new != nil && slices.ContainsFunc(i.uses[:i.present], func(u *usage.Use) bool {
			return of(u, template) && u.Consumed && !u.Ref.Optional && slices.Contains(u.Ref.Required, key.name)
		}) {
			return key.Name
		}
	}
	return ""
}

// generated stands for a name that the API server makes, of generateName.
const generated = "(generated)"

// refOf names a resource of g.
func refOf(g *graph.Graph, r *graph.Resource) Ref {
	return Ref{
		APIVersion: strings.Clone(r.APIVersion), Kind: strings.Clone(r.Kind),
		Namespace: strings.Clone(g.NamespaceOf(r)), Name: cmp.Or(strings.Clone(r.Name), generated),
	}
}

// ref names the object as the new set has it, or else as the old one does.
func (c *comparison) ref(o *object) Ref {
	if o.new != nil {
		return refOf(c.after, o.new)
	}
	return refOf(c.before, o.old)
}

// formerName returns the name in the old set, where that is another.
func (o *object) formerName() string {
	if o.renamed() {
		return strings.Clone(o.old.Name)
	}
	return ""
}

// refOf names the subject.
func (c *comparison) subjectRef(s *subject) Ref {
	if s.new != nil {
		return refOf(c.after, s.new)
	}
	return refOf(c.before, s.old)
}

func compareRefs(a, b Ref) int {
	return cmp.Or(
		strings.Compare(a.Kind, b.Kind), strings.Compare(a.Namespace, b.Namespace),
		strings.Compare(a.Name, b.Name), strings.Compare(a.APIVersion, b.APIVersion),
	)
}

// changedObjects returns the objects whose content differs, or that came or went.
func (c *comparison) changedObjects() []Object {
	type use struct{ consumers, readers []Ref }
	users := map[*object]*use{}
	type changedKey struct {
		object *object
		key    int
	}
	consumed := map[changedKey]bool{}
	for _, s := range c.subjects {
		for _, i := range s.influences {
			o := i.object
			if !o.differs() {
				continue
			}
			if s.new == nil && o.new != nil {
				continue // it used the object, and is gone
			}
			u := users[o]
			if u == nil {
				u = &use{}
				users[o] = u
			}
			gets := false
			for k := range o.keys {
				if s.isWorkload() && i.gets(&o.keys[k], -1) {
					gets, consumed[changedKey{o, k}] = true, true
				}
			}
			if gets {
				u.consumers = append(u.consumers, c.subjectRef(s))
			} else if s.now() != o.now() {
				u.readers = append(u.readers, c.subjectRef(s))
			}
		}
	}
	var found []Object
	for _, o := range c.objects.all {
		change := o.change()
		if change == Renamed {
			continue
		}
		one := Object{Ref: c.ref(o), FormerName: o.formerName(), Change: change, Refused: o.refused, Mend: o.mend}
		for k := range o.keys {
			key := o.keys[k].Key
			key.Name = strings.Clone(key.Name)
			key.Consumed = consumed[changedKey{o, k}]
			one.Keys = append(one.Keys, key)
		}
		if u := users[o]; u != nil {
			slices.SortFunc(u.consumers, compareRefs)
			slices.SortFunc(u.readers, compareRefs)
			one.Consumers, one.Readers = slices.Compact(u.consumers), slices.Compact(u.readers)
		}
		found = append(found, one)
	}
	return found
}

// finish sorts a report and counts what is in it.
func (r *Report) finish() {
	effects := Effects()
	rank := make(map[Effect]int, len(effects))
	for i, e := range effects {
		rank[e] = i
	}
	slices.SortStableFunc(r.Workloads, func(a, b Workload) int {
		return cmp.Or(cmp.Compare(rank[a.Effect], rank[b.Effect]), compareRefs(a.Ref, b.Ref))
	})
	slices.SortStableFunc(r.Objects, func(a, b Object) int { return compareRefs(a.Ref, b.Ref) })
	slices.SortStableFunc(r.Disappearing, func(a, b Disappearing) int { return compareRefs(a.Ref, b.Ref) })
	slices.SortStableFunc(r.Refused, func(a, b Refusal) int { return compareRefs(a.Ref, b.Ref) })
	s := &r.Summary
	for i := range r.Workloads {
		switch r.Workloads[i].Effect {
		case Refused:
			s.Refused++
		case Kills:
			s.Kills++
		case Stale:
			s.Stale++
		case Rolls:
			s.Rolls++
		case Waits:
			s.Waits++
		case NextRuns:
			s.NextRuns++
		case Unknown:
			s.Unknown++
		case Starts:
			s.Starts++
		case Stops:
			s.Stops++
		}
	}
	for i := range r.Objects {
		if r.Objects[i].Unconsumed() {
			s.Unconsumed++
		}
	}
	s.Disappearing = len(r.Disappearing)
}
