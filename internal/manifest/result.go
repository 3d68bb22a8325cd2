package manifest

import (
	"bytes"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// A Result is one of a ResourceList's results in the KRM functions specification: a message about a resource.
type Result struct {
	Message     string       `yaml:"message" json:"message"`
	Severity    Severity     `yaml:"severity" json:"severity"`
	ResourceRef *ResourceRef `yaml:"resourceRef,omitempty" json:"resourceRef,omitempty"`
	Field       *Field       `yaml:"field,omitempty" json:"field,omitempty"`
	File        *File        `yaml:"file,omitempty" json:"file,omitempty"`
}

// Severity is the severity of a Result.
type Severity string

// The severities of the KRM functions specification.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// A ResourceRef names the resource that a Result is about.
type ResourceRef struct {
	APIVersion string `yaml:"apiVersion" json:"apiVersion"`
	Kind       string `yaml:"kind" json:"kind"`
	Name       string `yaml:"name" json:"name"`
	Namespace  string `yaml:"namespace,omitempty" json:"namespace,omitempty"`
}

// A Field names the field that a Result is about.
type Field struct {
	Path string `yaml:"path" json:"path"`
}

// A File names the file that a resource was read from, according to the orchestrator's annotations.
type File struct {
	Path  string `yaml:"path" json:"path"`
	Index int    `yaml:"index,omitempty" json:"index,omitempty"`
}

// blockResults returns results as an entry in block style, empty if there are none. The encoder buffers everything
// until it is closed, so it gets a few results at a time.
func blockResults(results []Result) []byte {
	var out []byte
	for some := range slices.Chunk(results, 64) {
		encoded, _ := Encode(some) // cannot fail for strings
		out = append(out, encoded...)
	}
	if out != nil {
		out = append([]byte("results:\n"), out...)
	}
	return out
}

// Encode returns a value as YAML in kustomize's style. It fails if the value cannot be encoded.
func Encode(value any) (text []byte, err error) {
	defer func() {
		if r := recover(); r != nil { // the encoder panics for unknown kinds of nodes
			err = fmt.Errorf("%v", r)
		}
	}()
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	err = encoder.Encode(value)
	return b.Bytes(), err
}
