package edit

import (
	"fmt"
	"slices"

	"github.com/confighash/confighash/internal/yamldoc"

	"go.yaml.in/yaml/v3"
)

// OnNodes carries the edits out on the nodes of the parsed text, and encodes
// those elements of its list anew that are not what they were, or the whole document
// where it has no list or its elements cannot be told apart. Indentation, line
// endings and what stands before and behind stay; comments stay as far as yaml.v3
// keeps them; blank lines do not.
//
// Aliases and merge keys on the way to what is edited are written out, so that
// the edit is about its own place and about no other that shares its text.
func OnNodes(source []byte, items []Item) ([]byte, error) {
	doc, err := parse(source)
	if err != nil {
		return nil, err
	}
	t, err := newTree(doc.Content[0])
	if err != nil {
		return nil, err
	}
	all, parts := newUnit(&text{bytes: source}, t.root, len(source)), newParts(source, t.root)
	done := true
	for _, item := range items {
		for _, e := range item.Edits {
			if err := check(e); err != nil {
				return nil, err
			}
			if done, err = t.isDone(item.Root, e); err != nil {
				return nil, err
			}
			if !done {
				break
			}
		}
		if !done {
			break
		}
	}
	if done {
		return source, nil
	}
	if err := t.edit(items); err != nil {
		return nil, err
	}
	if parts != nil {
		// What the edits have changed beside the places they are about,
		// where aliases stand, shows beside the document as it was.
		was, err := parse(source)
		if err != nil {
			return nil, err
		}
		if out, ok := parts.encode(doc, was); ok {
			return out, nil
		}
	}
	return all.encode(doc)
}

// isDone reports whether e would change nothing.
func (t *tree) isDone(root yamldoc.Path, e Edit) (bool, error) {
	path := yamldoc.Path("")
	switch e := e.(type) {
	case SetScalar:
		path = e.At.Path
	case SplitScalar:
		path = e.At.Path
	case SetEntry:
		path = e.Parent
	case RemoveEntry:
		path = e.Parent
	}
	steps, inRoot, err := bothSteps(root, path)
	if err != nil {
		return false, err
	}
	node, err := t.peek(steps, inRoot)
	if err != nil {
		return false, err
	}
	switch e := e.(type) {
	case SetScalar:
		return node != nil && isStringNode(node, e.Value), nil
	case SplitScalar:
		return len(e.Values) == 1 && node != nil && isStringNode(node, e.Values[0]), nil
	case SetEntry:
		value, err := t.peekEntry(node, e.Parent, e.Key)
		return value != nil && holds(value, e), err
	case RemoveEntry:
		value, err := t.peekEntry(node, e.Parent, e.Key)
		return value == nil, err
	}
	return false, nil
}

func (t *tree) peekEntry(node *yaml.Node, path yamldoc.Path, key string) (*yaml.Node, error) {
	if node == nil || isNull(node) {
		return nil, nil
	}
	child, _, err := stepInto(node, path, yamldoc.Step{Key: key, Index: -1})
	if err == nil && child == nil {
		child, err = t.lookup(node, path, key)
	}
	if err != nil || child == nil {
		return nil, err
	}
	return resolved(child), nil
}

// A target is a scalar to be edited, and the node it is in.
type target struct{ node, parent *yaml.Node }

