package reference

import (
	"strings"

	"github.com/confighash/confighash/internal/yamldoc"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// ExtraSourcesAt is where a workload names further sources of its checksum.
var ExtraSourcesAt = yamldoc.Path("metadata.annotations").Key(v1alpha1.AnnotationExtraSources)

// ExtraSources reads the annotation confighash.dev/extra-sources of an item:
// references to ConfigMaps and Secrets of its namespace, each once. wrong are those
// of its elements that name neither.
func ExtraSources(annotations map[string]string) (found []Reference, wrong []string) {
	value := annotations[v1alpha1.AnnotationExtraSources]
	if strings.TrimSpace(value) == "" {
		return nil, nil
	}
	met := map[string]bool{}
	for element := range strings.SplitSeq(value, ",") {
		element = strings.TrimSpace(element)
		if met[element] {
			continue
		}
		met[element] = true
		kind, name, _ := strings.Cut(element, "/")
		target := catalog.TargetOf(kind)
		if _, fits := catalog.Plain.Match(name); target == 0 || !fits {
			wrong = append(wrong, element)
			continue
		}
		found = append(found, Reference{
			Name: name, Targets: target, At: edit.Scalar{Path: ExtraSourcesAt, Value: value}, Consumed: true, PodTemplate: -1,
		})
	}
	return found, wrong
}
