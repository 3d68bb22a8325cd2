package edit

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// A changer splices what became of the nodes of a tree into the text that they were
// parsed from.
type changer struct {
	splicer
	tree *tree
	eol  string
	// isUnsure: what a splice touches has a form that few texts have, so the result is read
	// again.
	isUnsure bool
}

// onNodes makes the edits on the nodes of the parsed text, and writes the nodes that change.
// All other bytes stay. If what the splices make does not read as the tree, it writes all of
// the document again, without its comments.
//
// Aliases and merge keys on the way to an edit are written out, so that the edit
// changes its own place and no other that shares its text.
func onNodes(text []byte, items []Item) ([]byte, error) {
	parser, _ := parsers.Get().(*yamldoc.Parser)
	defer parsers.Put(parser)
	t, err := edited(parser, text, items)
	if err != nil || t == nil {
		return text, err
	}
	if out := t.splice(text); out != nil {
		return out, nil
	}
	return t.rewrite(text)
}

// parsers holds the ones not in use, for their memory.
var parsers = sync.Pool{New: func() any { return new(yamldoc.Parser) }}

// edited returns the tree of a text with the edits made, nil if the text has them.
func edited(parser *yamldoc.Parser, text []byte, items []Item) (*tree, error) {
	doc, err := parse(parser, text)
	if err != nil {
		return nil, err
	}
	t, err := newTree(doc.Content[0])
	if err != nil {
		return nil, err
	}
	if isDone, err := t.areDone(items); err != nil || isDone {
		return nil, err
	}
	if isUTF16(text) {
		return nil, errors.New("found text in UTF-16 where UTF-8 is needed")
	}
	return t, t.edit(items)
}

func isUTF16(text []byte) bool {
	return len(text) > 1 && (text[0] == 0xff && text[1] == 0xfe || text[0] == 0xfe && text[1] == 0xff)
}

// splice splices the changes of the tree into its text. It returns nil if the result does not
// read as the tree.
func (t *tree) splice(text []byte) []byte {
	c := &changer{tree: t, eol: lineBreak(text)}
	c.bytes = text
	ended := endsInBreak(text)
	if !ended { // no splice has to care
		c.bytes = slices.Concat(text, []byte(c.eol))
	}
	if !c.visit(t.root, spot{column: -1}) {
		return nil
	}
	out, ok := c.apply()
	if !ok {
		return nil
	}
	whole := out
	if !ended {
		out = bytes.TrimSuffix(out, []byte(c.eol))
	}
	for _, out := range [][]byte{out, whole} {
		if !c.isUnsure || t.reads(out) {
			return out
		}
	}
	return nil
}

// rewrite writes the tree again.
func (t *tree) rewrite(text []byte) ([]byte, error) {
	c := &changer{tree: t}
	c.bytes = text
	l := look{eol: lineBreak(text), isStrict: true, column: t.root.Column - 1}
	start, end, ok := c.extent(t.root, spot{column: -1})
	if !ok {
		end = len(bytes.TrimRight(text, " \t\r\n"))
	}
	out := slices.Concat(text[:start], []byte(l.node(t.root)), text[end:])
	if t.reads(out) {
		return out, nil
	}
	return nil, errors.New("the edited item cannot be written as YAML that reads back the same; write it without anchors, merge keys and multi-line strings")
}

// reads reports whether a text is the tree.
func (t *tree) reads(text []byte) bool {
	doc, err := yamldoc.Parse(text)
	return err == nil && doc.Kind != 0 && same(t.root, doc.Content[0])
}

// same reports whether two trees have the same content, anchors and aliases included.
// However a null is written it is the same, but for a key, which an alias may be.
func same(a, b *yaml.Node) bool {
	isNull := yamldoc.IsNull(a) && yamldoc.IsNull(b) && a.Anchor == ""
	if a.Kind != b.Kind || a.Anchor != b.Anchor || a.Value != b.Value && !isNull || a.ShortTag() != b.ShortTag() || len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		isKey := a.Kind == yaml.MappingNode && i%2 == 0
		if !same(a.Content[i], b.Content[i]) || isKey && a.Content[i].Value != b.Content[i].Value {
			return false
		}
	}
	return true
}

// A spot is what is around a node.
type spot struct {
	key    *yaml.Node // whose value the node is, nil if it is not one
	column int        // of the block collection around, from 0; -1 if there is none
	inFlow bool
}

// in returns the spot of elements of n, and of its keys.
func (at spot) in(n *yaml.Node) spot {
	inside := spot{column: n.Column - 1, inFlow: at.inFlow || n.Style&yaml.FlowStyle != 0}
	if n.Kind == yaml.MappingNode && len(n.Content) > 0 {
		inside.column = n.Content[0].Column - 1
	}
	return inside
}

