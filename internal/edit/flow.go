package edit

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A flowStyle is the layout of nodes in a flow collection.
type flowStyle struct {
	quotes yaml.Style // of strings: double in JSON
	dense  bool       // no blanks, as in minified JSON
}

// flowStyle returns the style of the key before a new entry. Without a key, the style is one that is valid in JSON too.
func (s *splicer) flowStyle(key *yaml.Node) flowStyle {
	switch {
	case key == nil:
		return flowStyle{quotes: yaml.DoubleQuotedStyle}
	case key.Style&yaml.DoubleQuotedStyle == 0:
		return flowStyle{}
	}
	colon, ok := s.colon(key)
	next := colon + 1
	return flowStyle{yaml.DoubleQuotedStyle, ok && next < len(s.bytes) && !isBlank(s.bytes[next]) && breakLen(s.bytes, next) == 0}
}

// after returns a comma or a colon, with the blank that follows it in this style.
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
	// If the first key is on a line of its own, each new key is too.
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
	first := len(content) // of the entries at the end that are removed together
	for _, i := range slices.Backward(removed) {
		if i+2 == first {
			first = i
		}
	}
	var run int // the brace or comma before first
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
		if i == first {
			run = before
		}
		next := skipSpace(s.bytes, end, false)
		last := i+2 == len(content)
		switch {
		case next == len(s.bytes), !last && s.bytes[next] != ',', last && s.bytes[next] != '}':
			return false
		case i < first:
			s.add(start, skipSpace(s.bytes, next+1, false), "")
		case !last: // the last one takes it along
		case first > 0:
			s.add(run, end, "")
		case len(c.node.Content) > 0:
			s.add(s.start(content[0]), end, "")
		default:
			s.add(run+1, next, "")
		}
	}
	return true
}

// before returns the offset of the brace or comma before an entry in a flow mapping, if only white space is between.
func (s *splicer) before(entry int) (int, bool) {
	at := entry - 1
	for at >= 0 && strings.IndexByte(" \t\r\n", s.bytes[at]) >= 0 {
		at--
	}
	if at < 0 || s.bytes[at] != ',' && s.bytes[at] != '{' {
		return 0, false
	}
	// It must not be part of a comment, which reaches to the end of its line.
	line := s.lineStart(at)
	return at, line == s.lineStart(entry) || bytes.IndexByte(s.bytes[line:at], '#') < 0
}
