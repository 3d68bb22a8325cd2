package hostile_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/confighash/confighash/test/support/harness"
	"github.com/confighash/confighash/test/support/property"
)

// A processRow is an unusual way to run the process, and the outcome.
type processRow struct {
	name string
	// script is run by sh, in a folder with the file in.yaml, with the function as confighash.
	script  string
	outcome outcome
}

// doing returns an outcome with the result for in.yaml.
func doing(words string) outcome {
	return outcome{words: words, holds: []string{strings.NewReplacer("name: app\ndata", "name: app-4h2mbtbbt6\n  annotations:\n    confighash.dev/hash: 4h2mbtbbt6\ndata", "name: app\n", "name: app-4h2mbtbbt6\n").Replace(processInput)}}
}

const processInput = hostileApp + "---\n" + hostileWeb

var processRows = []processRow{
	{"stdin is closed", "confighash --mode Rename <&-", passes("There is nothing to read")},
	{"stdin is a folder", "confighash --mode Rename <.", refuses("reading stdin: …: is a directory")},
	{"stdin ends in the middle of a document in block style", "head -c 150 in.yaml | confighash --mode Rename", outcome{words: "What has come is read, as YAML may end at any line there; `set -o pipefail` lets a script hear of the program before", holds: []string{"\n  name: app\n", "spec:\n"}}},
	{"stdin is slow", "{ head -c 50 in.yaml; sleep 0.2; tail -c +51 in.yaml; } | confighash --mode Rename", doing("Renamed")},
	{"stdout is a full disk", "confighash --mode Rename <in.yaml >/dev/full", refuses("writing the output: …: no space left on device")},
	{"stdout is a full disk, for a ResourceList with an error", "echo '{apiVersion: config.kubernetes.io/v1, kind: ResourceList, items: []}' | confighash >/dev/full", refuses("functionConfig: is missing; …error: writing the output: …: no space left on device")},
	{"stdout is a pipe that nobody reads", "{ confighash --mode Rename <large.yaml; echo $? >code; } | head -c 1 >/dev/null; exit $(cat code)", refuses("writing the output: …: broken pipe")},
	{"stdout is closed", "confighash --mode Rename <in.yaml >&-", passes("The output goes nowhere, as into /dev/null")},
	{"stderr is closed, and there is an error", "echo text | confighash --mode Rename 2>&-", outcome{words: "Exit code 1, and nothing else", exit: 1, mute: true}},
	{"stderr is a full disk, and there is an error", "echo text | confighash --mode Rename 2>/dev/full", outcome{words: "Exit code 1, and nothing else", exit: 1, mute: true}},
	{"`--help` into a full disk", "confighash --help >/dev/full", refuses("…no space left on device")},
	{"`--version` into a full disk", "confighash --version >/dev/full", refuses("…no space left on device")},
	{"No environment at all: no HOME, no TMPDIR, no PATH", `env -i "$(command -v confighash)" --mode Rename <in.yaml`, doing("Renamed")},
	{"HOME and TMPDIR are folders that do not exist", "HOME=/nowhere TMPDIR=/nowhere confighash --mode Rename <in.yaml", doing("Renamed; the function writes no file")},
	{"Another locale and time zone", "LC_ALL=tr_TR.UTF-8 LANG=tr_TR.UTF-8 TZ=Pacific/Kiritimati confighash --mode Rename <in.yaml", doing("Renamed, to the same bytes")},
	{"16 open files at most", "ulimit -n 16; confighash --mode Rename <in.yaml", doing("Renamed")},
	{"One processor", "GOMAXPROCS=1 confighash --mode Rename <in.yaml", doing("Renamed, to the same bytes")},
	{"`GOMEMLIMIT=1MiB`", "GOMEMLIMIT=1MiB confighash --mode Rename <in.yaml", doing("Renamed: the limit is Go's soft one")},
	{"SIGTERM while it reads", "exec 2>/dev/null; mkfifo slow; sleep 5 >slow & confighash --mode Rename <slow & sleep 0.3; kill $!; wait $!; exit $(($? == 143 ? 0 : 9))", passes("It ends by the signal, and nothing goes out")},
	{"`--config` of a folder", "confighash --config . <in.yaml", refuses("--config: …: is a directory")},
	{"`--config` of a file that does not exist", "confighash --config nowhere.yaml <in.yaml", refuses("--config: open nowhere.yaml: no such file or directory")},
	{"`--config` of an empty file", "confighash --config /dev/null <in.yaml", refuses("--config /dev/null: functionConfig: is missing; …")},
	{"`--config` of a FIFO", "mkfifo config; echo '{apiVersion: confighash.dev/v1alpha1, kind: ConfigHash, metadata: {name: a}, spec: {mode: Rename}}' >config & confighash --config config <in.yaml", doing("Renamed")},
	{"`--config` that is not YAML", "echo '{' >broken.yaml; confighash --config broken.yaml <in.yaml", refuses("--config broken.yaml: …")},
	{"`CONFIGHASH_SALT` with line breaks and bytes that are not UTF-8", `CONFIGHASH_SALT="$(printf 'a\nb\377')" confighash --mode Rename <in.yaml`, outcome{words: "Renamed: any bytes are a salt", holds: []string{"name: app-"}}},
	{"`CONFIGHASH_SALT` that is empty", "CONFIGHASH_SALT= confighash --mode Rename <in.yaml", doing("Renamed, as without a salt")},
	{"`HELM_NAMESPACE` that is none", "HELM_NAMESPACE=a/b confighash --mode Rename <in.yaml", refuses(`HELM_NAMESPACE "a/b" is not a namespace: …`)},
}

