package fast

import (
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxDepth bounds the nesting of collections here. yaml.v3 allows more, and has its own limit.
const maxDepth = 200

// maxKeyLength bounds a key, including the blanks before its colon, in bytes. YAML allows 1024 characters.
const maxKeyLength = 512

// A Parser parses documents, one at a time, and reuses the memory of the previous tree. The zero value is ready to use.
//
// All methods that read start at the current position, at, and return nil or false to leave the text to yaml.v3.
type Parser struct {
	text string
	at   int  // the current offset
	bol  int  // beginning of at's line
	line int  // at's line, from 1
	wide bool // text has multi-byte characters

	// counted is an offset on at's line, and runes the number of characters before it on that line; only for wide
	// texts.
	counted, runes int

	depth   int
	nodes   arena[yaml.Node]
	content arena[*yaml.Node]
	pending []*yaml.Node // children so far of all open collections

	literals []byte // the lines of the current literal scalar
}

// Read returns the document node of text, or nil to leave it to yaml.v3. The nodes are valid until the next call. Their
// strings are slices of one copy of text.
func (p *Parser) Read(text []byte) *yaml.Node {
	ok, wide := readable(text)
	if !ok {
		return nil
	}
	p.text, p.at, p.bol, p.line, p.wide, p.depth = string(text), 0, 0, 1, wide, 0
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

// node returns a new node that begins at start, on the current line.
func (p *Parser) node(kind yaml.Kind, tag string, start int) *yaml.Node {
	return p.nodeAt(kind, tag, p.line, p.columnOf(start))
}

func (p *Parser) nodeAt(kind yaml.Kind, tag string, line, column int) *yaml.Node {
	n := &p.nodes.slice(1)[0]
	n.Kind, n.Tag, n.Line, n.Column = kind, tag, line, column
	return n
}

// close gives the collection n the nodes that became pending after it was opened.
func (p *Parser) close(n *yaml.Node, since int) {
	if children := p.pending[since:]; len(children) > 0 {
		n.Content = p.content.slice(len(children))
		copy(n.Content, children)
		p.pending = p.pending[:since]
	}
}

func (p *Parser) columnOf(at int) int {
	if !p.wide {
		return at - p.bol + 1
	}
	if p.counted < p.bol || p.counted > at {
		p.counted, p.runes = p.bol, 0
	}
	p.runes += utf8.RuneCountInString(p.text[p.counted:at])
	p.counted = at
	return p.runes + 1
}

// peek returns the byte n places ahead, or a line break at the end of the text.
func (p *Parser) peek(n int) byte {
	if p.at+n < len(p.text) {
		return p.text[p.at+n]
	}
	return '\n'
}

func (p *Parser) newline() {
	p.at++
	p.bol = p.at
	p.line++
}

func (p *Parser) skipSpaces() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

// next skips from the beginning of a line to the next content and returns its column, from 0; -1 at the end of the
// text.
func (p *Parser) next() (column int, ok bool) {
	for {
		p.skipSpaces()
		if p.at == len(p.text) {
			return -1, true
		}
		switch c := p.text[p.at]; c {
		case '\n':
			p.newline()
		case '#':
			p.skipLine()
		case '\t':
			return 0, false
		case '-', '.', '%':
			if p.at == p.bol && (c == '%' || p.peek(1) == c && p.peek(2) == c) {
				return 0, false // a marker or a directive
			}
			fallthrough
		default:
			return p.at - p.bol, true
		}
	}
}

// skipLine skips to the end of the line, including its break.
func (p *Parser) skipLine() {
	for p.at < len(p.text) && p.text[p.at] != '\n' {
		p.at++
	}
	if p.at < len(p.text) {
		p.newline()
	}
}

// endLine skips the rest of a line, which may only be a comment.
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

// block reads a node that is the first content of its line or follows a dash, within a block collection at column
// parent.
func (p *Parser) block(column, parent int) *yaml.Node {
	if p.isDash() {
		return p.sequence(column)
	}
	return p.inline(column, parent)
}

func (p *Parser) isDash() bool { return p.peek(0) == '-' && isBreakOrSpace(p.peek(1)) }

func isBreakOrSpace(c byte) bool { return c == ' ' || c == '\n' }

// inline reads a node that begins here: a scalar or a flow collection with the rest of its line, or the block mapping at
// that column, which is -1 where none can begin. parent is the column of the surrounding block collection.
func (p *Parser) inline(column, parent int) *yaml.Node {
	start := p.at
	var n *yaml.Node
	switch p.peek(0) {
	case '|':
		return p.literal(parent)
	case '[', '{':
		n = p.flow()
	default:
		n = p.scalar()
		if n != nil && column >= 0 && p.colon(start) {
			return p.mapping(column, n)
		}
	}
	if n == nil || !p.endLine() {
		return nil
	}
	return n
}

// colon skips the colon after a key that began at start.
func (p *Parser) colon(start int) bool {
	before := p.at
	p.skipSpaces()
	if p.at == len(p.text) || p.text[p.at] != ':' || p.at-start > maxKeyLength || !isBreakOrSpace(p.peek(1)) {
		p.at = before
		return false
	}
	p.at++
	return true
}

// sequence reads the block sequence at that column from its first dash.
func (p *Parser) sequence(column int) *yaml.Node {
	if p.depth++; p.depth > maxDepth {
		return nil
	}
	n := p.node(yaml.SequenceNode, "!!seq", p.at)
	since := len(p.pending)
	for {
		p.at++
		entry := p.entry(column, false)
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

// entry reads what follows a dash or, inMapping, a colon, of the collection at that column: the rest of the line, or a
// node on the lines below. If there is none, it returns a null at the place after the dash or the colon.
func (p *Parser) entry(column int, inMapping bool) *yaml.Node {
	start, line := p.at, p.line
	p.skipSpaces()
	if c := p.peek(0); c != '\n' && (c != '#' || p.at == start) {
		if inMapping {
			return p.inline(-1, column)
		}
		return p.block(p.at-p.bol, column)
	}
	after := p.columnOf(start)
	if p.at = start; !p.endLine() {
		return nil
	}
	next, ok := p.next()
	switch {
	case !ok:
		return nil
	case next > column:
		return p.block(next, column)
	case next == column && inMapping && p.isDash():
		return p.sequence(column)
	}
	return p.nodeAt(yaml.ScalarNode, "!!null", line, after)
}

// mapping reads the block mapping at that column, starting after the colon of its first key.
func (p *Parser) mapping(column int, key *yaml.Node) *yaml.Node {
	if p.depth++; p.depth > maxDepth {
		return nil
	}
	n := p.nodeAt(yaml.MappingNode, "!!map", key.Line, key.Column)
	since := len(p.pending)
	for {
		value := p.entry(column, true)
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
		if key = p.scalar(); key == nil || !p.colon(start) {
			return nil
		}
	}
	p.close(n, since)
	p.depth--
	return n
}
