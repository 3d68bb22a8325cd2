package view

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/confighash/confighash/internal/report"
	"github.com/confighash/confighash/test/support/golden"
	"github.com/confighash/confighash/test/support/property"
)

// hostileNames are names that a file may contain, although a cluster rejects most of them.
var hostileNames = []string{
	"a|b", "a\\|b", "`code`", "```", "``` `", "line\nbreak", "tab\tbreak", "\r\n\r\n# heading",
	"\x1b[31mred\x1b[0m", "\u009b31m", "\u202egnp.exe", "zero\u200bwidth", "bad\xffutf8", "�",
	"<script>alert(1)</script>", "<!-- -->", "-->", "</details>", "&lt;&amp;", "@team", "@org/team", "#12", "org/repo#12", "!34", "~label", "%12",
	"[link](https://example.com)", "![x](https://example.com/x.png)", "https://example.com", "www.example.com", "a@example.com", "**bold**", "_em_", "~~s~~", "$x$", "$$x$$",
	":tada:", "- list", "1. list", "end", "subgraph", "click", "x\"]; n1 --> n2", "%%{init: {}}%%", "#quot;", "fa:fa-car", "\\N\\G\\l", "\"quoted\"", "'quoted'",
	"日本語", "né", "👩‍💻", "", " ", " padded ", "`", "``", "a`", strings.Repeat("x", 253), strings.Repeat("`", 253), strings.Repeat("<b>", 84),
}

func write(t rapid.TB, v report.View, f report.Format) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Write(&b, v, f, false); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// compareAll compares each format for people with a golden file.
func compareAll(t *testing.T, name string, v report.View) {
	t.Helper()
	for extension, text := range map[string]string{
		".txt":  write(t, v, report.Text),
		".ansi": v.Page().Text(true),
		".md":   write(t, v, report.Markdown),
		".dot":  write(t, v, report.Dot),
	} {
		golden.Compare(t, filepath.Join("testdata", name+extension), text)
	}
}

// checkFormats checks that every format shows names in a view only as names.
func checkFormats(t rapid.TB, command string, v report.View, limit int) {
	t.Helper()
	plain := write(t, v, report.Text)
	checkShown(t, plain)
	if got := sequences.ReplaceAllString(v.Page().Text(true), ""); got != plain {
		t.Fatalf("text without its colours (-want +got):\n%s", cmp.Diff(plain, got))
	}
	page := v.Page().Markdown(v.Diagram(), limit)
	checkShown(t, page)
	checkMarkdown(t, command, page, limit)
	d := v.Diagram()
	checkShown(t, d.Dot())
	checkDot(t, d)
	checkMermaid(t, d)
	checkHTML(t, write(t, v, report.HTML))
}

// pageTags are the tags of the page itself.
var pageTags = regexp.MustCompile(`^(/?(html|head|title|style|body|main|h1|h2|p|label|span|table|thead|tbody|tr|th|td|details|summary|ul|li|strong|code|pre|div|svg|defs|marker|path|rect|g|text|script|input|fieldset|legend|meta)|!doctype)$`)

// checkHTML fails if a page has other tags, loads something, or has more than its one script.
func checkHTML(t rapid.TB, page string) {
	t.Helper()
	checkShown(t, page)
	markup, _, _ := strings.Cut(page, "\n<script>\n")
	for _, tag := range regexp.MustCompile(`<([^\s>]*)[^>]*>`).FindAllStringSubmatch(markup, -1) {
		if !pageTags.MatchString(tag[1]) || strings.Contains(tag[0], " src=") || strings.Contains(tag[0], " href=") || strings.Contains(tag[0], " on") {
			t.Fatalf("%q is not a tag of the page", tag[0])
		}
	}
	if n := strings.Count(page, "<script"); n != 1 {
		t.Fatalf("%d scripts", n)
	}
}

// sequences are the terminal's sequences for emphasis and colours.
var sequences = regexp.MustCompile("\x1b\\[(1|2|31|33|0)m")

// checkShown fails if a character controls a terminal or is invisible.
func checkShown(t rapid.TB, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Fatalf("not UTF-8: %q", text)
	}
	for _, r := range text {
		if !unicode.IsPrint(r) && r != '\n' {
			t.Fatalf("%U in %q", r, text)
		}
	}
}

