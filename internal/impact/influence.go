package impact

import (
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/usage"
)

// An influence is an object that a subject, or one of its pod templates, uses in either set.
type influence struct {
	object   *object
	uses     []*usage.Use // those of the new set first
	present  int          // how many of uses are in the new set
	consumed bool         // pods consume some of the object
	whole    *influence   // the influence on the whole subject
	ways     []string     // of whole, computed on first use
}

func (i *influence) add(use *usage.Use, present bool) {
	i.uses = append(i.uses, use)
	i.consumed = i.consumed || use.Consumed
	if present {
		i.present++
	}
}

// influence finds the objects that s uses, sorted, and those that each of its pod templates uses.
func (c *comparison) influence(s *subject) {
	s.on = make([][]*influence, max(templatesOf(s.new), templatesOf(s.old)))
	s.byObject = make(map[*object]*influence, len(s.uses))
	for n, uses := range [][]usage.Use{s.uses, s.used} {
		for k := range uses {
			o := c.objects.of[uses[k].Object]
			if o == nil {
				continue
			}
			if s.byObject[o] == nil {
				i := &influence{object: o}
				i.whole = i
				s.byObject[o] = i
				s.influences = append(s.influences, i)
			}
			s.byObject[o].add(&uses[k], n == 0)
		}
	}
	slices.SortStableFunc(s.influences, func(a, b *influence) int { return graph.Compare(a.object.now(), b.object.now()) })
	for _, i := range s.influences {
		s.divide(i)
	}
}

func (s *subject) divide(whole *influence) {
	parts := map[int]*influence{}
	for at, u := range whole.uses {
		first, end := u.Template, u.Template+1
		if u.Template < 0 {
			first, end = 0, len(s.on)
		}
		for template := first; u.Consumed && template < end; template++ {
			part := parts[template]
			if part == nil {
				part = &influence{object: whole.object, whole: whole}
				parts[template] = part
				s.on[template] = append(s.on[template], part)
			}
			part.add(u, at < whole.present)
		}
	}
}

// configures reports whether new pods would get a different configuration even from an unchanged template: the consumed
// part of the object differs, or the object is optional and was added or removed.
func (i *influence) configures() bool {
	o := i.object
	if o.both() {
		return slices.ContainsFunc(i.uses[:i.present], o.takes)
	}
	return slices.ContainsFunc(i.uses, func(u *usage.Use) bool { return u.Ref.Optional && o.takes(u) })
}

// ignored reports whether confighash.dev/ignore says that a change of the object restarts nothing here.
func (i *influence) ignored() bool {
	uses := i.uses
	if i.present > 0 {
		uses = uses[:i.present]
	}
	return !slices.ContainsFunc(uses, func(u *usage.Use) bool { return !u.Ignored })
}

// missing returns the first key that new pods need and that was removed from the object, "" if there is none.
func (i *influence) missing() string {
	o := i.object
	if o.new == nil {
		return ""
	}
	first := len(o.keys)
	for _, u := range i.uses[:i.present] {
		if !u.Consumed || u.Ref.Optional {
			continue
		}
		for _, key := range u.Ref.Required {
			if k, found := o.find(key); found && o.keys[k].Change == Removed {
				first = min(first, k)
			}
		}
	}
	if first < len(o.keys) {
		return o.keys[first].Name
	}
	return ""
}

// via returns, sorted, the ways by which the subject's pods get the keys that differ, or all ways if they get none of
// these.
func (i *influence) via() []string {
	if i = i.whole; i.ways != nil {
		return i.ways
	}
	ways := func(counts func(*usage.Use) bool) []string {
		var all []string
		for _, u := range i.uses {
			if via := string(u.Via); !slices.Contains(all, via) && counts(u) {
				all = append(all, via)
			}
		}
		slices.Sort(all)
		return all
	}
	i.ways = ways(i.object.takes)
	if i.ways == nil {
		i.ways = ways(func(*usage.Use) bool { return true })
	}
	return i.ways
}

// maxLeft bounds how many changed keys are listed that a workload does not consume, if it consumes other changed keys.
const maxLeft = 100

// keys returns the keys that differ. Workloads that consume all or none of them share the list.
func (i *influence) keys() []Key {
	o := i.object
	consumed, all := o.taken(i.uses)
	if all || len(consumed) == 0 {
		return o.sharedKeys(all)
	}
	places := slices.Clone(consumed)
	for k := 0; k < len(o.keys) && len(places) < len(consumed)+maxLeft; k++ {
		if _, found := slices.BinarySearch(consumed, k); !found {
			places = append(places, k)
		}
	}
	slices.Sort(places)
	keys := make([]Key, len(places))
	for n, k := range places {
		_, found := slices.BinarySearch(consumed, k)
		keys[n] = o.keys[k].as(found)
	}
	return keys
}

// takes reports whether a use consumes any of the keys that differ.
func (o *object) takes(u *usage.Use) bool {
	places, all := o.taken([]*usage.Use{u})
	return all || len(places) > 0
}

// taken returns the indices of the keys that differ and that any of uses consumes; all, if that is every key.
func (o *object) taken(uses []*usage.Use) (places []int, all bool) {
	consumed := false
	for _, u := range uses {
		switch {
		case !u.Consumed:
			continue
		case u.Keys == nil, len(o.always) == len(o.keys):
			return nil, len(o.keys) > 0
		}
		consumed = true
		if len(u.Keys) <= len(o.keys) {
			for _, key := range u.Keys {
				if place, found := o.find(key); found {
					places = append(places, place)
				}
			}
			continue
		}
		for place := range o.keys {
			if _, found := slices.BinarySearch(u.Keys, o.keys[place].name); found {
				places = append(places, place)
			}
		}
	}
	if consumed {
		places = append(places, o.always...)
	}
	slices.Sort(places)
	places = slices.Compact(places)
	return places, len(o.keys) > 0 && len(places) == len(o.keys)
}

func (o *object) find(key string) (place int, found bool) {
	return slices.BinarySearchFunc(o.keys, key, func(k keyChange, key string) int { return strings.Compare(k.name, key) })
}
