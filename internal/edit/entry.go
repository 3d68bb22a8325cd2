package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/yamldoc"

	"go.yaml.in/yaml/v3"
)

// mappings carries out the edits of one item that are about entries. It gathers
// them before it writes: entries that land in the same mapping are written
// together, and may share a mapping that none of them finds.
type mappings struct {
	*splicer
	additions []*addition
	removals  []*removal
	nulls     map[*yaml.Node]bool // null values that have been replaced
}

// An addition is a new entry and where it goes.
type addition struct {
	at    site
	place int // the number of the entries of the mapping that stand before it
	entry *entry
}

// An entry is one to be written: of a scalar, or of a mapping.
type entry struct {
	key, value string
	isBool     bool
	children   []*entry // of a mapping, at least one
}

// A removal is what is to be removed from a mapping.
type removal struct {
	at      site
	indexes []int // in the mapping's Content, of the keys
}

// A site is where the way to a mapping ends: at that mapping or, if it is
// missing, at the last one there is.
type site struct {
	mapping *yaml.Node
	key     *yaml.Node // the key whose value mapping is; nil if it is no value

	// fill and null are the key and the value of an entry of mapping that the
	// way leads through, but that holds nothing.
	fill, null *yaml.Node

	missing []string // the keys from there on
}

func (m *mappings) set(root yamldoc.Path, e SetEntry) (bool, error) {
	at, ok, err := m.walk(root, e.Parent)
	if err != nil || !ok {
		return false, err
	}
	if at.fill == nil && len(at.missing) == 0 {
		i, err := findKey(at.mapping, e.Parent, e.Key)
		if err != nil {
			return false, err
		}
		if i >= 0 {
			return m.replace(at.mapping.Content[i], at.mapping.Content[i+1], e)
		}
	}
	return m.extend(at, e), nil
}

// walk follows root and parent through the chunk's tree. It reports false where
// a node on the way is an alias or has an anchor, a tag or a merge key.
func (m *mappings) walk(root, parent yamldoc.Path) (at site, ok bool, err error) {
	if m.root == nil {
		doc, err := m.parser.Parse(m.bytes)
		if err == nil && doc.Kind == 0 {
			err = errEmpty
		}
		if err != nil {
			return site{}, false, err
		}
		m.root = doc.Content[0]
	}
	steps, inRoot, err := bothSteps(root, parent)
	if err != nil {
		return site{}, false, err
	}
	var above, key *yaml.Node
	node, path := m.root, yamldoc.Path("")
	for i := 0; ; i++ {
		if i == inRoot {
			path = ""
		}
		if node.Kind == yaml.AliasNode || node.Anchor != "" || node.Style&yaml.TaggedStyle != 0 || mergeIndex(node) >= 0 {
			return site{}, false, nil
		}
		if i > inRoot && key != nil && isNull(node) {
			missing, err := keysOf(steps[i:], path)
			return site{mapping: above, fill: key, null: node, missing: missing}, err == nil, err
		}
		if i == len(steps) {
			return site{mapping: node, key: key}, node.Kind == yaml.MappingNode, mustBe(yaml.MappingNode, node, path)
		}
		child, childKey, err := stepInto(node, path, steps[i])
		if err != nil {
			return site{}, false, err
		}
		if child == nil {
			if i < inRoot {
				return site{}, false, noItem(root)
			}
			missing, err := keysOf(steps[i:], path)
			return site{mapping: node, key: key, missing: missing}, err == nil, err
		}
		above, key = node, childKey
		node, path = child, steps[i].From(path)
	}
}

