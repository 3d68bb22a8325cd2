// Package property runs tests over random values. The values are the same in every run, so that a change does not fail
// because of an old bug. Two environment variables change that:
//
//	CONFIGHASH_SEED=random     fresh values, or those of a number
//	CONFIGHASH_CASES=10000     the number of cases for a property that takes 100 by
//	                           default, and more or fewer for others in proportion
//
// rapid shrinks values that fail. Its flags work as usual.
package property

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/confighash/confighash/test/support/gen"
)

// usual is rapid's default number of cases.
const usual = 100

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // as in the program: a third less time
	}
	set("rapid.seed", strconv.FormatUint(Seed(), 10))
	set("rapid.checks", strconv.Itoa(cases(usual)))
}

func set(name, value string) {
	if err := flag.Set(name, value); err != nil {
		panic(err)
	}
}

// Seed returns the seed of a test's random numbers.
var Seed = func() func() uint64 {
	seed := uint64(1)
	switch text := os.Getenv("CONFIGHASH_SEED"); text {
	case "":
	case "random":
		seed = uint64(time.Now().UnixNano())
		fmt.Fprintf(os.Stderr, "CONFIGHASH_SEED=%d\n", seed)
	default:
		number, err := strconv.ParseUint(text, 10, 64)
		if err != nil || number == 0 {
			panic("CONFIGHASH_SEED is neither random nor a positive number: " + text)
		}
		seed = number
	}
	return func() uint64 { return seed }
}()

// Cases returns how many cases a test runs that by default runs n: a fifth with -short.
func Cases(n int) int {
	if testing.Short() {
		n = max(1, n/shortens)
	}
	return cases(n)
}

// shortens is the factor by which rapid reduces the number of its checks with -short.
const shortens = 5

// cases is Cases regardless of -short.
func cases(n int) int {
	text := os.Getenv("CONFIGHASH_CASES")
	if text == "" {
		return n
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 {
		panic("CONFIGHASH_CASES is not a positive number: " + text)
	}
	return max(1, n*number/usual)
}

// IsLong reports whether there are enough cases for statistics about what occurs in them.
func IsLong() bool { return Cases(usual) >= 10*usual }

// Check runs rapid.Check.
func Check(t *testing.T, check func(*rapid.T)) {
	t.Helper()
	rapid.Check(t, check)
}

// ForAll runs check on n random values, adjusted by Cases. A value that fails is shrunk as long as the error begins
// with the same words, up to the first colon.
func ForAll[V any](t *testing.T, n int, generate func(*gen.Dice) V, check func(*gen.Dice, V) error) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	defer set(checks.Name, checks.Value.String())
	set(checks.Name, strconv.Itoa(cases(n)))
	values := rapid.Custom(func(t *rapid.T) quiet[V] { return quiet[V]{generate(gen.New(t))} })
	cause := ""
	rapid.Check(t, func(t *rapid.T) {
		err := check(gen.New(t), values.Draw(t, "value").value)
		if err == nil {
			return
		}
		if cause == "" {
			cause = causeOf(err)
		}
		if causeOf(err) != cause {
			t.Skip("another failure")
		}
		t.Fatal(err)
	})
}

// A caused error identifies what it has in common with others of its kind.
type caused interface{ Cause() string }

func causeOf(err error) string {
	var c caused
	if errors.As(err, &c) {
		return c.Cause()
	}
	before, _, _ := strings.Cut(err.Error(), ":")
	return before
}

// quiet keeps rapid from printing a value, which the error already shows.
type quiet[V any] struct{ value V }

// GoString implements fmt.GoStringer.
func (quiet[V]) GoString() string { return "as shown" }
