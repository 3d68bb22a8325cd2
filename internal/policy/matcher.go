package policy

import (
	"fmt"
	"regexp"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/confighash/confighash/internal/pattern"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A matcher is a compiled v1alpha1.Selector. It follows the rules of kustomize's
// types.SelectorRegex: expressions are anchored at both ends, and an empty one
// matches anything.
type matcher struct {
	group, version, kind expression
	name, namespace      expression
	labels, annotations  labels.Selector
	// steps is about how many steps it takes, at most, to match the selector
	// against a byte of an object's name, its labels and the like.
	steps int
}

// newMatcher compiles s. It cannot fail on a Selector that Parse or Complete
// of v1alpha1 returned.
func newMatcher(s v1alpha1.Selector) (*matcher, error) {
	c := matcher{steps: 1 + (len(s.LabelSelector)+len(s.AnnotationSelector))/8}
	var err error
	for _, part := range []struct {
		compiled *expression
		expr     string
	}{
		{&c.group, s.Group},
		{&c.version, s.Version},
		{&c.kind, s.Kind},
		{&c.name, s.Name},
		{&c.namespace, s.Namespace},
	} {
		if *part.compiled, err = compileExpression(part.expr); err != nil {
			return nil, fmt.Errorf("selector: %w", err)
		}
		if part.compiled.regex != nil {
			size, _ := new(pattern.Sum).Add(part.expr) // which has just been parsed
			c.steps += size
		}
	}
	if c.labels, err = labels.Parse(s.LabelSelector); err != nil {
		return nil, fmt.Errorf("labelSelector %q: %w", s.LabelSelector, err)
	}
	if c.annotations, err = labels.Parse(s.AnnotationSelector); err != nil {
		return nil, fmt.Errorf("annotationSelector %q: %w", s.AnnotationSelector, err)
	}
	return &c, nil
}

func (m *matcher) matchGVK(group, version, kind string) bool {
	return m.group.matches(group) && m.version.matches(version) && m.kind.matches(kind)
}

// An expression is one part of a matcher. The zero value matches anything.
type expression struct {
	regex   *regexp.Regexp
	literal string // in place of regex, if it can match nothing else
}

func compileExpression(expr string) (expression, error) {
	if expr == "" {
		return expression{}, nil
	}
	if pattern.IsLiteral(expr) {
		return expression{literal: expr}, nil
	}
	regex, err := regexp.Compile("^(?:" + expr + ")$")
	return expression{regex: regex}, err
}

func (e expression) matches(s string) bool {
	if e.literal != "" {
		return e.literal == s
	}
	return e.regex == nil || e.regex.MatchString(s)
}
