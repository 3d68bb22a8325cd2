package reference

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/yamldoc"
)

// A template is a pod template of the catalogue, with the paths from its anchor to its parts. A path is nil if the
// catalogue does not have it.
type template struct {
	known             *catalog.TemplateRule
	spec, annotations catalog.Path
}

// whole is a template that is one mapping, of metadata and spec. It is assumed that pods are replaced if it changes.
var whole = template{&catalog.TemplateRule{Change: catalog.Rollout}, catalog.Path{"spec"}, catalog.Path{"metadata", "annotations"}}

// split returns the common path to the parts of a pod template, and the rest.
func split(t *catalog.TemplateRule) (root catalog.Path, rest template) {
	depth := 0
	switch {
	case t.Spec == nil:
		depth = max(len(t.Annotations)-2, 0) // the mapping with metadata
		return t.Annotations[:depth], template{t, nil, t.Annotations[depth:]}
	case t.Annotations == nil:
		depth = len(t.Spec) - 1
		return t.Spec[:depth], template{t, t.Spec[depth:], nil}
	}
	for depth < min(len(t.Spec), len(t.Annotations))-1 && t.Spec[depth] == t.Annotations[depth] {
		depth++
	}
	return t.Spec[:depth], template{t, t.Spec[depth:], t.Annotations[depth:]}
}

// An anchor is a node from which the paths to the parts of a pod template continue only by keys.
type anchor struct {
	index int // PodTemplate.Index
	node  *yaml.Node
	path  yamldoc.Path
}

func (w *walker) addAnchor(index int, n *yaml.Node) {
	if !w.tooDeep() {
		w.anchors = append(w.anchors, anchor{index, n, w.steps.Path()})
	}
}

// podTemplates returns the pod templates at the anchors: first those of the catalogue in its order.
func (w *walker) podTemplates(known []template) []PodTemplate {
	slices.SortStableFunc(w.anchors, func(a, b anchor) int { return cmp.Compare(uint(a.index), uint(b.index)) })
	var found []PodTemplate
	specs := map[yamldoc.Path]bool{}
	for i := range w.anchors {
		a, t := &w.anchors[i], &whole
		if a.index >= 0 {
			t = &known[a.index]
		} else if specs[a.path.Key("spec")] {
			continue
		}
		if one, ok := w.podTemplate(a, t); ok {
			specs[one.Spec] = true
			found = append(found, one)
		}
	}
	return found
}

// podTemplate returns false if an anchor has no pod template.
func (w *walker) podTemplate(a *anchor, t *template) (PodTemplate, bool) {
	found, at := PodTemplate{Index: a.index, Change: t.known.Change, Runs: t.known.Runs}, frame{mapping: a.node}
	for i := range t.known.Except {
		atRoot := &walker{root: w.root, budget: new(yamldoc.Budget), frames: []frame{{mapping: w.root}}}
		if except := &t.known.Except[i]; atRoot.holdAll(except.When) {
			found.Change, found.Reason = except.Change, except.Reason
			break
		}
	}
	if t.spec != nil {
		spec, ok := w.follow(at, t.spec)
		if !ok || spec.node.Kind != yaml.MappingNode {
			return found, false
		}
		found.Spec = t.spec.From(a.path)
		w.addReads(spec.node, found.Spec)
		found.Containers = len(w.elements(spec.node, "containers")) > 0 || len(w.elements(spec.node, "initContainers")) > 0
	}
	if way := t.annotations; way != nil {
		// Only the annotations and the mapping around them can be created: anything above may be a list.
		if _, ok := w.follow(at, way[:max(len(way)-2, 0)]); ok {
			found.AnnotationsAt = way.From(a.path)
		}
		if annotations, ok := w.follow(at, way); ok {
			found.Annotations = w.texts(annotations.node)
		}
		found.Root, found.Whole = a.path, slices.Equal(t.spec, whole.spec) && slices.Equal(way, whole.annotations)
	}
	return found, found.Spec != "" || found.AnnotationsAt != ""
}

// isPodTemplate reports whether a mapping looks like a pod template: metadata and spec, or only spec, with a list of
// containers.
func (w *walker) isPodTemplate(n *yaml.Node) bool {
	others := false
	err := yamldoc.Each(n, w.budget, func(key string, _ *yaml.Node, _ bool) error {
		others = others || key != "metadata" && key != "spec"
		return nil
	})
	if others || err != nil {
		return false
	}
	spec := w.at(n, "spec")
	if !slices.ContainsFunc(w.elements(spec, "containers"), func(c *yaml.Node) bool { return w.child(c, "image") != "" || w.child(c, "name") != "" }) {
		return false
	}
	policy := w.child(spec, "restartPolicy")
	return policy != "Never" && policy != "OnFailure" // work that runs once, like a Job's, whose template cannot change
}

func rootsOf(templates []PodTemplate) yamldoc.Roots {
	roots := yamldoc.Roots{}
	for i := range templates {
		for _, at := range []yamldoc.Path{templates[i].Spec, templates[i].AnnotationsAt} {
			if at != "" {
				roots.Add(at, i)
			}
		}
	}
	return roots
}
