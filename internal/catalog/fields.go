package catalog

import (
	"slices"
	"strings"
)

// Shapes are what references and pod specs look like in kinds that the catalogue
// does not know.
type Shapes struct {
	// References are by the names of keys alone, at any depth. All of them are
	// tentative.
	References []Rule `yaml:"-"`
	// Skip are keys of an object's root that hold none.
	Skip []string `yaml:"skip"`
	// Unlike lead to what looks like a reference and is not one.
	Unlike []Path `yaml:"unlike"`
	// Known are the groups all of whose kinds are known.
	Known []string `yaml:"known"`
	// LookAlikes are further fields that look like references and are not, in certain
	// kinds.
	LookAlikes []LookAlike `yaml:"-"`
}

// Concern reports whether kinds of a group may hold what is not known.
func (s *Shapes) Concern(group string) bool { return !slices.Contains(s.Known, group) }

// Knows reports whether the catalogue has a kind, if only as one
// of Kubernetes' own.
func (c *Catalog) Knows(group, version, kind string) bool {
	return !c.Shapes().Concern(group) || c.Kind(group, version, kind) != nil
}

// Shapes returns what to look for in kinds that the catalogue does not know.
func (c *Catalog) Shapes() *Shapes {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shapes != nil {
		return c.shapes
	}
	var raw rawShapes
	decode(read(discoverFile), &raw)
	decode(read(lookAlikesFile), &raw.LookAlikes)
	c.shapes = &raw.Shapes
	c.expand(&c.shapes.References, raw.References, expansion{prefix: Path{AnyDepth}, root: true})
	for i := range c.shapes.References {
		c.shapes.References[i].Tentative = true
	}
	return c.shapes
}

type rawShapes struct {
	Shapes     `yaml:",inline"`
	References []Entry `yaml:"references"`
}

// A LookAlike is a field that looks like a reference to a ConfigMap or a Secret
// and is not one. It matters if references are looked for without a rule.
type LookAlike struct {
	KindsOf `yaml:",inline"`
	// Path leads to the field.
	Path Path `yaml:"path"`
	// Note says what the field holds.
	Note string `yaml:"note"`
}

// KindsOf are some kinds of an API group.
type KindsOf struct {
	// Group is that of the kinds, "*" for all, or "*.k8s.elastic.co" for those
	// that end so.
	Group string `yaml:"group"`
	// Kinds are those concerned; "*" stands for all of the group.
	Kinds []string `yaml:"kinds"`
	// Reason is for people.
	Reason string `yaml:"reason"`
}

// Covers reports whether a kind is one of them.
func (k KindsOf) Covers(group, kind string) bool {
	suffix, open := strings.CutPrefix(k.Group, "*")
	return (group == k.Group || open && strings.HasSuffix(group, suffix)) &&
		(slices.Contains(k.Kinds, kind) || slices.Contains(k.Kinds, "*"))
}

var passedOver, neverRefers = readOnce[[]KindsOf](passedOverFile), readOnce[[]KindsOf](neverRefersFile)

// PassedOver reports whether objects of a kind are not part of what is
// applied: files of the package itself, and functions' configurations.
func (c *Catalog) PassedOver(group, kind string) bool {
	return slices.ContainsFunc(*passedOver(), func(k KindsOf) bool { return k.Covers(group, kind) })
}

// NeverRefers reports whether live objects of a kind cannot need a ConfigMap or a Secret:
// they describe or measure other objects.
func (c *Catalog) NeverRefers(group, kind string) bool {
	return slices.ContainsFunc(*neverRefers(), func(k KindsOf) bool { return k.Covers(group, kind) })
}
