package fast

import (
	"math/rand/v2"
	"testing"

	"github.com/confighash/confighash/test/support/property"
)

// mutations is how many mutated documents are read.
func mutations() int { return property.Cases(40_000) }

// snippets are inserted at random places in a document to change its meaning.
var snippets = []string{
	"\n", "\n", "\n\n", " ", "  ", "    ", "\t", ":", ": ", ":\n", "-", "- ", "- - ", "-\n", "#", " #", "# c\n", "\n# c\n",
	"|", "|\n", ": |\n", "|-", "|+", "|2", "|+1\n", ">", ">-\n", ">+", ">\n\n", "'", "''", `"`, `\`, `\n`, `\"`, `\/`, `\u00e9`, `\ud83d`, `\x41`,
	"[", "]", "{", "}", ",", "[]", "{}", "[a, b]", "{a: b}", `{"a":1}`, "{a: }", "[a: b]", "[,]", "[a,]", "[a\n", "{\n", ",\n", "\n]", "\n}",
	"&a ", "*a", "!", "!!str ", "!x ", "? ", "?", "%", "@", "`", "=", "<<", "<<: ", "~", "null", "true", "yes", "0x1F", "1e3", "08", "0o7", "1_000", "0b1",
	"2001-01-01", "1.5", "-1", "+1", ".5", ".inf", "-.inf", "12:30:45", "---", "---\n", "\n---\n", "...", "\n...\n", "--- ", "%YAML 1.1\n",
	"\u00e9", "\u2014", "\U0001f600", "\u0085", "\u2028", "\ufeff", "\ufffe", "\u00a0", "\r", "\r\n", "\x00", "\x7f", "a", "a: b", "a: b\n", "- a\n", "x",
}

// mutate returns text with a few random changes.
func mutate(r *rand.Rand, text []byte) []byte {
	out := append([]byte(nil), text...)
	for range 1 + r.IntN(3)*r.IntN(2) {
		at := r.IntN(len(out) + 1)
		end := at
		switch r.IntN(4) {
		case 0: // nothing is removed
		case 1:
			end = min(at+1+r.IntN(3), len(out))
		case 2:
			end = min(at+r.IntN(40), len(out))
		case 3: // a piece of the document itself is inserted
			from := r.IntN(len(out) + 1)
			to := min(from+r.IntN(60), len(out))
			piece := append([]byte(nil), out[from:to]...)
			out = append(out[:at:at], append(piece, out[at:]...)...)
			continue
		}
		snippet := ""
		if r.IntN(5) > 0 {
			snippet = snippets[r.IntN(len(snippets))]
		}
		out = append(out[:at:at], append([]byte(snippet), out[end:]...)...)
	}
	return out
}

// TestParser_mutations reads documents with random changes, most of which are still some kind of YAML.
func TestParser_mutations(t *testing.T) {
	r := rand.New(rand.NewPCG(property.Seed(), 0))
	texts := append(documents(t), samples...)
	var p Parser
	own := 0
	for range mutations() {
		text := texts[r.IntN(len(texts))]
		if len(text) > 1500 {
			from := r.IntN(len(text) - 1000)
			text = text[from : from+1000]
		}
		if check(t, &p, mutate(r, text)) {
			own++
		}
	}
	t.Logf("%d of %d mutated documents read without yaml.v3", own, mutations())
	if own*10 < mutations() {
		t.Errorf("%d of %d mutated documents read without yaml.v3; too few to show anything", own, mutations())
	}
}

// samples are small documents with many of the parser's features.
var samples = [][]byte{
	[]byte("a: 1\nb:\n  c: x\n  d:\n  - e\n  - f: g\n    h: |\n      i\n\n      j\n  - - k\n    - l\n"),
	[]byte("- a: b\n  c: d\n-\n  e: f\n-\n- - - g\n"),
	[]byte("a: >-\n  b\n  c\n\n   d\n  e\n\nf: |+\n  g\n\n\nh: |2\n    i\n   j\n"),
	[]byte("a: {b: [c, 'd', \"e\"], \"f\":1}\ng: []\nh: {}\ni:\n  {\"j\": [1,\n 2], k: l}\n"),
	[]byte("{\n  \"a\": {\n    \"b\": [\n      1,\n      true,\n      null\n    ],\n    \"c\": \"d\"\n  }\n}\n"),
	[]byte("a:\nb: # c\n- d # e\n#f\n- g\n# h\n\nc: \"i\\n\\u00e9\" # j\nk: 'l''m'\n'n': o\n\"p\": q\n"),
	[]byte("\u00e9: \u00e8 # \u2014\nb: [\u00e9, {\u00e9: \u00e8}]\n"),
	[]byte("|\n a\n"), []byte("a"), []byte("'a': |\n"), []byte("- |\n a\n- >\n\n b\n  c\n"), []byte("a:\n- |-\n  b\n- c\nd: e"),
}
