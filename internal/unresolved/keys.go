package unresolved

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
)

// MissingKeys returns a warning for each object that lacks a key to which a container or
// a volume refers, at the first such place: pods that cannot start. It ignores optional
// references, and those to objects that something in the input makes or adds to. names are
// the names of renamed objects, as they will be.
func MissingKeys(g *graph.Graph, names map[*graph.Resource]string) []graph.Finding {
	type lack struct {
		object *graph.Resource
		keys   string
	}
	first := map[lack]int{} // in findings
	var findings []graph.Finding
	var others [][]*graph.Resource // that lack the same, for each finding
	has := map[*graph.Resource]string{}
	for _, r := range g.Resources {
		for i := range r.Edges {
			e := &r.Edges[i]
			object, missing := missingKeys(e)
			if missing == "" || r.Ignored() {
				continue
			}
			id := lack{object, missing}
			if at, reported := first[id]; reported {
				if more := others[at]; more[len(more)-1] != r {
					others[at] = append(more, r)
				}
				continue
			}
			if has[object] == "" {
				has[object] = have(object)
			}
			first[id] = len(findings)
			others = append(others, []*graph.Resource{r})
			findings = append(findings, graph.Finding{
				Severity: manifest.Warning, Resource: r, Path: e.Ref.At.Path, Name: names[r],
				Message: fmt.Sprintf("%s has no key %s, and the pod cannot start without; it has %s: correct the key, add it, or make the reference optional",
					object.Called(names[object]), missing, has[object]),
			})
		}
	}
	for i, all := range others {
		if more := all[1:]; len(more) > 0 {
			findings[i].Message += "; the same in " + list(more)
		}
	}
	return findings
}

// missingKeys returns the required keys that the object of a reference lacks, "" if it has
// all, or if it is not known which object is meant, or which keys it has: an outer layer may
// merge others into it.
func missingKeys(e *graph.Edge) (object *graph.Resource, missing string) {
	ref := e.Ref
	if len(ref.Required) == 0 || !ref.Consumed || ref.Optional || len(e.Matches) != 1 || len(e.Matches[0].Candidates) != 1 || e.Made() {
		return nil, ""
	}
	object = e.Matches[0].Candidates[0]
	if object.SuffixErr != nil || object.ValuesErr != nil || object.History.NeedsHash {
		return nil, ""
	}
	var keys []string
	for _, key := range ref.Required {
		if _, found := slices.BinarySearch(object.Keys, key); !found {
			keys = append(keys, strconv.Quote(key))
		}
	}
	return object, strings.Join(keys, ", ")
}

// list names resources, the first few if there are many.
func list(resources []*graph.Resource) string {
	const most = 10
	var called []string
	for _, r := range resources[:min(len(resources), most)] {
		called = append(called, r.String())
	}
	if more := len(resources) - most; more > 0 {
		called = append(called, fmt.Sprintf("%d more", more))
	}
	return graph.Enumerate(called)
}

// have lists the keys of an object, the first few if there are many.
func have(object *graph.Resource) string {
	const most = 10
	if len(object.Keys) == 0 {
		return "none"
	}
	var keys []string
	for _, key := range object.Keys {
		if len(keys) < most && !object.Bare[key] {
			keys = append(keys, graph.Clip(key))
		}
	}
	more := len(object.Keys) - len(keys)
	if len(keys) == 0 {
		return fmt.Sprintf("%d others", more)
	}
	all := strings.Join(keys, ", ")
	if more > 0 {
		return fmt.Sprintf("%s and %d more", all, more)
	}
	return all
}
