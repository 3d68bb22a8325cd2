package graph

import (
	"slices"
	"strings"
)

// manyCandidates is how many objects of one name there must be for an index of
// their layers to be worth it. Thousands of variants of one base have one name
// each, in the eyes of what refers to it.
const manyCandidates = 16

// layers is an index of objects by what kustomize narrows several of them by:
// their lists of prefixes and of suffixes, of which the shorter one must end the
// longer.
type layers struct {
	all    []*Resource
	byEnds map[ends][]int // in all
	byName map[string][]*Resource
}

// ends are what is known of an object's prefixes and of its suffixes.
type ends struct{ prefixes, suffixes end }

// An end is the end of a list, or a list that is known to be complete, or any
// list.
type end struct {
	kind endKind
	list string
}

type endKind uint8

const (
	anyList  endKind = iota
	listEnds         // in that, which is not empty
	listIs           // that, and nothing before
)

var emptyList = end{kind: listIs}

func endOf(kind endKind, list []string) end {
	return end{kind, strings.Join(list, ",") + ","}
}

// endsOf returns all that can be known of a list.
func endsOf(list []string) []end {
	if len(list) == 0 {
		return []end{{}, emptyList}
	}
	found := []end{{}, endOf(listIs, list)}
	for i := range list {
		found = append(found, endOf(listEnds, list[i:]))
	}
	return found
}

// fittingEnds returns what is known of lists that fit list, each of them by one
// of the ends alone. With allowEmpty, an empty list fits every other.
func fittingEnds(list []string, allowEmpty bool) []end {
	if len(list) == 0 {
		if allowEmpty {
			return []end{{}}
		}
		return []end{emptyList}
	}
	found := []end{endOf(listEnds, list)}
	for i := 1; i < len(list); i++ {
		found = append(found, endOf(listIs, list[i:]))
	}
	if allowEmpty {
		found = append(found, emptyList)
	}
	return found
}

func newLayers(all []*Resource) *layers {
	l := &layers{all: all, byEnds: map[ends][]int{}, byName: map[string][]*Resource{}}
	for i, r := range all {
		for _, p := range endsOf(r.History.Prefixes) {
			for _, s := range endsOf(r.History.Suffixes) {
				l.byEnds[ends{p, s}] = append(l.byEnds[ends{p, s}], i)
			}
		}
		l.byName[r.Name] = append(l.byName[r.Name], r)
	}
	return l
}

// narrow does what the function narrow does with all candidates.
func (l *layers) narrow(referrer *Resource, name string) (fitting, strangers []*Resource) {
	// What fits closely counts only if several fit at all.
	fitting = l.fitting(referrer, true, 2)
	if len(fitting) > 1 {
		fitting = l.fitting(referrer, false, len(l.all))
	}
	if len(fitting) > 0 {
		return fitting, nil
	}
	if named := l.byName[name]; len(named) == 1 {
		return named, nil
	}
	return nil, l.all
}

// fitting returns the objects whose prefixes and suffixes fit the referrer's, in
// their order, or some of them, where there are more than most.
func (l *layers) fitting(referrer *Resource, allowEmpty bool, most int) []*Resource {
	var found []int
	for _, p := range fittingEnds(referrer.History.Prefixes, allowEmpty) {
		for _, s := range fittingEnds(referrer.History.Suffixes, allowEmpty) {
			list := l.byEnds[ends{p, s}]
			found = append(found, list[:min(len(list), most)]...)
		}
	}
	slices.Sort(found)
	resources := make([]*Resource, len(found))
	for i, at := range found {
		resources[i] = l.all[at]
	}
	return resources
}
