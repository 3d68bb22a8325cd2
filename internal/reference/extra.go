package reference

import (
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// ExtraSourcesAt is where the annotation confighash.dev/extra-sources is.
var ExtraSourcesAt = yamldoc.Path("metadata.annotations").Key(v1alpha1.AnnotationExtraSources)

// WrongExtraSources returns the elements of a value of confighash.dev/extra-sources
// that name neither a ConfigMap nor a Secret, each once.
func WrongExtraSources(value string) []string {
	if strings.TrimSpace(value) == "" {
		return nil
	}
	var wrong []string
	met := map[string]bool{}
	for element := range strings.SplitSeq(value, ",") {
		element = strings.TrimSpace(element)
		kind, name, _ := strings.Cut(element, "/")
		if _, fits := catalog.Plain.Match(name); (!fits || catalog.TargetOf(kind) == 0) && !met[element] {
			met[element] = true
			wrong = append(wrong, element)
		}
	}
	return wrong
}
