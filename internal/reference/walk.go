package reference

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/yamldoc"
)

// maxDepth bounds how deep aliases are followed, far beyond what an API server accepts: they can make a short text
// stand for an endless document.
const maxDepth = 1_000

// A walker walks through a document along the states of a trie.
type walker struct {
	finder *Finder
	root   *yaml.Node
	// steps lead to the current node; the first base of them lead to root.
	steps yamldoc.Trail
	base  int
	// frames are the mappings around the current node, outermost first.
	frames []frame
	// states holds the sets of states of all levels, the current one last.
	states []*state
	found  []Reference
	// mistaken and reads become those of Found.
	mistaken []edit.Scalar
	reads    []Read
	// read are the parts of pod specs whose arguments have been read.
	read map[*yaml.Node]bool
	// manifests counts the manifests around the current node.
	manifests int
	// aliases counts the aliases on the way to the current node; budget bounds the nodes below aliases.
	aliases int
	budget  *yamldoc.Budget
	// mounts are the mounts of the pod specs seen so far, and keys how many keys of objects they mount.
	mounts map[*yaml.Node]map[string]*mount
	keys   int
	// indices holds the entries of mappings that have many or use merge keys.
	indices map[*yaml.Node]map[string]entry
	// present are the surroundings of a single name; around are those of the last list element for which a rule was
	// tried.
	present surroundings
	around  map[*rule]*surroundings
	serial  int // of the newest frame
	// wrong is the error that keeps the item from being read completely.
	wrong error
	// within is the scalar whose value is the document, if it is embedded, and positions index its lines.
	within    *edit.Scalar
	positions *edit.Text
	// anchors are the anchors of pod templates.
	anchors []anchor
	// shapes, if any, are what the walk looks for; inTemplate: it is in a pod template of that shape.
	shapes     *shapes
	inTemplate bool
	// defined are the ConfigMaps and Secrets among an item's manifests, which references of the others mean.
	defined map[object]bool
}

type object struct {
	target catalog.Target
	name   string
}

// A frame is a mapping on the way.
type frame struct {
	mapping *yaml.Node
	depth   int // length of its path in walker.steps
	shared  bool
	serial  int // unique among the walker's frames
}

func (w *walker) push(n *yaml.Node, depth int, shared bool) {
	w.serial++
	w.frames = append(w.frames, frame{n, depth, shared, w.serial})
}

// tooDeep reports whether the current path is too long, and records that in wrong.
func (w *walker) tooDeep() bool {
	if !w.steps.TooDeep() {
		return false
	}
	w.wrong = cmp.Or(w.wrong, fmt.Errorf("%s: a name is so deep that its path has more than %d characters; move it up, or shorten the keys above it", w.steps.Head(), yamldoc.MaxPath))
	return true
}

// Find returns the references in an item of the given kind. It only reads the item, so others may read it concurrently.
// It fails if aliases expand excessively.
func (f *Finder) Find(group, version, kind string, item *yaml.Node) (Found, error) {
	r := f.rules(gvk{group, version, kind})
	w := walkers.Get().(*walker)
	defer w.release()
	w.finder, w.root = f, unwrap(item)
	if err := w.run(r, false); err != nil {
		return Found{}, err
	}
	w.dropDefined()
	if r.shapes != nil {
		if err := w.discover(r.shapes); err != nil {
			return Found{}, cmp.Or(w.wrong, err)
		}
	}
	found := Found{References: append([]Reference(nil), w.found...), Mistaken: w.mistaken}
	found.PodTemplates = w.podTemplates(r.templates)
	w.readData()
	found.Reads = w.reads
	if w.wrong != nil {
		return Found{}, w.wrong
	}
	roots := rootsOf(found.PodTemplates)
	for i := range found.References {
		ref := &found.References[i]
		ref.PodTemplate = roots.Holding(ref.At.Path)
	}
	for i := range r.exports {
		if value, ok := w.export(&r.exports[i]); ok {
			if found.Exports == nil {
				found.Exports = map[string]string{}
			}
			found.Exports[r.exports[i].Key] = value
		}
	}
	return found, nil
}

