package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A unit is the node that is encoded anew, and how its text looks.
type unit struct {
	text        []byte
	node        *yaml.Node
	start, end  int // its bytes
	from, until int // the bytes around, in which its outer comments stand
	column      int // where its lines begin, from 0
	indent      int // of what is in a mapping
	compact     bool
	isJSON      bool
	pretty      string // indentation of JSON that has line breaks
	simpler     int    // how often it has been simplified
	err         error
}

// newUnit finds the text of node, which stands before limit. It goes by the
// nodes' positions, so no edit may have been made.
func newUnit(t *text, node *yaml.Node, limit int) *unit {
	source := t.bytes
	u := &unit{text: source, node: node, indent: 2, until: len(source)}
	start, ok := t.offset(u.node.Line, u.node.Column)
	if !ok || bytes.HasPrefix(source, []byte("\xff\xfe")) || bytes.HasPrefix(source, []byte("\xfe\xff")) {
		u.err = errors.New("found text in UTF-16 where UTF-8 is needed")
		return u
	}
	u.start, u.end, u.column = start, contentEnd(t, u.node, limit), u.node.Column-1
	u.layout(u.node)
	if u.end < u.start {
		return u
	}
	if body := source[u.start:u.end]; u.node.Style&yaml.FlowStyle != 0 && json.Valid(body) {
		u.isJSON = true
		if first := lineEnd(body, 0); first < len(body) {
			next := skipSpace(body, first, false)
			lead := t.lineStart(u.start + next)
			base := t.lineStart(u.start)
			u.column = skipBlanks(source, base) - base
			u.pretty = strings.TrimPrefix(string(source[lead:u.start+next]), string(source[base:base+u.column]))
		}
	}
	return u
}

// layout finds out how deep mappings are indented, and whether the dashes of a
// sequence stand under the first letter of its key.
func (u *unit) layout(n *yaml.Node) {
	foundIndent, foundDash := false, false
	var visit func(n *yaml.Node)
	visit = func(n *yaml.Node) {
		if n.Style&yaml.FlowStyle != 0 || foundIndent && foundDash {
			return
		}
		for i, child := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 1 && child.Style&(yaml.FlowStyle|yaml.TaggedStyle) == 0 &&
				child.Anchor == "" && child.Line > n.Content[i-1].Line {
				deeper := child.Column - n.Content[i-1].Column
				switch {
				case child.Kind == yaml.SequenceNode && !foundDash:
					u.compact, foundDash = deeper == 0, true
				case child.Kind == yaml.MappingNode && !foundIndent && deeper >= 2 && deeper <= 9:
					u.indent, foundIndent = deeper, true
				}
			}
			visit(child)
		}
	}
	visit(n)
}

// contentEnd returns where the last line of n's text ends, which is before
// limit. Comments and blank lines behind it do not belong to n.
func contentEnd(t *text, n *yaml.Node, limit int) int {
	b := t.bytes[:limit]
	leaf := lastLeaf(n)
	least, ok := t.offset(leaf.Line, leaf.Column)
	if !ok {
		return limit
	}
	switch {
	case isBlockScalar(leaf):
		return blockScalarEnd(t, skipProperties(b, least), indentAbove(n, leaf), limit)
	case leaf.Kind == yaml.ScalarNode && leaf.Style&quotedStyles != 0:
		least = quotedEnd(b, skipProperties(b, least))
	case leaf.Kind == yaml.ScalarNode && leaf.Value == "":
		// What is not written at all stands where the next thing does.
		least, _ = t.offset(n.Line, n.Column)
	}
	end := limit
	for end > least {
		start := t.lineStart(end)
		// A tab belongs to a plain scalar: behind another it is an error.
		line := strings.Trim(string(b[start:end]), " ")
		if start <= least || line != "" && line[0] != '#' && line != "..." {
			break
		}
		end = lineEnd(b, t.lineStart(start-1))
	}
	return end
}

// indentAbove returns the indentation of the collection that n's last leaf is
// in, or n's where that cannot be told.
func indentAbove(n, leaf *yaml.Node) int {
	parent := n
	for len(parent.Content) > 0 && parent.Content[len(parent.Content)-1] != leaf {
		parent = parent.Content[len(parent.Content)-1]
	}
	column := parent.Column
	if parent.Anchor != "" || parent.Style&yaml.TaggedStyle != 0 {
		column = n.Column // that of parent may be another line's
		if parent.Kind == yaml.MappingNode {
			column = parent.Content[0].Column
		}
	}
	if parent.Kind == yaml.MappingNode {
		column = min(column, parent.Content[0].Column)
	}
	return column - 1
}

