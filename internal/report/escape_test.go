package report

import (
	"testing"
)

func mermaidName(text string) string { return Names(text).mermaid() }

func printable(text string) string { return Printable(text) }

func mermaidWords(text string) string { return Words(text).mermaid() }

func TestEscape(t *testing.T) {
	for _, tc := range []struct {
		label            string
		escape           func(string) string
		given, want, why string
	}{
		{"plain", printable, "größe 日本語", "größe 日本語", "visible characters stay"},
		{"control", printable, "a\x1b[31m\nb", `a\x1b[31m\nb`, "it would steer a terminal"},
		{"direction", printable, "\u202eabc", `\u202eabc`, "it would turn the direction of writing"},
		{"fillers", printable, "a\u3164\uffa0\u115f\u1160", `a\u3164\uffa0\u115f\u1160`, "they count as letters, and are blank"},
		{"blank braille", printable, "\u2800\u2801", "\\u2800\u2801", "it counts as a symbol"},
		{"joiners and selectors", printable, "a\u034fb\ufe00\ufe0f\u180b\u180f\U000e0100\U000e01ef", `a\u034fb\ufe00\ufe0f\u180b\u180f\U000e0100\U000e01ef`, "two names would look the same"},
		{"marks", printable, "n\u0303 \u0928\u0940", "n\u0303 \u0928\u0940", "they are seen"},
		{"no UTF-8", printable, "\xff", `\xff`, "nothing shows it"},
		{"lines", func(text string) string { return Printable(text, '\n', '\t') }, "a\tb\n\r", "a\tb\n\\r", "they are kept"},
		{"code", code, "a*b", "`a*b`", "nothing in it is markup"},
		{"code with a fence", code, "a``b", "```a``b```", "no run in it may end it"},
		{"code that begins with a fence", code, "`a", "`` `a ``", "the spaces are taken off"},
		{"no code", code, "", "`\"\"`", "an empty span is none"},
		{"Mermaid", mermaidName, `a"b#c;<br>`, "a#34;b#35;c#59;#60;br#62;", "a quote ends a label"},
		{"Mermaid's keywords", mermaidName, "direction LR", "direction#32;LR", "it is looked for in labels too"},
		{"Mermaid's links", mermaidName, "www.a.b", "www#46;a#46;b", "Markdown makes a link of it"},
		{"Mermaid's words", mermaidWords, "known to the cluster", "known to the cluster", "spaces stay"},
		{"dot", func(s string) string { return dot(s) }, `a"b\N&lt;`, `"a\"b\\N&amp;lt;"`, "\\N is the name of the node"},
		{"dot in lines", func(s string) string { return dot(s, s) }, "a\n", `"a\\n\na\\n"`, "only our own line breaks break lines"},
		{"short", func(s string) string { return shortened(s, 8) }, "12345678", "12345678", "it fits"},
		{"long", func(s string) string { return shortened(s, 8) }, "123456789", "123…6789", "both ends tell most"},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if got := tc.escape(tc.given); got != tc.want {
				t.Errorf("%q becomes %q, want %q: %s", tc.given, got, tc.want, tc.why)
			}
		})
	}
}
