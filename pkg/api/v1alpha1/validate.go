package v1alpha1

import (
	"cmp"
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

// validate checks the fields of the struct v, sets the defaults of those that are
// not set, and makes copies of lists and mappings.
func (r *reader) validate(v reflect.Value, at yamldoc.Path) {
	for i, f := range fields(v.Type()) {
		r.validateField(v.Field(i), &f, at.Key(f.name))
	}
}

func (r *reader) validateField(v reflect.Value, f *rule, at yamldoc.Path) {
	_, given := r.given[at]
	switch {
	case r.wrong[at]:
		return
	case f.required && !given && v.IsZero() && v.Kind() != reflect.Struct: // a struct's fields say more
		r.fail(at, "is required: "+f.wants())
		return
	}
	switch v.Kind() {
	case reflect.String:
		if !given && v.IsZero() {
			v.SetString(f.fallback)
		} else if wrong := f.check(v.String()); wrong != "" {
			r.fail(at, wrong)
			v.SetString(f.fallback)
		}
	case reflect.Int:
		if n := v.Int(); n < 0 {
			r.fail(at, fmt.Sprintf("must be %s, not %d", f.wants(), n))
		}
	case reflect.Pointer:
		value := f.fallback == "true"
		if !v.IsNil() {
			value = v.Elem().Bool()
		}
		v.Set(reflect.ValueOf(&value))
	case reflect.Slice:
		r.validateList(v, f, at)
	case reflect.Map:
		r.validateTable(v, f, at)
	case reflect.Struct:
		if m, ok := reflect.TypeAssert[*Metadata](v.Addr()); ok {
			m.Annotations = maps.Clone(m.Annotations)
		} else {
			r.validate(v, at)
		}
	}
}

func (r *reader) validateList(v reflect.Value, f *rule, at yamldoc.Path) {
	switch n := v.Len(); {
	case n == 0 && f.required:
		r.fail(at, "is empty; give at least one entry")
	case f.max > 0 && n > f.max:
		r.fail(at, fmt.Sprintf("has %d entries; at most %d are followed", n, f.max))
		v.SetZero()
	}
	v.Set(reflect.AppendSlice(reflect.Zero(v.Type()), v)) // nil if it is empty
	for i := range v.Len() {
		element := at.Index(i)
		if _, given := r.given[element]; !given && v.Index(i).IsZero() && v.Type() == reflect.TypeFor[[]Selector]() {
			r.fail(element, emptySelector)
		}
		switch one := v.Index(i); {
		case r.wrong[element]:
		case one.Kind() == reflect.Struct:
			r.validate(one, element)
		default:
			r.validateField(one, &rule{typ: one.Type(), format: f.format, required: true}, element)
		}
	}
}

func (r *reader) validateTable(v reflect.Value, f *rule, at yamldoc.Path) {
	table, _ := reflect.TypeAssert[map[string]string](v)
	if v.SetZero(); len(table) > 0 {
		v.Set(reflect.ValueOf(maps.Clone(table)))
	}
	values := rule{format: f.format, required: true}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if wrong := cmp.Or(f.keys.check(key), values.check(table[key])); wrong != "" {
			r.fail(at.Key(key), wrong)
		}
	}
}

func (r *reader) validateTogether(s *Spec, at yamldoc.Path) {
	if key := s.Annotate.Key; s.Annotate.Scope == ScopeSource && !strings.Contains(key, "/") {
		r.fail(at+".annotate.key", fmt.Sprintf("%q has no prefix; with the scope Source the annotations are called PREFIX/kind.name, so give the key one: example.com/%s", key, key))
	}
	specs := 0
	for _, reference := range s.References {
		specs += len(reference.FieldSpecs)
	}
	if specs > maxReferences {
		r.fail(at+".references", fmt.Sprintf("has %d fieldSpecs in all; at most %d are followed", specs, maxReferences))
	}
	size := 0
	for key, value := range s.Rename.Annotations {
		size += len(key) + len(value)
	}
	if size > maxAnnotations {
		r.fail(at+".rename.annotations", fmt.Sprintf("has %d bytes of keys and values, which every renamed object would get; at most %d are allowed", size, maxAnnotations))
	}
}

// sorted returns the errors in the order in which the document sets the fields, those
// of a missing field first in its mapping. It returns nil if there are none.
func (r *reader) sorted() error {
	if len(r.errs) == 0 {
		return nil
	}
	order := func(path string) int {
		for {
			if i, ok := r.given[yamldoc.Path(path)]; ok || path == "" {
				return i
			}
			path = path[:max(0, strings.LastIndexAny(path, ".["))]
		}
	}
	slices.SortStableFunc(r.errs, func(a, b FieldError) int { return order(a.Path) - order(b.Path) })
	if r.isFlat {
		known := flatFields(reflect.TypeFor[Spec]())
		for i := range r.errs {
			r.errs[i].Path = flatPath(r.errs[i].Path, known)
		}
	}
	return r.errs
}
