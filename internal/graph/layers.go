package graph

import (
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/kustomize"
)

// manyCandidates is how many objects of one name there must be for an index of
// their layers to pay. Thousands of variants of one base share one name in the eyes of
// what refers to it.
const manyCandidates = 16

// narrowing holds what lists of objects of one name were narrowed to, so that
// thousands of references do not look through thousands of objects each. A list
// is known by where it begins: no list of a Graph changes any more.
type narrowing struct {
	layers  map[string]int    // those of all referrers met so far, numbered
	of      map[*Resource]int // by referrer
	indices map[**Resource]*layers
	fitting map[listInLayers][]*Resource
	bearers map[nameInList]*Resource // the only one of the name, if one is
	spread  map[nameInList]bool      // see Graph.Unsure
	places  map[**Resource]string
	joined  map[[2]**Resource][]*Resource
	// standIns holds those of a list that represent a Secret.
	standIns map[**Resource][]*Resource
}

type listInLayers struct {
	list   **Resource
	layers int
}

type nameInList struct {
	list **Resource
	name string
}

func newNarrowing() *narrowing {
	return &narrowing{
		layers: map[string]int{"": 0}, of: map[*Resource]int{}, indices: map[**Resource]*layers{},
		fitting: map[listInLayers][]*Resource{}, bearers: map[nameInList]*Resource{}, spread: map[nameInList]bool{},
		places: map[**Resource]string{}, joined: map[[2]**Resource][]*Resource{}, standIns: map[**Resource][]*Resource{},
	}
}

// once returns what known has under k, or else what find returns, and keeps that.
func once[K comparable, V any](known map[K]V, k K, find func() V) V {
	found, ok := known[k]
	if !ok {
		found = find()
		known[k] = found
	}
	return found
}

func (n *narrowing) layersOf(r *Resource) int {
	if r.History.Prefixes == nil && r.History.Suffixes == nil {
		return 0
	}
	return once(n.of, r, func() int {
		layers := strings.Join(r.History.Prefixes, ",") + "\x00" + strings.Join(r.History.Suffixes, ",")
		return once(n.layers, layers, func() int { return len(n.layers) })
	})
}

// narrow returns those of several candidates that fit the referrer's layers, as
// kustomize's selectReferral does. If all are of other layers, it prefers the only one
// that has the name now: a workload of an outer layer that refers to dev-app means the
// object with that name. If there is none, it returns all as strangers.
func (n *narrowing) narrow(candidates []*Resource, referrer *Resource, name string) (fitting, strangers []*Resource) {
	if len(candidates) <= 1 {
		return candidates, nil
	}
	fitting = once(n.fitting, listInLayers{&candidates[0], n.layersOf(referrer)}, func() []*Resource {
		return n.fit(candidates, referrer)
	})
	if len(fitting) > 0 {
		return fitting, nil
	}
	named := once(n.bearers, nameInList{&candidates[0], name}, func() *Resource { return bearer(candidates, name) })
	if named != nil {
		return []*Resource{named}, nil
	}
	return nil, candidates
}

// fit returns the candidates that fit the referrer's layers: closely, if several
// fit at all.
func (n *narrowing) fit(candidates []*Resource, referrer *Resource) []*Resource {
	l := n.indices[&candidates[0]]
	if l == nil && len(candidates) < manyCandidates {
		return fit(candidates, referrer)
	}
	if l == nil {
		l = newLayers(candidates)
		n.indices[&candidates[0]] = l
	}
	return l.fit(referrer)
}

// fit is narrowing.fit for a few candidates.
func fit(candidates []*Resource, referrer *Resource) []*Resource {
	for _, allowEmpty := range []bool{true, false} {
		var fitting []*Resource
		for _, c := range candidates {
			if kustomize.SameAffixes(c.History, referrer.History, allowEmpty) {
				fitting = append(fitting, c)
			}
		}
		candidates = fitting
		if len(candidates) <= 1 {
			break
		}
	}
	return candidates
}

