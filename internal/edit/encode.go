package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// encode returns source, in which the nodes that differ in doc, the edited document, are encoded again: elements of its
// list if possible, otherwise its root.
func encode(source []byte, doc *yaml.Node) ([]byte, error) {
	was, err := parse(source)
	if err != nil {
		return nil, err
	}
	t := &Text{bytes: source}
	list, _ := listOf(doc.Content[0])
	wasList, next := listOf(was.Content[0])
	if list != nil && wasList != nil && len(list.Content) == len(wasList.Content) && same(doc.Content[0], was.Content[0], list) {
		if units, ok := unitsOf(t, wasList, next); ok {
			var changed []*unit
			for i, u := range units {
				if !same(list.Content[i], u.node, nil) {
					u.node = list.Content[i]
					changed = append(changed, u)
				}
			}
			if out, ok := replace(t, doc, changed); ok {
				return out, nil
			}
		}
	}
	whole := &unit{node: was.Content[0], until: len(source)}
	if whole.locate(t) {
		whole.node = doc.Content[0]
		if out, ok := replace(t, doc, []*unit{whole}); ok {
			return out, nil
		}
	}
	return nil, errors.New("the edited item cannot be written as YAML that reads back the same; write it without anchors, merge keys and multi-line strings")
}

// listOf returns the block sequence of a document's items, which is the document itself or its field items; nil if
// there is none. next is the key of the following field.
func listOf(root *yaml.Node) (list, next *yaml.Node) {
	list = root
	if root.Kind == yaml.MappingNode {
		i, err := findKey(root, "", "items")
		if err != nil || i < 0 || !isPlainBlock(root) {
			return nil, nil
		}
		if list = root.Content[i+1]; i+2 < len(root.Content) {
			next = root.Content[i+2]
		}
	}
	if list.Kind != yaml.SequenceNode || !isPlainBlock(list) {
		return nil, nil
	}
	return list, next
}

func isPlainBlock(n *yaml.Node) bool {
	return isBlock(n) && n.Anchor == "" && n.Style&yaml.TaggedStyle == 0
}

// same reports whether two trees have the same content, including anchors and aliases. It ignores the content of the
// node except in a.
func same(a, b, except *yaml.Node) bool {
	return a == except || a.Kind == b.Kind && a.Anchor == b.Anchor && a.Value == b.Value && a.ShortTag() == b.ShortTag() &&
		slices.EqualFunc(a.Content, b.Content, func(a, b *yaml.Node) bool { return same(a, b, except) })
}

// A unit is a node that is encoded again as a whole, with the layout of its text.
type unit struct {
	node        *yaml.Node
	start, end  int // its byte range
	from, until int // the surrounding bytes, with its outer comments
	column      int // where its lines begin, from 0
	indent      int // of mappings
	compact     bool
	isJSON      bool
	pretty      string // indentation of JSON with line breaks
	// foundIndent and foundDash: indent and compact are from the text.
	foundIndent, foundDash bool
}

// unitsOf returns a unit for each element of a list that ends before the key next. It reports false unless all elements
// begin a line, in the same column.
func unitsOf(t *Text, list, next *yaml.Node) ([]*unit, bool) {
	limit := len(t.bytes)
	if next != nil {
		at := t.start(next)
		if limit = t.lineStart(at); skipSpaces(t.bytes, limit) != at {
			return nil, false
		}
	}
	units := make([]*unit, len(list.Content))
	column := -1
	for i, element := range slices.Backward(list.Content) {
		line, dash, ok := t.dash(element)
		if !ok || line >= limit || column >= 0 && dash-line != column {
			return nil, false
		}
		units[i] = &unit{node: element, from: dash + 1, until: limit}
		if !units[i].locate(t) {
			return nil, false
		}
		column, limit = dash-line, line
	}
	units[0].from = 0
	for i, u := range units[1:] {
		u.from, units[i].until = units[i].end, u.start
	}
	return units, true
}

// locate finds the byte range of the node, which ends before until, and its layout, from the positions of the parsed
// text.
func (u *unit) locate(t *Text) bool {
	if u.start = t.start(u.node); u.start < u.from {
		return false
	}
	u.column, u.indent = u.node.Column-1, 2
	u.end = u.until
	if endsInBreak(t.bytes[:u.end]) {
		u.end = lineEnd(t.bytes, t.lineStart(u.end-1))
	}
	u.end = contentEnd(t, u.node, u.start, u.end)
	u.layout(u.node)
	body := t.bytes[u.start:u.end]
	if u.node.Style&yaml.FlowStyle != 0 && json.Valid(body) {
		u.isJSON = true
		if first := lineEnd(body, 0); first < len(body) {
			next := u.start + skipSpace(body, first, false)
			base := t.lineStart(u.start)
			u.column = skipBlanks(t.bytes, base) - base
			u.pretty = strings.TrimPrefix(string(t.bytes[t.lineStart(next):next]), string(t.bytes[base:base+u.column]))
		}
	}
	return u.end > u.start
}

