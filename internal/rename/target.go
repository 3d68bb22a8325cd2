package rename

import (
	"maps"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

func (b *builder) editTargets() {
	for _, r := range b.graph.Resources {
		if b.targets[r.Index] != nil {
			b.informParts(r)
		}
		name, named := b.plan.Names[r]
		if !named {
			continue
		}
		var edits []edit.Edit
		if name != r.Name {
			edits = append(edits, edit.SetScalar{At: r.NameAt, Value: name})
			if r.History.Built {
				for _, a := range r.History.Append(r.Identities(name)...) {
					edits = append(edits, annotate(r, a.Key, a.Value)...)
				}
			}
		}
		if r.History.NeedsHash {
			edits = append(edits, edit.RemoveEntry{Parent: "metadata.annotations", Key: kustomize.NeedsHashSuffix})
		}
		t := b.target(r)
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
	edits := annotate(r, v1alpha1.AnnotationHash, suffix)
	for _, key := range slices.Sorted(maps.Keys(b.spec.Rename.Annotations)) {
		edits = append(edits, annotate(r, key, withOptions(key, r.Annotations[key], b.spec.Rename.Annotations[key]))...)
	}
	// Content under a derived name may change without it.
	if b.spec.Rename.Immutable && !r.Immutable && b.target(r).derived == nil {
		edits = append(edits, edit.SetEntry{Key: "immutable", Value: "true", Bool: true, After: "kind"})
	}
	return edits
}

// annotate returns the edit that sets an annotation, unless it is set.
func annotate(r *graph.Resource, key, value string) []edit.Edit {
	if r.Annotations[key] == value {
		return nil
	}
	return []edit.Edit{edit.SetEntry{Parent: "metadata.annotations", Key: key, Value: value, After: "name"}}
}

// withOptions returns the value that an annotation gets. Argo CD reads two of
// them as lists of options divided by commas: an object keeps those that it has,
// unless the new value sets the same one.
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
