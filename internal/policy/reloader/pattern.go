package reloader

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/confighash/confighash/internal/pattern"
)

// A Pattern is one of the names that a workload lists, which Reloader reads as
// regular expressions.
type Pattern struct {
	// Text is the pattern without the spaces around it.
	Text string
	// Literal reports that Text matches no other name than Text.
	Literal bool
	// Key is the annotation with the pattern. PodTemplate reports that the
	// annotation is on the pod template.
	Key         string
	PodTemplate bool
	// Prefix is a common prefix of all names that match.
	Prefix string
	// Err is why the pattern is skipped: it does not compile, or wraps pattern.ErrSize.
	Err error

	expression *regexp.Regexp // nil of a literal
	size       int
	budget     *pattern.Budget
	reason     string
}

// Match reports whether Reloader would find the name in the annotation.
func (p Pattern) Match(name string) bool {
	if p.Literal {
		return p.Text == name
	}
	return p.Err == nil && strings.HasPrefix(name, p.Prefix) && p.budget.Take(p.size*(1+len(name))) && p.expression.MatchString(name)
}

// An expression is a compiled pattern, or why it does not compile.
type expression struct {
	compiled *regexp.Regexp
	size     int
	err      error
}

// compile compiles a pattern as Reloader does: the anchors are put around it
// without a group, so that they bind to the outer alternatives of a pattern.
func (c *Controller) compile(text string) expression {
	e, ok := c.expressions[text]
	if !ok {
		if e.size, e.err = c.sum.Add("^" + text + "$"); e.err == nil {
			e.compiled, e.err = regexp.Compile("^" + text + "$")
		}
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
		if met[text] {
			continue
		}
		met[text] = true
		p := Pattern{Text: text, Key: key, PodTemplate: podTemplate, Literal: pattern.IsLiteral(text), reason: place(key, podTemplate) + " names it"}
		if !p.Literal {
			e := c.compile(text)
			if errors.Is(e.err, pattern.ErrSize) {
				if excessive {
					continue
				}
				excessive = true
			}
			p.Prefix, p.Err, p.expression, p.size, p.budget = pattern.Prefix(text), e.err, e.compiled, e.size, c.Budget
			p.reason += " by the pattern " + strconv.Quote(text)
		}
		all = append(all, p)
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
