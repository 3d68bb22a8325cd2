package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A NameRule is a rule for objects whose name must stay. An object falls under
// it that meets all of its criteria, of which at least one is given.
type NameRule struct {
	Target Target
	// Types are those of a Secret, one of which it must have.
	Types []string
	// Namespaces holds the object's, if given.
	Namespaces []string
	// Labels and Annotations: the object has one of them, if any are given.
	Labels, Annotations []Mark
	// Reason says why, as a sentence without its full stop.
	Reason string
	// Warning tells that a user would expect such an object to be renamed,
	// so that more than information is due.
	Warning bool

	// The name is one of names or matches all of one of patterns, if any are given.
	names    []string
	patterns []*pattern
}

// A pattern is a regular expression that matches all of a name. It is compiled
// once a name begins as the pattern does: most runs need none.
type pattern struct {
	text, prefix string
	compile      func() (*regexp.Regexp, error)
}

func newPattern(text string) *pattern {
	prefix := text[:max(strings.IndexAny(text+"(", `\.+*?()|[]{}^$`)-1, 0)] // what follows may repeat the last character
	return &pattern{text, prefix, sync.OnceValues(func() (*regexp.Regexp, error) { return regexp.Compile(`\A(?:` + text + `)\z`) })}
}

func (p *pattern) matches(name string) bool {
	if !strings.HasPrefix(name, p.prefix) {
		return false
	}
	expression, err := p.compile() // its only error is a defect of the data, which a test finds
	return err == nil && expression.MatchString(name)
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

type rawNameRule struct {
	Names       []string `yaml:"names"`
	Patterns    []string `yaml:"patterns"`
	Target      Target   `yaml:"target"`
	Types       []string `yaml:"types"`
	Namespaces  []string `yaml:"namespaces"`
	Labels      []Mark   `yaml:"labels"`
	Annotations []Mark   `yaml:"annotations"`
	Reason      string   `yaml:"reason"`
	Level       string   `yaml:"level"`
	Source      string   `yaml:"source"`
}

func (r *rawNameRule) rule() (NameRule, error) {
	rule := NameRule{
		Target: r.Target, Types: r.Types, Namespaces: r.Namespaces, Labels: r.Labels, Annotations: r.Annotations,
		Reason: r.Reason, Warning: r.Level == "warning", names: r.Names,
	}
	if r.Level != "warning" && r.Level != "info" {
		return rule, fmt.Errorf("level %q: want warning or info", r.Level)
	}
	for _, text := range r.Patterns {
		rule.patterns = append(rule.patterns, newPattern(text))
	}
	return rule, nil
}

// NeverRename returns the rule under which an object keeps its name whatever
// users want, nil if there is none.
func (c *Catalog) NeverRename(o Object) *NameRule {
	rules, _ := c.neverRename() // its only error is a defect of the data, which a test finds
	return firstRule(rules, o)
}

// ReadByName returns the rule under which programs look for an object by its
// name, nil if there is none.
func (c *Catalog) ReadByName(o Object) *NameRule {
	if TargetOf(o.Kind) == 0 {
		return nil
	}
	known, _ := c.readByName() // as above
	if rule := firstRule(known.rules, o); rule != nil || len(known.byName[o.Name]) == 0 {
		return rule
	}
	// A rule for this very name is parsed when an object has it.
	rules, _ := nameRules(known.byName[o.Name])
	return firstRule(rules, o)
}

func firstRule(rules []NameRule, o Object) *NameRule {
	for i := range rules {
		if rules[i].matches(o) {
			return &rules[i]
		}
	}
	return nil
}

// readers are the rules of readByNameFile: those for certain names, which are not
// parsed yet, and the others.
type readers struct {
	byName map[string][]document
	rules  []NameRule
}

func loadNeverRename() ([]NameRule, error) {
	_, others, err := documentsByName(neverRenameFile)
	if err != nil {
		return nil, err
	}
	return nameRules(others)
}

func loadReadByName() (*readers, error) {
	byName, others, err := documentsByName(readByNameFile)
	if err != nil {
		return &readers{}, err
	}
	rules, err := nameRules(others)
	return &readers{byName, rules}, err
}

// documentsByName returns the documents of a file by the names that their first
// lines list, and those whose first line lists none.
func documentsByName(file string) (byName map[string][]document, others []document, err error) {
	text, err := files.ReadFile("data/" + file + ".yaml")
	if err != nil {
		return nil, nil, err
	}
	byName = map[string][]document{}
	for _, part := range strings.Split(string(text), "\n---\n") {
		d := document{text: part}
		list, ok := strings.CutPrefix(part, "names: [")
		if list, _, _ = strings.Cut(list, "]\n"); !ok {
			others = append(others, d)
			continue
		}
		for _, name := range strings.Split(list, ", ") {
			byName[name] = append(byName[name], d)
		}
	}
	return byName, others, nil
}

func nameRules(documents []document) ([]NameRule, error) {
	rules := make([]NameRule, 0, len(documents))
	for _, d := range documents {
		var raw rawNameRule
		if err := decode([]byte(d.text), &raw); err != nil {
			return nil, fmt.Errorf("catalogue: %w in\n%s", err, d.text)
		}
		rule, err := raw.rule()
		if err != nil {
			return nil, fmt.Errorf("catalogue: %w in\n%s", err, d.text)
		}
		rules = append(rules, rule)
	}
	return rules, nil
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
	return len(n.names)+len(n.patterns) == 0 || slices.Contains(n.names, o.Name) ||
		slices.ContainsFunc(n.patterns, func(p *pattern) bool { return p.matches(o.Name) })
}

func marked(marks []Mark, on map[string]string) bool {
	for _, m := range marks {
		if value, ok := on[m.Key]; ok && (len(m.Values) == 0 || slices.Contains(m.Values, value)) {
			return true
		}
	}
	return false
}

type rawPassedOver struct {
	Group  string   `yaml:"group"`
	Kinds  []string `yaml:"kinds"`
	Reason string   `yaml:"reason"`
}

// PassedOver reports whether objects of a kind are no part of what is
// applied: files of the package itself, and functions' configurations.
func (c *Catalog) PassedOver(group, kind string) bool {
	// Its only error is a defect of the data, which a test finds.
	kinds, _ := c.passedOver()
	return kinds[groupKind{group, kind}] || kinds[groupKind{group, "*"}]
}

func loadPassedOver() (map[groupKind]bool, error) {
	var raw []rawPassedOver
	if err := decodeFile(passedOverFile, &raw); err != nil {
		return nil, err
	}
	kinds := map[groupKind]bool{}
	for _, r := range raw {
		for _, kind := range r.Kinds {
			kinds[groupKind{r.Group, kind}] = true
		}
	}
	return kinds, nil
}

// A LookAlike is a field that looks like a reference to a ConfigMap or a Secret
// and is none. It matters where references are looked for without a rule.
type LookAlike struct {
	// Group is that of the kinds, "*" for all, or "*.k8s.elastic.co" for those
	// that end so.
	Group string
	// Kinds are those concerned; "*" stands for all of the group.
	Kinds []string
	// Path leads to the field.
	Path Path
	// Note says what the field holds.
	Note string
}

// Covers reports whether l is about a kind.
func (l LookAlike) Covers(group, kind string) bool {
	suffix, open := strings.CutPrefix(l.Group, "*")
	return (group == l.Group || open && strings.HasSuffix(group, suffix)) &&
		(slices.Contains(l.Kinds, kind) || slices.Contains(l.Kinds, "*"))
}

type rawLookAlike struct {
	Group string   `yaml:"group"`
	Kinds []string `yaml:"kinds"`
	Path  string   `yaml:"path"`
	Note  string   `yaml:"note"`
}

// LookAlikes returns the fields that look like references and are none, parsed
// once. An error is a defect of the data.
func (c *Catalog) LookAlikes() ([]LookAlike, error) { return c.lookAlikes() }

func loadLookAlikes() ([]LookAlike, error) {
	var raw []rawLookAlike
	if err := decodeFile(lookAlikesFile, &raw); err != nil {
		return nil, err
	}
	fields := make([]LookAlike, 0, len(raw))
	for _, r := range raw {
		path, err := ParsePath(r.Path)
		if err != nil {
			return nil, fmt.Errorf("catalogue: look-alikes: %w", err)
		}
		if len(path) == 0 || len(r.Kinds) == 0 {
			return nil, fmt.Errorf("catalogue: look-alikes: %s %v: want kinds and a path", r.Group, r.Kinds)
		}
		fields = append(fields, LookAlike{Group: r.Group, Kinds: r.Kinds, Path: path, Note: r.Note})
	}
	return fields, nil
}
