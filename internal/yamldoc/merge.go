package yamldoc

import (
	"errors"
	"iter"

	"go.yaml.in/yaml/v3"
)

// Errors in the value of a merge key.
var (
	ErrNotMapping = errors.New("not a mapping")
	ErrCycle      = errors.New("a mapping is merged into itself")
)

// Sources returns the mapping m and those that merge keys bring into it, without duplicates. If several have a key, the
// first one wins: the mapping's own entries over merged ones, and earlier merged ones over later.
//
// A merge key's value that is neither a mapping nor a sequence of mappings comes with ErrNotMapping, and a mapping that
// contains itself with ErrCycle.
func Sources(m *yaml.Node) iter.Seq2[*yaml.Node, error] {
	return func(yield func(*yaml.Node, error) bool) {
		open := map[*yaml.Node]bool{} // the mappings seen: whether the walk is still inside
		var enter func(m *yaml.Node) bool
		enter = func(m *yaml.Node) bool {
			isOpen, met := open[m]
			switch {
			case m.Kind != yaml.MappingNode:
				return yield(m, ErrNotMapping)
			case isOpen:
				return yield(m, ErrCycle)
			case met:
				return true // it has nothing new
			}
			open[m] = true
			defer func() { open[m] = false }()
			if !yield(m, nil) {
				return false
			}
			for i := 0; i+1 < len(m.Content); i += 2 {
				if !IsMerge(m.Content[i]) {
					continue
				}
				sources := []*yaml.Node{Resolve(m.Content[i+1])}
				if sources[0].Kind == yaml.SequenceNode {
					sources = sources[0].Content
				}
				for _, source := range sources {
					if !enter(Resolve(source)) {
						return false
					}
				}
			}
			return true
		}
		enter(m)
	}
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

// IsMerge reports whether key is a merge key: an unquoted <<.
func IsMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Value == "<<" && key.ShortTag() == "!!merge"
}
