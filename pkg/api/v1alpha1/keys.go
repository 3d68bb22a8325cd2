package v1alpha1

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/typo"
	"github.com/confighash/confighash/internal/yamldoc"
)

// An entry is an entry of a mapping, with aliases and merge keys resolved.
type entry struct {
	key   string
	value *yaml.Node
	bare  bool // has no value in a flow mapping
}

// entries returns the entries of the mapping node, and only the first of duplicate keys.
func (r *reader) entries(node *yaml.Node, at yamldoc.Path) []entry {
	r.checkKeys(node, at)
	var list []entry
	met := map[string]bool{}
	err := yamldoc.Each(node, &r.budget, func(key string, value *yaml.Node, merged bool) error {
		e := entry{key: key, value: yamldoc.Resolve(value)}
		// A merged mapping may be in flow style even if this one is not.
		e.bare = merged && e.value.Value == "" && yamldoc.IsNull(e.value) || yamldoc.IsBare(node, value)
		if !met[key] {
			list = append(list, e)
		}
		met[key] = true
		return nil
	})
	if err != nil {
		r.fail(at, err.Error())
	}
	return list
}

// checkKeys reports keys of a mapping that are duplicate or not strings, merge keys without a mapping, and the same in
// merged mappings.
func (r *reader) checkKeys(node *yaml.Node, at yamldoc.Path) {
	for source, err := range yamldoc.Sources(node) {
		switch {
		case errors.Is(err, yamldoc.ErrNotMapping):
			r.fail(at.Key("<<"), fmt.Sprintf("must be a mapping or a list of mappings, not %s", describe(source)))
			continue
		case err != nil:
			r.fail(at.Key("<<"), "merges a mapping into itself")
			continue
		}
		keys := map[string]bool{}
		for i := 0; i+1 < len(source.Content); i += 2 {
			key := yamldoc.Resolve(source.Content[i])
			switch {
			case key.Kind != yaml.ScalarNode:
				r.fail(at, fmt.Sprintf("holds a key that is %s; keys are strings", describe(key)))
			case keys[key.Value] && yamldoc.IsBare(source, source.Content[i+1]):
				r.fail(at, "has a duplicate key without a value; quote a value that holds a comma")
			case keys[key.Value]:
				r.fail(keyPath(at, key.Value), "is set twice; remove one of the two")
			}
			keys[key.Value] = true
		}
	}
}

// unknown reports an entry, in the mapping at a path, that is not one of the fields. A key without a value is not
// quoted: it may be the end of the salt.
func (r *reader) unknown(e entry, at yamldoc.Path, fields []string) {
	field, _, glued := strings.Cut(e.key, ":")
	isField := glued && slices.Contains(fields, field)
	path, known := keyPath(at, e.key), "known here: "+strings.Join(fields, ", ")
	switch {
	case e.bare && !isField:
		r.fail(at, "holds a key without a value that is not a known field; quote a value that holds a comma; "+known)
	case glued:
		r.fail(path, "is not a known field; put a space between a field's colon and its value")
	default:
		r.fail(path, "is not a known field; "+cmp.Or(r.didYouMean(e.key, fields), known))
	}
}

// keyPath returns the path of an entry for an error. It cuts off a key like "salt:VALUE", which lacks a space.
func keyPath(at yamldoc.Path, key string) yamldoc.Path {
	if i := strings.IndexAny(key, ":= "); i > 0 {
		key = key[:i]
	}
	return at.Key(key)
}

// didYouMean returns a hint to fields with that name, here or elsewhere, or to a similar field here; "" if there are
// none.
func (r *reader) didYouMean(key string, here []string) string {
	last := func(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
	differ := func(f string) bool { return !strings.EqualFold(last(f), last(key)) }
	for _, fields := range [][]string{here, r.paths} {
		if meant := slices.DeleteFunc(slices.Clone(fields), differ); len(meant) > 0 {
			return "did you mean " + strings.Join(meant, " or ") + "?"
		}
	}
	return strings.TrimPrefix(typo.DidYouMean(key, here), "; ")
}
