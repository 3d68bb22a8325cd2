package edit

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// A change is a node that edits of entries have changed: a mapping with other entries, or a scalar that has another
// value or became a mapping.
type change struct {
	parent, key *yaml.Node // the entry whose value is node; nil if there is none
	node        *yaml.Node
	was         yaml.Node
}

// touch records a node before it changes, with its value in the text.
func (t *tree) touch(parent, key, node *yaml.Node) {
	if !t.inBytes || t.seen[key] || t.seen[node] {
		return
	}
	t.seen[node] = true
	t.changes = append(t.changes, &change{parent, key, node, *node})
	node.Content = slices.Clone(node.Content)
}

// write splices the new content of a node. It reports false if that cannot be done in bytes.
func (s *splicer) write(c *change) bool {
	switch {
	case c.was.Kind == yaml.MappingNode:
		return s.mapping(c)
	case c.node.Kind == yaml.ScalarNode:
		return s.replace(c)
	case c.key == nil || len(c.node.Content) == 0 || hasLongKey(c.node.Content):
		return false
	case c.parent.Style&yaml.FlowStyle != 0:
		return s.fillFlow(c)
	}
	return s.fillBlock(c)
}

// mapping writes new entries at the same place together, then removes others.
func (s *splicer) mapping(c *change) bool {
	add, remove := s.addBlock, s.removeBlock
	if c.was.Style&yaml.FlowStyle != 0 {
		add, remove = s.addFlow, s.removeFlow
	}
	was, now := c.was.Content, c.node.Content
	var removed []int // indices of keys in the mapping's former Content
	for at, i := 0, 0; at < len(was) || i < len(now); at, i = at+2, i+2 {
		from := i
		for i < len(now) && now[i].Line == 0 {
			i += 2
		}
		if entries := now[from:i]; len(entries) > 0 && (hasLongKey(entries) || !add(c, at, entries)) {
			return false
		}
		for ; at < len(was) && (i == len(now) || was[at] != now[i]); at += 2 {
			if value := was[at+1]; value.Kind == yaml.ScalarNode && value.Value == "" && value.Style == 0 {
				return false
			}
			removed = append(removed, at)
		}
	}
	return len(removed) == 0 || remove(c, removed)
}

// hasLongKey reports whether a new entry has a key that may need a "?": without it, a key must end within 1024
// characters.
func hasLongKey(entries []*yaml.Node) bool {
	for i := 0; i < len(entries); i += 2 {
		if len(entries[i].Value) > 500 || hasLongKey(entries[i+1].Content) {
			return true
		}
	}
	return false
}

// replace writes the scalar that the value of an entry became.
func (s *splicer) replace(c *change) bool {
	was, now := &c.was, c.node
	at := ScalarAt("", was, false)
	isBool := now.ShortTag() == "!!bool"
	if !isBool && (was.Value != "" || was.Style&quotedStyles != 0) {
		return s.setScalar(SetScalar{At: at, Value: now.Value})
	}
	text := now.Value
	if !isBool {
		text = requote(now.Value, at)
	}
	if was.Value == "" && was.Style == 0 {
		at, ok := s.nothing(c.key, was)
		s.add(at, at, " "+text)
		return ok
	}
	isSame := now.Value == was.Value && now.ShortTag() == was.ShortTag()
	start, end, ok := s.find(at)
	if !ok || s.bytes[start] == '!' {
		return isSame
	}
	if isSame {
		text = string(s.bytes[start:end]) // so that it conflicts with another edit
	}
	s.add(start, end, text)
	return true
}

func (s *splicer) beginsLine(key *yaml.Node) bool {
	start := s.start(key)
	return isDashes(string(s.bytes[s.lineStart(start):start]))
}

// colon returns the offset of the colon after a key, which must be plain or quoted, and on the same line.
func (s *splicer) colon(key *yaml.Node) (int, bool) {
	end, ok := scalarEnd(s.bytes, s.start(key), key.Value, key.Style)
	if !ok || key.Kind != yaml.ScalarNode {
		return 0, false
	}
	end = skipBlanks(s.bytes, end)
	return end, end < len(s.bytes) && s.bytes[end] == ':'
}

// nothing returns the offset after the colon if the value has no bytes, apart from a tag !, which the node does not
// show.
func (s *splicer) nothing(key, value *yaml.Node) (int, bool) {
	colon, hasColon := s.colon(key)
	at := s.start(value)
	isNothing := at == colon+1 || at < len(s.bytes) && (s.bytes[at] == ',' || s.bytes[at] == '}')
	return colon + 1, hasColon && isNothing
}

// entryValue returns the byte range of an entry's value, a scalar on its key's line. For a null without bytes, it is
// the place after the colon.
func (s *splicer) entryValue(key, value *yaml.Node) (start, end int, ok bool) {
	if yamldoc.IsNull(value) && value.Value == "" {
		start, ok = s.nothing(key, value)
		return start, start, ok
	}
	return s.entryEnd(key, value)
}

// entryEnd is entryValue for values that have bytes.
func (s *splicer) entryEnd(key, value *yaml.Node) (start, end int, ok bool) {
	for _, c := range s.changes {
		if c.node == value {
			value = &c.was // another edit has changed it
		}
	}
	colon, ok := s.colon(key)
	if !ok || value.Kind != yaml.ScalarNode {
		return 0, 0, false
	}
	start, end, ok = s.find(ScalarAt("", value, false))
	return start, end, ok && skipBlanks(s.bytes, colon+1) == start
}

// removedEnd returns where an entry ends if its value is a scalar, as in entryEnd, or a mapping of one such entry.
func (s *splicer) removedEnd(key, value *yaml.Node) (end int, ok bool) {
	if value.Kind != yaml.MappingNode {
		_, end, ok = s.entryEnd(key, value)
		return end, ok
	}
	colon, ok := s.colon(key)
	if !ok || len(value.Content) != 2 || value.Anchor != "" || value.Style&yaml.TaggedStyle != 0 {
		return 0, false
	}
	inFlow := value.Style&yaml.FlowStyle != 0
	start := skipSpace(s.bytes, colon+1, false)
	if inFlow && start < len(s.bytes) && s.bytes[start] == '{' {
		start = skipSpace(s.bytes, start+1, false)
	}
	if s.start(value.Content[0]) != start {
		return 0, false
	}
	if _, end, ok = s.entryEnd(value.Content[0], value.Content[1]); !inFlow || !ok {
		return end, ok
	}
	end = skipSpace(s.bytes, end, false)
	return end + 1, end < len(s.bytes) && s.bytes[end] == '}'
}
