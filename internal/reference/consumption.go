package reference

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/yamldoc"
)

// mounts are the mounts of a pod spec's volumes, by the volume's name.
type mounts map[string]*mount

// A mount is how containers mount a volume: all of it, or paths within.
type mount struct {
	// whole tells that all of it is mounted, or a path that nobody knows before the
	// pod runs; live that the kubelet keeps files of it up to date, which it does
	// not where a path within is mounted.
	whole, live bool
	// roots are the paths within that are mounted, each with a slash behind it,
	// sorted, without those in others of them. keys are the keys that these are
	// where each key is a file of that name, right in the volume.
	roots, keys []string
}

// holds reports whether a file is in one of the paths that are mounted.
func (m *mount) holds(path string) bool {
	path += "/"
	i, _ := slices.BinarySearchFunc(m.roots, path, func(root, path string) int {
		if root <= path {
			return -1
		}
		return 1
	})
	return i > 0 && strings.HasPrefix(path, m.roots[i-1])
}

// settle sorts out the paths that are mounted.
func (m *mount) settle() {
	slices.Sort(m.roots)
	last := "/" // which begins none
	m.roots = slices.DeleteFunc(m.roots, func(root string) bool {
		if strings.HasPrefix(root, last) {
			return true
		}
		last = root
		return false
	})
	m.keys = make([]string, len(m.roots))
	for i, root := range m.roots {
		m.keys[i], _, _ = strings.Cut(root, "/")
	}
	slices.Sort(m.keys)
	m.keys = slices.Compact(m.keys)
}

// maxKeys bounds the keys that an item's volumes stand for, where several sources
// share a volume of which paths are mounted: each may be a file of any of them.
const maxKeys = 100_000

// consume narrows the reference of a volume to the keys that containers see:
// those of its items, and of those the ones that a subPath leaves. A volume that
// nobody mounts is not consumed.
func (w *walker) consume(r *catalog.Rule, ref *Reference) {
	items, listed := w.items(r.Items)
	if listed {
		ref.Keys = keysOf(items)
		ref.Required = ref.Keys
	}
	if r.Mount == nil || len(w.frames) <= r.Mount.Up {
		return
	}
	volume := w.frames[len(w.frames)-r.Mount.Up].mapping
	podSpec := w.frames[len(w.frames)-1-r.Mount.Up].mapping
	if w.skip != nil && !slices.ContainsFunc(r.Mount.By, func(list string) bool { return len(w.elements(podSpec, list)) > 0 }) {
		return // in a kind that is not known: volumes for pods that an operator makes
	}
	mounted := w.mountsOf(podSpec, r.Mount.By)[w.child(volume, "name")]
	if mounted == nil {
		ref.Consumed, ref.Via = false, catalog.ViaReference
		return
	}
	keys := mounted.keys
	if listed {
		keys = keysOf(slices.DeleteFunc(items, func(i item) bool { return !mounted.holds(i.path) }))
	}
	if mounted.live {
		ref.SubPathKeys = keys
	} else {
		ref.Via = catalog.ViaSubPath
	}
	if ref.Of == nil && !mounted.whole {
		ref.Keys = keys
	}
	if w.keys += len(keys); w.keys > maxKeys && w.wrong == nil {
		w.wrong = fmt.Errorf("%s: the sources of its volumes times the paths that are mounted of them are more than %d keys; list items, or mount fewer paths", w.pathOf(&field{depth: w.frames[len(w.frames)-1-r.Mount.Up].depth}), maxKeys)
	}
}

// An item is a key of an object and the path of its file in the volume.
type item struct{ key, path string }

// items returns the items of a volume's source, and whether they are listed:
// Kubernetes takes an empty list for none.
func (w *walker) items(at *catalog.Relative) ([]item, bool) {
	if at == nil {
		return nil, false
	}
	field, ok := w.lookup(*at)
	if !ok || field.node.Kind != yaml.SequenceNode || len(field.node.Content) == 0 {
		return nil, false
	}
	items := make([]item, 0, len(field.node.Content))
	for _, element := range field.node.Content {
		element = yamldoc.Resolve(element)
		items = append(items, item{w.child(element, "key"), cleanPath(w.child(element, "path"))})
	}
	return items, true
}