// replace sets the value of an entry that is there.
func (m *mappings) replace(key, value *yaml.Node, e SetEntry) (bool, error) {
	if value.Kind == yaml.AliasNode || value.Anchor != "" {
		return false, nil
	}
	if err := mustBe(yaml.ScalarNode, value, e.Parent.Key(e.Key)); err != nil {
		return false, err
	}
	if m.nulls[value] {
		return false, nil
	}
	if !e.Bool && (value.Value != "" || value.Style&quotedStyles != 0) {
		return m.setScalar(SetScalar{At: ScalarAt("", value, false), Value: e.Value}), nil
	}
	same := holds(value, e)
	text := e.Value
	if !e.Bool {
		text = requote(e.Value, ScalarAt("", value, false))
	}
	if value.Value == "" && value.Style == 0 {
		colon, ok := m.colon(key)
		if ok = ok && m.isNothing(colon, value); ok {
			m.setNull(value)
			m.add(colon+1, colon+1, " "+text)
		}
		return ok, nil
	}
	start, end, ok := m.find(ScalarAt("", value, false))
	switch {
	case !ok || m.bytes[start] == '!':
		return same, nil
	case same:
		text = string(m.bytes[start:end])
	}
	m.add(start, end, text)
	return true, nil
}

func (m *mappings) setNull(value *yaml.Node) {
	if m.nulls == nil {
		m.nulls = make(map[*yaml.Node]bool)
	}
	m.nulls[value] = true
}

// extend notes a new entry, and the mappings around it that are missing.
func (m *mappings) extend(at site, e SetEntry) bool {
	if at.null != nil && m.nulls[at.null] && !slices.ContainsFunc(m.additions, func(a *addition) bool { return a.at.null == at.null }) {
		return false // another edit has put a scalar there
	}
	keys := slices.Concat(at.missing, []string{e.Key})
	for _, key := range keys {
		// A key that is not sought with "?" ends within 1024 characters.
		if len(key) > 500 {
			return false
		}
	}
	for _, a := range m.additions {
		if a.at.mapping == at.mapping && a.at.null == at.null && a.entry.key == keys[0] {
			return a.entry.set(keys[1:], e)
		}
	}
	first := &entry{key: keys[0]}
	for last := first; ; {
		if keys = keys[1:]; len(keys) == 0 {
			last.value, last.isBool = e.Value, e.Bool
			break
		}
		child := &entry{key: keys[0]}
		last.children = []*entry{child}
		last = child
	}
	if at.null != nil {
		m.setNull(at.null)
	}
	m.additions = append(m.additions, &addition{at: at, place: place(at, e), entry: first})
	return true
}

// set adds to an entry that an edit before has created.
func (n *entry) set(keys []string, e SetEntry) bool {
	if len(keys) == 0 {
		n.value, n.isBool = e.Value, e.Bool
		return n.children == nil
	}
	if n.children == nil {
		return false
	}
	for _, child := range n.children {
		if child.key == keys[0] {
			return child.set(keys[1:], e)
		}
	}
	child := &entry{key: keys[0]}
	if len(keys) > 1 {
		child.children = []*entry{{key: keys[1]}}
		n.children = append(n.children, child)
		return child.set(keys[1:], e)
	}
	child.value, child.isBool = e.Value, e.Bool
	n.children = append(n.children, child)
	return true
}

// place returns the number of the mapping's entries that a new one follows.
func place(at site, e SetEntry) int {
	content := at.mapping.Content
	if e.After != "" && (len(at.missing) > 0 || at.key == nil) {
		for i := 0; i < len(content); i += 2 {
			if content[i].Value == e.After && isOneLine(content[i], content[i+1]) {
				return i/2 + 1
			}
		}
	}
	if at.key != nil || at.mapping.Style&yaml.FlowStyle != 0 {
		return 0
	}
	// No line names the mapping, and its first entry may follow a "- ".
	for i := 0; i < len(content); i += 2 {
		if isOneLine(content[i], content[i+1]) {
			return i/2 + 1
		}
	}
	return 0
}

// isOneLine reports whether an entry is a scalar that begins on its key's line.
func isOneLine(key, value *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && value.Kind == yaml.ScalarNode && key.Line == value.Line &&
		value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 && !isNull(value)
}

