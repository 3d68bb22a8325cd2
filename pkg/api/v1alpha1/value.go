package v1alpha1

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/yamldoc"

	"go.yaml.in/yaml/v3"
)

// A field is one entry of a mapping.
type field struct {
	name     string
	doc      string
	required bool
	value    value
}

// A value is what stands in a field: how it is read into the variable that it
// is bound to, and its schema.
type value interface {
	// read reads node, which is neither null nor an alias.
	read(r *reader, node *yaml.Node, at yamldoc.Path)
	// write returns what the variable holds, nil where it is empty.
	write() *yaml.Node
	schema() *schema
	// wants says what may stand here, as in "must be true or false".
	wants() string
}

// A leaf is a value that stands in a ConfigMap's data as text.
type leaf interface {
	value
	// fromText returns the node that text stands for.
	fromText(text string) (*yaml.Node, error)
}

// text is a string.
type text struct {
	dst    *string
	format format
}

func (t text) read(r *reader, node *yaml.Node, at yamldoc.Path) {
	s, ok := r.text(t, node, at)
	if !ok {
		return
	}
	if t.format.check != nil {
		if wrong := t.format.check(s); wrong != "" {
			r.fail(at, cmp.Or(swallowed(s), wrong))
			return
		}
	}
	*t.dst = s
}

func (t text) wants() string { return "a string" }

func (t text) fromText(s string) (*yaml.Node, error) { return stringNode(s), nil }

// swallowed returns what is wrong with a value that holds the line of the salt
// behind it, for want of a blank there, or "". Such a value is not to be told.
func swallowed(s string) string {
	if !strings.Contains(s, "salt:") {
		return ""
	}
	return "holds the next field, salt, as well; a blank goes between a field's colon and its value"
}

// enum is a string out of a few.
type enum[T ~string] struct {
	dst     *T
	allowed []T
}

func (e enum[T]) read(r *reader, node *yaml.Node, at yamldoc.Path) {
	s, ok := r.text(e, node, at)
	if !ok {
		return
	}
	if !slices.Contains(e.allowed, T(s)) {
		r.fail(at, cmp.Or(swallowed(s), notAllowed(s, e.allowed)))
		return
	}
	*e.dst = T(s)
}

func (e enum[T]) wants() string {
	if len(e.allowed) == 1 {
		return string(e.allowed[0])
	}
	return "one of " + join(e.allowed)
}

func (e enum[T]) fromText(s string) (*yaml.Node, error) { return stringNode(s), nil }

// toggle is true or false.
type toggle struct {
	dst *bool
}

func (t toggle) read(r *reader, node *yaml.Node, at yamldoc.Path) {
	switch {
	case node.Kind == yaml.ScalarNode && node.ShortTag() == "!!bool" && (node.Value == "true" || node.Value == "false"):
		*t.dst = node.Value == "true"
	case node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str" && (node.Value == "true" || node.Value == "false"):
		r.fail(at, fmt.Sprintf("must be true or false, not the string %q: write it without quotes", node.Value))
	case node.Kind == yaml.ScalarNode:
		r.fail(at, cmp.Or(swallowed(node.Value), fmt.Sprintf("must be true or false, not %q", node.Value)))
	default:
		r.wrongType(t, node, at)
	}
}

func (t toggle) wants() string { return "true or false" }

func (t toggle) fromText(s string) (*yaml.Node, error) {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: s}, nil
}

// list is a list of values, each read into an element of its own.
type list[T any] struct {
	dst      *[]T
	item     func(*T) value
	minItems int
	maxItems int // 0: any number
}

func (l list[T]) read(r *reader, node *yaml.Node, at yamldoc.Path) {
	if node.Kind != yaml.SequenceNode {
		r.wrongType(l, node, at)
		return
	}
	if len(node.Content) < l.minItems {
		r.fail(at, "is empty; give at least one entry")
		return
	}
	if l.maxItems > 0 && len(node.Content) > l.maxItems {
		r.fail(at, fmt.Sprintf("has %d entries; %d are followed at most", len(node.Content), l.maxItems))
		return
	}
	// An empty list is no list: the two mean the same, and compare equal.
	*l.dst = nil
	for i, content := range node.Content {
		var element T
		item := l.item(&element)
		if content = resolve(content); isNull(content) {
			r.wrongType(item, content, at.Index(i))
			continue
		}
		item.read(r, content, at.Index(i))
		*l.dst = append(*l.dst, element)
	}
}

func (l list[T]) wants() string { return "a list" }

func (l list[T]) fromText(s string) (*yaml.Node, error) { return yamlNode(s) }

// table is a mapping from strings to strings.
type table struct {
	dst   *map[string]string
	keys  []string // the allowed keys, or
	key   format   // what keys must be
	value format
}

func (t table) read(r *reader, node *yaml.Node, at yamldoc.Path) {
	entries, ok := r.mapping(t, node, at)
	if !ok {
		return
	}
	*t.dst = nil
	for e := range r.each(entries) {
		if t.keys != nil && !slices.Contains(t.keys, e.key) && e.bare && !isGlued(e.key, t.keys) {
			r.unknownBare(at, t.keys)
			continue
		}
		if t.keys != nil && !slices.Contains(t.keys, e.key) {
			r.unknown(e.key, at, t.keys)
			continue
		}
		if t.key.check != nil {
			if wrong := t.key.check(e.key); wrong != "" {
				r.fail(at.Key(e.key), wrong)
				continue
			}
		}
		var s string
		text{&s, t.value}.read(r, e.value, at.Key(e.key))
		if *t.dst == nil {
			*t.dst = map[string]string{}
		}
		(*t.dst)[e.key] = s
	}
}

