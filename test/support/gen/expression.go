package gen

import (
	"strings"

	"pgregory.net/rapid"
)

// A Pair is a random regular expression, valid or not, and a text that it matches more often than by chance.
type Pair struct{ Expr, Text string }

// Pairs generates pairs.
func Pairs() *rapid.Generator[Pair] {
	whole := []string{"", "", "app", "ConfigMap|Secret", "v1", ".*", "[a-z]+-[0-9]", "(?i)APP", "^app$", "a|b|", `\Qa.b\E`, `\Qa`, `a|\Qb`, "(?m)^a$", "(?s).+", "a{2}", `\bapp`, "ä+"}
	pieces := []string{"a", "b", "|", ".", "*", "+", "?", "(", ")", "(?:", "(?i)", "(?m)", "[ab]", "[^a]", "[", "]", "{1,2}", "{1001}", "^", "$", `\A`, `\z`, `\Q`, `\E`, `\`, `\b`, `\n`, " ", "\n", "ä", "\xff", `\p{Lu}`, `\C`}
	texts := []string{"", "a", "A", "b", "ab", "aa", "app", "app2", "my-app", "a-1", "Secret", "ConfigMap", "v1", "a.b", "axb", "\n", "a\nb", "ab\n", "ä", "\xff", "(", "|", "^a$", "a)|(b"}
	return rapid.Custom(func(t *rapid.T) Pair {
		var p Pair
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			p.Expr = rapid.SampledFrom(whole).Draw(t, "expression")
		case 1:
			p.Expr = rapid.SampledFrom(texts).Draw(t, "expression")
		default:
			p.Expr = strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 6).Draw(t, "pieces"), "")
		}
		p.Text = rapid.OneOf(
			rapid.SampledFrom(texts),
			rapid.Just(p.Expr),
			rapid.Map(rapid.SliceOfN(rapid.SampledFrom(texts), 2, 2), func(s []string) string { return strings.Join(s, "") }),
		).Draw(t, "text")
		return p
	})
}
