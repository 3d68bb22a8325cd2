package fast

import (
	"unicode/utf8"
	"unsafe"

	"go.yaml.in/yaml/v3"
)

// maxDepth bounds how deep collections may hold one another here. yaml.v3
// takes more, and has a limit of its own.
const maxDepth = 200

// maxKeyLength is how long a key and what stands between it and its colon may be
// here, in bytes. YAML allows 1024 characters.
const maxKeyLength = 512

// A Parser makes trees of documents, one at a time, and uses the memory of one
// tree again for the next. The zero value is ready to use.
//
// All its methods that read return nil, or false, where they leave the text to
// yaml.v3.
type Parser struct {
	text []byte
	at   int  // how far text has been read
	bol  int  // where the line of at begins
	line int  // of at, from 1
	wide bool // text holds characters of several bytes

	// counted is a place on the line of at, and runes how many characters stand
	// before it there; for texts that are wide.
	counted, runes int

	depth   int
	nodes   arena[yaml.Node]
	content arena[*yaml.Node]
	pending []*yaml.Node // the children so far of all collections not yet closed
}

// read returns the tree of text, or nil.
func (p *Parser) read(text []byte) *yaml.Node {
	ok, wide := readable(text)
	if !ok {
		return nil
	}
	p.text, p.at, p.bol, p.line, p.wide, p.depth = text, 0, 0, 1, wide, 0
	p.counted, p.runes = 0, 0
	p.nodes.reset()
	p.content.reset()
	p.pending = p.pending[:0]
	column, ok := p.next()
	if !ok || column < 0 {
		return nil
	}
	document := p.node(yaml.DocumentNode, "", p.at)
	root := p.block(column, -1)
	if root == nil || root.Kind == yaml.ScalarNode {
		return nil
	}
	if column, ok = p.next(); !ok || column >= 0 {
		return nil
	}
	p.pending = append(p.pending[:0], root)
	p.close(document, 0)
	return document
}

// node returns a new node that begins at start, on the line at hand.
func (p *Parser) node(kind yaml.Kind, tag string, start int) *yaml.Node {
	n := p.nodes.take()
	n.Kind, n.Tag, n.Line, n.Column = kind, tag, p.line, p.columnOf(start)
	return n
}

// close gives the collection n the nodes that are pending since it was opened.
func (p *Parser) close(n *yaml.Node, since int) {
	if children := p.pending[since:]; len(children) > 0 {
		n.Content = p.content.slice(len(children))
		copy(n.Content, children)
		p.pending = p.pending[:since]
	}
}

// null returns the node of a value that is not there.
func (p *Parser) null(line, column int) *yaml.Node {
	n := p.nodes.take()
	n.Kind, n.Tag, n.Line, n.Column = yaml.ScalarNode, "!!null", line, column
	return n
}

// string returns the text from start to end without a copy. Nobody writes to
// text while the tree is in use.
func (p *Parser) string(start, end int) string {
	if start == end {
		return ""
	}
	return unsafe.String(&p.text[start], end-start) //nolint:gosec // start is within text, and so is end
}

// peek returns the byte n places on, or a line break behind the end.
func (p *Parser) peek(n int) byte {
	if p.at+n < len(p.text) {
		return p.text[p.at+n]
	}
	return '\n'
}

// newline steps over the line break at hand.
func (p *Parser) newline() {
	p.at++
	p.bol = p.at
	p.line++
}

// skipSpaces steps over spaces.
func (p *Parser) skipSpaces() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

// next steps from the beginning of a line to the next content and returns its
// column, from 0; -1 stands for the end of the text.
func (p *Parser) next() (column int, ok bool) {
	for {
		p.skipSpaces()
		if p.at == len(p.text) {
			return -1, true
		}
		switch p.text[p.at] {
		case '\n':
			p.newline()
		case '#':
			p.skipLine()
		case '\t':
			return 0, false
		case '-', '.', '%':
			if p.at == p.bol && p.isMarker() {
				return 0, false
			}
			return p.at - p.bol, true
		default:
			return p.at - p.bol, true
		}
	}
}

// isMarker reports whether the line at hand begins like a marker or a directive.
func (p *Parser) isMarker() bool {
	c := p.text[p.at]
	return c == '%' || p.peek(1) == c && p.peek(2) == c
}

// skipLine steps to the end of the line, over its break if there is one.
func (p *Parser) skipLine() {
	for p.at < len(p.text) && p.text[p.at] != '\n' {
		p.at++
	}
	if p.at < len(p.text) {
		p.newline()
	}
}

// endLine steps over the rest of a line, in which nothing may stand but a
// comment.
func (p *Parser) endLine() bool {
	start := p.at
	p.skipSpaces()
	switch {
	case p.at == len(p.text):
		return true
	case p.text[p.at] == '\n':
		p.newline()
		return true
	case p.text[p.at] == '#' && p.at > start:
		p.skipLine()
		return true
	}
	return false
}

// block reads the node that begins at the place at hand, the first content of
// its line, within a block collection of the column parent.
func (p *Parser) block(column, parent int) *yaml.Node {
	if p.isDash() {
		return p.sequence(column)
	}
	return p.inline(column, parent)
}

