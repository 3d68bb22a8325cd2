package manifest

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// An Item is a resource in the tree of a Chunk.
type Item struct {
	// Root is the path from the root of the chunk's tree to the item.
	Root yamldoc.Path
	// Node is the item, a MappingNode.
	Node *yaml.Node
	// Shared: the item, or a node above it, is an alias or has an anchor.
	Shared bool
}

const (
	// maxListDepth bounds the nesting of Lists.
	maxListDepth = 16
	// maxAliasedItems bounds how many items of a document may be aliases.
	maxAliasedItems = 10_000
	// aliasedInAll bounds how many nodes the aliases of an input may stand for, in addition to one for each of its
	// bytes. Real inputs have far fewer.
	aliasedInAll = 50_000
)

// items parses the chunk and finds its items. They are valid until the next use of parser.
func (c *Chunk) items(parser *yamldoc.Parser) ([]Item, error) {
	tree, err := c.parse(parser)
	if err != nil {
		return nil, err
	}
	if len(tree.Content) == 0 {
		return nil, nil
	}
	root := tree.Content[0]
	c.aliased = aliasedIn(root, c.Text)
	switch c.form {
	case formElement:
		if root.Kind != yaml.SequenceNode || len(root.Content) != 1 || root.Anchor != "" {
			return nil, fmt.Errorf("%s: not one item of a sequence", c.At(c.Line))
		}
		return c.expand(nil, Item{Root: yamldoc.Path("").Index(0), Node: root.Content[0]}, 0)
	case formList:
		items := yamldoc.Value(root, "items")
		if items == nil {
			return nil, nil
		}
		return c.elements(nil, Item{Root: yamldoc.Path("").Key("items"), Node: items, Shared: root.Anchor != ""}, 0)
	default:
		return c.expand(nil, Item{Node: root}, 0)
	}
}

func (c *Chunk) parse(parser *yamldoc.Parser) (*yaml.Node, error) {
	if tree := c.tree; tree != nil {
		c.tree = nil // to be freed after the visit
		return tree, nil
	}
	tree, err := parser.Parse(c.Text)
	if err != nil && c.original == nil {
		if text, ok := yamlEscapes(c.Text); ok {
			c.original, c.Text = c.Text, text
			tree, err = parser.Parse(c.Text)
		}
	}
	switch {
	case err == nil:
		return tree, nil
	case c.item > 0:
		return nil, fmt.Errorf("%s: %w", c.At(c.Line), yamldoc.AtLine(err, c.Text, 1))
	}
	return nil, yamldoc.AtLine(err, c.Text, c.Line)
}

// aliasedIn returns how many nodes expanding its aliases would add to a tree. A long text counts as several nodes.
func aliasedIn(root *yaml.Node, text []byte) int {
	if bytes.IndexByte(text, '*') < 0 || bytes.IndexByte(text, '&') < 0 {
		return 0
	}
	const tooMany = 1 << 40
	anchored := map[*yaml.Node]int{}
	var size func(n *yaml.Node) (all, own int)
	size = func(n *yaml.Node) (all, own int) {
		if n.Kind == yaml.AliasNode {
			if all, known := anchored[n.Alias]; known {
				return all, 0
			}
			return tooMany, 0 // it contains itself
		}
		all = 1 + len(n.Value)/32
		own = all
		for _, child := range n.Content {
			more, ours := size(child)
			all, own = min(all+more, tooMany), own+ours
		}
		if n.Anchor != "" {
			anchored[n] = all
		}
		return all, own
	}
	all, own := size(root)
	return all - own
}

// expand appends item to found or, if it is a List, its items.
func (c *Chunk) expand(found []Item, item Item, depth int) ([]Item, error) {
	if depth > maxListDepth {
		return nil, fmt.Errorf("%s: Lists are nested more than %d deep", c.placeOf(item.Node), maxListDepth)
	}
	node := yamldoc.Resolve(item.Node)
	if node.Kind != yaml.MappingNode {
		if c.form == formDocument && item.Root == "" && node.Tag == "!!null" {
			return found, nil // an empty document
		}
		return nil, fmt.Errorf("%s: found %s; every item must be a Kubernetes resource: a mapping with apiVersion and kind", c.placeOf(item.Node), yamldoc.Describe(node))
	}
	item.Shared = item.Shared || node != item.Node || node.Anchor != ""
	if strings.HasSuffix(yamldoc.Text(node, "kind"), "List") {
		if items := yamldoc.Value(node, "items"); items != nil {
			if key := yamldoc.Duplicate(node); key != nil {
				return nil, fmt.Errorf("%s: the List has %s twice; keep one", c.placeOf(key), yamldoc.NameOf(node, key))
			}
			return c.elements(found, Item{Root: item.Root.Key("items"), Node: items, Shared: item.Shared}, depth+1)
		}
	}
	if item.Shared && len(found) >= maxAliasedItems {
		return nil, fmt.Errorf("%s: aliases expand to more than the %d items that are followed", c.placeOf(item.Node), maxAliasedItems)
	}
	item.Node = node
	return append(found, item), nil
}

// elements appends the elements of a sequence to found.
func (c *Chunk) elements(found []Item, list Item, depth int) ([]Item, error) {
	if list.Node.Tag == "!!null" {
		return found, nil
	}
	if list.Node.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("%s: items of a List is %s; it must be a sequence of resources", c.placeOf(list.Node), yamldoc.Describe(list.Node))
	}
	shared := list.Shared || list.Node.Anchor != ""
	var err error
	for i, element := range list.Node.Content {
		found, err = c.expand(found, Item{Root: list.Root.Index(i), Node: element, Shared: shared}, depth)
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (c *Chunk) placeOf(node *yaml.Node) string { return c.At(c.Line + max(node.Line, 1) - 1) }
