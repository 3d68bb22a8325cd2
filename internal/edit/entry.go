package edit

import (
	"slices"

	"github.com/confighash/confighash/internal/yamldoc"

	"go.yaml.in/yaml/v3"
)

// mappings makes the edits of one item that set or remove entries. It gathers them before
// it writes: new entries of the same mapping are written together, and may share a
// mapping that does not exist yet.
type mappings struct {
	*splicer
	additions []*addition
	removals  []*removal
	nulls     map[*yaml.Node]bool // null values that have been replaced
}

// An addition is new entries of a mapping, in the same place.
type addition struct {
	at      site
	place   int // the number of the mapping's entries before it
	entries []*entry
}

// An entry is a new one: of a scalar, or of a mapping.
type entry struct {
	key, value       string
	isScalar, isBool bool
	children         []*entry // of a mapping, at least one
}

// A removal is the entries to remove from a mapping.
type removal struct {
	at      site
	indexes []int // in the mapping's Content, of the keys
}

// A site is where the way to a mapping ends: at that mapping or, if it is missing, at the
// last one there is.
type site struct {
	mapping *yaml.Node
	key     *yaml.Node // the key whose value mapping is; nil if there is none

	// fill and null are the key and the value of an entry of mapping on the way that
	// is null.
	fill, null *yaml.Node

	missing []string // the keys from there on
}

// set reports false if the entry cannot be set in bytes, as the others that make edits.
func (m *mappings) set(root yamldoc.Path, e SetEntry) bool {
	at, ok := m.walk(root, e.Parent)
	if !ok {
		return false
	}
	if at.fill == nil && len(at.missing) == 0 {
		i, err := findKey(at.mapping, e.Parent, e.Key)
		if err != nil {
			return false
		}
		if i >= 0 {
			return m.replace(at.mapping.Content[i], at.mapping.Content[i+1], e)
		}
	}
	return m.extend(at, e)
}

// walk follows root and parent through the chunk's tree. It reports false if a node on
// the way is an alias or has an anchor, a tag or a merge key, or cannot lead on.
func (m *mappings) walk(root, parent yamldoc.Path) (at site, ok bool) {
	if m.root == nil {
		doc, err := m.parser.Parse(m.bytes)
		if err != nil || doc.Kind == 0 {
			return site{}, false
		}
		m.root = doc.Content[0]
	}
	steps, inRoot, err := bothSteps(root, parent)
	if err != nil {
		return site{}, false
	}
	var above, key *yaml.Node
	node := m.root
	for i := 0; ; i++ {
		if node.Kind == yaml.AliasNode || node.Anchor != "" || node.Style&yaml.TaggedStyle != 0 || yamldoc.HasMerge(node) {
			return site{}, false
		}
		if i > inRoot && key != nil && yamldoc.IsNull(node) {
			missing, err := keysOf(steps[i:], "")
			return site{mapping: above, fill: key, null: node, missing: missing}, err == nil
		}
		if i == len(steps) {
			return site{mapping: node, key: key}, node.Kind == yaml.MappingNode
		}
		child, childKey, err := stepInto(node, "", steps[i])
		switch {
		case err != nil:
			return site{}, false
		case child == nil:
			missing, err := keysOf(steps[i:], "")
			return site{mapping: node, key: key, missing: missing}, err == nil && i >= inRoot
		}
		above, key, node = node, childKey, child
	}
}

func (m *mappings) replace(key, value *yaml.Node, e SetEntry) bool {
	if value.Kind != yaml.ScalarNode || value.Anchor != "" || m.nulls[value] {
		return false
	}
	at := ScalarAt("", value, false)
	if !e.Bool && (value.Value != "" || value.Style&quotedStyles != 0) {
		return m.setScalar(SetScalar{At: at, Value: e.Value})
	}
	text := e.Value
	if !e.Bool {
		text = requote(e.Value, at)
	}
	if value.Value == "" && value.Style == 0 {
		at, ok := m.nothing(key, value)
		if ok {
			m.nulls[value] = true
			m.add(at, at, " "+text)
		}
		return ok
	}
	isSame := holds(value, e)
	start, end, ok := m.find(at)
	if !ok || m.bytes[start] == '!' {
		return isSame
	}
	if isSame {
		text = string(m.bytes[start:end]) // which conflicts with another edit
	}
	m.add(start, end, text)
	return true
}

