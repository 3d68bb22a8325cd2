package impact

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
)

// An object is a ConfigMap, a Secret or a stand-in for a Secret, in both sets. It is the same object under a name with
// another hash.
type object struct {
	pair
	keys               []keyChange    // the keys that differ, sorted
	always             []int          // indices of the keys that count whichever keys are consumed
	shared             map[bool][]Key // keys for reports, if all are consumed, or none
	refused            string
	fix                string
	consumers, readers []Ref // set by addUsers
	consumed           bool  // the consumers get all keys that differ
}

type keyChange struct {
	Key
	name string // in full, even if reports hide it
}

func (k *keyChange) as(consumed bool) Key {
	return Key{Name: k.Name, Change: k.Change, Consumed: consumed}
}

func (o *object) sharedKeys(consumed bool) []Key {
	if o.shared == nil {
		o.shared = map[bool][]Key{}
		for k := range o.keys {
			o.shared[true] = append(o.shared[true], o.keys[k].as(true))
			o.shared[false] = append(o.shared[false], o.keys[k].as(false))
		}
	}
	return o.shared[consumed]
}

func (o *object) differs() bool { return !o.both() || len(o.keys) > 0 || o.renamed() }

func (o *object) change() Change {
	switch {
	case o.old == nil:
		return Added
	case o.new == nil:
		return Removed
	case len(o.keys) == 0 && o.refused == "":
		return Renamed
	}
	return Changed
}

type objects struct {
	all []*object // in the new set's order, then those only in the old one
	of  map[*graph.Resource]*object
}

// matchObjects finds the same objects in both sets: those with the same name, or else those with the same name apart
// from a hash, if each set has only one of them.
func matchObjects(before, after *graph.Graph) *objects {
	m := &objects{of: map[*graph.Resource]*object{}}
	for _, nameOf := range []func(*graph.Resource) string{
		func(r *graph.Resource) string { return r.Name },
		(*graph.Resource).Lineage,
		(*graph.Resource).Kin,
		func(r *graph.Resource) string { return r.Base },
		func(r *graph.Resource) string {
			if hash.Suffixed(r.Base) {
				return r.Base[:len(r.Base)-hash.Length-1]
			}
			return r.Base
		},
	} {
		m.match(before, after, nameOf)
	}
	for _, r := range after.Resources {
		if isObject(r) {
			m.of[r] = cmp.Or(m.of[r], &object{pair: pair{new: r}})
			m.all = append(m.all, m.of[r])
		}
	}
	for _, r := range before.Resources {
		if isObject(r) && m.of[r] == nil {
			m.of[r] = &object{pair: pair{old: r}}
			m.all = append(m.all, m.of[r])
		}
	}
	for _, o := range m.all {
		o.compare()
	}
	return m
}

func (m *objects) match(before, after *graph.Graph, nameOf func(*graph.Resource) string) {
	byName := func(g *graph.Graph) map[graph.ID][]*graph.Resource {
		found := map[graph.ID][]*graph.Resource{}
		for _, r := range g.Resources {
			if name := nameOf(r); isObject(r) && name != "" {
				id := g.ID(r).Of(name)
				found[id] = append(found[id], r)
			}
		}
		return found
	}
	olds := byName(before)
	for id, news := range byName(after) {
		// If a set has several versions, it is unknown which became which.
		if len(news) == 1 && len(olds[id]) == 1 && m.of[olds[id][0]] == nil && m.of[news[0]] == nil {
			o := &object{pair: pair{olds[id][0], news[0]}}
			m.of[o.old], m.of[o.new] = o, o
		}
	}
}

func isObject(r *graph.Resource) bool { return (r.Target != 0 || r.StandsFor) && r.Name != "" }

func (o *object) compare() {
	o.compareKeys()
	if !o.both() || o.renamed() || o.new.Target == 0 {
		return
	}
	const byDefault = "Opaque"
	switch {
	case o.old.Immutable && !slices.Equal(o.old.Values, o.new.Values): // also if only binaryData differs
		o.refused = "it is immutable"
	case o.old.Immutable && !o.new.Immutable:
		o.refused = "immutable: true cannot be taken back"
	case o.new.Kind == "Secret" && cmp.Or(o.old.Type, byDefault) != cmp.Or(o.new.Type, byDefault):
		o.refused = "the type of a Secret cannot change"
	default:
		return
	}
	o.fix = "give it another name, as mode Rename does, or delete it before the apply"
}

func (o *object) compareKeys() {
	if o.both() && slices.Equal(o.old.Values, o.new.Values) {
		return
	}
	olds, news := valuesByKey(o.old), valuesByKey(o.new)
	all := maps.Clone(olds)
	maps.Copy(all, news)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		change := Changed
		switch was, is := olds[key], news[key]; {
		case was == nil:
			change = Added
		case is == nil:
			change = Removed
		case slices.EqualFunc(was, is, func(a, b hash.Value) bool { return a.Sum == b.Sum }):
			continue
		}
		if all[key][0].Always {
			o.always = append(o.always, len(o.keys))
		}
		o.keys = append(o.keys, keyChange{Key{Name: o.shown(key), Change: change}, key})
	}
}

func valuesByKey(r *graph.Resource) map[string][]hash.Value {
	values := map[string][]hash.Value{}
	if r != nil {
		for _, v := range r.Values {
			values[v.Key] = append(values[v.Key], v)
		}
	}
	return values
}

func (o *object) shown(key string) string {
	if o.old != nil && o.old.Bare[key] || o.new != nil && o.new.Bare[key] {
		return "(hidden)" // it may be part of a value
	}
	return graph.Clip(key)
}

// addUsers sets the users of the objects that differ, and whether pods consume the keys that differ.
func (c *comparison) addUsers() {
	for _, s := range c.subjects {
		for _, i := range s.influences {
			o := i.object
			gone := s.new == nil && o.new != nil // it used the object and was removed
			if gone || !o.differs() && o.refused == "" {
				continue
			}
			var gets []int
			all := false
			if s.isWorkload() {
				gets, all = o.taken(i.uses)
				// A refused change may have no keys, such as one of immutable.
				all = all || o.refused != "" && len(o.keys) == 0 && i.consumed
			}
			for _, k := range gets {
				o.keys[k].Consumed = true
			}
			o.consumed = o.consumed || all
			if all || len(gets) > 0 {
				o.consumers = append(o.consumers, c.ref(s.pair))
			} else if s.now() != o.now() {
				o.readers = append(o.readers, c.ref(s.pair))
			}
		}
	}
}

func (c *comparison) changedObjects() []Object {
	c.addUsers()
	sidecars := sync.OnceValue(func() map[string][]sidecar { return sidecarsOf(c.after) }) // only objects with labels need them
	var found []Object
	for _, o := range c.objects.all {
		change := o.change()
		if change == Renamed {
			continue
		}
		slices.SortFunc(o.consumers, compareRefs)
		slices.SortFunc(o.readers, compareRefs)
		one := Object{
			Ref: c.ref(o.pair), FormerName: o.formerName(), Change: change, Refused: o.refused, Fix: o.fix,
			Consumers: slices.Compact(o.consumers), Readers: slices.Compact(o.readers),
		}
		for k := range o.keys {
			one.Keys = append(one.Keys, o.keys[k].as(o.consumed || o.keys[k].Consumed))
		}
		c.addEvidence(&one, o.now(), sidecars)
		found = append(found, one)
	}
	return found
}
