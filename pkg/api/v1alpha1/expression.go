package v1alpha1

import (
	"fmt"
	"regexp"
)

// An expression is one part of a Selector, as kustomize's types.SelectorRegex
// (sigs.k8s.io/kustomize/api v0.21.2) reads it: it must match all of a text,
// and an empty one, the zero value, matches anything.
type expression struct {
	regex *regexp.Regexp
}

func compileExpression(expr string) (expression, error) {
	if expr == "" {
		return expression{}, nil
	}
	regex, err := regexp.Compile(anchored(expr))
	return expression{regex}, err
}

func (e expression) matches(s string) bool {
	return e.regex == nil || e.regex.MatchString(s)
}

func anchored(expr string) string { return "^(?:" + expr + ")$" }

// checkRegex says what is wrong with a selector's expression. It is tried as
// it stands, so that "a)|(b" is not let through by the anchors' parentheses,
// and as kustomize anchors it, which breaks what ends in an open quote (\Qa).
func checkRegex(expr string) string {
	for _, e := range []string{expr, anchored(expr)} {
		if _, err := regexp.Compile(e); err != nil {
			return fmt.Sprintf("%q is not a regular expression: %v", expr, err)
		}
	}
	return ""
}
