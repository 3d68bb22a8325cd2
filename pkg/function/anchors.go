package function

import (
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// maxCopies bounds how many nodes are made in place of aliases for one item: a
// few lines of aliases of aliases can represent more than fit any memory.
const maxCopies = 200_000

// embed puts copies in place of the aliases in root, if one of them refers to a node
// outside of root: an edit of one item must not change another one.
func embed(root *yaml.Node) error {
	own := map[*yaml.Node]bool{}
	var aliases []*yaml.Node
	if !collect(root, own, &aliases) {
		return errors.New("a node in it is nil; leave it out, or give it a value")
	}
	if !slices.ContainsFunc(aliases, func(a *yaml.Node) bool { return !own[a.Alias] }) {
		return nil
	}
	c := copier{within: map[*yaml.Node]bool{}}
	for _, alias := range aliases {
		made, err := c.copy(alias)
		if err != nil {
			return err
		}
		made.HeadComment, made.LineComment, made.FootComment = alias.HeadComment, alias.LineComment, alias.FootComment
		*alias = *made
	}
	return nil
}

// collect adds the nodes of root, and the aliases among them, without following
// those. It reports false if a node is nil.
func collect(root *yaml.Node, own map[*yaml.Node]bool, aliases *[]*yaml.Node) bool {
	if root == nil {
		return false
	}
	own[root] = true
	if root.Kind == yaml.AliasNode {
		*aliases = append(*aliases, root)
	}
	return !slices.ContainsFunc(root.Content, func(n *yaml.Node) bool { return !collect(n, own, aliases) })
}

type copier struct {
	within map[*yaml.Node]bool // the nodes that are being copied
	copies int
}

// copy returns a copy of n, or of what the alias n refers to, without anchors and
// aliases.
func (c *copier) copy(n *yaml.Node) (*yaml.Node, error) {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch c.copies++; {
	case n == nil:
		return nil, errors.New("an alias refers to nothing")
	case c.within[n]:
		return nil, errors.New("the value of an anchor contains itself")
	case c.copies > maxCopies:
		return nil, fmt.Errorf("aliases expand to more than %d nodes; write the values out, or use fewer aliases", maxCopies)
	}
	c.within[n] = true
	defer delete(c.within, n)
	made := *n
	made.Anchor, made.Content = "", nil
	for _, child := range n.Content {
		child, err := c.copy(child)
		if err != nil {
			return nil, err
		}
		made.Content = append(made.Content, child)
	}
	return &made, nil
}
