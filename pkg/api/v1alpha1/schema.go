package v1alpha1

import (
	"bytes"
	_ "embed" // the schema
)

// schemaJSON is made from the types and their tags by TestSchema_followsTheTypes.
//
//go:embed schema.json
var schemaJSON []byte

// Schema returns the JSON Schema (draft 2020-12) of a ConfigHash document. It has all rules of Parse that JSON Schema
// can express: it cannot check that selectors' expressions are valid and that keys are unique.
func Schema() []byte { return bytes.Clone(schemaJSON) }