// skipProperties returns where the node begins that may have an anchor and a
// tag at b[at], and the rest on a later line.
func skipProperties(b []byte, at int) int {
	for at < len(b) && (b[at] == '!' || b[at] == '&') {
		for at < len(b) && !isBlank(b[at]) && breakLen(b, at) == 0 {
			at++
		}
		at = skipSpace(b, at, true)
	}
	return at
}

// quotedEnd returns where the quoted scalar at b[at] ends.
func quotedEnd(b []byte, at int) int {
	for i := at + 1; i < len(b); i++ {
		switch {
		case b[i] == '\\' && b[at] == '"':
			i++
		case b[i] == b[at] && b[at] == '\'' && i+1 < len(b) && b[i+1] == '\'':
			i++
		case b[i] == b[at]:
			return i + 1
		}
	}
	return len(b)
}

// blockScalarEnd returns where the last line ends of the literal or folded
// scalar whose header is at at, in a collection of that indentation. The break
// of that line is never the scalar's alone: it parts it from what follows.
func blockScalarEnd(t *text, at, outer, limit int) int {
	b := t.bytes
	header := lineEnd(b, at)
	indicators, _, _ := strings.Cut(string(b[at:header]), "#")
	keep := strings.Contains(indicators, "+")
	end, least, found := header, outer+1, false
	if i := strings.IndexAny(indicators, "123456789"); i >= 0 {
		least, found = outer+int(indicators[i]-'0'), true
	}
	for line := t.lineOf(at) + 1; line < len(t.lines); line++ {
		start := t.lines[line]
		if start >= limit {
			break
		}
		stop := lineEnd(b, start)
		indent := 0
		for start+indent < stop && b[start+indent] == ' ' {
			indent++
		}
		switch {
		case start+indent == stop:
			if keep {
				end = stop
			}
			continue
		case indent < least:
			return end
		case !found:
			least, found = indent, true
		}
		end = stop
	}
	return end
}

// encode returns the text with the unit's node in the place of its bytes. What
// comes out is parsed and held against the nodes: yaml.v3 does not write every
// string and every comment in a way that it reads as the same.
func (u *unit) encode(doc *yaml.Node) ([]byte, error) {
	if u.err != nil {
		return nil, u.err
	}
	u.prepare()
	for more := true; more; more = u.simplify() {
		body, err := u.write()
		if err != nil {
			continue
		}
		out := slices.Concat(u.text[:u.start], []byte(body), u.text[u.end:])
		if again, err := parse(out); err == nil && sameNode(doc, again, make(map[*yaml.Node]*yaml.Node)) && staysApart(u.text, out) {
			return out, nil
		}
	}
	return nil, errors.New("the edited item cannot be written as YAML that reads back the same; write it without anchors, merge keys and multi-line strings")
}

// prepare makes the nodes ready to be written.
func (u *unit) prepare() {
	if u.node.Style&yaml.FlowStyle == 0 {
		dropOuterComments(u.node, string(u.text[u.from:u.start]), string(u.text[u.end:u.until]))
	}
	nameNulls(u.node, false)
	placeComments(u.node)
}

// simplify has the unit written with less of its looks. It reports false where
// nothing is left to be given up.
func (u *unit) simplify() bool {
	switch u.simpler++; u.simpler {
	case 1:
		u.indent, u.compact = 2, false // 3 and compact do not go together in yaml.v3
	case 2:
		quoteStrings(u.node, func(n *yaml.Node) bool { return !survives(n) })
	case 3:
		dropComments(u.node, true)
	case 4:
		quoteStrings(u.node, func(*yaml.Node) bool { return true })
	case 5:
		dropComments(u.node, false)
	default:
		return false
	}
	return true
}

// staysApart reports whether out, which comes in the place of was, can be
// followed by what can follow was: a further element of the list, or a document.
func staysApart(was, out []byte) bool {
	if !endsInBreak(was) {
		return true // nothing follows on a line of its own
	}
	if !endsInBreak(out) {
		return false
	}
	return isFollowed(out) || !isFollowed(was)
}