// frame matches the lines of Markdown that are HTML, and those of a diagram's fence.
var frame = regexp.MustCompile("^(<details>|<details open>|<summary>[-0-9a-zA-Z ,:;]+(\\([0-9]+\\))?</summary>|</details>|```mermaid|```)$")

// leastLimit is room for the title of a page.
const leastLimit = 1_000

// checkMarkdown fails if a page is longer than its limit, has markup other than headings, lists, bold text and code
// spans, or does not close its markup.
func checkMarkdown(t rapid.TB, command, page string, limit int) {
	t.Helper()
	if len(page) > max(limit, leastLimit) {
		t.Fatalf("%d bytes, want at most %d", len(page), limit)
	}
	lines := strings.Split(page, "\n")
	if lines[0] != report.Marker(command, "") {
		t.Fatalf("first line is %q", lines[0])
	}
	var open []string
	diagram, arrows := 0, 0
	for _, line := range lines[1:] {
		if fenced := len(open) > 0 && open[len(open)-1] == "```"; fenced && line != "```" {
			diagram += len(line) + 1
			if strings.Contains(line, "-->") || strings.Contains(line, "-.->") {
				arrows++
			}
			continue // checkMermaid checks the rest
		}
		if frame.MatchString(line) {
			switch line {
			case "<details>", "<details open>":
				open = append(open, "<details>")
			case "```mermaid":
				open = append(open, "```")
			case "</details>", "```":
				if len(open) == 0 || open[len(open)-1] != strings.Replace(line, "/", "", 1) {
					t.Fatalf("%q closes nothing in\n%s", line, page)
				}
				open = open[:len(open)-1]
			}
			continue
		}
		text := withoutCode(t, line)
		if strings.HasPrefix(text, "| ") {
			text = strings.ReplaceAll(text, "|", "")
		}
		text = strings.TrimLeft(strings.TrimLeft(text, "# "), "- ")
		if strings.HasPrefix(text, "**") {
			text = strings.Replace(text, "**", "", 2)
		}
		if i := strings.IndexAny(text, "<>@`*_~#[]&$|\\^!{}"); i >= 0 {
			t.Fatalf("%q is outside of code in %q", text[i], line)
		}
		if strings.Contains(text, "://") || strings.Contains(text, "www.") {
			t.Fatalf("a link in %q", line)
		}
	}
	if arrows > report.MostArrows || diagram > report.LongestMermaid {
		t.Fatalf("the diagram has %d arrows and %d bytes", arrows, diagram)
	}
	if len(open) > 0 {
		t.Fatalf("%q is not closed in\n%s", open, page)
	}
}

// withoutCode removes the code spans from a line, according to CommonMark.
func withoutCode(t rapid.TB, line string) string {
	t.Helper()
	var out strings.Builder
	for {
		at := strings.IndexByte(line, '`')
		if at < 0 {
			return out.String() + line
		}
		out.WriteString(line[:at])
		content, rest := codeSpan(line[at:])
		if content == "" {
			t.Fatalf("a fence without an end in %q", line)
		}
		line = rest
	}
}

// codeSpan reads the code span at the beginning of a line, according to CommonMark, and returns "" if there is none.
func codeSpan(line string) (content, rest string) {
	body := strings.TrimLeft(line, "`")
	fence := len(line) - len(body)
	for i := 0; i < len(body); {
		if body[i] != '`' {
			i++
			continue
		}
		run := len(body[i:]) - len(strings.TrimLeft(body[i:], "`"))
		if run == fence {
			content = body[:i]
			if strings.HasPrefix(content, " ") && strings.HasSuffix(content, " ") && strings.Trim(content, " ") != "" {
				content = content[1 : len(content)-1]
			}
			return content, body[i+run:]
		}
		i += run
	}
	return "", line
}

func TestMarkdown_namesAreReadBackFromTheirCode(t *testing.T) {
	check := func(t rapid.TB, text string) {
		t.Helper()
		want := report.Printable(text)
		if want == "" {
			want = `""`
		}
		page := report.Page{Title: report.Names(text)}
		_, title, _ := strings.Cut(page.Markdown(&report.Diagram{}, report.DefaultLimit), "### confighash: ")
		if got, rest := codeSpan(title); got != want || rest != "\n" {
			t.Errorf("%q is read as %q and %q from %q", text, got, rest, title)
		}
	}
	for _, n := range hostileNames {
		check(t, n)
	}
	text := rapid.OneOf(rapid.String(), rapid.StringMatching("[` a]{0,12}"))
	property.Check(t, func(t *rapid.T) { check(t, text.Draw(t, "text")) })
}

