// Package diff shows changes of manifests as a unified diff without any value of a Secret.
//
// For a Secret it shows the lines of its identity, labels and short annotations. A remark replaces its other lines.
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

const hiddenLine = "(a line of a Secret that may hold its values is not shown)"

// A Diff writes the changes from input to output as a unified diff.
type Diff struct {
	// Heading describes in one line what is on a line of the old side, or returns "". It may be nil, and must be safe
	// for concurrent use.
	Heading func(line int) string
	// Secrets says that the texts may contain Secrets. Lines that hold pieces of several items are then not shown.
	Secrets bool
}

// MayHoldSecrets reports whether any of the manifests in text may be a Secret.
func MayHoldSecrets(text []byte) bool {
	// A backslash escape may hide the word.
	return bytes.Contains(text, []byte("Secret")) || bytes.ContainsRune(text, '\\')
}

// Write writes changes. Without changes it writes nothing. Its error is the writer's.
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

func (d Diff) change(c *manifest.Change) []byte {
	all := c.Mixed && d.Secrets
	var out bytes.Buffer
	for _, hunk := range strings.Split("\n"+Hunks(cover(c.Old, all), cover(c.New, all)), "\n@@ ")[1:] {
		var oldLine, oldCount, newLine, newCount int // for a change that begins on line 1
		_, _ = fmt.Sscanf(hunk, "-%d,%d +%d,%d @@", &oldLine, &oldCount, &newLine, &newCount)
		oldLine, newLine = oldLine+c.OldLine-1, newLine+c.NewLine-1
		fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@", oldLine, oldCount, newLine, newCount)
		lines := strings.Split(strings.TrimSuffix(hunk, "\n"), "\n")[1:]
		if d.Heading != nil && !c.Mixed { // otherwise it is not known which of the items changed
			about := oldLine + slices.IndexFunc(lines, func(line string) bool { return line[0] != ' ' })
			if oldCount == 0 { // the header then has the line before
				about++
			}
			if of := d.Heading(about); of != "" {
				out.WriteString(" " + of)
			}
		}
		out.WriteByte('\n')
		for _, line := range lines {
			if strings.HasPrefix(line[1:], covered) {
				line = line[:1] + hiddenLine
			}
			out.WriteString(line + "\n")
		}
	}
	return out.Bytes()
}

// Hunks returns the hunks of a unified diff of two texts, "" if they are equal. It hides nothing.
func Hunks(before, after []byte) string {
	_, hunks, _ := strings.Cut(string(diff.Diff("old", before, "new", after)), "+++ new\n")
	return hunks
}
