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
	if _, recorded := r.Annotations[v1alpha1.AnnotationHash]; !recorded {
		return edits
	}
	if len(r.Annotations) == 1 {
		return append(edits, edit.RemoveEntry{Parent: "metadata", Key: "annotations"})
	}
	return append(edits, edit.RemoveEntry{Parent: "metadata.annotations", Key: v1alpha1.AnnotationHash})
}
