package leftover

import (
	"encoding/base64"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/internal/yamldoc"
)

// maxVisited bounds how many nodes of an item are visited: aliases can stand for more nodes than are in the text.
const maxVisited = 1 << 20

type walker struct {
	*searcher
	resource   *graph.Resource
	namespace  string // for names without their own, "" for any
	references map[yamldoc.Path]bool
	visited    int
	at         yamldoc.Trail
	found      []graph.Finding
}

func (s *searcher) item(r *graph.Resource, item *yaml.Node) []graph.Finding {
	w := walker{searcher: s, resource: r, references: map[yamldoc.Path]bool{}}
	if !r.ScopeUnknown && !r.PassedOver {
		w.namespace = s.graph.NamespaceOf(r)
	}
	for _, ref := range r.References {
		w.references[ref.At.Path] = true
	}
	for _, at := range r.Mistaken {
		w.references[at.Path] = true
	}
	w.mapping(item, true, false)
	return w.found
}

// node searches n. isElement: n is an element of a sequence. about are the kinds that the key of n is about.
func (w *walker) node(n *yaml.Node, isElement bool, about catalog.Target) {
	n = yamldoc.Resolve(n)
	if w.visited++; w.visited > maxVisited {
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		w.mapping(n, false, isElement)
	case yaml.SequenceNode:
		for i, e := range n.Content {
			w.at.Index(i)
			w.node(e, true, about)
			w.at.Back()
		}
	case yaml.ScalarNode:
		if n.ShortTag() == "!!str" {
			w.scalar(n.Value, about)
		}
	}
}

// elsewhere are keys whose values never name a ConfigMap or a Secret.
var elsewhere = []string{
	"namespace", "image", "labels", "matchLabels", "matchExpressions", "selector", "nodeSelector", "podSelector", "tolerations",
	"mountPath", "subPath", "workingDir", "serviceName", "serviceAccountName", "host", "port", "targetPort",
}

func (w *walker) mapping(n *yaml.Node, isRoot, isElement bool) {
	kind := yamldoc.Text(n, "kind")
	nameAbout, isName := w.nameAbout(n, kind, isElement)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		if yamldoc.IsMerge(n.Content[i]) || slices.Contains(elsewhere, key) {
			continue // entries from a merge key are found at its anchor
		}
		w.at.Key(key)
		switch {
		case isKptfile(w.resource) && (isRoot && key != "pipeline" || key == "configMap"): // settings of a function
		case isRoot && key == "status":
		case isRoot && key == "metadata":
			w.annotations(value)
		case kind == "Secret" && (key == "data" || key == "stringData"):
			w.secret(yamldoc.Resolve(value), key == "data")
		case key != "name":
			w.node(value, false, reference.About(key))
		case isName:
			around := w.namespace
			if w.resource.PassedOver { // a selector
				w.namespace = yamldoc.Text(n, "namespace")
			}
			w.node(value, false, nameAbout)
			w.namespace = around
		}
		w.at.Back()
	}
}

func isKptfile(r *graph.Resource) bool { return r.Kind == "Kptfile" && r.Group == "kpt.dev" }

// selectors are the keys of selectors in a Kptfile and in configurations of kpt functions.
var selectors = []string{"selectors", "exclude", "reject"}

// nameAbout returns the kinds that the field name of a mapping may refer to. It returns false if that is the name of a
// list element, such as a volume, of an object of another kind, or of an embedded object.
func (w *walker) nameAbout(n *yaml.Node, kind string, isElement bool) (catalog.Target, bool) {
	if kind != "" {
		target := catalog.TargetOf(kind)
		return target, target != 0
	}
	parent := ""
	for _, step := range slices.Backward(w.at) {
		if step.Index < 0 {
			parent = step.Key
			break
		}
	}
	if w.resource.PassedOver && isElement && slices.Contains(selectors, parent) {
		return catalog.AnyTarget, true
	}
	about := reference.About(parent)
	isOther := isElement && about == 0 && !w.mayRefer(parent, n) || parent == "spec" || parent == "metadata"
	return about, !isOther
}

