package rename

import (
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/manifest"
)

// tellOrder warns of checksums of mode Annotate that cover what gets new names in
// it now: an object with references to others that no run has renamed before. That
// the mode ran before this one makes such checksums.
func (b *builder) tellOrder() {
	renewed := map[*graph.Resource]bool{}
	for i := range b.mentions {
		m := b.mentions[i]
		r, path := m.Referrer, m.Ref.At.Path
		if !graph.InContent(path) && (!r.StandsFor || strings.HasPrefix(string(path), "metadata.")) {
			continue
		}
		for _, match := range m.Matches {
			if b.note(match.Candidates, "renewed", func() string {
				if slices.ContainsFunc(match.Candidates, func(c *graph.Resource) bool {
					return b.takes(c) && c.Recorded() == "" && b.plan.Names[c] != c.Name
				}) {
					return "so"
				}
				return ""
			}) != "" {
				renewed[r] = true
			}
		}
	}
	if len(renewed) == 0 {
		return
	}
	for _, r := range b.graph.Resources {
		at := slices.IndexFunc(r.PodTemplates, func(t graph.PodTemplate) bool {
			for _, value := range t.Annotations {
				if hash.IsChecksum(value) {
					return true
				}
			}
			return false
		})
		if at < 0 {
			continue
		}
		for _, object := range b.consumed(r) {
			if renewed[object] {
				b.tell(manifest.Warning, r, r.PodTemplates[at].AnnotationsAt,
					"a checksum of mode Annotate is here, of %s, in which names change now; let mode Rename run before mode Annotate, or the checksum is not that of what is applied",
					object.Called(b.plan.Names[object]))
			}
		}
	}
}

// consumed returns what the pods of r consume: objects, and what makes them.
func (b *builder) consumed(r *graph.Resource) []*graph.Resource {
	var objects []*graph.Resource
	for i := range r.Edges {
		e := &r.Edges[i]
		if !e.Ref.Consumed {
			continue
		}
		for _, match := range e.Matches {
			objects = append(objects, match.Candidates...)
		}
		for _, makers := range e.Makers {
			objects = append(objects, makers.Resources...)
		}
	}
	return objects
}