// isFollowed reports whether b means the same where more follows: another
// element if it is a block sequence, and another document.
func isFollowed(b []byte) bool {
	doc, err := parse(b)
	if err != nil {
		return false
	}
	root, next := doc.Content[0], "---\nnext\n"
	elements := len(root.Content)
	isBlockList := root.Kind == yaml.SequenceNode && root.Style&yaml.FlowStyle == 0
	if isBlockList {
		t := text{bytes: b}
		line, dash, ok := t.dash(root.Content[0])
		if !ok {
			return false
		}
		next = strings.Repeat(" ", dash-line) + "- next\n" + next
	}
	decoder := yaml.NewDecoder(bytes.NewReader(slices.Concat(b, []byte(next))))
	var first, second, third yaml.Node
	if decoder.Decode(&first) != nil || decoder.Decode(&second) != nil || !errors.Is(decoder.Decode(&third), io.EOF) {
		return false
	}
	if again := first.Content[0]; isBlockList && again.Kind == yaml.SequenceNode {
		if len(again.Content) != elements+1 || !isStringNode(again.Content[elements], "next") {
			return false
		}
		again.Content = again.Content[:elements]
	}
	return isStringNode(second.Content[0], "next") && sameNode(doc, &first, make(map[*yaml.Node]*yaml.Node))
}

// write returns the text of the unit's node.
func (u *unit) write() (string, error) {
	var out strings.Builder
	if u.isJSON {
		u.writeJSON(&out, u.node, "\n")
	} else {
		defer hideMergeTags(u.node)()
		encoder := yaml.NewEncoder(&out)
		encoder.SetIndent(u.indent)
		if u.compact {
			encoder.CompactSeqIndent()
		}
		if err := encoder.Encode(u.node); err != nil {
			return "", fmt.Errorf("cannot encode the edited item: %w", err)
		}
		if err := encoder.Close(); err != nil {
			return "", fmt.Errorf("cannot encode the edited item: %w", err)
		}
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for i, line := range lines[1:] {
		if line != "" {
			lines[i+1] = strings.Repeat(" ", u.column) + line
		}
	}
	return strings.Join(lines, lineBreak(u.text, 0, 0)), nil
}

// hideMergeTags takes the tag off merge keys, which yaml.v3 would write out as
// !!merge, and returns what puts it back.
func hideMergeTags(n *yaml.Node) (restore func()) {
	var keys []*yaml.Node
	var visit func(n *yaml.Node)
	visit = func(n *yaml.Node) {
		for i, child := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 0 && isMerge(child) && child.Style&yaml.TaggedStyle == 0 {
				keys = append(keys, child)
				child.Tag = ""
			}
			visit(child)
		}
	}
	visit(n)
	return func() {
		for _, key := range keys {
			key.Tag = "!!merge"
		}
	}
}

// writeJSON writes a node that was read from JSON, and what edits made of it.
func (u *unit) writeJSON(out *strings.Builder, n *yaml.Node, eol string) {
	inner, comma, colon := eol+u.pretty, ",", ":"
	if u.pretty == "" {
		inner, eol = "", ""
	}
	if u.pretty != "" || bytes.Contains(u.text[u.start:u.end], []byte(`": `)) {
		colon = ": "
	}
	if u.pretty == "" && colon == ": " {
		comma = ", "
	}
	switch {
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str":
		out.WriteString(quoteDouble(n.Value))
	case n.Kind == yaml.ScalarNode:
		out.WriteString(n.Value)
	case len(n.Content) == 0 && n.Kind == yaml.MappingNode:
		out.WriteString("{}")
	case len(n.Content) == 0:
		out.WriteString("[]")
	case n.Kind == yaml.MappingNode:
		out.WriteString("{")
		for i := 0; i < len(n.Content); i += 2 {
			if i > 0 {
				out.WriteString(comma)
			}
			out.WriteString(inner + quoteDouble(n.Content[i].Value) + colon)
			u.writeJSON(out, n.Content[i+1], inner)
		}
		out.WriteString(eol + "}")
	default:
		out.WriteString("[")
		for i, child := range n.Content {
			if i > 0 {
				out.WriteString(comma)
			}
			out.WriteString(inner)
			u.writeJSON(out, child, inner)
		}
		out.WriteString(eol + "]")
	}
}

// dropOuterComments takes those comments off n's tree that stand before or
// behind its text, and stay there.
func dropOuterComments(n *yaml.Node, before, behind string) {
	outside := func(comment, text string) bool {
		line, _, _ := strings.Cut(comment, "\n")
		return line != "" && strings.Contains(text, line)
	}
	for first := n; ; first = first.Content[0] {
		if outside(first.HeadComment, before) {
			first.HeadComment = ""
		}
		if len(first.Content) == 0 {
			break
		}
	}
	for last := n; ; last = last.Content[len(last.Content)-1] {
		if outside(last.FootComment, behind) {
			last.FootComment = ""
		}
		if len(last.Content) == 0 || last.Style&yaml.FlowStyle != 0 {
			break
		}
		if last.Kind == yaml.MappingNode {
			if key := last.Content[len(last.Content)-2]; outside(key.FootComment, behind) {
				key.FootComment = ""
			}
		}
	}
}

