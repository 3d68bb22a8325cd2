package hostile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/confighash/confighash/test/support/golden"
	"github.com/confighash/confighash/test/support/harness"
	"github.com/confighash/confighash/test/support/property"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// A hostileRow is an input that violates a function's expectations, and the outcome. It is also a row of the table in
// docs/internals/reliability.md.
type hostileRow struct {
	name  string
	input input
	// rename is the outcome under Rename, and annotate under Annotate if it differs.
	rename, annotate outcome
	bounds           bounds
}

// An input makes the texts of a row: the same in one or more shapes.
type input func() []shaped

// A shaped is a text for stdin, in which MODE stands for the mode.
type shaped struct {
	name, text string
	isList     bool // a ResourceList, with its own functionConfig
}

// An outcome is the required outcome of a run.
type outcome struct {
	words string   // for the table
	exit  int      // the exit code
	says  string   // text on stderr, … for anything; nothing at all if empty
	holds []string // parts of stdout
	// encoded: an item with edits is encoded again, so its bytes are not compared with the input's; same: no byte
	// changes.
	encoded, same bool
	mute          bool // stdin is not recognized as a ResourceList, so none is written
}

// bounds limit a run to several times what it needs.
type bounds struct {
	seconds   int // 0: 30
	megabytes int // 0: 512
}

// documents returns manifests as a stream and as the items of a ResourceList.
func documents(manifests ...string) input {
	return madeWhenRun(func() []string { return manifests })
}

// madeWhenRun is documents for manifests that are made when the row runs.
func madeWhenRun(manifests func() []string) input {
	return func() []shaped {
		made := manifests()
		return []shaped{
			{name: "stream", text: strings.Join(made, "---\n")},
			{name: "ResourceList", text: resourceListOf(made), isList: true},
		}
	}
}

// streamOf returns a text that is only meaningful in a stream.
func streamOf(text string) input {
	return func() []shaped { return []shaped{{name: "stream", text: text}} }
}

// streamMade is streamOf for a text that is made when the row runs.
func streamMade(text func() string) input {
	return func() []shaped { return []shaped{{name: "stream", text: text()}} }
}

func listOf(text string) input {
	return func() []shaped { return []shaped{{name: "ResourceList", text: text, isList: true}} }
}