func (m *mappings) remove(root yamldoc.Path, e RemoveEntry) (bool, error) {
	at, ok, err := m.walk(root, e.Parent)
	if err != nil || !ok {
		return false, err
	}
	for _, a := range m.additions {
		if a.at.mapping == at.mapping && a.at.null == at.null {
			// What is to be removed may just have been added.
			if at.fill != nil || len(at.missing) > 0 || a.entry.key == e.Key {
				return false, nil
			}
		}
	}
	if at.fill != nil || len(at.missing) > 0 {
		return true, nil
	}
	i, err := findKey(at.mapping, e.Parent, e.Key)
	if err != nil || i < 0 {
		return err == nil, err
	}
	value := at.mapping.Content[i+1]
	if value.Kind != yaml.ScalarNode || value.Value == "" && value.Style == 0 {
		return false, nil
	}
	for _, r := range m.removals {
		if r.at.mapping == at.mapping {
			if !slices.Contains(r.indexes, i) {
				r.indexes = append(r.indexes, i)
			}
			return true, nil
		}
	}
	m.removals = append(m.removals, &removal{at: at, indexes: []int{i}})
	return true, nil
}

// finish turns what was gathered into splices.
func (m *mappings) finish() bool {
	for _, r := range m.removals {
		extended := slices.ContainsFunc(m.additions, func(a *addition) bool { return a.at.mapping == r.at.mapping })
		var ok bool
		if r.at.mapping.Style&yaml.FlowStyle != 0 {
			ok = !extended && m.removeFlow(r)
		} else {
			ok = m.removeBlock(r, extended)
		}
		if !ok {
			return false
		}
	}
	for i, a := range m.additions {
		same := func(b *addition) bool {
			return b.at.mapping == a.at.mapping && b.at.null == a.at.null && b.place == a.place
		}
		if slices.ContainsFunc(m.additions[:i], same) {
			continue
		}
		var entries []*entry
		for _, b := range m.additions[i:] {
			if same(b) {
				entries = append(entries, b.entry)
			}
		}
		if !m.write(a.at, a.place, entries) {
			return false
		}
	}
	return true
}

func (m *mappings) write(at site, place int, entries []*entry) bool {
	inFlow := at.mapping.Style&yaml.FlowStyle != 0
	switch {
	case at.fill != nil && inFlow:
		return m.fillFlow(at, entries)
	case at.fill != nil:
		return m.fillBlock(at, entries)
	case inFlow:
		return m.addFlow(at, place, entries)
	default:
		return m.addBlock(at, place, entries)
	}
}

// addBlock puts lines under the line of the key or of the entry before.
func (m *mappings) addBlock(at site, place int, entries []*entry) bool {
	first := at.mapping.Content[0]
	if !m.beginsLine(first) {
		return false
	}
	var end int
	var ok bool
	switch {
	case place > 0:
		key, value := at.mapping.Content[2*place-2], at.mapping.Content[2*place-1]
		if !m.beginsLine(key) {
			return false
		}
		_, end, ok = m.entryEnd(key, value)
	case at.key != nil:
		end, ok = m.colon(at.key)
		end++
		// The tag ! may stand between, of which the nodes tell nothing.
		start, _ := m.nodeStart(first)
		ok = ok && skipSpace(m.bytes, end, true) == start
	}
	if !ok {
		return false
	}
	if end, ok = restOfLine(m.bytes, end); !ok {
		return false
	}
	m.insertLines(end, blockLines(nil, first.Column-1, entries))
	return true
}

// fillBlock puts lines under a key without a value, and drops the null.
func (m *mappings) fillBlock(at site, entries []*entry) bool {
	colon, ok := m.colon(at.fill)
	if !ok || !m.beginsLine(at.fill) {
		return false
	}
	end := colon + 1
	if at.null.Value != "" {
		_, end, ok = m.entryEnd(at.fill, at.null)
	} else {
		ok = m.isNothing(colon, at.null)
	}
	if !ok {
		return false
	}
	lineEnd, ok := restOfLine(m.bytes, end)
	if !ok {
		return false
	}
	if end > colon+1 {
		m.add(colon+1, end, "")
	}
	m.insertLines(lineEnd, blockLines(nil, at.fill.Column-1+2, entries))
	return true
}

// blockLines appends the lines of entries at that indentation.
func blockLines(lines []string, indent int, entries []*entry) []string {
	for _, e := range entries {
		line := strings.Repeat(" ", indent) + quote(e.key, 0, false) + ":"
		switch {
		case e.children != nil:
			lines = blockLines(append(lines, line), indent+2, e.children)
			continue
		case e.isBool:
			line += " " + e.value
		default:
			line += " " + quote(e.value, 0, false)
		}
		lines = append(lines, line)
	}
	return lines
}

