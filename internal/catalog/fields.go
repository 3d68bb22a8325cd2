package catalog

import (
	"slices"
	"strings"
)

// Shapes describes references and pod specs in kinds that the catalogue does not know.
type Shapes struct {
	// References match by the names of keys alone, at any depth. All are tentative.
	References []Rule `yaml:"-"`
	// Skip are top-level keys of an object that hold no references.
	Skip []string `yaml:"skip"`
	// Unlike lead to fields that look like references but are not.
	Unlike []Path `yaml:"unlike"`
	// Known are the groups whose kinds the catalogue knows completely.
	Known []string `yaml:"known"`
	// LookAlikes are further fields of certain kinds that look like references but are not.
	LookAlikes []LookAlike `yaml:"-"`
}

// Concern reports whether a group may have kinds that the catalogue does not know.
func (s *Shapes) Concern(group string) bool { return !slices.Contains(s.Known, group) }

// Knows reports whether the catalogue has a kind, or the kind is one of Kubernetes' own.
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

// A LookAlike is a field that looks like a reference to a ConfigMap or a Secret but is not. It matters when references
// are looked for without a rule.
type LookAlike struct {
	KindsOf `yaml:",inline"`
	// Path leads to the field.
	Path Path `yaml:"path"`
	// Note says what the field holds.
	Note string `yaml:"note"`
}

// KindsOf is a set of kinds of an API group.
type KindsOf struct {
	// Group is the API group, "*" for all, or "*.k8s.elastic.co" for all with that ending.
	Group string `yaml:"group"`
	// Kinds are the kinds; "*" stands for all of the group.
	Kinds []string `yaml:"kinds"`
	// Reason is documentation.
	Reason string `yaml:"reason"`
}

// Covers reports whether k includes a kind.
func (k KindsOf) Covers(group, kind string) bool {
	suffix, open := strings.CutPrefix(k.Group, "*")
	return (group == k.Group || open && strings.HasSuffix(group, suffix)) &&
		(slices.Contains(k.Kinds, kind) || slices.Contains(k.Kinds, "*"))
}

var passedOver, neverRefers = readOnce[[]KindsOf](passedOverFile), readOnce[[]KindsOf](neverRefersFile)

// PassedOver reports whether objects of a kind are never applied, because they are files of the package itself or
// functionConfigs.
func (c *Catalog) PassedOver(group, kind string) bool {
	return slices.ContainsFunc(*passedOver(), func(k KindsOf) bool { return k.Covers(group, kind) })
}

// NeverRefers reports whether live objects of a kind never need a ConfigMap or a Secret: they describe or measure other
// objects.
func (c *Catalog) NeverRefers(group, kind string) bool {
	return slices.ContainsFunc(*neverRefers(), func(k KindsOf) bool { return k.Covers(group, kind) })
}
