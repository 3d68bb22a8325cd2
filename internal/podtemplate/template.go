package podtemplate

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// A Template is a pod template in the form in which what the API server stores alike
// is alike. It keeps no node of what it was read from.
type Template struct {
	// nodes hold the tree, the children of each in a row: of mappings by key, of lists
	// in their order.
	nodes []node
	root  node
	// at is the path of the template, parts those of its parts if it was read in parts.
	at      yamldoc.Path
	parts   Parts
	inParts bool
}

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
	// first and count are the range of nodes that are the children.
	first, count int32
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

// Options say how a template is to be read.
type Options struct {
	// Builtin: the kind is one of Kubernetes' own, whose templates the API server
	// decodes into Go types, with their defaults. Without it all that is written
	// counts, an empty value too, but for null: of a custom resource the API server
	// stores what it got, unless its schema says otherwise.
	Builtin bool
	// At is the path of the template; it is put before the paths of differences.
	At yamldoc.Path
}

// Read reads a pod template: a mapping with metadata and spec. It keeps no node. It
// fails if aliases expand to too much, or collections are nested too deep.
// What the API server would refuse is compared as written.
func Read(template *yaml.Node, o Options) (*Template, error) {
	t := &Template{at: o.At}
	return t, t.read(o, func(r *reader, root *typ) (node, error) { return r.value(root, template) })
}

// Parts are the parts of a pod template that are at several places in its object. Nodes
// may be nil; the paths are put before those of differences.
type Parts struct {
	Spec          *yaml.Node
	SpecAt        yamldoc.Path
	Annotations   *yaml.Node
	AnnotationsAt yamldoc.Path
}

// ReadParts does what [Read] does, for a template in pieces. Options.At does not
// count.
func ReadParts(p Parts, o Options) (*Template, error) {
	t := &Template{inParts: true, parts: Parts{SpecAt: p.SpecAt, AnnotationsAt: p.AnnotationsAt}}
	return t, t.read(o, func(r *reader, root *typ) (node, error) { return r.fromParts(root, p) })
}

func (t *Template) read(o Options, root func(*reader, *typ) (node, error)) error {
	typ, err := templateType()
	if err != nil {
		return err
	}
	r := &reader{literal: !o.Builtin}
	if t.root, err = root(r, typ); err != nil {
		return fmt.Errorf("pod template: %w", err)
	}
	t.nodes = r.nodes
	return nil
}

func (t *Template) children(n *node) []node {
	return t.nodes[n.first : n.first+n.count]
}
