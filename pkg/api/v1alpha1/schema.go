package v1alpha1

import (
	"bytes"
	_ "embed" // the schema
)

// schemaJSON is made from the types and their tags by TestSchema_followsTheTypes.
//
//go:embed schema.json
var schemaJSON []byte

// Schema returns the JSON Schema (draft 2020-12) of a ConfigHash document. It
// says what Parse checks, except what JSON Schema cannot say: that selectors'
// expressions are valid, that no key is duplicate.
func Schema() []byte { return bytes.Clone(schemaJSON) }
