package edit

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A flowStyle is how nodes look in a flow collection.
type flowStyle struct {
	quotes yaml.Style // of strings: double in JSON
	dense  bool       // no blanks, as in minified JSON
}

// flowStyle returns the style of the key before a new entry. Without a key, it is valid
// in JSON too.
func (s *splicer) flowStyle(key *yaml.Node) flowStyle {
	style := flowStyle{}
	if key == nil {
		style.quotes = yaml.DoubleQuotedStyle
		return style
	}
	if key.Kind != yaml.ScalarNode || key.Style&yaml.DoubleQuotedStyle == 0 {
		return style
	}
	style.quotes = yaml.DoubleQuotedStyle
	if colon, ok := s.colon(key); ok && colon+1 < len(s.bytes) {
		next := s.bytes[colon+1]
		style.dense = !isBlank(next) && breakLen(s.bytes, colon+1) == 0
	}
	return style
}

// after returns a mark, a comma or a colon, with the blank that follows it.
func (f flowStyle) after(mark string) string {
	if f.dense {
		return mark
	}
	return mark + " "
}

func (f flowStyle) text(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "{" + f.join(n.Content, f.after(",")) + "}"
	case n.Kind == yaml.SequenceNode:
		texts := make([]string, len(n.Content))
		for i, child := range n.Content {
			texts[i] = f.text(child)
		}
		return "[" + strings.Join(texts, f.after(",")) + "]"
	case n.ShortTag() != "!!str":
		return n.Value
	}
	return quote(n.Value, f.quotes, true)
}

func (f flowStyle) join(entries []*yaml.Node, between string) string {
	texts := make([]string, len(entries)/2)
	for i := range texts {
		texts[i] = quote(entries[2*i].Value, f.quotes, true) + f.after(":") + f.text(entries[2*i+1])
	}
	return strings.Join(texts, between)
}

func (s *splicer) fillFlow(c *change) bool {
	style := s.flowStyle(c.key)
	text := style.text(c.node)
	start, end, ok := s.entryValue(c.key, &c.was)
	if start == end {
		text = " " + text
	}
	s.add(start, end, text)
	return ok
}

func (s *splicer) addFlow(c *change, at int, entries []*yaml.Node) bool {
	open := s.start(&c.was)
	if open >= len(s.bytes) || s.bytes[open] != '{' {
		return false
	}
	if len(c.was.Content) == 0 {
		end := skipSpace(s.bytes, open+1, false)
		if end == len(s.bytes) || s.bytes[end] != '}' {
			return false
		}
		style := s.flowStyle(c.key)
		s.add(open+1, end, style.join(entries, style.after(",")))
		return true
	}
	// If the first key has a line of its own, each new one gets one.
	style := s.flowStyle(c.was.Content[0])
	first := s.start(c.was.Content[0])
	if skipSpace(s.bytes, open+1, true) != first {
		return false
	}
	comma := style.after(",")
	if line := s.lineStart(first); line > open {
		before := lineEnd(s.bytes, s.lineStart(line-1))
		comma = "," + lineBreak(s.bytes, before, line) + string(s.bytes[line:first])
	}
	if at == 0 {
		text := style.join(entries, comma)
		if len(c.node.Content) > len(entries) {
			text += comma
		}
		s.add(first, first, text)
		return true
	}
	_, end, ok := s.entryEnd(c.was.Content[at-2], c.was.Content[at-1])
	if ok {
		s.add(end, end, comma+style.join(entries, comma))
	}
	return ok
}

func (s *splicer) removeFlow(c *change, removed []int) bool {
	content := c.was.Content
	for _, i := range removed {
		start := s.start(content[i])
		end, ok := s.removedEnd(content[i], content[i+1])
		if !ok {
			return false
		}
		before, ok := s.before(start)
		if !ok {
			return false
		}
		next := skipSpace(s.bytes, end, false)
		last := i+2 == len(content)
		switch {
		case next == len(s.bytes):
			return false
		case s.bytes[next] == ',' && !last:
			s.add(start, skipSpace(s.bytes, next+1, false), "")
		case s.bytes[next] == '}' && last && i > 0:
			s.add(before, end, "")
		case s.bytes[next] == '}' && last && len(c.node.Content) > 0:
			s.add(start, end, "")
		case s.bytes[next] == '}' && last:
			s.add(before+1, next, "")
		default:
			return false
		}
	}
	return true
}

// before returns where the brace or comma before an entry in a flow mapping is, if there
// is nothing but white space between.
func (s *splicer) before(entry int) (int, bool) {
	at := entry - 1
	for at >= 0 && strings.IndexByte(" \t\r\n", s.bytes[at]) >= 0 {
		at--
	}
	if at < 0 || s.bytes[at] != ',' && s.bytes[at] != '{' {
		return 0, false
	}
	// It must not be part of a comment, which would reach to the end of its line.
	line := s.lineStart(at)
	return at, line == s.lineStart(entry) || bytes.IndexByte(s.bytes[line:at], '#') < 0
}
