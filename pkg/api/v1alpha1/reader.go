package v1alpha1

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// A reader collects what is wrong with a functionConfig. No message quotes a
// value of the wrong type or in an unknown field: it may be the salt, misplaced.
type reader struct {
	errs   Errors
	paths  []string // of all known fields, to suggest one for a misplaced field
	budget yamldoc.Budget
}

func (r *reader) fail(at yamldoc.Path, message string) {
	r.errs = append(r.errs, FieldError{Path: string(at), Message: message})
}

// document reads a document into v. Fields of the struct flat, if there is one, are
// text.
func (r *reader) document(node *yaml.Node, v reflect.Value) {
	r.paths = knownPaths(v.Type(), "")
	r.object(node, v, &rule{}, "")
}

// read reads node into v.
func (r *reader) read(node *yaml.Node, v reflect.Value, f *rule, at yamldoc.Path) {
	node = yamldoc.Resolve(node)
	switch v.Kind() {
	case reflect.String:
		if s, ok := r.text(node, v, f, at); ok {
			v.SetString(s)
		}
	case reflect.Bool:
		r.boolean(node, v, f, at)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		r.read(node, v.Elem(), f, at)
	case reflect.Slice:
		r.list(node, v, f, at)
	case reflect.Map:
		r.table(node, v, f, at)
	default:
		if m, ok := v.Addr().Interface().(*Metadata); ok {
			r.metadata(node, m, at)
			return
		}
		r.object(node, v, f, at)
	}
}

// text returns the string at node, if it is a right one.
func (r *reader) text(node *yaml.Node, v reflect.Value, f *rule, at yamldoc.Path) (string, bool) {
	if !isText(node) {
		r.wrongType(node, v, f, at)
		return "", false
	}
	wrong := f.check(node.Value)
	if wrong != "" {
		r.fail(at, wrong)
	}
	return node.Value, wrong == ""
}

func (r *reader) boolean(node *yaml.Node, v reflect.Value, f *rule, at yamldoc.Path) {
	isWord := node.Value == "true" || node.Value == "false"
	switch {
	case node.Kind != yaml.ScalarNode:
		r.wrongType(node, v, f, at)
	case isWord && node.ShortTag() == "!!bool":
		v.SetBool(node.Value == "true")
	case isWord && node.ShortTag() == "!!str":
		r.fail(at, fmt.Sprintf("must be true or false, not the string %q: write it without quotes", node.Value))
	default:
		r.fail(at, cmp.Or(swallowed(node.Value), fmt.Sprintf("must be true or false, not %q", node.Value)))
	}
}

func (r *reader) list(node *yaml.Node, v reflect.Value, f *rule, at yamldoc.Path) {
	if node.Kind != yaml.SequenceNode {
		r.wrongType(node, v, f, at)
		return
	}
	if !r.length(len(node.Content), f, at) {
		return
	}
	for i, content := range node.Content {
		element := reflect.New(v.Type().Elem()).Elem()
		if content = yamldoc.Resolve(content); isNull(content) {
			r.wrongType(content, element, &rule{}, at.Index(i))
			continue
		}
		r.read(content, element, &rule{}, at.Index(i))
		v.Set(reflect.Append(v, element))
	}
}

// length reports whether a list may have n elements.
func (r *reader) length(n int, f *rule, at yamldoc.Path) bool {
	switch {
	case n == 0 && f.required:
		r.fail(at, "is empty; give at least one entry")
	case f.max > 0 && n > f.max:
		r.fail(at, fmt.Sprintf("has %d entries; at most %d are followed", n, f.max))
	default:
		return true
	}
	return false
}

func (r *reader) table(node *yaml.Node, v reflect.Value, f *rule, at yamldoc.Path) {
	entries, ok := r.entries(node, v, f, at)
	if !ok {
		return
	}
	for _, e := range entries {
		switch {
		case e.problem != nil:
			r.errs = append(r.errs, *e.problem)
		case f.keys.enum != nil && !slices.Contains(f.keys.enum, e.key):
			r.unknown(e, at, f.keys.enum)
		case f.keys.check(e.key) != "":
			r.fail(at.Key(e.key), f.keys.check(e.key))
		default:
			value := &rule{format: f.format, required: true}
			s, _ := r.text(e.value, reflect.ValueOf(""), value, at.Key(e.key))
			setKey(v, e.key, s)
		}
	}
}

func setKey(table reflect.Value, key, value string) {
	if table.IsNil() {
		table.Set(reflect.MakeMap(table.Type()))
	}
	table.SetMapIndex(reflect.ValueOf(key), reflect.ValueOf(value))
}

