package reloader

import (
	"errors"
	"regexp"
	"strings"

	"github.com/confighash/confighash/internal/pattern"
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

	// Prefix is what every name begins with that is meant, or some of that.
	Prefix string

	expression *regexp.Regexp // nil of a literal
	size       int
	budget     *pattern.Budget
	reason     string
}

// Match reports whether Reloader takes the name for one that is meant.
func (p Pattern) Match(name string) bool {
	if p.Literal {
		return p.Text == name
	}
	return strings.HasPrefix(name, p.Prefix) && p.budget.Take(p.size*(1+len(name))) && p.expression.MatchString(name)
}

// An expression is a compiled pattern, or why it cannot be compiled.
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

// patterns returns the valid patterns of an annotation, each once. Reloader skips the
// others. An empty one is skipped here, too: it matches no name. excessive is a
// pattern that is too much to be followed, "" if there is none.
func (c *Controller) patterns(key string, podTemplate bool, value string) (all []Pattern, excessive string) {
	met := map[string]bool{}
	for _, text := range items(value) {
		if met[text] {
			continue
		}
		met[text] = true
		p := Pattern{Text: text, Key: key, PodTemplate: podTemplate, Literal: isLiteral(text)}
		if p.Literal {
			p.reason = place(key, podTemplate) + " names it"
		} else {
			e := c.compile(text)
			if e.err != nil {
				if errors.Is(e.err, pattern.ErrSize) && excessive == "" {
					excessive = text
				}
				continue
			}
			p.Prefix, p.expression, p.size, p.budget = pattern.Prefix(text), e.compiled, e.size, c.Budget
			p.reason = place(key, podTemplate) + " names it by the pattern " + quote(text)
		}
		all = append(all, p)
	}
	return all, excessive
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