// TestHostile_everyProcessEndsAsInTheTable runs every processRow.
func TestHostile_everyProcessEndsAsInTheTable(t *testing.T) {
	onlyOn(t, "linux")
	for _, row := range processRows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.check(t)
		})
	}
}

func (r processRow) check(t *testing.T) {
	dir := t.TempDir()
	given := harness.Files{"in.yaml": processInput, "large.yaml": hostileApp + "---\n" + hostileWeb + strings.Repeat("# a line\n", 100_000)}
	if err := given.Write(dir); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", "-c", "PATH=${0%/*}:$PATH\n"+r.script, harness.Binary)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	got := ended{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	if got.exit != r.outcome.exit {
		t.Fatalf("exit code %d, want %d; stderr: %s", got.exit, r.outcome.exit, clip(got.stderr))
	}
	if !r.outcome.mute {
		got.checkSentences(t, r.outcome.exit)
	}
	if pattern := saying(r.outcome.says, false); !pattern.MatchString(got.stderr) {
		t.Errorf("stderr is\n%s\nand does not match\n%s", clip(got.stderr), pattern)
	}
	if r.outcome.holds == nil && got.stdout != "" {
		t.Errorf("stdout holds %s", clip(got.stdout))
	}
	for _, part := range r.outcome.holds {
		if !strings.Contains(got.stdout, part) {
			t.Errorf("stdout lacks %q:\n%s", part, clip(got.stdout))
		}
	}
}

// hugeMegabytes is the size of the ConfigMap in the huge row, and hugePeak the limit for its peak memory, in MiB: twice
// what it needs.
const (
	hugeMegabytes = 100
	hugePeak      = 4096
)

// TestHostile_hugeConfigMapPassesThrough pipes a ConfigMap of 100 MiB through the function, without holding it in the
// test's memory.
func TestHostile_hugeConfigMapPassesThrough(t *testing.T) {
	if !property.IsLong() {
		t.Skip("it takes seconds and gigabytes: make test-long")
	}
	for _, mode := range []string{"Rename", "Annotate"} {
		t.Run(mode, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			line := "    " + strings.Repeat("x", 59) + "\n"
			const head = hostileHead + "data:\n  a: |\n"
			in := io.MultiReader(strings.NewReader(head), &repeated{text: line, left: hugeMegabytes << 14}, strings.NewReader("---\n"+hostileWeb))
			seen := &tail{sum: sha256.New()}
			var stderr bytes.Buffer
			cmd := exec.CommandContext(ctx, harness.Binary, "--mode", mode)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = in, seen, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			stop, peak := make(chan struct{}), make(chan int)
			go func() { peak <- watch(cmd.Process.Pid, stop) }()
			err := cmd.Wait()
			close(stop)
			if most := <-peak; most > hugePeak {
				t.Errorf("it took %d MiB of memory, more than %d", most, hugePeak)
			}
			if err != nil {
				t.Fatalf("%v: %s", err, &stderr)
			}
			suffix := regexp.MustCompile(`-[2456789bcdfghkmt]{10}\n$`).FindString(seen.last)
			want := head
			if mode == "Rename" {
				if suffix == "" {
					t.Fatalf("the reference is not renamed: %s", seen.last)
				}
				want = strings.Replace(head, "name: app\n", "name: app"+suffix+"  annotations:\n    confighash.dev/hash: "+suffix[1:], 1)
			}
			sum := sha256.New()
			_, _ = io.WriteString(sum, want)
			_, _ = io.Copy(sum, &repeated{text: line, left: hugeMegabytes << 14})
			end := "---\n" + seen.last[max(0, strings.LastIndex(seen.last, "---\n")+4):]
			_, _ = io.WriteString(sum, end)
			if !bytes.Equal(sum.Sum(nil), seen.sum.Sum(nil)) {
				t.Error("bytes of the ConfigMap changed")
			}
			if restored(end) != "---\n"+hostileWeb || restored(end) == end {
				t.Errorf("the Deployment is %s", end)
			}
		})
	}
}

// A repeated is a reader of a repeated text.
type repeated struct {
	text string
	left int
	rest string
}

func (r *repeated) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if r.rest == "" {
			if r.left == 0 {
				break
			}
			r.left--
			r.rest = r.text
		}
		copied := copy(p[n:], r.rest)
		r.rest = r.rest[copied:]
		n += copied
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// A tail keeps the hash and the end of what is written to it.
type tail struct {
	sum  hash.Hash
	last string
}

func (w *tail) Write(p []byte) (int, error) {
	_, _ = w.sum.Write(p)
	const kept = 4096
	w.last += string(p[max(0, len(p)-kept):])
	w.last = w.last[max(0, len(w.last)-kept):]
	return len(p), nil
}
