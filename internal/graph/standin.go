package graph

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/yamldoc"
)

// standIn sets the content that determines the Secret an object represents.
func (b *Builder) standIn(r *Resource, s *catalog.StandIn, item *yaml.Node) {
	r.StandsFor = true
	r.Keyed = slices.ContainsFunc(s.Content, func(part catalog.Part) bool { return part.Keys })
	metadata := s.Metadata.From("")
	if metadata == "" || len(s.CopiedUnless) > 0 && yamldoc.At(item, s.CopiedUnless.From("")) == nil {
		r.SecretLabels, r.SecretAnnotations = r.Labels, r.Annotations
	} else {
		// If it is not a mapping of strings, the Secret gets no labels or annotations.
		r.SecretLabels, _ = stringMap(yamldoc.At(item, metadata.Key("labels")), "labels")
		r.SecretAnnotations, _ = stringMap(yamldoc.At(item, metadata.Key("annotations")), "annotations")
	}
	if !b.Values {
		return
	}
	for _, part := range s.Content {
		if err := r.addPart(part, item); err != nil {
			r.ValuesErr = fmt.Errorf("%s: %w", part.Path.From(""), err)
			return
		}
	}
	hash.SortValues(r.Values)
}

// addPart adds the values of a part of the item.
func (r *Resource) addPart(part catalog.Part, item *yaml.Node) error {
	node := yamldoc.At(item, part.Path.From(""))
	if node == nil || yamldoc.StringOf(node) == "" && node.Kind == yaml.ScalarNode {
		return nil
	}
	if !part.Keys {
		tree, err := hash.Tree(node, part.Omit...)
		if err != nil {
			return err
		}
		if string(tree) != "m0:" { // an empty mapping, or one whose entries are all left out
			r.Values = append(r.Values, hash.Value{Key: part.Path.String(), Sum: sha256.Sum256(tree), Always: true})
		}
		return nil
	}
	if node.Kind != yaml.MappingNode {
		return errors.New("it must be a mapping of keys to strings")
	}
	condition := yamldoc.At(item, part.WholeIf.From(""))
	whole := len(part.WholeIf) > 0 && condition != nil && condition.Kind == yaml.MappingNode && len(condition.Content) > 0
	return each(node, false, func(key string, value *yaml.Node, _ bool) error {
		if value.Kind != yaml.ScalarNode {
			return fmt.Errorf("the value of %q is not a string; quote it, or write it as a block", key)
		}
		r.Values = append(r.Values, hash.Value{Key: key, Sum: sha256.Sum256([]byte(yamldoc.StringOf(value))), Always: whole})
		return nil
	})
}
