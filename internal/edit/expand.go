package edit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// maxCopies bounds how many nodes replace aliases in one chunk: a few lines with aliases of aliases can stand for more
// nodes than fit in memory.
const maxCopies = 200_000

// errNotInBytes says that onNodes must make an edit.
var errNotInBytes = errors.New("the place may be shared")

// A tree is a parsed chunk in which a node can get its own copy of shared content.
type tree struct {
	root    *yaml.Node
	inBytes bool                        // do only what splices can do, and record it in changes
	changes []*change                   // of the nodes of one item
	aliases map[*yaml.Node][]*yaml.Node // the aliases of a node with an anchor
	names   map[string]int              // how many nodes have the anchor
	seen    map[*yaml.Node]bool         // new scalars, and the nodes in changes
	copies  int
	open    map[*yaml.Node]bool // for Embed: the nodes being copied
}

func newTree(root *yaml.Node) (*tree, error) {
	t := &tree{root: root, aliases: make(map[*yaml.Node][]*yaml.Node), names: make(map[string]int), seen: make(map[*yaml.Node]bool)}
	return t, t.index(root, make(map[*yaml.Node]bool))
}

// index records anchors and aliases. It rejects an alias inside the node it refers to, which cannot be expanded.
func (t *tree) index(n *yaml.Node, above map[*yaml.Node]bool) error {
	if n.Kind == yaml.AliasNode {
		if above[n.Alias] {
			return fmt.Errorf("the anchor in line %d holds an alias of itself, in line %d", n.Alias.Line, n.Line)
		}
		t.aliases[n.Alias] = append(t.aliases[n.Alias], n)
		return nil
	}
	if n.Anchor != "" {
		t.names[n.Anchor]++
		above[n] = true
		defer delete(above, n)
	}
	for _, child := range n.Content {
		if err := t.index(child, above); err != nil {
			return err
		}
	}
	return nil
}

// detach gives n its own copy, so that editing it changes no alias: an alias becomes a copy of its target, and the
// aliases of n become copies of n.
func (t *tree) detach(n *yaml.Node) error {
	if t.inBytes {
		if n.Kind == yaml.AliasNode || n.Anchor != "" || n.Kind != yaml.ScalarNode && n.Style&yaml.TaggedStyle != 0 || yamldoc.HasMerge(n) {
			return errNotInBytes
		}
		return nil
	}
	if n.Kind == yaml.AliasNode {
		return t.replaceAlias(n)
	}
	aliases := t.aliases[n]
	delete(t.aliases, n)
	for _, alias := range aliases {
		// A copy may already have replaced it.
		if alias.Kind == yaml.AliasNode && alias.Alias == n {
			if err := t.replaceAlias(alias); err != nil {
				return err
			}
		}
	}
	n.Anchor = ""
	return nil
}

// detachAll detaches n and everything in it, before it is removed.
func (t *tree) detachAll(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode {
		return nil
	}
	if err := t.detach(n); err != nil {
		return err
	}
	for _, child := range n.Content {
		if err := t.detachAll(child); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) replaceAlias(alias *yaml.Node) error {
	made, err := t.copy(alias.Alias)
	if err != nil {
		return err
	}
	made.HeadComment, made.LineComment, made.FootComment = alias.HeadComment, alias.LineComment, alias.FootComment
	made.Line, made.Column = alias.Line, alias.Column
	*alias = *made
	return nil
}

// copy returns a deep copy of n without anchors. Aliases in it stay aliases, unless their anchor may mean another node
// at the copy's place.
func (t *tree) copy(n *yaml.Node) (*yaml.Node, error) {
	switch t.copies++; {
	case n == nil:
		return nil, errors.New("an alias refers to nothing")
	case t.open[n]:
		return nil, errors.New("the value of an anchor contains itself")
	case t.copies > maxCopies:
		return nil, fmt.Errorf("aliases expand to more than %d nodes; write the values out, or use fewer aliases", maxCopies)
	}
	if t.open != nil {
		t.open[n] = true
		defer delete(t.open, n)
	}
	made := *n
	if n.Kind == yaml.AliasNode {
		if t.open != nil || t.names[n.Value] > 1 {
			return t.copy(n.Alias)
		}
		t.aliases[n.Alias] = append(t.aliases[n.Alias], &made)
		return &made, nil
	}
	made.Anchor = ""
	made.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		var err error
		if made.Content[i], err = t.copy(child); err != nil {
			return nil, err
		}
	}
	return &made, nil
}

// Embed replaces the aliases in root with copies if one of them refers to a node outside of root: an edit of one item
// must not change another. It fails if the copies would be too many.
func Embed(root *yaml.Node) error {
	own := map[*yaml.Node]bool{}
	var aliases []*yaml.Node
	var collect func(n *yaml.Node) (ok bool)
	collect = func(n *yaml.Node) bool {
		if own[n] = true; n != nil && n.Kind == yaml.AliasNode {
			aliases = append(aliases, n)
		}
		return n != nil && !slices.ContainsFunc(n.Content, func(n *yaml.Node) bool { return !collect(n) })
	}
	if !collect(root) {
		return errors.New("a node in it is nil; leave it out, or give it a value")
	}
	if !slices.ContainsFunc(aliases, func(a *yaml.Node) bool { return !own[a.Alias] }) {
		return nil
	}
	t := &tree{open: map[*yaml.Node]bool{}}
	for _, alias := range aliases {
		if err := t.replaceAlias(alias); err != nil {
			return err
		}
	}
	return nil
}

