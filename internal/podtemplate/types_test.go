package podtemplate

import (
	"cmp"
	"reflect"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// moreKeys are the keys of lists in addition to the patchMergeKey: the listMapKeys in the comments of types.go, which
// types do not have.
var moreKeys = map[string]string{
	"Container.ports":                   " and protocol",
	"EphemeralContainer.ports":          " and protocol",
	"PodSpec.topologySpreadConstraints": " and whenUnsatisfiable",
	"ResourceRequirements.claims":       " by name",
}

// TestTypes_matchTheAPI compares every line of types.yaml, without its default, with k8s.io/api.
func TestTypes_matchTheAPI(t *testing.T) {
	all, err := parseTypes(typesText)
	if err != nil {
		t.Fatal(err)
	}
	reached, fields := map[string]bool{}, 0
	var visit func(name string, structure reflect.Type)
	visit = func(name string, structure reflect.Type) {
		if reached[name] {
			return
		}
		reached[name] = true
		typ := all[name]
		if typ == nil {
			t.Errorf("%s is missing", name)
			return
		}
		known := map[string]bool{}
		eachAPIField(structure, func(field string, of reflect.StructField) {
			fields++
			known[field] = true
			f := cmp.Or(typ.fields[field], typ.fields["*"])
			switch {
			case f != nil && f.typ.base == skipped:
				return
			case f == nil:
				t.Errorf("%s: %s is missing: %s", name, field, lineOf(of))
				return
			}
			want := lineOf(of) + moreKeys[name+"."+field]
			if got := f.line(all); got != want {
				t.Errorf("%s: %s is %q, want %q", name, field, got, want)
			}
			for of := of.Type; ; of = of.Elem() {
				if k := of.Kind(); k != reflect.Pointer && k != reflect.Slice && k != reflect.Map {
					if all[of.Name()] != nil || baseOf(of) == "" {
						visit(of.Name(), of)
					}
					return
				}
			}
		})
		for field := range typ.fields {
			if !known[field] && field != "*" {
				t.Errorf("%s has no field %s", name, field)
			}
		}
	}
	visit("PodTemplateSpec", reflect.TypeFor[corev1.PodTemplateSpec]())
	visit("Deployment.apps", reflect.TypeFor[appsv1.Deployment]())
	visit("DaemonSet.apps", reflect.TypeFor[appsv1.DaemonSet]())
	visit("ReplicaSet.apps", reflect.TypeFor[appsv1.ReplicaSet]())
	visit("StatefulSet.apps", reflect.TypeFor[appsv1.StatefulSet]())
	visit("Job.batch", reflect.TypeFor[batchv1.Job]())
	visit("StorageClass.storage.k8s.io", reflect.TypeFor[storagev1.StorageClass]())
	for name := range all {
		if !reached[name] {
			t.Errorf("%s is not a part of a pod template", name)
		}
	}
	if fields < 500 {
		t.Errorf("%d fields, which cannot be all", fields)
	}
}

// eachAPIField calls f for each field of a structure, including those of embedded structures.
func eachAPIField(structure reflect.Type, f func(name string, of reflect.StructField)) {
	for field := range structure.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" && field.Anonymous {
			eachAPIField(field.Type, f)
			continue
		}
		f(name, field)
	}
}

// baseOf returns the name in types.yaml of a Go type that is not a collection; "" for a structure.
func baseOf(typ reflect.Type) string {
	switch typ {
	case reflect.TypeFor[resource.Quantity]():
		return "quantity"
	case reflect.TypeFor[intstr.IntOrString]():
		return "intOrString"
	case reflect.TypeFor[metav1.Time]():
		return "time"
	case reflect.TypeFor[metav1.FieldsV1]():
		return "any"
	}
	switch typ.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Int32, reflect.Int64:
		return "int"
	}
	return ""
}

// lineOf returns the line of types.yaml for a Go field.
func lineOf(field reflect.StructField) string {
	line := typeLine(field.Type)
	if key := field.Tag.Get("patchMergeKey"); key != "" && field.Type.Kind() == reflect.Slice {
		line += " by " + key
	}
	return line
}

func typeLine(typ reflect.Type) string {
	if typ == reflect.TypeFor[corev1.ResourceList]() {
		return "map of rounded quantity"
	}
	if base := baseOf(typ); base != "" {
		return base
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return "optional " + typeLine(typ.Elem())
	case reflect.Slice:
		return "list of " + typeLine(typ.Elem())
	case reflect.Map:
		return "map of " + typeLine(typ.Elem())
	}
	return typ.Name()
}

// line returns the line of types.yaml for a field, without its default.
func (f *field) line(all map[string]*typ) string {
	line := f.typ.line(all)
	if f.optional {
		line = "optional " + line
	}
	return line
}

func (t *typ) line(all map[string]*typ) string {
	for name, structure := range all {
		if structure == t {
			return name
		}
	}
	switch t.base {
	case aList:
		line := "list of " + t.element.line(all)
		if len(t.keys) > 0 {
			line += " by " + strings.Join(t.keys, " and ")
		}
		return line
	case aMap:
		return "map of " + t.element.line(all)
	}
	if t.rounded {
		return "rounded " + string(t.base)
	}
	return string(t.base)
}

// TestTypes_nameEachStructureWithDefaults: a structure that always exists has its defaults even if no manifest has it.
func TestTypes_nameEachStructureWithDefaults(t *testing.T) {
	for name, structure := range types() {
		for field, f := range structure.fields {
			if !f.optional && f.typ.base == aStructure && len(f.typ.defaults) > 0 && f.fill != filledByMapping {
				t.Errorf("%s: %s needs = {}", name, field)
			}
		}
	}
}

func TestParseTypes_refusesUnknownTypes(t *testing.T) {
	for text, want := range map[string]string{
		"A: {b: strin}":                       `A: b: the type "strin" is unknown`,
		"A: {b: list of strings}":             `A: b: the type "strings" is unknown`,
		"A: {b: string, c: 'string, hidden'}": `A: c: the note "hidden" is unknown`,
		"A: {b: 'string, rounded'}":           `A: b: the note "rounded" is unknown`,
	} {
		if _, err := parseTypes([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: got the error %v, want %s", text, err, want)
		}
	}
}
