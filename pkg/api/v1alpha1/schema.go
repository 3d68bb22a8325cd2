package v1alpha1

import (
	"bytes"
	"cmp"
	"encoding/json"
)

// Schema returns the JSON Schema (draft 2020-12) of a ConfigHash document. It
// is made from what Parse reads by, and says the same but for what JSON Schema
// cannot: that selectors' expressions are valid, that no key stands twice.
func Schema() []byte {
	root := document(New("", "")).schema()
	root.Dialect = "https://json-schema.org/draft/2020-12/schema"
	root.Title = Kind
	root.Description = "The functionConfig of confighash: rolls workloads exactly when the configuration they consume changes."
	// The document itself may not be null.
	root.Type = "object"
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(root); err != nil {
		// It holds strings, booleans, and nothing that cannot be encoded.
		panic(err)
	}
	return out.Bytes()
}

// A schema holds what the fields of a ConfigHash need of JSON Schema.
type schema struct {
	Dialect              string     `json:"$schema,omitempty"`
	Title                string     `json:"title,omitempty"`
	Description          string     `json:"description,omitempty"`
	Type                 any        `json:"type,omitempty"` // a name, or several
	Enum                 []any      `json:"enum,omitempty"`
	Default              any        `json:"default,omitempty"`
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

// properties keep their order, which is that of the documentation.
type properties []property

type property struct {
	name   string
	schema *schema
}

// MarshalJSON writes an object.
func (p properties) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, one := range p {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(one.name)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(one.schema); err != nil {
			return nil, err
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func (f format) schema() *schema {
	s := &schema{Type: "string", Pattern: f.pattern, MaxLength: f.maxLength}
	if f.not != "" {
		// With no type, a null would match the pattern.
		s.Not = &schema{Type: "string", Pattern: f.not}
	}
	return s
}

func (t text) schema() *schema {
	s := t.format.schema()
	if value := cmp.Or(*t.dst, t.format.unset); value != "" {
		s.Default = value
	}
	return s
}

func (e enum[T]) schema() *schema {
	s := &schema{Type: "string"}
	for _, allowed := range e.allowed {
		s.Enum = append(s.Enum, string(allowed))
	}
	if *e.dst != "" {
		s.Default = string(*e.dst)
	}
	return s
}

func (t toggle) schema() *schema {
	return &schema{Type: "boolean", Default: *t.dst}
}

func (l list[T]) schema() *schema {
	var element T
	return &schema{Type: "array", Items: l.item(&element).schema(), MinItems: l.minItems, MaxItems: l.maxItems}
}

func (t table) schema() *schema {
	s := &schema{Type: "object", AdditionalProperties: t.value.schema()}
	if t.keys != nil {
		s.PropertyNames = enum[string]{new(string), t.keys}.schema()
	} else {
		s.PropertyNames = t.key.schema()
	}
	return s
}

func (m metadata) schema() *schema {
	return &schema{Type: "object"}
}

func (o object) schema() *schema {
	s := &schema{Type: "object", AdditionalProperties: false}
	if o.nonEmpty != "" {
		s.MinProperties = 1
	}
	for _, f := range o.fields {
		inner := f.value.schema()
		inner.Description = f.doc
		if f.required {
			s.Required = append(s.Required, f.name)
			inner.Default = nil
		} else {
			inner.orNull()
		}
		s.Properties = append(s.Properties, property{f.name, inner})
	}
	if i := o.implies; i != nil {
		s.If = &schema{Required: []string{i.field}, Properties: properties{{i.field, &schema{Enum: []any{i.value}}}}}
		s.Then = &schema{Properties: properties{{i.other, &schema{Pattern: i.pattern}}}}
	}
	return s
}

// orNull lets a null stand for the default.
func (s *schema) orNull() {
	s.Type = []any{s.Type, "null"}
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
}
