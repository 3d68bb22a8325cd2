// Package diff shows changes of manifests as a unified diff in which no value
// of a Secret stands.
//
// Of a Secret it shows the lines of its identity, labels and short annotations.
// A hunk ends before any other line of it, and where such a line itself changes,
// a Secret in flow style for one, a remark stands in its place.
package diff

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/confighash/confighash/internal/manifest"
)

// hiddenLine stands for a changed line that may hold a Secret's value.
const hiddenLine = "(a line of a Secret that may hold its values is not shown)\n"

// A Diff is a unified diff to be written.
type Diff struct {
	// Old and New are what the two sides are called.
	Old, New string
	// Heading returns what stands on a line of the old side, in one line or "".
	// It may be nil, and must be safe for concurrent use.
	Heading func(line int) string
	// Secrets tells that there may be Secrets in what is compared. Nothing is
	// shown then of lines that hold pieces of several items.
	Secrets bool
}

// MayHoldSecrets reports whether any of the manifests in text may be a Secret.
func MayHoldSecrets(text []byte) bool {
	// Behind an escape the word may stand in other characters.
	return bytes.Contains(text, []byte("Secret")) || bytes.ContainsRune(text, '\\')
}

// Write writes changes. It writes nothing if there are none.
func (d Diff) Write(w io.Writer, changes []manifest.Change) error {
	if len(changes) == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(w, "--- %s\n+++ %s\n", d.Old, d.New); err != nil {
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

// change returns the hunks of one change.
func (d Diff) change(c *manifest.Change) []byte {
	h := hunks{
		heading: d.Heading,
		old:     side{line: c.OldLine, first: c.OldLine, hidden: hiddenLines(c.Old)},
		now:     side{line: c.NewLine, first: c.NewLine, hidden: hiddenLines(c.New)},
	}
	if c.Mixed {
		h.heading = nil // there is no telling which of the items changed
		h.old.hidden.all, h.now.hidden.all = d.Secrets, d.Secrets
	}
	_, text, _ := strings.Cut(string(diff.Diff("old", c.Old, "new", c.New)), "+++ new\n")
	for line := range strings.Lines(text) {
		h.add(line, c)
	}
	h.end()
	return h.out.Bytes()
}

// A side is where one of the two texts is read.
type side struct {
	first  int    // the first line of the change
	line   int    // the line that comes next
	start  int    // the line on which the hunk begins
	count  int    // the lines of the hunk
	hidden hidden // by index from first
}

func (s *side) hides() bool { return s.hidden.has(s.line - s.first) }

// hunks cuts the hunks of a diff where lines are hidden, and counts anew.
type hunks struct {
	heading  func(int) string
	old, now side
	lines    []string
	changed  bool // lines holds more than context
	about    int  // the line on which the first change stands
	skipped  bool // the line before was left out
	out      bytes.Buffer
}

// add takes in a line of a diff of c.
func (h *hunks) add(line string, c *manifest.Change) {
	switch line[0] {
	case '@':
		h.end()
		h.seek(line, c)
	case '\\':
		if !h.skipped {
			h.lines = append(h.lines, line)
		}
	case ' ':
		h.skipped = h.old.hides() || h.now.hides()
		if h.skipped {
			h.old.line++
			h.now.line++
			h.end()
			return
		}
		h.take(line, &h.old, &h.now)
	case '-':
		h.change(line, &h.old)
	case '+':
		h.change(line, &h.now)
	}
}

// change takes in a line that only one side has.
func (h *hunks) change(line string, s *side) {
	h.skipped = s.hides()
	if !h.changed {
		h.changed, h.about = true, h.old.line
	}
	if h.skipped {
		line = line[:1] + hiddenLine
	}
	h.take(line, s)
}

func (h *hunks) take(line string, sides ...*side) {
	h.lines = append(h.lines, line)
	for _, s := range sides {
		s.line++
		s.count++
	}
}

// seek goes to where the header of a hunk says.
func (h *hunks) seek(header string, c *manifest.Change) {
	var old, olds, now, nows int
	_, _ = fmt.Sscanf(header, "@@ -%d,%d +%d,%d @@", &old, &olds, &now, &nows)
	// A side without lines is named by the line before.
	if olds == 0 {
		old++
	}
	if nows == 0 {
		now++
	}
	h.old.line, h.now.line = c.OldLine+old-1, c.NewLine+now-1
	h.begin()
}

func (h *hunks) begin() {
	for _, s := range []*side{&h.old, &h.now} {
		s.start, s.count = s.line, 0
	}
	h.lines, h.changed = h.lines[:0], false
}

// end writes the hunk that was read, and begins another one.
func (h *hunks) end() {
	if h.changed {
		fmt.Fprintf(&h.out, "@@ -%s +%s @@", h.old.span(), h.now.span())
		if h.heading != nil {
			if heading := h.heading(h.about); heading != "" {
				h.out.WriteString(" " + heading)
			}
		}
		h.out.WriteByte('\n')
		for _, line := range h.lines {
			h.out.WriteString(line)
		}
	}
	h.begin()
}

func (s *side) span() string {
	if s.count == 0 {
		return fmt.Sprintf("%d,0", s.start-1)
	}
	return fmt.Sprintf("%d,%d", s.start, s.count)
}