// nameNulls writes the nulls out that are keys or stand in flow collections:
// yaml.v3 makes empty strings of them if they are not written at all. A key
// gets a tag, so that it stays the same key.
func nameNulls(n *yaml.Node, inFlow bool) {
	inFlow = inFlow || n.Style&yaml.FlowStyle != 0
	for i, child := range n.Content {
		switch {
		case !isNull(child) || child.Value != "":
		case n.Kind == yaml.MappingNode && i%2 == 0, child.Anchor != "": // an alias may be a key
			child.Style |= yaml.TaggedStyle
		case inFlow:
			child.Value = "null"
		}
		nameNulls(child, inFlow)
	}
}

// quoteStrings puts those of the strings in double quotes that are spread over
// lines or hold unusual characters.
func quoteStrings(n *yaml.Node, which func(*yaml.Node) bool) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && n.Style&yaml.DoubleQuotedStyle == 0 {
		if (isBlockScalar(n) || !staysPlain(n.Value, false)) && which(n) {
			n.Style = n.Style&yaml.TaggedStyle | yaml.DoubleQuotedStyle
		}
	}
	for _, child := range n.Content {
		quoteStrings(child, which)
	}
}

// survives reports whether yaml.v3 reads a scalar as it writes it.
func survives(n *yaml.Node) bool {
	alone := *n
	alone.HeadComment, alone.LineComment, alone.FootComment = "", "", ""
	key := yaml.Node{Kind: yaml.ScalarNode, Value: "key"}
	text, err := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{&key, &alone}})
	if err != nil {
		return false
	}
	doc, err := parse(text)
	if err != nil || len(doc.Content[0].Content) != 2 {
		return false
	}
	read := doc.Content[0].Content[1]
	return read.Kind == yaml.ScalarNode && read.Value == n.Value && read.ShortTag() == n.ShortTag()
}

// placeComments puts line comments where yaml.v3 writes them as it reads them:
// behind a key if its value is on lines of its own, else behind the value. What
// follows an alias would land on a later line, and what stands between a key
// and an anchor or a tag would throw these back to the margin: that goes over
// the entry.
func placeComments(n *yaml.Node) {
	for i, child := range n.Content {
		holder := child
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			holder = n.Content[i-1]
			from, to := child, holder
			if !isBlock(child) {
				from, to = holder, child
			}
			if to.LineComment == "" {
				from.LineComment, to.LineComment = "", from.LineComment
			}
			if from.LineComment != "" || child.Anchor != "" || child.Style&yaml.TaggedStyle != 0 {
				liftComment(holder, holder)
			}
		}
		if child.Kind == yaml.AliasNode || isBlock(child) {
			liftComment(child, holder)
		}
		placeComments(child)
	}
}

// isBlock reports whether n is written on lines of its own.
func isBlock(n *yaml.Node) bool {
	return len(n.Content) > 0 && n.Style&yaml.FlowStyle == 0
}

func liftComment(from, to *yaml.Node) {
	to.HeadComment = strings.Trim(to.HeadComment+"\n"+from.LineComment, "\n")
	from.LineComment = ""
}

// dropComments takes the comments off n's tree, or off the flow collections in
// it: there yaml.v3 puts them where they swallow what follows.
func dropComments(n *yaml.Node, onlyFlow bool) {
	if onlyFlow = onlyFlow && n.Style&yaml.FlowStyle == 0; !onlyFlow {
		n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	}
	for _, child := range n.Content {
		dropComments(child, onlyFlow)
	}
}

// sameNode reports whether two trees mean the same: kinds, tags, values and
// order, and what aliases stand for. Pairs holds which nodes with anchors
// correspond.
func sameNode(a, b *yaml.Node, pairs map[*yaml.Node]*yaml.Node) bool {
	if a.Kind != b.Kind || len(a.Content) != len(b.Content) {
		return false
	}
	if a.Kind == yaml.AliasNode {
		return pairs[a.Alias] == b.Alias
	}
	if a.Value != b.Value || a.Kind != yaml.DocumentNode && a.ShortTag() != b.ShortTag() {
		return false
	}
	if a.Anchor != "" {
		pairs[a] = b
	}
	for i := range a.Content {
		if !sameNode(a.Content[i], b.Content[i], pairs) {
			return false
		}
	}
	return true
}
