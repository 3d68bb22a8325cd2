// Package pattern compiles regular expressions of users, and bounds what they take: a few
// bytes can be a program of thousands of steps, which may run for each byte of a name.
package pattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// maxLength bounds the text of an expression, and MaxSize the programs of several
// together: far more than what lists of names, prefixes and suffixes need.
const (
	maxLength = 16 << 10
	MaxSize   = 200_000
)

// A Sum adds up the sizes of expressions.
type Sum int

// Add parses an expression and adds its size, which it returns. It fails if the
// expression does not parse and, with ErrSize, if it is too large.
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

// sizeOf returns about the number of instructions of the program, or more than MaxSize.
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
	// Literal is the only text that matches, "" if others match.
	Literal string
	// Err is why the expression cannot be used: it does not compile, or it is ErrSize.
	// It matches nothing then.
	Err    error
	prefix string // of all texts that match
	// Size is about how many steps it takes, at most, to match a byte of a text.
	Size  int
	regex *regexp.Regexp
}

// Compile compiles expr between before and after, which anchor it, and adds its size to
// sum.
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
	// The anchors may bind to the outer alternatives alone: the others match elsewhere, too.
	if alone, err := regexp.Compile(expr); err == nil && !strings.Contains(expr, "|") {
		e.prefix, _ = alone.LiteralPrefix()
	}
	return e
}

// Match reports whether the expression matches s. It takes the steps from the budget, and
// reports false if that is exhausted.
func (e *Expression) Match(s string, b *Budget) bool {
	switch {
	case e.Err != nil:
		return false
	case e.Literal != "" || e.regex == nil:
		return e.Literal == s || e.Literal == ""
	}
	return strings.HasPrefix(s, e.prefix) && b.Take(e.Size*(1+len(s))) && e.regex.MatchString(s)
}

// A Budget is the number of steps left for matching names, negative once too many have
// been taken. nil bounds nothing.
type Budget int

// NewBudget returns a Budget for a build with that many resources.
func NewBudget(resources int) *Budget {
	return new(Budget(100_000_000 + 20_000*resources))
}

// Take takes steps, and reports false once too many have been taken.
func (b *Budget) Take(steps int) bool {
	if b == nil {
		return true
	}
	if *b >= 0 {
		*b -= Budget(steps)
	}
	return *b >= 0
}
