package yamldoc

import (
	"errors"
	"iter"

	"go.yaml.in/yaml/v3"
)

// What is wrong with the value of a merge key.
var (
	ErrNotMapping = errors.New("not a mapping")
	ErrCycle      = errors.New("a mapping is merged into itself")
)

// Sources returns the mapping m and those that merge keys bring into it, each
// once. If several have a key, the first one counts: the mapping's own entries
// win over merged ones, and earlier merged ones over later.
//
// A value of a merge key that is neither a mapping nor a sequence of mappings
// comes with ErrNotMapping, a mapping on the way to itself with ErrCycle.
func Sources(m *yaml.Node) iter.Seq2[*yaml.Node, error] {
	return func(yield func(*yaml.Node, error) bool) {
		(&merger{yield: yield, open: make(map[*yaml.Node]bool)}).enter(m)
	}
}

// A merger walks through merge keys, for [Sources].
type merger struct {
	yield func(*yaml.Node, error) bool
	open  map[*yaml.Node]bool // of the mappings met: whether the walk is still in it
}

// enter yields a mapping and what is merged into it. It reports false if the
// caller wants no more.
func (w *merger) enter(m *yaml.Node) bool {
	w.open[m] = true
	defer func() { w.open[m] = false }()
	if !w.yield(m, nil) {
		return false
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if IsMerge(m.Content[i]) && !w.merge(Resolve(m.Content[i+1])) {
			return false
		}
	}
	return true
}

func (w *merger) merge(value *yaml.Node) bool {
	sources := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		sources = value.Content
	}
	for _, source := range sources {
		source = Resolve(source)
		open, met := w.open[source]
		more := true
		switch {
		case source.Kind != yaml.MappingNode:
			more = w.yield(source, ErrNotMapping)
		case open:
			more = w.yield(source, ErrCycle)
		case !met: // one met before has nothing new
			more = w.enter(source)
		}
		if !more {
			return false
		}
	}
	return true
}

// HasMerge reports whether m is a mapping with merge keys.
func HasMerge(m *yaml.Node) bool {
	for i := 0; m.Kind == yaml.MappingNode && i+1 < len(m.Content); i += 2 {
		if IsMerge(m.Content[i]) {
			return true
		}
	}
	return false
}

// IsMerge reports whether key is a merge key: << without quotes.
func IsMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Value == "<<" && key.ShortTag() == "!!merge"
}
