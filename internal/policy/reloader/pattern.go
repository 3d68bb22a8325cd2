package reloader

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/confighash/confighash/internal/pattern"
)

// A Pattern is one of the names in an annotation of a workload, which Reloader reads as regular expressions. It skips
// those with an Err.
type Pattern struct {
	pattern.Expression
	// Text is the pattern without surrounding spaces.
	Text string
	// Key is the annotation with the pattern, which is on the pod template if PodTemplate.
	Key         string
	PodTemplate bool

	budget *pattern.Budget
}

// Match reports whether the pattern matches the name in Reloader.
func (p Pattern) Match(name string) bool { return p.Expression.Match(name, p.budget) }

func (p Pattern) reason() string {
	reason := place(p.Key, p.PodTemplate) + " names it"
	if p.Literal == "" {
		reason += " by the pattern " + strconv.Quote(p.Text)
	}
	return reason
}

// compile compiles a pattern as Reloader does: it is anchored without a group, so that the anchors bind only to the
// outer alternatives.
func (c *Controller) compile(text string) pattern.Expression {
	e, ok := c.expressions[text]
	if !ok {
		e = pattern.Compile("^", text, "$", &c.sum)
		c.expressions[text] = e
	}
	return e
}

// patterns returns the patterns of an annotation without duplicates, and only the first of those that are too large. It
// skips empty patterns, which match no name.
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
