package unresolved

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/reference"
)

const (
	// least and most bound the length of names that are compared: in shorter ones a
	// letter is a third of the meaning, and no people write longer ones.
	least, most = 6, 63
	// leastOptional is the same for optional references: their objects often do not exist.
	leastOptional = 8
)

type place struct {
	target    catalog.Target
	namespace string
}

// A nearMiss is a name that no object has in the place where a reference looks for it.
type nearMiss struct {
	place
	name string
}

func (m nearMiss) anywhere() nearMiss { return nearMiss{place{target: m.target}, m.name} }

type candidate struct {
	object *graph.Resource
	name   string
}

// nearMisses finds what is similar to many names at once.
type nearMisses struct {
	graph   *graph.Graph
	bases   bool                           // names count without the hashes of earlier runs
	similar map[nearMiss][]candidate       // in that place, at most two
	byEdit  map[uint64][]nearMiss          // by all edits of their names
	named   map[nearMiss][]*graph.Resource // that have the missing names, in the place of any namespace
	left    int                            // comparisons: names of one form are all similar
}

func newNearMisses(g *graph.Graph, bases bool) *nearMisses {
	return &nearMisses{graph: g, bases: bases, similar: map[nearMiss][]candidate{}, byEdit: map[uint64][]nearMiss{}, named: map[nearMiss][]*graph.Resource{}}
}

// of returns the miss of a reference of r to an object of a kind. find looks for what is
// similar to it.
func (n *nearMisses) of(r *graph.Resource, ref *reference.Reference, target catalog.Target) nearMiss {
	miss := nearMiss{place{target, cmp.Or(ref.Namespace, n.graph.NamespaceOf(r))}, ref.Name}
	if _, known := n.similar[miss]; !known {
		n.similar[miss] = nil
		n.named[miss.anywhere()] = nil
		for _, edit := range edits(miss.place, miss.name) {
			n.byEdit[edit] = append(n.byEdit[edit], miss)
		}
		n.left += 256
	}
	return miss
}

// find looks at all objects of the input, and at those that something in it makes.
func (n *nearMisses) find() {
	n.left += 256 * len(n.graph.Resources)
	for _, r := range n.graph.Resources {
		if r.Target != 0 && r.Name != "" {
			at, name := place{r.Target, n.graph.NamespaceOf(r)}, r.Name
			if n.bases {
				name = r.Base
			}
			n.add(r, at, name)
			for _, id := range r.History.Previous {
				n.compare(at, candidate{r, id.Name})
			}
		}
		for i := range r.References {
			if ref := &r.References[i]; ref.Role == catalog.Producer && !ref.ControllerNamespace {
				for _, target := range ref.Targets.Each() {
					n.add(r, place{target, cmp.Or(ref.Namespace, n.graph.NamespaceOf(r))}, ref.Name)
				}
			}
		}
	}
}

func (n *nearMisses) add(r *graph.Resource, at place, name string) {
	id := nearMiss{at, name}.anywhere()
	if named, missing := n.named[id]; missing {
		n.named[id] = append(named, r)
	}
	n.compare(at, candidate{r, name})
}

// compare enters a candidate for the misses in its place whose names differ from its own
// in one letter.
func (n *nearMisses) compare(at place, c candidate) {
	same := func(other candidate) bool { return other.object == c.object || other.name == c.name }
	for _, edit := range edits(at, c.name) {
		for _, miss := range n.byEdit[edit] {
			if n.left--; n.left < 0 {
				break
			}
			similar := n.similar[miss]
			if miss.place == at && len(similar) < 2 && !slices.ContainsFunc(similar, same) && misspelt(miss.name, c.name) {
				n.similar[miss] = append(similar, c)
			}
		}
	}
}

// message says which object the reference ref of r may mean, "" if there is none, or if
// there are several.
func (n *nearMisses) message(miss nearMiss, r *graph.Resource, ref *reference.Reference) string {
	// A namespace that is written next to a name is meant.
	named := n.named[miss.anywhere()]
	if len(named) > 0 && !ref.Optional && !r.ClusterScoped && ref.Namespace == "" {
		const most = 3
		var places []string
		unsaid := r.Namespace == ""
		for _, object := range named[:min(most, len(named))] {
			where := fmt.Sprintf("%q", n.graph.NamespaceOf(object))
			if object.Namespace == "" {
				where, unsaid = where+" (it names none)", true
			}
			if !slices.Contains(places, where) {
				places = append(places, where)
			}
		}
		if more := len(named) - most; more > 0 {
			places = append(places, fmt.Sprintf("%d more", more))
		}
		message := fmt.Sprintf("%s %q is not in the namespace %q, but in %s; give both the same namespace", miss.target, miss.name, miss.namespace, graph.Enumerate(places))
		if unsaid {
			message += ", or say by --namespace or spec.namespace where resources without one are applied"
		}
		return message
	}
	if similar := n.similar[miss]; len(similar) == 1 && (!ref.Optional || len(miss.name) >= leastOptional) {
		return fmt.Sprintf("%s %q is not in the input, but %q is; correct the name if that is meant", miss.target, miss.name, similar[0].name)
	}
	return ""
}

var seed = maphash.MakeSeed()

// edits returns hashes of a name in its place, and of what is left of it without any one
// letter: two names that differ in one letter, or in the order of two, share one.
func edits(at place, name string) []uint64 {
	if len(name) < least-1 || len(name) > most {
		return nil
	}
	in := maphash.Comparable(seed, at)
	all := []uint64{in ^ maphash.String(seed, name)}
	for i := range len(name) {
		if i == 0 || name[i] != name[i-1] { // or else the same is left as without the letter before
			all = append(all, in^maphash.String(seed, name[:i]+name[i+1:]))
		}
	}
	return all
}

// misspelt reports whether one of two names is the other with one letter more, less or
// changed, or with two letters swapped, as people misspell. Names that count something,
// as app-1 and app-2 or zone-a and zone-b do, and hashes differ on purpose.
func misspelt(a, b string) bool {
	if min(len(a), len(b)) < least {
		return false
	}
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	x, y := a[start:len(a)-end], b[start:len(b)-end]
	swapped := len(x) == 2 && len(y) == 2 && x[0] == y[1] && x[1] == y[0]
	if a == b || max(len(x), len(y)) > 1 && !swapped || strings.ContainsAny(x+y, "0123456789") {
		return false
	}
	counts := func(name string, end int) bool {
		rest := name[len(name)-end:]
		if i := strings.IndexAny(rest, "-."); i >= 0 {
			rest = rest[:i]
		}
		word := name[strings.LastIndexAny(name[:start], "-.")+1:len(name)-end] + rest
		return len(word) <= 2 || hash.IsSuffix(word)
	}
	return !counts(a, end) && !counts(b, end)
}
