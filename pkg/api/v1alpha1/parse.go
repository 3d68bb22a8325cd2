package v1alpha1

import (
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/yamldoc"

	"go.yaml.in/yaml/v3"
)

const minimal = `apiVersion: confighash.dev/v1alpha1
kind: ConfigHash
metadata:
  name: roll-on-config-change
spec:
  mode: Rename # or Annotate`

// Parse reads a functionConfig: a ConfigHash, or a ConfigMap that holds its
// fields by dotted path. Defaults are filled in, and what is read from a
// ConfigMap is a ConfigHash, too. If anything is wrong with it, the error is an
// Errors that holds all of that.
func Parse(node *yaml.Node) (*ConfigHash, error) {
	node = resolve(node)
	switch {
	case isNull(node), node.Kind == yaml.DocumentNode:
		return nil, Errors{{Message: "there is none; the least that works:\n\n" + minimal}}
	case node.Kind != yaml.MappingNode:
		return nil, Errors{{Message: fmt.Sprintf("must be a mapping, not %s; the least that works:\n\n%s", describe(node), minimal)}}
	}
	config := New("", "")
	form, err := formOf(node, config)
	if err != nil {
		return nil, err
	}
	r := &reader{paths: knownPaths(form, "")}
	form.read(r, node, "")
	checkTogether(r, form, config)
	if len(r.errs) > 0 {
		return nil, r.errs
	}
	return config, nil
}

// ParseYAML reads a functionConfig as Parse does, from the first document of
// data. No error quotes a value.
func ParseYAML(data []byte) (*ConfigHash, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, yamlError(err)
	}
	return Parse(&document)
}

// checkTogether reports fields that are right each by itself, but not together.
func checkTogether(r *reader, form object, c *ConfigHash) {
	at := func(path yamldoc.Path) yamldoc.Path { return "spec." + path }
	if !slices.ContainsFunc(form.fields, func(f field) bool { return f.name == "spec" }) {
		at = func(path yamldoc.Path) yamldoc.Path { return yamldoc.Path("data").Key(string(path)) }
	}
	if key := c.Spec.Annotate.Key; c.Spec.Annotate.Scope == ScopeSource && !strings.Contains(key, "/") {
		r.fail(at("annotate.key"), fmt.Sprintf("%q has no prefix; with the scope Source the annotations are called PREFIX/kind.name, so give the key one: example.com/%s", key, key))
	}
	fields := 0
	for _, reference := range c.Spec.References {
		fields += len(reference.FieldSpecs)
	}
	if fields > maxReferences {
		r.fail(at("references"), fmt.Sprintf("has %d fieldSpecs in all; %d are followed at most", fields, maxReferences))
	}
	size := 0
	for key, value := range c.Spec.Rename.Annotations {
		size += len(key) + len(value)
	}
	if size > maxAnnotations {
		r.fail(at("rename.annotations"), fmt.Sprintf("has %d bytes of keys and values, which every renamed object would get; %d are at most", size, maxAnnotations))
	}
}

// formOf returns the description that the kind of node asks for. Of a kind
// that is not known nothing else can be said.
func formOf(node *yaml.Node, config *ConfigHash) (object, error) {
	// Problems are left to the reading of the form.
	r := &reader{}
	entries, _ := r.mapping(object{}, node, "")
	var kind *yaml.Node
	for e := range r.each(entries) {
		if e.key == "kind" && !isNull(e.value) {
			kind = e.value
		}
	}
	switch {
	case kind == nil, kind.Value == Kind:
		return document(config), nil
	case kind.Value == "ConfigMap":
		return configMap(config), nil
	case isText(kind):
		return object{}, Errors{{Path: "kind", Message: fmt.Sprintf("%q is not known; known are %s (apiVersion %s) and ConfigMap (apiVersion v1), the flat form", kind.Value, Kind, APIVersion)}}
	default:
		return object{}, Errors{{Path: "kind", Message: fmt.Sprintf("must be %s or ConfigMap, not %s", Kind, describe(kind))}}
	}
}
