package edit

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// OnNodes makes the edits on the nodes of the parsed text, and encodes again those
// elements of its list that change, or the whole document if it has no list or its
// elements cannot be separated. Indentation, line endings and the text around stay;
// comments stay as far as yaml.v3 keeps them; blank lines do not.
//
// Aliases and merge keys on the way to an edit are written out, so that the edit
// changes its own place and no other that shares its text.
func OnNodes(source []byte, items []Item) ([]byte, error) {
	doc, err := parse(source)
	if err != nil {
		return nil, err
	}
	t, err := newTree(doc.Content[0])
	if err != nil {
		return nil, err
	}
	if err := check(items); err != nil {
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

// OnTree makes the edits on the nodes of a document that a program holds. It changes no
// other nodes but aliases and merge keys on the way. It fails as OnNodes does; some of
// the edits may be made then.
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
	}
	return false, nil
}

// edit makes all edits. It finds the scalars first: splitting one moves those after it.
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
		switch e := e.(type) {
		case SetScalar:
			err = setScalar(scalars[0], e)
			scalars = scalars[1:]
		case SetEntry:
			err = t.setEntry(root, e)
		case RemoveEntry:
			err = t.removeEntry(root, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// find returns the scalar of an edit. It must have the value that it had when the edit was
// planned, or the one that it is to get.
func (t *tree) find(root yamldoc.Path, e SetScalar) (way, error) {
	path := e.At.Path
	found, err := t.walk(root, path, true)
	if err != nil {
		return way{}, err
	}
	if len(found.missing) > 0 {
		return way{}, fmt.Errorf("%s: found nothing where a scalar is needed", show(path))
	}
	if err := mustBe(yaml.ScalarNode, found.node, path); err != nil {
		return way{}, err
	}
	if found.node.Value != e.At.Value && (found.node.Value != e.Value || len(e.More) > 0) {
		return way{}, fmt.Errorf("%s: found another value than the one to replace; the text must be the one the edit was made for", show(path))
	}
	if found.parent == nil {
		found.parent = found.node
	}
	if len(e.More) > 0 {
		return found, mustBe(yaml.SequenceNode, found.parent, path)
	}
	return found, nil
}

func setScalar(found way, e SetScalar) error {
	if err := mustBe(yaml.ScalarNode, found.node, e.At.Path); err != nil {
		return err // an edit before has made a mapping of it
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
	if done, err := t.isDone(root, e); err != nil || done {
		return err
	}
	w, err := t.walk(root, e.Parent, true)
	if err != nil {
		return err
	}
	if !w.inItem {
		return fmt.Errorf("%s: there is no item", show(root))
	}
	missing, err := keysOf(w.missing, w.path)
	if err != nil {
		return err
	}
	if w.path != "" && yamldoc.IsNull(w.node) {
		w.node.Kind, w.node.Tag, w.node.Value, w.node.Style = yaml.MappingNode, "!!map", "", 0
		// yaml.v3 has the comment after the colon of a block mapping at the key.
		if w.key != nil && w.key.LineComment == "" {
			w.key.LineComment, w.node.LineComment = w.node.LineComment, ""
		}
	}
	if err := mustBe(yaml.MappingNode, w.node, w.path); err != nil {
		return err
	}
	if len(missing) == 0 {
		if i, err := findKey(w.node, e.Parent, e.Key); err != nil {
			return err
		} else if i >= 0 {
			return t.setValue(w.node.Content[i+1], e)
		}
	}
	t.insert(w, append(missing, e.Key), e)
	return nil
}

func (t *tree) setValue(value *yaml.Node, e SetEntry) error {
	if err := t.detach(value); err != nil {
		return fmt.Errorf("%s: %w", e.path(), err)
	}
	if e.Bool {
		value.Tag, value.Value, value.Style = "!!bool", e.Value, 0
	} else {
		setString(value, e.Value)
	}
	return nil
}

// insert puts a new entry into the mapping that w leads to. All keys but the last are of
// new mappings around it.
func (t *tree) insert(w way, keys []string, e SetEntry) {
	mapping := w.node
	var quotes yaml.Style
	if mapping.Style&yaml.FlowStyle != 0 && len(mapping.Content) > 0 {
		quotes = mapping.Content[0].Style & yaml.DoubleQuotedStyle
	}
	made := func(value string) *yaml.Node {
		node := &yaml.Node{Kind: yaml.ScalarNode, Style: quotes, Tag: "!!str", Value: value}
		if quotes == 0 && !staysPlain(value, w.inFlow) {
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
	at := 2 * place(site{mapping: mapping, key: w.key, missing: keys[:len(keys)-1]}, e)
	for at < len(mapping.Content) && t.added[mapping.Content[at]] {
		at += 2 // new entries keep their order
	}
	key := made(keys[0])
	t.added[key] = true
	mapping.Content = slices.Insert(mapping.Content, at, key, value)
}

func (t *tree) removeEntry(root yamldoc.Path, e RemoveEntry) error {
	if done, err := t.isDone(root, e); err != nil || done {
		return err
	}
	w, err := t.walk(root, e.Parent, true)
	if err != nil {
		return err
	}
	// The entry may hide one that comes from a merge key.
	if err := t.unmerge(w.node, e.Parent); err != nil {
		return err
	}
	i, err := findKey(w.node, e.Parent, e.Key)
	if err != nil {
		return err
	}
	for _, removed := range w.node.Content[i : i+2] {
		if err := t.detachAll(removed); err != nil {
			return fmt.Errorf("%s: %w", e.path(), err)
		}
	}
	w.node.Content = slices.Delete(w.node.Content, i, i+2)
	return nil
}
