package edit

import (
	"strings"
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
		if !m.beginsLine(key) {
			return false
		}
		_, end, ok = m.entryEnd(key, value)
	case at.key != nil:
		end, ok = m.colon(at.key)
		end++
		// The tag ! may be between, which the nodes do not show.
		start, _ := m.nodeStart(first)
		ok = ok && skipSpace(m.bytes, end, true) == start
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

// fillBlock puts lines under a key without a value, and drops the null.
func (m *mappings) fillBlock(at site, entries []*entry) bool {
	colon, ok := m.colon(at.fill)
	if !ok || !m.beginsLine(at.fill) {
		return false
	}
	end := colon + 1
	if at.null.Value != "" {
		_, end, ok = m.entryEnd(at.fill, at.null)
	} else {
		ok = m.isNothing(colon, at.null)
	}
	if !ok {
		return false
	}
	lineEnd, ok := restOfLine(m.bytes, end)
	if !ok {
		return false
	}
	if end > colon+1 {
		m.add(colon+1, end, "")
	}
	m.insertLines(lineEnd, blockLines(nil, at.fill.Column-1+2, entries))
	return true
}

// blockLines appends the lines of entries at that indentation.
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

// removeBlock drops the lines of entries.
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
	colon, ok := m.colon(r.at.key)
	if !ok {
		return false
	}
	// The tag ! may be between, which the nodes do not show.
	first, _ := m.nodeStart(content[0])
	if _, ok := restOfLine(m.bytes, colon+1); !ok || skipSpace(m.bytes, colon+1, true) != first {
		return false
	}
	m.add(colon+1, colon+1, " {}")
	return true
}
