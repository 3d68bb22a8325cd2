package graph

import (
	"cmp"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/yamldoc"
)

// readFields sets the fields that every item may have. shared: the item itself is shared.
func (r *Resource) readFields(item *yaml.Node, shared bool) error {
	var metadata *yaml.Node
	metadataShared := shared
	err := each(item, shared, func(key string, value *yaml.Node, valueShared bool) error {
		switch key {
		case "apiVersion":
			r.APIVersion = yamldoc.StringOf(value)
		case "kind":
			r.Kind = yamldoc.StringOf(value)
		case "metadata":
			metadata, metadataShared = value, valueShared
		case "immutable":
			r.Immutable, _ = yamldoc.Bool(value)
		case "sops":
			r.SOPS = value.Kind == yaml.MappingNode
			// With --mac-only-encrypted, the MAC covers only the encrypted values.
			r.Encrypted = r.SOPS && yamldoc.StringOf(yamldoc.At(value, "mac_only_encrypted")) != "true"
		}
		return nil
	})
	if metadata == nil {
		return err
	}
	var wrong error // the name may follow
	inMetadata := each(metadata, metadataShared, func(key string, value *yaml.Node, valueShared bool) error {
		var err error
		switch key {
		case "name":
			if r.Name = yamldoc.StringOf(value); r.Name != "" {
				r.NameAt = edit.ScalarAt("metadata.name", value, valueShared)
			}
		case "generateName":
			r.GenerateName = yamldoc.StringOf(value) != ""
		case "namespace":
			r.Namespace = yamldoc.StringOf(value)
		case "labels":
			r.Labels, err = stringMap(value, "labels")
		case "annotations":
			r.Annotations, err = stringMap(value, "annotations")
		}
		wrong = cmp.Or(wrong, err)
		return nil
	})
	if wrong = cmp.Or(wrong, inMetadata); err == nil && wrong != nil {
		err = fmt.Errorf("metadata: %w", wrong)
	}
	return err
}

func stringMap(n *yaml.Node, name string) (map[string]string, error) {
	switch {
	case n == nil, n.Kind == yaml.ScalarNode && (n.Tag == "!!null" || n.Value == ""):
		return nil, nil
	case n.Kind != yaml.MappingNode:
		return nil, fmt.Errorf("%s must be a mapping of strings", name)
	}
	m := make(map[string]string, len(n.Content)/2)
	err := yamldoc.Each(n, new(yamldoc.Budget), func(key string, value *yaml.Node, _ bool) error {
		if _, twice := m[key]; twice && strings.HasPrefix(key, "confighash.dev/") {
			return fmt.Errorf("the key %q appears twice; keep one", key)
		}
		// For other duplicate keys the last one counts, as in kubectl, which accepts such files.
		m[key] = yamldoc.StringOf(yamldoc.Resolve(value))
		return nil
	})
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return m, err
}

// each calls visit for every entry of a mapping, including those of merge keys. shared: other places use the value's
// text too. A duplicate key is an error, but only after all visits, so that the error can name the resource.
func each(m *yaml.Node, shared bool, visit func(key string, value *yaml.Node, shared bool) error) error {
	shared = shared || m.Kind == yaml.AliasNode
	m = yamldoc.Resolve(m)
	if m.Kind != yaml.MappingNode {
		return nil
	}
	shared = shared || m.Anchor != ""
	err := yamldoc.Each(m, new(yamldoc.Budget), func(key string, value *yaml.Node, merged bool) error {
		isAlias := value.Kind == yaml.AliasNode
		return visit(key, yamldoc.Resolve(value), shared || merged || isAlias || value.Anchor != "")
	})
	if key := yamldoc.Duplicate(m); key != nil && err == nil {
		err = fmt.Errorf("%s appears twice; keep one", yamldoc.NameOf(m, key))
	}
	return err
}
