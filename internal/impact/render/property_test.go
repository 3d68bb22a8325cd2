package render

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/confighash/confighash/internal/escape"
	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/report"
)

var (
	changes = []impact.Change{impact.Added, impact.Changed, impact.Removed, impact.Renamed, impact.Reordered}
	whys    = []impact.Why{impact.StillNamed, impact.StillRunning, impact.RunningJobs, impact.Rollout}
)

// anyReport draws a report of which no name is as it should be.
func anyReport(t *rapid.T) *impact.Report {
	var valid []string
	for _, n := range hostileNames {
		if utf8.ValidString(n) {
			valid = append(valid, n)
		}
	}
	text := rapid.OneOf(rapid.SampledFrom(valid), rapid.String(), rapid.StringMatching(`[a-z]([-a-z0-9]{0,8}[a-z0-9])?`))
	refs := rapid.Custom(func(t *rapid.T) impact.Ref {
		return impact.Ref{APIVersion: text.Draw(t, "apiVersion"), Kind: text.Draw(t, "kind"), Namespace: text.Draw(t, "namespace"), Name: text.Draw(t, "name")}
	})
	change := rapid.SampledFrom(changes)
	keys := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) impact.Key {
		return impact.Key{Name: text.Draw(t, "key"), Change: change.Draw(t, "change"), Consumed: rapid.Bool().Draw(t, "consumed")}
	}), 0, 12)
	fields := rapid.OneOf(text, rapid.Map(text, func(s string) string { return "spec.template.spec.containers[" + s + "].image" }))
	cause := rapid.Custom(func(t *rapid.T) impact.Cause {
		c := impact.Cause{Change: change.Draw(t, "change")}
		if rapid.Bool().Draw(t, "field") {
			c.Field, c.From, c.To = fields.Draw(t, "path"), text.Draw(t, "from"), text.Draw(t, "to")
			return c
		}
		c.Object, c.FormerName = ptr(refs.Draw(t, "object")), text.Draw(t, "former")
		c.Keys, c.Via = keys.Draw(t, "keys"), rapid.SliceOfN(text, 0, 3).Draw(t, "via")
		return c
	})
	workload := rapid.Custom(func(t *rapid.T) impact.Workload {
		w := impact.Workload{
			Ref: refs.Draw(t, "workload"), Effect: rapid.SampledFrom(impact.Effects()).Draw(t, "effect"),
			Reason: text.Draw(t, "reason"), Strategy: text.Draw(t, "strategy"), Fix: text.Draw(t, "fix"),
			Accepted: rapid.Bool().Draw(t, "accepted"), TemplateChanges: rapid.Bool().Draw(t, "changes"),
			Causes: rapid.SliceOfN(cause, 0, 5).Draw(t, "causes"),
		}
		if rapid.Bool().Draw(t, "scaled") {
			w.Replicas = ptr(rapid.Int64().Draw(t, "replicas"))
		}
		return w
	})
	object := rapid.Custom(func(t *rapid.T) impact.Object {
		return impact.Object{
			Ref: refs.Draw(t, "object"), FormerName: text.Draw(t, "former"), Change: change.Draw(t, "change"), Keys: keys.Draw(t, "keys"),
			Consumers: rapid.SliceOfN(refs, 0, 2).Draw(t, "consumers"), Readers: rapid.SliceOfN(refs, 0, 12).Draw(t, "readers"),
			Refused: text.Draw(t, "refused"), Fix: text.Draw(t, "fix"), Evidence: rapid.SliceOfN(text, 0, 12).Draw(t, "evidence"),
		}
	})
	need := rapid.Custom(func(t *rapid.T) impact.Need {
		return impact.Need{Ref: refs.Draw(t, "needer"), Why: rapid.SampledFrom(whys).Draw(t, "why")}
	})
	gone := rapid.Custom(func(t *rapid.T) impact.Disappearing {
		return impact.Disappearing{Ref: refs.Draw(t, "gone"), Successor: text.Draw(t, "successor"), NeededBy: rapid.SliceOfN(need, 0, 12).Draw(t, "needs")}
	})
	refusal := rapid.Custom(func(t *rapid.T) impact.Refusal {
		return impact.Refusal{Ref: refs.Draw(t, "refused"), Field: fields.Draw(t, "field"), Reason: text.Draw(t, "reason"), Fix: text.Draw(t, "fix")}
	})
	return &impact.Report{
		APIVersion: impact.APIVersion, Kind: impact.Kind,
		Workloads:    rapid.SliceOfN(workload, 0, 25).Draw(t, "workloads"),
		Objects:      rapid.SliceOfN(object, 0, 4).Draw(t, "objects"),
		Disappearing: rapid.SliceOfN(gone, 0, 4).Draw(t, "disappearing"),
		Refused:      rapid.SliceOfN(refusal, 0, 4).Draw(t, "refusals"),
	}
}

// TestWrite_anyReport holds every format against what it must never do, whatever
// names a report has.
func TestWrite_anyReport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyReport(t)
		limit := rapid.SampledFrom([]int{0, LeastLimit, 2_000, 5_000, 20_000}).Draw(t, "limit")

		plain := write(t, r, Text, Options{})
		checkShown(t, plain)
		if got := sequences.ReplaceAllString(write(t, r, Text, Options{Colours: true}), ""); got != plain {
			t.Fatalf("text without its colours (-want +got):\n%s", cmp.Diff(plain, got))
		}

		page := write(t, r, Markdown, Options{Limit: limit})
		checkShown(t, page)
		if most := max(limit, LeastLimit); limit != 0 && len(page) > most || len(page) > DefaultLimit {
			t.Fatalf("%d bytes of Markdown, limit %d", len(page), limit)
		}
		checkMarkdown(t, page)

		checkShown(t, drawn(r).Dot())
		checkDot(t, drawn(r))
		checkMermaid(t, drawn(r))

		var back impact.Report
		decoder := json.NewDecoder(strings.NewReader(write(t, r, JSON, Options{})))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, &back, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("JSON (-want +got):\n%s", diff)
		}
	})
}