// edit carries out all edits. The scalars are sought first: splitting one
// moves those behind it.
func (t *tree) edit(items []Item) error {
	var targets []target
	for _, item := range items {
		for _, e := range item.Edits {
			var found target
			var err error
			switch e := e.(type) {
			case SetScalar:
				found, err = t.find(item.Root, e.At, e.Value)
			case SplitScalar:
				found, err = t.find(item.Root, e.At, e.At.Value)
				if err == nil {
					err = mustBe(yaml.SequenceNode, found.parent, e.At.Path)
				}
			}
			if err != nil {
				return err
			}
			targets = append(targets, found)
		}
	}
	for _, item := range items {
		for _, e := range item.Edits {
			found := targets[0]
			targets = targets[1:]
			var err error
			switch e := e.(type) {
			case SetScalar:
				if err = mustBe(yaml.ScalarNode, found.node, e.At.Path); err == nil {
					setString(found.node, e.Value)
				}
			case SplitScalar:
				if err = mustBe(yaml.ScalarNode, found.node, e.At.Path); err == nil {
					split(found, e.Values)
				}
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

// find returns the scalar at a path, which must have the value that it had
// when the edit was planned, or the one that it is to have.
func (t *tree) find(root yamldoc.Path, at Scalar, value string) (target, error) {
	steps, inRoot, err := bothSteps(root, at.Path)
	if err != nil {
		return target{}, err
	}
	way, err := t.own(steps, inRoot)
	if err != nil {
		return target{}, err
	}
	if len(way.nodes) <= len(steps) {
		return target{}, fmt.Errorf("%s: found nothing where a scalar is needed", show(at.Path))
	}
	node := way.end()
	if err := mustBe(yaml.ScalarNode, node, at.Path); err != nil {
		return target{}, err
	}
	if node.Value != at.Value && node.Value != value {
		return target{}, fmt.Errorf("%s: found another value than the one to be replaced; the text must be the one the edit was made for", show(at.Path))
	}
	found := target{node: node, parent: node}
	if len(steps) > 0 {
		found.parent = way.nodes[len(way.nodes)-2]
	}
	return found, nil
}

// setString makes node the string value, in its own style if that serves.
func setString(node *yaml.Node, value string) {
	isPlain := node.Style&(quotedStyles|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	if isPlain && (node.Style&yaml.TaggedStyle == 0 && isJSONLiteral(node.Value) || !staysPlain(value, mayBeFlow(node.Value))) {
		node.Style = yaml.DoubleQuotedStyle
	}
	node.Style &^= yaml.TaggedStyle
	node.Tag, node.Value = "!!str", value
}

// scalarNode returns a node for a new entry's key or value.
func scalarNode(value string, style yaml.Style, isBool, flow bool) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Style: style, Tag: "!!str", Value: value}
	switch {
	case isBool:
		node.Tag, node.Style = "!!bool", 0
	case style == 0 && !staysPlain(value, flow):
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}

func split(found target, values []string) {
	i := slices.Index(found.parent.Content, found.node)
	var further []*yaml.Node
	for _, value := range values[1:] {
		made := &yaml.Node{Kind: yaml.ScalarNode, Style: found.node.Style}
		setString(made, value)
		further = append(further, made)
	}
	setString(found.node, values[0])
	found.parent.Content = slices.Insert(found.parent.Content, i+1, further...)
}

func (t *tree) setEntry(root yamldoc.Path, e SetEntry) error {
	if done, err := t.isDone(root, e); err != nil || done {
		return err
	}
	steps, inRoot, err := bothSteps(root, e.Parent)
	if err != nil {
		return err
	}
	way, err := t.own(steps, inRoot)
	if err != nil {
		return err
	}
	taken := len(way.nodes) - 1
	if taken < inRoot {
		return noItem(root)
	}
	node := way.end()
	path := yamldoc.Path("")
	for _, step := range steps[inRoot:taken] {
		path = step.From(path)
	}
	missing, err := keysOf(steps[taken:], path)
	if err != nil {
		return err
	}
	if taken > inRoot && isNull(node) {
		*node = yaml.Node{
			Kind: yaml.MappingNode, Tag: "!!map", Line: node.Line, Column: node.Column,
			HeadComment: node.HeadComment, LineComment: node.LineComment, FootComment: node.FootComment,
		}
		// yaml.v3 has the comment behind the colon of a block mapping at the key.
		if key := way.key(); key != nil && key.LineComment == "" && key.Style&yaml.FlowStyle == 0 {
			key.LineComment, node.LineComment = node.LineComment, ""
		}
	}
	if err := mustBe(yaml.MappingNode, node, path); err != nil {
		return err
	}
	if len(missing) == 0 {
		i, err := findKey(node, e.Parent, e.Key)
		if err != nil {
			return err
		}
		if i >= 0 {
			value := node.Content[i+1]
			if err := t.detach(value); err != nil {
				return fmt.Errorf("%s: %w", e.Parent.Key(e.Key), err)
			}
			if err := mustBe(yaml.ScalarNode, value, e.Parent.Key(e.Key)); err != nil {
				return err
			}
			if e.Bool {
				value.Tag, value.Value, value.Style = "!!bool", e.Value, 0
			} else {
				setString(value, e.Value)
			}
			return nil
		}
		// The new entry may hide one that comes from a merge key.
		merged, err := t.lookup(node, e.Parent, e.Key)
		if err != nil {
			return err
		}
		if merged != nil {
			if err := mustBe(yaml.ScalarNode, resolved(merged), e.Parent.Key(e.Key)); err != nil {
				return err
			}
		}
	}
	at := place(site{mapping: node, key: way.key(), missing: missing}, e)
	var quotes yaml.Style
	if node.Style&yaml.FlowStyle != 0 && len(node.Content) > 0 {
		quotes = node.Content[0].Style & yaml.DoubleQuotedStyle
	}
	flow := slices.ContainsFunc(way.nodes, func(n *yaml.Node) bool { return n.Style&yaml.FlowStyle != 0 })
	value := scalarNode(e.Value, quotes, e.Bool, flow)
	keys := slices.Concat(missing, []string{e.Key})
	for _, key := range slices.Backward(keys[1:]) {
		value = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{scalarNode(key, quotes, false, flow), value}}
	}
	// Entries that the same edits put there stand one behind the other.
	for at*2 < len(node.Content) && t.made[node.Content[at*2]] {
		at++
	}
	key := scalarNode(keys[0], quotes, false, flow)
	t.made[key] = true
	node.Content = slices.Insert(node.Content, 2*at, key, value)
	return nil
}

func (t *tree) removeEntry(root yamldoc.Path, e RemoveEntry) error {
	if done, err := t.isDone(root, e); err != nil || done {
		return err
	}
	steps, inRoot, err := bothSteps(root, e.Parent)
	if err != nil {
		return err
	}
	way, err := t.own(steps, inRoot)
	if err != nil {
		return err
	}
	mapping := way.end()
	// An entry may hide one that comes from a merge key.
	if err := t.unmerge(mapping, e.Parent); err != nil {
		return err
	}
	i, err := findKey(mapping, e.Parent, e.Key)
	if err != nil {
		return err
	}
	for _, dropped := range mapping.Content[i : i+2] {
		if err := t.detachAll(dropped); err != nil {
			return fmt.Errorf("%s: %w", e.Parent.Key(e.Key), err)
		}
	}
	mapping.Content = slices.Delete(mapping.Content, i, i+2)
	return nil
}
