package edit

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// addBlock puts lines under the line of the key or of the entry before.
func (m *mappings) addBlock(at site, place int, entries []*entry) bool {
	first := at.mapping.Content[0]
	if !m.beginsLine(first) {
		return false
	}
	var end int
	var ok bool
	switch {
	case place > 0:
		key, value := at.mapping.Content[2*place-2], at.mapping.Content[2*place-1]
		if _, end, ok = m.entryEnd(key, value); !m.beginsLine(key) {
			return false
		}
	case at.key != nil:
		end, ok = m.aboveFirst(at.key, first)
	}
	if !ok {
		return false
	}
	if end, ok = restOfLine(m.bytes, end); !ok {
		return false
	}
	m.insertLines(end, blockLines(nil, first.Column-1, entries))
	return true
}

func (m *mappings) fillBlock(at site, entries []*entry) bool {
	colon, _ := m.colon(at.fill)
	_, end, ok := m.entryValue(at.fill, at.null)
	if !ok || !m.beginsLine(at.fill) {
		return false
	}
	lineEnd, ok := restOfLine(m.bytes, end)
	if ok && end > colon+1 {
		m.add(colon+1, end, "")
	}
	m.insertLines(lineEnd, blockLines(nil, at.fill.Column-1+2, entries))
	return ok
}

func blockLines(lines []string, indent int, entries []*entry) []string {
	for _, e := range entries {
		line := strings.Repeat(" ", indent) + quote(e.key, 0, false) + ":"
		switch {
		case e.children != nil:
			lines = blockLines(append(lines, line), indent+2, e.children)
			continue
		case e.isBool:
			line += " " + e.value
		default:
			line += " " + quote(e.value, 0, false)
		}
		lines = append(lines, line)
	}
	return lines
}

func (m *mappings) removeBlock(r *removal) bool {
	content := r.at.mapping.Content
	for _, i := range r.indexes {
		key, value := content[i], content[i+1]
		if i > 0 && isBlockScalar(lastLeaf(content[i-1])) {
			return false // what follows the line would become part of it
		}
		_, end, ok := m.entryEnd(key, value)
		if !ok {
			return false
		}
		if end, ok = restOfLine(m.bytes, end); !ok {
			return false
		}
		start, _ := m.nodeStart(key)
		line := m.lineStart(start)
		switch {
		case strings.Trim(string(m.bytes[line:start]), " ") != "":
			return false
		case end < len(m.bytes):
			m.add(line, end+breakLen(m.bytes, end), "")
		case line == m.lines[0]:
			return false
		default: // the line before becomes the last one, without a break
			m.add(lineEnd(m.bytes, m.lineStart(line-1)), end, "")
		}
	}
	if 2*len(r.indexes) < len(content) {
		return true
	}
	if r.at.key == nil {
		return false
	}
	at, ok := m.aboveFirst(r.at.key, content[0])
	if !ok {
		return false
	}
	m.add(at, at, " {}")
	_, ok = restOfLine(m.bytes, at)
	return ok
}

// aboveFirst returns the place after the colon of key, whose value is a mapping with this
// first key. The tag ! may be between, which the nodes do not show.
func (m *mappings) aboveFirst(key, first *yaml.Node) (int, bool) {
	colon, ok := m.colon(key)
	start, _ := m.nodeStart(first)
	return colon + 1, ok && skipSpace(m.bytes, colon+1, true) == start
}