func keysOf(items []item) []string {
	keys := make([]string, len(items))
	for i := range items {
		keys[i] = items[i].key
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// mountsOf reads which volumes the containers of a pod spec mount.
func (w *walker) mountsOf(podSpec *yaml.Node, lists []string) mounts {
	if known, ok := w.mounts[podSpec]; ok {
		return known
	}
	m := mounts{}
	for _, list := range lists {
		for _, container := range w.elements(podSpec, list) {
			for _, volumeMount := range w.elements(container, "volumeMounts") {
				name := w.child(volumeMount, "name")
				if m[name] == nil {
					m[name] = &mount{}
				}
				subPath := w.child(volumeMount, "subPath")
				expression := w.child(volumeMount, "subPathExpr")
				unknown := subPath == "" && strings.Contains(expression, "$(")
				if subPath == "" && !unknown {
					subPath = expression
				}
				if subPath = cleanPath(subPath); subPath != "" {
					m[name].roots = append(m[name].roots, subPath+"/")
					continue
				}
				m[name].whole = true
				m[name].live = m[name].live || !unknown
			}
		}
	}
	for _, one := range m {
		one.settle()
	}
	if w.mounts == nil {
		w.mounts = map[*yaml.Node]mounts{}
	}
	w.mounts[podSpec] = m
	return m
}

// cleanPath returns a relative path without what does not matter: slashes too
// many and steps that stay.
func cleanPath(path string) string {
	parts := strings.Split(path, "/")
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" || p == "." })
	if len(parts) > 0 && parts[0] == "..data" {
		parts = parts[1:] // the link to where the kubelet keeps the files
	}
	return strings.Join(parts, "/")
}

// child returns the scalar under a key of a mapping, and "" if there is none.
func (w *walker) child(n *yaml.Node, key string) string {
	if n.Kind != yaml.MappingNode {
		return ""
	}
	value, _ := w.get(n, key)
	if value == nil {
		return ""
	}
	if value = yamldoc.Resolve(value); value.Kind != yaml.ScalarNode || isNull(value) {
		return ""
	}
	return value.Value
}

// elements returns the elements of the list under a key of a mapping, no alias
// among them.
func (w *walker) elements(n *yaml.Node, key string) []*yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	list, _ := w.get(n, key)
	if list == nil {
		return nil
	}
	if list = yamldoc.Resolve(list); list.Kind != yaml.SequenceNode {
		return nil
	}
	for i, element := range list.Content {
		if element.Kind != yaml.AliasNode {
			continue
		}
		resolved := slices.Clone(list.Content)
		for j := i; j < len(resolved); j++ {
			resolved[j] = yamldoc.Resolve(resolved[j])
		}
		return resolved
	}
	return list.Content
}

// podTemplates finds the pod templates that the catalogue tells of.
func (w *walker) podTemplates(templates []catalog.PodTemplate) []PodTemplate {
	var found []PodTemplate
	for i := range templates {
		t := &templates[i]
		w.eachAnchor(t, func(anchor *yaml.Node, path yamldoc.Path, depth int) {
			at := PodTemplate{Index: i}
			if t.HasSpec {
				node, _ := w.reach(anchor, t.Spec[depth:])
				if node == nil || node.Kind != yaml.MappingNode {
					return
				}
				at.Spec, at.HasSpec = extend(path, t.Spec[depth:]), true
				w.addReads(node, at.Spec)
				at.Containers = len(w.elements(node, "containers")) > 0 || len(w.elements(node, "initContainers")) > 0
			}
			if t.HasAnnotations {
				at.AnnotationsAt = extend(path, t.Annotations[depth:])
				node, missing := w.reach(anchor, t.Annotations[depth:])
				// More than the annotations and the mapping around them
				// may be lists, which nobody can make up.
				at.HasAnnotations = node != nil || missing <= 2
				at.Annotations = w.texts(node)
				at.Root, at.Whole = path, t.HasSpec && slices.Equal(t.Spec[depth:], wholeSpec) && slices.Equal(t.Annotations[depth:], wholeAnnotations)
			}
			if at.HasSpec || at.HasAnnotations {
				found = append(found, at)
			}
		})
	}
	return found
}

// The parts of a template that is one mapping.
var wholeSpec, wholeAnnotations = catalog.Path{"spec"}, catalog.Path{"metadata", "annotations"}

// eachAnchor calls visit for every node at which the ways to a template's spec
// and annotations part, depth keys from the root. The ways pass through lists
// before; patterns in them match every key.
func (w *walker) eachAnchor(t *catalog.PodTemplate, visit func(anchor *yaml.Node, path yamldoc.Path, depth int)) {
	way := t.Annotations
	depth := max(len(way)-2, 0) // of a template without a spec: what holds the metadata
	if t.HasSpec {
		way, depth = t.Spec, len(t.Spec)-1
		if t.HasAnnotations {
			depth = 0
			for depth < min(len(t.Spec), len(t.Annotations))-1 && t.Spec[depth] == t.Annotations[depth] {
				depth++
			}
		}
	}
	var walk func(n *yaml.Node, i int)
	walk = func(n *yaml.Node, i int) {
		if w.budget.Spend() != nil {
			return // the walk for references, which shares the budget, tells
		}
		switch n = yamldoc.Resolve(n); {
		case n.Kind == yaml.SequenceNode:
			for j, element := range n.Content {
				w.steps.Index(j)
				walk(element, i)
				w.steps.Back()
			}
		case n.Kind != yaml.MappingNode:
		case i == depth:
			if !w.tooDeep() {
				visit(n, w.path(), depth)
			}
		case way[i].IsPattern():
			_ = yamldoc.Each(n, w.budget, func(key string, value *yaml.Node, _ bool) error {
				if way[i].Matches(key) {
					w.steps.Key(key)
					walk(value, i+1)
					w.steps.Back()
				}
				return nil
			})
		default:
			if next, _ := w.get(n, string(way[i])); next != nil {
				w.steps.Key(string(way[i]))
				walk(next, i+1)
				w.steps.Back()
			}
		}
	}
	walk(w.root, 0)
}

// reach goes from a mapping by keys alone. It returns nil, and how many keys
// were left, where the way is missing.
func (w *walker) reach(n *yaml.Node, way catalog.Path) (*yaml.Node, int) {
	for i, key := range way {
		if n = yamldoc.Resolve(n); n.Kind != yaml.MappingNode {
			return nil, len(way) - i
		}
		next, _ := w.get(n, string(key))
		if next == nil {
			return nil, len(way) - i
		}
		n = next
	}
	return yamldoc.Resolve(n), 0
}

func extend(path yamldoc.Path, way catalog.Path) yamldoc.Path {
	for _, key := range way {
		path = path.Key(string(key))
	}
	return path
}

// texts returns the scalars of a mapping.
func (w *walker) texts(n *yaml.Node) map[string]string {
	if n == nil || n.Kind != yaml.MappingNode || len(n.Content) == 0 {
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
