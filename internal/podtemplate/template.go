package podtemplate

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// A Template is a pod template, or what cannot change of a resource, in the form in which
// what the API server stores alike is alike. It keeps no node of what it was read from.
type Template struct{ root node }

type kind uint8

const (
	null kind = iota
	mapping
	list
	text
	number
	boolean
	quantity
)

type node struct {
	// key is that of the entry in a mapping; in a list, what identifies the element:
	// the name of a container, "" if it has none.
	key string
	// value is a scalar's in its one form: numbers in decimals, times in UTC.
	value string
	// children are the entries of a mapping by key, or the elements of a list.
	children []node
	// at is the index of a list's element in the text, 0 for an entry of a mapping, and
	// negative for what is not in the text.
	at    int32
	kind  kind
	flags flags
}

// Values of at that are not an index.
const (
	byDefault   = -1 // a default
	byOtherName = -2 // an entry with its field's other name in the text
)

type flags uint8

const (
	// dynamic: a mapping whose keys are not fields: labels, limits.
	dynamic flags = 1 << iota
	// hollow: to the API server, an empty one is the same as none.
	hollow
	// keyed: a list whose elements are identified by keys.
	keyed
	// shown: the value may be shown.
	shown
)

// Read reads a pod template: a mapping with metadata and spec. It fails if aliases expand
// to too much, or collections are nested too deep. What the API server would refuse is
// compared as written.
//
// builtin: the kind is one of Kubernetes' own, whose templates the API server decodes into
// Go types, with their defaults. Without it all that is written counts, an empty value
// too, but for null: of a custom resource the API server stores what it got, unless its
// schema says otherwise.
func Read(template *yaml.Node, builtin bool) (*Template, error) {
	t, err := read("PodTemplateSpec", template, builtin)
	if err != nil {
		return nil, fmt.Errorf("pod template: %w", err)
	}
	return t, nil
}

// IsFixed reports whether something outside of the pod templates of a kind cannot change.
// A kind is KIND.GROUP.
func IsFixed(kind string) bool { return types()[kind] != nil }

// ReadFixed reads what cannot change outside of the pod templates of a resource, of a kind
// that [IsFixed], as Read does.
func ReadFixed(kind string, item *yaml.Node) (*Template, error) { return read(kind, item, true) }

func read(name string, n *yaml.Node, builtin bool) (*Template, error) {
	r := &reader{literal: !builtin}
	root, err := r.value(types()[name], n)
	return &Template{root}, err
}
