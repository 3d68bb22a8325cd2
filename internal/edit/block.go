package edit

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// addBlock inserts lines below the line of the key or of the entry before.
func (s *splicer) addBlock(c *change, at int, entries []*yaml.Node) bool {
	first := c.was.Content[0]
	if !s.beginsLine(first) {
		return false
	}
	var end int
	var ok bool
	switch {
	case at > 0:
		_, end, ok = s.entryEnd(c.was.Content[at-2], c.was.Content[at-1])
	case c.key != nil:
		end, ok = s.aboveFirst(c.key, first)
	}
	if !ok {
		return false
	}
	end, ok = restOfLine(s.bytes, end)
	s.insertLines(end, blockLines(nil, first.Column-1, entries))
	return ok
}

func (s *splicer) fillBlock(c *change) bool {
	colon, _ := s.colon(c.key)
	_, end, ok := s.entryValue(c.key, &c.was)
	if !ok || !s.beginsLine(c.key) {
		return false
	}
	lineEnd, ok := restOfLine(s.bytes, end)
	if ok && end > colon+1 {
		s.add(colon+1, end, "")
	}
	s.insertLines(lineEnd, blockLines(nil, c.key.Column-1+2, c.node.Content))
	return ok
}

func blockLines(lines []string, indent int, entries []*yaml.Node) []string {
	for i := 0; i < len(entries); i += 2 {
		line := strings.Repeat(" ", indent) + quote(entries[i].Value, 0, false) + ":"
		switch value := entries[i+1]; {
		case len(value.Content) > 0:
			lines = blockLines(append(lines, line), indent+2, value.Content)
		case value.Tag == "!!str":
			lines = append(lines, line+" "+quote(value.Value, 0, false))
		default:
			lines = append(lines, line+" "+flowStyle{}.text(value))
		}
	}
	return lines
}

func (s *splicer) removeBlock(c *change, removed []int) bool {
	content := c.was.Content
	for _, i := range removed {
		key, value := content[i], content[i+1]
		if i > 0 && isBlockScalar(lastLeaf(content[i-1])) {
			return false // the rest of the line would become part of it
		}
		end, ok := s.removedEnd(key, value)
		if !ok {
			return false
		}
		if end, ok = restOfLine(s.bytes, end); !ok {
			return false
		}
		start := s.start(key)
		line := s.lineStart(start)
		switch {
		case strings.Trim(string(s.bytes[line:start]), " ") != "":
			return false
		case end < len(s.bytes):
			s.add(line, end+breakLen(s.bytes, end), "")
		default: // the line before is the last one and has no line break
			from, text := lineEnd(s.bytes, s.lineStart(line-1)), ""
			for i, p := range s.splices {
				if p.start == line && p.end == line { // the line was just inserted
					from, text = line, strings.TrimRight(p.text, "\r\n")
					s.splices = slices.Delete(s.splices, i, i+1)
					break
				}
			}
			s.add(from, end, text)
		}
	}
	if len(c.node.Content) > 0 {
		return true
	}
	if c.key == nil {
		return false
	}
	at, ok := s.aboveFirst(c.key, content[0])
	if !ok {
		return false
	}
	s.add(at, at, " {}")
	_, ok = restOfLine(s.bytes, at)
	return ok
}

// aboveFirst returns the offset after the colon of key, whose value is a mapping that begins with first. It reports
// false if anything but white space and comments is between: a tag ! does not show in the nodes.
func (s *splicer) aboveFirst(key, first *yaml.Node) (int, bool) {
	colon, ok := s.colon(key)
	return colon + 1, ok && skipSpace(s.bytes, colon+1, true) == s.start(first)
}
