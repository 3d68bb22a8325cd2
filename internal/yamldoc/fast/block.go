package fast

import (
	"strings"

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
	l, ok := p.lines(parent)
	if !ok {
		return nil
	}
	n.Value = l.value(p.text)
	switch {
	case chomp == '-':
		n.Value = strings.TrimSuffix(n.Value, "\n")
	case chomp == '+' && l.blank > 0:
		n.Value += strings.Repeat("\n", l.blank)
	}
	return n
}

// lines describes the lines of a literal scalar.
type lines struct {
	start, end int // from the first line to the last with content, and its break
	indent     int // 0 if no line has content
	blank      int // number of blank lines after these
}

// lines skips the lines of a literal scalar. The first with content determines the indentation.
func (p *Parser) lines(parent int) (lines, bool) {
	l := lines{start: p.at, end: p.at}
	text := p.text
	widest := 0 // of the blank lines before the indentation is known
	for {
		at := p.at
		for at < len(text) && text[at] == ' ' && (l.indent == 0 || at-p.at < l.indent) {
			at++
		}
		column := at - p.at
		if at == len(text) {
			// Spaces without a line break are not a line.
			p.at = at
			return l, l.indent > 0 || column == 0
		}
		if text[at] == '\n' {
			widest = max(widest, column)
			l.blank++
			p.at = at
			p.newline()
			continue
		}
		if l.indent == 0 {
			if text[at] == '\t' || widest > column {
				return l, false
			}
			l.indent = max(column, parent+1, 1)
		}
		if column < l.indent {
			return l, text[at] != '\t'
		}
		p.at = at
		p.skipLine()
		l.end, l.blank = p.at, 0
	}
}

func (l *lines) value(text string) string {
	text = text[l.start:l.end]
	if first := strings.IndexByte(text, '\n'); first < 0 || first == len(text)-1 {
		return text[min(l.indent, len(text)):]
	}
	var out strings.Builder
	out.Grow(len(text))
	for line := range strings.Lines(text) {
		if len(line) <= l.indent {
			line = "\n"
		} else {
			line = line[l.indent:]
		}
		out.WriteString(line)
	}
	return out.String()
}