// layout determines the indentation of mappings, and whether the dashes of a sequence are aligned with its key.
func (u *unit) layout(n *yaml.Node) {
	if n.Style&yaml.FlowStyle != 0 || u.foundIndent && u.foundDash {
		return
	}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && isPlainBlock(child) && child.Line > n.Content[i-1].Line {
			deeper := child.Column - n.Content[i-1].Column
			switch {
			case child.Kind == yaml.SequenceNode && !u.foundDash:
				u.compact, u.foundDash = deeper == 0, true
			case child.Kind == yaml.MappingNode && !u.foundIndent && deeper >= 2 && deeper <= 9:
				u.indent, u.foundIndent = deeper, true
			}
		}
		u.layout(child)
	}
}

// contentEnd returns the end of the last line of a node's text, which is between start and end. It excludes blank lines
// and comments after the node.
func contentEnd(t *Text, n *yaml.Node, start, end int) int {
	leaf := lastLeaf(n)
	at := t.start(leaf)
	switch {
	case leaf.Style&yaml.LiteralStyle != 0:
		return literalEnd(t, leaf, at, end)
	case leaf.Style&yaml.FoldedStyle != 0:
		return end
	case leaf.Style&quotedStyles != 0:
		if _, ok := scalarEnd(t.bytes, at, leaf.Value, leaf.Style); !ok {
			return end // a line of it may look like a comment
		}
	}
	for end > start {
		line := t.lineStart(end)
		// A tab is part of a plain scalar, and an error after any other.
		if text := strings.Trim(string(t.bytes[line:end]), " "); line <= start || text != "" && text[0] != '#' && text != "..." {
			break
		}
		end = lineEnd(t.bytes, t.lineStart(line-1))
	}
	return end
}

// literalEnd is contentEnd for a literal at offset at, which has as many lines as its value.
func literalEnd(t *Text, literal *yaml.Node, at, end int) int {
	lines := strings.Count(strings.TrimSuffix(literal.Value, "\n"), "\n") + 1
	if literal.Value == "" {
		lines = 0
	}
	last := literal.Line - 1 + lines
	if t.bytes[at] != '|' || strings.ContainsAny(literal.Value, "\u2028\u2029") || last >= len(t.lines) {
		return end
	}
	return min(end, lineEnd(t.bytes, t.lines[last]))
}

// simpler are ways to write a unit closer to yaml.v3's own layout, for text that yaml.v3 would not read back the same.
var simpler = []func(*unit){
	func(u *unit) { u.indent, u.compact = 2, false }, // yaml.v3 cannot combine 3 and compact
	func(u *unit) { quoteStrings(u.node, func(n *yaml.Node) bool { return !survives(n) }) },
	func(u *unit) { dropComments(u.node, true) },
	func(u *unit) { quoteStrings(u.node, func(*yaml.Node) bool { return true }) },
	func(u *unit) { dropComments(u.node, false) },
}

// replace returns the text with the units encoded again. It parses the result and compares it with doc, because yaml.v3
// writes some strings and comments in a way that it reads differently.
func replace(t *Text, doc *yaml.Node, units []*unit) ([]byte, bool) {
	for _, u := range units {
		if u.node.Style&yaml.FlowStyle == 0 {
			dropOuterComments(u.node, string(t.bytes[u.from:u.start]), string(t.bytes[u.end:u.until]))
		}
		nameNulls(u.node, false)
		placeComments(u.node)
	}
	for tries := 0; ; tries++ {
		var out []byte
		from := 0
		for _, u := range units {
			out = append(append(out, t.bytes[from:u.start]...), u.write(t.bytes)...)
			from = u.end
		}
		out = append(out, t.bytes[from:]...)
		if again, err := parse(out); err == nil && same(doc.Content[0], again.Content[0], nil) && endsInBreak(out) == endsInBreak(t.bytes) {
			return out, true
		}
		if tries == len(simpler) {
			return nil, false
		}
		for _, u := range units {
			simpler[tries](u)
		}
	}
}

func (u *unit) write(source []byte) string {
	var out bytes.Buffer
	if u.isJSON {
		text := flowStyle{yaml.DoubleQuotedStyle, !bytes.Contains(source[u.start:u.end], []byte(`": `))}.text(u.node)
		if u.pretty == "" || json.Indent(&out, []byte(text), "", u.pretty) != nil {
			out.WriteString(text)
		}
	} else {
		tagMerges(u.node, "!!merge", "")
		defer tagMerges(u.node, "", "!!merge")
		encoder := yaml.NewEncoder(&out)
		encoder.SetIndent(u.indent)
		if u.compact {
			encoder.CompactSeqIndent()
		}
		// An incomplete result after an error does not read back the same.
		_ = encoder.Encode(u.node)
		_ = encoder.Close()
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for i, line := range lines[1:] {
		if line != "" {
			lines[i+1] = strings.Repeat(" ", u.column) + line
		}
	}
	return strings.Join(lines, lineBreak(source, 0, 0))
}
