package reference

import (
	"slices"
	"sync"

	"github.com/confighash/confighash/internal/catalog"
)

// A Finder finds references. It prepares the catalogue's rules once
// for each kind it meets. It is safe for concurrent use.
type Finder struct {
	// Discover asks for references and pod templates by their shape, in kinds
	// that the catalogue does not know. It is set before the first Find.
	Discover bool

	catalog *catalog.Catalog

	mu       sync.Mutex
	prepared map[gvk]*rules
	compiled map[*catalog.Kind]*rules // under nil: for kinds that the catalogue does not know
	shapes   *rules                   // what to look for there
}

type gvk struct{ group, version, kind string }

// NewFinder returns a Finder of what c lists.
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

// newRules makes ready what is known of a kind, which may be nil, and of all kinds.
func newRules(k *catalog.Kind, everywhere []catalog.Rule) *rules {
	if k == nil {
		return compile(everywhere)
	}
	r := compile(k.References, everywhere)
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

// rules are those of one kind, made ready.
type rules struct {
	root     *state
	defaults []*rule
	exports  []catalog.Export

	templates []template
	shapes    *shapes // what to discover, if anything
}

// A rule is one of the catalogue's, with its place in the order in which
// rules for the same field are tried.
type rule struct {
	*catalog.Rule
	order    int
	embedded *rules
}

// A state is a node of the trie of all paths of a kind. Since a path may hold
// patterns, a field can be in several states at once.
type state struct {
	keys     map[string]*state
	patterns []patternEdge
	// anyDepth is entered together with this state, and stays for every key.
	anyDepth *state
	stays    bool
	rules    []*rule
	// templates are the indices of pod templates whose anchor is here.
	templates []int
	// manifests: the value here is a whole object, or a list of them. foreign: it is
	// one that is made where the names of this input mean nothing.
	manifests, foreign bool
}

type patternEdge struct {
	key catalog.Segment
	to  *state
}

func compile(lists ...[]catalog.Rule) *rules {
	r := &rules{root: &state{}}
	order := 0
	for _, list := range lists {
		for i := range list {
			compiled := &rule{Rule: &list[i], order: order}
			order++
			if len(compiled.Embedded) > 0 {
				compiled.embedded = compile(compiled.Embedded)
			}
			if len(compiled.Default) > 0 {
				r.defaults = append(r.defaults, compiled)
			}
			at := r.root.reach(compiled.Path)
			at.rules = append(at.rules, compiled)
		}
	}
	return r
}

func (s *state) reach(path catalog.Path) *state {
	for _, segment := range path {
		s = s.next(segment)
	}
	return s
}

// next returns the state that follows s in the trie, made if need be.
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

// enter adds s, and what is entered with it, to a set of states.
func (s *state) enter(set []*state) []*state {
	for ; s != nil; s = s.anyDepth {
		set = append(set, s)
	}
	return set
}

// follow adds to a set the states that s leads to by key.
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
