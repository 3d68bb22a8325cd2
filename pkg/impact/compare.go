package impact

import (
	"bytes"
	"cmp"
	"slices"
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
	c.match()
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
func (c *comparison) match() {
	type id struct{ group, kind, namespace, name string }
	known := map[id]*subject{}
	counts := func(r *graph.Resource) bool { return len(r.PodTemplates) > 0 || len(r.References) > 0 }
	for _, r := range c.after.Resources {
		if counts(r) {
			s := &subject{new: r, uses: usage.Of(c.after, r)}
			c.subjects = append(c.subjects, s)
			if r.Name != "" {
				known[id{r.Group, r.Kind, c.after.NamespaceOf(r), r.Name}] = s
			}
		}
	}
	for _, r := range c.before.Resources {
		if !counts(r) {
			continue
		}
		s := known[id{r.Group, r.Kind, c.before.NamespaceOf(r), r.Name}]
		if s == nil || r.Name == "" {
			s = &subject{}
			c.subjects = append(c.subjects, s)
		}
		s.old, s.used = r, usage.Of(c.before, r)
	}
	for _, s := range c.subjects {
		s.influences = c.influencesOf(s)
	}
}

// read reads the facts of the workloads to which something may happen.
func (c *comparison) read() error {
	var wanted []*graph.Resource
	for _, s := range c.subjects {
		if s.old == nil || s.new == nil || !s.isWorkload() {
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
	uses   []*usage.Use
	via    []string // sorted
}

// influencesOf returns the objects that s uses, sorted.
func (c *comparison) influencesOf(s *subject) []*influence {
	if len(s.uses)+len(s.used) == 0 {
		return nil
	}
	var all []*influence
	known := make(map[*object]*influence, len(s.uses))
	for _, uses := range [][]usage.Use{s.uses, s.used} {
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
			if via := string(use.Via); !slices.Contains(one.via, via) {
				one.via = append(one.via, via)
			}
		}
	}
	for _, i := range all {
		slices.Sort(i.via)
	}
	slices.SortStableFunc(all, func(a, b *influence) int { return graph.Compare(a.object.now(), b.object.now()) })
	return all
}

// gets reports whether the pods of one of the templates get what stands under a key;
// a negative template stands for any of them.
func (i *influence) gets(key *keyChange, template int) bool {
	return slices.ContainsFunc(i.uses, func(u *usage.Use) bool {
		if template >= 0 && u.Template >= 0 && u.Template != template {
			return false
		}
		return u.Consumed && (key.always || u.Gets(key.name))
	})
}

// consumed reports whether pods get any of the object.
func (i *influence) consumed() bool {
	return slices.ContainsFunc(i.uses, func(u *usage.Use) bool { return u.Consumed })
}

// keys returns the keys that differ.
func (i *influence) keys() []Key {
	keys := make([]Key, len(i.object.keys))
	for k := range i.object.keys {
		keys[k] = i.object.keys[k].Key
		keys[k].Name = strings.Clone(keys[k].Name)
		keys[k].Consumed = i.gets(&i.object.keys[k], -1)
	}
	return keys
}

// configures reports whether pods of a template get something else than before: the
// object is in both sets and differs in what they get, or it is new and they run
// without what they get of it.
func (i *influence) configures(template int) bool {
	o := i.object
	if o.both() {
		return slices.ContainsFunc(o.keys, func(k keyChange) bool { return i.gets(&k, template) })
	}
	return o.old == nil && slices.ContainsFunc(i.uses, func(u *usage.Use) bool {
		return u.Consumed && u.Ref.Optional && (u.Template < 0 || template < 0 || u.Template == template) &&
			slices.ContainsFunc(o.keys, func(k keyChange) bool { return k.always || u.Gets(k.name) })
	})
}

// refOf names a resource of g.
func refOf(g *graph.Graph, r *graph.Resource) Ref {
	return Ref{
		APIVersion: strings.Clone(r.APIVersion), Kind: strings.Clone(r.Kind),
		Namespace: strings.Clone(g.NamespaceOf(r)), Name: strings.Clone(r.Name),
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
