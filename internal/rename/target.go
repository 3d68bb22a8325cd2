package rename

import (
	"maps"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/plan"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

func (b *builder) editTargets() {
	for _, r := range b.graph.Resources {
		t := b.target(r)
		for _, p := range t.added {
			b.plan.Inform(graph.Finding{Resource: r, Message: p.name + " is added, named after the keys that pods take"})
		}
		name, named := b.plan.Names[r]
		if !named {
			continue
		}
		edits := plan.Rename(r, name)
		if r.History.NeedsHash {
			edits = append(edits, edit.RemoveEntry{Parent: "metadata.annotations", Key: kustomize.NeedsHashSuffix})
		}
		if t.restored {
			b.plan.Edit(r, append(edits, edit.RemoveEntry{Parent: "metadata.annotations", Key: v1alpha1.AnnotationHash})...)
			continue
		}
		edits = append(edits, b.marks(r, t.suffix)...)
		if t.own != nil {
			edits = append(edits, t.own.narrow()...)
		}
		b.plan.Edit(r, edits...)
		b.plan.Inform(graph.Finding{Resource: r, Message: "named after its content"})
	}
}

// marks returns the edits that mark an object as named after its content.
func (b *builder) marks(r *graph.Resource, suffix string) []edit.Edit {
	edits := plan.Annotate(r, v1alpha1.AnnotationHash, suffix)
	for _, key := range slices.Sorted(maps.Keys(b.spec.Rename.Annotations)) {
		edits = append(edits, plan.Annotate(r, key, withOptions(key, r.Annotations[key], b.spec.Rename.Annotations[key]))...)
	}
	// The content under a derived name may change without the name.
	if b.spec.Rename.Immutable && !r.Immutable && b.target(r).derived == nil {
		edits = append(edits, edit.SetEntry{Key: "immutable", Value: "true", Bool: true, After: "kind"})
	}
	return edits
}

// withOptions returns the new value of an annotation. Argo CD reads two annotations as comma-separated options: an
// object keeps its options unless the new value sets the same one.
func withOptions(key, has, value string) string {
	if has == "" || key != "argocd.argoproj.io/sync-options" && key != "argocd.argoproj.io/compare-options" {
		return value
	}
	name := func(option string) string {
		name, _, _ := strings.Cut(strings.TrimSpace(option), "=")
		return name
	}
	options, set := strings.Split(has, ","), strings.Split(value, ",")
	options = slices.DeleteFunc(options, func(o string) bool {
		return slices.ContainsFunc(set, func(s string) bool { return name(s) == name(o) })
	})
	return strings.Join(append(options, set...), ",")
}
