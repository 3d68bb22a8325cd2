package edit

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// parts are the elements of a chunk's list, each to be encoded anew by itself.
type parts struct {
	text  []byte
	list  *yaml.Node
	units []*unit
}

// listOf returns the block sequence that holds a document's items, be it the
// document itself or its items, nil if there is none; and the key that follows
// its entry, nil if none does.
func listOf(root *yaml.Node) (list, behind *yaml.Node) {
	list = root
	if root.Kind == yaml.MappingNode {
		i, err := findKey(root, "", "items")
		if err != nil || i < 0 || !isOwnBlock(root) {
			return nil, nil
		}
		if list = root.Content[i+1]; i+2 < len(root.Content) {
			behind = root.Content[i+2]
		}
	}
	if list.Kind != yaml.SequenceNode || !isOwnBlock(list) {
		return nil, nil
	}
	return list, behind
}

// isOwnBlock reports whether n is written on lines of its own and nothing
// stands before its first element.
func isOwnBlock(n *yaml.Node) bool {
	return isBlock(n) && n.Anchor == "" && n.Style&yaml.TaggedStyle == 0
}

// newParts tells the elements of the chunk's list apart. It returns nil where that
// is not certain: where they do not each begin a line, in one column. It
// goes by the nodes' positions, so no edit may have been made.
func newParts(source []byte, root *yaml.Node) *parts {
	list, behind := listOf(root)
	if list == nil {
		return nil
	}
	t := text{bytes: source}
	limit := len(source)
	if behind != nil {
		at, ok := t.offset(behind.Line, behind.Column)
		if limit = t.lineStart(at); !ok || skipSpaces(source, limit) != at {
			return nil
		}
	}
	// The text of each element and what stands behind it ends where the next
	// one's line begins.
	var ends []int
	column, from := -1, 0
	for i, element := range list.Content {
		line, dash, ok := t.dash(element)
		if !ok || line < from || line >= limit || column >= 0 && dash-line != column {
			return nil
		}
		if column, from = dash-line, line+1; i > 0 {
			ends = append(ends, line)
		}
	}
	ends = append(ends, limit)
	p := &parts{text: source, list: list}
	from = 0
	for i, element := range list.Content {
		u := newUnit(&t, element, ends[i])
		if u.err != nil || u.start < from || u.end < u.start || u.end > ends[i] {
			return nil
		}
		u.from, from = from, u.end
		p.units = append(p.units, u)
	}
	for i, u := range p.units[1:] {
		p.units[i].until = u.start
	}
	p.units[len(p.units)-1].until = limit
	return p
}

// encode returns the text with those elements encoded anew that differ from
// what they were. It reports false where more differs than elements that are
// mappings, or where what comes out does not read back the same.
func (p *parts) encode(doc, was *yaml.Node) ([]byte, bool) {
	before, _ := listOf(was.Content[0])
	if before == nil || len(before.Content) != len(p.units) || !sameBut(doc, was, p.list, before) {
		return nil, false
	}
	var changed []*unit
	for i, u := range p.units {
		if sameBut(u.node, before.Content[i], nil, nil) {
			continue
		}
		if u.node.Kind != yaml.MappingNode {
			return nil, false
		}
		u.prepare()
		changed = append(changed, u)
	}
	for {
		out, err := p.write(changed)
		if err != nil {
			return nil, false
		}
		again, err := parse(out)
		if err == nil && sameNode(doc, again, make(map[*yaml.Node]*yaml.Node)) && staysApart(p.text, out) {
			return out, true
		}
		if !p.simplify(changed, again) {
			return nil, false
		}
	}
}

func (p *parts) write(changed []*unit) ([]byte, error) {
	out, from := make([]byte, 0, len(p.text)+len(p.text)/8), 0
	for _, u := range changed {
		body, err := u.write()
		if err != nil {
			return nil, err
		}
		out = append(append(out, p.text[from:u.start]...), body...)
		from = u.end
	}
	return append(out, p.text[from:]...), nil
}

// simplify has those of the elements written more simply that do not read back
// the same, or all where it cannot be told which ones. It reports false if none
// can be.
func (p *parts) simplify(changed []*unit, again *yaml.Node) bool {
	var list *yaml.Node
	if again != nil {
		list, _ = listOf(again.Content[0])
	}
	var differ []*unit
	if list != nil && len(list.Content) == len(p.units) {
		pairs := make(map[*yaml.Node]*yaml.Node)
		for i, u := range p.units {
			if !sameNode(u.node, list.Content[i], pairs) && slices.Contains(changed, u) {
				differ = append(differ, u)
			}
		}
	}
	if len(differ) == 0 {
		differ = changed
	}
	simpler := false
	for _, u := range differ {
		simpler = u.simplify() || simpler
	}
	return simpler
}

// sameBut reports whether two trees would be written the same, but for what is
// in the nodes skipA and skipB.
func sameBut(a, b, skipA, skipB *yaml.Node) bool {
	if a.Kind != b.Kind || a.Style != b.Style || a.Tag != b.Tag || a.Value != b.Value || a.Anchor != b.Anchor ||
		a.HeadComment != b.HeadComment || a.LineComment != b.LineComment || a.FootComment != b.FootComment {
		return false
	}
	if a == skipA {
		return b == skipB
	}
	if len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !sameBut(a.Content[i], b.Content[i], skipA, skipB) {
			return false
		}
	}
	return true
}
