package catalog

import (
	"fmt"
	"slices"
)

// Shapes are what references and pod specs look like in kinds of which nothing
// is known.
type Shapes struct {
	// References are by the names of keys alone, at any depth. All of them are
	// tentative.
	References []Rule
	// Skip are keys of an object's root that hold none.
	Skip []string
	// Unlike lead to what looks like a reference and is none.
	Unlike []Path
	// known are the groups whose kinds are all known.
	known []string
}

// Concern reports whether kinds of a group may hold what is not known.
func (s *Shapes) Concern(group string) bool { return !slices.Contains(s.known, group) }

// Knows reports whether the catalogue tells of a kind, if only that it is one
// of Kubernetes' own. An error is a defect of the data.
func (c *Catalog) Knows(group, version, kind string) (bool, error) {
	shapes, err := c.Shapes()
	if err != nil || !shapes.Concern(group) {
		return true, err
	}
	k, err := c.Kind(group, version, kind)
	return k != nil, err
}

type rawShapes struct {
	Known      []string  `yaml:"known"`
	Skip       []string  `yaml:"skip"`
	Unlike     []string  `yaml:"unlike"`
	References []rawRule `yaml:"references"`
}

// Shapes returns what to look for in kinds of which the catalogue says nothing.
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
	shapes := &Shapes{known: raw.Known, Skip: raw.Skip}
	if err := c.expand(&shapes.References, raw.References, expansion{prefix: Path{AnyDepth}, root: true}); err != nil {
		return nil, fmt.Errorf("catalogue: data/%s.yaml: %w", discoverFile, err)
	}
	for _, text := range raw.Unlike {
		path, err := ParsePath(text)
		if err != nil {
			return nil, fmt.Errorf("catalogue: data/%s.yaml: %w", discoverFile, err)
		}
		shapes.Unlike = append(shapes.Unlike, path)
	}
	for i := range shapes.References {
		shapes.References[i].Tentative = true
	}
	c.shapes = shapes
	return shapes, nil
}
