package unresolved

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
)

const (
	// least and most bound the length of compared names: in shorter ones a letter matters too much, and people do not
	// write longer ones.
	least, most = 6, 63
	// leastOptional is least for optional references: their objects often do not exist.
	leastOptional = 8
)

type place struct {
	target    catalog.Target
	namespace string
}

// A named is a name in a place, whose namespace "" stands for any.
type named struct {
	place
	name string
}

// A shelf identifies the objects in a place with names of one length.
type shelf struct {
	place
	length int
}

type candidate struct {
	object *graph.Resource
	name   string
}

// names indexes the names of all objects of a graph, and of those that something in it creates.
type names struct {
	graph   *graph.Graph
	shelves map[shelf][]candidate
	named   map[named][]*graph.Resource // in any namespace, without names of earlier layers
	similar map[named][]candidate       // results: none, one, or two
	left    int                         // remaining comparisons: names of one form are all similar
}

// newNames indexes names. bases: names count without the hashes of earlier runs.
func newNames(g *graph.Graph, bases bool) *names {
	n := &names{graph: g, shelves: map[shelf][]candidate{}, named: map[named][]*graph.Resource{}, similar: map[named][]candidate{}, left: 256 * len(g.Resources)}
	for _, r := range g.Resources {
		if r.Target != 0 && r.Name != "" {
			at, name := place{r.Target, g.NamespaceOf(r)}, r.Name
			if bases {
				name = r.Base
			}
			n.add(r, at, name)
			for _, id := range r.History.Previous {
				n.shelve(at, candidate{r, id.Name})
			}
		}
		for i := range r.References {
			if ref := &r.References[i]; ref.Role == catalog.Producer && !ref.ControllerNamespace {
				for _, target := range ref.Targets.Each() {
					n.add(r, place{target, cmp.Or(ref.Namespace, g.NamespaceOf(r))}, ref.Name)
				}
			}
		}
	}
	return n
}

func (n *names) add(r *graph.Resource, at place, name string) {
	anywhere := named{place{target: at.target}, name}
	n.named[anywhere] = append(n.named[anywhere], r)
	n.shelve(at, candidate{r, name})
}

func (n *names) shelve(at place, c candidate) {
	if len(c.name) >= least && len(c.name) <= most {
		on := shelf{at, len(c.name)}
		n.shelves[on] = append(n.shelves[on], c)
	}
}

// like returns the objects in a place whose names differ from missing by a typo, at most two.
func (n *names) like(missing named) []candidate {
	found, known := n.similar[missing]
	if known {
		return found
	}
	for length := len(missing.name) - 1; length <= len(missing.name)+1; length++ {
		for _, c := range n.shelves[shelf{missing.place, length}] {
			same := func(other candidate) bool { return other.object == c.object || other.name == c.name }
			if n.left--; n.left < 0 || len(found) == 2 {
				break
			}
			if misspelt(missing.name, c.name) && !slices.ContainsFunc(found, same) {
				found = append(found, c)
			}
		}
	}
	n.similar[missing] = found
	return found
}

// message returns which object of a kind a reference may mean, "" if there is none, or if there are several.
func (n *names) message(e *graph.Edge, target catalog.Target) string {
	r, ref := e.Referrer, e.Ref
	missing := named{place{target, cmp.Or(ref.Namespace, n.graph.NamespaceOf(r))}, ref.Name}
	elsewhere := n.named[named{place{target: target}, ref.Name}]
	// If a namespace is written beside the name, it is meant.
	if len(elsewhere) > 0 && !ref.Optional && !r.ClusterScoped && ref.Namespace == "" {
		return n.elsewhere(missing, r, elsewhere)
	}
	if similar := n.like(missing); len(similar) == 1 && (!ref.Optional || len(ref.Name) >= leastOptional) {
		return fmt.Sprintf("%s %q is not in the input, but %q is; correct the name if that is meant", target, ref.Name, similar[0].name)
	}
	return ""
}

// elsewhere returns in which namespaces there are objects with the name that r refers to.
func (n *names) elsewhere(missing named, r *graph.Resource, objects []*graph.Resource) string {
	const most = 3
	var places []string
	unsaid := r.Namespace == ""
	for _, object := range objects[:min(most, len(objects))] {
		where := fmt.Sprintf("%q", n.graph.NamespaceOf(object))
		if object.Namespace == "" {
			where, unsaid = where+" (it names none)", true
		}
		if !slices.Contains(places, where) {
			places = append(places, where)
		}
	}
	if more := len(objects) - most; more > 0 {
		places = append(places, fmt.Sprintf("%d more", more))
	}
	message := fmt.Sprintf("%s %q is not in the namespace %q, but in %s; give both the same namespace", missing.target, missing.name, missing.namespace, graph.Enumerate(places))
	if unsaid {
		message += ", or say by --namespace or spec.namespace where resources without one are applied"
	}
	return message
}

// misspelt reports whether one name is a likely misspelling of the other: a letter added, removed or changed, or two
// swapped. Numbered names, such as app-1 and app-2 or zone-a and zone-b, and hashes differ on purpose.
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
		rest = rest[:strings.IndexAny(rest+"-", "-.")]
		word := name[strings.LastIndexAny(name[:start], "-.")+1:len(name)-end] + rest
		return len(word) <= 2 || hash.IsSuffix(word)
	}
	return !counts(a, end) && !counts(b, end)
}
