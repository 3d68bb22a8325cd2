package reference

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/yamldoc"
)

// shapes are those that are looked for in one kind.
type shapes struct {
	rules *rules
	skip  []string
	// unlike lead to what looks like a reference and is none.
	unlike []catalog.Path
}

// shapesOf returns what is to be discovered in a kind: nil where the
// catalogue's own rules cover it, or where nobody asks.
func (f *Finder) shapesOf(id gvk) (*shapes, error) {
	if !f.Discover {
		return nil, nil //nolint:nilnil // there is nothing to discover, and no error
	}
	known, err := f.catalog.Shapes()
	if err != nil {
		return nil, err
	}
	covered, err := catalog.Builtin().Kind(id.group, id.version, id.kind)
	if err != nil {
		return nil, err
	}
	if !known.Concern(id.group) || covered != nil && len(covered.References)+len(covered.PodTemplates)+len(covered.Manifests)+len(covered.ForeignManifests) > 0 {
		return nil, nil //nolint:nilnil // as above
	}
	alike, err := f.catalog.LookAlikes()
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.shapes == nil {
		f.shapes = compile(known.References)
	}
	s := &shapes{rules: f.shapes, skip: known.Skip, unlike: known.Unlike}
	for _, l := range alike {
		if l.Covers(id.group, id.kind) {
			s.unlike = append(s.unlike[:len(s.unlike):len(s.unlike)], l.Path)
		}
	}
	return s, nil
}

// discover adds the references that the item's shape tells of, but for those
// that rules have found.
func (w *walker) discover(s *shapes) error {
	inner := &walker{finder: w.finder, root: w.root, budget: w.budget, skip: s.skip}
	if err := cmp.Or(inner.run(s.rules), inner.wrong); err != nil {
		return err
	}
	known := make(map[yamldoc.Path]bool, len(w.found))
	for i := range w.found {
		known[w.found[i].At.Path] = true
	}
	for _, ref := range inner.found {
		// What stands for a Secret is meant by a field of its own name.
		if (ref.Of != nil || !s.isUnlike(ref.At.Path)) && !known[ref.At.Path] {
			w.found = append(w.found, ref)
		}
	}
	return nil
}

// isUnlike reports whether what stands at path only looks like a reference.
func (s *shapes) isUnlike(path yamldoc.Path) bool {
	if len(s.unlike) == 0 {
		return false
	}
	steps, err := path.Steps()
	if err != nil {
		return false
	}
	keys := make([]string, 0, len(steps))
	for _, step := range steps {
		if step.Index < 0 {
			keys = append(keys, step.Key)
		}
	}
	return slices.ContainsFunc(s.unlike, func(p catalog.Path) bool { return p.Matches(keys) })
}

// discoverPodTemplates adds pod templates to those that are known: mappings of
// metadata and spec, or of spec alone, whose spec lists containers.
func (w *walker) discoverPodTemplates(s *shapes, known []PodTemplate) []PodTemplate {
	specs := make(map[yamldoc.Path]bool, len(known))
	for i := range known {
		specs[known[i].Spec] = true
	}
	var visit func(n *yaml.Node)
	aliases := 0
	visit = func(n *yaml.Node) {
		if n.Kind == yaml.AliasNode {
			n = yamldoc.Resolve(n)
			aliases++
			defer func() { aliases-- }()
		}
		depth := len(w.steps)
		// The walk for references, which shares the budget, tells.
		if depth > maxDepth || aliases > 0 && w.budget.Spend() != nil {
			return
		}
		if n.Kind == yaml.SequenceNode {
			for i, element := range n.Content {
				w.steps.Index(i)
				visit(element)
				w.steps.Back()
			}
		}
		if n.Kind != yaml.MappingNode {
			return
		}
		if depth > 0 && w.isObject(n) {
			return
		}
		if depth > 0 && w.isPodTemplate(n) {
			if !w.tooDeep() && !specs[w.path().Key("spec")] {
				known = append(known, w.podTemplateAt(n, w.path()))
			}
			return
		}
		_ = yamldoc.Each(n, w.budget, func(key string, value *yaml.Node, _ bool) error {
			if depth > 0 || !slices.Contains(s.skip, key) {
				w.steps.Key(key)
				visit(value)
				w.steps.Back()
			}
			return nil
		})
	}
	visit(w.root)
	return known
}

// isPodTemplate reports whether a mapping looks like a pod template.
func (w *walker) isPodTemplate(n *yaml.Node) bool {
	others := false
	err := yamldoc.Each(n, w.budget, func(key string, _ *yaml.Node, _ bool) error {
		others = others || key != "metadata" && key != "spec"
		return nil
	})
	if others || err != nil {
		return false
	}
	spec := w.mappingAt(n, "spec")
	if spec == nil {
		return false
	}
	containers := w.elements(spec, "containers")
	if len(containers) == 0 || !slices.ContainsFunc(containers, func(c *yaml.Node) bool { return w.child(c, "image") != "" || w.child(c, "name") != "" }) {
		return false
	}
	policy := w.child(spec, "restartPolicy")
	return policy != "Never" && policy != "OnFailure" // work that runs once, as a Job's, whose template cannot change
}

// podTemplateAt takes a mapping for a pod template.
func (w *walker) podTemplateAt(n *yaml.Node, path yamldoc.Path) PodTemplate {
	t := PodTemplate{
		Index: -1, Root: path, Whole: true, Spec: path.Key("spec"), HasSpec: true, Containers: true,
		AnnotationsAt: path.Key("metadata").Key("annotations"), HasAnnotations: true,
	}
	w.addReads(w.mappingAt(n, "spec"), t.Spec)
	if metadata := w.mappingAt(n, "metadata"); metadata != nil {
		t.Annotations = w.texts(w.mappingAt(metadata, "annotations"))
	}
	return t
}

// isObject reports whether a mapping is a whole object of its own.
func (w *walker) isObject(n *yaml.Node) bool {
	return w.child(n, "apiVersion") != "" && w.child(n, "kind") != "" && w.mappingAt(n, "metadata") != nil
}

// mappingAt returns the mapping under a key, no alias, and nil if there is none.
func (w *walker) mappingAt(n *yaml.Node, key string) *yaml.Node {
	value, _ := w.get(n, key)
	if value == nil {
		return nil
	}
	if value = yamldoc.Resolve(value); value.Kind != yaml.MappingNode {
		return nil
	}
	return value
}
