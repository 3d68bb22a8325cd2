// Package diff shows changes of manifests as a unified diff without any value of a
// Secret.
//
// Of a Secret it shows the lines of its identity, labels and short annotations.
// A hunk ends before any other line of it. If such a line itself changes, as in a
// Secret in flow style, a remark takes its place.
package diff

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/confighash/confighash/internal/manifest"
)

const hiddenLine = "(a line of a Secret that may hold its values is not shown)\n"

// A Diff is a unified diff of input and output to be written.
type Diff struct {
	// Heading says in one line what is on a line of the old side, or "". It may be
	// nil, and must be safe for concurrent use.
	Heading func(line int) string
	// Secrets says that there may be Secrets in what is compared. Then nothing is
	// shown of lines that hold pieces of several items.
	Secrets bool
}

// MayHoldSecrets reports whether any of the manifests in text may be a Secret.
func MayHoldSecrets(text []byte) bool {
	// An escape may spell the word in other characters.
	return bytes.Contains(text, []byte("Secret")) || bytes.ContainsRune(text, '\\')
}

// Write writes changes. It writes nothing if there are none.
func (d Diff) Write(w io.Writer, changes []manifest.Change) error {
	if len(changes) == 0 {
		return nil
	}
	if _, err := io.WriteString(w, "--- input\n+++ output\n"); err != nil {
		return err
	}
	texts := make([][]byte, len(changes))
	manifest.Parallel(len(changes), func(i int) { texts[i] = d.change(&changes[i]) })
	for _, text := range texts {
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// sides are the sides that have a line of a diff: 0 is the old one.
var sides = map[byte][]int{' ': {0, 1}, '-': {0}, '+': {1}}

func (d Diff) change(c *manifest.Change) []byte {
	hidden := [2][]bool{hiddenLines(c.Old), hiddenLines(c.New)}
	if c.Mixed {
		d.Heading = nil // nothing says which of the items changed
		if d.Secrets {
			hidden = [2][]bool{allLines(c.Old), allLines(c.New)}
		}
	}
	var out bytes.Buffer
	var h hunk
	next := func(side int) int { return h.start[side] + h.count[side] }
	begin := func(at [2]int) {
		h.write(&out, c, d.Heading)
		h = hunk{start: at}
	}
	wasHidden := false
	for line := range strings.Lines(Hunks(c.Old, c.New)) {
		switch line[0] {
		case '@':
			begin(startOf(line))
			continue
		case '\\': // "No newline at end of file", about the line before
			if !wasHidden {
				h.lines = append(h.lines, line)
			}
			continue
		}
		of := sides[line[0]]
		wasHidden = slices.ContainsFunc(of, func(s int) bool { return next(s) < len(hidden[s]) && hidden[s][next(s)] })
		switch {
		case wasHidden && len(of) == 2:
			begin([2]int{next(0) + 1, next(1) + 1})
			continue
		case wasHidden:
			line = line[:1] + hiddenLine
		}
		if len(of) == 1 && !h.changed {
			h.changed, h.about = true, next(0)
		}
		h.lines = append(h.lines, line)
		for _, s := range of {
			h.count[s]++
		}
	}
	h.write(&out, c, d.Heading)
	return out.Bytes()
}

// Hunks returns the hunks of a unified diff of two texts, "" if they are the same. It hides
// nothing.
func Hunks(before, after []byte) string {
	_, hunks, _ := strings.Cut(string(diff.Diff("old", before, "new", after)), "+++ new\n")
	return hunks
}

// startOf returns the lines of both sides, from 0, on which a hunk begins.
func startOf(header string) (start [2]int) {
	var count [2]int
	_, _ = fmt.Sscanf(header, "@@ -%d,%d +%d,%d @@", &start[0], &count[0], &start[1], &count[1])
	for s := range start {
		// Of a side without lines, the header has the line before.
		if count[s] > 0 {
			start[s]--
		}
	}
	return start
}

// A hunk is the lines of a diff that are shown together.
type hunk struct {
	start, count [2]int // the lines of both sides, from 0 in the change
	lines        []string
	changed      bool // lines holds more than context
	about        int  // the old side's line of the first change
}

func (h *hunk) write(out *bytes.Buffer, c *manifest.Change, heading func(int) string) {
	if !h.changed {
		return
	}
	span := func(s, line int) string {
		if h.count[s] == 0 {
			return fmt.Sprintf("%d,0", line+h.start[s]-1)
		}
		return fmt.Sprintf("%d,%d", line+h.start[s], h.count[s])
	}
	fmt.Fprintf(out, "@@ -%s +%s @@", span(0, c.OldLine), span(1, c.NewLine))
	if heading != nil {
		if about := heading(c.OldLine + h.about); about != "" {
			out.WriteString(" " + about)
		}
	}
	out.WriteByte('\n')
	for _, line := range h.lines {
		out.WriteString(line)
	}
}
