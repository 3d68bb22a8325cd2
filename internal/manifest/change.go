package manifest

import "bytes"

// A Change is a run of whole lines of the input, and their replacement.
type Change struct {
	Old, New []byte
	// OldLine and NewLine are the first lines of both, from 1.
	OldLine, NewLine int
	// Mixed: the lines also contain pieces of other items.
	Mixed bool
}

// Changes returns the changes of the input that replaced makes, in order. Results, and the empty items that Write adds
// to a ResourceList, are not included.
func (in *Input) Changes(replaced map[*Chunk][]byte) []Change {
	var found []Change
	c, isChanged := Change{OldLine: 1, NewLine: 1}, false
	end := func() {
		if isChanged {
			found = append(found, c)
		}
		c = Change{OldLine: c.OldLine + bytes.Count(c.Old, []byte("\n")), NewLine: c.NewLine + bytes.Count(c.New, []byte("\n"))}
		isChanged = false
	}
	for i := range in.documents {
		for _, p := range in.documents[i].parts {
			old, now := p.literal, p.literal
			if p.chunk != nil {
				old, now = p.chunk.text(nil), p.chunk.text(replaced)
			}
			if p.added {
				old = nil
			} else if p.removed {
				now = nil
			}
			if endsLine(c.Old) && endsLine(c.New) {
				end()
			}
			if !bytes.Equal(old, now) {
				c.Old, c.New, isChanged = append(c.Old, old...), append(c.New, now...), true
				continue
			}
			first := old[:lineEnd(old, 0)]
			c.keep(first)
			if endsLine(first) {
				end()
				last := bytes.LastIndexByte(old, '\n') + 1
				lines := bytes.Count(old[len(first):last], []byte("\n"))
				c.OldLine, c.NewLine = c.OldLine+lines, c.NewLine+lines
				c.keep(old[last:])
			}
		}
	}
	end()
	return found
}

// keep adds an unchanged piece of a line. Separators do not count as pieces of other items.
func (c *Change) keep(piece []byte) {
	c.Old, c.New = append(c.Old, piece...), append(c.New, piece...)
	c.Mixed = c.Mixed || len(bytes.Trim(piece, " \t\r\n,[]{}-")) > 0
}

func endsLine(text []byte) bool { return bytes.HasSuffix(text, []byte("\n")) }
