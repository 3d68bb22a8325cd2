package reloader

import (
	"regexp"
	"strings"
)

// A Pattern is one of the names that a workload lists, which Reloader reads as
// regular expressions.
type Pattern struct {
	// Text is the pattern as it stands, less the blanks around it.
	Text string
	// Literal tells that Text can match no other name than Text.
	Literal bool
	// Key is the annotation with the pattern, PodTemplate tells that it
	// stands on the pod template.
	Key         string
	PodTemplate bool

	expression *regexp.Regexp // nil of a literal
	reason     string
}

// Match reports whether Reloader takes the name for one that is meant.
func (p Pattern) Match(name string) bool {
	if p.Literal {
		return p.Text == name
	}
	return p.expression.MatchString(name)
}

// matchesAny reports whether the pattern means an object by any of its names.
func (p Pattern) matchesAny(names []string) bool {
	for _, name := range names {
		if p.Match(name) {
			return true
		}
	}
	return false
}

// An expression is a compiled pattern, or why it cannot be compiled.
type expression struct {
	compiled *regexp.Regexp
	err      error
}

// compile compiles a pattern as Reloader does: the anchors are put around it
// without a group, so that they bind to the outer alternatives of a pattern.
func (c *Controller) compile(text string) expression {
	e, ok := c.expressions[text]
	if !ok {
		e.compiled, e.err = regexp.Compile("^" + text + "$")
		c.expressions[text] = e
	}
	return e
}

// patterns returns the valid patterns of an annotation. Reloader skips the
// others. An empty one is skipped here, too: it matches no name.
func (c *Controller) patterns(key string, podTemplate bool, value string) []Pattern {
	var all []Pattern
	for _, text := range items(value) {
		p := Pattern{Text: text, Key: key, PodTemplate: podTemplate, Literal: isLiteral(text)}
		if p.Literal {
			p.reason = place(key, podTemplate) + " names it"
		} else {
			e := c.compile(text)
			if e.err != nil {
				continue
			}
			p.expression = e.compiled
			p.reason = place(key, podTemplate) + " names it by the pattern " + quote(text)
		}
		all = append(all, p)
	}
	return all
}

// isLiteral reports whether a pattern is made of what stands for itself only.
func isLiteral(text string) bool {
	for i := range len(text) {
		if b := text[i]; b != '-' && (b < '0' || b > '9') && (b < 'a' || b > 'z') {
			return false
		}
	}
	return true
}

// items splits the value of an annotation at its commas, and leaves out the
// blanks around the items and the items that are empty.
func items(value string) []string {
	var all []string
	for item := range strings.SplitSeq(value, ",") {
		if item = strings.TrimSpace(item); item != "" {
			all = append(all, item)
		}
	}
	return all
}