func bearer(candidates []*Resource, name string) (found *Resource) {
	for _, c := range candidates {
		if c.Name == name {
			if found != nil {
				return nil
			}
			found = c
		}
	}
	return found
}

func (n *narrowing) join(a, b []*Resource) []*Resource {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return once(n.joined, [2]**Resource{&a[0], &b[0]}, func() []*Resource { return slices.Concat(a, b) })
}

// layers is an index of objects by what kustomize narrows several of them by:
// their lists of prefixes and of suffixes, of which the shorter one must end the
// longer.
type layers struct {
	all                []*Resource
	prefixes, suffixes *affixes
}

// affixes is an index of objects by one of their two lists.
type affixes struct {
	listOf func(*Resource) []string
	all    []*Resource
	// ends numbers the ends of lists, each by its first element and the number
	// of the end after it. It is made of lists read backwards.
	ends map[listEnd]int
	// in holds the objects whose lists end so, and is those whose lists are no
	// more than that, by the number of the end. 0 is the end that is empty.
	in, is map[int][]int
}

type listEnd struct {
	element string
	before  int
}

func newLayers(all []*Resource) *layers {
	return &layers{
		all:      all,
		prefixes: newAffixes(all, func(r *Resource) []string { return r.History.Prefixes }),
		suffixes: newAffixes(all, func(r *Resource) []string { return r.History.Suffixes }),
	}
}

func newAffixes(all []*Resource, listOf func(*Resource) []string) *affixes {
	a := &affixes{listOf: listOf, all: all, ends: map[listEnd]int{}, in: map[int][]int{}, is: map[int][]int{}}
	for i, r := range all {
		list, end := listOf(r), 0
		for at := len(list) - 1; at >= 0; at-- {
			key := listEnd{list[at], end}
			next, ok := a.ends[key]
			if !ok {
				next = len(a.ends) + 1
				a.ends[key] = next
			}
			end = next
			a.in[end] = append(a.in[end], i)
		}
		a.is[end] = append(a.is[end], i)
	}
	return a
}

// like returns the objects whose lists fit that of a referrer, in several lists
// that have none in common. all: every object fits.
func (a *affixes) like(referrer *Resource, allowEmpty bool) (found [][]int, all bool) {
	list := a.listOf(referrer)
	if len(list) == 0 {
		return [][]int{a.is[0]}, allowEmpty // an empty list fits every other, then
	}
	if allowEmpty {
		found = append(found, a.is[0])
	}
	end := 0
	for at := len(list) - 1; at >= 0; at-- {
		next, ok := a.ends[listEnd{list[at], end}]
		if !ok {
			return found, false
		}
		if end = next; at > 0 {
			found = append(found, a.is[end])
		}
	}
	return append(found, a.in[end]), false
}

// fit is the function fit, over all.
func (l *layers) fit(referrer *Resource) []*Resource {
	loose := l.fitting(referrer, true, 2)
	if len(loose) <= 1 {
		return loose
	}
	return l.fitting(referrer, false, len(l.all))
}

// fitting returns the objects whose prefixes and suffixes fit the referrer's, in
// their order, or some of them, where there are more than most.
func (l *layers) fitting(referrer *Resource, allowEmpty bool, most int) []*Resource {
	byPrefix, anyPrefix := l.prefixes.like(referrer, allowEmpty)
	bySuffix, anySuffix := l.suffixes.like(referrer, allowEmpty)
	if anyPrefix && anySuffix {
		return l.all[:min(most, len(l.all))]
	}
	lists := byPrefix
	if anyPrefix || !anySuffix && size(bySuffix) < size(byPrefix) {
		lists = bySuffix
	}
	var found []int
	for _, list := range lists {
		for _, i := range list {
			if len(found) < most && kustomize.SameAffixes(l.all[i].History, referrer.History, allowEmpty) {
				found = append(found, i)
			}
		}
	}
	if len(found) == len(l.all) {
		return l.all
	}
	slices.Sort(found)
	resources := make([]*Resource, len(found))
	for i, at := range found {
		resources[i] = l.all[at]
	}
	return resources
}

func size(lists [][]int) int {
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	return n
}
