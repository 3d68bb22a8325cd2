package edit

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// A look is how new text looks.
type look struct {
	eol    string
	column int  // of the block collection around, from 0
	inFlow bool // else in block style, as far as the nodes are
	// In flow style: quotes of strings, double in JSON; no blanks, as in minified JSON; and
	// what divides entries, if they are on lines.
	quotes  yaml.Style
	isDense bool
	comma   string
	// isStrict: each string that is not plain is in quotes, on one line.
	isStrict bool
}

// look returns the look of what is next to a key. Without a key, text in flow style is valid
// in JSON too.
func (c *changer) look(at spot, key *yaml.Node) look {
	l := look{eol: c.eol, column: at.column, inFlow: at.inFlow}
	switch {
	case !at.inFlow:
	case key == nil:
		l.quotes = yaml.DoubleQuotedStyle
	case key.Kind == yaml.ScalarNode && key.Style&yaml.DoubleQuotedStyle != 0:
		l.quotes = yaml.DoubleQuotedStyle
		colon, ok := c.colon(key)
		l.isDense = ok && !isBlank(c.bytes[colon+1]) && breakLen(c.bytes, colon+1) == 0
	}
	return l
}

func (l look) margin() string { return strings.Repeat(" ", l.column) }

// space returns a mark, a comma or a colon, with the blank after it.
func (l look) space(mark string) string {
	if l.isDense {
		return mark
	}
	return mark + " "
}

// between returns what divides two entries.
func (l look) between() string {
	switch {
	case l.comma != "":
		return l.comma
	case l.inFlow:
		return l.space(",")
	}
	return l.eol + l.margin()
}

// join writes members of a collection. In block style, the first begins where the text is put.
func (l look) join(members [][]*yaml.Node) string {
	between := l.between()
	l.comma = ""
	texts := make([]string, len(members))
	for i, one := range members {
		switch {
		case len(one) > 1:
			texts[i] = l.entry(one[0], one[1])
		case l.inFlow:
			texts[i] = l.node(one[0])
		default:
			inside := l
			inside.column += len("- ")
			texts[i] = "- " + inside.node(one[0])
		}
	}
	return strings.Join(texts, between)
}

// maxKey is how long a key may be, in bytes, without a question mark before it. YAML allows
// 1024 characters.
const maxKey = 1000

func (l look) entry(key, value *yaml.Node) string {
	inFlow := l
	inFlow.inFlow = true
	named := *key
	if yamldoc.IsNull(key) {
		named.Style |= yaml.TaggedStyle // so that it stays the same text
	}
	text := inFlow.node(&named)
	switch {
	case key.Kind == yaml.AliasNode:
		text += " "
	case len(text) > maxKey:
		between := l.eol + l.margin()
		if l.inFlow {
			between = " "
		}
		text = "? " + text + between
	}
	return text + ":" + l.after(value)
}

// after writes the value of an entry, as it follows the colon.
func (l look) after(n *yaml.Node) string {
	if l.inFlow || !isBlockStyle(n) {
		return l.space("") + l.node(n)
	}
	if n.Kind == yaml.MappingNode {
		l.column += 2
	}
	return strings.TrimRight(" "+props(n), " ") + l.eol + l.margin() + l.join(members(n))
}

// node writes a node from where the text is put.
func (l look) node(n *yaml.Node) string {
	if n.Kind == yaml.AliasNode {
		return "*" + n.Value
	}
	p := props(n)
	switch {
	case n.Kind == yaml.ScalarNode:
		return p + l.scalar(n)
	case !l.inFlow && isBlockStyle(n):
		if p != "" {
			p = strings.TrimSpace(p) + l.eol + l.margin()
		}
		return p + l.join(members(n))
	}
	l.inFlow = true
	if n.Kind == yaml.MappingNode {
		return p + "{" + l.join(members(n)) + "}"
	}
	return p + "[" + l.join(members(n)) + "]"
}

// scalar writes the value of a scalar.
func (l look) scalar(n *yaml.Node) string {
	isTagged := isTagged(n)
	switch {
	case !isTagged && n.Value == "" && yamldoc.IsNull(n):
		return "null"
	case !isTagged && n.ShortTag() != "!!str":
		return n.Value
	case isBlockScalar(n) && !l.inFlow && !l.isStrict && mayBeLiteral(n.Value):
		return l.literal(n)
	case l.quotes != 0:
		return quote(n.Value, l.quotes, true)
	}
	return quote(n.Value, n.Style, l.inFlow)
}

// mayBeLiteral reports whether a literal can hold value without an indicator for more than
// its last line.
func mayBeLiteral(value string) bool {
	text := strings.TrimSuffix(value, "\n")
	isOdd := func(r rune) bool { return r != '\n' && !isPrintable(r) }
	return text != "" && text == strings.TrimSpace(text) && !strings.ContainsFunc(text, isOdd)
}

func (l look) literal(n *yaml.Node) string {
	text, isEnded := strings.CutSuffix(n.Value, "\n")
	head := "|"
	if n.Style&yaml.FoldedStyle != 0 && !strings.Contains(text, "\n") {
		head = ">" // of one line, which is the same
	}
	if !isEnded {
		head += "-"
	}
	margin := l.eol + l.margin() + "  "
	return head + strings.ReplaceAll(margin+strings.ReplaceAll(text, "\n", margin), margin+l.eol, l.eol+l.eol)
}

// props writes the anchor and the tag of a node.
func props(n *yaml.Node) string {
	text := ""
	if n.Anchor != "" {
		text = "&" + n.Anchor + " "
	}
	if isTagged(n) {
		switch tag := n.ShortTag(); {
		case strings.HasPrefix(tag, "!"):
			text += tag + " "
		default:
			text += "!<" + tag + "> "
		}
	}
	return text
}

// isTagged reports whether a node needs its tag: it has one, or is a null without bytes that an
// alias may make a key.
func isTagged(n *yaml.Node) bool {
	return n.Style&yaml.TaggedStyle != 0 || n.Anchor != "" && n.Value == "" && yamldoc.IsNull(n)
}

func isBlockStyle(n *yaml.Node) bool {
	return len(n.Content) > 0 && n.Style&yaml.FlowStyle == 0
}

func isBlockScalar(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

func lastLeaf(n *yaml.Node) *yaml.Node {
	for len(n.Content) > 0 {
		n = n.Content[len(n.Content)-1]
	}
	return n
}
