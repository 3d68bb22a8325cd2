package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A NeverRename is a rule for objects whose name must stay. An object falls
// under it that meets all of its criteria, of which at least one is given.
type NeverRename struct {
	Target Target
	// Types are those of a Secret, one of which it must have.
	Types []string
	// Namespaces holds the object's, if given.
	Namespaces []string
	// Labels and Annotations: the object bears one of them, if any are given.
	Labels, Annotations []Mark
	// Reason says why, as a sentence without its full stop.
	Reason string
	// Warning tells that a user would expect such an object to be renamed,
	// so that more than information is due.
	Warning bool
	// ReadByName tells that programs look for the object by its name. Users may
	// decide otherwise; the other rules always hold.
	ReadByName bool

	// The name is one of exact or matches all of one of patterns, if any are given.
	exact    []string
	patterns []*regexp.Regexp
}

// A Mark is a label or an annotation.
type Mark struct {
	Key string `yaml:"key"`
	// Values are those that count; without any, every value does.
	Values []string `yaml:"values"`
}

type rawNeverRename struct {
	Target      Target   `yaml:"target"`
	Types       []string `yaml:"types"`
	Names       []string `yaml:"names"`
	Namespaces  []string `yaml:"namespaces"`
	Labels      []Mark   `yaml:"labels"`
	Annotations []Mark   `yaml:"annotations"`
	Reason      string   `yaml:"reason"`
	Level       string   `yaml:"level"`
	ReadByName  bool     `yaml:"readByName"`
	Source      string   `yaml:"source"`
}

// NeverRename returns the rules for objects that keep their name, parsed
// once. An error is a defect of the data.
func (c *Catalog) NeverRename() ([]NeverRename, error) { return c.neverRename() }

func loadNeverRename() ([]NeverRename, error) {
	var raw []rawNeverRename
	if err := decodeFile(neverRenameFile, &raw); err != nil {
		return nil, err
	}
	rules := make([]NeverRename, 0, len(raw))
	for _, r := range raw {
		rule := NeverRename{
			Target: r.Target, Types: r.Types, Namespaces: r.Namespaces, Labels: r.Labels,
			Annotations: r.Annotations, Reason: r.Reason, Warning: r.Level == "warning", ReadByName: r.ReadByName,
		}
		if r.Level != "warning" && r.Level != "info" {
			return nil, fmt.Errorf("catalogue: never-rename: level %q: want warning or info", r.Level)
		}
		for _, name := range r.Names {
			if plain := strings.ReplaceAll(name, `\.`, "."); regexp.QuoteMeta(plain) == name {
				rule.exact = append(rule.exact, plain)
				continue
			}
			expression, err := regexp.Compile(`\A(?:` + name + `)\z`)
			if err != nil {
				return nil, fmt.Errorf("catalogue: never-rename: %w", err)
			}
			rule.patterns = append(rule.patterns, expression)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// Matches reports whether the name of an object must stay. Its type is that
// of a Secret and empty for others.
func (n *NeverRename) Matches(kind, namespace, name, typ string, labels, annotations map[string]string) bool {
	if !n.Target.Has(TargetOf(kind)) ||
		len(n.Types) > 0 && !slices.Contains(n.Types, typ) ||
		len(n.Namespaces) > 0 && !slices.Contains(n.Namespaces, namespace) {
		return false
	}
	if len(n.Labels)+len(n.Annotations) > 0 && !marked(n.Labels, labels) && !marked(n.Annotations, annotations) {
		return false
	}
	return len(n.exact)+len(n.patterns) == 0 || slices.Contains(n.exact, name) ||
		slices.ContainsFunc(n.patterns, func(r *regexp.Regexp) bool { return r.MatchString(name) })
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
