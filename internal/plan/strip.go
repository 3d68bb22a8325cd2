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
