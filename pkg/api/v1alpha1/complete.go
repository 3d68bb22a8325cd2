package v1alpha1

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/yamldoc"
)

const emptySelector = "an empty selector would match everything; give at least one of its fields"

// maxAnnotations bounds the bytes of keys and values that every renamed object
// gets.
const maxAnnotations = 4 << 10

// Complete returns a copy of c with the defaults in place of what is not set.
// The error is an Errors, as Parse's is, with all that is wrong.
func (c *ConfigHash) Complete() (*ConfigHash, error) {
	completed := *c
	if completed.APIVersion == "" {
		completed.APIVersion = APIVersion
	}
	if completed.Kind == "" {
		completed.Kind = Kind
	}
	r := &reader{}
	r.complete(&completed)
	r.together(&completed, func(field yamldoc.Path) yamldoc.Path { return "spec." + field })
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	return &completed, nil
}

// complete checks c, sets defaults, and makes copies of its lists and mappings.
func (r *reader) complete(c *ConfigHash) {
	c.Metadata.Annotations = maps.Clone(c.Metadata.Annotations)
	r.completeFields(reflect.ValueOf(c).Elem(), "")
}

func (r *reader) completeFields(v reflect.Value, at yamldoc.Path) {
	known := fields(v.Type())
	for i := range known {
		r.completeValue(v.Field(i), &known[i], at.Key(known[i].name))
	}
}

func (r *reader) completeValue(v reflect.Value, f *rule, at yamldoc.Path) {
	if f.required && v.Kind() != reflect.Struct && v.IsZero() {
		r.fail(at, "is required: "+f.wants(v.Type()))
		return
	}
	switch v.Kind() {
	case reflect.String:
		if v.IsZero() {
			v.SetString(f.fallback)
		} else if wrong := f.check(v.String()); wrong != "" {
			r.fail(at, wrong)
		}
	case reflect.Pointer:
		value := reflect.New(v.Type().Elem())
		value.Elem().SetBool(f.fallback == "true")
		if !v.IsNil() {
			value.Elem().Set(v.Elem())
		}
		v.Set(value)
	case reflect.Slice:
		r.completeList(v, f, at)
	case reflect.Map:
		r.completeTable(v, f, at)
	case reflect.Struct:
		if v.Type() != reflect.TypeFor[Metadata]() {
			r.completeFields(v, at)
		}
	}
}

func (r *reader) completeList(v reflect.Value, f *rule, at yamldoc.Path) {
	if v.Len() == 0 || !r.length(v.Len(), f, at) {
		v.SetZero()
		return
	}
	v.Set(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v))
	for i := range v.Len() {
		if v.Index(i).IsZero() && v.Type().Elem() == reflect.TypeFor[Selector]() {
			r.fail(at.Index(i), emptySelector)
		}
		r.completeFields(v.Index(i), at.Index(i))
	}
}

func (r *reader) completeTable(v reflect.Value, f *rule, at yamldoc.Path) {
	table, _ := v.Interface().(map[string]string)
	v.SetZero()
	for _, key := range slices.Sorted(maps.Keys(table)) {
		value := rule{format: f.format, required: true}
		if wrong := f.keys.check(key); wrong != "" {
			r.fail(at.Key(key), wrong)
		} else if wrong := value.check(table[key]); wrong != "" {
			r.fail(at.Key(key), wrong)
		}
		setKey(v, key, table[key])
	}
}

// together reports fields that are right each by itself, but not together. at
// returns the path of a field of the spec.
func (r *reader) together(c *ConfigHash, at func(yamldoc.Path) yamldoc.Path) {
	if key := c.Spec.Annotate.Key; c.Spec.Annotate.Scope == ScopeSource && !strings.Contains(key, "/") {
		r.fail(at("annotate.key"), fmt.Sprintf("%q has no prefix; with the scope Source the annotations are called PREFIX/kind.name, so give the key one: example.com/%s", key, key))
	}
	specs := 0
	for _, reference := range c.Spec.References {
		specs += len(reference.FieldSpecs)
	}
	for _, f := range fieldsOf[Spec]() {
		if f.name == "references" && specs > f.max {
			r.fail(at("references"), fmt.Sprintf("has %d fieldSpecs in all; at most %d are followed", specs, f.max))
		}
	}
	size := 0
	for key, value := range c.Spec.Rename.Annotations {
		size += len(key) + len(value)
	}
	if size > maxAnnotations {
		r.fail(at("rename.annotations"), fmt.Sprintf("has %d bytes of keys and values, which every renamed object would get; at most %d are allowed", size, maxAnnotations))
	}
}
