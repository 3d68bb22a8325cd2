package v1alpha1

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// An entry is one of a mapping's, with aliases and merge keys resolved. An entry
// with a problem has no value; it keeps its place so that errors stay in the
// document's order.
type entry struct {
	key     string
	value   *yaml.Node
	bare    bool // has no value in a flow mapping
	problem *FieldError
}

// entries returns the entries of the mapping node. Of a duplicate key the second
// one is a problem.
func (r *reader) entries(node *yaml.Node, v reflect.Value, f *rule, at yamldoc.Path) (list []entry, ok bool) {
	if node.Kind != yaml.MappingNode {
		r.wrongType(node, v, f, at)
		return nil, false
	}
	r.checkKeys(node, at, map[*yaml.Node]bool{}, nil)
	own := map[string]bool{}
	err := yamldoc.Each(node, &r.budget, func(key string, value *yaml.Node, merged bool) error {
		e := entry{key: key, value: yamldoc.Resolve(value)}
		// A merged mapping may be in flow style where this one is not.
		e.bare = merged && e.value.Value == "" && isNull(e.value) || yamldoc.IsBare(node, value)
		if own[key] && !merged {
			e.problem = duplicate(at, key, e.bare)
		}
		own[key] = true
		list = append(list, e)
		return nil
	})
	if err != nil {
		r.fail(at, err.Error())
	}
	return list, true
}

// checkKeys reports keys of a mapping that are not strings, merge keys without a
// mapping, and what is wrong with the keys of merged mappings.
func (r *reader) checkKeys(node *yaml.Node, at yamldoc.Path, met map[*yaml.Node]bool, around []*yaml.Node) {
	met[node] = true
	around = append(around, node)
	merges := 0
	for i := 0; i+1 < len(node.Content); i += 2 {
		if key := yamldoc.Resolve(node.Content[i]); key.Kind != yaml.ScalarNode {
			r.fail(at, fmt.Sprintf("holds a key that is %s; keys are strings", describe(key)))
		}
		if !yamldoc.IsMerge(node.Content[i]) {
			continue
		}
		if merges++; merges == 2 {
			r.errs = append(r.errs, *duplicate(at, "<<", false))
		}
		source := yamldoc.Resolve(node.Content[i+1])
		sources := []*yaml.Node{source}
		if source.Kind == yaml.SequenceNode {
			sources = source.Content
		}
		for _, source := range sources {
			source = yamldoc.Resolve(source)
			switch {
			case source.Kind != yaml.MappingNode:
				r.fail(at.Key("<<"), fmt.Sprintf("must be a mapping or a list of mappings, not %s", describe(source)))
			case slices.Contains(around, source):
				r.fail(at.Key("<<"), "merges a mapping into itself")
			case !met[source]:
				if key := yamldoc.Duplicate(source); key != nil {
					r.errs = append(r.errs, *duplicate(at, yamldoc.Resolve(key).Value, strings.HasPrefix(yamldoc.NameOf(source, key), "a key")))
				}
				r.checkKeys(source, at, met, around)
			}
		}
	}
}

// duplicate returns the error of a key that a mapping has twice.
func duplicate(at yamldoc.Path, key string, bare bool) *FieldError {
	if bare {
		return &FieldError{Path: string(at), Message: "has a duplicate key without a value; quote a value that holds a comma"}
	}
	return &FieldError{Path: string(keyPath(at, key)), Message: "is set twice; remove one of the two"}
}

func (r *reader) wrongType(node *yaml.Node, v reflect.Value, f *rule, at yamldoc.Path) {
	hint := ""
	if v.Kind() == reflect.String && f.enum == nil && node.Kind == yaml.ScalarNode && !isNull(node) {
		hint = ": write it in quotes"
	}
	r.fail(at, fmt.Sprintf("must be %s, not %s%s", f.wants(v.Type()), describe(node), hint))
}

// unknown reports an entry of the mapping at a path that is not one of the
// fields. A key without a value is not quoted: it may be the end of the salt.
func (r *reader) unknown(e entry, at yamldoc.Path, fields []string) {
	field, _, glued := strings.Cut(e.key, ":")
	switch {
	case e.bare && !(glued && slices.Contains(fields, field)):
		r.fail(at, "holds a key without a value that is not a known field; quote a value that holds a comma; known here: "+strings.Join(fields, ", "))
	case glued:
		r.fail(keyPath(at, e.key), "is not a known field; put a space between a field's colon and its value")
	default:
		r.fail(keyPath(at, e.key), "is not a known field; "+r.suggest(e.key, fields))
	}
}

// keyPath returns the path of an entry for an error. Of a key like "salt:VALUE",
// one string for want of a space, it shows only the beginning.
func keyPath(at yamldoc.Path, key string) yamldoc.Path {
	if i := strings.IndexAny(key, ":= "); i > 0 {
		key = key[:i]
	}
	return at.Key(key)
}

// suggest says which field may have been meant by a key.
func (r *reader) suggest(key string, fields []string) string {
	alike := func(f string) bool { return strings.EqualFold(lastStep(f), lastStep(key)) }
	for _, search := range []struct {
		in    []string
		meant func(string) bool
	}{
		{fields, func(f string) bool { return misspelt(strings.ToLower(key), strings.ToLower(f)) }},
		{fields, func(f string) bool { return strings.HasPrefix(f, key+".") }},
		{fields, func(f string) bool { return strings.HasPrefix(key, f+".") }},
		{fields, alike},
		{r.paths, alike},
	} {
		meant := slices.DeleteFunc(slices.Clone(search.in), func(f string) bool { return !search.meant(f) })
		if len(meant) > 0 {
			return "did you mean " + strings.Join(meant, " or ") + "?"
		}
	}
	return "known here: " + strings.Join(fields, ", ")
}

func lastStep(path string) string {
	return path[strings.LastIndexByte(path, '.')+1:]
}

// misspelt reports whether b is a with at most one letter more, less or changed, or
// with two letters swapped.
func misspelt(a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if n := len(a); n >= 2 && n == len(b) {
		return a[0] == b[n-1] && a[n-1] == b[0] && a[1:n-1] == b[1:n-1]
	}
	return max(len(a), len(b)) <= 1
}

// knownPaths returns the paths of all fields of a struct, except those in lists.
func knownPaths(t reflect.Type, at yamldoc.Path) []string {
	var paths []string
	for _, f := range fields(t) {
		path, inner := at.Key(f.name), t.FieldByIndex(f.index).Type
		paths = append(paths, string(path))
		switch {
		case inner.Kind() != reflect.Struct || inner == reflect.TypeFor[Metadata]():
		case path == flatData:
			for _, l := range leaves(inner) {
				paths = append(paths, flatData+"."+l.name)
			}
		default:
			paths = append(paths, knownPaths(inner, path)...)
		}
	}
	return paths
}