func (at spot) of(key *yaml.Node) spot {
	at.key = key
	return at
}

// original returns a node as it is in the text, and whether it has changed.
func (c *changer) original(n *yaml.Node) (was *yaml.Node, changed bool) {
	if was := c.tree.was[n]; was != nil {
		return was, true
	}
	return n, false
}

// visit splices the changes of a node and of those in it. It reports false if that cannot
// be done.
func (c *changer) visit(n *yaml.Node, at spot) bool {
	was, changed := c.original(n)
	if changed && (was.Kind != n.Kind || n.Kind == yaml.ScalarNode || was.ShortTag() != n.ShortTag()) {
		return c.replace(was, n, at)
	}
	if was.Anchor != n.Anchor && !c.dropAnchor(was) {
		return false
	}
	if changed && (n.Kind == yaml.MappingNode || len(was.Content) != len(n.Content)) {
		return c.members(was, n, at)
	}
	inside := at.in(was)
	for i, child := range n.Content {
		here := inside
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			here = inside.of(n.Content[i-1])
		}
		if !c.visit(child, here) {
			return false
		}
	}
	return true
}

// dropAnchor removes an anchor, with the blanks that divide it from what is on its line.
func (c *changer) dropAnchor(was *yaml.Node) bool {
	c.isUnsure = true
	anchor := []byte("&" + was.Anchor)
	start := c.start(was)
	before := bytes.Index(c.bytes[start:], anchor) // a tag may be before it
	if before < 0 {
		return false
	}
	start += before
	end := start + len(anchor)
	line, content := c.lineStart(start), skipSpace(c.bytes, end, false)
	switch rest := skipBlanks(c.bytes, end); {
	case breakLen(c.bytes, rest) == 0:
		end = rest
	case isDashes(string(c.bytes[line:start])) && content-c.lineStart(content) == start-line:
		end = content
	default:
		start = c.trimBlanks(start)
	}
	c.add(start, end, "")
	return true
}

// trimBlanks returns where the blanks before a place begin.
func (c *changer) trimBlanks(at int) int {
	for at > 0 && isBlank(c.bytes[at-1]) {
		at--
	}
	return at
}

// replace writes what became of a scalar or of an alias.
func (c *changer) replace(was, n *yaml.Node, at spot) bool {
	old := ScalarAt("", was, false)
	isText := was.Kind == yaml.ScalarNode && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str"
	if isText && (was.Value != "" || was.Style&quotedStyles != 0) && !old.Shared && c.setScalar(old, n.Value) {
		return true
	}
	start, end, ok := c.extent(was, at)
	if !ok {
		return false
	}
	l := c.look(at, at.key)
	var text string
	switch isBlock := !at.inFlow && isBlockStyle(n); {
	case isBlock && at.key != nil:
		// The lines come under that of the key, with the comment that it has.
		colon, ok := c.colon(at.key)
		line, isEnd := restOfLine(c.bytes, end)
		if ok && isEnd && (start == end || skipBlanks(c.bytes, colon+1) == start) {
			c.add(colon+1, end, "")
			c.insertLines(line, strings.TrimPrefix(l.after(n), c.eol))
			return true
		}
		fallthrough
	case isBlock:
		l.column = was.Column - 1
		fallthrough
	default:
		text = l.node(n)
	}
	if isBlockScalar(n) && !at.inFlow {
		c.outdentComments(end, max(at.column, 0))
	}
	if start == end {
		text = " " + text
		if _, hasColon := c.colon(at.key); at.key != nil && !hasColon {
			text = ":" + text
		}
	}
	c.add(start, end, text)
	return true
}

// outdentComments moves the comments after a line to a column: deeper ones would become part
// of a literal before them.
func (c *changer) outdentComments(end, column int) {
	c.isUnsure = true
	for line := end + breakLen(c.bytes, end); line < len(c.bytes); line = end + breakLen(c.bytes, end) {
		text := skipBlanks(c.bytes, line)
		end = lineEnd(c.bytes, text)
		switch {
		case text == end:
		case c.bytes[text] != '#':
			return
		case text-line > column:
			c.add(line, text, strings.Repeat(" ", column))
		}
	}
}

// insertLines puts lines after the line that ends at end.
func (c *changer) insertLines(end int, lines string) {
	next := end + breakLen(c.bytes, end)
	c.add(next, next, lines+c.eol)
}

// colon returns where the colon after a key is.
func (c *changer) colon(key *yaml.Node) (int, bool) {
	if key == nil {
		return 0, false
	}
	_, end, ok := c.extent(key, spot{})
	if !ok {
		return 0, false
	}
	end = skipSpace(c.bytes, end, true)
	return end, end < len(c.bytes) && c.bytes[end] == ':'
}