// sequences are what sets text off on a terminal.
var sequences = regexp.MustCompile("\x1b\\[(1|2|31|33|0)m")

// checkShown fails where there is a character that steers a terminal or is not
// seen.
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

// frame are the lines of Markdown that are made of HTML, and those of a diagram's
// fence.
var frame = regexp.MustCompile("^(<details>|<summary>[0-9]+ [a-z]+</summary>|</details>|```mermaid|```)$")

// checkMarkdown fails where anything but a heading, a list, bold text and code
// spans may be read from a page, or where it is not closed.
func checkMarkdown(t rapid.TB, page string) {
	t.Helper()
	lines := strings.Split(page, "\n")
	if lines[0] != Marker {
		t.Fatalf("first line is %q", lines[0])
	}
	var open []string
	for _, line := range lines[1:] {
		if fenced := len(open) > 0 && open[len(open)-1] == "```"; fenced && line != "```" {
			continue // checkMermaid sees to them
		}
		if frame.MatchString(line) {
			switch line {
			case "<details>":
				open = append(open, line)
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
		text = strings.TrimLeft(strings.TrimLeft(text, "# "), "- ")
		if strings.HasPrefix(text, "**") {
			text = strings.Replace(text, "**", "", 2)
		}
		if i := strings.IndexAny(text, "<>@`*_~#[]&$|\\^!{}"); i >= 0 {
			t.Fatalf("%q stands outside of code in %q", text[i], line)
		}
		if strings.Contains(text, "://") || strings.Contains(text, "www.") {
			t.Fatalf("a link in %q", line)
		}
	}
	if len(open) > 0 {
		t.Fatalf("%q is not closed in\n%s", open, page)
	}
}

// withoutCode takes the code spans out of a line, as CommonMark finds them.
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

// codeSpan reads the code span that a line begins with, as CommonMark does, and
// returns "" for none.
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

// TestCode_isReadBack reads code spans as CommonMark does.
func TestCode_isReadBack(t *testing.T) {
	check := func(t rapid.TB, text string) {
		t.Helper()
		want := escape.Printable(text)
		if want == "" {
			want = `""`
		}
		if got, rest := codeSpan(escape.Code(text)); got != want || rest != "" {
			t.Errorf("%q is read as %q and %q from %q", text, got, rest, escape.Code(text))
		}
	}
	for _, n := range hostileNames {
		check(t, n)
	}
	text := rapid.OneOf(rapid.String(), rapid.StringMatching("[` a]{0,12}"))
	rapid.Check(t, func(t *rapid.T) { check(t, text.Draw(t, "text")) })
}

var (
	mermaidNode  = regexp.MustCompile(`^  n[0-9]+\["([^"]*)"\]$`)
	mermaidOther = regexp.MustCompile(`^(flowchart LR|  n[0-9]+ -->(\|"([^"]*)"\|)? n[0-9]+|  classDef [a-z]+ fill:#[0-9a-f]{6},stroke:#[0-9a-f]{6},color:#[0-9a-f]{6}|  class n[0-9]+(,n[0-9]+)* [a-z]+|)$`)
	entity       = regexp.MustCompile(`#([0-9]+);`)
	direction    = regexp.MustCompile(`direction\s+(TB|BT|RL|LR)`)
	listItem     = regexp.MustCompile(`^\s*([-+*]|[0-9]+[.)])(\s|$)`)
)

// checkMermaid fails where a diagram has a line that no diagram of this package
// has, or a label that is read as more than its text.
func checkMermaid(t rapid.TB, g *report.Diagram) {
	t.Helper()
	text := g.Mermaid()
	nodes := 0
	for line := range strings.SplitSeq(text, "\n") {
		label := ""
		if m := mermaidNode.FindStringSubmatch(line); m != nil {
			label = m[1]
			var want []string
			for _, l := range g.Boxes[nodes].Lines {
				want = append(want, l.String())
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
	if nodes != len(g.Boxes) {
		t.Fatalf("%d nodes, want %d", nodes, len(g.Boxes))
	}
}

var dotLine = regexp.MustCompile(`^  (n[0-9]+ \[label=("(?:[^"\\]|\\.)*"), tooltip="(?:[^"\\]|\\.)*", class=[a-z]+, fillcolor="#[0-9a-f]{6}", color="#[0-9a-f]{6}", fontcolor="#[0-9a-f]{6}"\]|n[0-9]+ -> n[0-9]+( \[label="(?:[^"\\]|\\.)*"\])?)$`)

// checkDot fails where a graph has a line that no graph of this package has, or a
// label that is read as other text.
func checkDot(t rapid.TB, g *report.Diagram) {
	t.Helper()
	_, text, _ := strings.Cut(g.Dot(), "fontcolor=\"#57606a\"]\n")
	at := len(g.Boxes)
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
		want := make([]string, len(g.Boxes[at].Lines))
		for i, l := range g.Boxes[at].Lines {
			want[i] = l.String()
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