// A flowStyle is how entries look in a flow mapping.
type flowStyle struct {
	quotes yaml.Style // of keys and values: double in JSON
	dense  bool       // no blanks, as in minified JSON
}

// flowStyle goes by the key before what is to be written. Without one, what
// comes out must hold as JSON.
func (m *mappings) flowStyle(key *yaml.Node) flowStyle {
	style := flowStyle{}
	if key == nil {
		style.quotes = yaml.DoubleQuotedStyle
		return style
	}
	if key.Kind != yaml.ScalarNode || key.Style&yaml.DoubleQuotedStyle == 0 {
		return style
	}
	style.quotes = yaml.DoubleQuotedStyle
	if colon, ok := m.colon(key); ok && colon+1 < len(m.bytes) {
		next := m.bytes[colon+1]
		style.dense = !isBlank(next) && breakLen(m.bytes, colon+1) == 0
	}
	return style
}

func (f flowStyle) comma() string {
	if f.dense {
		return ","
	}
	return ", "
}

func (f flowStyle) entry(e *entry) string {
	out := quote(e.key, f.quotes, true) + ":"
	if !f.dense {
		out += " "
	}
	switch {
	case e.children != nil:
		return out + "{" + f.join(e.children, f.comma()) + "}"
	case e.isBool:
		return out + e.value
	default:
		return out + quote(e.value, f.quotes, true)
	}
}

func (f flowStyle) join(entries []*entry, between string) string {
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = f.entry(e)
	}
	return strings.Join(texts, between)
}

func (m *mappings) fillFlow(at site, entries []*entry) bool {
	colon, ok := m.colon(at.fill)
	if !ok {
		return false
	}
	style := m.flowStyle(at.fill)
	text := "{" + style.join(entries, style.comma()) + "}"
	if at.null.Value == "" {
		m.add(colon+1, colon+1, " "+text)
		return m.isNothing(colon, at.null)
	}
	start, end, ok := m.entryEnd(at.fill, at.null)
	if ok {
		m.add(start, end, text)
	}
	return ok
}

func (m *mappings) addFlow(at site, place int, entries []*entry) bool {
	open, ok := m.nodeStart(at.mapping)
	if !ok || open >= len(m.bytes) || m.bytes[open] != '{' {
		return false
	}
	if len(at.mapping.Content) == 0 {
		end := skipSpace(m.bytes, open+1, false)
		if end == len(m.bytes) || m.bytes[end] != '}' {
			return false
		}
		style := m.flowStyle(at.key)
		m.add(open+1, end, style.join(entries, style.comma()))
		return true
	}
	// Where the first key has a line of its own, so gets each new one.
	style := m.flowStyle(at.mapping.Content[0])
	first, ok := m.nodeStart(at.mapping.Content[0])
	if !ok || skipSpace(m.bytes, open+1, true) != first {
		return false
	}
	comma := style.comma()
	if line := m.lineStart(first); line > open {
		before := lineEnd(m.bytes, m.lineStart(line-1))
		comma = "," + lineBreak(m.bytes, before, line) + string(m.bytes[line:first])
	}
	if place == 0 {
		m.add(first, first, style.join(entries, comma)+comma)
		return true
	}
	_, end, ok := m.entryEnd(at.mapping.Content[2*place-2], at.mapping.Content[2*place-1])
	if ok {
		m.add(end, end, comma+style.join(entries, comma))
	}
	return ok
}

