package v1alpha1

import (
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

// A reader collects the errors in a functionConfig. No message quotes a value of the wrong type or in an unknown field:
// it may be the salt, misplaced.
type reader struct {
	errs   Errors
	paths  []string // all known fields, to suggest one for a misplaced field
	budget yamldoc.Budget
	isFlat bool
	loose  bool // other fields and types are allowed
	// foreign: no key of the flat form's data resembles a field.
	foreign bool
}

func (r *reader) fail(at yamldoc.Path, message string) {
	r.errs = append(r.errs, FieldError{Path: string(at), Message: message})
}

// read sets v, for which f is the rule, to a node's value.
func (r *reader) read(node *yaml.Node, v reflect.Value, f *rule, at yamldoc.Path) {
	node = yamldoc.Resolve(node)
	switch kind := v.Kind(); {
	case kind == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		r.scalar(node, v.Elem(), f, at)
	case kind == reflect.Bool, kind == reflect.Int:
		r.scalar(node, v, f, at)
	case kind == reflect.String && isText(node):
		v.SetString(node.Value)
		if wrong := f.check(node.Value); wrong != "" {
			r.fail(at, wrong)
			v.SetString(f.fallback)
		}
	case kind == reflect.Slice && node.Kind == yaml.SequenceNode:
		r.list(node, v, f, at)
	case kind == reflect.Map && node.Kind == yaml.MappingNode:
		r.table(node, v, f, at)
	case kind == reflect.Struct && node.Kind == yaml.MappingNode:
		r.object(node, v, at)
	default:
		r.wrongType(node, f, at)
	}
}

func (r *reader) wrongType(node *yaml.Node, f *rule, at yamldoc.Path) {
	if r.loose {
		return
	}
	hint := ""
	if f.typ.Kind() == reflect.String && f.enum == nil && node.Kind == yaml.ScalarNode && !yamldoc.IsNull(node) {
		hint = ": write it in quotes"
	}
	r.fail(at, fmt.Sprintf("must be %s, not %s%s", f.wants(), describe(node), hint))
}

// scalar sets v, a boolean or a number.
func (r *reader) scalar(node *yaml.Node, v reflect.Value, f *rule, at yamldoc.Path) {
	isWord := v.Kind() == reflect.Bool && (node.Value == "true" || node.Value == "false")
	var n int32
	switch tag := node.ShortTag(); {
	case node.Kind != yaml.ScalarNode:
		r.wrongType(node, f, at)
	case isWord && tag == "!!bool":
		v.SetBool(node.Value == "true")
	case isWord && tag == "!!str":
		r.fail(at, fmt.Sprintf("must be true or false, not the string %q: write it without quotes", node.Value))
	case v.Kind() == reflect.Int && tag == "!!int" && node.Decode(&n) == nil && n >= 0:
		v.SetInt(int64(n))
	default:
		r.fail(at, cmp.Or(swallowed(node.Value), fmt.Sprintf("must be %s, not %q", f.wants(), node.Value)))
	}
}

func (r *reader) list(node *yaml.Node, v reflect.Value, f *rule, at yamldoc.Path) {
	switch n := len(node.Content); {
	case n == 0 && f.required:
		r.fail(at, "is empty; give at least one entry")
	case f.max > 0 && n > f.max:
		r.fail(at, fmt.Sprintf("has %d entries; at most %d are followed", n, f.max))
	case n > 0:
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i, content := range node.Content {
			r.read(content, v.Index(i), &rule{typ: v.Type().Elem(), format: f.format, required: true}, at.Index(i))
		}
	}
}

func (r *reader) table(node *yaml.Node, v reflect.Value, f *rule, at yamldoc.Path) {
	values := map[string]string{}
	for _, e := range r.entries(node, at) {
		one := rule{typ: v.Type().Elem(), format: f.format, required: true}
		if !isText(e.value) {
			r.wrongType(e.value, &one, at.Key(e.key))
			continue
		}
		values[e.key] = e.value.Value
		if r.loose {
			continue
		}
		if wrong := cmp.Or(f.keys.check(e.key), one.check(e.value.Value)); wrong != "" {
			r.fail(at.Key(e.key), wrong)
		}
	}
	if len(values) > 0 {
		v.Set(reflect.ValueOf(values))
	}
}

// object sets the fields of v from the entries of a mapping, and reports other entries. A null stands for the default.
func (r *reader) object(node *yaml.Node, v reflect.Value, at yamldoc.Path) {
	entries := r.entries(node, at)
	if v.Type() == reflect.TypeFor[Selector]() && len(entries) == 0 {
		r.fail(at, emptySelector)
	}
	if v.Type() == reflect.TypeFor[Metadata]() {
		r.loose = true
		defer func() { r.loose = false }()
	}
	known, inFlatData := fields(v.Type()), r.isFlat && at == flatData
	if inFlatData {
		known = flatFields(v.Type())
		isLike := func(e entry) bool {
			return strings.Contains(e.key, ":") || r.didYouMean(e.key, names(known)) != ""
		}
		r.foreign = len(entries) > 0 && !slices.ContainsFunc(entries, isLike)
	}
	for _, f := range known {
		if !slices.ContainsFunc(entries, func(e entry) bool { return e.key == f.name && !yamldoc.IsNull(e.value) }) {
			r.absent(v.FieldByIndex(f.index), &f, at.Key(f.name))
		}
	}
	for _, e := range entries {
		i := slices.IndexFunc(known, func(f rule) bool { return f.name == e.key })
		switch {
		case i < 0 && r.loose:
		case i < 0:
			r.unknown(e, at, names(known))
		case yamldoc.IsNull(e.value):
		case inFlatData:
			r.readText(e.value, v.FieldByIndex(known[i].index), &known[i], at.Key(e.key))
		default:
			r.read(e.value, v.FieldByIndex(known[i].index), &known[i], at.Key(e.key))
		}
	}
}

// absent sets v, for which f is the rule, to its default.
func (r *reader) absent(v reflect.Value, f *rule, at yamldoc.Path) {
	switch kind := v.Kind(); {
	case kind == reflect.Struct: // its fields have their own defaults
		for _, inner := range fields(v.Type()) {
			r.absent(v.FieldByIndex(inner.index), &inner, at.Key(inner.name))
		}
	case f.required:
		r.fail(at, "is required: "+f.wants())
	case kind == reflect.String:
		v.SetString(f.fallback)
	case kind == reflect.Pointer:
		value := f.fallback == "true"
		v.Set(reflect.ValueOf(&value))
	}
}

// readText reads a value of a ConfigMap's data. The values are strings; if someone wrote true for "true", the field,
// not YAML, determines what the text means.
func (r *reader) readText(node *yaml.Node, v reflect.Value, f *rule, at yamldoc.Path) {
	if !isText(node) && !slices.Contains([]string{"!!bool", "!!int", "!!float"}, node.ShortTag()) {
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
		r.fail(at, fmt.Sprintf("must be %s, written as YAML; %v", f.wants(), err))
	case !yamldoc.IsNull(parsed):
		r.read(parsed, v, f, at)
	}
}

// parseText returns the node of the only YAML document in s, a null if there is none.
func parseText(s string) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(strings.NewReader(s))
	var document, more yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}, nil
	}
	if err == nil {
		if err = decoder.Decode(&more); err == nil {
			return nil, errors.New("it holds more than one document")
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, yamldoc.AtLine(err, []byte(s), 1)
	}
	return document.Content[0], nil
}

// isText reports whether node is a string. A date counts, because YAML 1.2 and JSON have no dates. So does a << that is
// not a key: yaml.v3 writes that string without quotes.
func isText(node *yaml.Node) bool { return describe(node) == "a string" }

func describe(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return cmp.Or(scalarTypes[node.ShortTag()], "a value with a tag") // such as !salt
}

var scalarTypes = map[string]string{
	"!!null": "null", "!!str": "a string", "!!timestamp": "a string", "!!merge": "a string",
	"!!bool": "a boolean", "!!int": "a number", "!!float": "a number",
}