// resourceListHead is a ResourceList up to its items.
const resourceListHead = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig: {apiVersion: confighash.dev/v1alpha1, kind: ConfigHash, metadata: {name: roll}, spec: {mode: MODE}}
`

// resourceListOf makes manifests the items of a ResourceList.
func resourceListOf(manifests []string) string {
	var b strings.Builder
	b.WriteString(resourceListHead + "items:\n")
	for _, manifest := range manifests {
		lead := "- "
		for line := range strings.Lines(manifest) {
			if strings.TrimRight(line, "\r\n") == "" {
				b.WriteString(line)
				continue
			}
			b.WriteString(lead + line)
			lead = "  "
		}
	}
	return b.String()
}

// does is for an input that is transformed, with all other bytes unchanged.
func does(words string, holds ...string) outcome { return outcome{words: words, holds: holds} }

// encodes is for an input whose changed items are encoded again.
func encodes(words string, holds ...string) outcome {
	return outcome{words: words, holds: holds, encoded: true}
}

// passes is for an input without anything to transform.
func passes(words string) outcome {
	return outcome{words: strings.TrimSuffix("Passes as it came. "+words, ". "), same: true}
}

// refuses is for an input that causes an error.
func refuses(sentence string) outcome {
	return outcome{words: "Error: `" + sentence + "`", exit: 1, says: "error: " + sentence}
}

// refusesUnread is refuses for an input that is not recognized as a ResourceList.
func refusesUnread(sentence string) outcome {
	o := refuses(sentence)
	o.mute = true
	return o
}

// warns is for an input that is transformed with a warning.
func warns(sentence string, holds ...string) outcome {
	return outcome{words: "Warning: `" + sentence + "`", says: "warning: " + sentence, holds: holds}
}

// warnsOnly is warns if there is nothing to transform.
func warnsOnly(sentence string) outcome {
	o := warns(sentence)
	o.same = true
	return o
}

// TestHostile_everyRowEndsAsInTheTable runs every row in both modes.
func TestHostile_everyRowEndsAsInTheTable(t *testing.T) {
	seen := map[string]bool{}
	for _, section := range hostileSections {
		for _, row := range section.rows {
			if seen[row.name] {
				t.Errorf("two rows are called %q", row.name)
			}
			seen[row.name] = true
			t.Run(section.title+"/"+row.name, func(t *testing.T) {
				t.Parallel()
				row.run(t)
			})
		}
	}
}

func (r hostileRow) run(t *testing.T) {
	if r.bounds != (bounds{}) && !property.IsLong() {
		t.Skip("it takes seconds: make test-long")
	}
	for _, in := range r.input() {
		for _, mode := range []string{"Rename", "Annotate"} {
			want := r.rename
			if mode == "Annotate" && r.annotate.words != "" {
				want = r.annotate
			}
			t.Run(in.name+"/"+mode, func(t *testing.T) {
				made := in
				made.text = strings.ReplaceAll(in.text, "MODE", mode)
				want.check(t, made, mode, r.bounds)
			})
		}
	}
}

// check runs the function on a text and checks the outcome.
func (o outcome) check(t *testing.T, in shaped, mode string, within bounds) {
	var args []string
	if !in.isList {
		args = []string{"--mode", mode}
	}
	got := runHostile(t, []byte(in.text), within, args...)
	got.checkSentences(t, o.exit)
	if got.exit != o.exit {
		t.Fatalf("exit code %d, want %d; stderr: %s", got.exit, o.exit, clip(got.stderr))
	}
	if pattern := saying(o.says, in.isList); !pattern.MatchString(got.stderr) {
		t.Errorf("stderr is\n%s\nand does not match\n%s", clip(got.stderr), pattern)
	}
	for _, part := range o.holds {
		if !strings.Contains(got.stdout, part) {
			t.Errorf("stdout lacks %q:\n%s", part, clip(got.stdout))
		}
	}
	if o.exit != 0 {
		o.checkFailed(t, in, got.stdout)
		return
	}
	switch stdout := withoutResults(in, got.stdout); {
	case o.same:
		equal(t, "the input", in.text, stdout)
	case stdout == in.text:
		t.Error("nothing was done")
	case !o.encoded:
		equal(t, "the input, but for suffixes and annotations,", in.text, restored(stdout))
	}
	again := runHostile(t, []byte(got.stdout), within, args...)
	if again.exit != 0 {
		t.Fatalf("the output as input: exit code %d: %s", again.exit, clip(again.stderr))
	}
	equal(t, "the output, run again,", got.stdout, again.stdout)
}

// checkFailed checks the output after an error: a ResourceList with results, nothing for a stream.
func (o outcome) checkFailed(t *testing.T, in shaped, stdout string) {
	if !in.isList || o.mute {
		if stdout != "" {
			t.Errorf("stdout holds %s", clip(stdout))
		}
		return
	}
	var list struct {
		Results []struct{ Message, Severity string } `json:"results"`
	}
	unchanged := withoutResults(in, stdout)
	results := strings.TrimPrefix(stdout, unchanged)
	if !strings.HasSuffix(in.text, "\n") {
		// Results after a line without a break would be part of it.
		unchanged = in.text
		results = strings.TrimSuffix(stdout, unchanged)
	}
	equal(t, "the ResourceList, but for its results,", in.text, unchanged)
	if err := yaml.Unmarshal([]byte(results), &list); err != nil || len(list.Results) == 0 {
		t.Errorf("no results in\n%s: %v", clip(stdout), err)
	}
	for _, result := range list.Results {
		if result.Severity != "error" || result.Message == "" {
			t.Errorf("a result is %+v", result)
		}
	}
}

// withoutResults returns a ResourceList without its results, which this function writes last.
func withoutResults(in shaped, stdout string) string {
	if at := strings.LastIndex(stdout, "\nresults:\n"); in.isList && at >= 0 && !strings.Contains(in.text, "\nresults:\n") {
		return stdout[:at+1]
	}
	return stdout
}

// added matches what the function adds to items, in block style and in flow style.
var added = regexp.MustCompile(`-[2456789bcdfghkmt]{10}\b` +
	`|(?m:^ *(metadata:\r?\n +)?(annotations:\r?\n +)?(confighash\.dev/hash|checksum/config): "?[0-9a-z]+"?\r?\n)` +
	`|, "?annotations"?: \{"?confighash\.dev/hash"?: "?[0-9a-z]+"?\}` +
	`|"?(metadata"?: \{"?annotations"?: \{)?"?checksum/config"?: "?[0-9a-z]+"?(\}\})?(, )?`)

// restored removes what the function adds from its output.
func restored(stdout string) string { return added.ReplaceAllString(stdout, "") }

// lineNumber matches line numbers in a message.
var lineNumber = regexp.MustCompile(`(lines?) \d+( and \d+)?`)

// saying returns a pattern for a sentence on stderr. Line numbers in a ResourceList differ from those in the stream for
// which the sentence is written.
func saying(sentence string, isList bool) *regexp.Regexp {
	if sentence == "" { // except for why nothing was done
		return regexp.MustCompile(`^(info: nothing is renamed or stamped: [^\n]*\n)?$`)
	}
	pattern := regexp.QuoteMeta(sentence)
	if isList {
		pattern = strings.Replace(pattern, "error: ", `error: (\w+ "[^"]*": )?`, 1)
		pattern = lineNumber.ReplaceAllString(pattern, `$1 \d+( and \d+)?`)
	}
	return regexp.MustCompile(`(?m)^` + strings.ReplaceAll(pattern, "…", "(?s:.*?)"))
}

