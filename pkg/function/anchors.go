package function

import (
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// maxCopies bounds how many nodes are made in place of aliases for one item: a
// few lines of aliases of aliases can stand for more than fit any memory.
const maxCopies = 200_000

// embed makes root hold all that it means: where it has an alias of a node that
// is not in it, every alias in it becomes a copy of what it stands for.
func embed(root *yaml.Node) error {
	own := map[*yaml.Node]bool{}
	var aliases []*yaml.Node
	walk(root, func(n *yaml.Node) {
		own[n] = true
		if n.Kind == yaml.AliasNode {
			aliases = append(aliases, n)
		}
	})
	for _, alias := range aliases {
		if !own[alias.Alias] {
			e := &embedder{within: map[*yaml.Node]bool{}}
			return e.embed(root)
		}
	}
	return nil
}

// walk calls visit with every node of root. It does not follow aliases.
func walk(root *yaml.Node, visit func(*yaml.Node)) {
	visit(root)
	for _, child := range root.Content {
		walk(child, visit)
	}
}

// hasNil reports whether a node in root is nil.
func hasNil(root *yaml.Node) bool {
	return root == nil || slices.ContainsFunc(root.Content, hasNil)
}

// hasAnchors reports whether an alias, or a node with an anchor, is in root.
func hasAnchors(root *yaml.Node) bool {
	found := false
	walk(root, func(n *yaml.Node) { found = found || n.Kind == yaml.AliasNode || n.Anchor != "" })
	return found
}

// An embedder puts copies in place of aliases.
type embedder struct {
	within map[*yaml.Node]bool // the nodes that are being copied
	copies int
}

func (e *embedder) embed(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode {
		made, err := e.copyOf(n.Alias)
		if err != nil {
			return err
		}
		made.HeadComment, made.LineComment, made.FootComment = n.HeadComment, n.LineComment, n.FootComment
		*n = *made
		return nil
	}
	for _, child := range n.Content {
		if err := e.embed(child); err != nil {
			return err
		}
	}
	return nil
}

// copyOf returns a copy of n without anchors and aliases.
func (e *embedder) copyOf(n *yaml.Node) (*yaml.Node, error) {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch e.copies++; {
	case n == nil:
		return nil, errors.New("an alias stands for nothing")
	case e.within[n]:
		return nil, errors.New("the value of an anchor contains itself")
	case e.copies > maxCopies:
		return nil, fmt.Errorf("aliases stand for more than %d nodes; write the values out, or use fewer aliases", maxCopies)
	}
	e.within[n] = true
	defer delete(e.within, n)
	made := *n
	made.Anchor, made.Content = "", nil
	for _, child := range n.Content {
		c, err := e.copyOf(child)
		if err != nil {
			return nil, err
		}
		made.Content = append(made.Content, c)
	}
	return &made, nil
}
