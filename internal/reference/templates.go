package reference

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/yamldoc"
)

// A template is a pod template of the catalogue's, and the number of keys that the paths
// to its spec and to its annotations have in common.
type template struct {
	*catalog.PodTemplate
	depth int
}

// whole is a template that is one mapping, of metadata and spec.
var whole = template{PodTemplate: &catalog.PodTemplate{
	Spec: catalog.Path{"spec"}, HasSpec: true, Annotations: catalog.Path{"metadata", "annotations"}, HasAnnotations: true,
}}

func newTemplate(t *catalog.PodTemplate) template {
	depth := 0
	switch {
	case !t.HasSpec:
		depth = max(len(t.Annotations)-2, 0) // what holds the metadata
	case !t.HasAnnotations:
		depth = len(t.Spec) - 1
	default:
		for depth < min(len(t.Spec), len(t.Annotations))-1 && t.Spec[depth] == t.Annotations[depth] {
			depth++
		}
	}
	return template{t, depth}
}

// spec and annotations lead to the parts of the template from where their paths part.
func (t *template) spec() catalog.Path        { return t.Spec[t.depth:] }
func (t *template) annotations() catalog.Path { return t.Annotations[t.depth:] }

// root is the path to that place.
func (t *template) root() catalog.Path {
	if t.HasSpec {
		return t.Spec[:t.depth]
	}
	return t.Annotations[:t.depth]
}

// An anchor is a node from which the paths to the parts of a pod template go on by keys
// alone.
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

// podTemplates returns the pod templates at the anchors: those that the catalogue knows
// in its order, before others.
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

// podTemplate reports false if there is no pod template at an anchor.
func (w *walker) podTemplate(a *anchor, t *template) (PodTemplate, bool) {
	found, at := PodTemplate{Index: a.index}, frame{mapping: a.node}
	if t.HasSpec {
		spec, ok := w.follow(at, t.spec())
		if !ok || spec.node.Kind != yaml.MappingNode {
			return found, false
		}
		found.Spec, found.HasSpec = extend(a.path, t.spec()), true
		w.addReads(spec.node, found.Spec)
		found.Containers = len(w.elements(spec.node, "containers")) > 0 || len(w.elements(spec.node, "initContainers")) > 0
	}
	if t.HasAnnotations {
		way := t.annotations()
		found.AnnotationsAt = extend(a.path, way)
		// More than the annotations and the mapping around them may be lists, which
		// nobody can make up.
		_, found.HasAnnotations = w.follow(at, way[:max(len(way)-2, 0)])
		if annotations, ok := w.follow(at, way); ok {
			found.Annotations = w.texts(annotations.node)
		}
		found.Root, found.Whole = a.path, t.HasSpec && slices.Equal(t.spec(), whole.Spec) && slices.Equal(way, whole.Annotations)
	}
	return found, found.HasSpec || found.HasAnnotations
}

func extend(path yamldoc.Path, way catalog.Path) yamldoc.Path {
	for _, key := range way {
		path = path.Key(string(key))
	}
	return path
}

// isPodTemplate reports whether a mapping looks like a pod template: metadata and spec,
// or spec alone, which lists containers.
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
	return policy != "Never" && policy != "OnFailure" // work that runs once, as a Job's, whose template cannot change
}

func rootsOf(templates []PodTemplate) yamldoc.Roots {
	roots := yamldoc.Roots{}
	for i := range templates {
		t := &templates[i]
		if t.HasSpec {
			roots.Add(t.Spec, i)
		}
		if t.HasAnnotations {
			roots.Add(t.AnnotationsAt, i)
		}
	}
	return roots
}