// A way is the result of following a path: the node or, if that is missing, the last node on the way.
type way struct {
	node, parent *yaml.Node
	key          *yaml.Node     // the key of the entry whose value is node; nil if there is none
	path         yamldoc.Path   // of node, from the item
	missing      []yamldoc.Step // the rest of the path
	inFlow       bool           // a node on the way is in flow style
}

// walk follows root and then path. It stops early at a missing entry, and at a null in place of a mapping. With own, it
// detaches all nodes on the way and expands the merge keys whose entries it needs; otherwise it follows aliases and
// merge keys without changes.
func (t *tree) walk(root, path yamldoc.Path, own bool) (w way, err error) {
	steps, err := root.Steps()
	further, ferr := path.Steps()
	if err := cmp.Or(err, ferr); err != nil {
		return way{}, err
	}
	inRoot := len(steps)
	steps = append(steps, further...)
	w.node = t.root
	for i := 0; ; i++ {
		if i == inRoot {
			w.path = ""
		}
		if !own {
			w.node = yamldoc.Resolve(w.node)
		} else if err := t.detach(w.node); err != nil {
			return way{}, fmt.Errorf("%s: %w", show(w.path), err)
		}
		w.inFlow = w.inFlow || w.node.Style&yaml.FlowStyle != 0
		if i == len(steps) || i > inRoot && yamldoc.IsNull(w.node) {
			w.missing = steps[i:]
			return w, nil
		}
		child, key, err := t.step(w.node, w.path, steps[i], own)
		if err != nil {
			return way{}, err
		}
		if child == nil {
			w.missing = steps[i:]
			return w, nil
		}
		way := path
		if i < inRoot {
			way = root
		}
		w.node, w.parent, w.key, w.path = child, w.node, key, way[:steps[i].End]
	}
}

// step is stepInto, including entries from merge keys.
func (t *tree) step(node *yaml.Node, path yamldoc.Path, step yamldoc.Step, own bool) (child, key *yaml.Node, err error) {
	child, key, err = stepInto(node, path, step)
	if err != nil || child != nil || !yamldoc.HasMerge(node) {
		return child, key, err
	}
	sources, err := sources(node, path)
	if err != nil {
		return nil, nil, err
	}
	for _, source := range sources {
		child, key, err = stepInto(source, path, step)
		if child != nil && own {
			if err := t.unmerge(node, path); err != nil {
				return nil, nil, err
			}
			return stepInto(node, path, step)
		}
		if child != nil || err != nil {
			return child, key, err
		}
	}
	return nil, nil, nil
}

// sources returns the mappings that merge keys bring into a mapping, by precedence.
func sources(mapping *yaml.Node, path yamldoc.Path) ([]*yaml.Node, error) {
	var found []*yaml.Node
	for source, err := range yamldoc.Sources(mapping) {
		if err != nil {
			return nil, cmp.Or(mustBe(yaml.MappingNode, source, path.Key("<<")), err)
		}
		found = append(found, source)
	}
	return found[1:], nil
}

// unmerge replaces the merge keys of a mapping with the entries they bring in.
func (t *tree) unmerge(mapping *yaml.Node, path yamldoc.Path) error {
	sources, err := sources(mapping, path)
	if err != nil {
		return err
	}
	present := make(map[string]bool)
	for i := 0; i < len(mapping.Content); i += 2 {
		if key := yamldoc.Resolve(mapping.Content[i]); key.Kind == yaml.ScalarNode && !yamldoc.IsMerge(key) {
			present[key.Value] = true
		}
	}
	var merged []*yaml.Node
	for _, source := range sources {
		for i := 0; i < len(source.Content); i += 2 {
			key := yamldoc.Resolve(source.Content[i])
			if key.Kind != yaml.ScalarNode {
				return fmt.Errorf("%s: a merged mapping has a key that is not a scalar; write the mapping out", show(path))
			}
			if yamldoc.IsMerge(key) || present[key.Value] {
				continue
			}
			present[key.Value] = true
			for _, node := range source.Content[i : i+2] {
				made, err := t.copy(node)
				if err != nil {
					return fmt.Errorf("%s: %w", show(path), err)
				}
				merged = append(merged, made)
			}
		}
	}
	var content []*yaml.Node
	for i := 0; i < len(mapping.Content); i += 2 {
		if !yamldoc.IsMerge(mapping.Content[i]) {
			content = append(content, mapping.Content[i:i+2]...)
			continue
		}
		if err := t.detachAll(mapping.Content[i+1]); err != nil {
			return fmt.Errorf("%s: %w", show(path), err)
		}
		content, merged = append(content, merged...), nil
	}
	mapping.Content = content
	return nil
}
