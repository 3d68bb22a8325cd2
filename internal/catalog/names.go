package catalog

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A NameRule is a rule for objects whose name must stay. It is about the objects that
// meet all of its criteria, at least one of which is given.
type NameRule struct {
	Target Target `yaml:"target"`
	// Names and Patterns: the name is one of Names or matches all of one of Patterns,
	// if any are given.
	Names    []string   `yaml:"names"`
	Patterns []*pattern `yaml:"patterns"`
	// Types are those of a Secret, one of which it must have.
	Types []string `yaml:"types"`
	// Namespaces holds the object's, if given.
	Namespaces []string `yaml:"namespaces"`
	// Labels and Annotations: the object has one of them, if any are given.
	Labels      []Mark `yaml:"labels"`
	Annotations []Mark `yaml:"annotations"`
	// Reason says why, as a sentence without its full stop.
	Reason string `yaml:"reason"`
	// Warning: a user would expect such an object to be renamed,
	// so that more than information is due.
	Warning bool `yaml:"warning"`
	// Source is for people.
	Source string `yaml:"source"`
}

// A pattern is a regular expression that matches all of a name. It is compiled
// once a name begins as the pattern does: most runs need none.
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
	// Values are those that count; without any, every value does.
	Values []string `yaml:"values"`
}

// An Object is what rules for names look at. Its type is that of a Secret and
// empty for others.
type Object struct {
	Kind, Namespace, Name, Type string
	Labels, Annotations         map[string]string
}

var (
	neverRename = sync.OnceValue(func() nameRules { return loadNameRules(neverRenameFile) })
	readByName  = sync.OnceValue(func() nameRules { return loadNameRules(readByNameFile) })
)

// NeverRename returns the rule by which an object keeps its name whatever
// users want, nil if there is none.
func (c *Catalog) NeverRename(o Object) *NameRule { return neverRename().first(o) }

// ReadByName returns the rule about programs that look for an object by its
// name, nil if there is none.
func (c *Catalog) ReadByName(o Object) *NameRule { return readByName().first(o) }

// NameRule returns what NeverRename does or, without that, what ReadByName does.
func (c *Catalog) NameRule(o Object) *NameRule { return cmp.Or(c.NeverRename(o), c.ReadByName(o)) }

// nameRules are the rules of a file: the texts of those for certain names, which are
// parsed when an object has such a name, and the others.
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
		len(n.Namespaces) > 0 && !slices.Contains(n.Namespaces, o.Namespace) {
		return false
	}
	if len(n.Labels)+len(n.Annotations) > 0 && !marked(n.Labels, o.Labels) && !marked(n.Annotations, o.Annotations) {
		return false
	}
	return len(n.Names)+len(n.Patterns) == 0 || slices.Contains(n.Names, o.Name) ||
		slices.ContainsFunc(n.Patterns, func(p *pattern) bool { return p.matches(o.Name) })
}

func marked(marks []Mark, on map[string]string) bool {
	for _, m := range marks {
		if value, ok := on[m.Key]; ok && (len(m.Values) == 0 || slices.Contains(m.Values, value)) {
			return true
		}
	}
	return false
}
