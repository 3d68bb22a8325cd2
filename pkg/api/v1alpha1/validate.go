package v1alpha1

import (
	"fmt"
	"strings"

	"github.com/confighash/confighash/internal/yamldoc"
)

const emptySelector = "an empty selector would match everything; give at least one of its fields"

// maxAnnotations bounds the total size of the keys and values that every renamed object gets.
const maxAnnotations = 4 << 10

// validateTogether checks the rules that involve several fields.
func (r *reader) validateTogether(s *Spec) {
	at := func(field yamldoc.Path) yamldoc.Path {
		if r.isFlat {
			return yamldoc.Path(flatData).Key(string(field))
		}
		return "spec." + field
	}
	if key := s.Annotate.Key; s.Annotate.Scope == ScopeSource && !strings.Contains(key, "/") {
		r.fail(at("annotate.key"), fmt.Sprintf("%q has no prefix; with the scope Source the annotations are called PREFIX/kind.name, so give the key one: example.com/%s", key, key))
	}
	specs := 0
	for _, reference := range s.References {
		specs += len(reference.FieldSpecs)
	}
	if specs > maxReferences {
		r.fail(at("references"), fmt.Sprintf("has %d fieldSpecs in all; at most %d are followed", specs, maxReferences))
	}
	size := 0
	for key, value := range s.Rename.Annotations {
		size += len(key) + len(value)
	}
	if size > maxAnnotations {
		r.fail(at("rename.annotations"), fmt.Sprintf("has %d bytes of keys and values, which every renamed object would get; at most %d are allowed", size, maxAnnotations))
	}
}