// object reads the entries of a mapping that are fields of v, and reports those
// that are not, and required fields that are missing.
func (r *reader) object(node *yaml.Node, v reflect.Value, f *rule, at yamldoc.Path) {
	entries, ok := r.entries(node, v, f, at)
	if !ok {
		return
	}
	if _, ok := v.Interface().(Selector); ok && len(entries) == 0 {
		r.fail(at, emptySelector)
	}
	known, read := fields(v.Type()), r.read
	if at == flatData && v.Type() == reflect.TypeFor[Spec]() {
		known, read = leaves(v.Type()), r.readText
	}
	for i := range known {
		f := &known[i]
		if !f.required || slices.ContainsFunc(entries, func(e entry) bool { return e.problem == nil && e.key == f.name && !isNull(e.value) }) {
			continue
		}
		if inner := v.FieldByIndex(f.index); inner.Kind() == reflect.Struct {
			// What is required inside says more.
			r.read(&yaml.Node{Kind: yaml.MappingNode}, inner, f, at.Key(f.name))
		} else {
			r.fail(at.Key(f.name), "is required: "+f.wants(inner.Type()))
		}
	}
	for _, e := range entries {
		i := slices.IndexFunc(known, func(f rule) bool { return f.name == e.key })
		switch {
		case e.problem != nil:
			r.errs = append(r.errs, *e.problem)
		case i < 0:
			r.unknown(e, at, names(known))
		case !isNull(e.value):
			read(e.value, v.FieldByIndex(known[i].index), &known[i], at.Key(e.key))
		}
	}
}

// readText reads a value of a ConfigMap's data. Its values are strings, and if
// someone wrote true for "true", the field, not YAML, decides what the text is.
func (r *reader) readText(node *yaml.Node, v reflect.Value, f *rule, at yamldoc.Path) {
	switch tag := node.ShortTag(); {
	case isText(node), tag == "!!bool", tag == "!!int", tag == "!!float":
	default:
		r.fail(at, fmt.Sprintf("must be text, not %s: a ConfigMap's values are strings; write lists and mappings in them as YAML", describe(node)))
		return
	}
	parsed := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: node.Value}
	var err error
	switch v.Kind() {
	case reflect.String:
	case reflect.Bool, reflect.Pointer:
		parsed.Tag = "!!bool"
	default:
		parsed, err = parseText(node.Value)
	}
	switch {
	case err != nil:
		r.fail(at, fmt.Sprintf("must be %s, written as YAML: %v", f.wants(v.Type()), err))
	case !isNull(parsed):
		r.read(parsed, v, f, at)
	}
}

// parseText returns the node of the one YAML document that s holds, a null if
// it holds none.
func parseText(s string) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(s)))
	var document, more yaml.Node
	err := decoder.Decode(&document)
	switch {
	case errors.Is(err, io.EOF):
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}, nil
	case err != nil:
		return nil, yamlError(err)
	}
	switch err = decoder.Decode(&more); {
	case err == nil:
		return nil, errors.New("it holds more than one document")
	case !errors.Is(err, io.EOF):
		return nil, yamlError(err)
	}
	return yamldoc.Resolve(document.Content[0]), nil
}

// yamlError returns the parser's error without the part that quotes the text: the
// name of an anchor, which an unquoted value that begins with * is taken for.
func yamlError(err error) error {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if strings.HasPrefix(message, "unknown anchor ") || strings.HasPrefix(message, "anchor ") {
		return errors.New("an alias names an anchor that is not there, or that contains it; quote a value that begins with *")
	}
	return errors.New(message)
}

// metadata reads what is known of metadata and passes over all else.
func (r *reader) metadata(node *yaml.Node, m *Metadata, at yamldoc.Path) {
	entries, _ := r.entries(node, reflect.ValueOf(*m), &rule{}, at)
	for _, e := range entries {
		switch {
		case e.problem != nil:
			r.errs = append(r.errs, *e.problem)
		case e.key == "name" && isText(e.value):
			m.Name = e.value.Value
		case e.key == "annotations" && e.value.Kind == yaml.MappingNode:
			table := reflect.ValueOf(&m.Annotations).Elem()
			annotations, _ := r.entries(e.value, table, &rule{}, at.Key(e.key))
			for _, a := range annotations {
				if a.problem != nil {
					r.errs = append(r.errs, *a.problem)
				} else if isText(a.value) {
					setKey(table, a.key, a.value.Value)
				}
			}
		}
	}
}

func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}

// isText reports whether node is a string. A date is one, too: YAML 1.2 and JSON
// have no dates. So is a << that is not a key: yaml.v3 writes that string without
// quotes.
func isText(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && slices.Contains([]string{"!!str", "!!timestamp", "!!merge"}, node.ShortTag())
}

func describe(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch node.ShortTag() {
	case "!!null":
		return "null"
	case "!!str", "!!timestamp", "!!merge":
		return "a string"
	case "!!bool":
		return "a boolean"
	case "!!int", "!!float":
		return "a number"
	}
	return "a value with a tag" // !salt is one, too
}