func (t table) wants() string { return "a mapping" }

func (t table) fromText(s string) (*yaml.Node, error) { return yamlNode(s) }

// object is a mapping with known fields.
type object struct {
	fields   []field
	nonEmpty string // why the mapping may not be empty, where it may not
	implies  *implication
}

// An implication is that where a field has a value, another one must match a
// pattern. The schema says it; checkTogether tells it in words.
type implication struct{ field, value, other, pattern string }

func (o object) read(r *reader, node *yaml.Node, at yamldoc.Path) {
	entries, ok := r.mapping(o, node, at)
	if !ok {
		return
	}
	if o.nonEmpty != "" && len(entries) == 0 {
		r.fail(at, o.nonEmpty)
	}
	readFields(r, o.fields, entries, at, func(f field, node *yaml.Node, at yamldoc.Path) {
		f.value.read(r, node, at)
	})
}

func (o object) wants() string { return "a mapping" }

// readFields reads the entries that are fields, and reports those that are
// not, and the required fields that are not there.
func readFields(r *reader, fields []field, entries []entry, at yamldoc.Path, read func(field, *yaml.Node, yamldoc.Path)) {
	for _, f := range fields {
		given := slices.ContainsFunc(entries, func(e entry) bool { return e.problem == nil && e.key == f.name && !isNull(e.value) })
		if !f.required || given {
			continue
		}
		switch f.value.(type) {
		case object, flat:
			// What is required inside says more.
			f.value.read(r, &yaml.Node{Kind: yaml.MappingNode}, at.Key(f.name))
		default:
			r.fail(at.Key(f.name), "is required: "+f.value.wants())
		}
	}
	for e := range r.each(entries) {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == e.key })
		switch {
		case i < 0 && e.bare && !isGlued(e.key, names(fields)):
			r.unknownBare(at, names(fields))
		case i < 0:
			r.unknown(e.key, at, names(fields))
		case !isNull(e.value):
			read(fields[i], e.value, at.Key(e.key))
		}
	}
}

func names(fields []field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

// leaves returns the fields of o that are not objects, those of the objects
// in it included, each named by its dotted path.
func (o object) leaves() []field {
	var leaves []field
	for _, f := range o.fields {
		inner, ok := f.value.(object)
		if !ok {
			leaves = append(leaves, f)
			continue
		}
		for _, l := range inner.leaves() {
			l.name = f.name + "." + l.name
			leaves = append(leaves, l)
		}
	}
	return leaves
}

// flat is an object whose leaves stand in a ConfigMap's data, as text.
type flat struct {
	object
}

func (f flat) read(r *reader, node *yaml.Node, at yamldoc.Path) {
	entries, ok := r.mapping(f, node, at)
	if !ok {
		return
	}
	readFields(r, f.leaves(), entries, at, func(f field, node *yaml.Node, at yamldoc.Path) {
		// A ConfigMap's values are strings, and where someone wrote true for
		// "true" the field, not YAML, says what the text means.
		switch tag := node.ShortTag(); {
		case isText(node), tag == "!!bool", tag == "!!int", tag == "!!float":
		default:
			r.fail(at, fmt.Sprintf("must be text, not %s: a ConfigMap's values are strings, lists and mappings stand in them as YAML", describe(node)))
			return
		}
		parsed, err := f.value.(leaf).fromText(node.Value)
		switch {
		case err != nil:
			r.fail(at, fmt.Sprintf("must be %s, written as YAML: %v", f.value.wants(), err))
		case !isNull(parsed):
			f.value.read(r, parsed, at)
		}
	})
}

// metadata is a mapping that may hold anything.
type metadata struct {
	dst *Metadata
}

func (m metadata) read(r *reader, node *yaml.Node, at yamldoc.Path) {
	entries, ok := r.mapping(m, node, at)
	if !ok {
		return
	}
	for e := range r.each(entries) {
		switch {
		case e.key == "name" && isText(e.value):
			m.dst.Name = e.value.Value
		case e.key == "annotations" && e.value.Kind == yaml.MappingNode:
			annotations, _ := r.mapping(m, e.value, at.Key(e.key))
			for a := range r.each(annotations) {
				if !isText(a.value) {
					continue
				}
				if m.dst.Annotations == nil {
					m.dst.Annotations = map[string]string{}
				}
				m.dst.Annotations[a.key] = a.value.Value
			}
		}
	}
}

func (m metadata) wants() string { return "a mapping" }

func stringNode(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
}

// yamlNode returns the node of the one YAML document that s holds, a null if
// it holds none.
func yamlNode(s string) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(s)))
	var document, more yaml.Node
	err := decoder.Decode(&document)
	switch {
	case errors.Is(err, io.EOF):
		return resolve(nil), nil
	case err != nil:
		return nil, yamlError(err)
	}
	err = decoder.Decode(&more)
	switch {
	case err == nil:
		return nil, errors.New("it holds more than one document")
	case !errors.Is(err, io.EOF):
		return nil, yamlError(err)
	}
	return resolve(&document), nil
}

// yamlError returns the parser's error without what it quotes of the text: the
// name of an anchor, which an unquoted value that begins with * is taken for.
func yamlError(err error) error {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if strings.HasPrefix(message, "unknown anchor ") || strings.HasPrefix(message, "anchor ") {
		return errors.New("an alias names an anchor that is not there, or that contains it; quote a value that begins with *")
	}
	return errors.New(message)
}
