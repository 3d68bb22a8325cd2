package graph

import (
	"slices"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/reference"
)

// A Mention is a reference with what it resolves to.
type Mention struct {
	Referrer *Resource
	Ref      *reference.Reference
	// Targets are the kinds that the reference may mean.
	Targets catalog.Target
	// Matches are those with candidates, one for each kind.
	Matches []Match
	// Strangers are objects of other layers that the reference might mean.
	Strangers []*Resource
}

// Mention resolves a reference of r.
func (g *Graph) Mention(r *Resource, ref *reference.Reference) Mention {
	m := Mention{Referrer: r, Ref: ref, Targets: ref.Targets}
	if ref.KindFrom != nil {
		kind, _ := g.Export(r, ref.KindFrom)
		m.Targets &= catalog.TargetOf(kind)
	}
	for _, kind := range m.Targets.Each() {
		match := g.Resolve(r, ref, kind)
		if len(match.Candidates) == 0 {
			m.Strangers = g.narrowing.join(m.Strangers, match.Strangers)
			continue
		}
		m.Matches = append(m.Matches, match)
	}
	m.dropStale()
	return m
}

// DropBased drops the matches by a name that the object does not bear: one
// without its hash, or with another. Only where references are rewritten do they
// count.
func (m *Mention) DropBased() {
	m.Matches = slices.DeleteFunc(m.Matches, func(match Match) bool { return match.Based })
}

// Lost returns the object that was found by its name less the suffix that
// kustomize gave it and did not write into the reference, nil if there is none, or
// several.
func (match *Match) Lost() *Resource {
	if !match.Based || match.Stale || len(match.Candidates) != 1 {
		return nil
	}
	if c := match.Candidates[0]; c.Recorded() == "" && c.Base != c.Name {
		return c
	}
	return nil
}

// Produced reports whether something in the input makes an object that the
// reference may mean.
func (g *Graph) Produced(m *Mention) bool {
	return slices.ContainsFunc(m.Targets.Each(), func(target catalog.Target) bool {
		return len(g.Producers(m.Referrer, m.Ref, target)) > 0
	})
}

// dropStale drops what was found by a stale name where another kind bears the
// very name: app-2bg6t6bf6t is the Secret's, not an earlier one of a ConfigMap.
func (m *Mention) dropStale() {
	stale := func(match Match) bool { return match.Stale }
	if slices.ContainsFunc(m.Matches, func(match Match) bool { return !match.Stale }) {
		m.Matches = slices.DeleteFunc(m.Matches, stale)
	}
}
