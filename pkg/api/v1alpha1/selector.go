package v1alpha1

import (
	"fmt"
	"regexp"

	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"
)

// A CompiledSelector tells of an object, part by part, whether a Selector
// means it. It is kustomize's rule: expressions are anchored at both ends, and
// an empty one matches anything.
type CompiledSelector struct {
	regex       *types.SelectorRegex
	labels      labels.Selector
	annotations labels.Selector
}

// CompileSelector compiles s. It cannot fail on a Selector that Parse returned.
func CompileSelector(s Selector) (*CompiledSelector, error) {
	regex, err := types.NewSelectorRegex(&s)
	if err != nil {
		return nil, fmt.Errorf("selector: %w", err)
	}
	byLabels, err := labels.Parse(s.LabelSelector)
	if err != nil {
		return nil, fmt.Errorf("labelSelector %q: %w", s.LabelSelector, err)
	}
	byAnnotations, err := labels.Parse(s.AnnotationSelector)
	if err != nil {
		return nil, fmt.Errorf("annotationSelector %q: %w", s.AnnotationSelector, err)
	}
	return &CompiledSelector{regex: regex, labels: byLabels, annotations: byAnnotations}, nil
}

// MatchGVK tells whether the selector means objects of that type.
func (c *CompiledSelector) MatchGVK(group, version, kind string) bool {
	return c.regex.MatchGvk(resid.Gvk{Group: group, Version: version, Kind: kind})
}

// MatchName tells whether the selector means objects of that name. kustomize
// tries an object's original name and its present one.
func (c *CompiledSelector) MatchName(name string) bool {
	return c.regex.MatchName(name)
}

// MatchNamespace tells whether the selector means objects of that namespace.
// kustomize tries an object's original namespace and its present one.
func (c *CompiledSelector) MatchNamespace(namespace string) bool {
	return c.regex.MatchNamespace(namespace)
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

// checkRegex says what is wrong with a selector's expression. It is tried as
// it stands, so that "a)|(b" is not let through by the anchors' parentheses,
// and as kustomize anchors it, which breaks what ends in an open quote (\Qa).
func checkRegex(expr string) string {
	for _, e := range []string{expr, "^(?:" + expr + ")$"} {
		if _, err := regexp.Compile(e); err != nil {
			return fmt.Sprintf("%q is not a regular expression: %v", expr, err)
		}
	}
	return ""
}

func checkLabelSelector(selector string) string {
	if _, err := labels.Parse(selector); err != nil {
		return fmt.Sprintf("%q is not a label selector: %v", selector, err)
	}
	return ""
}