// isDash reports whether the dash of a sequence's entry stands at the place at hand.
func (p *Parser) isDash() bool {
	return p.peek(0) == '-' && isBreakOrSpace(p.peek(1))
}

func isBreakOrSpace(c byte) bool { return c == ' ' || c == '\n' }

// inline reads the node at the place at hand, where a mapping in block style may
// begin in that column: at the beginning of a line, or behind a dash.
func (p *Parser) inline(column, parent int) *yaml.Node {
	start, line := p.at, p.line
	var scalar *yaml.Node
	switch c := p.peek(0); c {
	case '|', '>', '[', '{':
		return p.value(parent)
	case '"', '\'':
		scalar = p.quoted(c)
	default:
		scalar = p.plain()
	}
	switch {
	case scalar == nil:
		return nil
	case p.colon(start):
		return p.mapping(column, scalar, line)
	case !p.endLine():
		return nil
	}
	return scalar
}

// colon steps over the colon that makes a key of the scalar before, which began
// at start.
func (p *Parser) colon(start int) bool {
	at := p.at
	for at < len(p.text) && p.text[at] == ' ' {
		at++
	}
	if at == len(p.text) || p.text[at] != ':' || at-start > maxKeyLength {
		return false
	}
	if at+1 < len(p.text) && !isBreakOrSpace(p.text[at+1]) {
		return false
	}
	p.at = at + 1
	return true
}

// sequence reads the sequence in block style in that column whose first dash is
// at hand.
func (p *Parser) sequence(column int) *yaml.Node {
	if p.depth++; p.depth > maxDepth {
		return nil
	}
	n := p.node(yaml.SequenceNode, "!!seq", p.at)
	since := len(p.pending)
	for {
		line, behind := p.line, column+2
		p.at++
		entry := p.entry(column, line, behind)
		if entry == nil {
			return nil
		}
		p.pending = append(p.pending, entry)
		next, ok := p.next()
		if !ok {
			return nil
		}
		if next != column || !p.isDash() {
			break
		}
	}
	p.close(n, since)
	p.depth--
	return n
}

// entry reads what stands behind a dash of the sequence in that column. An
// entry without anything stands behind the dash.
func (p *Parser) entry(column, line, behind int) *yaml.Node {
	dash := p.at
	p.skipSpaces()
	if c := p.peek(0); c != '\n' && (c != '#' || p.at == dash) {
		if p.isDash() {
			return p.sequence(p.at - p.bol)
		}
		return p.inline(p.at-p.bol, column)
	}
	p.at = dash
	if !p.endLine() {
		return nil
	}
	next, ok := p.next()
	switch {
	case !ok:
		return nil
	case next > column:
		return p.block(next, column)
	}
	return p.null(line, behind)
}

// mapping reads the mapping in block style in that column, from behind the colon of
// its first key, which stands on line.
func (p *Parser) mapping(column int, key *yaml.Node, line int) *yaml.Node {
	if p.depth++; p.depth > maxDepth {
		return nil
	}
	n := p.nodes.take()
	n.Kind, n.Tag, n.Line, n.Column = yaml.MappingNode, "!!map", key.Line, key.Column
	since := len(p.pending)
	for {
		value := p.valueOf(column, line)
		if value == nil {
			return nil
		}
		p.pending = append(p.pending, key, value)
		next, ok := p.next()
		if !ok {
			return nil
		}
		if next != column {
			break
		}
		start := p.at
		line = p.line
		switch c := p.peek(0); {
		case c == '"' || c == '\'':
			key = p.quoted(c)
		case p.isDash():
			return nil
		default:
			key = p.plain()
		}
		if key == nil || !p.colon(start) {
			return nil
		}
	}
	p.close(n, since)
	p.depth--
	return n
}

// valueOf reads the value of an entry of the mapping in that column, from behind the
// colon, which stands on line.
func (p *Parser) valueOf(column, line int) *yaml.Node {
	colon := p.at
	p.skipSpaces()
	if c := p.peek(0); c != '\n' && (c != '#' || p.at == colon) {
		return p.value(column)
	}
	behind := p.columnOf(colon)
	p.at = colon
	if !p.endLine() {
		return nil
	}
	next, ok := p.next()
	switch {
	case !ok:
		return nil
	case next > column:
		return p.block(next, column)
	case next == column && p.isDash():
		return p.sequence(column)
	}
	return p.null(line, behind)
}

// columnOf returns the column of a place on the line at hand, from 1.
func (p *Parser) columnOf(at int) int {
	if !p.wide {
		return at - p.bol + 1
	}
	if p.counted < p.bol || p.counted > at {
		p.counted, p.runes = p.bol, 0
	}
	p.runes += utf8.RuneCount(p.text[p.counted:at])
	p.counted = at
	return p.runes + 1
}

// value reads a scalar or a flow collection at the place at hand, and the rest of
// its line. No collection in block style can begin there. parent is the column
// of the block collection around.
func (p *Parser) value(parent int) *yaml.Node {
	var n *yaml.Node
	switch c := p.peek(0); c {
	case '|', '>':
		return p.blockScalar(c, parent)
	case '"', '\'':
		n = p.quoted(c)
	case '[', '{':
		n = p.flow()
	default:
		if p.isDash() {
			return nil
		}
		n = p.plain()
	}
	if n == nil || !p.endLine() {
		return nil
	}
	return n
}
