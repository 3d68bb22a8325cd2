package v1alpha1

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

const minimal = `apiVersion: confighash.dev/v1alpha1
kind: ConfigHash
metadata:
  name: roll-on-config-change
spec:
  mode: Rename # or Annotate`

// flat is kpt's flat form: a ConfigMap with the fields of a Spec by dotted path.
type flat struct {
	APIVersion string   `json:"apiVersion" enum:"v1"`
	Kind       string   `json:"kind" enum:"ConfigMap"`
	Metadata   Metadata `json:"metadata,omitzero"`
	Data       Spec     `json:"data"`
}

// flatData is the path of the Spec in the flat form.
const flatData = "data"

// Complete returns a copy of c with defaults for unset fields. As in Parse, the error is an Errors with all errors.
func (c *ConfigHash) Complete() (*ConfigHash, error) {
	given := *c
	given.APIVersion = cmp.Or(c.APIVersion, APIVersion)
	given.Kind = cmp.Or(c.Kind, Kind)
	completed, r := &ConfigHash{}, &reader{}
	r.object(nodeOf(reflect.ValueOf(given)), reflect.ValueOf(completed).Elem(), "")
	r.validateTogether(&completed.Spec)
	if r.errs != nil {
		return nil, r.errs
	}
	return completed, nil
}

// nodeOf returns v as the node of a document, without unset fields.
func nodeOf(v reflect.Value) *yaml.Node {
	text := func(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }
	node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	switch v.Kind() {
	case reflect.String:
		return text(v.String())
	case reflect.Pointer:
		return nodeOf(v.Elem())
	case reflect.Slice:
		node.Kind, node.Tag = yaml.SequenceNode, "!!seq"
		for i := range v.Len() {
			node.Content = append(node.Content, nodeOf(v.Index(i)))
		}
	case reflect.Map:
		table, _ := reflect.TypeAssert[map[string]string](v)
		for _, key := range slices.Sorted(maps.Keys(table)) {
			node.Content = append(node.Content, text(key), text(table[key]))
		}
	case reflect.Struct:
		for _, f := range fields(v.Type()) {
			if field := v.FieldByIndex(f.index); !field.IsZero() {
				node.Content = append(node.Content, text(f.name), nodeOf(field))
			}
		}
	default:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(v)} // a boolean or a number
	}
	return node
}

// Parse reads a functionConfig: a ConfigHash, or a ConfigMap with its fields by dotted path, which becomes a
// ConfigHash. Defaults are set. The error is an Errors with all errors.
func Parse(node *yaml.Node) (*ConfigHash, error) {
	if node != nil && node.Kind == yaml.DocumentNode && len(node.Content) > 0 {
		node = node.Content[0]
	}
	if !isWhole(node, map[*yaml.Node]bool{}) || node.IsZero() || yamldoc.IsNull(yamldoc.Resolve(node)) || node.Kind == yaml.DocumentNode {
		return nil, Errors{{Message: "is missing; the minimum:\n\n" + minimal}}
	}
	if node = yamldoc.Resolve(node); node.Kind != yaml.MappingNode {
		return nil, Errors{{Message: fmt.Sprintf("must be a mapping, not %s; the minimum:\n\n%s", describe(node), minimal)}}
	}
	isFlat, err := isFlat(node)
	if err != nil {
		return nil, err
	}
	config, f := &ConfigHash{}, flat{}
	root, paths := reflect.ValueOf(config).Elem(), deepFields
	if isFlat {
		root, paths = reflect.ValueOf(&f).Elem(), flatFields
	}
	r := &reader{isFlat: isFlat, paths: names(paths(root.Type()))}
	r.object(node, root, "")
	if r.foreign {
		return nil, Errors{{Path: flatData, Message: "no key is a field of a functionConfig; an application's ConfigMap belongs in the input, and a functionConfig has at least mode: Rename or mode: Annotate"}}
	}
	if isFlat {
		config = &ConfigHash{APIVersion: APIVersion, Kind: Kind, Metadata: f.Metadata, Spec: f.Data}
	}
	r.validateTogether(&config.Spec)
	if r.errs != nil {
		return nil, r.errs
	}
	return config, nil
}

// ParseYAML is Parse for the first document of data. No error quotes a value.
func ParseYAML(data []byte) (*ConfigHash, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, yamldoc.AtLine(err, data, 1)
	}
	return Parse(&document)
}

// isFlat reports whether the kind of the mapping node is that of the flat form. It fails if the kind is unknown.
func isFlat(node *yaml.Node) (bool, error) {
	kind, _ := yamldoc.Get(node, "kind", new(yamldoc.Budget))
	if kind == nil {
		return false, nil
	}
	switch kind = yamldoc.Resolve(kind); {
	case kind.Value == Kind, yamldoc.IsNull(kind):
		return false, nil
	case kind.Value == "ConfigMap":
		return true, nil
	case isText(kind):
		return false, Errors{{Path: "kind", Message: fmt.Sprintf("%q is not known; known are %s (apiVersion %s) and ConfigMap (apiVersion v1), the flat form", kind.Value, Kind, APIVersion)}}
	}
	return false, Errors{{Path: "kind", Message: fmt.Sprintf("must be %s or ConfigMap, not %s", Kind, describe(kind))}}
}

// isWhole reports whether a tree, which a program may have built, is valid: no node is nil, every key has a value, and
// every alias refers to a node.
func isWhole(node *yaml.Node, met map[*yaml.Node]bool) bool {
	if node == nil || node.Kind == yaml.MappingNode && len(node.Content)%2 > 0 {
		return false
	}
	if met[node] {
		return true
	}
	met[node] = true
	if node.Kind == yaml.AliasNode {
		return node.Alias != nil && node.Alias.Kind != yaml.AliasNode && isWhole(node.Alias, met)
	}
	return !slices.ContainsFunc(node.Content, func(child *yaml.Node) bool { return !isWhole(child, met) })
}
