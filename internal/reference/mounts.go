package reference

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/yamldoc"
)

// A mount says how containers mount a volume: as a whole, or paths within it.
type mount struct {
	// whole: the whole volume is mounted, or a path that is unknown until the pod runs. live: running containers see
	// the files that the kubelet updates, which they do not for a path within the volume.
	whole, live bool
	// roots are the mounted paths within the volume, sorted, each with a trailing slash, without those below others.
	// keys are the corresponding keys if each key is a file of that name at the top of the volume.
	roots, keys []string
}

func (m *mount) holds(path string) bool {
	path += "/"
	i, exact := slices.BinarySearch(m.roots, path)
	return exact || i > 0 && strings.HasPrefix(path, m.roots[i-1])
}

func (m *mount) add(subPath, expression string, ends bool) {
	unknown := subPath == "" && strings.Contains(expression, "$(")
	if !unknown {
		subPath = cmp.Or(subPath, expression)
	}
	if subPath = cleanPath(subPath); subPath != "" {
		m.roots = append(m.roots, subPath+"/")
		return
	}
	m.whole = true
	m.live = m.live || !unknown && !ends
}

// settle computes the final roots and keys.
func (m *mount) settle() {
	slices.Sort(m.roots)
	last := "/" // no root begins with it
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

// maxKeys bounds the total number of keys for an item's volumes, in case several sources share a volume whose paths are
// mounted: each path may be a file of any source.
const maxKeys = 100_000

// consume narrows the reference of a volume to the keys that containers see: those in its items, and of these only the
// ones below mounted subPaths. A volume that is not mounted is not consumed.
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
	if w.shapes != nil && !slices.ContainsFunc(r.Mount.By, func(list string) bool { return len(w.elements(podSpec, list)) > 0 }) {
		return // in an unknown kind: volumes for pods that an operator makes
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

// items returns the items of a volume's source, and whether there is a list: Kubernetes treats an empty list like none.
func (w *walker) items(at *catalog.Relative) ([]item, bool) {
	list := w.nodeAt(at)
	if list == nil || list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
		return nil, false
	}
	items := make([]item, 0, len(list.Content))
	for _, element := range list.Content {
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

// mountsOf returns how the containers of a pod spec mount its volumes, by volume name.
func (w *walker) mountsOf(podSpec *yaml.Node, lists []string) map[string]*mount {
	if known, ok := w.mounts[podSpec]; ok {
		return known
	}
	m := map[string]*mount{}
	for _, list := range lists {
		for _, container := range w.elements(podSpec, list) {
			ends := list == "initContainers" && w.child(container, "restartPolicy") != "Always"
			for _, volumeMount := range w.elements(container, "volumeMounts") {
				name := w.child(volumeMount, "name")
				if m[name] == nil {
					m[name] = &mount{}
				}
				m[name].add(w.child(volumeMount, "subPath"), w.child(volumeMount, "subPathExpr"), ends)
			}
		}
	}
	for _, one := range m {
		one.settle()
	}
	if w.mounts == nil {
		w.mounts = map[*yaml.Node]map[string]*mount{}
	}
	w.mounts[podSpec] = m
	return m
}

// cleanPath returns a relative path without double slashes and "." elements.
func cleanPath(path string) string {
	parts := slices.DeleteFunc(strings.Split(path, "/"), func(p string) bool { return p == "" || p == "." })
	if len(parts) > 0 && parts[0] == "..data" {
		parts = parts[1:] // the link to where the kubelet keeps the files
	}
	return strings.Join(parts, "/")
}
