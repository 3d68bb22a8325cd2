package fast

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// literal reads a literal scalar within a block collection at column parent. It leaves one with an indentation
// indicator to yaml.v3.
func (p *Parser) literal(parent int) *yaml.Node {
	n := p.node(yaml.ScalarNode, "!!str", p.at)
	n.Style = yaml.LiteralStyle
	p.at++
	chomp := p.peek(0)
	if chomp == '+' || chomp == '-' {
		p.at++
	}
	if !p.endLine() {
		return nil
	}
	blank, ok := p.lines(parent)
	if !ok {
		return nil
	}
	switch chomp {
	case '-':
		p.literals = bytes.TrimSuffix(p.literals, []byte("\n"))
	case '+':
		p.literals = append(p.literals, bytes.Repeat([]byte("\n"), blank)...)
	}
	n.Value = string(p.literals)
	return n
}

// lines reads the lines of a literal scalar into literals, and returns the number of blank lines after those with
// content. The first line with content determines the indentation.
func (p *Parser) lines(parent int) (blank int, ok bool) {
	p.literals = p.literals[:0]
	text := p.text
	indent := 0
	widest := 0 // of the blank lines before the indentation is known
	for {
		at := p.at
		for at < len(text) && text[at] == ' ' && (indent == 0 || at-p.at < indent) {
			at++
		}
		column := at - p.at
		switch {
		case at == len(text):
			// Spaces without a line break are not a line.
			p.at = at
			return blank, indent > 0 || column == 0
		case text[at] == '\n':
			widest = max(widest, column)
			blank++
			p.at = at
			p.newline()
			continue
		case indent == 0 && (text[at] == '\t' || widest > column):
			return 0, false
		case indent == 0:
			indent = max(column, parent+1, 1)
		}
		if column < indent {
			return blank, text[at] != '\t'
		}
		p.at = at
		p.skipLine()
		p.literals = append(append(p.literals, bytes.Repeat([]byte("\n"), blank)...), text[at:p.at]...)
		blank = 0
	}
}
