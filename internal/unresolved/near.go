package unresolved

import (
	"cmp"
	"fmt"
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
	// leastOptional is the same of an optional reference, which may well lead nowhere.
	leastOptional = 8
)

// A place is where the objects of one kind have names.
type place struct {
	target    catalog.Target
	namespace string
}

// A nearMiss is a name that no object has in the place where a reference looks for it,
// with what comes near to it.
type nearMiss struct {
	place
	name       string
	candidates []candidate // of the place, at most two
	elsewhere  *elsewhere
}

// A candidate is a name of an object, or of what makes one.
type candidate struct {
	object *graph.Resource
	name   string
}

// elsewhere are the resources by which a name is there in any place, the first few.
type elsewhere struct {
	resources []*graph.Resource
	more      int
}

// nearMisses finds what comes near to many names at once.
type nearMisses struct {
	graph *graph.Graph
	bases bool // names count without the hashes of earlier runs
	all   map[place]map[string]*nearMiss
	named map[nameOf]*elsewhere
	// edited holds misses by the hashes of eachEdit.
	edited map[uint64][]*nearMiss
	left   int // comparisons: of many names of one form each comes near to each
}

type nameOf struct {
	target catalog.Target
	name   string
}

func newNearMisses(g *graph.Graph, bases bool) *nearMisses {
	return &nearMisses{graph: g, bases: bases, all: map[place]map[string]*nearMiss{}, named: map[nameOf]*elsewhere{}, edited: map[uint64][]*nearMiss{}}
}

// of returns the miss of a reference of r to an object of a kind, to be filled in by
// find.
func (n *nearMisses) of(r *graph.Resource, ref *reference.Reference, target catalog.Target) *nearMiss {
	at := place{target, cmp.Or(ref.Namespace, n.graph.NamespaceOf(r))}
	if n.all[at] == nil {
		n.all[at] = map[string]*nearMiss{}
	}
	miss := n.all[at][ref.Name]
	if miss == nil {
		name := nameOf{target, ref.Name}
		if n.named[name] == nil {
			n.named[name] = &elsewhere{}
		}
		miss = &nearMiss{place: at, name: ref.Name, elsewhere: n.named[name]}
		n.all[at][ref.Name] = miss
		eachEdit(at, ref.Name, func(hash uint64) { n.edited[hash] = append(n.edited[hash], miss) })
		n.left += 256
	}
	return miss
}

// find looks at all objects of the input, and at those that something in it makes.
func (n *nearMisses) find() {
	if len(n.all) == 0 {
		return
	}
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

// add enters that a place has an object of that name, by r.
func (n *nearMisses) add(r *graph.Resource, at place, name string) {
	if e := n.named[nameOf{at.target, name}]; e != nil && len(e.resources) < 3 {
		e.resources = append(e.resources, r)
	} else if e != nil {
		e.more++
	}
	n.compare(at, candidate{r, name})
}

// compare enters a candidate of the misses in its place whose names differ from its own
// in one letter.
func (n *nearMisses) compare(at place, c candidate) {
	same := func(other candidate) bool { return other.object == c.object || other.name == c.name }
	eachEdit(at, c.name, func(hash uint64) {
		for _, miss := range n.edited[hash] {
			if n.left--; n.left < 0 {
				return
			}
			if miss.place == at && len(miss.candidates) < 2 && !slices.ContainsFunc(miss.candidates, same) && misspelt(miss.name, c.name) {
				miss.candidates = append(miss.candidates, c)
			}
		}
	})
}

// message says what comes near to the name that ref of r holds, "" if nothing does, or
// if it is not clear what is meant.
func (n *nearMisses) message(miss *nearMiss, r *graph.Resource, ref *reference.Reference) string {
	// Who writes a namespace beside a name means it.
	if len(miss.elsewhere.resources) > 0 && !ref.Optional && !r.ClusterScoped && ref.Namespace == "" {
		var places []string
		unsaid := r.Namespace == ""
		for _, object := range miss.elsewhere.resources {
			where := fmt.Sprintf("%q", n.graph.NamespaceOf(object))
			if object.Namespace == "" {
				where, unsaid = where+" (it names none)", true
			}
			if !slices.Contains(places, where) {
				places = append(places, where)
			}
		}
		if miss.elsewhere.more > 0 {
			places = append(places, fmt.Sprintf("%d more", miss.elsewhere.more))
		}
		message := fmt.Sprintf("%s %q is not in the namespace %q, but in %s; give both the same namespace", miss.target, miss.name, miss.namespace, graph.Enumerate(places))
		if unsaid {
			message += ", or say by --namespace or spec.namespace where resources without one are applied"
		}
		return message
	}
	if len(miss.candidates) == 1 && (!ref.Optional || len(miss.name) >= leastOptional) {
		return fmt.Sprintf("%s %q is not in the input, but %q is; correct the name if that is meant", miss.target, miss.name, miss.candidates[0].name)
	}
	return ""
}

// eachEdit yields hashes of a name in its place, and of what is left of it without any
// one letter: two names that differ in one letter, or in the order of two, share one.
func eachEdit(at place, name string, do func(uint64)) {
	if len(name) < least-1 || len(name) > most {
		return
	}
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	seed := uint64(offset)
	for i := range len(at.namespace) {
		seed = (seed ^ uint64(at.namespace[i])) * prime
	}
	seed = (seed ^ uint64(at.target)<<8) * prime
	for without := -1; without < len(name); without++ {
		if without > 0 && name[without] == name[without-1] {
			continue // the same is left without the letter before
		}
		hash := seed
		for i := range len(name) {
			if i != without {
				hash = (hash ^ uint64(name[i])) * prime
			}
		}
		do(hash)
	}
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
		from := strings.LastIndexAny(name[:start], "-.") + 1
		to := len(name) - end
		if i := strings.IndexAny(name[to:], "-."); i >= 0 {
			to += i
		} else {
			to = len(name)
		}
		return to-from <= 2 || hash.IsSuffix(name[from:to])
	}
	return !counts(a, end) && !counts(b, end)
}
