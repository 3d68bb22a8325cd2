package impact

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/podtemplate"
	"github.com/confighash/confighash/internal/yamldoc"
)

//go:embed immutable.yaml
var immutableData []byte

// An immutable is an entry of immutable.yaml, which says what the fields mean.
type immutable struct {
	Group    string                  `yaml:"group"`
	Kinds    []string                `yaml:"kinds"`
	Fields   []yamldoc.Path          `yaml:"fields"`
	Except   []string                `yaml:"except"`
	Claims   yamldoc.Path            `yaml:"claims"`
	Defaults map[yamldoc.Path]string `yaml:"defaults"`
	// ExceptWith is a field that defaults do not go with.
	ExceptWith yamldoc.Path `yaml:"exceptWith"`
	Unless     *struct {
		Field yamldoc.Path `yaml:"field"`
		Value string       `yaml:"value"`
	} `yaml:"unless"`
	Stays *struct {
		Field yamldoc.Path `yaml:"field"`
		At    yamldoc.Path `yaml:"at"`
		Value string       `yaml:"value"`
	} `yaml:"stays"`
}

var immutables = sync.OnceValues(func() ([]immutable, error) {
	var all []immutable
	err := yaml.Unmarshal(immutableData, &all)
	return all, err
})

// A fixedField is a field that may not change, with what stands for its value, which
// may be a default.
type fixedField struct {
	path      yamldoc.Path
	value     string
	byDefault bool
}

// A stayingField is one that a default fills in and an apply does not take away.
type stayingField struct {
	path    yamldoc.Path
	written bool
	filled  bool // the API server fills it in, since nothing else is written
	refused bool // what else is written does not go with it
}

// isFixed reports whether a kind has fields that may not change outside of pod
// templates.
func isFixed(r *graph.Resource) bool {
	all, _ := immutables() // an error is told where facts are read
	return slices.ContainsFunc(all, func(i immutable) bool { return i.Group == r.Group && slices.Contains(i.Kinds, r.Kind) })
}