// removeBlock drops the lines of entries.
func (m *mappings) removeBlock(r *removal, extended bool) bool {
	content := r.at.mapping.Content
	for _, i := range r.indexes {
		key, value := content[i], content[i+1]
		if i > 0 && isBlockScalar(lastLeaf(content[i-1])) {
			return false // what follows the line would become part of it
		}
		_, end, ok := m.entryEnd(key, value)
		if !ok {
			return false
		}
		if end, ok = restOfLine(m.bytes, end); !ok {
			return false
		}
		start, _ := m.nodeStart(key)
		line := m.lineStart(start)
		switch {
		case strings.Trim(string(m.bytes[line:start]), " ") != "":
			return false
		case end < len(m.bytes):
			m.add(line, end+breakLen(m.bytes, end), "")
		case line == m.lines[0]:
			return false
		default: // the line before becomes the last one, without a break
			m.add(lineEnd(m.bytes, m.lineStart(line-1)), end, "")
		}
	}
	if extended || 2*len(r.indexes) < len(content) {
		return true
	}
	if r.at.key == nil {
		return false
	}
	colon, ok := m.colon(r.at.key)
	if !ok {
		return false
	}
	// The tag ! may stand between, of which the nodes tell nothing.
	first, _ := m.nodeStart(content[0])
	if _, ok := restOfLine(m.bytes, colon+1); !ok || skipSpace(m.bytes, colon+1, true) != first {
		return false
	}
	m.add(colon+1, colon+1, " {}")
	return true
}

// removeFlow drops entries with a comma each.
func (m *mappings) removeFlow(r *removal) bool {
	content := r.at.mapping.Content
	for _, i := range r.indexes {
		start, ok := m.nodeStart(content[i])
		if !ok {
			return false
		}
		_, end, ok := m.entryEnd(content[i], content[i+1])
		if !ok {
			return false
		}
		before, ok := m.before(start)
		if !ok {
			return false
		}
		next := skipSpace(m.bytes, end, false)
		last := i+2 == len(content)
		switch {
		case next == len(m.bytes):
			return false
		case m.bytes[next] == ',' && !last:
			m.add(start, skipSpace(m.bytes, next+1, false), "")
		case m.bytes[next] == '}' && last && i > 0:
			m.add(before, end, "")
		case m.bytes[next] == '}' && last:
			m.add(before+1, next, "")
		default:
			return false
		}
	}
	return true
}

// before returns where the brace or comma in front of an entry in a flow
// mapping stands, if nothing but white space is between.
func (m *mappings) before(entry int) (int, bool) {
	at := entry - 1
	for at >= 0 && strings.IndexByte(" \t\r\n", m.bytes[at]) >= 0 {
		at--
	}
	if at < 0 || m.bytes[at] != ',' && m.bytes[at] != '{' {
		return 0, false
	}
	// The comma must not be one of a comment, and this is certain enough.
	return at, bytes.IndexByte(m.bytes[m.lineStart(at):at], '#') < 0
}

// nodeStart returns where a node stands.
func (m *mappings) nodeStart(n *yaml.Node) (int, bool) {
	return m.offset(n.Line, n.Column)
}

// beginsLine reports whether key comes first on its line, but for dashes.
func (m *mappings) beginsLine(key *yaml.Node) bool {
	start, ok := m.nodeStart(key)
	return ok && isDashes(string(m.bytes[m.lineStart(start):start]))
}

// colon returns where the colon behind a key stands. The key must be plain or
// quoted, and the colon on its line.
func (m *mappings) colon(key *yaml.Node) (int, bool) {
	start, ok := m.nodeStart(key)
	if !ok || key.Kind != yaml.ScalarNode {
		return 0, false
	}
	end, ok := scalarEnd(m.bytes, start, key.Value, key.Style)
	if !ok {
		return 0, false
	}
	end = skipBlanks(m.bytes, end)
	return end, end < len(m.bytes) && m.bytes[end] == ':'
}

// isNothing reports whether no byte stands for an empty value. It may be that
// the tag ! does, of which the node tells nothing.
func (m *mappings) isNothing(colon int, value *yaml.Node) bool {
	at, ok := m.nodeStart(value)
	if !ok || at == colon+1 {
		return ok
	}
	return at < len(m.bytes) && (m.bytes[at] == ',' || m.bytes[at] == '}')
}

// entryEnd returns where the value of an entry stands, a scalar on its key's
// line.
func (m *mappings) entryEnd(key, value *yaml.Node) (start, end int, ok bool) {
	colon, ok := m.colon(key)
	if !ok || value.Kind != yaml.ScalarNode {
		return 0, 0, false
	}
	start, end, ok = m.find(ScalarAt("", value, false))
	return start, end, ok && skipBlanks(m.bytes, colon+1) == start
}
