package v1alpha1

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/confighash/confighash/internal/typo"
)

// A rule is what a struct field's tags define about its value.
type rule struct {
	name     string
	tag      reflect.StructTag
	typ      reflect.Type
	index    []int // of the field in its struct
	required bool
	fallback string // the default
	format          // for a string, or for a mapping's values
	keys     *rule  // for a mapping
	max      int    // maximum number of list elements; 0: unlimited
}

func fields(t reflect.Type) []rule {
	list := make([]rule, t.NumField())
	for i := range list {
		field := t.Field(i)
		tag := field.Tag
		name, options, _ := strings.Cut(tag.Get("json"), ",")
		f := rule{
			name: name, tag: tag, typ: field.Type, index: field.Index, required: options == "",
			fallback: tag.Get("default"), format: formats[tag.Get("format")],
		}
		if enum, ok := tag.Lookup("enum"); ok {
			f.enum = strings.Split(enum, ",")
		}
		if keys, ok := tag.Lookup("keys"); ok {
			f.keys = &rule{format: formats[keys]}
		}
		f.max, _ = strconv.Atoi(tag.Get("max")) // 0 without the tag
		list[i] = f
	}
	return list
}

// deepFields returns the rules of a struct's fields and, by dotted path, of the fields of structs in it.
func deepFields(t reflect.Type) []rule {
	var list []rule
	for _, f := range fields(t) {
		list = append(list, f)
		if f.typ.Kind() != reflect.Struct || f.typ == reflect.TypeFor[Metadata]() {
			continue
		}
		for _, inner := range deepFields(f.typ) {
			inner.name, inner.index = f.name+"."+inner.name, slices.Concat(f.index, inner.index)
			list = append(list, inner)
		}
	}
	return list
}

// flatFields returns the fields of a Spec, or of a struct that contains one, in the flat form.
func flatFields(t reflect.Type) []rule {
	return slices.DeleteFunc(deepFields(t), func(f rule) bool { return f.typ.Kind() == reflect.Struct })
}

func names(fields []rule) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

// wants describes valid values, as in "must be true or false".
func (f *rule) wants() string {
	switch f.typ.Kind() {
	case reflect.Bool, reflect.Pointer:
		return "true or false"
	case reflect.Int:
		return "a whole number, 0 or more"
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "a mapping"
	}
	switch len(f.enum) {
	case 0:
		return "a string"
	case 1:
		return f.enum[0]
	}
	return "one of " + strings.Join(f.enum, ", ")
}

// check returns what is wrong with the string s, "" if nothing.
func (f *rule) check(s string) string {
	wrong := ""
	switch {
	case slices.Contains(f.enum, s):
	case len(f.enum) == 1:
		wrong = fmt.Sprintf("%q is not %q, the only one known", s, f.enum[0])
	case f.enum != nil:
		wrong = fmt.Sprintf("%q is not one of %s", s, strings.Join(f.enum, ", ")) + typo.DidYouMean(s, f.enum)
	case s == "" && f.mayBeEmpty && !f.required:
	default:
		wrong = f.wrong(s)
	}
	if wrong == "" {
		return ""
	}
	return cmp.Or(swallowed(s), wrong)
}

// swallowed returns what is wrong with a value that contains the next line, the salt, because of a missing space. Such
// a value is not quoted.
func swallowed(s string) string {
	if !strings.Contains(s, "salt:") {
		return ""
	}
	return "holds the next field, salt, as well; put a space between a field's colon and its value"
}
