package edit

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// onNodes makes the edits on the nodes of the parsed text. It encodes again the changed elements of its list, or the
// whole document if it has no list or its elements cannot be separated. Indentation, line endings and the surrounding
// text stay; comments stay as far as yaml.v3 keeps them; blank lines do not.
//
// Aliases and merge keys on the way to an edit are expanded, so that the edit changes only its own place.
func onNodes(source []byte, items []Item) ([]byte, error) {
	doc, err := parse(source)
	if err != nil {
		return nil, err
	}
	t, err := newTree(doc.Content[0])
	if err != nil {
		return nil, err
	}
	if isDone, err := t.areDone(items); err != nil || isDone {
		return source, err
	}
	if err := t.edit(items); err != nil {
		return nil, err
	}
	return encode(source, doc)
}

// OnTree makes the edits on the nodes of a document in memory. Other nodes stay the same, except for aliases and merge
// keys on the way. It fails as onNodes does; some of the edits may have been made then.
func OnTree(root *yaml.Node, items []Item) error {
	if err := check(items); err != nil {
		return err
	}
	t, err := newTree(root)
	if err != nil {
		return err
	}
	return t.edit(items)
}

func (t *tree) areDone(items []Item) (bool, error) {
	for root, e := range edits(items) {
		if isDone, err := t.isDone(root, e); err != nil || !isDone {
			return false, err
		}
	}
	return true, nil
}

func (t *tree) isDone(root yamldoc.Path, e Edit) (bool, error) {
	way, err := t.walk(root, e.path(), false)
	if err != nil {
		return false, err
	}
	isThere := len(way.missing) == 0
	switch e := e.(type) {
	case SetScalar:
		return isThere && len(e.More) == 0 && isStringNode(way.node, e.Value), nil
	case SetEntry:
		if isThere {
			return holds(way.node, e), mustBe(yaml.ScalarNode, way.node, e.path())
		}
	case RemoveEntry:
		return !isThere, nil
	case KeepEntries:
		return !isThere || way.node.Kind == yaml.MappingNode && !yamldoc.HasMerge(way.node) && len(e.others(way.node)) == 0, nil
	}
	return false, nil
}