// fixedFields reads the fields of an item that may not change, sorted, those that
// hold nothing left out.
func fixedFields(r *graph.Resource, item *yaml.Node) ([]fixedField, error) {
	all, err := immutables()
	if err != nil {
		return nil, err
	}
	var found []fixedField
	add := func(i *immutable, path yamldoc.Path, n *yaml.Node) error {
		value := ""
		if n != nil {
			n, err := filled(n, new(yamldoc.Budget))
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			tree, err := hash.Tree(n)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			value = string(tree)
		}
		if slices.Contains([]string{"", "n", "s0:", "m0:", "l0:"}, value) {
			byDefault := i.Defaults[path]
			if byDefault == "" || i.ExceptWith != "" && nodeAt(item, i.ExceptWith) != nil {
				return nil
			}
			value = "s" + strconv.Itoa(len(byDefault)) + ":" + byDefault
			found = append(found, fixedField{path, value, true})
			return nil
		}
		found = append(found, fixedField{path, value, false})
		return nil
	}
	for k := range all {
		i := &all[k]
		if i.Group != r.Group || !slices.Contains(i.Kinds, r.Kind) || i.Unless != nil && scalarAt(item, i.Unless.Field) == i.Unless.Value {
			continue
		}
		for _, path := range i.Fields {
			if len(i.Except) == 0 {
				if err := add(i, path, nodeAt(item, path)); err != nil {
					return nil, err
				}
				continue
			}
			if err := eachField(i, path, nodeAt(item, path), add); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(found, func(a, b fixedField) int {
		if a.path < b.path {
			return -1
		}
		return 1
	})
	return found, nil
}

// stayingFields reads the fields of an item that stay where a default put them.
func stayingFields(r *graph.Resource, item *yaml.Node) ([]stayingField, error) {
	all, err := immutables()
	var found []stayingField
	for k := range all {
		i := &all[k]
		if i.Stays == nil || i.Group != r.Group || !slices.Contains(i.Kinds, r.Kind) {
			continue
		}
		found = append(found, stayingField{
			path: i.Stays.Field, written: nodeAt(item, i.Stays.Field) != nil,
			filled: scalarAt(item, i.Stays.At) == "", refused: scalarAt(item, i.Stays.At) == i.Stays.Value,
		})
	}
	return found, err
}

// filled returns a node without the entries in it that hold nothing: the API server
// does not tell them from none.
func filled(n *yaml.Node, b *yamldoc.Budget) (*yaml.Node, error) {
	n = yamldoc.Resolve(n)
	if err := b.Spend(); err != nil {
		return n, err
	}
	if n.Kind == yaml.SequenceNode {
		full := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, element := range n.Content {
			one, err := filled(element, b)
			if err != nil {
				return nil, err
			}
			full.Content = append(full.Content, one)
		}
		return full, nil
	}
	if n.Kind != yaml.MappingNode {
		return n, nil
	}
	full := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	err := yamldoc.Each(n, b, func(key string, value *yaml.Node, _ bool) error {
		value, err := filled(value, b)
		empty := value.Kind == yaml.ScalarNode && value.ShortTag() == "!!null" || value.Kind != yaml.ScalarNode && len(value.Content) == 0
		if err != nil || empty {
			return err
		}
		full.Content = append(full.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
		return nil
	})
	return full, err
}

// eachField adds the entries of a mapping that are not excepted, and those that are
// absent and have a default.
func eachField(i *immutable, path yamldoc.Path, n *yaml.Node, add func(*immutable, yamldoc.Path, *yaml.Node) error) error {
	met := map[yamldoc.Path]bool{}
	if n != nil && n.Kind == yaml.MappingNode {
		err := yamldoc.Each(n, new(yamldoc.Budget), func(key string, value *yaml.Node, _ bool) error {
			if slices.Contains(i.Except, key) || met[path.Key(key)] {
				return nil
			}
			met[path.Key(key)] = true
			return add(i, path.Key(key), value)
		})
		if err != nil {
			return err
		}
	}
	for field := range i.Defaults {
		if !met[field] {
			if err := add(i, field, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// claimsOf reads the claims of a resource that may not change, and where they stand:
// as the volumes of a pod that brings claims of its own, which the API server
// completes in the same way.
func claimsOf(r *graph.Resource, item *yaml.Node) (yamldoc.Path, *podtemplate.Template, error) {
	all, err := immutables()
	if err != nil {
		return "", nil, err
	}
	for k := range all {
		i := &all[k]
		if i.Claims == "" || i.Group != r.Group || !slices.Contains(i.Kinds, r.Kind) {
			continue
		}
		var volumes []*yaml.Node
		if list := nodeAt(item, i.Claims); list != nil && list.Kind == yaml.SequenceNode {
			for _, claim := range list.Content {
				volumes = append(volumes, mapOf("ephemeral", mapOf("volumeClaimTemplate", partsOf(yamldoc.Resolve(claim), "metadata", "spec"))))
			}
		}
		spec := mapOf("volumes", &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: volumes})
		claims, err := podtemplate.ReadParts(podtemplate.Parts{Spec: spec}, podtemplate.Options{Builtin: true})
		return i.Claims, claims, err
	}
	return "", nil, nil
}

// mapOf returns a mapping with one entry.
func mapOf(key string, value *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value}}
}

// partsOf returns a mapping of the entries of m under keys.
func partsOf(m *yaml.Node, keys ...string) *yaml.Node {
	parts := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, key := range keys {
		if value := nodeAt(m, yamldoc.Path(key)); value != nil {
			parts.Content = append(parts.Content, mapOf(key, value).Content...)
		}
	}
	return parts
}

// counts reports whether a difference is one to the API server, which compares
// amounts, however they are written.
func counts(d podtemplate.Difference) bool { return d.What != podtemplate.Respelled }

// touched returns the paths of what may not change and differs, sorted.
func (f *facts) touched(after *facts) []yamldoc.Path {
	differ := touched(f.fixed, after.fixed)
	if f.claims != nil && after.claims != nil && slices.ContainsFunc(podtemplate.Diff(f.claims, after.claims), counts) {
		differ = append(differ, f.claimsAt)
		slices.Sort(differ)
	}
	return differ
}

// stuck returns the paths of defaults that an apply leaves although they no longer go
// with what is written.
func (f *facts) stuck(after *facts) []yamldoc.Path {
	var paths []yamldoc.Path
	for i := range min(len(f.staying), len(after.staying)) {
		if was, is := f.staying[i], after.staying[i]; was.filled && !was.written && is.refused && !is.written {
			paths = append(paths, is.path)
		}
	}
	return paths
}

// touched returns the paths of fixed fields that differ, sorted. A default that nobody
// wrote stays as it is.
func touched(before, after []fixedField) []yamldoc.Path {
	var differ []yamldoc.Path
	for len(before)+len(after) > 0 {
		switch {
		case len(after) == 0 || len(before) > 0 && before[0].path < after[0].path:
			if !before[0].byDefault {
				differ = append(differ, before[0].path)
			}
			before = before[1:]
		case len(before) == 0 || after[0].path < before[0].path:
			if !after[0].byDefault {
				differ = append(differ, after[0].path)
			}
			after = after[1:]
		default:
			if before[0].value != after[0].value {
				differ = append(differ, after[0].path)
			}
			before, after = before[1:], after[1:]
		}
	}
	return differ
}
