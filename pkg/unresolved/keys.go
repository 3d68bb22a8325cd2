package unresolved

import (
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/pkg/graph"
	"github.com/confighash/confighash/pkg/stream"
)

// MissingKeys returns a warning for each reference of a container or a volume to
// a key that its object does not have: a pod that cannot start. Nothing is
// missing where the reference is optional, or where something in the input makes
// the object or adds to it. names are the names of renamed objects, as they will
// be.
func MissingKeys(g *graph.Graph, names map[*graph.Resource]string) []graph.Finding {
	var findings []graph.Finding
	has := map[*graph.Resource]string{}
	for _, r := range g.Resources {
		for i := range r.References {
			ref := &r.References[i]
			if len(ref.Required) == 0 || !ref.Consumed || ref.Optional || r.Ignored() {
				continue
			}
			m := g.Mention(r, ref)
			if len(m.Matches) != 1 || len(m.Matches[0].Candidates) != 1 || g.Produced(&m) {
				continue
			}
			object := m.Matches[0].Candidates[0]
			if object.SuffixErr != nil || object.ValuesErr != nil || object.History.NeedsHash {
				continue // it cannot be told which keys it has, or which an outer layer merges into it
			}
			var missing []string
			for _, key := range ref.Required {
				if _, found := slices.BinarySearch(object.Keys, key); !found {
					missing = append(missing, fmt.Sprintf("%q", key))
				}
			}
			if len(missing) > 0 {
				if has[object] == "" {
					has[object] = have(object)
				}
				findings = append(findings, graph.Finding{
					Severity: stream.Warning, Resource: r, Path: ref.At.Path, Name: names[r],
					Message: fmt.Sprintf("%s has no key %s, and the pod cannot start without; it has %s: correct the key, add it, or make the reference optional",
						object.Called(names[object]), strings.Join(missing, ", "), has[object]),
				})
			}
		}
	}
	return findings
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
