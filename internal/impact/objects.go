package impact

import (
	"slices"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
)

// An object is a ConfigMap, a Secret, or what stands for a Secret, as it is in the
// two sets. It is the same object under a name with another hash.
type object struct {
	old, new *graph.Resource // nil in a set that does not have it
	keys     []keyChange     // that differ, sorted
	always   []int           // the places of those that count whichever keys are consumed
	shared   map[bool][]Key  // the same for reports, where all are consumed, or none
	refused  string
	fix      string
}

// A keyChange is a key that differs, under the name that it really has.
type keyChange struct {
	Key
	name string
}

// now returns the object as the new set has it, or else the old one.
func (o *object) now() *graph.Resource {
	if o.new != nil {
		return o.new
	}
	return o.old
}

// both reports whether both sets have the object.
func (o *object) both() bool { return o.old != nil && o.new != nil }

// renamed reports whether the object has another name now.
func (o *object) renamed() bool { return o.both() && o.old.Name != o.new.Name }

// change says how the object differs.
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

// objects are those of two sets.
type objects struct {
	all []*object // those of the new set in its order, then those that are gone
	of  map[*graph.Resource]*object
}

type objectKey struct{ group, kind, namespace, name string }

// matchObjects finds what is the same object in both sets: what has the same name,
// or else the same name but for a hash, if one object alone has it in each set.
func matchObjects(before, after *graph.Graph) *objects {
	m := &objects{of: map[*graph.Resource]*object{}}
	for _, nameOf := range []func(*graph.Resource) string{
		func(r *graph.Resource) string { return r.Name },
		func(r *graph.Resource) string { return r.Base },
		func(r *graph.Resource) string { return unhashed(r.Base) },
	} {
		m.match(before, after, nameOf)
	}
	for _, r := range after.Resources {
		if isObject(r) {
			m.add(r, &object{new: r})
		}
	}
	for _, r := range before.Resources {
		if isObject(r) {
			m.add(r, &object{old: r})
		}
	}
	for _, o := range m.all {
		o.compare()
	}
	return m
}

// add enters o, of which r is one side, if r is not known yet.
func (m *objects) add(r *graph.Resource, o *object) {
	if known := m.of[r]; known != nil {
		if r == known.new {
			m.all = append(m.all, known)
		}
		return
	}
	m.of[r] = o
	m.all = append(m.all, o)
}

// match enters the objects that have one name in both sets.
func (m *objects) match(before, after *graph.Graph, nameOf func(*graph.Resource) string) {
	index := func(g *graph.Graph) (map[objectKey][]*graph.Resource, []objectKey) {
		byName := map[objectKey][]*graph.Resource{}
		var keys []objectKey
		for _, r := range g.Resources {
			if !isObject(r) || nameOf(r) == "" {
				continue
			}
			key := objectKey{r.Group, r.Kind, g.NamespaceOf(r), nameOf(r)}
			byName[key] = append(byName[key], r)
			keys = append(keys, key)
		}
		return byName, keys
	}
	olds, _ := index(before)
	news, keys := index(after)
	for _, key := range keys {
		// Where a set keeps several versions, nothing tells which became which.
		if len(news[key]) == 1 && len(olds[key]) == 1 && m.of[olds[key][0]] == nil && m.of[news[key][0]] == nil {
			o := &object{old: olds[key][0], new: news[key][0]}
			m.of[o.old], m.of[o.new] = o, o
		}
	}
}

// isObject reports whether r holds configuration.
func isObject(r *graph.Resource) bool { return (r.Target != 0 || r.StandsFor) && r.Name != "" }

// unhashed returns name less what may be a hash at its end.
func unhashed(name string) string {
	if hash.Suffixed(name) {
		return name[:len(name)-hash.Length-1]
	}
	return name
}

// compare finds the keys that differ, and whether the API server refuses that.
func (o *object) compare() {
	var before, after []hash.Value
	if o.old != nil {
		before = o.old.Values
	}
	if o.new != nil {
		after = o.new.Values
	}
	for len(before)+len(after) > 0 {
		var was, is []hash.Value
		switch {
		case len(after) == 0 || len(before) > 0 && before[0].Key < after[0].Key:
			was, before = cutKey(before)
		case len(before) == 0 || after[0].Key < before[0].Key:
			is, after = cutKey(after)
		default:
			was, before = cutKey(before)
			is, after = cutKey(after)
		}
		change := Changed
		switch {
		case was == nil:
			change = Added
		case is == nil:
			change = Removed
		case slices.EqualFunc(was, is, func(a, b hash.Value) bool { return a.Sum == b.Sum }):
			continue
		}
		one := slices.Concat(is, was)[0]
		if one.Always {
			o.always = append(o.always, len(o.keys))
		}
		o.keys = append(o.keys, keyChange{Key{Name: o.shown(one.Key), Change: change}, one.Key})
	}
	if !o.both() || o.renamed() || o.new.Target == 0 {
		return
	}
	switch {
	case o.old.Immutable && len(o.keys) > 0:
		o.refused = "it is immutable"
	case o.old.Immutable && !o.new.Immutable:
		o.refused = "immutable: true cannot be taken back"
	case typeOf(o.old) != typeOf(o.new):
		o.refused = "the type of a Secret cannot change"
	default:
		return
	}
	o.fix = "give it another name, as mode Rename does, or delete it before the apply"
}

// cutKey cuts the values of the first key off.
func cutKey(values []hash.Value) (first, rest []hash.Value) {
	n := 1
	for n < len(values) && values[n].Key == values[0].Key {
		n++
	}
	return values[:n], values[n:]
}

// hidden stands for a key that may be a part of a value.
const hidden = "(hidden)"

// shown returns a key as a report may tell it.
func (o *object) shown(key string) string {
	for _, r := range []*graph.Resource{o.old, o.new} {
		if r != nil && r.Bare[key] {
			return hidden
		}
	}
	return key
}

// typeOf returns a Secret's type as the API server has it.
func typeOf(r *graph.Resource) string {
	if r.Kind == "Secret" && r.Type == "" {
		return "Opaque"
	}
	return r.Type
}
