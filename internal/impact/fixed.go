package impact

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/podtemplate"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/internal/yamldoc"
)

//go:embed fixed.yaml
var fixedData []byte

// A fixedRule is an entry of fixed.yaml, which explains the fields.
type fixedRule struct {
	Group    string                  `yaml:"group"`
	Kinds    []string                `yaml:"kinds"`
	Fields   []yamldoc.Path          `yaml:"fields"`
	Except   []string                `yaml:"except"`
	Claims   yamldoc.Path            `yaml:"claims"`
	Defaults map[yamldoc.Path]string `yaml:"defaults"`
	When     []catalog.Condition     `yaml:"when"`
	Stays    struct {
		Field yamldoc.Path `yaml:"field"`
		At    yamldoc.Path `yaml:"at"`
		Value string       `yaml:"value"`
	} `yaml:"stays"`
}

var fixedRules = sync.OnceValues(func() (map[catalog.GroupKind][]fixedRule, error) {
	var all []fixedRule
	err := yaml.Unmarshal(fixedData, &all)
	byKind := map[catalog.GroupKind][]fixedRule{}
	for _, rule := range all {
		for _, kind := range rule.Kinds {
			key := catalog.GroupKind{Group: rule.Group, Kind: kind}
			byKind[key] = append(byKind[key], rule)
		}
	}
	return byKind, err
})

func isFixed(r *graph.Resource) bool {
	rules, _ := fixedRules() // readFixed reports an error
	return len(rules[catalog.GroupKind{Group: r.Group, Kind: r.Kind}]) > 0
}

// fixedFields are the fields of a resource outside of pod templates that cannot change.
type fixedFields struct {
	values map[yamldoc.Path]fixedValue // without those that are empty
	// claims are the PersistentVolumeClaims at claimsAt.
	claims   *podtemplate.Template
	claimsAt yamldoc.Path
	// stays is a field that is not written: the API server fills it in, or what else
	// is written is not valid with it.
	stays           yamldoc.Path
	filled, clashes bool
}

type fixedValue struct {
	text      string
	byDefault bool
}

func readFixed(r *graph.Resource, item *yaml.Node) (fixedFields, error) {
	f := fixedFields{values: map[yamldoc.Path]fixedValue{}}
	rules, err := fixedRules()
	if err != nil {
		return f, err
	}
	for _, rule := range rules[catalog.GroupKind{Group: r.Group, Kind: r.Kind}] {
		if !reference.Holds(rule.When, item) {
			continue
		}
		if err := f.apply(&rule, item); err != nil {
			return f, err
		}
	}
	return f, nil
}

func (f *fixedFields) apply(rule *fixedRule, item *yaml.Node) error {
	for path, value := range rule.Defaults {
		f.values[path] = fixedValue{value, true}
	}
	fields, err := rule.fields(item)
	if err != nil {
		return err
	}
	for path, n := range fields {
		text, err := textOf(n)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if text != "" {
			f.values[path] = fixedValue{text, false}
		}
	}
	if stays := rule.Stays; stays.Field != "" && nodeAt(item, stays.Field) == nil {
		f.stays = stays.Field
		f.filled, f.clashes = scalarAt(item, stays.At) == "", scalarAt(item, stays.At) == stays.Value
	}
	if rule.Claims != "" {
		f.claimsAt = rule.Claims
		f.claims, err = readClaims(elementsAt(item, rule.Claims))
	}
	return err
}

