package rename

import (
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

func (b *builder) anyTakes(objects []*graph.Resource) bool {
	return len(objects) > 0 && note(b, objects, "takes", func() bool { return slices.ContainsFunc(objects, b.takes) })
}

func (b *builder) warnOfDoubts() {
	for _, e := range b.doubts {
		if slices.ContainsFunc(e.Matches, func(match graph.Match) bool { return b.anyTakes(match.Candidates) }) {
			b.plan.Warnf(e.Referrer, e.Ref.At.Path,
				"%q not rewritten: it may be the name of the ConfigMap or of the Secret; say which in spec.references, or keep both names by %s: \"true\"",
				e.Ref.Name, v1alpha1.AnnotationIgnore)
		}
	}
}

// warnOfStrangers warns about a reference to a name that several objects have or had, none of them in the referrer's
// layers. kustomize does not rewrite it either.
func (b *builder) warnOfStrangers(e *graph.Edge) {
	if !b.anyTakes(e.Strangers) {
		return
	}
	// Use the base names, which are the same in a second run.
	bases := note(b, e.Strangers, "bases", func() string {
		bases := make([]*graph.Resource, len(e.Strangers))
		for i, s := range e.Strangers {
			bases[i] = &graph.Resource{Namespace: s.Namespace, ClusterScoped: s.ClusterScoped, Name: s.Base}
		}
		return b.graph.Places(bases)
	})
	b.plan.Warnf(e.Referrer, e.Ref.At.Path,
		"%q not rewritten: ambiguous between %s, which had this name in other kustomize layers; use the current name", e.Ref.Name, bases)
}

// warnOfKustomize warns about names that kustomize will rewrite wrongly after the function: it takes entries of RBAC
// rules for former names of a renamed object, whatever the rule is about.
func (b *builder) warnOfKustomize() {
	for _, r := range b.graph.Resources {
		if !r.History.Built {
			continue
		}
		for _, at := range r.Mistaken {
			b.warnOfKustomizeAt(r, at.Path, at.Value)
		}
		become := map[yamldoc.Path][]string{}
		for _, e := range b.plan.Edits[r] {
			if e, ok := e.(edit.SetScalar); ok {
				become[e.At.Path] = slices.Concat([]string{e.Value}, e.More)
			}
		}
		for i := range r.References {
			ref := &r.References[i]
			if !ref.List || !ref.Kustomize {
				continue
			}
			values, edited := become[ref.At.Path]
			if !edited {
				values = []string{ref.At.Value}
			}
			for _, value := range values {
				b.warnOfKustomizeAt(r, ref.At.Path, value)
			}
		}
	}
}

func (b *builder) warnOfKustomizeAt(r *graph.Resource, path yamldoc.Path, value string) {
	for _, kind := range catalog.AnyTarget.Each() {
		match := b.graph.Resolve(r, &reference.Reference{Name: value}, kind)
		if match.Based || len(match.Candidates) == 0 {
			continue // found by a name that is not in its history
		}
		name := note(b, match.Candidates, "kustomize "+value, func() string {
			for _, c := range match.Candidates {
				if b.takes(c) && b.plan.Names[c] != value {
					return b.plan.Names[c]
				}
			}
			return ""
		})
		if name != "" {
			b.plan.Warnf(r, path,
				"kustomize will write %s here once the function is done, because it takes %q for the %s of that name, whatever the rule is about; give the %[3]s a name of its own, or run the function after kustomize: kustomize build . | confighash",
				name, value, match.Candidates[0].Kind)
		}
	}
}

// warnOfOrder warns about checksums of mode Annotate that cover objects whose references change now and that were never
// renamed before: mode Annotate ran too early.
func (b *builder) warnOfOrder() {
	renewed := map[*graph.Resource]bool{}
	for _, e := range b.edges {
		r, path := e.Referrer, e.Ref.At.Path
		if !graph.InContent(path) && (!r.StandsFor || strings.HasPrefix(string(path), "metadata.")) {
			continue
		}
		for _, match := range e.Matches {
			if note(b, match.Candidates, "renewed", func() bool { return slices.ContainsFunc(match.Candidates, b.isNew) }) {
				renewed[r] = true
			}
		}
	}
	if len(renewed) == 0 {
		return
	}
	for _, r := range b.graph.Resources {
		at := slices.IndexFunc(r.PodTemplates, func(t reference.PodTemplate) bool {
			for key, value := range t.Annotations {
				if key != v1alpha1.AnnotationExtraSum && hash.IsChecksum(value) {
					return true
				}
			}
			return false
		})
		if at < 0 {
			continue
		}
		for _, object := range consumed(r) {
			if renewed[object] {
				b.plan.Warnf(r, r.PodTemplates[at].AnnotationsAt,
					"a checksum of mode Annotate is here, of %s, in which names change now; let mode Rename run before mode Annotate, or the checksum is not that of what is applied",
					object.Called(b.plan.Names[object]))
			}
		}
	}
}

func (b *builder) isNew(r *graph.Resource) bool {
	return b.takes(r) && r.Recorded() == "" && b.plan.Names[r] != r.Name
}

func consumed(r *graph.Resource) []*graph.Resource {
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
