package manifest

import "bytes"

// A Change is a run of whole lines of the input, and what takes their place.
type Change struct {
	Old, New []byte
	// OldLine and NewLine are the lines, from 1, on which they begin.
	OldLine, NewLine int
	// Mixed tells that pieces of other items stand on the lines.
	Mixed bool
}

// Changes returns what replaced changes of the input, in order. Results, and
// the empty items that Write gives a ResourceList without any, are no changes.
func (in *Input) Changes(replaced map[*Chunk][]byte) []Change {
	c := changes{oldLine: 1, newLine: 1}
	for i := range in.documents {
		for _, p := range in.documents[i].parts {
			if p.chunk == nil {
				c.keep(p.literal)
				continue
			}
			old := p.chunk.text(nil)
			if now, ok := replaced[p.chunk]; ok && !bytes.Equal(old, now) {
				c.change(old, p.chunk.text(replaced))
			} else {
				c.keep(old)
			}
		}
	}
	c.close()
	return c.found
}

// changes gathers Changes.
type changes struct {
	found            []Change
	open             *Change // one whose last line may not be complete
	line             []byte  // what is kept of the line that is being read
	oldLine, newLine int
}

// keep takes in text that stays.
func (c *changes) keep(text []byte) {
	if c.open != nil {
		rest := 0
		if !endLine(c.open.Old) || !endLine(c.open.New) {
			rest = lineEnd(text, 0)
			c.extend(text[:rest], text[:rest])
			c.open.Mixed = c.open.Mixed || holdsMore(text[:rest])
			if !endLine(text[:rest]) {
				return
			}
		}
		c.close()
		text = text[rest:]
	}
	lines := bytes.Count(text, []byte("\n"))
	c.oldLine, c.newLine = c.oldLine+lines, c.newLine+lines
	if lines > 0 {
		c.line = nil
	}
	c.line = append(c.line, text[bytes.LastIndexByte(text, '\n')+1:]...)
}

// change takes in text that is replaced.
func (c *changes) change(old, now []byte) {
	if c.open != nil && endLine(c.open.Old) && endLine(c.open.New) {
		c.close()
	}
	if c.open == nil {
		c.open = &Change{Old: c.line[:len(c.line):len(c.line)], New: c.line[:len(c.line):len(c.line)], OldLine: c.oldLine, NewLine: c.newLine, Mixed: holdsMore(c.line)}
		c.line = nil
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

// holdsMore reports whether text, a piece of a line, holds more than what stands
// between items.
func holdsMore(text []byte) bool { return len(bytes.Trim(text, " \t\r\n,[]{}-")) > 0 }

// endLine reports whether text ends where a line does.
func endLine(text []byte) bool { return bytes.HasSuffix(text, []byte("\n")) }
