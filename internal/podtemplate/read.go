package podtemplate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/confighash/confighash/internal/yamldoc"
)

// maxDepth bounds the nesting of collections, far beyond that of real templates: an alias may be within its own anchor.
const maxDepth = 1_000

type reader struct {
	literal bool // compare what is written, without defaults
	budget  yamldoc.Budget
	aliases int // number of aliases and merge keys around the current node
	depth   int
}

func (r *reader) value(t *typ, n *yaml.Node) (node, error) {
	switch {
	case n == nil, n.Kind == yaml.DocumentNode && len(n.Content) == 0:
		return r.scalar(t, node{}), nil
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
		return r.scalar(t, scalarOf(n)), nil
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

// scalar reads a scalar as a value of type t. The API server rejects a value of another type; it is kept as written.
func (r *reader) scalar(t *typ, n node) node {
	switch {
	case r.literal:
		return n
	case n.kind == null && t.base == aStructure:
		return filled(t)
	case n.kind == null: // as an element of a list or a value of a map
		return zeros[t.base]
	}
	switch t.base {
	case anInt, anIntOrString:
		if n.kind == number && n.value == "-0" {
			n.value = "0"
		}
	case aQuantity:
		if q, ok := parseQuantity(n.value); ok {
			if t.rounded {
				q.RoundUp(resource.Milli)
			}
			n.kind, n.value = quantity, q.String()
		}
	case aTime:
		if at, err := time.Parse(time.RFC3339, n.value); err == nil && n.kind == text {
			n.value = at.UTC().Format(time.RFC3339) // as stored, to the second
		}
	}
	return n
}

var zeros = map[base]node{
	aString: {kind: text}, aBool: {kind: boolean, value: "false"}, anInt: {kind: number, value: "0"}, anIntOrString: {kind: number, value: "0"}, aQuantity: {kind: quantity, value: "0"},
}

var zeroTexts = map[kind]string{number: "0", quantity: "0", boolean: "false"}

func isZero(t *typ, n *node) bool {
	return len(n.children) == 0 && n.value == zeroTexts[n.kind] && (n.kind != text || t.base == aString)
}

func (r *reader) list(t *typ, n *yaml.Node) (node, error) {
	element := unknown
	if t.base == aList {
		element = t.element
	}
	all := node{kind: list, children: make([]node, len(n.Content))}
	if len(t.keys) > 0 {
		all.flags = keyed
	}
	for i, c := range n.Content {
		child, err := r.value(element, c)
		if err != nil {
			return node{}, err
		}
		child.at, child.key = int32(i), child.keyBy(t.keys)
		all.children[i] = child
	}
	return all, nil
}

// keyBy returns the key that identifies a list element, "" if it has none.
func (n *node) keyBy(keys []string) string {
	if n.kind != mapping {
		return ""
	}
	var values []string
	for i, name := range keys {
		at, found := slices.BinarySearchFunc(n.children, name, func(n node, key string) int { return cmp.Compare(n.key, key) })
		switch {
		case found && (n.children[at].kind == text || n.children[at].kind == number):
			values = append(values, n.children[at].value)
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
	var entries []node
	err := yamldoc.Each(n, &r.budget, func(key string, value *yaml.Node, merged bool) error {
		if !r.literal && slices.Contains(t.without, key) || (r.literal || element == unknown) && isNull(value) {
			return nil
		}
		child, err := r.mayBeMerged(element, value, merged)
		child.key = key
		entries = append(entries, child)
		return err
	})
	return mappingOf(entries, f), err
}

func mappingOf(entries []node, f flags) node {
	slices.SortStableFunc(entries, func(a, b node) int { return cmp.Compare(a.key, b.key) })
	return node{kind: mapping, flags: f, children: entries}
}

// mayBeMerged reads a value. One from a merge key counts like one from an alias.
func (r *reader) mayBeMerged(t *typ, n *yaml.Node, merged bool) (node, error) {
	if merged {
		r.aliases++
		defer func() { r.aliases-- }()
	}
	return r.value(t, n)
}

func isNull(n *yaml.Node) bool { return yamldoc.IsNull(yamldoc.Resolve(n)) }

type structure struct {
	typ     *typ
	entries []node
	seen    map[*field]bool // those that are present
}

func (r *reader) structure(t *typ, n *yaml.Node) (node, error) {
	s := structure{typ: t, seen: map[*field]bool{}}
	err := yamldoc.Each(n, &r.budget, func(key string, value *yaml.Node, merged bool) error {
		return r.entry(&s, key, value, merged)
	})
	if !r.literal {
		s.fill()
	}
	return mappingOf(s.entries, 0), err
}

// filled returns the defaults of a structure.
func filled(t *typ) node {
	s := structure{typ: t}
	s.fill()
	return mappingOf(s.entries, 0)
}

func (r *reader) entry(s *structure, key string, n *yaml.Node, merged bool) error {
	f := cmp.Or(s.typ.fields[key], s.typ.fields["*"])
	switch {
	case isNull(n) && (f == nil || !f.nullCounts):
		return nil
	case f != nil && f.typ.base == skipped:
		s.seen[f] = true
		return nil
	case f == nil:
		child, err := r.mayBeMerged(unknown, n, merged)
		child.key = key
		s.entries = append(s.entries, child)
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
	if !s.seen[f] {
		s.seen[f] = true
		s.entries = append(s.entries, child)
	} else if child.at != byOtherName { // duplicate: the field's own name wins, then the later one
		s.entries[slices.IndexFunc(s.entries, func(n node) bool { return n.key == f.name })] = child
	}
	return nil
}

// fill adds missing defaults, and removes fields that may change after all.
func (s *structure) fill() {
	for _, f := range s.typ.defaults {
		if f.skipIf != "" && s.text(f.sibling) == f.skipIf {
			s.entries = slices.DeleteFunc(s.entries, func(n node) bool { return n.key == f.name })
			continue
		}
		if s.seen[f] || s.seen[s.typ.fields[f.without]] {
			continue
		}
		var child node
		switch f.fill {
		case filledByValue:
			child = f.value
		case filledByTag:
			child = node{kind: text, value: pullPolicy(s.text(f.sibling))}
		case filledIfAlone:
			if slices.ContainsFunc(s.entries, func(n node) bool { return n.key != "name" }) {
				continue
			}
			fallthrough
		case filledByMapping:
			child = filled(f.typ)
		}
		child.key, child.at = f.name, byDefault
		child.flags |= f.flags
		s.entries = append(s.entries, child)
	}
}

// text returns the text of a field, "" if it is missing.
func (s *structure) text(name string) string {
	if i := slices.IndexFunc(s.entries, func(n node) bool { return n.key == name && n.kind == text }); i >= 0 {
		return s.entries[i].value
	}
	return ""
}
