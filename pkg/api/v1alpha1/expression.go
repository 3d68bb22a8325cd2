package v1alpha1

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/confighash/confighash/internal/pattern"
)

// An expression is one part of a Selector, as kustomize's types.SelectorRegex
// (sigs.k8s.io/kustomize/api v0.21.2) reads it: it must match all of a text,
// and an empty one, the zero value, matches anything.
type expression struct {
	regex   *regexp.Regexp
	literal string // in place of regex, where it can match nothing else
}

func compileExpression(expr string) (expression, error) {
	if expr == "" {
		return expression{}, nil
	}
	if pattern.IsLiteral(expr) {
		return expression{literal: expr}, nil
	}
	regex, err := regexp.Compile(anchored(expr))
	return expression{regex: regex}, err
}

func (e expression) matches(s string) bool {
	if e.literal != "" {
		return e.literal == s
	}
	return e.regex == nil || e.regex.MatchString(s)
}

func anchored(expr string) string { return "^(?:" + expr + ")$" }

// checkRegex says what is wrong with a selector's expression. It is tried as
// it stands, so that "a)|(b" is not let through by the anchors' parentheses,
// and as kustomize anchors it, which breaks what ends in an open quote (\Qa).
func checkRegex(expr string) string {
	for _, e := range []string{expr, anchored(expr)} {
		_, err := new(pattern.Sum).Add(e)
		switch {
		case errors.Is(err, pattern.ErrSize):
			return fmt.Sprintf("%q %v", expr, err)
		case err != nil:
			return fmt.Sprintf("%q is not a regular expression: %v", expr, err)
		}
	}
	return ""
}
