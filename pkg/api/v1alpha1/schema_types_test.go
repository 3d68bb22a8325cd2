package v1alpha1

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/golden"
)

// TestSchema_followsTheTypes compares schema.json with the types and their tags. With -update it writes the file.
func TestSchema_followsTheTypes(t *testing.T) {
	root := schemaOf(&rule{typ: reflect.TypeFor[ConfigHash](), required: true})
	root.Dialect = "https://json-schema.org/draft/2020-12/schema"
	root.Title = Kind
	root.Description = "The functionConfig of confighash, which restarts workloads when their ConfigMaps and Secrets change."
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(root); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "schema.json", out.Bytes())
}

// A schema has the keywords of JSON Schema that a ConfigHash needs.
type schema struct {
	Dialect              string     `json:"$schema,omitempty"`
	Title                string     `json:"title,omitempty"`
	Description          string     `json:"description,omitempty"`
	Type                 any        `json:"type,omitempty"` // one name, or several
	Enum                 []any      `json:"enum,omitempty"`
	Default              any        `json:"default,omitempty"`
	Minimum              *int       `json:"minimum,omitempty"`
	Maximum              int        `json:"maximum,omitempty"`
	Pattern              string     `json:"pattern,omitempty"`
	MaxLength            int        `json:"maxLength,omitempty"`
	Not                  *schema    `json:"not,omitempty"`
	Items                *schema    `json:"items,omitempty"`
	MinItems             int        `json:"minItems,omitempty"`
	MaxItems             int        `json:"maxItems,omitempty"`
	Required             []string   `json:"required,omitempty"`
	MinProperties        int        `json:"minProperties,omitempty"`
	Properties           properties `json:"properties,omitempty"`
	PropertyNames        *schema    `json:"propertyNames,omitempty"`
	AdditionalProperties any        `json:"additionalProperties,omitempty"` // false, or a schema
	If                   *schema    `json:"if,omitempty"`
	Then                 *schema    `json:"then,omitempty"`
}

// properties keep the order of the fields.
type properties []property

type property struct {
	name   string
	schema *schema
}

// MarshalJSON writes an object with its keys in order.
func (p properties) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	separator := '{'
	for _, one := range p {
		fmt.Fprintf(&out, "%c%q:", separator, one.name)
		if err := encoder.Encode(one.schema); err != nil {
			return nil, err
		}
		separator = ','
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// schemaOf returns the schema of a rule's values. For an optional field, a null stands for the default.
func schemaOf(f *rule) *schema {
	var s *schema
	switch f.typ.Kind() {
	case reflect.String:
		s = f.text()
	case reflect.Bool, reflect.Pointer:
		s = &schema{Type: "boolean", Default: f.fallback == "true"}
	case reflect.Int:
		s = &schema{Type: "integer", Minimum: new(0), Maximum: math.MaxInt32, Default: 0}
	case reflect.Slice:
		s = &schema{Type: "array", Items: schemaOf(&rule{typ: f.typ.Elem(), format: f.format, required: true}), MaxItems: f.max}
		if f.required {
			s.MinItems = 1
		}
	case reflect.Map:
		value := rule{format: f.format, required: true}
		s = &schema{Type: "object", AdditionalProperties: value.text(), PropertyNames: f.keys.text()}
	default:
		s = objectSchema(f.typ)
	}
	s.Description = f.tag.Get("doc")
	if f.required {
		s.Default = nil
		return s
	}
	s.Type = []any{s.Type, "null"}
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
	return s
}

func (f *rule) text() *schema {
	s := &schema{Type: "string", MaxLength: f.maxLength}
	for _, allowed := range f.enum {
		s.Enum = append(s.Enum, allowed)
	}
	switch pattern := f.pattern; {
	case pattern == "":
	case f.mayBeEmpty && !f.required:
		s.Pattern = "^(?:" + pattern + ")?$"
	default:
		s.Pattern = "^" + pattern + "$"
	}
	if not := strings.Trim(f.tooLong+"|"+f.taken, "|"); not != "" {
		// Without a type, a null would match the pattern.
		s.Not = &schema{Type: "string", Pattern: not}
	}
	// unset is the meaning of a missing value if setting that value has another effect.
	if value := cmp.Or(f.fallback, f.tag.Get("unset")); value != "" {
		s.Default = value
	}
	return s
}

func objectSchema(t reflect.Type) *schema {
	s := &schema{Type: "object", AdditionalProperties: false}
	switch t {
	case reflect.TypeFor[Metadata]():
		return &schema{Type: "object"}
	case reflect.TypeFor[Selector]():
		s.MinProperties = 1
	case reflect.TypeFor[Annotate](): // as validateTogether checks
		s.If = &schema{Required: []string{"scope"}, Properties: properties{{"scope", &schema{Enum: []any{ScopeSource}}}}}
		s.Then = &schema{Properties: properties{{"key", &schema{Pattern: "/"}}}}
	}
	for _, f := range fields(t) {
		if f.required {
			s.Required = append(s.Required, f.name)
		}
		s.Properties = append(s.Properties, property{f.name, schemaOf(&f)})
	}
	return s
}
