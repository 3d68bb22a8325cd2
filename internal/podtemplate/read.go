package podtemplate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// maxDepth is how deep collections may be nested, far deeper than those of a
// template are: an alias may be within its own anchor.
const maxDepth = 1_000

type reader struct {
	literal bool // compare what is written, without defaults
	budget  yamldoc.Budget
	aliases int // and merge keys around the present node
	depth   int
	nodes   []node
	pending []node // the children so far of all collections that are not closed yet
}

func (r *reader) fromParts(template *typ, p Parts) (node, error) {
	if p.Annotations != nil {
		metadata := structure{typ: template.fields["metadata"].typ}
		if err := r.entry(&metadata, "annotations", p.Annotations, false); err != nil {
			return node{}, err
		}
	}
	if n := r.close(mapping, hollow, 0); n.count > 0 {
		n.key = "metadata"
		r.pending = append(r.pending, n)
	}
	if p.Spec != nil {
		if err := r.entry(&structure{typ: template}, "spec", p.Spec, false); err != nil {
			return node{}, err
		}
	}
	return r.close(mapping, 0, 0), nil
}

func (r *reader) value(t *typ, n *yaml.Node) (node, error) {
	switch {
	case n == nil, n.Kind == yaml.DocumentNode && len(n.Content) == 0:
		return r.scalar(t, scalar{})
	case n.Kind == yaml.DocumentNode:
		n = n.Content[0]
	}
	if n.Kind == yaml.AliasNode {
		n = yamldoc.Resolve(n)
		r.aliases++
		defer func() { r.aliases-- }()
	}
	if r.aliases > 0 {
		if err := r.budget.Spend(); err != nil {
			return node{}, err
		}
	}
	if n.Kind == yaml.ScalarNode {
		return r.scalar(t, scalarOf(n))
	}
	if r.depth++; r.depth > maxDepth {
		return node{}, fmt.Errorf("collections are nested more than %d levels deep", maxDepth)
	}
	defer func() { r.depth-- }()
	switch {
	case n.Kind == yaml.SequenceNode:
		return r.list(t, n)
	case t.base == aStructure:
		return r.structure(t, n)
	default:
		return r.dynamic(t, n)
	}
}

var unknown = &typ{base: anything}

// scalar reads a scalar as a value of type t. The API server refuses a value of another
// type; it is kept as written.
func (r *reader) scalar(t *typ, s scalar) (node, error) {
	n := node{kind: s.kind, value: s.value}
	if r.literal {
		return n, nil
	}
	if s.kind == null {
		return r.zero(t)
	}
	switch t.base {
	case anInt, anIntOrString:
		if s.kind == number && s.value == "-0" {
			n.value = "0"
		}
	case aQuantity:
		if value, ok := quantityText(s.value, t.rounded); ok {
			n.kind, n.value = quantity, value
		}
	case aTime:
		if s.kind == text {
			n.value = timestamp(s.value)
		}
	}
	return n, nil
}

// zero returns what null is as an element of a list or a value of a map.
func (r *reader) zero(t *typ) (node, error) {
	if t.base == aStructure {
		return r.structure(t, nil)
	}
	zero := zeros[t.base]
	return node{kind: zero.kind, value: zero.value}, nil
}

var zeros = map[base]scalar{
	aString: {text, ""}, aBool: {boolean, "false"}, anInt: {number, "0"}, anIntOrString: {number, "0"}, aQuantity: {quantity, "0"},
}

func isZero(t *typ, n *node) bool {
	switch n.kind {
	case mapping, list:
		return n.count == 0
	case text:
		return n.value == "" && t.base == aString
	case number, quantity:
		return n.value == "0"
	case boolean:
		return n.value == "false"
	}
	return true
}

func (r *reader) list(t *typ, n *yaml.Node) (node, error) {
	element := unknown
	if t.base == aList {
		element = t.element
	}
	base := len(r.pending)
	for i, c := range n.Content {
		child, err := r.value(element, c)
		if err != nil {
			return node{}, err
		}
		child.at = int32(i)
		if len(t.keys) > 0 {
			child.key = r.keyOf(&child, t.keys)
		}
		r.pending = append(r.pending, child)
	}
	if len(t.keys) > 0 {
		return r.close(list, keyed, base), nil
	}
	return r.close(list, 0, base), nil
}

// keyOf returns the key that identifies an element of a list, "" if it has none.
func (r *reader) keyOf(n *node, keys []string) string {
	if n.kind != mapping {
		return ""
	}
	entries := r.nodes[n.first : n.first+n.count]
	var values []string
	for i, name := range keys {
		at, found := slices.BinarySearchFunc(entries, name, func(n node, key string) int { return cmp.Compare(n.key, key) })
		switch {
		case found && (entries[at].kind == text || entries[at].kind == number):
			values = append(values, entries[at].value)
		case found || i == 0:
			return ""
		}
	}
	return strings.Join(values, "/")
}

