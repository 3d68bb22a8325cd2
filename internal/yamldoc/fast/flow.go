package fast

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// flow reads a flow collection up to its closing bracket.
func (p *Parser) flow() *yaml.Node {
	if p.depth++; p.depth > maxDepth {
		return nil
	}
	n, end := p.node(yaml.MappingNode, "!!map", p.at), byte('}')
	if p.text[p.at] == '[' {
		n.Kind, n.Tag, end = yaml.SequenceNode, "!!seq", ']'
	}
	n.Style = yaml.FlowStyle
	since := len(p.pending)
	p.at++
	if !p.skipFlowSpace() {
		return nil
	}
	for p.peek(0) != end {
		if n.Kind == yaml.MappingNode {
			key := p.flowKey()
			if key == nil {
				return nil
			}
			p.pending = append(p.pending, key)
		}
		var value *yaml.Node
		if c := p.peek(0); c == '[' || c == '{' {
			value = p.flow()
		} else {
			value = p.flowScalar()
		}
		if value == nil || !p.skipFlowSpace() {
			return nil
		}
		p.pending = append(p.pending, value)
		if p.peek(0) == end {
			break
		}
		if p.peek(0) != ',' {
			return nil
		}
		p.at++
		if !p.skipFlowSpace() || p.peek(0) == end {
			return nil
		}
	}
	p.at++
	p.close(n, since)
	p.depth--
	return n
}

// skipFlowSpace skips white space and line breaks within a flow collection. It reports false at the end of the text.
func (p *Parser) skipFlowSpace() bool {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t':
			p.at++
		case '\n':
			p.newline()
		case '-', '.', '%':
			return p.at != p.bol
		default:
			return true
		}
	}
	return false
}

// flowKey reads the key of an entry and its colon, on one line.
func (p *Parser) flowKey() *yaml.Node {
	start, line := p.at, p.line
	key := p.flowScalar()
	if key == nil {
		return nil
	}
	p.skipSpaces()
	if p.peek(0) != ':' || p.at-start > maxKeyLength {
		return nil
	}
	p.at++
	if !p.skipFlowSpace() || p.line != line {
		return nil
	}
	return key
}

// flowScalar reads a scalar within a flow collection, on one line.
func (p *Parser) flowScalar() *yaml.Node {
	if c := p.peek(0); c == '"' || c == '\'' {
		return p.quoted()
	}
	n, end := p.plain(true)
	if n == nil {
		return nil
	}
	switch {
	case end == len(p.text), p.text[end] == '?', p.text[end] == '#':
		return nil
	case p.text[end] == '\n' && !endsFlow(p.text[end:]):
		return nil // the scalar may continue
	}
	return n
}

// endsFlow reports whether the next character after spaces and line breaks ends an entry of a flow collection.
func endsFlow(text string) bool {
	rest := strings.TrimLeft(text, " \n")
	return rest != "" && strings.IndexByte(",]}", rest[0]) >= 0
}
