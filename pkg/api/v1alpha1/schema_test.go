package v1alpha1

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/confighash/confighash/internal/yamldoc"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"pgregory.net/rapid"
)

// validate returns the errors of a value according to a JSON Schema. It knows only the keywords that Schema uses, and
// fails for any other.
func validate(tb testing.TB, schema map[string]any, value any, at yamldoc.Path) []string {
	tb.Helper()
	var wrong []string
	fail := func(keyword string) { wrong = append(wrong, fmt.Sprintf("%s: %s", at, keyword)) }
	text, isText := value.(string)
	array, isArray := value.([]any)
	object, isObject := value.(map[string]any)
	for keyword, rule := range schema {
		switch keyword {
		case "$schema", "title", "description", "default":
		case "type":
			types, several := rule.([]any)
			if !several {
				types = []any{rule}
			}
			number, _ := value.(float64)
			isInteger := typeOf(value) == "number" && number == math.Trunc(number) && slices.Contains(types, any("integer"))
			if !slices.Contains(types, any(typeOf(value))) && !isInteger {
				fail(keyword)
			}
		case "enum":
			if !slices.ContainsFunc(rule.([]any), func(v any) bool { return reflect.DeepEqual(v, value) }) {
				fail(keyword)
			}
		case "pattern":
			if isText && !compiled(rule.(string)).MatchString(text) {
				fail(keyword)
			}
		case "maxLength":
			if isText && utf8.RuneCountInString(text) > int(rule.(float64)) {
				fail(keyword)
			}
		case "not":
			if len(validate(tb, rule.(map[string]any), value, at)) == 0 {
				fail(keyword)
			}
		case "if":
			if len(validate(tb, rule.(map[string]any), value, at)) == 0 {
				wrong = append(wrong, validate(tb, schema["then"].(map[string]any), value, at)...)
			}
		case "then":
		case "minItems":
			if isArray && len(array) < int(rule.(float64)) {
				fail(keyword)
			}
		case "maxItems":
			if isArray && len(array) > int(rule.(float64)) {
				fail(keyword)
			}
		case "minimum":
			if n, ok := value.(float64); ok && n < rule.(float64) {
				fail(keyword)
			}
		case "maximum":
			if n, ok := value.(float64); ok && n > rule.(float64) {
				fail(keyword)
			}
		case "items":
			for i, item := range array {
				wrong = append(wrong, validate(tb, rule.(map[string]any), item, at.Index(i))...)
			}
		case "minProperties":
			if isObject && len(object) < int(rule.(float64)) {
				fail(keyword)
			}
		case "required":
			for _, name := range rule.([]any) {
				if _, ok := object[name.(string)]; isObject && !ok {
					fail(keyword)
				}
			}
		case "propertyNames":
			for name := range object {
				wrong = append(wrong, validate(tb, rule.(map[string]any), name, at.Key(name))...)
			}
		case "properties":
			for name, inner := range rule.(map[string]any) {
				if v, ok := object[name]; ok {
					wrong = append(wrong, validate(tb, inner.(map[string]any), v, at.Key(name))...)
				}
			}
		case "additionalProperties":
			known, _ := schema["properties"].(map[string]any)
			for name, v := range object {
				if _, ok := known[name]; ok {
					continue
				}
				if inner, ok := rule.(map[string]any); ok {
					wrong = append(wrong, validate(tb, inner, v, at.Key(name))...)
				} else if rule != false {
					tb.Fatalf("%s: additionalProperties: %v", at, rule)
				} else {
					wrong = append(wrong, fmt.Sprintf("%s: unknown", at.Key(name)))
				}
			}
		default:
			tb.Fatalf("%s: the test does not know the keyword %q", at, keyword)
		}
	}
	return wrong
}

var patterns sync.Map

// compiled compiles a schema's pattern once.
func compiled(pattern string) *regexp.Regexp {
	known, ok := patterns.Load(pattern)
	if !ok {
		known, _ = patterns.LoadOrStore(pattern, regexp.MustCompile(pattern))
	}
	return known.(*regexp.Regexp)
}

func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case int, float64:
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	panic(fmt.Sprintf("%T", value))
}

func parsedSchema(tb testing.TB) map[string]any {
	tb.Helper()
	var schema map[string]any
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		tb.Fatal(err)
	}
	return schema
}

// verdicts returns the errors of the schema and the parser for a document.
func verdicts(tb testing.TB, schema map[string]any, document any) (wrong []string, parser error) {
	tb.Helper()
	data, err := json.Marshal(document)
	if err != nil {
		tb.Fatal(err)
	}
	_, parser = parse(tb, string(data))
	return validate(tb, schema, document, ""), parser
}

