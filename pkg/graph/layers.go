package graph

import "github.com/confighash/confighash/pkg/kustomize"

// manyCandidates is how many objects of one name there must be for an index of
// their layers to be worth it. Thousands of variants of one base have one name
// each, in the eyes of what refers to it.
const manyCandidates = 16

// An affix is the outermost prefix or suffix that an object got, if it got any.
// Two lists of them can only be the same, one as far as it goes, if their
// outermost ones are.
type affix struct {
	present bool
	value   string
}

func outermost(list []string) affix {
	if len(list) == 0 {
		return affix{}
	}
	return affix{true, list[len(list)-1]}
}

type affixes struct{ prefix, suffix affix }

func affixesOf(h kustomize.History) affixes {
	return affixes{outermost(h.Prefixes), outermost(h.Suffixes)}
}

// layers is an index of objects by what kustomize narrows several of them by.
type layers struct {
	all                []*Resource
	byAffixes          map[affixes][]*Resource
	byPrefix, bySuffix map[affix][]*Resource
	byName             map[string][]*Resource
}

func newLayers(all []*Resource) *layers {
	l := &layers{
		all:       all,
		byAffixes: map[affixes][]*Resource{},
		byPrefix:  map[affix][]*Resource{},
		bySuffix:  map[affix][]*Resource{},
		byName:    map[string][]*Resource{},
	}
	for _, r := range all {
		has := affixesOf(r.History)
		l.byAffixes[has] = append(l.byAffixes[has], r)
		l.byPrefix[has.prefix] = append(l.byPrefix[has.prefix], r)
		l.bySuffix[has.suffix] = append(l.bySuffix[has.suffix], r)
		l.byName[r.Name] = append(l.byName[r.Name], r)
	}
	return l
}

// narrow does what the function narrow does with all candidates.
func (l *layers) narrow(referrer *Resource, name string) (fitting, strangers []*Resource) {
	for _, c := range l.byAffixes[affixesOf(referrer.History)] {
		if kustomize.SameAffixes(c.History, referrer.History, false) {
			fitting = append(fitting, c)
		}
	}
	if len(fitting) <= 1 {
		// What fits so closely counts only if several fit at all.
		if some := l.some(referrer); len(some) <= 1 {
			fitting = some
		}
	}
	if len(fitting) > 0 {
		return fitting, nil
	}
	if named := l.byName[name]; len(named) == 1 {
		return named, nil
	}
	return nil, l.all
}

// some returns the objects that fit the referrer, where those without prefixes or
// suffixes fit every other: all of them if there are fewer than two, or else
// two.
func (l *layers) some(referrer *Resource) []*Resource {
	has := affixesOf(referrer.History)
	var lists [][]*Resource
	switch {
	case !has.prefix.present && !has.suffix.present:
		lists = append(lists, l.all)
	case !has.suffix.present:
		lists = append(lists, l.byPrefix[has.prefix], l.byPrefix[affix{}])
	case !has.prefix.present:
		lists = append(lists, l.bySuffix[has.suffix], l.bySuffix[affix{}])
	default:
		for _, key := range []affixes{has, {has.prefix, affix{}}, {affix{}, has.suffix}, {}} {
			lists = append(lists, l.byAffixes[key])
		}
	}
	var some []*Resource
	for _, list := range lists {
		for _, c := range list {
			if !kustomize.SameAffixes(c.History, referrer.History, true) {
				continue
			}
			if some = append(some, c); len(some) == 2 {
				return some
			}
		}
	}
	return some
}
