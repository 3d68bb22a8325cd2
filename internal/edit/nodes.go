package edit

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// OnNodes makes the edits on the nodes of the parsed text, and encodes again those
// elements of its list that change, or the whole document if it has no list or its
// elements cannot be told apart. Indentation, line endings and the text around stay;
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
	isDone := true
	for _, item := range items {
		for _, e := range item.Edits {
			if err := check(e); err != nil {
				return nil, err
			}
			if isDone, err = t.isDone(item.Root, e); err != nil {
				return nil, err
			}
			if !isDone {
				break
			}
		}
		if !isDone {
			break
		}
	}
	if isDone {
		return source, nil
	}
	if err := t.edit(items); err != nil {
		return nil, err
	}
	return encode(source, doc)
}

// isDone reports whether e would change nothing.
func (t *tree) isDone(root yamldoc.Path, e Edit) (bool, error) {
	var path yamldoc.Path
	var value string
	switch e := e.(type) {
	case SetScalar:
		path, value = e.At.Path, e.Value
	case SplitScalar:
		path, value = e.At.Path, e.Values[0]
		if len(e.Values) > 1 {
			return false, nil
		}
	case SetEntry:
		path = e.Parent.Key(e.Key)
	case RemoveEntry:
		path = e.Parent.Key(e.Key)
	}
	way, err := t.walk(root, path, false)
	if err != nil {
		return false, err
	}
	isThere := len(way.missing) == 0
	switch e := e.(type) {
	case SetEntry:
		if isThere {
			return holds(way.node, e), mustBe(yaml.ScalarNode, way.node, path)
		}
		return false, nil
	case RemoveEntry:
		return !isThere, nil
	}
	return isThere && isStringNode(way.node, value), nil
}

// edit makes all edits. It finds the scalars first: splitting one moves those after it.
func (t *tree) edit(items []Item) error {
	var scalars []way
	for _, item := range items {
		for _, e := range item.Edits {
			var found way
			var err error
			switch e := e.(type) {
			case SetScalar:
				found, err = t.find(item.Root, e.At, e.Value)
			case SplitScalar:
				if found, err = t.find(item.Root, e.At, e.At.Value); err == nil {
					err = mustBe(yaml.SequenceNode, found.parent, e.At.Path)
				}
			}
			if err != nil {
				return err
			}
			scalars = append(scalars, found)
		}
	}
	for _, item := range items {
		for _, e := range item.Edits {
			found := scalars[0]
			scalars = scalars[1:]
			var err error
			switch e := e.(type) {
			case SetScalar:
				err = setScalar(found, e.At.Path, []string{e.Value})
			case SplitScalar:
				err = setScalar(found, e.At.Path, e.Values)
			case SetEntry:
				err = t.setEntry(item.Root, e)
			case RemoveEntry:
				err = t.removeEntry(item.Root, e)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// find returns the scalar at a path, which must have the value that it had when the
// edit was planned, or the one that it is to get.
func (t *tree) find(root yamldoc.Path, at Scalar, value string) (way, error) {
	found, err := t.walk(root, at.Path, true)
	if err != nil {
		return way{}, err
	}
	if len(found.missing) > 0 {
		return way{}, fmt.Errorf("%s: found nothing, need a scalar", show(at.Path))
	}
	if err := mustBe(yaml.ScalarNode, found.node, at.Path); err != nil {
		return way{}, err
	}
	if found.node.Value != at.Value && found.node.Value != value {
		return way{}, fmt.Errorf("%s: found another value than the one to replace; the text must be the one the edit was made for", show(at.Path))
	}
	if found.parent == nil {
		found.parent = found.node
	}
	return found, nil
}

// setScalar gives a scalar the first value, and puts elements with the others after it.
func setScalar(found way, path yamldoc.Path, values []string) error {
	if err := mustBe(yaml.ScalarNode, found.node, path); err != nil {
		return err // an edit before has made a mapping of it
	}
	var further []*yaml.Node
	for _, value := range values[1:] {
		further = append(further, scalarNode(value, found.node.Style, false))
	}
	setString(found.node, values[0])
	if i := slices.Index(found.parent.Content, found.node); i >= 0 {
		found.parent.Content = slices.Insert(found.parent.Content, i+1, further...)
	}
	return nil
}

// setString makes node the string value, in its own style if possible.
func setString(node *yaml.Node, value string) {
	if !isBlockScalar(node) && node.Style&quotedStyles == 0 && !staysPlain(value, mayBeFlow(node.Value)) {
		node.Style = yaml.DoubleQuotedStyle
	}
	node.Style &^= yaml.TaggedStyle
	node.Tag, node.Value = "!!str", value
}

// scalarNode returns a node for the key or value of a new entry.
func scalarNode(value string, style yaml.Style, isBool bool) *yaml.Node {
	if isBool {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: value}
	}
	node := &yaml.Node{Kind: yaml.ScalarNode, Style: style}
	setString(node, value)
	return node
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
		return noItem(root)
	}
	missing, err := keysOf(w.missing, w.path)
	if err != nil {
		return err
	}
	if w.path != "" && yamldoc.IsNull(w.node) {
		w.node.Kind, w.node.Tag, w.node.Value, w.node.Style = yaml.MappingNode, "!!map", "", 0
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
	w.insert(missing, e)
	return nil
}

// setValue sets the value of an entry that is there.
func (t *tree) setValue(value *yaml.Node, e SetEntry) error {
	if err := t.detach(value); err != nil {
		return fmt.Errorf("%s: %w", e.Parent.Key(e.Key), err)
	}
	if e.Bool {
		value.Tag, value.Value, value.Style = "!!bool", e.Value, 0
	} else {
		setString(value, e.Value)
	}
	return nil
}

// insert puts a new entry into the mapping w leads to, in new mappings of the keys
// that are missing.
func (w way) insert(missing []string, e SetEntry) {
	mapping := w.node
	var quotes yaml.Style
	if mapping.Style&yaml.FlowStyle != 0 && len(mapping.Content) > 0 {
		quotes = mapping.Content[0].Style & yaml.DoubleQuotedStyle
	}
	value := scalarNode(e.Value, quotes, e.Bool)
	keys := append(missing, e.Key)
	for _, key := range slices.Backward(keys[1:]) {
		value = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{scalarNode(key, quotes, false), value}}
	}
	at := 2 * place(site{mapping: mapping, key: w.key, missing: missing}, e)
	for at < len(mapping.Content) && mapping.Content[at].Line == 0 {
		at += 2 // new entries keep their order
	}
	mapping.Content = slices.Insert(mapping.Content, at, scalarNode(keys[0], quotes, false), value)
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
			return fmt.Errorf("%s: %w", e.Parent.Key(e.Key), err)
		}
	}
	w.node.Content = slices.Delete(w.node.Content, i, i+2)
	return nil
}
