package catalog

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A NameRule is a rule for objects whose name must stay. It applies to objects that meet all of its criteria; there is
// at least one.
type NameRule struct {
	Target Target `yaml:"target"`
	// Names and Patterns: if given, the name must be in Names or match one of Patterns completely.
	Names    []string   `yaml:"names"`
	Patterns []*pattern `yaml:"patterns"`
	// Types: if given, the object must be a Secret of one of these types.
	Types []string `yaml:"types"`
	// Namespaces: if given, the object must be in one of them.
	Namespaces []string `yaml:"namespaces"`
	// Labels and Annotations: if given, the object must have one of them.
	Labels      []Mark `yaml:"labels"`
	Annotations []Mark `yaml:"annotations"`
	// Reason is a sentence without its full stop.
	Reason string `yaml:"reason"`
	// Warning: a user would expect such an object to be renamed, so the message is a warning.
	Warning bool `yaml:"warning"`
	// Filled: something in the cluster writes keys that the manifest lacks.
	Filled bool `yaml:"filled"`
	// Source is documentation.
	Source string `yaml:"source"`
}

// A pattern is a regular expression that must match a whole name. It is compiled only if a name begins with its literal
// prefix: most runs need none.
type pattern struct {
	text, prefix string
	compile      func() *regexp.Regexp
}

// UnmarshalText reads a regular expression without compiling it.
func (p *pattern) UnmarshalText(text []byte) error {
	p.text = string(text)
	p.prefix = p.text[:max(strings.IndexAny(p.text+"(", `\.+*?()|[]{}^$`)-1, 0)] // what follows may repeat the last character
	p.compile = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A(?:` + p.text + `)\z`) })
	return nil
}

func (p *pattern) matches(name string) bool {
	return strings.HasPrefix(name, p.prefix) && p.compile().MatchString(name)
}

// A Mark is a label or an annotation.
type Mark struct {
	Key string `yaml:"key"`
	// Values are the accepted values; without any, every value is accepted.
	Values []string `yaml:"values"`
}

// An Object is the input of name rules. Type is a Secret's type and empty for others.
type Object struct {
	Kind, Namespace, Name, Type string
	Labels, Annotations         map[string]string
}

var (
	neverRename = sync.OnceValue(func() nameRules { return loadNameRules(neverRenameFile) })
	readByName  = sync.OnceValue(func() nameRules { return loadNameRules(readByNameFile) })
)

// NeverRename returns the rule by which an object keeps its name whatever the user wants, nil if there is none.
func (c *Catalog) NeverRename(o Object) *NameRule { return neverRename().first(o) }

// ReadByName returns the rule about programs that look an object up by its name, nil if there is none.
func (c *Catalog) ReadByName(o Object) *NameRule { return readByName().first(o) }

// NameRule returns the result of NeverRename or, if that is nil, of ReadByName.
func (c *Catalog) NameRule(o Object) *NameRule { return cmp.Or(c.NeverRename(o), c.ReadByName(o)) }

// nameRules are the rules of a file: the unparsed ones by name, which are parsed when an object has that name, and the
// others.
type nameRules struct {
	byName map[string][]string
	others []NameRule
}

func loadNameRules(file string) nameRules {
	rules := nameRules{byName: map[string][]string{}}
	for part := range strings.SplitSeq(read(file), "\n---\n") {
		names := listIn(part, "names")
		if names == nil {
			rules.others = append(rules.others, parseNameRule(part))
		}
		for _, name := range names {
			rules.byName[name] = append(rules.byName[name], part)
		}
	}
	return rules
}

func parseNameRule(text string) (rule NameRule) {
	decode(text, &rule)
	return rule
}

func (n nameRules) first(o Object) *NameRule {
	if TargetOf(o.Kind) == 0 {
		return nil
	}
	for i := range n.others {
		if n.others[i].matches(o) {
			return &n.others[i]
		}
	}
	for _, text := range n.byName[o.Name] {
		if rule := parseNameRule(text); rule.matches(o) {
			return &rule
		}
	}
	return nil
}

func (n *NameRule) matches(o Object) bool {
	if !n.Target.Has(TargetOf(o.Kind)) ||
		len(n.Types) > 0 && !slices.Contains(n.Types, o.Type) ||
		len(n.Namespaces) > 0 && !slices.Contains(n.Namespaces, o.Namespace) ||
		len(n.Labels)+len(n.Annotations) > 0 && !marked(n.Labels, o.Labels) && !marked(n.Annotations, o.Annotations) {
		return false
	}
	return len(n.Names)+len(n.Patterns) == 0 || slices.Contains(n.Names, o.Name) ||
		slices.ContainsFunc(n.Patterns, func(p *pattern) bool { return p.matches(o.Name) })
}

func marked(marks []Mark, on map[string]string) bool {
	return slices.ContainsFunc(marks, func(m Mark) bool {
		value, ok := on[m.Key]
		return ok && (len(m.Values) == 0 || slices.Contains(m.Values, value))
	})
}
