package podtemplate

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// A Template is a pod template, or the immutable fields of a resource, normalized so that texts that the API server
// stores alike are equal. It keeps no node of its source.
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
	// key is the entry's key in a mapping; in a list, what identifies the element: the name of a container, "" if it
	// has none.
	key string
	// value is a scalar's normalized value: numbers in decimals, times in UTC.
	value string
	// children are the entries of a mapping, sorted by key, or the elements of a list.
	children []node
	// at is the index of a list element in the text, 0 for an entry of a mapping, and negative for the cases below.
	at    int32
	kind  kind
	flags flags
}

// Negative values of at.
const (
	byDefault   = -1 // a default
	byOtherName = -2 // an entry under its field's other name in the text
)

type flags uint8

const (
	// dynamic: a mapping whose keys are not fields, such as labels and limits.
	dynamic flags = 1 << iota
	// hollow: the API server treats an empty one like a missing one.
	hollow
	// keyed: a list whose elements are identified by keys.
	keyed
	// shown: the value may be shown.
	shown
)

// Read reads a pod template: a mapping with metadata and spec. It fails if aliases expand excessively, or collections
// are nested too deep. What the API server would reject is compared as written.
//
// builtin: the kind is one of Kubernetes' own, whose templates the API server decodes into Go types with defaults.
// Otherwise everything that is written counts, including empty values, but not null: the API server stores a custom
// resource as it is, unless its schema says otherwise.
func Read(template *yaml.Node, builtin bool) (*Template, error) {
	t, err := read("PodTemplateSpec", template, builtin)
	if err != nil {
		return nil, fmt.Errorf("pod template: %w", err)
	}
	return t, nil
}

// IsFixed reports whether a kind, as KIND.GROUP, has immutable fields outside of its pod templates.
func IsFixed(kind string) bool { return types()[kind] != nil }

// ReadFixed reads the immutable fields of a resource outside of its pod templates, for a kind that [IsFixed]. It fails
// as Read does.
func ReadFixed(kind string, item *yaml.Node) (*Template, error) { return read(kind, item, true) }

func read(name string, n *yaml.Node, builtin bool) (*Template, error) {
	r := &reader{literal: !builtin}
	root, err := r.value(types()[name], n)
	return &Template{root}, err
}