func equal(t *testing.T, what, want, got string) {
	t.Helper()
	if want == got {
		return
	}
	if len(want) > 1<<16 || len(got) > 1<<16 {
		at := 0
		for at < min(len(want), len(got)) && want[at] == got[at] {
			at++
		}
		from := max(0, at-100)
		t.Errorf("%s is not what came: %d and %d bytes, which differ at %d: want …%s, got …%s",
			what, len(want), len(got), at, clip(want[from:]), clip(got[from:]))
		return
	}
	t.Errorf("%s is not the same (-want +got):\n%s", what, cmp.Diff(want, got))
}

func clip(s string) string {
	const most = 1200
	if len(s) <= most {
		return s
	}
	return s[:most] + fmt.Sprintf("… (%d bytes)", len(s))
}

// An ended is a run that has ended.
type ended struct {
	exit           int
	stdout, stderr string
}

// checkSentences checks that an error is reported in whole sentences, and that nothing panicked.
func (e ended) checkSentences(t *testing.T, exit int) {
	t.Helper()
	if strings.Contains(e.stderr, "goroutine ") || strings.Contains(e.stderr, "panic") || strings.Contains(e.stderr, "runtime error") {
		t.Fatalf("it panicked: %s", clip(e.stderr))
	}
	if exit == 0 {
		return
	}
	if !strings.HasPrefix(e.stderr, "error: ") || !strings.HasSuffix(e.stderr, "\n") {
		t.Errorf("stderr has no error: %s", clip(e.stderr))
	}
	if limit := 64 << 10; len(e.stderr) > limit {
		t.Errorf("stderr has %d bytes, want at most %d", len(e.stderr), limit)
	}
}