// walkers holds idle walkers, to reuse the memory of their stacks.
var walkers = sync.Pool{New: func() any { return &walker{budget: new(yamldoc.Budget)} }}

func (w *walker) release() {
	clear(w.steps[:cap(w.steps)])
	clear(w.frames[:cap(w.frames)])
	clear(w.states[:cap(w.states)])
	clear(w.found)
	*w.budget = 0
	*w = walker{steps: w.steps[:0], frames: w.frames[:0], states: w.states[:0], found: w.found[:0], budget: w.budget}
	walkers.Put(w)
}

func unwrap(item *yaml.Node) *yaml.Node {
	if item.Kind == yaml.DocumentNode {
		return item.Content[0]
	}
	return item
}

func (w *walker) run(r *rules, shared bool) error {
	w.states = r.root.enter(w.states[:0])
	if err := w.walk(w.root, w.states, shared); err != nil {
		return err
	}
	for _, d := range r.defaults {
		w.useDefault(d)
	}
	return nil
}

// walk continues at n, which is in the given states. It restores the stacks on return.
func (w *walker) walk(n *yaml.Node, states []*state, shared bool) error {
	if w.aliases > 0 {
		if err := w.budget.Spend(); err != nil {
			return err
		}
		if len(w.steps) > maxDepth {
			return fmt.Errorf("%s: an alias leads back to itself, or more than %d levels deep", w.steps.Head(), maxDepth)
		}
	}
	shared = shared || n.Anchor != ""
	switch n.Kind {
	case yaml.AliasNode:
		if w.within != nil {
			return nil // shared values there cannot be replaced
		}
		w.aliases++
		err := w.walk(n.Alias, states, true)
		w.aliases--
		return err
	case yaml.SequenceNode:
		for i, element := range n.Content {
			w.steps.Index(i)
			if err := w.walk(element, states, shared); err != nil {
				return err
			}
			w.steps.Back()
		}
		return nil
	case yaml.MappingNode:
		return w.mapping(n, states, shared)
	case yaml.ScalarNode:
		return w.scalar(n, states, shared)
	}
	return nil
}

func (w *walker) mapping(n *yaml.Node, states []*state, shared bool) error {
	if w.shapes != nil && len(w.steps) > w.base {
		if w.child(n, "apiVersion") != "" && w.child(n, "kind") != "" && w.mappingAt(n, "metadata") != nil {
			return nil // fields of another object, which may be created anywhere
		}
		if !w.inTemplate && w.isPodTemplate(n) {
			w.addAnchor(-1, n)
			w.inTemplate = true
			defer func() { w.inTemplate = false }()
		}
	}
	for _, s := range states {
		for _, index := range s.templates {
			w.addAnchor(index, n)
		}
		switch {
		case s.foreign:
			return nil
		case s.manifests:
			return w.manifest(n, shared)
		}
	}
	w.push(n, len(w.steps), shared)
	err := yamldoc.Each(n, w.budget, func(key string, value *yaml.Node, merged bool) error {
		return w.entry(key, value, states, shared, merged)
	})
	w.frames = w.frames[:len(w.frames)-1]
	return err
}

func (w *walker) entry(key string, value *yaml.Node, states []*state, shared, merged bool) error {
	if w.shapes != nil && len(w.steps) == w.base && slices.Contains(w.shapes.skip, key) {
		return nil
	}
	before, aliases := len(w.states), w.aliases
	for _, s := range states {
		w.states = s.follow(key, w.states)
	}
	next := w.states[before:]
	if len(next) == 0 {
		return nil
	}
	if merged {
		w.aliases++
	}
	w.steps.Key(key)
	err := w.walk(value, next, shared || merged)
	w.steps.Back()
	w.states, w.aliases = w.states[:before], aliases
	return err
}
