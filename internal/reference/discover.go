package reference

import (
	"cmp"
	"slices"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/yamldoc"
)

// shapes are the shapes to look for in one kind.
type shapes struct {
	rules *rules
	skip  []string
	// unlike lead to fields that look like references but are not.
	unlike []catalog.Path
}

// shapesOf returns what to discover in a kind: nil if the catalogue's own rules cover it, or Discover is off.
func (f *Finder) shapesOf(id gvk) *shapes {
	if !f.Discover {
		return nil
	}
	known, covered := f.catalog.Shapes(), catalog.Builtin().Kind(id.group, id.version, id.kind)
	if !known.Concern(id.group) || covered != nil && len(covered.References)+len(covered.PodTemplates)+len(covered.Manifests)+len(covered.ForeignManifests) > 0 {
		return nil
	}
	if f.shapes == nil {
		f.shapes = compile(known.References)
	}
	s := &shapes{rules: f.shapes, skip: known.Skip, unlike: slices.Clip(known.Unlike)}
	for _, l := range known.LookAlikes {
		if l.Covers(id.group, id.kind) {
			s.unlike = append(s.unlike, l.Path)
		}
	}
	return s
}

// discover adds the references and pod templates that the item's shape shows, except for references that rules have
// found.
func (w *walker) discover(s *shapes) error {
	inner := &walker{finder: w.finder, root: w.root, budget: w.budget, shapes: s}
	if err := cmp.Or(inner.run(s.rules, false), inner.wrong); err != nil {
		return err
	}
	known := make(map[yamldoc.Path]bool, len(w.found))
	for i := range w.found {
		known[w.found[i].At.Path] = true
	}
	for _, ref := range inner.found {
		// Fields that name a Secret's stand-in are never look-alikes.
		if (ref.Of != nil || !s.isUnlike(ref.At.Path)) && !known[ref.At.Path] {
			w.found = append(w.found, ref)
		}
	}
	w.anchors = append(w.anchors, inner.anchors...)
	return nil
}

func (s *shapes) isUnlike(path yamldoc.Path) bool {
	steps, _ := path.Steps() // it cannot fail for a path of a walk
	var keys []string
	for _, step := range steps {
		if step.Index < 0 {
			keys = append(keys, step.Key)
		}
	}
	return slices.ContainsFunc(s.unlike, func(p catalog.Path) bool { return p.Matches(keys) })
}
