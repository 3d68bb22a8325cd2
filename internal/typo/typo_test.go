package typo_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/confighash/confighash/internal/typo"
	"github.com/confighash/confighash/test/support/property"
)

func TestMeant(t *testing.T) {
	commands := []string{"diff", "gc", "graph", "impact", "lint", "names", "references", "schema", "strip", "version"}
	for word, want := range map[string]string{
		"impakt": "impact", "imapct": "impact", "Impact": "impact", "lnt": "lint", "wersion": "version", "ref": "references", "namse": "names",
		"dif": "diff", "grahp": "graph", "gd": "", "apply": "", "": "", "x": "", "deploy": "", "limp": "",
	} {
		if got := strings.Join(typo.Meant(word, commands), " "); got != want {
			t.Errorf("Meant(%q) = %q, want %q", word, got, want)
		}
	}
	if got := typo.DidYouMean("modes", []string{"mode", "model", "policy"}); got != "; did you mean mode or model?" {
		t.Errorf("got %q", got)
	}
}

// A single typo is always corrected, and a known word stays itself.
func TestMeant_findsOneSlip(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		known := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{4,12}`), 1, 10, rapid.ID[string]).Draw(t, "known")
		word := rapid.SampledFrom(known).Draw(t, "word")
		if got := typo.Meant(word, known); !slices.Equal(got, []string{word}) {
			t.Fatalf("of %q itself: %q", word, got)
		}
		at := rapid.IntRange(0, len(word)-2).Draw(t, "at")
		letter := rapid.StringMatching(`[a-z]`).Draw(t, "letter")
		slip := rapid.SampledFrom([]string{
			word[:at] + word[at+1:],
			word[:at] + letter + word[at:],
			word[:at] + letter + word[at+1:],
			word[:at] + word[at+1:at+2] + word[at:at+1] + word[at+2:],
		}).Draw(t, "slip")
		if got := typo.Meant(slip, known); !slices.Contains(got, word) && !slices.Contains(known, slip) {
			t.Fatalf("%q for %q leads to %q", slip, word, got)
		}
	})
}
