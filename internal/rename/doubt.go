package rename

import (
	"fmt"
	"slices"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// doubtful reports whether m is left as it is, since nothing tells which object
// it means. Where it is sure to mean one of several, none of them is renamed.
func (b *builder) doubtful(m *graph.Edge) bool {
	elsewhere := b.graph.Elsewhere(m)
	for _, list := range elsewhere {
		if !b.again(list, m.Referrer, "pin") {
			b.pin(list, m.Referrer)
		}
	}
	switch {
	case m.Ref.Role == catalog.Producer:
		return false
	case len(elsewhere) > 0:
		return true
	case len(m.Matches) > 1 && m.Ref.Tentative && !m.Ref.List:
		b.doubts = append(b.doubts, m)
		return true
	case b.graph.Unsure(m):
		for _, match := range m.Matches {
			if !b.again(match.Candidates, m.Referrer, "pin") {
				b.pin(match.Candidates, m.Referrer)
			}
		}
		return true
	}
	return false
}

// pin keeps the names of objects, for referrer may refer to any of them.
func (b *builder) pin(objects []*graph.Resource, referrer *graph.Resource) {
	for _, c := range objects {
		if t := b.target(c); t.pinned == nil {
			t.pinned = referrer
		}
	}
}

// pinned tells why the name of an object stays to which referrer may refer.
func pinned(r, referrer *graph.Resource) string {
	if referrer.ScopeUnknown {
		return fmt.Sprintf("%s refers to a %s of this name, and nothing tells in which namespace: it names none, and its kind may belong to none; write its namespace, or add the CustomResourceDefinition to the input", referrer, r.Kind)
	}
	return fmt.Sprintf("%s refers to a %s of this name, and nothing tells in which of several namespaces; give one of them another name", referrer, r.Kind)
}

// tellDoubts warns of values that may be the names of objects that get new ones.
func (b *builder) tellDoubts() {
	for i := range b.doubts {
		m := b.doubts[i]
		takes := slices.ContainsFunc(m.Matches, func(match graph.Match) bool { return b.anyTakes(match.Candidates) })
		if takes {
			b.tell(manifest.Warning, m.Referrer, m.Ref.At.Path,
				"%q is left as it is: it may mean the ConfigMap or the Secret of that name; tell which in spec.references, or keep the names by %s: \"true\"",
				m.Ref.Name, v1alpha1.AnnotationIgnore)
		}
	}
}
