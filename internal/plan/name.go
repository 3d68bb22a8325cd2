package plan

import (
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// Strip returns the edits that give r its base name, and take out the recorded suffix.
func Strip(r *graph.Resource) (edits []edit.Edit) {
	if r.Base != r.Name {
		edits = append(edits, edit.SetScalar{At: r.NameAt, Value: r.Base})
	}
	own := 0
	var removed []edit.Edit
	for _, key := range []string{v1alpha1.AnnotationHash, v1alpha1.AnnotationKeys} {
		if _, has := r.Annotations[key]; has && (r.Part != "" || key == v1alpha1.AnnotationHash) {
			own++
			removed = append(removed, edit.RemoveEntry{Parent: "metadata.annotations", Key: key})
		}
	}
	if own > 0 && len(r.Annotations) == own {
		removed = []edit.Edit{edit.RemoveEntry{Parent: "metadata", Key: "annotations"}}
	}
	return append(edits, removed...)
}

// Rename returns the edits that give r a name. While kustomize builds, r remembers the one before.
func Rename(r *graph.Resource, name string) (edits []edit.Edit) {
	if name == r.Name {
		return nil
	}
	edits = append(edits, edit.SetScalar{At: r.NameAt, Value: name})
	if r.History.Built {
		for _, a := range r.History.Append(r.Identities(name)...) {
			edits = append(edits, Annotate(r, a.Key, a.Value)...)
		}
	}
	return edits
}

// Annotate returns the edit that sets an annotation, unless it is set.
func Annotate(r *graph.Resource, key, value string) []edit.Edit {
	if r.Annotations[key] == value {
		return nil
	}
	return []edit.Edit{edit.SetEntry{Parent: "metadata.annotations", Key: key, Value: value, After: "name"}}
}