// A place is a place in a document that the schema describes.
type place struct {
	path   yamldoc.Path
	schema map[string]any
	value  any
	set    func(any) // replaces the value
	drop   func()    // removes the value, or leaves a null in a list
}

// places returns all places of a document. It fails if the document lacks a field of the schema.
func places(t *testing.T, schema map[string]any, value any, at yamldoc.Path, set func(any), drop func()) []place {
	t.Helper()
	all := []place{{path: at, schema: schema, value: value, set: set, drop: drop}}
	switch value := value.(type) {
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			inner, ok := value[name]
			// Not every list entry has every field, but one of them has.
			if !ok && !strings.Contains(string(at), "[1]") {
				t.Fatalf("the test's document has no %s", at.Key(name))
			}
			if !ok {
				continue
			}
			all = append(all, places(t, properties[name].(map[string]any), inner, at.Key(name),
				func(v any) { value[name] = v }, func() { delete(value, name) })...)
		}
		if inner, ok := schema["additionalProperties"].(map[string]any); ok {
			for _, name := range slices.Sorted(maps.Keys(value)) {
				all = append(all, places(t, inner, value[name], at.Key(name),
					func(v any) { value[name] = v }, func() { delete(value, name) })...)
			}
		}
	case []any:
		for i, inner := range value {
			all = append(all, places(t, schema["items"].(map[string]any), inner, at.Index(i),
				func(v any) { value[i] = v }, func() { value[i] = nil })...)
		}
	}
	return all
}

// everythingSet returns the document everything, with complete selectors.
func everythingSet(t *testing.T) map[string]any {
	t.Helper()
	var document map[string]any
	if err := yaml.Unmarshal([]byte(everything), &document); err != nil {
		t.Fatal(err)
	}
	spec := document["spec"].(map[string]any)
	spec["exclude"] = []any{maps.Clone(spec["include"].([]any)[0].(map[string]any))}
	return document
}

// TestSchema_agreesWithParse sets every place of a complete document to many values, removes each field, and adds one:
// the schema and the parser must accept the same documents.
func TestSchema_agreesWithParse(t *testing.T) {
	schema := parsedSchema(t)
	document := everythingSet(t)
	if wrong, err := verdicts(t, schema, document); err != nil || len(wrong) > 0 {
		t.Fatalf("the whole document is refused: %v, %v", err, wrong)
	}
	values := []any{
		nil, true, false, 0, 1.5,
		"", "x", "X", "-x", "a b", "a.b", "a/b", "/a/b", "a//b", "a/b/", "a[]/b", "a[0]/b", `a\/b`, "A/b", "v1", "true", "null", "1",
		"Rename", "ConfigMap", "checksum/config", "confighash.dev/hash", "config.kubernetes.io/x", "internal.config.kubernetes.io/x",
		strings.Repeat("x", 63), strings.Repeat("x", 64), strings.Repeat("x.", 126) + "x/y", strings.Repeat("x.", 127) + "x/y",
		[]any{}, []any{nil}, []any{"x"}, []any{map[string]any{}}, []any{[]any{}},
		map[string]any{}, map[string]any{"x": "y"}, map[string]any{"x": nil}, map[string]any{"x": true}, map[string]any{"a b": "y"},
		map[string]any{"kustomize.config.k8s.io/x": "y"}, map[string]any{"reloader.stakater.com/auto": "y"}, map[string]any{"name": "y"},
	}
	accepted, refused := 0, 0
	check := func(label string, path yamldoc.Path) {
		t.Helper()
		wrong, err := verdicts(t, schema, document)
		// JSON Schema cannot check that an expression is valid.
		selector := strings.Contains(string(path), "clude[0].")
		switch {
		case err == nil && len(wrong) == 0:
			accepted++
		case err != nil && len(wrong) > 0:
			refused++
		case selector && err != nil && regexp.MustCompile("is not a (label selector|regular expression)").MatchString(err.Error()):
		default:
			t.Errorf("%s: %s: the parser says %v, the schema %q", path, label, err, wrong)
		}
	}
	for _, p := range places(t, schema, document, "", nil, nil) {
		if inner, ok := p.value.(map[string]any); ok && p.path != "metadata" {
			inner["unheard-of"] = "x"
			check("with one more", p.path)
			delete(inner, "unheard-of")
		}
		if p.path == "" {
			continue
		}
		enum, _ := p.schema["enum"].([]any)
		for _, v := range slices.Concat(values, enum) {
			p.set(v)
			check(fmt.Sprintf("%#v", v), p.path)
		}
		p.set(p.value)
		p.drop()
		check("absent", p.path)
		p.set(p.value)
	}
	if accepted < 300 || refused < 1000 {
		t.Errorf("only %d accepted and %d refused", accepted, refused)
	}
}

