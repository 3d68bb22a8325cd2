package plan

import (
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// Strip returns the edits that give r its base name and remove the recorded suffix.
func Strip(r *graph.Resource) (edits []edit.Edit) {
	if r.Base != r.Name {
		edits = append(edits, edit.SetScalar{At: r.NameAt, Value: r.Base})
	}
	var removed []edit.Edit
	for _, key := range []string{v1alpha1.AnnotationHash, v1alpha1.AnnotationKeys} {
		if _, has := r.Annotations[key]; has && (r.Part != "" || key == v1alpha1.AnnotationHash) {
			removed = append(removed, edit.RemoveEntry{Parent: "metadata.annotations", Key: key})
		}
	}
	if len(removed) > 0 && len(r.Annotations) == len(removed) {
		removed = []edit.Edit{edit.RemoveEntry{Parent: "metadata", Key: "annotations"}}
	}
	return append(edits, removed...)
}

// Rename returns the edits that give r a name. During a kustomize build, they also record the names under which outer
// layers may refer to r, even if r already has that name: with a prefix that a layer adds, the name without the hash is
// new.
func Rename(r *graph.Resource, name string) (edits []edit.Edit) {
	if name != r.Name {
		edits = append(edits, edit.SetScalar{At: r.NameAt, Value: name})
	}
	if r.History.Built {
		for _, a := range r.History.Append(r.Identities(name)...) {
			edits = append(edits, Annotate(r, a.Key, a.Value)...)
		}
	}
	return edits
}

// Annotate returns the edit that sets an annotation, none if it already has the value.
func Annotate(r *graph.Resource, key, value string) []edit.Edit {
	if r.Annotations[key] == value {
		return nil
	}
	return []edit.Edit{edit.SetEntry{Parent: "metadata.annotations", Key: key, Value: value, After: "name"}}
}
