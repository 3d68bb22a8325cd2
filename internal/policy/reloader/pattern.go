package reloader

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/confighash/confighash/internal/pattern"
)

// A Pattern is one of the names that a workload lists, which Reloader reads as
// regular expressions. It skips those with an Err.
type Pattern struct {
	pattern.Expression
	// Text is the pattern without the spaces around it.
	Text string
	// Key is the annotation with the pattern. PodTemplate reports that the
	// annotation is on the pod template.
	Key         string
	PodTemplate bool

	budget *pattern.Budget
}

// Match reports whether Reloader would find the name in the annotation.
func (p Pattern) Match(name string) bool { return p.Expression.Match(name, p.budget) }

func (p Pattern) reason() string {
	reason := place(p.Key, p.PodTemplate) + " names it"
	if p.Literal == "" {
		reason += " by the pattern " + strconv.Quote(p.Text)
	}
	return reason
}

// compile compiles a pattern as Reloader does: the anchors are put around it
// without a group, so that they bind to the outer alternatives of a pattern.
func (c *Controller) compile(text string) pattern.Expression {
	e, ok := c.expressions[text]
	if !ok {
		e = pattern.Compile("^", text, "$", &c.sum)
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
		tooLarge := errors.Is(e.Err, pattern.ErrSize)
		if met[text] || tooLarge && excessive {
			continue
		}
		met[text] = true
		excessive = excessive || tooLarge
		all = append(all, Pattern{e, text, key, podTemplate, c.Budget})
	}
	return all
}

// items splits a list at its commas, without empty items and spaces around items.
func items(value string) []string {
	all := strings.Split(value, ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return slices.DeleteFunc(all, func(item string) bool { return item == "" })
}
