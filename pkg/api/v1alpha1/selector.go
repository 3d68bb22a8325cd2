package v1alpha1

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/confighash/confighash/internal/pattern"
)

// A Selector means the objects that match all of its parts; an empty part
// matches any. It has the fields of kustomize's types.Selector
// (sigs.k8s.io/kustomize/api v0.21.2), and CompileSelector reads it by the
// rules of kustomize's types.SelectorRegex.
type Selector struct {
	// Group, Version, Kind, Name and Namespace are regular expressions that
	// must match all of what they are held against.
	Gvk       `json:",inline,omitempty" yaml:",inline,omitempty"`
	Name      string `json:"name,omitempty" yaml:"name,omitempty"`
	Namespace string `json:"namespace,omitempty" yaml:"namespace,omitempty"`
	// AnnotationSelector and LabelSelector are written in Kubernetes' selector
	// syntax.
	AnnotationSelector string `json:"annotationSelector,omitempty" yaml:"annotationSelector,omitempty"`
	LabelSelector      string `json:"labelSelector,omitempty" yaml:"labelSelector,omitempty"`
}

// A CompiledSelector tells of an object, part by part, whether a Selector
// means it. It is kustomize's rule: expressions are anchored at both ends, and
// an empty one matches anything.
type CompiledSelector struct {
	group, version, kind expression
	name, namespace      expression
	labels, annotations  labels.Selector
	steps                int
}

// Steps returns about how many steps it takes, at most, to hold the selector against
// a byte of an object's name, its labels and the like.
func (c *CompiledSelector) Steps() int { return c.steps }

// Named returns the only name that the selector means, "" where it means others.
func (c *CompiledSelector) Named() string { return c.name.literal }

// CompileSelector compiles s. It cannot fail on a Selector that Parse returned.
func CompileSelector(s Selector) (*CompiledSelector, error) {
	c := CompiledSelector{steps: 1 + (len(s.LabelSelector)+len(s.AnnotationSelector))/8}
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

// MatchGVK tells whether the selector means objects of that type.
func (c *CompiledSelector) MatchGVK(group, version, kind string) bool {
	return c.group.matches(group) && c.version.matches(version) && c.kind.matches(kind)
}

// MatchName tells whether the selector means objects of that name. kustomize
// tries an object's original name and its present one.
func (c *CompiledSelector) MatchName(name string) bool {
	return c.name.matches(name)
}

// MatchNamespace tells whether the selector means objects of that namespace.
// kustomize tries an object's original namespace and its present one.
func (c *CompiledSelector) MatchNamespace(namespace string) bool {
	return c.namespace.matches(namespace)
}

// MatchLabels tells whether the selector means objects with those labels.
func (c *CompiledSelector) MatchLabels(of map[string]string) bool {
	return c.labels.Matches(labels.Set(of))
}

// MatchAnnotations tells whether the selector means objects with those
// annotations.
func (c *CompiledSelector) MatchAnnotations(of map[string]string) bool {
	return c.annotations.Matches(labels.Set(of))
}

func checkLabelSelector(selector string) string {
	if _, err := labels.Parse(selector); err != nil {
		return fmt.Sprintf("%q is not a label selector: %v", selector, err)
	}
	return ""
}
