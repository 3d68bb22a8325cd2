package unresolved

import (
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
)

// MissingKeys returns a warning for each object that lacks a key to which a container or
// a volume refers, at the first such place: pods that cannot start. Nothing is missing
// where the reference is optional, or where something in the input makes the object or
// adds to it. names are the names of renamed objects, as they will be.
func MissingKeys(g *graph.Graph, names map[*graph.Resource]string) []graph.Finding {
	type lack struct {
		object *graph.Resource
		keys   string
	}
	first := map[lack]int{} // in findings
	var findings []graph.Finding
	var others [][]*graph.Resource // that lack the same, beside findings
	has := map[*graph.Resource]string{}
	for _, r := range g.Resources {
		for i := range r.Edges {
			e := &r.Edges[i]
			ref := e.Ref
			if len(ref.Required) == 0 || !ref.Consumed || ref.Optional || r.Ignored() {
				continue
			}
			if len(e.Matches) != 1 || len(e.Matches[0].Candidates) != 1 || e.Made() {
				continue
			}
			object := e.Matches[0].Candidates[0]
			if object.SuffixErr != nil || object.ValuesErr != nil || object.History.NeedsHash {
				continue // it cannot be told which keys it has, or which an outer layer merges into it
			}
			var missing []string
			for _, key := range ref.Required {
				if _, found := slices.BinarySearch(object.Keys, key); !found {
					missing = append(missing, fmt.Sprintf("%q", key))
				}
			}
			id := lack{object, strings.Join(missing, ", ")}
			at, told := first[id]
			switch {
			case len(missing) == 0:
			case told:
				if r != findings[at].Resource && (len(others[at]) == 0 || others[at][len(others[at])-1] != r) {
					others[at] = append(others[at], r)
				}
			default:
				if has[object] == "" {
					has[object] = have(object)
				}
				first[id] = len(findings)
				others = append(others, nil)
				findings = append(findings, graph.Finding{
					Severity: manifest.Warning, Resource: r, Path: ref.At.Path, Name: names[r],
					Message: fmt.Sprintf("%s has no key %s, and the pod cannot start without; it has %s: correct the key, add it, or make the reference optional",
						object.Called(names[object]), id.keys, has[object]),
				})
			}
		}
	}
	for i, more := range others {
		if len(more) > 0 {
			findings[i].Message += "; the same in " + list(more)
		}
	}
	return findings
}

// list names resources, the first few where there are many.
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

// have lists the keys that there are, the first few where there are many.
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
	switch more := len(object.Keys) - len(keys); {
	case more == 0:
		return strings.Join(keys, ", ")
	case len(keys) == 0:
		return fmt.Sprintf("%d others", more)
	default:
		return fmt.Sprintf("%s and %d more", strings.Join(keys, ", "), more)
	}
}