var (
	mermaidNode  = regexp.MustCompile(`^  n[0-9]+\["([^"]*)"\]$`)
	mermaidOther = regexp.MustCompile(`^(flowchart LR|  n[0-9]+ -(?:-|\.-)>(\|"([^"]*)"\|)? n[0-9]+|  classDef [a-z]+ fill:#[0-9a-f]{6},stroke:#[0-9a-f]{6},color:#[0-9a-f]{6}(,stroke-dasharray:5 4)?|  class n[0-9]+(,n[0-9]+)* [a-z]+|)$`)
	entity       = regexp.MustCompile(`#([0-9]+);`)
	direction    = regexp.MustCompile(`direction\s+(TB|BT|RL|LR)`)
	listItem     = regexp.MustCompile(`^\s*([-+*]|[0-9]+[.)])(\s|$)`)
)

// checkMermaid fails if a diagram has a line of an unknown kind, or a label that Mermaid reads as more than its text.
func checkMermaid(t rapid.TB, d *report.Diagram) {
	t.Helper()
	text := d.Mermaid()
	nodes := 0
	for line := range strings.SplitSeq(text, "\n") {
		label := ""
		if m := mermaidNode.FindStringSubmatch(line); m != nil {
			label = m[1]
			var want []string
			for _, l := range d.Boxes[nodes].Lines {
				want = append(want, l.Shortened().String())
			}
			got := strings.Split(label, "<br/>")
			for i := range got {
				got[i] = entity.ReplaceAllStringFunc(got[i], func(s string) string {
					code, err := strconv.Atoi(s[1 : len(s)-1])
					if err != nil {
						t.Fatal(err)
					}
					return string(rune(code))
				})
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("label of node %d (-want +got):\n%s", nodes, diff)
			}
			nodes++
		} else if m := mermaidOther.FindStringSubmatch(line); m != nil {
			label = m[3]
		} else {
			t.Fatalf("a line of no kind: %q", line)
		}
		for part := range strings.SplitSeq(label, "<br/>") {
			raw := entity.ReplaceAllString(part, "")
			if strings.ContainsAny(raw, "#;:<>&%{}[]`$*~|@!=+'^\\ﬂß°¶") || strings.Contains(part, "www.") || direction.MatchString(part) || listItem.MatchString(part) {
				t.Fatalf("%q is more than text", part)
			}
		}
	}
	if nodes != len(d.Boxes) {
		t.Fatalf("%d nodes, want %d", nodes, len(d.Boxes))
	}
}

var dotLine = regexp.MustCompile(`^  (n[0-9]+ \[label=("(?:[^"\\]|\\.)*"), tooltip="(?:[^"\\]|\\.)*", class=[a-z]+, fillcolor="#[0-9a-f]{6}", color="#[0-9a-f]{6}", fontcolor="#[0-9a-f]{6}"(?:, style="rounded,filled,dashed")?\]|n[0-9]+ -> n[0-9]+(?: \[label="(?:[^"\\]|\\.)*"(?:, tooltip="(?:[^"\\]|\\.)*")?(?:, style=dashed)?\])?)$`)

// checkDot fails if a graph has a line of an unknown kind, or a label that Graphviz reads as another text.
func checkDot(t rapid.TB, d *report.Diagram) {
	t.Helper()
	_, text, _ := strings.Cut(d.Dot(), "fontcolor=\"#57606a\"]\n")
	at := len(d.Boxes)
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "}\n"), "\n") {
		if line == "" {
			continue
		}
		m := dotLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("a line of no kind: %q", line)
		}
		if m[2] == "" {
			continue
		}
		at--
		want := make([]string, len(d.Boxes[at].Lines))
		for i, l := range d.Boxes[at].Lines {
			want[i] = l.Shortened().String()
		}
		got := strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", "&amp;", "&").Replace(m[2][1 : len(m[2])-1])
		if diff := cmp.Diff(strings.Join(want, "\n"), got); diff != "" {
			t.Fatalf("label of node %d (-want +got):\n%s", at, diff)
		}
	}
	if at != 0 {
		t.Fatalf("%d nodes are missing", at)
	}
}
