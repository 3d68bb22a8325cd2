// Package gen makes the random choices of test data generators, and has texts that are hard to represent in YAML.
package gen

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"pgregory.net/rapid"
)

// Dice make random choices. All choices are equally likely, and the first is the simplest: rapid shrinks toward it.
type Dice struct {
	draw   func(n int) int
	serial int
}

// New returns dice whose choices rapid records and shrinks.
func New(t *rapid.T) *Dice {
	return &Dice{draw: func(n int) int { return index(n).Draw(t, "choice") }}
}

// index draws a number below n. It is uniform, unlike rapid's own ranges, which prefer small numbers: a choice of one
// in a hundred must be exactly that.
func index(n int) *rapid.Generator[int] {
	width, coin := bits.Len(uint(n-1)), rapid.Bool()
	return rapid.Custom(func(t *rapid.T) int {
		for {
			drawn := 0
			for range width {
				drawn <<= 1
				if coin.Draw(t, "") {
					drawn++
				}
			}
			if drawn < n {
				return drawn
			}
		}
	})
}

// Seeded returns dice for values that are generated several times and must be the same each time.
func Seeded(seed uint64) *Dice {
	return &Dice{draw: rand.New(rand.NewPCG(seed, 0x636f6e666967)).IntN}
}

// IntN returns a number below n, which must be positive.
func (d *Dice) IntN(n int) int {
	if n == 1 {
		return 0
	}
	return d.draw(n)
}

// Chance is true in the given percentage of cases.
func (d *Dice) Chance(percent int) bool { return d.IntN(100) >= 100-percent }

// Between returns a number from low to high, inclusive.
func (d *Dice) Between(low, high int) int { return low + d.IntN(high-low+1) }

// Seed returns a seed for Seeded.
func (d *Dice) Seed() uint64 { return uint64(d.IntN(1 << 24)) }

// Fresh returns a name that begins with stem and was not returned before.
func (d *Dice) Fresh(stem string) string {
	d.serial++
	return fmt.Sprintf("%s-%d", stem, d.serial)
}

// Shuffle swaps n elements into a random order.
func (d *Dice) Shuffle(n int, swap func(i, j int)) {
	for i := range n - 1 {
		if j := i + d.IntN(n-i); i != j {
			swap(i, j)
		}
	}
}

// Perm returns the numbers below n in a random order.
func (d *Dice) Perm(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	d.Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// Pick returns one of several.
func Pick[T any](d *Dice, several []T) T { return several[d.IntN(len(several))] }

// AwkwardTexts are values that some YAML version, a shell or a careless edit changes.
var AwkwardTexts = []string{
	"", " ", "\n", "\n\n", "~", "null", "Null", "NULL", "yes", "No", "on", "off", "y", "n", "true", "TRUE", "False",
	"1e3", "1E3", "0x1F", "0o14", "0b1", "014", "1_000", "+1", "-0", "1.", ".5", "1.0", ".inf", "-.INF", ".nan", "12:30:45",
	"2001-01-01", "2001-01-01T00:00:00Z", "=", "<<", "-", "?", ":", "!", "&a", "*a", "%d", "@x", "`x`", "|", ">", ">-",
	"a: b", "a:b", "#no", "a #b", "- x", "{a: b}", "[a]", "{", "]", ",", "!tag", "'", "\"", "'a'", "\"a\"", "a'b\"c", `back\slash`,
	" lead", "trail ", "trail\t", "\ttab", "tab\tin", "line\n", "line\n\n", "\nline", "  indented\n text\n", "a\n  b\nc", "a \nb\n", "a\n \nb",
	"---", "---\n", "...\n", "a\n---\nb\n", "crlf\r\nline\r\n", "\r", "bell\a", "nul\x00", "esc\x1b[0m",
	"größe", "日本語", "emoji 🎉", "e\u0301", "\u00a0", "\u2028", "\ufeffbom", "rtl \u202e", "\U0010ffff",
	"$(VAR) ${VAR} {{ .Values.x }}", "http://example.com/?a=b&c=<d>", "kind: ConfigMap\nmetadata:\n  name: other\n",
	"# comment\nkey = value\n\n[section]\nother=1\n", `{"json": true, "n": [1, 2.0, null]}`,
	"a long line that some emitter may want to fold because it is wider than eighty columns, and then some more words",
	"folded line one that is long enough to be wrapped by an emitter\nand a second one, just as long, so that both are wide\n",
}

// LostTexts are values that kustomize cannot carry: it refuses to print the first, and prints the second so that it is
// read as a space.
var LostTexts = []string{"del\x7f", "\u0085"}

// BinaryTexts are values that are not UTF-8; the last takes several lines of the base64 that kustomize writes.
var BinaryTexts = []string{
	"\xff", "\xfe\xff\x00a", "caf\xe9", "\x80 trailing \n", "\xff" + string(make([]byte, 120)),
}
