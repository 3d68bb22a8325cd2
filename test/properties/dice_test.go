package properties_test

import (
	"fmt"
	"math/rand/v2"
)

// dice make the random choices of a generator; the same seed makes the same.
type dice struct {
	*rand.Rand
	serial int
}

func newDice(seed uint64) *dice {
	return &dice{Rand: rand.New(rand.NewPCG(seed, 0x636f6e666967))}
}

// chance is true in percent of a hundred cases.
func (d *dice) chance(percent int) bool { return d.IntN(100) < percent }

// between returns a number from low to high, both included.
func (d *dice) between(low, high int) int { return low + d.IntN(high-low+1) }

// fresh returns a name that begins with stem and that it has not returned yet.
func (d *dice) fresh(stem string) string {
	d.serial++
	return fmt.Sprintf("%s-%d", stem, d.serial)
}

// pick returns one of several.
func pick[T any](d *dice, several []T) T { return several[d.IntN(len(several))] }

// awkwardTexts are values that one YAML or another, a shell or a careless
// edit reads as something else.
var awkwardTexts = []string{
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

// lostTexts are values that kustomize cannot carry: it refuses to print the
// first, and prints the second so that it is read as a space.
var lostTexts = []string{"del\x7f", "\u0085"}

// binaryTexts are values that are not UTF-8; the last takes several lines of
// the base64 that kustomize writes.
var binaryTexts = []string{
	"\xff", "\xfe\xff\x00a", "caf\xe9", "\x80 trailing \n", "\xff" + string(make([]byte, 120)),
}
