package unresolved

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
)

// A Lack is a reference to keys that its object does not have, so that pods cannot start.
type Lack struct {
	*graph.Edge
	Object *graph.Resource
	// Missing are the missing keys, and Has the object's keys, both as text.
	Missing, Has string
}

// Lacks returns the references to missing keys. It ignores optional references, and those to objects that something in
// the input creates or extends.
func Lacks(g *graph.Graph) []Lack {
	var lacks []Lack
	has := map[*graph.Resource]string{}
	for _, r := range g.Resources {
		for i := range r.Edges {
			object, missing := missingKeys(&r.Edges[i])
			if missing == "" || r.Ignored() {
				continue
			}
			if has[object] == "" {
				has[object] = have(object)
			}
			lacks = append(lacks, Lack{&r.Edges[i], object, missing, has[object]})
		}
	}
	return lacks
}

// MissingKeys returns a warning for each object in [Lacks], at the first such reference. names are the new names of
// renamed objects. called returns the name of a reference's object for messages, "" for the current one.
func MissingKeys(g *graph.Graph, names map[*graph.Resource]string, called func(*graph.Edge, *graph.Resource) string) []graph.Finding {
	type lack struct {
		object *graph.Resource
		keys   string
	}
	reported := map[lack]int{} // by index in findings
	var findings []graph.Finding
	var lacking [][]*graph.Resource // for each finding
	for _, l := range Lacks(g) {
		r := l.Referrer
		at, known := reported[lack{l.Object, l.Missing}]
		switch {
		case !known:
			reported[lack{l.Object, l.Missing}] = len(findings)
			lacking = append(lacking, []*graph.Resource{r})
			findings = append(findings, graph.Finding{
				Severity: manifest.Warning, Resource: r, Path: l.Ref.At.Path, Name: names[r],
				Message: fmt.Sprintf("%s has no key %s, so the pod cannot start; it has %s: correct the key, add it, or make the reference optional",
					l.Object.Called(called(l.Edge, l.Object)), l.Missing, l.Has),
			})
		case lacking[at][len(lacking[at])-1] != r:
			lacking[at] = append(lacking[at], r)
		}
	}
	for i, all := range lacking {
		if len(all) > 1 {
			var called []string
			for _, r := range all[1:] {
				called = append(called, r.String())
			}
			findings[i].Message += "; the same in " + graph.Enumerate(called)
		}
	}
	return findings
}

// missingKeys returns the required keys that the object of a reference lacks, "" if there are none. It also returns ""
// if it is unknown which object is meant, or which keys it has, because an outer layer may merge others into it, or a
// controller writes them.
func missingKeys(e *graph.Edge) (object *graph.Resource, missing string) {
	ref := e.Ref
	if len(ref.Required) == 0 || !ref.Consumed || ref.Optional || len(e.Matches) != 1 || len(e.Matches[0].Candidates) != 1 || e.Made() {
		return nil, ""
	}
	object = e.Matches[0].Candidates[0]
	if object.NameOnly || object.SuffixErr != nil || object.ValuesErr != nil || object.History.NeedsHash {
		return nil, ""
	}
	var keys []string
	for _, key := range ref.Required {
		_, found := slices.BinarySearch(object.Keys, key)
		switch {
		case !found:
			keys = append(keys, strconv.Quote(key))
		case ref.Via == catalog.ViaEnv && slices.Contains(object.BinaryKeys, key):
			keys = append(keys, strconv.Quote(key)+" in data (variables cannot use binaryData)")
		}
	}
	if len(keys) > 0 {
		rule := catalog.Builtin().NeverRename(catalog.Object{
			Kind: object.Kind, Name: object.Name, Type: object.Type, Labels: object.Labels, Annotations: object.Annotations,
		})
		if rule != nil && rule.Filled {
			return nil, ""
		}
	}
	return object, strings.Join(keys, ", ")
}

// have lists the keys of an object, only the first if there are many.
func have(object *graph.Resource) string {
	const most = 10
	var keys []string
	for _, key := range object.Keys {
		if len(keys) < most && !object.Bare[key] {
			keys = append(keys, graph.Clip(key))
		}
	}
	switch more := len(object.Keys) - len(keys); {
	case len(object.Keys) == 0:
		return "none"
	case len(keys) == 0:
		return fmt.Sprintf("%d others", more)
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(keys, ", "), more)
	}
	return strings.Join(keys, ", ")
}
