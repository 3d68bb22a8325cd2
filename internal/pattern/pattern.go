// Package pattern compiles users' regular expressions and bounds their cost: a few bytes can be a program of thousands
// of steps, which may run for each byte of a name.
package pattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// maxLength bounds the text of an expression, and MaxSize the programs of several together: far more than lists of
// names, prefixes and suffixes need.
const (
	maxLength = 16 << 10
	MaxSize   = 200_000
)

// A Sum is the total size of expressions.
type Sum int

// Add parses an expression, adds its size and returns it. It fails if the expression does not parse and, with ErrSize,
// if it is too large.
func (s *Sum) Add(expr string) (size int, err error) {
	if len(expr) > maxLength {
		return 0, ErrSize
	}
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return 0, err
	}
	size = sizeOf(parsed)
	if int(*s)+size > MaxSize {
		return 0, ErrSize
	}
	*s += Sum(size)
	return size, nil
}

// ErrSize is the error of expressions that are too large.
var ErrSize = fmt.Errorf("has more than %d characters, or needs more than %d steps together with the patterns before it; repeat less, or list names", maxLength, MaxSize)

// sizeOf returns approximately how many instructions the program has, or more than MaxSize.
func sizeOf(r *syntax.Regexp) int {
	size := 1 + len(r.Rune)/2
	for _, sub := range r.Sub {
		if size += sizeOf(sub); size > MaxSize {
			return size
		}
	}
	if r.Op == syntax.OpRepeat {
		size *= max(r.Min, r.Max, 1)
	}
	return size
}

// An Expression is a compiled regular expression. The zero value matches anything.
type Expression struct {
	// Literal is the only matching text, "" if there are several.
	Literal string
	// Err is why the expression cannot be used: it does not compile, or it is ErrSize. It then matches nothing.
	Err    error
	prefix string // of all matching texts
	// Size is approximately how many steps it takes, at most, to match a byte of a text.
	Size  int
	regex *regexp.Regexp
}

// Compile compiles expr between the anchors before and after, and adds its size to sum. Errors are in Expression.Err.
func Compile(before, expr, after string, sum *Sum) Expression {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	if strings.Trim(expr, plain) == "" && expr != "" {
		return Expression{Literal: expr}
	}
	size, err := sum.Add(before + expr + after)
	if err != nil {
		return Expression{Err: err}
	}
	regex, err := regexp.Compile(before + expr + after)
	e := Expression{Size: size, regex: regex, Err: err}
	// With alternatives, the anchors may bind only to the outer ones, so there is no common prefix.
	if alone, err := regexp.Compile(expr); err == nil && !strings.Contains(expr, "|") {
		e.prefix, _ = alone.LiteralPrefix()
	}
	return e
}

// Match reports whether the expression matches s. It takes the steps from the budget, and returns false once that is
// exhausted.
func (e *Expression) Match(s string, b *Budget) bool {
	switch {
	case e.Err != nil:
		return false
	case e.Literal != "" || e.regex == nil:
		return e.Literal == s || e.Literal == ""
	}
	return strings.HasPrefix(s, e.prefix) && b.Take(e.Size*(1+len(s))) && e.regex.MatchString(s)
}

// A Budget is the remaining number of steps for matching names, negative once exhausted. A nil Budget is unlimited.
type Budget int

// NewBudget returns a Budget for a build with that many resources.
func NewBudget(resources int) *Budget {
	return new(Budget(100_000_000 + 20_000*resources))
}

// Take takes steps, and returns false once the budget is exhausted.
func (b *Budget) Take(steps int) bool {
	if b == nil {
		return true
	}
	if *b >= 0 {
		*b -= Budget(steps)
	}
	return *b >= 0
}