func (rule *fixedRule) fields(item *yaml.Node) (map[yamldoc.Path]*yaml.Node, error) {
	fields := map[yamldoc.Path]*yaml.Node{}
	for _, path := range rule.Fields {
		n := nodeAt(item, path)
		switch {
		case n == nil:
		case len(rule.Except) == 0:
			fields[path] = n
		case n.Kind == yaml.MappingNode:
			err := yamldoc.Each(n, new(yamldoc.Budget), func(key string, value *yaml.Node, _ bool) error {
				if at := path.Key(key); !slices.Contains(rule.Except, key) && fields[at] == nil {
					fields[at] = value
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return fields, nil
}

// textOf returns a text that is the same for values that the API server does not tell
// apart, "" for an empty one.
func textOf(n *yaml.Node) (string, error) {
	n, err := filled(n, new(yamldoc.Budget))
	if err != nil || isEmpty(n) {
		return "", err
	}
	if n.Kind == yaml.ScalarNode {
		return n.Value, nil
	}
	tree, err := hash.Tree(n)
	return string(tree), err
}

func isEmpty(n *yaml.Node) bool {
	return yamldoc.IsNull(n) || n.Kind != yaml.ScalarNode && len(n.Content) == 0
}

// filled returns a node without the entries in it that are empty, which the API server
// does not tell from absent ones.
func filled(n *yaml.Node, b *yamldoc.Budget) (*yaml.Node, error) {
	n = yamldoc.Resolve(n)
	if err := b.Spend(); err != nil || n.Kind == yaml.ScalarNode {
		return n, err
	}
	full := &yaml.Node{Kind: n.Kind, Tag: n.Tag}
	if n.Kind == yaml.SequenceNode {
		for _, element := range n.Content {
			one, err := filled(element, b)
			if err != nil {
				return nil, err
			}
			full.Content = append(full.Content, one)
		}
		return full, nil
	}
	err := yamldoc.Each(n, b, func(key string, value *yaml.Node, _ bool) error {
		value, err := filled(value, b)
		if err == nil && !isEmpty(value) {
			full.Content = append(full.Content, mapOf(key, value).Content...)
		}
		return err
	})
	return full, err
}

func mapOf(key string, value *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value}}
}

// readClaims reads PersistentVolumeClaims as the volumes of a pod that brings claims of
// its own, which the API server completes in the same way.
func readClaims(claims []*yaml.Node) (*podtemplate.Template, error) {
	volumes := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, claim := range claims {
		template := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, key := range []string{"metadata", "spec"} {
			if value := nodeAt(claim, yamldoc.Path(key)); value != nil {
				template.Content = append(template.Content, mapOf(key, value).Content...)
			}
		}
		volumes.Content = append(volumes.Content, mapOf("ephemeral", mapOf("volumeClaimTemplate", template)))
	}
	return podtemplate.ReadParts(podtemplate.Parts{Spec: mapOf("volumes", volumes)}, podtemplate.Options{Builtin: true})
}

// refused returns the paths of what cannot change and differs, sorted, and why the API
// server refuses that. A default that is not written stays as it is.
func (f *fixedFields) refused(after *fixedFields) (fields []yamldoc.Path, reason string) {
	all := maps.Clone(f.values)
	maps.Copy(all, after.values)
	for path, value := range all {
		was, before := f.values[path]
		is, now := after.values[path]
		if before && now && was.text != is.text || before != now && !value.byDefault {
			fields = append(fields, path)
		}
	}
	// The API server compares amounts, however they are written.
	isOther := func(d podtemplate.Difference) bool { return d.What != podtemplate.Respelled }
	if f.claims != nil && after.claims != nil && slices.ContainsFunc(podtemplate.Diff(f.claims, after.claims), isOther) {
		fields = append(fields, f.claimsAt)
	}
	slices.Sort(fields)
	reason = list(fields) + " cannot change once it exists"
	if f.stays == after.stays && f.filled && after.clashes {
		if len(fields) == 0 {
			reason = "an apply keeps the default of " + string(f.stays) + ", which is not valid with the new manifest"
		}
		fields = append(fields, f.stays)
	}
	return fields, reason
}

// refused returns the fields for which an apply of a resource is refused although its pod
// templates, if it has any, may change, and the outcome. known: the apply is refused for
// the templates.
func (c *comparison) refused(s *subject, known bool) ([]yamldoc.Path, outcome) {
	if !s.both() || !s.differs {
		return nil, outcome{}
	}
	recreated := slices.ContainsFunc(s.new.PodTemplates, func(t graph.PodTemplate) bool { return t.Change == catalog.Recreated })
	if s.after != nil && !recreated { // what is made again may have any fields
		if fields, reason := s.before.fixed.refused(&s.after.fixed); len(fields) > 0 {
			return fields, outcome{Refused, reason, c.replacement(s.new)}
		}
	}
	kind, err := catalog.Builtin().Kind(s.new.Group, s.new.Version, s.new.Kind)
	if err != nil || kind == nil || kind.Immutable == "" || known || workloadOf(s.new).BuiltIn || s.old.Name == "" {
		return nil, outcome{}
	}
	was := make(map[yamldoc.Path]string, len(s.old.References))
	for i := range s.old.References {
		was[s.old.References[i].At.Path] = s.old.References[i].At.Value
	}
	for i := range s.new.References {
		at := &s.new.References[i].At
		if before, ok := was[at.Path]; s.new.References[i].Immutable && ok && before != at.Value {
			return []yamldoc.Path{at.Path}, outcome{Refused, kind.Immutable, "delete it before the apply, or exclude the object from renaming"}
		}
	}
	return nil, outcome{}
}

func list(paths []yamldoc.Path) string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = string(path)
	}
	return graph.Enumerate(names)
}
