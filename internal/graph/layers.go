package graph

import (
	"fmt"
	"slices"

	"github.com/confighash/confighash/internal/kustomize"
)

// Keys of Notes about lists: the index by layers, the objects that fit the layers of a number, and those that currently
// have a name.
type (
	indexed   struct{}
	fittingTo int
	bearersOf string
)

// layersOf numbers the layers of all referrers seen so far.
func (g *Graph) layersOf(r *Resource) int {
	if r.History.Prefixes == nil && r.History.Suffixes == nil {
		return 0
	}
	number, known := g.layersBy[r]
	if !known {
		layers := fmt.Sprintf("%q", [][]string{r.History.Prefixes, r.History.Suffixes}) // no prefix is not an empty prefix
		if number = g.numbers[layers]; number == 0 {
			number = len(g.numbers) + 1
			g.numbers[layers] = number
		}
		g.layersBy[r] = number
	}
	return number
}

// narrow returns the candidates that fit the referrer's layers, as in kustomize's selectReferral. If all are of other
// layers, it returns the only one that currently has the name: a workload of an outer layer that refers to dev-app
// means the object with that name. If there is none, it returns all as strangers.
//
// Its results are cached: thousands of variants of one base can share a name in the references to it.
func (g *Graph) narrow(candidates []*Resource, referrer *Resource, name string) (fitting, strangers []*Resource) {
	if len(candidates) <= 1 {
		return candidates, nil
	}
	index := Once(g.notes, candidates, indexed{}, func() *layers {
		return &layers{
			all:      candidates,
			prefixes: newAffixes(candidates, func(r *Resource) []string { return r.History.Prefixes }),
			suffixes: newAffixes(candidates, func(r *Resource) []string { return r.History.Suffixes }),
		}
	})
	fitting = Once(g.notes, candidates, fittingTo(g.layersOf(referrer)), func() []*Resource { return index.fit(referrer) })
	if len(fitting) > 0 {
		return fitting, nil
	}
	named := Once(g.notes, candidates, bearersOf(name), func() (named []*Resource) {
		for _, c := range candidates {
			if c.Name == name {
				named = append(named, c)
			}
		}
		return named
	})
	if len(named) == 1 {
		return named, nil
	}
	return nil, candidates
}

// layers indexes objects by their lists of prefixes and of suffixes. kustomize's rule for two lists is that the shorter
// one must be the end of the longer.
type layers struct {
	all                []*Resource
	prefixes, suffixes *affixes
}

// affixes is an index of objects by one of their two lists.
type affixes struct {
	listOf func(*Resource) []string
	// ends numbers the ends of lists. An end is identified by its first element and the number of the shorter end after
	// it.
	ends map[listEnd]int
	// in holds the objects whose lists have an end, and is those whose lists equal it, by the end's number. The empty
	// end is 0.
	in, is map[int][]int
}

type listEnd struct {
	element string
	before  int
}

func newAffixes(all []*Resource, listOf func(*Resource) []string) *affixes {
	a := &affixes{listOf: listOf, ends: map[listEnd]int{}, in: map[int][]int{}, is: map[int][]int{}}
	for i, r := range all {
		end := 0
		for _, l := range slices.Backward(listOf(r)) {
			key := listEnd{l, end}
			if a.ends[key] == 0 {
				a.ends[key] = len(a.ends) + 1
			}
			end = a.ends[key]
			a.in[end] = append(a.in[end], i)
		}
		a.is[end] = append(a.is[end], i)
	}
	return a
}

// like returns the objects whose lists fit the referrer's, as several disjoint lists. all: every object fits.
func (a *affixes) like(referrer *Resource, allowEmpty bool) (found [][]int, all bool) {
	list := a.listOf(referrer)
	if len(list) == 0 {
		return [][]int{a.is[0]}, allowEmpty // an empty list then fits every other
	}
	if allowEmpty {
		found = append(found, a.is[0])
	}
	end := 0
	for at, l := range slices.Backward(list) {
		if end = a.ends[listEnd{l, end}]; end == 0 {
			return found, false
		}
		if at > 0 {
			found = append(found, a.is[end])
		}
	}
	return append(found, a.in[end]), false
}

// fit returns the objects that fit the referrer's layers. If several do, objects without prefixes and suffixes no
// longer fit every referrer.
func (l *layers) fit(referrer *Resource) []*Resource {
	loose := l.fitting(referrer, true, 2)
	if len(loose) <= 1 {
		return loose
	}
	return l.fitting(referrer, false, len(l.all))
}

// fitting returns the objects whose prefixes and suffixes fit the referrer's, in their order. It stops after most
// objects.
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
