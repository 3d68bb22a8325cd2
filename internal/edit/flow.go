package edit

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A flowStyle is how entries look in a flow mapping.
type flowStyle struct {
	quotes yaml.Style // of keys and values: double in JSON
	dense  bool       // no blanks, as in minified JSON
}

// flowStyle returns the style of the key before a new entry. Without a key, it is valid
// in JSON too.
func (m *mappings) flowStyle(key *yaml.Node) flowStyle {
	style := flowStyle{}
	if key == nil {
		style.quotes = yaml.DoubleQuotedStyle
		return style
	}
	if key.Kind != yaml.ScalarNode || key.Style&yaml.DoubleQuotedStyle == 0 {
		return style
	}
	style.quotes = yaml.DoubleQuotedStyle
	if colon, ok := m.colon(key); ok && colon+1 < len(m.bytes) {
		next := m.bytes[colon+1]
		style.dense = !isBlank(next) && breakLen(m.bytes, colon+1) == 0
	}
	return style
}

func (f flowStyle) comma() string {
	if f.dense {
		return ","
	}
	return ", "
}

func (f flowStyle) entry(e *entry) string {
	out := quote(e.key, f.quotes, true) + ":"
	if !f.dense {
		out += " "
	}
	switch {
	case e.children != nil:
		return out + "{" + f.join(e.children, f.comma()) + "}"
	case e.isBool:
		return out + e.value
	default:
		return out + quote(e.value, f.quotes, true)
	}
}

func (f flowStyle) join(entries []*entry, between string) string {
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = f.entry(e)
	}
	return strings.Join(texts, between)
}

func (m *mappings) fillFlow(at site, entries []*entry) bool {
	style := m.flowStyle(at.fill)
	text := "{" + style.join(entries, style.comma()) + "}"
	start, end, ok := m.entryValue(at.fill, at.null)
	if start == end {
		text = " " + text
	}
	m.add(start, end, text)
	return ok
}

func (m *mappings) addFlow(at site, place int, entries []*entry) bool {
	open, ok := m.nodeStart(at.mapping)
	if !ok || open >= len(m.bytes) || m.bytes[open] != '{' {
		return false
	}
	if len(at.mapping.Content) == 0 {
		end := skipSpace(m.bytes, open+1, false)
		if end == len(m.bytes) || m.bytes[end] != '}' {
			return false
		}
		style := m.flowStyle(at.key)
		m.add(open+1, end, style.join(entries, style.comma()))
		return true
	}
	// If the first key has a line of its own, each new one gets one.
	style := m.flowStyle(at.mapping.Content[0])
	first, ok := m.nodeStart(at.mapping.Content[0])
	if !ok || skipSpace(m.bytes, open+1, true) != first {
		return false
	}
	comma := style.comma()
	if line := m.lineStart(first); line > open {
		before := lineEnd(m.bytes, m.lineStart(line-1))
		comma = "," + lineBreak(m.bytes, before, line) + string(m.bytes[line:first])
	}
	if place == 0 {
		m.add(first, first, style.join(entries, comma)+comma)
		return true
	}
	_, end, ok := m.entryEnd(at.mapping.Content[2*place-2], at.mapping.Content[2*place-1])
	if ok {
		m.add(end, end, comma+style.join(entries, comma))
	}
	return ok
}

func (m *mappings) removeFlow(r *removal) bool {
	content := r.at.mapping.Content
	for _, i := range r.indexes {
		start, ok := m.nodeStart(content[i])
		if !ok {
			return false
		}
		_, end, ok := m.entryEnd(content[i], content[i+1])
		if !ok {
			return false
		}
		before, ok := m.before(start)
		if !ok {
			return false
		}
		next := skipSpace(m.bytes, end, false)
		last := i+2 == len(content)
		switch {
		case next == len(m.bytes):
			return false
		case m.bytes[next] == ',' && !last:
			m.add(start, skipSpace(m.bytes, next+1, false), "")
		case m.bytes[next] == '}' && last && i > 0:
			m.add(before, end, "")
		case m.bytes[next] == '}' && last:
			m.add(before+1, next, "")
		default:
			return false
		}
	}
	return true
}

// before returns where the brace or comma before an entry in a flow mapping is, if there
// is nothing but white space between.
func (m *mappings) before(entry int) (int, bool) {
	at := entry - 1
	for at >= 0 && strings.IndexByte(" \t\r\n", m.bytes[at]) >= 0 {
		at--
	}
	if at < 0 || m.bytes[at] != ',' && m.bytes[at] != '{' {
		return 0, false
	}
	// It must not be part of a comment; this check is strict enough.
	return at, bytes.IndexByte(m.bytes[m.lineStart(at):at], '#') < 0
}
