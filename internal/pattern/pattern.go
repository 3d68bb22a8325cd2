// Package pattern compiles regular expressions of users, and bounds what they take: a few
// bytes can be a program of thousands of steps, which may run for each byte of a name.
package pattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
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
	// Prefix is the beginning of all texts that match.
	Prefix string
	// Size is about how many steps it takes, at most, to match a byte of a text.
	Size  int
	regex *regexp.Regexp
}

// Compile compiles expr between before and after, which anchor it, and adds its size to
// sum. It fails as Sum.Add does.
func Compile(before, expr, after string, sum *Sum) (Expression, error) {
	if isLiteral(expr) {
		return Expression{Literal: expr, Prefix: expr}, nil
	}
	size, err := sum.Add(before + expr + after)
	if err != nil {
		return Expression{}, err
	}
	regex, err := regexp.Compile(before + expr + after)
	return Expression{Prefix: prefix(expr), Size: size, regex: regex}, err
}

// Match reports whether the expression matches s. It takes the steps from the budget, and
// reports false if that is exhausted.
func (e *Expression) Match(s string, b *Budget) bool {
	if e.Literal != "" || e.regex == nil {
		return e.Literal == s || e.Literal == ""
	}
	return strings.HasPrefix(s, e.Prefix) && b.Take(e.Size*(1+len(s))) && e.regex.MatchString(s)
}

// prefix returns the beginning of all texts that an expression matches from the start,
// or a part of it.
func prefix(expr string) string {
	if strings.IndexByte(expr, '|') >= 0 {
		return "" // an alternative may begin otherwise
	}
	end := strings.IndexFunc(expr, func(c rune) bool { return c >= utf8.RuneSelf || !isPlain(byte(c)) }) //nolint:gosec // below RuneSelf it fits
	switch {
	case end < 0:
		return expr
	case end > 0 && strings.IndexByte("*?{", expr[end]) >= 0:
		end-- // the last character may be missing
	}
	return expr[:end]
}

func isPlain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// isLiteral reports whether each character of an expression matches only itself.
func isLiteral(expr string) bool {
	for i := range len(expr) {
		if !isPlain(expr[i]) {
			return false
		}
	}
	return expr != ""
}

// A Budget bounds the steps for matching names. nil bounds nothing.
type Budget struct {
	left      int
	exhausted bool
}

// NewBudget returns a Budget for a build with that many resources.
func NewBudget(resources int) *Budget { return &Budget{left: 100_000_000 + 20_000*resources} }

// Take takes steps, and reports false once too many have been taken.
func (b *Budget) Take(steps int) bool {
	if b == nil {
		return true
	}
	if b.left -= steps; b.left < 0 {
		b.exhausted = true
	}
	return !b.exhausted
}

// Exhausted reports whether Take has reported false.
func (b *Budget) Exhausted() bool { return b != nil && b.exhausted }
