package reloader

import (
	"errors"
	"strconv"
	"strings"

	"github.com/confighash/confighash/internal/pattern"
)

// A Pattern is one of the names that a workload lists, which Reloader reads as
// regular expressions.
type Pattern struct {
	pattern.Expression
	// Text is the pattern without the spaces around it.
	Text string
	// Key is the annotation with the pattern. PodTemplate reports that the
	// annotation is on the pod template.
	Key         string
	PodTemplate bool
	// Err is why the pattern is skipped: it does not compile, or is pattern.ErrSize.
	Err error

	budget *pattern.Budget
	reason string
}

// Match reports whether Reloader would find the name in the annotation.
func (p Pattern) Match(name string) bool {
	return p.Err == nil && p.Expression.Match(name, p.budget)
}

// An expression is a compiled pattern, or why it does not compile.
type expression struct {
	pattern.Expression
	err error
}

// compile compiles a pattern as Reloader does: the anchors are put around it
// without a group, so that they bind to the outer alternatives of a pattern.
func (c *Controller) compile(text string) expression {
	e, ok := c.expressions[text]
	if !ok {
		e.Expression, e.err = pattern.Compile("^", text, "$", &c.sum)
		c.expressions[text] = e
	}
	return e
}

// patterns returns the patterns of an annotation, each once, of those that are too large
// only the first. Reloader would compile an empty one, which matches no name.
func (c *Controller) patterns(key string, podTemplate bool, value string) []Pattern {
	var all []Pattern
	met := map[string]bool{}
	excessive := false
	for _, text := range items(value) {
		e := c.compile(text)
		tooLarge := errors.Is(e.err, pattern.ErrSize)
		if met[text] || tooLarge && excessive {
			continue
		}
		met[text] = true
		excessive = excessive || tooLarge
		reason := place(key, podTemplate) + " names it"
		if e.Literal == "" {
			reason += " by the pattern " + strconv.Quote(text)
		}
		all = append(all, Pattern{e.Expression, text, key, podTemplate, e.err, c.Budget, reason})
	}
	return all
}

// items splits a list at its commas, without empty items and spaces around items.
func items(value string) []string {
	var all []string
	for item := range strings.SplitSeq(value, ",") {
		if item = strings.TrimSpace(item); item != "" {
			all = append(all, item)
		}
	}
	return all
}
