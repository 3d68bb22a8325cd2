package reference

import (
	"cmp"
	"slices"
	"sync"

	"github.com/confighash/confighash/internal/catalog"
)

// A Finder finds references. It prepares the catalogue's rules once for each kind. It is safe for concurrent use.
type Finder struct {
	// Discover enables finding references and pod templates by their shape in kinds that the catalogue does not know.
	// It must be set before the first Find.
	Discover bool

	catalog *catalog.Catalog

	mu       sync.Mutex
	prepared map[gvk]*rules
	compiled map[*catalog.Kind]*rules // nil: for kinds that the catalogue does not know
	shapes   *rules                   // what to look for in these
}

type gvk struct{ group, version, kind string }

// NewFinder returns a Finder for the catalogue c.
func NewFinder(c *catalog.Catalog) *Finder {
	return &Finder{catalog: c, prepared: map[gvk]*rules{}, compiled: map[*catalog.Kind]*rules{}}
}

func (f *Finder) rules(id gvk) *rules {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known, ok := f.prepared[id]; ok {
		return known
	}
	k := f.catalog.Kind(id.group, id.version, id.kind)
	r, ok := f.compiled[k]
	if !ok {
		r = newRules(k, f.catalog.Any().References)
		f.compiled[k] = r
	}
	if shapes := f.shapesOf(id); shapes != nil {
		discovering := *r
		discovering.shapes = shapes
		r = &discovering
	}
	f.prepared[id] = r
	return r
}

// newRules compiles the rules of a kind, which may be nil, and those of all kinds.
func newRules(k *catalog.Kind, everywhere []catalog.Rule) *rules {
	k = cmp.Or(k, &catalog.Kind{})
	r := compile(slices.Concat(k.References, everywhere))
	r.exports = k.Exports
	for i := range k.PodTemplates {
		root, t := split(&k.PodTemplates[i])
		r.templates = append(r.templates, t)
		at := r.root.reach(root)
		at.templates = append(at.templates, i)
	}
	for _, path := range k.Manifests {
		r.root.reach(path).manifests = true
	}
	for _, path := range k.ForeignManifests {
		r.root.reach(path).foreign = true
	}
	return r
}

// rules are the compiled rules of one kind.
type rules struct {
	root     *state
	defaults []*rule
	exports  []catalog.Export

	templates []template
	shapes    *shapes // what to discover, if anything
}

// A rule is a rule of the catalogue, with its place in the order in which rules for the same field are tried.
type rule struct {
	*catalog.Rule
	order    int
	embedded *rules
}

// A state is a node of the trie of all paths of a kind. Since paths may have patterns, a field can be in several states
// at once.
type state struct {
	keys     map[string]*state
	patterns []patternEdge
	// anyDepth is entered together with this state, and stays entered for every key.
	anyDepth *state
	stays    bool
	rules    []*rule
	// templates are the indices of pod templates with their anchor here.
	templates []int
	// manifests: the value is a whole object, or a list of them. foreign: the object is created where the names of this
	// input mean nothing.
	manifests, foreign bool
}

type patternEdge struct {
	key catalog.Segment
	to  *state
}

func compile(list []catalog.Rule) *rules {
	r := &rules{root: &state{}}
	for i := range list {
		compiled := &rule{Rule: &list[i], order: i}
		if len(compiled.Embedded) > 0 {
			compiled.embedded = compile(compiled.Embedded)
		}
		if len(compiled.Default) > 0 {
			r.defaults = append(r.defaults, compiled)
		}
		at := r.root.reach(compiled.Path)
		at.rules = append(at.rules, compiled)
	}
	return r
}

func (s *state) reach(path catalog.Path) *state {
	for _, segment := range path {
		s = s.next(segment)
	}
	return s
}

// next returns the state after s in the trie, and creates it if necessary.
func (s *state) next(segment catalog.Segment) *state {
	switch {
	case segment == catalog.AnyDepth:
		if s.anyDepth == nil {
			s.anyDepth = &state{stays: true}
		}
		return s.anyDepth
	case segment.IsPattern():
		i := slices.IndexFunc(s.patterns, func(edge patternEdge) bool { return edge.key == segment })
		if i < 0 {
			i = len(s.patterns)
			s.patterns = append(s.patterns, patternEdge{segment, &state{}})
		}
		return s.patterns[i].to
	}
	to := s.keys[string(segment)]
	if to == nil {
		if s.keys == nil {
			s.keys = map[string]*state{}
		}
		to = &state{}
		s.keys[string(segment)] = to
	}
	return to
}

// enter adds s, and the states entered with it, to set.
func (s *state) enter(set []*state) []*state {
	for ; s != nil; s = s.anyDepth {
		set = append(set, s)
	}
	return set
}

// follow adds the states that s leads to by key to set.
func (s *state) follow(key string, set []*state) []*state {
	set = s.keys[key].enter(set)
	for _, edge := range s.patterns {
		if edge.key.Matches(key) {
			set = edge.to.enter(set)
		}
	}
	if s.stays {
		set = append(set, s)
	}
	return set
}