// edit makes all edits. It finds the scalars first, because splitting one moves those after it.
func (t *tree) edit(items []Item) error {
	var scalars []way
	for root, e := range edits(items) {
		if e, ok := e.(SetScalar); ok {
			found, err := t.find(root, e)
			if err != nil {
				return err
			}
			scalars = append(scalars, found)
		}
	}
	for root, e := range edits(items) {
		var err error
		if set, ok := e.(SetScalar); ok {
			err = setScalar(scalars[0], set)
			scalars = scalars[1:]
		} else {
			err = t.editEntry(root, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) editEntry(root yamldoc.Path, e Edit) error {
	// In bytes, even an edit that changes nothing can conflict with another one.
	if !t.inBytes {
		if done, err := t.isDone(root, e); err != nil || done {
			return err
		}
	}
	switch e := e.(type) {
	case SetEntry:
		return t.setEntry(root, e)
	case RemoveEntry:
		return t.removeEntries(root, e.Parent, func(mapping *yaml.Node) ([]int, error) {
			i, err := findKey(mapping, e.Parent, e.Key)
			if err != nil || i < 0 {
				return nil, err
			}
			return []int{i}, nil
		})
	case KeepEntries:
		return t.removeEntries(root, e.Parent, func(mapping *yaml.Node) ([]int, error) { return e.others(mapping), nil })
	}
	return nil
}

// others returns the indices of the keys in a mapping's Content that are not kept.
func (e KeepEntries) others(mapping *yaml.Node) (others []int) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if !e.Keys[yamldoc.Resolve(mapping.Content[i]).Value] {
			others = append(others, i)
		}
	}
	return others
}

// find returns the scalar of an edit. Its value must be the one from the planning of the edit, or the new one.
func (t *tree) find(root yamldoc.Path, e SetScalar) (way, error) {
	path := e.At.Path
	found, err := t.walk(root, path, true)
	if err != nil {
		return way{}, err
	}
	if len(found.missing) > 0 {
		return way{}, fmt.Errorf("%s: found nothing where a scalar is needed", show(path))
	}
	if found.node.Value != e.At.Value && (found.node.Value != e.Value || len(e.More) > 0) {
		return way{}, fmt.Errorf("%s: found another value than the one to replace; the text must be the one the edit was made for", show(path))
	}
	if len(e.More) > 0 {
		return found, mustBe(yaml.SequenceNode, found.parent, path)
	}
	return found, nil
}

func setScalar(found way, e SetScalar) error {
	if err := mustBe(yaml.ScalarNode, found.node, e.At.Path); err != nil {
		return err // an earlier edit made it a mapping
	}
	style := found.node.Style
	setString(found.node, e.Value)
	at := slices.Index(found.parent.Content, found.node) + 1
	for i, value := range e.More {
		made := &yaml.Node{Kind: yaml.ScalarNode, Style: style}
		setString(made, value)
		found.parent.Content = slices.Insert(found.parent.Content, at+i, made)
	}
	return nil
}

// setString makes node the string value, in its own style if possible.
func setString(node *yaml.Node, value string) {
	isPlain := node.Style&(quotedStyles|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	if isPlain && (node.Style&yaml.TaggedStyle == 0 && isJSONLiteral(node.Value) || !staysPlain(value, mayBeFlow(node.Value))) {
		node.Style = yaml.DoubleQuotedStyle
	}
	node.Style &^= yaml.TaggedStyle
	node.Tag, node.Value = "!!str", value
}

func (t *tree) setEntry(root yamldoc.Path, e SetEntry) error {
	w, err := t.walk(root, e.Parent, true)
	if err != nil {
		return err
	}
	keys, end := []string{}, w.path
	for _, step := range w.missing {
		if step.Index >= 0 {
			return fmt.Errorf("%s: element %d does not exist, and elements are not created", show(end), step.Index)
		}
		keys, end = append(keys, step.Key), end.Key(step.Key)
	}
	if w.path != "" && yamldoc.IsNull(w.node) {
		t.touch(w.parent, w.key, w.node)
		w.node.Kind, w.node.Tag, w.node.Value, w.node.Style = yaml.MappingNode, "!!map", "", 0
		// yaml.v3 attaches the comment after the colon of a block mapping to the key.
		if w.key != nil && w.key.LineComment == "" {
			w.key.LineComment, w.node.LineComment = w.node.LineComment, ""
		}
	}
	if err := mustBe(yaml.MappingNode, w.node, w.path); err != nil {
		return err
	}
	if len(keys) == 0 {
		if i, err := findKey(w.node, e.Parent, e.Key); err != nil {
			return err
		} else if i >= 0 {
			return t.setValue(w.node, i, e)
		}
	}
	t.touch(w.parent, w.key, w.node)
	t.insert(w, append(keys, e.Key), e)
	return nil
}

// setValue sets the value of the entry at index i of mapping's Content.
func (t *tree) setValue(mapping *yaml.Node, i int, e SetEntry) error {
	value := mapping.Content[i+1]
	if err := t.detach(value); err != nil {
		return fmt.Errorf("%s: %w", e.path(), err)
	}
	if err := mustBe(yaml.ScalarNode, value, e.path()); err != nil {
		return err
	}
	t.touch(mapping, mapping.Content[i], value)
	switch {
	case holds(value, e):
	case e.Bool:
		value.Tag, value.Value, value.Style = "!!bool", e.Value, 0
	default:
		setString(value, e.Value)
	}
	return nil
}

// insert adds a new entry to the mapping that w leads to. All keys but the last are of new mappings around the entry.
func (t *tree) insert(w way, keys []string, e SetEntry) {
	mapping := w.node
	var quotes yaml.Style
	if mapping.Style&yaml.FlowStyle != 0 && len(mapping.Content) > 0 {
		quotes = mapping.Content[0].Style & yaml.DoubleQuotedStyle
	}
	made := func(value string) *yaml.Node {
		node := &yaml.Node{Kind: yaml.ScalarNode, Style: quotes, Tag: "!!str", Value: value}
		t.seen[node] = true
		if quotes == 0 && !t.inBytes && !staysPlain(value, w.inFlow) {
			node.Style = yaml.DoubleQuotedStyle
		}
		return node
	}
	value := made(e.Value)
	if e.Bool {
		value.Tag, value.Style = "!!bool", 0
	}
	for _, key := range slices.Backward(keys[1:]) {
		value = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{made(key), value}}
	}
	at := 2 * t.place(w, len(keys) > 1, e)
	for at < len(mapping.Content) && t.seen[mapping.Content[at]] {
		at += 2 // new entries keep their order
	}
	mapping.Content = slices.Insert(mapping.Content, at, made(keys[0]), value)
}

// place returns the index in the Content of the mapping that w leads to at which a new entry, or a new mapping with it,
// belongs.
func (t *tree) place(w way, inNew bool, e SetEntry) int {
	content := w.node.Content
	first := 0
	for i := 0; i < len(content); i += 2 {
		if t.seen[content[i]] || !isOneLine(content[i], content[i+1]) {
			continue
		}
		if e.After != "" && content[i].Value == e.After && (inNew || w.key == nil) {
			return i/2 + 1
		}
		if first == 0 {
			first = i/2 + 1
		}
	}
	if w.key != nil || w.node.Style&yaml.FlowStyle != 0 {
		return 0
	}
	return first // no line names the mapping, and its first entry may follow a "- "
}

func isOneLine(key, value *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && value.Kind == yaml.ScalarNode && key.Line == value.Line &&
		value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 && !yamldoc.IsNull(value)
}

// removeEntries removes the entries of the mapping at parent that find returns, as indices of their keys in its
// Content.
func (t *tree) removeEntries(root, parent yamldoc.Path, find func(mapping *yaml.Node) ([]int, error)) error {
	w, err := t.walk(root, parent, true)
	if err != nil || len(w.missing) > 0 || yamldoc.IsNull(w.node) {
		return err
	}
	if err := mustBe(yaml.MappingNode, w.node, parent); err != nil {
		return err
	}
	// The entry may override one from a merge key.
	if err := t.unmerge(w.node, parent); err != nil {
		return err
	}
	removed, err := find(w.node)
	if err != nil || len(removed) == 0 {
		return err
	}
	t.touch(w.parent, w.key, w.node)
	var content []*yaml.Node
	last := 0
	for _, i := range removed {
		for _, node := range w.node.Content[i : i+2] {
			if err := t.detachAll(node); err != nil {
				return fmt.Errorf("%s: %w", parent.Key(w.node.Content[i].Value), err)
			}
		}
		content, last = append(content, w.node.Content[last:i]...), i+2
	}
	w.node.Content = append(content, w.node.Content[last:]...)
	return nil
}
