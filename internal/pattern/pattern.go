// Package pattern measures regular expressions before they are compiled: a few
// bytes can stand for a program of thousands of steps, and to match it takes as many
// for each byte of a name.
package pattern

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// maxLength bounds the text of an expression, and MaxSize what several of them stand
// for together: far more than what lists of names, prefixes and suffixes need.
const (
	maxLength = 16 << 10
	MaxSize   = 200_000
)

// A Sum adds up what expressions stand for. The zero Sum is that of none.
type Sum int

// Add parses an expression and adds its size, which it returns. It fails where the
// expression does not parse, and, with ErrSize, where it is too much.
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

// ErrSize is the error of expressions that are too much.
var ErrSize = fmt.Errorf("has more than %d characters, or stands with the patterns before it for more than %d steps; repeat less, or list names", maxLength, MaxSize)

// sizeOf returns about as many as the instructions of the program are, or more than
// MaxSize.
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

// Prefix returns what every text begins with that an expression matches from the
// start, or some of that.
func Prefix(expr string) string {
	if strings.IndexByte(expr, '|') >= 0 {
		return "" // an alternative may begin otherwise
	}
	end := strings.IndexFunc(expr, func(c rune) bool { return c >= utf8.RuneSelf || !isPlain(byte(c)) }) //nolint:gosec // below RuneSelf it fits
	switch {
	case end < 0:
		return expr
	case end > 0 && strings.IndexByte("*?{", expr[end]) >= 0:
		end-- // what stands before may be missing
	}
	return expr[:end]
}

func isPlain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// IsLiteral reports whether an expression is made of what stands for itself only.
func IsLiteral(expr string) bool {
	for i := range len(expr) {
		if !isPlain(expr[i]) {
			return false
		}
	}
	return expr != ""
}

// A Budget bounds what it takes to match names: for each, as many steps as the size of
// the expression, at most, for each byte. nil bounds nothing.
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
