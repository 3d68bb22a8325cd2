package policy

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/confighash/confighash/internal/pattern"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A matcher is a compiled v1alpha1.Selector. It follows the rules of kustomize's
// types.SelectorRegex: expressions are anchored at both ends, and an empty one
// matches anything.
type matcher struct {
	group, version, kind pattern.Expression
	name, namespace      pattern.Expression
	labels, annotations  labels.Selector
	// steps is about how many steps it takes, at most, to match the selector
	// against a byte of an object's name, its labels and the like.
	steps int
}

// newMatcher compiles s. It cannot fail on a Selector that Parse or Complete
// of v1alpha1 returned.
func newMatcher(s v1alpha1.Selector) (*matcher, error) {
	c := matcher{steps: 1 + (len(s.LabelSelector)+len(s.AnnotationSelector))/8}
	for _, part := range []struct {
		compiled *pattern.Expression
		expr     string
	}{
		{&c.group, s.Group},
		{&c.version, s.Version},
		{&c.kind, s.Kind},
		{&c.name, s.Name},
		{&c.namespace, s.Namespace},
	} {
		if part.expr == "" {
			continue
		}
		*part.compiled = pattern.Compile("^(?:", part.expr, ")$", new(pattern.Sum))
		if err := part.compiled.Err; err != nil {
			return nil, fmt.Errorf("selector: %w", err)
		}
		c.steps += part.compiled.Size
	}
	var err error
	if c.labels, err = labels.Parse(s.LabelSelector); err != nil {
		return nil, fmt.Errorf("labelSelector %q: %w", s.LabelSelector, err)
	}
	if c.annotations, err = labels.Parse(s.AnnotationSelector); err != nil {
		return nil, fmt.Errorf("annotationSelector %q: %w", s.AnnotationSelector, err)
	}
	return &c, nil
}

func (m *matcher) matchGVK(group, version, kind string) bool {
	return m.group.Match(group, nil) && m.version.Match(version, nil) && m.kind.Match(kind, nil)
}
