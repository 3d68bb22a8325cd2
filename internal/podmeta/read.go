package podmeta

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/internal/yamldoc"
)

// facts are what one resource contributes: keys that may be dropped, and what needs them.
type facts struct {
	resource  *graph.Resource
	mentions  []mention
	templates []template
	// reads are the places of fields that read keys of labels and of annotations; the key "" stands for all.
	reads [2]map[string]yamldoc.Path
	// covers and unseen are computed on first use.
	covers map[yamldoc.Path]string
	unseen *reference.Read
}

// A mention is a label in a selector.
type mention struct {
	key string
	by  *graph.Resource
	at  yamldoc.Path // the selector
	// local: it selects only pods in the namespace of the resource.
	local bool
}

// A template is a pod template with the keys, and values, that may be dropped.
type template struct {
	*reference.PodTemplate
	at   [2]yamldoc.Path // labels and annotations
	keys [2]map[string]string
}

type reader struct {
	*dropper
	*facts
	trail  yamldoc.Trail
	budget yamldoc.Budget
	// selector is the path of the selector that the walk is in, or "".
	selector yamldoc.Path
}

func (d *dropper) read(r *graph.Resource, item *yaml.Node) (*facts, error) {
	w := &reader{dropper: d, facts: &facts{resource: r}}
	if err := w.walk(item); err != nil {
		return nil, graph.Finding{Severity: manifest.Error, Resource: r, Message: err.Error()}
	}
	for i := range r.PodTemplates {
		w.template(item, &r.PodTemplates[i])
	}
	return w.facts, nil
}

// template adds a pod template if it has keys to drop. Pods are left out, as their metadata is their own.
func (w *reader) template(item *yaml.Node, t *reference.PodTemplate) {
	if t.AnnotationsAt == "" || t.Whole && t.Root == "" {
		return
	}
	found := template{PodTemplate: t, at: [2]yamldoc.Path{annotations: t.AnnotationsAt}}
	if metadata, ok := strings.CutSuffix(string(t.AnnotationsAt), "etadata.annotations"); ok {
		found.at[labels] = yamldoc.Path(metadata + "etadata.labels")
	}
	for which, at := range found.at {
		if at != "" {
			found.keys[which] = w.matching(item, at, which)
		}
	}
	if len(found.keys[labels])+len(found.keys[annotations]) > 0 {
		w.templates = append(w.templates, found)
	}
}

// matching returns the entries of a mapping that are to be dropped unless something needs them.
func (w *reader) matching(item *yaml.Node, at yamldoc.Path, which int) map[string]string {
	n := yamldoc.At(item, at)
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	found := map[string]string{}
	_ = yamldoc.Each(n, &w.budget, func(key string, value *yaml.Node, _ bool) error { // cannot fail after the walk
		if w.fields[which].drop.Match(key) {
			found[key] = yamldoc.Resolve(value).Value
		}
		return nil
	})
	return found
}

// walk visits a node. The parser has already bounded the expansion of aliases.
func (w *reader) walk(n *yaml.Node) error {
	switch n = yamldoc.Resolve(n); n.Kind {
	case yaml.MappingNode:
		return yamldoc.Each(n, &w.budget, func(key string, value *yaml.Node, _ bool) error { return w.entry(key, value) })
	case yaml.SequenceNode:
		for i, element := range n.Content {
			w.trail.Index(i)
			if err := w.walk(element); err != nil {
				return err
			}
			w.trail.Back()
		}
	case yaml.ScalarNode:
		w.mention(n.Value)
	}
	return nil
}

func (w *reader) entry(key string, value *yaml.Node) error {
	if w.known.Selectors.Not.Match(key) {
		return nil
	}
	w.mention(key)
	w.trail.Key(key)
	before := w.selector
	if before == "" && !w.trail.TooDeep() && w.known.Selectors.Fields.Match(key) {
		w.selector = w.trail.Path()
	}
	if key == "fieldPath" {
		w.fieldPath(yamldoc.Resolve(value).Value)
	}
	err := w.walk(value)
	w.selector = before
	w.trail.Back()
	return err
}

// mention adds the labels in a key or a text of a selector, which may have a prefix (k8s:) or be an expression.
func (w *reader) mention(text string) {
	if w.selector == "" {
		return
	}
	r := w.resource
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return !isKeyRune(c) }) {
		if w.fields[labels].drop.Match(word) {
			local := slices.Contains(w.known.Selectors.Local, r.Group) && strings.Count(string(w.selector), ".") == 1
			w.mentions = append(w.mentions, mention{key: word, by: r, at: w.selector, local: local && !r.ClusterScoped})
		}
	}
}

func isKeyRune(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("-_./", c)
}

// fieldPath adds what a downward API field reads: metadata.labels['KEY'], or metadata.labels.
func (w *reader) fieldPath(text string) {
	for which, f := range w.fields {
		rest, ok := strings.CutPrefix(text, "metadata."+f.name)
		if !ok || w.trail.TooDeep() {
			continue
		}
		if w.reads[which] == nil {
			w.reads[which] = map[string]yamldoc.Path{}
		}
		w.reads[which][strings.Trim(rest, `['"]`)] = w.trail.Path()
	}
}