// TestSchema_namesTheParsersDefaults adds the schema's defaults to a document, which must not change its meaning.
func TestSchema_namesTheParsersDefaults(t *testing.T) {
	var fill func(schema map[string]any) (any, bool)
	count := 0
	fill = func(schema map[string]any) (any, bool) {
		if value, ok := schema["default"]; ok {
			count++
			return value, true
		}
		properties, ok := schema["properties"].(map[string]any)
		filled := map[string]any{}
		for name, inner := range properties {
			if value, ok := fill(inner.(map[string]any)); ok {
				filled[name] = value
			}
		}
		return filled, ok
	}
	value, _ := fill(parsedSchema(t))
	document := value.(map[string]any)
	document["apiVersion"], document["kind"] = APIVersion, Kind
	document["spec"].(map[string]any)["mode"] = "Rename"
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parse(t, string(data))
	if err != nil {
		t.Fatal(err)
	}
	want := New(ModeRename, PolicyAll)
	want.Spec.Namespace = "default" // the meaning of unset, apart from a stream's HELM_NAMESPACE
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	// policy, jobs, unreferenced, readByName, generated, granularity, keep, immutable, key, scope, granularity,
	// namespace, discover, unresolved, autoReloadAll, report.
	if count != 16 {
		t.Errorf("the schema has %d defaults, want 16", count)
	}
}

func TestSchema_describesEveryField(t *testing.T) {
	for _, p := range places(t, parsedSchema(t), everythingSet(t), "", nil, nil) {
		_, entry := p.schema["description"]
		isEntry := strings.HasSuffix(string(p.path), "]") || strings.HasSuffix(string(p.path), `["reloader.stakater.com/auto"]`)
		if !entry && !isEntry {
			t.Errorf("%s has no description", p.path)
		}
	}
}

// TestFormat_agreesWithTheSchemaAndKubernetes compares the strings that a format accepts with those of the schema and
// of Kubernetes' own rules.
func TestFormat_agreesWithTheSchemaAndKubernetes(t *testing.T) {
	annotationKey := func(key string) []string { return content.IsLabelKey(strings.ToLower(key)) }
	kubernetes := map[string]func(string) []string{
		"namespace": content.IsDNS1123Label, "version": content.IsDNS1123Label, "group": content.IsDNS1123Subdomain, "annotation": annotationKey,
		"ownAnnotation": func(key string) []string {
			for _, prefix := range []string{"internal.config.kubernetes.io/", "config.kubernetes.io/", "config.k8s.io/", "kustomize.config.k8s.io/"} {
				if strings.HasPrefix(key, prefix) {
					return []string{prefix}
				}
			}
			if slices.Contains([]string{AnnotationHash, AnnotationIgnore, AnnotationRoll, AnnotationExtraSources, AnnotationLintIgnore}, key) {
				return []string{key}
			}
			return annotationKey(key)
		},
	}
	for label, f := range formats {
		if f.pattern == "" {
			continue // only the parser checks it, or it is a list
		}
		optional := rule{format: f}
		schema := optional.text()
		t.Run(label, rapid.MakeCheck(func(t *rapid.T) {
			s := awkward().Draw(t, "s")
			wrong := optional.check(s)
			says := compiled(schema.Pattern).MatchString(s) && (schema.Not == nil || !compiled(schema.Not.Pattern).MatchString(s)) &&
				(schema.MaxLength == 0 || utf8.RuneCountInString(s) <= schema.MaxLength)
			if says != (wrong == "") {
				t.Errorf("%q: the schema says %t, the parser %q", s, says, wrong)
			}
			if theirs := kubernetes[label]; theirs != nil && (f.wrong(s) == "") != (len(theirs(s)) == 0) {
				t.Errorf("%q: the format says %q, Kubernetes %q", s, f.wrong(s), theirs(s))
			}
		}))
	}
}

// awkward generates strings that are barely valid names, or barely invalid.
func awkward() *rapid.Generator[string] {
	part := rapid.OneOf(
		rapid.SampledFrom([]string{
			"", "a", "Z", "0", "-", "_", ".", "/", "//", `\`, `\/`, "[]", "[", "]", " ", "\n", "é", "*",
			"spec", "template", "example.com", "app", "v1", "Kind",
			"confighash.dev/hash", "confighash.dev/", "ignore", "roll", "extra-sources", "kustomize.", "config.kubernetes.io/", "internal.", "config.k8s.io/",
		}),
		rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat("x", rapid.SampledFrom([]int{61, 62, 63, 64, 252, 253, 254}).Draw(t, "length"))
		}),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(part, 0, 5).Draw(t, "parts"), "")
	})
}
