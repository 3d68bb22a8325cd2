package edit

import (
	"errors"
	"fmt"

	"github.com/confighash/confighash/internal/yamldoc"

	"go.yaml.in/yaml/v3"
)

// maxCopies bounds how many nodes are made in place of aliases for one chunk,
// and how many merged mappings are looked through for one path: a few lines of aliases of
// aliases can stand for more nodes than fit any memory.
const maxCopies = 200_000

var errExpansion = fmt.Errorf("aliases stand for more than %d nodes; write the values out, or use fewer aliases", maxCopies)

// A tree is a parsed chunk in which nodes can be made to mean one place only.
type tree struct {
	root    *yaml.Node
	aliases map[*yaml.Node][]*yaml.Node // of a node with an anchor
	names   map[string]int              // how many nodes bear the anchor
	made    map[*yaml.Node]bool         // the keys of new entries
	copies  int
	looks   int // at merged mappings, for one path
}

func newTree(root *yaml.Node) (*tree, error) {
	t := &tree{root: root, aliases: make(map[*yaml.Node][]*yaml.Node), names: make(map[string]int), made: make(map[*yaml.Node]bool)}
	return t, t.index(root, make(map[*yaml.Node]bool))
}

// index notes anchors and aliases. An alias of a node that it stands in can
// never be written out.
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

// detach makes n mean its own place alone: an alias becomes a copy of what it
// stands for, and the aliases of n become copies of n.
func (t *tree) detach(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode {
		if err := t.replaceAlias(n); err != nil {
			return err
		}
	}
	if n.Anchor == "" {
		return nil
	}
	aliases := t.aliases[n]
	delete(t.aliases, n)
	for _, alias := range aliases {
		// One that a former copy has replaced is no alias any more.
		if alias.Kind == yaml.AliasNode && alias.Alias == n {
			if err := t.replaceAlias(alias); err != nil {
				return err
			}
		}
	}
	n.Anchor = ""
	return nil
}