// dynamic reads a mapping whose keys are not fields.
func (r *reader) dynamic(t *typ, n *yaml.Node) (node, error) {
	element, f := unknown, flags(0)
	if t.base == aMap {
		element, f = t.element, dynamic
	}
	base := len(r.pending)
	err := yamldoc.Each(n, &r.budget, func(key string, value *yaml.Node, merged bool) error {
		if !r.literal && slices.Contains(t.without, key) || (r.literal || element == unknown) && isNull(value) {
			return nil
		}
		child, err := r.mayBeMerged(element, value, merged)
		child.key = key
		r.pending = append(r.pending, child)
		return err
	})
	return r.close(mapping, f, base), err
}

// mayBeMerged reads a value. One from a merge key counts as one from an alias.
func (r *reader) mayBeMerged(t *typ, n *yaml.Node, merged bool) (node, error) {
	if merged {
		r.aliases++
		defer func() { r.aliases-- }()
	}
	return r.value(t, n)
}

func isNull(n *yaml.Node) bool {
	n = yamldoc.Resolve(n)
	return n.Kind == yaml.ScalarNode && (len(n.Value) <= 1 || len(n.Value) == len("null")) && scalarOf(n).kind == null
}

type structure struct {
	typ  *typ
	base int    // the index of its first entry in pending
	seen uint64 // the fields that are there, by their index
}

func (r *reader) structure(t *typ, n *yaml.Node) (node, error) {
	s := structure{typ: t, base: len(r.pending)}
	if n != nil {
		err := yamldoc.Each(n, &r.budget, func(key string, value *yaml.Node, merged bool) error {
			return r.entry(&s, key, value, merged)
		})
		if err != nil {
			return node{}, err
		}
	}
	if !r.literal {
		if err := r.fill(&s); err != nil {
			return node{}, err
		}
	}
	return r.close(mapping, 0, s.base), nil
}

func (r *reader) entry(s *structure, key string, n *yaml.Node, merged bool) error {
	if isNull(n) {
		return nil
	}
	f := s.typ.fields[key]
	if f == nil {
		child, err := r.mayBeMerged(unknown, n, merged)
		child.key = key
		r.pending = append(r.pending, child)
		return err
	}
	child, err := r.mayBeMerged(f.typ, n, merged)
	if err != nil || !r.literal && !f.optional && isZero(f.typ, &child) {
		return err
	}
	if f.other != nil && !r.literal {
		f, child.at = f.other, byOtherName
	}
	child.key = f.name
	child.flags |= f.flags
	if s.seen&(1<<f.index) == 0 {
		s.seen |= 1 << f.index
		r.pending = append(r.pending, child)
		return nil
	}
	// Twice: the field's own name wins, then the later one.
	i := s.base + slices.IndexFunc(r.pending[s.base:], func(n node) bool { return n.key == f.name })
	if child.at != byOtherName {
		r.pending[i] = child
	}
	return nil
}

// fill adds the defaults of what is not there.
func (r *reader) fill(s *structure) error {
	for _, f := range s.typ.defaults {
		if s.seen&(1<<f.index) != 0 {
			continue
		}
		child := node{kind: mapping}
		switch f.fill {
		case filledByValue:
			child.kind, child.value = f.value.kind, f.value.value
		case filledIfAlone:
			if slices.ContainsFunc(r.pending[s.base:], func(n node) bool { return n.key != "name" }) {
				continue
			}
		case filledByTag:
			image := ""
			if i := slices.IndexFunc(r.pending[s.base:], func(n node) bool { return n.key == f.sibling && n.kind == text }); i >= 0 {
				image = r.pending[s.base+i].value
			}
			child.kind, child.value = text, pullPolicy(image)
		case filledWithin:
			var err error
			if child, err = r.structure(f.typ, nil); err != nil {
				return err
			}
		}
		child.key, child.at = f.name, byDefault
		child.flags |= f.flags
		r.pending = append(r.pending, child)
	}
	return nil
}

// close makes a collection of the nodes that are pending from base on.
func (r *reader) close(k kind, f flags, base int) node {
	children := r.pending[base:]
	if k == mapping {
		slices.SortStableFunc(children, func(a, b node) int { return cmp.Compare(a.key, b.key) })
	}
	n := node{kind: k, flags: f, first: int32(len(r.nodes)), count: int32(len(children))} //nolint:gosec // of a text of less than 2 GiB
	r.nodes = append(r.nodes, children...)
	r.pending = r.pending[:base]
	return n
}
