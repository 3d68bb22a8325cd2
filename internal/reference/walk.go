package reference

import (
	"fmt"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/yamldoc"
)

// maxDepth is how deep aliases are followed, far deeper than an API server
// would: they can make a short text represent a document without end.
const maxDepth = 1_000

// A walker goes through one document by the states of a trie.
type walker struct {
	finder *Finder
	root   *yaml.Node
	// steps lead to the present node, the first base of them to root.
	steps yamldoc.Trail
	base  int
	// frames are the mappings around the present node, outermost first.
	frames []frame
	// states holds the sets of states of all levels, the present one last.
	states []*state
	found  []Reference
	// mistaken and reads are Found's.
	mistaken []edit.Scalar
	reads    []Read
	// read are the parts of pod specs whose arguments have been read.
	read map[*yaml.Node]bool
	// manifests counts those around the present one.
	manifests int
	// aliases counts those on the way, budget the nodes met after any.
	aliases int
	budget  *yamldoc.Budget
	// mounts holds those of the pod specs met so far, keys how many keys of
	// objects they mount.
	mounts map[*yaml.Node]map[string]*mount
	keys   int
	// indices holds the entries of mappings with many, or with merge keys.
	indices map[*yaml.Node]map[string]entry
	// present are the surroundings of a name, and around those of the last name in a
	// list that a rule was tried for.
	present surroundings
	around  map[*rule]*surroundings
	serial  int // of the frame that was made last
	// wrong is what keeps all of the item from being followed.
	wrong error
	// within is the scalar whose value the document is, if it is embedded, and
	// positions are those in it.
	within    *edit.Scalar
	positions *edit.Text
	// anchors are those of pod templates.
	anchors []anchor
	// shapes, if any, are what the walk is for, and inTemplate: it is in a pod template
	// of that shape.
	shapes     *shapes
	inTemplate bool
	// defined are the ConfigMaps and Secrets among an item's manifests, to
	// which the references of the others refer.
	defined map[object]bool
}

// An object is a ConfigMap or a Secret, by its name.
type object struct {
	target catalog.Target
	name   string
}

// A frame is a mapping on the way.
type frame struct {
	mapping *yaml.Node
	depth   int // of its path in walker.steps
	shared  bool
	serial  int // no two frames of one walker share it
}

func (w *walker) push(n *yaml.Node, depth int, shared bool) {
	w.serial++
	w.frames = append(w.frames, frame{n, depth, shared, w.serial})
}

// tooDeep reports whether the present path is too long, and notes that as wrong.
func (w *walker) tooDeep() bool {
	if !w.steps.TooDeep() {
		return false
	}
	if w.wrong == nil {
		w.wrong = fmt.Errorf("%s: a name is so deep that its path has more than %d characters; move it up, or shorten the keys above it", w.steps.Head(), yamldoc.MaxPath)
	}
	return true
}

// Find returns the references in an item of the given kind. The item is not
// changed and may be read by others meanwhile. It fails on aliases without
// end.
func (f *Finder) Find(group, version, kind string, item *yaml.Node) (Found, error) {
	root := unwrap(item)
	if root == nil {
		return Found{}, nil
	}
	r := f.rules(gvk{group, version, kind})
	w := walkers.Get().(*walker)
	defer w.release()
	w.finder, w.root = f, root
	if err := w.run(r, false); err != nil {
		return Found{}, err
	}
	w.dropDefined()
	if w.wrong != nil {
		return Found{}, w.wrong
	}
	if r.shapes != nil {
		if err := w.discover(r.shapes); err != nil {
			return Found{}, err
		}
	}
	found := Found{References: append([]Reference(nil), w.found...), Mistaken: w.mistaken}
	found.PodTemplates = w.podTemplates(r.templates)
	w.readData()
	found.Reads = w.reads
	if w.wrong != nil {
		return Found{}, w.wrong
	}
	if len(found.PodTemplates) > 0 {
		roots := rootsOf(found.PodTemplates)
		for i := range found.References {
			ref := &found.References[i]
			ref.PodTemplate = roots.Holding(ref.At.Path)
		}
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

// walkers holds idle ones, for the memory of their stacks.
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
	if item != nil && item.Kind == yaml.DocumentNode {
		if len(item.Content) == 0 {
			return nil
		}
		return item.Content[0]
	}
	return item
}

// run finds the references in the whole document.
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

// walk goes on at n, which is in the given states. What it adds to the stacks
// it takes off again.
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
			return nil // what is shared there cannot be replaced
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
		if w.isObject(n) {
			return nil // another object's fields, which may go anywhere
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
	before := len(w.states)
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
	if merged {
		w.aliases--
	}
	w.states = w.states[:before]
	return err
}
