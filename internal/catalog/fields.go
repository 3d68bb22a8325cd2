package catalog

import (
	"fmt"
	"slices"
	"strings"
	"sync"
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
// of Kubernetes' own. An error is a defect of the data.
func (c *Catalog) Knows(group, version, kind string) (bool, error) {
	shapes, err := c.Shapes()
	if err != nil || !shapes.Concern(group) {
		return true, err
	}
	k, err := c.Kind(group, version, kind)
	return k != nil, err
}

// Shapes returns what to look for in kinds that the catalogue does not know.
// An error is a defect of the data.
func (c *Catalog) Shapes() (*Shapes, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shapes != nil {
		return c.shapes, nil
	}
	var raw rawShapes
	if err := decodeFile(discoverFile, &raw); err != nil {
		return nil, err
	}
	shapes := &raw.Shapes
	if err := c.expand(&shapes.References, raw.References, expansion{prefix: Path{AnyDepth}, root: true}); err != nil {
		return nil, fmt.Errorf("catalogue: data/%s.yaml: %w", discoverFile, err)
	}
	for i := range shapes.References {
		shapes.References[i].Tentative = true
	}
	if err := decodeFile(lookAlikesFile, &shapes.LookAlikes); err != nil {
		return nil, err
	}
	c.shapes = shapes
	return shapes, nil
}

type rawShapes struct {
	Shapes     `yaml:",inline"`
	References []Entry `yaml:"references"`
}

// A LookAlike is a field that looks like a reference to a ConfigMap or a Secret
// and is not one. It matters if references are looked for without a rule.
type LookAlike struct {
	// Group is that of the kinds, "*" for all, or "*.k8s.elastic.co" for those
	// that end so.
	Group string `yaml:"group"`
	// Kinds are those concerned; "*" stands for all of the group.
	Kinds []string `yaml:"kinds"`
	// Path leads to the field.
	Path Path `yaml:"path"`
	// Note says what the field holds.
	Note string `yaml:"note"`
}

// Covers reports whether l is about a kind.
func (l LookAlike) Covers(group, kind string) bool {
	suffix, open := strings.CutPrefix(l.Group, "*")
	return (group == l.Group || open && strings.HasSuffix(group, suffix)) &&
		(slices.Contains(l.Kinds, kind) || slices.Contains(l.Kinds, "*"))
}

type rawPassedOver struct {
	Group  string   `yaml:"group"`
	Kinds  []string `yaml:"kinds"`
	Reason string   `yaml:"reason"`
}

var passedOver = sync.OnceValue(func() []rawPassedOver {
	var kinds []rawPassedOver
	_ = decodeFile(passedOverFile, &kinds) // its only error is a defect of the data, which a test finds
	return kinds
})

// PassedOver reports whether objects of a kind are not part of what is
// applied: files of the package itself, and functions' configurations.
func (c *Catalog) PassedOver(group, kind string) bool {
	return slices.ContainsFunc(passedOver(), func(p rawPassedOver) bool {
		return p.Group == group && (slices.Contains(p.Kinds, kind) || slices.Contains(p.Kinds, "*"))
	})
}
