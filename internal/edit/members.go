package edit

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A collection is a mapping that gets and loses entries, or a sequence that gets elements.
type collection struct {
	*changer
	at     spot           // of the collection
	inside spot           // of keys and elements
	was    [][]*yaml.Node // keys with their values, or elements, as they are in the text
	look   look
	stays  map[*yaml.Node]bool
	kept   int // the last in was that stays
}

// members returns the entries or the elements of a collection.
func members(n *yaml.Node) [][]*yaml.Node {
	size := 1
	if n.Kind == yaml.MappingNode {
		size = 2
	}
	return slices.Collect(slices.Chunk(n.Content, size))
}

// members writes what a collection gets and loses. What is new takes the place of the first
// entry that is removed there.
func (c *changer) members(was, n *yaml.Node, at spot) bool {
	m := &collection{changer: c, at: at, inside: at.in(was), was: members(was), kept: -1}
	now := members(n)
	m.stays = make(map[*yaml.Node]bool, len(now))
	for _, one := range now {
		m.stays[one[0]] = true
	}
	for i, one := range m.was {
		if m.stays[one[0]] {
			m.kept = i
		}
	}
	switch {
	case len(was.Content) > 0:
		m.look = c.look(m.inside, was.Content[0])
	default:
		m.look = c.look(m.inside, at.key)
	}
	switch {
	case len(now) == 0 || len(m.was) == 0:
		return m.fill(was, now)
	case m.inside.inFlow:
		if c.bytes[c.start(was)] == c.bytes[c.start(m.was[0][0])] { // [a: b], without braces
			return false
		}
		m.splitLines()
	}
	for i, j := 0, 0; i < len(m.was) || j < len(now); {
		from := j
		for j < len(now) && c.tree.made[now[j][0]] {
			j++
		}
		added := now[from:j]
		if len(added) > 0 && (i == len(m.was) || m.stays[m.was[i][0]]) {
			if !m.add(i, added) {
				return false
			}
			added = nil
		}
		for ; i < len(m.was) && !m.stays[m.was[i][0]]; i++ {
			if !m.remove(i, added) {
				return false
			}
			added = nil
		}
		if i < len(m.was) {
			if !m.visitMember(i, now[j]) {
				return false
			}
			i, j = i+1, j+1
		}
	}
	return true
}

// visitMember splices the changes within a member that stays, or its new value.
func (m *collection) visitMember(i int, now []*yaml.Node) bool {
	here := m.inside
	for k, n := range m.was[i] {
		if n != now[k] && !m.replace(n, now[k], here) || n == now[k] && !m.visit(n, here) {
			return false
		}
		here = here.of(n)
	}
	return true
}

// member returns where a member is: in block style to the end of its last line, with the
// comment there.
func (m *collection) member(i int) (start, end int, ok bool) {
	start, end, ok = m.extent(m.was[i][0], m.inside)
	if ok && len(m.was[i]) > 1 {
		_, end, ok = m.extent(m.was[i][1], m.inside.of(m.was[i][0]))
	}
	if ok && !m.inside.inFlow {
		end, ok = restOfLine(m.bytes, end)
	}
	return start, end, ok
}

// splitLines lets new members begin lines in flow style if the first one does.
func (m *collection) splitLines() {
	first := m.start(m.was[0][0])
	if line := m.lineStart(first); line > 0 && skipBlanks(m.bytes, line) == first {
		m.look.comma = "," + m.eol + string(m.bytes[line:first])
	}
}

// fill writes members into {}, or {} if none is left.
func (m *collection) fill(was *yaml.Node, now [][]*yaml.Node) bool {
	if !m.inside.inFlow {
		return m.empty()
	}
	start, end, ok := m.extent(was, m.at)
	if !ok {
		return false
	}
	open := start + strings.IndexByte(string(m.bytes[start:end]), '{') + 1
	stop := end - 1
	if len(now) > 0 && skipSpace(m.bytes, open, false) != stop {
		stop = open // a comment is there
	}
	m.splicer.add(open, stop, m.look.join(now))
	return true
}

// empty makes {} of a mapping in block style.
func (m *collection) empty() bool {
	from := 0
	if at, ok := m.aboveFirst(); ok {
		m.splicer.add(at, at, " {}")
	} else if from = 1; !m.put(0, "{}") {
		return false
	}
	for i := from; i < len(m.was); i++ {
		if !m.remove(i, nil) {
			return false
		}
	}
	return true
}

// put writes text in the place of a member.
func (m *collection) put(i int, text string) bool {
	start, end, ok := m.member(i)
	m.isUnsure = m.isUnsure || !m.beginsLine(start)
	m.splicer.add(start, end, text)
	return ok
}

// add writes members before the one that was at i.
func (m *collection) add(i int, now [][]*yaml.Node) bool {
	text := m.look.join(now)
	if i > 0 {
		_, end, ok := m.member(i - 1)
		switch {
		case !ok:
		case m.inside.inFlow:
			m.splicer.add(end, end, m.look.between()+text)
		default:
			m.insertLines(end, m.look.margin()+text)
		}
		return ok
	}
	if at, ok := m.aboveFirst(); ok && !m.inside.inFlow {
		if line, ok := restOfLine(m.bytes, at); ok {
			m.insertLines(line, m.look.margin()+text)
			return true
		}
	}
	m.isUnsure = m.isUnsure || !m.inside.inFlow
	first := m.start(m.was[0][0])
	m.splicer.add(first, first, text+m.look.between())
	return true
}

// remove removes the entry that was at i, and writes members that are new there.
func (m *collection) remove(i int, added [][]*yaml.Node) bool {
	start, end, ok := m.member(i)
	switch {
	case !ok:
		return false
	case len(added) > 0:
		m.kept = max(m.kept, i)
		return m.put(i, m.look.join(added))
	case m.inside.inFlow && i < m.kept:
		end = m.start(m.was[i+1][0])
	case m.inside.inFlow: // with the comma before it
		_, start, ok = m.member(i - 1)
	default:
		return m.removeLines(i, start, end)
	}
	m.splicer.add(start, end, "")
	return ok
}

func (m *collection) removeLines(i, start, end int) bool {
	if i > 0 && isBlockScalar(lastLeaf(m.was[i-1][1])) {
		m.outdentComments(end, m.inside.column)
	}
	line := m.lineStart(start)
	switch {
	case strings.Trim(string(m.bytes[line:start]), " ") == "":
		m.splicer.add(line, end+breakLen(m.bytes, end), "")
		return true
	case !m.beginsLine(start):
		return false
	}
	// The entry is after a dash, where the next one may take its place.
	m.isUnsure = true
	if next := skipSpace(m.bytes, end, false); i < m.kept && m.stays[m.was[i+1][0]] && next == m.start(m.was[i+1][0]) {
		end = next
	} else {
		start = m.trimBlanks(start)
	}
	m.splicer.add(start, end, "")
	return true
}

func (m *collection) beginsLine(start int) bool {
	return isDashes(string(m.bytes[m.lineStart(start):start]))
}

// aboveFirst returns the place after the colon of the key whose value the collection is, if
// nothing but comments are between that and the first entry.
func (m *collection) aboveFirst() (int, bool) {
	colon, ok := m.colon(m.at.key)
	return colon + 1, ok && skipSpace(m.bytes, colon+1, true) == m.start(m.was[0][0])
}
