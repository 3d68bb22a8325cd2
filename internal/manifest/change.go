package manifest

import "bytes"

// A Change is a run of whole lines of the input, and what replaces them.
type Change struct {
	Old, New []byte
	// OldLine and NewLine are the lines, from 1, on which they begin.
	OldLine, NewLine int
	// Mixed reports that pieces of other items are on the lines.
	Mixed bool
}

// Changes returns what replaced changes of the input, in order. Results, and the empty
// items that Write adds to a ResourceList, are not changes.
func (in *Input) Changes(replaced map[*Chunk][]byte) []Change {
	c := changes{oldLine: 1, newLine: 1}
	for i := range in.documents {
		for _, p := range in.documents[i].parts {
			old, now := p.literal, p.literal
			if p.chunk != nil {
				old, now = p.chunk.text(nil), p.chunk.text(replaced)
			}
			if bytes.Equal(old, now) {
				c.keep(old)
			} else {
				c.change(old, now)
			}
		}
	}
	c.close()
	return c.found
}

// changes collects Changes.
type changes struct {
	found            []Change
	open             *Change // whose last line may not be complete
	kept             []byte  // the text since the beginning of the line
	oldLine, newLine int     // of open, or of kept
}

// keep continues with text that stays.
func (c *changes) keep(text []byte) {
	if c.open != nil && !c.open.endsLines() {
		line := text[:lineEnd(text, 0)]
		c.extend(line, line)
		c.open.Mixed = c.open.Mixed || holdsMore(line)
		if !endsLine(line) {
			return
		}
		text = text[len(line):]
	}
	c.close()
	if lines := bytes.Count(text, []byte("\n")); lines > 0 {
		c.oldLine, c.newLine, c.kept = c.oldLine+lines, c.newLine+lines, nil
	}
	c.kept = append(c.kept, text[bytes.LastIndexByte(text, '\n')+1:]...)
}

// change continues with text that is replaced.
func (c *changes) change(old, now []byte) {
	if c.open != nil && c.open.endsLines() {
		c.close()
	}
	if c.open == nil {
		c.open = &Change{OldLine: c.oldLine, NewLine: c.newLine, Mixed: holdsMore(c.kept)}
		c.extend(c.kept, c.kept)
		c.kept = nil
	}
	c.extend(old, now)
}

func (c *changes) extend(old, now []byte) {
	c.open.Old, c.open.New = append(c.open.Old, old...), append(c.open.New, now...)
}

// close ends the Change that is open.
func (c *changes) close() {
	if c.open == nil {
		return
	}
	c.oldLine += bytes.Count(c.open.Old, []byte("\n"))
	c.newLine += bytes.Count(c.open.New, []byte("\n"))
	c.found = append(c.found, *c.open)
	c.open = nil
}

func (c *Change) endsLines() bool { return endsLine(c.Old) && endsLine(c.New) }

// holdsMore reports whether text, a piece of a line, has more than what separates items.
func holdsMore(text []byte) bool { return len(bytes.Trim(text, " \t\r\n,[]{}-")) > 0 }

// endsLine reports whether text ends with a line break.
func endsLine(text []byte) bool { return bytes.HasSuffix(text, []byte("\n")) }
