// Package unresolved tells of references that lead to nothing: to ConfigMaps and
// Secrets that are not in the input, as the functionConfig's unresolved asks
// for, and to keys that they do not have.
package unresolved

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/catalog"
	"github.com/confighash/confighash/pkg/edit"
	"github.com/confighash/confighash/pkg/graph"
	"github.com/confighash/confighash/pkg/policy"
	"github.com/confighash/confighash/pkg/stream"
)

// Find returns a finding for each reference of g that resolves to nothing,
// unless the reference is optional, or the object is there at run time: something
// in the input makes it, or every cluster has it. asked says what the findings
// are worth; with Ignore there are none. rewritten tells that references by names
// without a hash, or with that of an earlier run, are mended.
func Find(g *graph.Graph, p *policy.Policy, asked v1alpha1.Unresolved, rewritten bool) []graph.Finding {
	severity := stream.Warning
	switch asked {
	case v1alpha1.UnresolvedIgnore:
		return nil
	case v1alpha1.UnresolvedError:
		severity = stream.Error
	}
	var findings []graph.Finding
	for _, r := range g.Resources {
		if r.Ignored() {
			continue
		}
		for i := range r.References {
			ref := &r.References[i]
			if ref.Optional || ref.Role != catalog.Consumer || ref.Tentative || ref.At.Path == extraSources {
				continue
			}
			m := g.Mention(r, ref)
			if !rewritten {
				m.DropBased()
			}
			if m.Targets == 0 || len(m.Matches) > 0 || len(m.Strangers) > 0 || g.Produced(&m) || stands(g, p, &m) {
				continue
			}
			name := ref.Name
			if ref.Namespace != "" {
				name = ref.Namespace + "/" + name
			}
			findings = append(findings, graph.Finding{
				Severity: severity, Resource: r, Path: ref.At.Path,
				Message: fmt.Sprintf("%s %q is not in the input; add it, make the reference optional, or set spec.unresolved: Ignore", m.Targets, name),
			})
		}
	}
	return findings
}

// extraSources is told of by mode Annotate, for which alone it is.
var extraSources = edit.Path("metadata.annotations").Key(v1alpha1.AnnotationExtraSources)

// stands reports whether every cluster has an object that m may mean.
func stands(g *graph.Graph, p *policy.Policy, m *graph.Mention) bool {
	namespace := cmp.Or(m.Ref.Namespace, g.NamespaceOf(m.Referrer))
	return slices.ContainsFunc(m.Targets.Kinds(), func(kind string) bool { return p.Standing(kind, namespace, m.Ref.Name) })
}