// detachAll detaches n and what is in it, before it is dropped.
func (t *tree) detachAll(n *yaml.Node) error {
	if n.Kind != yaml.AliasNode {
		if err := t.detach(n); err != nil {
			return err
		}
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

// copy returns a deep copy of n without anchors. Aliases in it stay aliases,
// unless their anchor may mean another node where the copy goes.
func (t *tree) copy(n *yaml.Node) (*yaml.Node, error) {
	if t.copies++; t.copies > maxCopies {
		return nil, errExpansion
	}
	if n.Kind == yaml.AliasNode {
		if t.names[n.Value] > 1 {
			return t.copy(n.Alias)
		}
		made := *n
		t.aliases[n.Alias] = append(t.aliases[n.Alias], &made)
		return &made, nil
	}
	made := *n
	made.Anchor = ""
	if n.Content != nil {
		made.Content = make([]*yaml.Node, len(n.Content))
	}
	for i, child := range n.Content {
		var err error
		if made.Content[i], err = t.copy(child); err != nil {
			return nil, err
		}
	}
	return &made, nil
}

// own follows steps and detaches every node on the way. Where an entry comes
// from a merge key, it is written out. The way ends early where an entry is
// missing, and where null stands instead of a mapping.
func (t *tree) own(steps []yamldoc.Step, inRoot int) (way way, err error) {
	t.looks = 0
	node, path := t.root, yamldoc.Path("")
	way.nodes = append(way.nodes, node)
	for i, step := range steps {
		if i == inRoot {
			path = ""
		}
		if err := t.detach(node); err != nil {
			return way, fmt.Errorf("%s: %w", show(path), err)
		}
		if i > inRoot && isNull(node) {
			return way, nil
		}
		child, key, err := stepInto(node, path, step)
		if err != nil {
			return way, err
		}
		if child == nil {
			found, err := t.lookup(node, path, step.Key)
			if err != nil || found == nil {
				return way, err
			}
			if err := t.unmerge(node, path); err != nil {
				return way, err
			}
			if child, key, err = stepInto(node, path, step); err != nil {
				return way, err
			}
		}
		node, path = child, step.From(path)
		way.nodes, way.keys = append(way.nodes, node), append(way.keys, key)
	}
	if err := t.detach(node); err != nil {
		return way, fmt.Errorf("%s: %w", show(path), err)
	}
	return way, nil
}

// A way holds the nodes from the root to where a path leads, and the keys that
// lead from one to the next, nil for elements of sequences.
type way struct {
	nodes, keys []*yaml.Node
}

func (w way) end() *yaml.Node { return w.nodes[len(w.nodes)-1] }

// key returns the key that leads to the end, nil if none does.
func (w way) key() *yaml.Node {
	if len(w.keys) == 0 {
		return nil
	}
	return w.keys[len(w.keys)-1]
}

// peek returns what steps lead to, through aliases and merge keys, nil if it is
// not there. It changes nothing.
func (t *tree) peek(steps []yamldoc.Step, inRoot int) (*yaml.Node, error) {
	t.looks = 0
	node, path := resolved(t.root), yamldoc.Path("")
	for i, step := range steps {
		if i == inRoot {
			path = ""
		}
		if i > inRoot && isNull(node) {
			return nil, nil
		}
		child, _, err := stepInto(node, path, step)
		if err == nil && child == nil {
			child, err = t.lookup(node, path, step.Key)
		}
		if err != nil || child == nil {
			return nil, err
		}
		node, path = resolved(child), step.From(path)
	}
	return node, nil
}

func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// lookup returns the value that mapping's merge key gives for key, nil if it
// gives none.
func (t *tree) lookup(mapping *yaml.Node, path yamldoc.Path, key string) (*yaml.Node, error) {
	sources, err := t.sources(mapping, path)
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		i, err := findKey(source, path, key)
		if err != nil {
			return nil, err
		}
		if i >= 0 {
			return source.Content[i+1], nil
		}
		if found, err := t.lookup(source, path, key); err != nil || found != nil {
			return found, err
		}
	}
	return nil, nil
}

// sources returns the mappings that mapping's merge key names, the first
// counting most.
func (t *tree) sources(mapping *yaml.Node, path yamldoc.Path) ([]*yaml.Node, error) {
	i := mergeIndex(mapping)
	if i < 0 {
		return nil, nil
	}
	for j := i + 2; j < len(mapping.Content); j += 2 {
		if isMerge(mapping.Content[j]) {
			return nil, twice(path.Key("<<"), mapping.Content[i], mapping.Content[j])
		}
	}
	value := mapping.Content[i+1]
	sources := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		sources = value.Content
	}
	out := make([]*yaml.Node, len(sources))
	for i, source := range sources {
		if out[i] = resolved(source); out[i].Kind != yaml.MappingNode {
			return nil, mustBe(yaml.MappingNode, out[i], path.Key("<<"))
		}
		if t.looks++; t.looks > maxCopies {
			return nil, errExpansion
		}
	}
	return out, nil
}

// unmerge writes the entries that mapping's merge key brings out in its place.
func (t *tree) unmerge(mapping *yaml.Node, path yamldoc.Path) error {
	at := mergeIndex(mapping)
	if at < 0 {
		return nil
	}
	present := make(map[string]bool) // as paths tell keys apart: by what stands there
	unknown := errors.New("a merged mapping has a key that is no scalar; write the mapping out")
	for i := 0; i < len(mapping.Content); i += 2 {
		if key := resolved(mapping.Content[i]); key.Kind == yaml.ScalarNode && !isMerge(key) {
			present[key.Value] = true
		}
	}
	var merged []*yaml.Node
	var collect func(n *yaml.Node) error
	collect = func(n *yaml.Node) error {
		sources, err := t.sources(n, path)
		if err != nil {
			return err
		}
		for _, source := range sources {
			for i := 0; i < len(source.Content); i += 2 {
				key := resolved(source.Content[i])
				if key.Kind != yaml.ScalarNode {
					return unknown
				}
				if isMerge(key) || present[key.Value] {
					continue
				}
				present[key.Value] = true
				for _, node := range source.Content[i : i+2] {
					made, err := t.copy(node)
					if err != nil {
						return err
					}
					merged = append(merged, made)
				}
			}
			if err := collect(source); err != nil {
				return err
			}
		}
		return nil
	}
	if err := collect(mapping); err != nil {
		return fmt.Errorf("%s: %w", show(path), err)
	}
	if err := t.detachAll(mapping.Content[at+1]); err != nil {
		return fmt.Errorf("%s: %w", show(path), err)
	}
	content := append([]*yaml.Node(nil), mapping.Content[:at]...)
	content = append(content, merged...)
	mapping.Content = append(content, mapping.Content[at+2:]...)
	return nil
}
