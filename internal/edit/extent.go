package edit

import (
	"bytes"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// extent returns where a node is in the text, with its anchor and tag. A null that is not
// written has no bytes: the place is after the colon or the dash before it.
func (c *changer) extent(n *yaml.Node, at spot) (start, end int, ok bool) {
	n, _ = c.original(n)
	start = c.start(n)
	value, propsEnd := c.skipProps(n, start)
	switch n.Kind {
	case yaml.AliasNode:
		c.isUnsure = true
		return start, start + len("*") + len(n.Value), true
	case yaml.ScalarNode:
		if n.Value != "" || n.Style&^yaml.TaggedStyle != 0 {
			end, ok = c.scalarEnd(n, value, at)
			return start, end, ok
		}
		if propsEnd > start {
			return start, propsEnd, true
		}
		if at.key == nil {
			return start, start, true
		}
		if colon, ok := c.colon(at.key); ok {
			return colon + 1, colon + 1, true
		}
		_, end, ok = c.extent(at.key, spot{})
		return end, end, ok
	}
	end, ok = c.collectionEnd(n, value, at)
	return start, end, ok
}

// skipProps returns where the content of a node is after its anchor and its tag, and where
// these end.
func (c *changer) skipProps(n *yaml.Node, start int) (content, end int) {
	content, end = start, start
	if isBlockStyle(n) && n.Kind == yaml.MappingNode {
		return c.start(n.Content[0]), start
	}
	for content < len(c.bytes) && (c.bytes[content] == '&' || c.bytes[content] == '!') {
		c.isUnsure = true
		end = content
		for end < len(c.bytes) && !isBlank(c.bytes[end]) && breakLen(c.bytes, end) == 0 && strings.IndexByte(",]}", c.bytes[end]) < 0 {
			end++
		}
		content = skipSpace(c.bytes, end, true)
		if n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&^yaml.TaggedStyle == 0 && breakLen(c.bytes, skipBlanks(c.bytes, end)) > 0 {
			break // what follows is another node's
		}
	}
	return content, end
}

func (c *changer) collectionEnd(n *yaml.Node, start int, at spot) (end int, ok bool) {
	inFlow := n.Style&yaml.FlowStyle != 0
	end = start + len("{")
	if last := len(n.Content) - 1; last >= 0 {
		inside := at.in(n)
		if n.Kind == yaml.MappingNode {
			inside = inside.of(n.Content[last-1])
		}
		if _, end, ok = c.extent(n.Content[last], inside); !ok || !inFlow {
			return end, ok
		}
	}
	end = skipSpace(c.bytes, end, true)
	if end < len(c.bytes) && c.bytes[end] == ',' {
		end = skipSpace(c.bytes, end+1, true)
	}
	return end + 1, end < len(c.bytes) && (c.bytes[end] == '}' || c.bytes[end] == ']')
}

// scalarEnd returns where a scalar ends that begins at start.
func (c *changer) scalarEnd(n *yaml.Node, start int, at spot) (int, bool) {
	style := n.Style &^ yaml.TaggedStyle
	if end, ok := scalarEnd(c.bytes, start, n.Value, style); ok && !hasTabAfter(c.bytes, end) {
		return end, true
	}
	c.isUnsure = true
	switch {
	case isBlockScalar(n):
		return c.blockScalarEnd(start, at.column), true
	case style == 0:
		return c.plainEnd(start, n.Value)
	}
	for end := start + 1; end < len(c.bytes); end++ {
		switch b := c.bytes[end]; {
		case b == '\\' && style == yaml.DoubleQuotedStyle:
			end++
		case b != c.bytes[start]:
		case b == '\'' && end+1 < len(c.bytes) && c.bytes[end+1] == '\'':
			end++
		default:
			return end + 1, true
		}
	}
	return 0, false
}

// plainEnd finds the words of a plain scalar one after the other, on whatever lines.
func (c *changer) plainEnd(start int, value string) (end int, ok bool) {
	end = start
	isSpace := func(r rune) bool { return unicode.IsSpace(r) || r == 0x2028 || r == 0x2029 }
	for word := range strings.FieldsFuncSeq(value, isSpace) {
		end = len(c.bytes) - len(bytes.TrimLeftFunc(c.bytes[end:], isSpace))
		if !bytes.HasPrefix(c.bytes[end:], []byte(word)) {
			return 0, false
		}
		end += len(word)
	}
	if hasTabAfter(c.bytes, end) {
		end = skipSpace(c.bytes, end, false)
		end = max(lineEnd(c.bytes, start), c.lineStart(end)-1)
	}
	return end, true
}

// blockScalarEnd returns the end of the last line of a literal or folded scalar within a
// collection of that column. Empty lines after it count if the scalar keeps them.
func (c *changer) blockScalarEnd(start, column int) int {
	end := lineEnd(c.bytes, start)
	head, _, _ := strings.Cut(string(c.bytes[start:end]), "#")
	keeps := strings.Contains(head, "+")
	indent := 0
	if i := strings.IndexAny(head, "123456789"); i >= 0 {
		indent = max(column, 0) + int(head[i]-'0')
	}
	for at := end; at < len(c.bytes); {
		line := at + breakLen(c.bytes, at)
		text := line
		for text < len(c.bytes) && c.bytes[text] == ' ' {
			text++
		}
		at = lineEnd(c.bytes, text)
		switch {
		case text == len(c.bytes):
			return end
		case text == at && !keeps:
			continue
		case text < at && indent == 0 && text-line > column:
			indent = text - line
		case text < at && (indent == 0 || text-line < indent):
			return end
		}
		end = at
	}
	return end
}