// mayRefer reports whether an element of a list may be a reference that the catalogue lacks: the kind is unknown, and
// the mapping has only a name and its details.
func (w *walker) mayRefer(list string, n *yaml.Node) bool {
	switch list {
	case "containers", "initContainers", "ephemeralContainers", "volumes", "env", "ports":
		return false
	}
	for i := 0; i < len(n.Content); i += 2 {
		if !slices.Contains([]string{"name", "namespace", "key", "optional"}, n.Content[i].Value) {
			return false
		}
	}
	return !catalog.Builtin().Knows(w.resource.Group, w.resource.Version, w.resource.Kind)
}

// annotations searches the item's own annotations, except for those of tools.
func (w *walker) annotations(metadata *yaml.Node) {
	annotations := yamldoc.Value(metadata, "annotations")
	if annotations == nil {
		return
	}
	w.at.Key("annotations")
	for i := 0; i+1 < len(annotations.Content); i += 2 {
		if key := annotations.Content[i].Value; !isTools(key) {
			w.at.Key(key)
			w.node(annotations.Content[i+1], false, reference.About(key))
			w.at.Back()
		}
	}
	w.at.Back()
}

func (w *walker) secret(data *yaml.Node, encoded bool) {
	for i := 0; data.Kind == yaml.MappingNode && i+1 < len(data.Content); i += 2 {
		key, value := data.Content[i].Value, yamldoc.Resolve(data.Content[i+1])
		if w.visited++; w.visited > maxVisited || value.Kind != yaml.ScalarNode || w.resource.Bare[key] {
			continue
		}
		text := value.Value
		if encoded {
			decoded, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				continue
			}
			text = string(decoded)
		}
		w.at.Key(key)
		w.secretText(text)
		w.at.Back()
	}
}

func (w *walker) secretText(text string) {
	reported := map[string]catalog.Target{} // a text may name an object several times
	w.formerWords(text, func(word, before string) {
		if about := aboutInSecret(before) &^ reported[word]; about != 0 {
			reported[word] |= about
			w.report(meaning{word: word, namespace: w.namespace, about: about, except: w.resource})
		}
	})
}

func (w *walker) scalar(value string, about catalog.Target) {
	reported := map[meaning]bool{}
	w.formerWords(value, func(word, before string) {
		namespace, ok := w.namespaceOf(before)
		if !ok {
			return
		}
		m := meaning{word: word, namespace: namespace, about: about | reference.About(argument(before))}
		// Among many objects it does not matter, as messages do not list all of them.
		if objects := w.objects(m); len(objects) < 16 && slices.Contains(objects, w.resource) {
			m.except = w.resource
		}
		if !reported[m] {
			reported[m] = true
			w.report(m)
		}
	})
}

// formerWords visits the former names in a value, each with the text before it. It visits none if the value is a
// reference, or its path is too long to be read.
func (w *walker) formerWords(text string, visit func(word, before string)) {
	checked := false
	for start, end := range words(text) {
		if !w.isFormer(text[start:end]) {
			continue
		}
		if !checked && (w.at.TooDeep() || w.references[w.at.Path()]) {
			return
		}
		checked = true
		visit(text[start:end], text[:start])
	}
}

// namespaceOf returns the namespace of the object that a name after before refers to: the one before a slash, or the
// resource's; "" for any. It returns false if the name is part of a path.
func (w *walker) namespaceOf(before string) (string, bool) {
	rest, last, ok := folder(before)
	switch {
	case !ok, strings.HasSuffix(before, victoriaMetrics), reference.About(last) != 0: // configmap/name
		return w.namespace, true
	case last == "": // the host of a URL, or $(POD_NAMESPACE)/name
		return w.namespace, strings.HasSuffix(rest, ":/") || strings.HasSuffix(rest, ")") || strings.HasSuffix(rest, "}")
	}
	return last, !strings.HasSuffix(rest, "/")
}

func (w *walker) report(m meaning) {
	for _, message := range w.messagesOf(m) {
		w.found = append(w.found, graph.Finding{
			Severity: manifest.Warning, Resource: w.resource, Name: w.names[w.resource], Path: w.at.Path(), Message: message,
		})
	}
}