// extend notes a new entry, and the mappings around it that are missing.
func (m *mappings) extend(at site, e SetEntry) bool {
	inSameMapping := func(a *addition) bool { return a.at.mapping == at.mapping && a.at.null == at.null }
	if m.nulls[at.null] && !slices.ContainsFunc(m.additions, inSameMapping) {
		return false // another edit has put a scalar there
	}
	keys := slices.Concat(at.missing, []string{e.Key})
	if slices.ContainsFunc(keys, func(key string) bool { return len(key) > 500 }) {
		return false // without "?", a key must end within 1024 characters
	}
	into := &addition{at: at, place: place(at, e)}
	for _, a := range m.additions {
		if !inSameMapping(a) {
			continue
		}
		for _, other := range a.entries {
			if other.key == keys[0] {
				return other.set(keys[1:], e)
			}
		}
		if a.place == into.place {
			into = a
		}
	}
	if into.entries == nil {
		m.additions = append(m.additions, into)
	}
	if at.null != nil {
		m.nulls[at.null] = true
	}
	added := &entry{key: keys[0]}
	into.entries = append(into.entries, added)
	return added.set(keys[1:], e)
}

// set sets the value of a new entry, or of one at keys below it. It reports false if an
// edit before has set something else.
func (n *entry) set(keys []string, e SetEntry) bool {
	if len(keys) == 0 {
		n.value, n.isScalar, n.isBool = e.Value, true, e.Bool
		return n.children == nil
	}
	for _, child := range n.children {
		if child.key == keys[0] {
			return child.set(keys[1:], e)
		}
	}
	child := &entry{key: keys[0]}
	n.children = append(n.children, child)
	return !n.isScalar && child.set(keys[1:], e)
}

// place returns how many of the mapping's entries come before a new one.
func place(at site, e SetEntry) int {
	content := at.mapping.Content
	if at.fill != nil {
		return 0
	}
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

func isOneLine(key, value *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && value.Kind == yaml.ScalarNode && key.Line == value.Line &&
		value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 && !yamldoc.IsNull(value)
}

func (m *mappings) remove(root yamldoc.Path, e RemoveEntry) bool {
	at, ok := m.walk(root, e.Parent)
	if !ok || at.fill != nil || len(at.missing) > 0 {
		return ok
	}
	i, err := findKey(at.mapping, e.Parent, e.Key)
	if err != nil || i < 0 {
		return err == nil
	}
	value := at.mapping.Content[i+1]
	if value.Kind != yaml.ScalarNode || value.Value == "" && value.Style == 0 {
		return false
	}
	n := slices.IndexFunc(m.removals, func(r *removal) bool { return r.at.mapping == at.mapping })
	if n < 0 {
		n = len(m.removals)
		m.removals = append(m.removals, &removal{at: at})
	}
	if r := m.removals[n]; !slices.Contains(r.indexes, i) {
		r.indexes = append(r.indexes, i)
	}
	return true
}

func (m *mappings) finish() bool {
	for _, r := range m.removals {
		remove := m.removeBlock
		if r.at.mapping.Style&yaml.FlowStyle != 0 {
			remove = m.removeFlow
		}
		if !remove(r) {
			return false
		}
	}
	for _, a := range m.additions {
		if !m.write(a.at, a.place, a.entries) {
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

func (m *mappings) nodeStart(n *yaml.Node) (int, bool) {
	return m.Offset(n.Line, n.Column)
}

func (m *mappings) beginsLine(key *yaml.Node) bool {
	start, ok := m.nodeStart(key)
	return ok && isDashes(string(m.bytes[m.lineStart(start):start]))
}

// colon returns where the colon after a key is. The key must be plain or quoted, and the
// colon on its line.
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

// nothing returns the place after the colon if the value there has no bytes. It may have
// the tag !, which the node does not show.
func (m *mappings) nothing(key, value *yaml.Node) (int, bool) {
	colon, hasColon := m.colon(key)
	at, ok := m.nodeStart(value)
	isNothing := at == colon+1 || at < len(m.bytes) && (m.bytes[at] == ',' || m.bytes[at] == '}')
	return colon + 1, hasColon && ok && isNothing
}

// entryValue returns where the value of an entry is, a scalar on its key's line. A null
// without bytes is after the colon.
func (m *mappings) entryValue(key, value *yaml.Node) (start, end int, ok bool) {
	if yamldoc.IsNull(value) && value.Value == "" {
		start, ok = m.nothing(key, value)
		return start, start, ok
	}
	return m.entryEnd(key, value)
}

// entryEnd returns where the value of an entry is, a scalar on its key's line.
func (m *mappings) entryEnd(key, value *yaml.Node) (start, end int, ok bool) {
	colon, ok := m.colon(key)
	if !ok || value.Kind != yaml.ScalarNode {
		return 0, 0, false
	}
	start, end, ok = m.find(ScalarAt("", value, false))
	return start, end, ok && skipBlanks(m.bytes, colon+1) == start
}