// runHostile runs the function on stdin, within bounds.
func runHostile(t *testing.T, stdin []byte, within bounds, args ...string) ended {
	t.Helper()
	seconds, megabytes := within.seconds, within.megabytes
	if seconds == 0 {
		seconds = 30
	}
	if megabytes == 0 {
		megabytes = 512
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(seconds)*time.Second)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, harness.Binary, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop, peak := make(chan struct{}), make(chan int)
	go func() { peak <- watch(cmd.Process.Pid, stop) }()
	err := cmd.Wait()
	close(stop)
	if most := <-peak; most > megabytes {
		t.Errorf("it took %d MiB of memory, more than %d", most, megabytes)
	}
	if ctx.Err() != nil {
		t.Fatalf("it did not end within %d s", seconds)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ended{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// watch returns the peak memory of a process, in MiB, until stop is closed; 0 if the system does not report it. The
// value from wait is useless: a process inherits the peak of the one that started it.
func watch(pid int, stop <-chan struct{}) int {
	most := 0
	status := fmt.Sprintf("/proc/%d/status", pid)
	for {
		if data, err := os.ReadFile(status); err == nil {
			if _, rest, ok := strings.Cut(string(data), "VmHWM:"); ok {
				var kilobytes int
				_, _ = fmt.Sscan(rest, &kilobytes)
				most = max(most, kilobytes>>10)
			}
		}
		select {
		case <-stop:
			return most
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// TestHostile_pageHasTheRows compares the tables of docs/internals/reliability.md with the rows.
func TestHostile_pageHasTheRows(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "internals", "reliability.md")
	was, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := between(t, string(was), "limits", limitsTable(t))
	page = between(t, page, "rows", hostileTables())
	golden.Compare(t, file, page)
}

// between returns the page with text inserted between the comments of that name.
func between(t *testing.T, page, name, text string) string {
	t.Helper()
	from, to := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	head, rest, found := strings.Cut(page, from)
	_, tail, foundEnd := strings.Cut(rest, to)
	if !found || !foundEnd {
		t.Fatalf("the page has no %q and %q", from, to)
	}
	return head + from + text + to + tail
}

// limits are the function's limits, each with the row that exceeds it.
var limits = []struct{ what, most, row string }{
	{"Nesting of YAML and JSON, the parser's", "10,000 levels", "Sequences 10,001 deep in flow style"},
	{"Lists in Lists", "16 levels", "Lists 17 deep"},
	{"Items of a document that aliases stand for", "10,000", "Items of a List that are aliases of Lists of aliases"},
	{"Nodes of an item that aliases and merge keys stand for, on the way to references", "100,000", "A billion laughs in the containers of a workload"},
	{"A name with its suffix", "253 characters, so 242 without", "A name of 243 characters"},
	{"Errors that are listed", "100", "1,000 items with a mistake each"},
}

// limitsTable returns the limits as Markdown.
func limitsTable(t *testing.T) string {
	t.Helper()
	words := map[string]string{}
	for _, section := range hostileSections {
		for _, row := range section.rows {
			words[row.name] = row.rename.words
		}
	}
	var b strings.Builder
	b.WriteString("| Of | At most | Beyond it |\n| --- | --- | --- |\n")
	for _, limit := range limits {
		if words[limit.row] == "" {
			t.Errorf("no row is called %q", limit.row)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", limit.what, limit.most, words[limit.row])
	}
	return b.String()
}

// hostileTables returns the rows as Markdown.
func hostileTables() string {
	var b strings.Builder
	for _, section := range hostileSections {
		writeTable(&b, section.title, len(section.rows), func(i int) (string, string) {
			row := section.rows[i]
			words := row.rename.words
			if row.annotate.words != "" {
				words += ". " + row.annotate.words
				if row.rename.exit != row.annotate.exit || row.rename.same != row.annotate.same || strings.HasPrefix(row.annotate.words, "Warning") {
					words = "Rename: " + row.rename.words + ". Annotate: " + row.annotate.words
				}
			}
			return row.name, words
		})
	}
	writeTable(&b, "The process", len(processRows), func(i int) (string, string) {
		return processRows[i].name, processRows[i].outcome.words
	})
	return b.String()
}

func writeTable(b *strings.Builder, title string, rows int, row func(int) (name, words string)) {
	fmt.Fprintf(b, "\n### %s\n\n| Input | Outcome |\n| --- | --- |\n", title)
	for i := range rows {
		name, words := row(i)
		fmt.Fprintf(b, "| %s | %s |\n", strings.ReplaceAll(name, "|", `\|`), strings.ReplaceAll(words, "|", `\|`))
	}
	b.WriteString("\n")
}

// onlyOn skips a test on other systems.
func onlyOn(t *testing.T, system string) {
	t.Helper()
	if runtime.GOOS != system {
		t.Skipf("this is about %s", system)
	}
}
