package reference

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/yamldoc"
)

// descend pushes a frame for each mapping on the path, as far as these exist, and returns the last key's value. It does
// not pass through lists.
func (w *walker) descend(path catalog.Path) (field, bool) {
	root := frame{mapping: w.root, depth: w.base}
	for i, key := range path {
		around, ok := w.follow(root, path[:i])
		if !ok || around.node.Kind != yaml.MappingNode {
			return field{}, false
		}
		w.push(around.node, w.base+i, around.shared)
		w.steps.Key(string(key))
	}
	return w.follow(root, path)
}

// ascend undoes descend.
func (w *walker) ascend() { w.frames, w.steps = w.frames[:0], w.steps[:w.base] }

// A field is the result of a lookup.
type field struct {
	node   *yaml.Node // never an alias
	depth  int        // in walker.steps, of the mapping where the way begins
	way    catalog.Path
	shared bool
}

func (w *walker) pathOf(f *field) yamldoc.Path {
	return f.way.From(w.steps[:f.depth].Path())
}

// lookup finds a field, starting at the mapping around the current node.
func (w *walker) lookup(r catalog.Relative) (field, bool) {
	if r.Root {
		return w.follow(frame{mapping: w.root, depth: w.base}, r.Path)
	}
	if r.Up >= len(w.frames) {
		return field{}, false
	}
	return w.follow(w.frames[len(w.frames)-1-r.Up], r.Path)
}

// follow finds a field below a mapping, by keys only.
func (w *walker) follow(at frame, way catalog.Path) (field, bool) {
	found := field{node: at.mapping, depth: at.depth, way: way, shared: at.shared}
	for i := 0; ; i++ {
		if found.node.Kind == yaml.AliasNode {
			found.node, found.shared = found.node.Alias, true
		}
		found.shared = found.shared || found.node.Anchor != ""
		if i == len(way) {
			return found, true
		}
		if found.node.Kind != yaml.MappingNode {
			return field{}, false
		}
		next, merged := w.get(found.node, string(way[i]))
		if next == nil {
			return field{}, false
		}
		found.node, found.shared = next, found.shared || merged
	}
}

func (w *walker) nodeAt(r *catalog.Relative) *yaml.Node {
	if r == nil {
		return nil
	}
	field, _ := w.lookup(*r)
	return field.node
}

// get is yamldoc.Get, but faster if a mapping has many entries.
func (w *walker) get(m *yaml.Node, key string) (value *yaml.Node, merged bool) {
	const many = 64
	if len(m.Content) < 2*many && !yamldoc.HasMerge(m) {
		return yamldoc.Get(m, key, w.budget)
	}
	index, ok := w.indices[m]
	if !ok {
		index = make(map[string]entry, len(m.Content)/2)
		// If the budget is exhausted, the walk that shares it reports that.
		_ = yamldoc.Each(m, w.budget, func(name string, value *yaml.Node, merged bool) error {
			if _, twice := index[name]; !twice {
				index[name] = entry{value, merged}
			}
			return nil
		})
		if w.indices == nil {
			w.indices = map[*yaml.Node]map[string]entry{}
		}
		w.indices[m] = index
	}
	found := index[key]
	return found.value, found.merged
}

type entry struct {
	value  *yaml.Node
	merged bool
}

// at returns the value of a key, with aliases resolved, nil if n is not a mapping or does not have the key.
func (w *walker) at(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	if value, _ := w.get(n, key); value != nil {
		return yamldoc.Resolve(value)
	}
	return nil
}

func (w *walker) child(n *yaml.Node, key string) string { return yamldoc.StringOf(w.at(n, key)) }

func (w *walker) mappingAt(n *yaml.Node, key string) *yaml.Node {
	if value := w.at(n, key); value != nil && value.Kind == yaml.MappingNode {
		return value
	}
	return nil
}

// elements returns the elements, with aliases resolved, of the list under a key of a mapping.
func (w *walker) elements(n *yaml.Node, key string) []*yaml.Node {
	list := w.at(n, key)
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil
	}
	isAlias := func(n *yaml.Node) bool { return n.Kind == yaml.AliasNode }
	if !slices.ContainsFunc(list.Content, isAlias) {
		return list.Content
	}
	resolved := make([]*yaml.Node, len(list.Content))
	for i, element := range list.Content {
		resolved[i] = yamldoc.Resolve(element)
	}
	return resolved
}

func (w *walker) texts(n *yaml.Node) map[string]string {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		return nil
	}
	texts := make(map[string]string, len(n.Content)/2)
	_ = yamldoc.Each(n, w.budget, func(key string, value *yaml.Node, _ bool) error {
		if value = yamldoc.Resolve(value); value.Kind == yaml.ScalarNode {
			texts[key] = value.Value
		}
		return nil
	})
	return texts
}

// scalars returns the values of n, or of its elements if it is a list.
func scalars(n *yaml.Node) (values []string) {
	elements := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		elements = n.Content
	}
	for _, element := range elements {
		if element = yamldoc.Resolve(element); element.Kind == yaml.ScalarNode {
			values = append(values, element.Value)
		}
	}
	return values
}

// isString reports whether n holds a non-empty string. Like an object's own name, a plain number, boolean or date
// counts as the string that is written.
func isString(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value != "" && slices.Contains(stringTags, n.ShortTag())
}

var stringTags = []string{"!!str", "!!timestamp", "!!int", "!!float", "!!bool"}
