package fast

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// blockScalar reads a literal or folded scalar within a block collection of the
// column parent.
func (p *Parser) blockScalar(indicator byte, parent int) *yaml.Node {
	n := p.node(yaml.ScalarNode, "!!str", p.at)
	n.Style = yaml.LiteralStyle
	if indicator == '>' {
		n.Style = yaml.FoldedStyle
	}
	p.at++
	chomp, increment := p.blockHeader()
	if !p.endLine() {
		return nil
	}
	indent := 0 // unknown
	if increment > 0 {
		indent = max(parent, 0) + increment
	}
	lines, ok := p.blockLines(indent, parent)
	if !ok {
		return nil
	}
	n.Value = lines.value(p.text, chomp, indicator == '>')
	return n
}

// blockHeader reads what follows the indicator of a block scalar: how to end it, and
// how far it is indented, 0 if that is not said.
func (p *Parser) blockHeader() (chomp byte, increment int) {
	for ; ; p.at++ {
		switch c := p.peek(0); {
		case (c == '+' || c == '-') && chomp == 0:
			chomp = c
		case '1' <= c && c <= '9' && increment == 0:
			increment = int(c - '0')
		default:
			return chomp, increment
		}
	}
}

type blockLines struct {
	start       int // where the first one begins, with content or blank
	indent      int
	first, last int // where the first line's content begins and the last line's ends
	count       int // lines with content
	blankBefore int // blank lines before the first one with content
	blankAfter  int // and after the last one
	hasBreak    bool
}

// blockLines steps over the lines of a block scalar. indent is how far they are
// indented, 0 if the first of them shows it.
func (p *Parser) blockLines(indent, parent int) (blockLines, bool) {
	l := blockLines{start: p.at, indent: indent}
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
			l.blankAfter++
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
		if l.count == 0 {
			l.first, l.blankBefore = at, l.blankAfter
		}
		l.count++
		l.blankAfter = 0
		end := strings.IndexByte(text[at:], '\n')
		if l.hasBreak = end >= 0; !l.hasBreak {
			end = len(text) - at
		}
		l.last = at + end
		p.at = l.last
		if !l.hasBreak {
			return l, true
		}
		p.newline()
	}
}

func (l *blockLines) value(text string, chomp byte, folded bool) string {
	if l.count == 1 && l.blankBefore == 0 && chomp != '+' {
		end := l.last
		if l.hasBreak && chomp != '-' {
			end++
		}
		return text[l.first:end]
	}
	var out strings.Builder
	out.Grow(max(0, l.last-l.start) + 1 + l.blankAfter)
	l.join(&out, text, folded)
	if l.hasBreak && chomp != '-' {
		out.WriteByte('\n')
	}
	if chomp == '+' {
		writeBreaks(&out, l.blankAfter)
	}
	return out.String()
}

// join writes the lines with content, and the blank ones before each.
func (l *blockLines) join(out *strings.Builder, text string, folded bool) {
	blank, afterBlank := 0, false
	for at, lines := l.start, 0; lines < l.count; {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text) - at
		}
		line := text[at : at+end]
		at += end + 1
		if len(line) <= l.indent {
			blank++
			continue
		}
		line = line[l.indent:]
		startsBlank := line[0] == ' ' || line[0] == '\t'
		switch {
		case lines == 0:
		case !folded || afterBlank || startsBlank:
			out.WriteByte('\n')
		case blank == 0:
			out.WriteByte(' ')
		}
		writeBreaks(out, blank)
		out.WriteString(line)
		blank, afterBlank = 0, startsBlank
		lines++
	}
}

func writeBreaks(out *strings.Builder, n int) {
	for range n {
		out.WriteByte('\n')
	}
}
