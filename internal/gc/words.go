package gc

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/yamldoc"
)

type words struct {
	*found
	r      *graph.Resource
	by     string // the referrer
	prefix string // of its paths
	trail  yamldoc.Trail
	// known holds the labels of references that known fields have at these paths.
	known  map[yamldoc.Path][]string
	budget yamldoc.Budget
}

// references adds the names in fields of the catalogue, with the namespaces they refer to.
func (w *words) references() {
	w.known = map[yamldoc.Path][]string{}
	for _, ref := range w.r.References {
		namespace := ref.Namespace
		if namespace == "" && !ref.ControllerNamespace {
			namespace = w.r.Namespace
		}
		for _, suffix := range slices.Concat([]string{""}, ref.Derived) {
			for label := range strings.SplitSeq(ref.Name+suffix, ".") {
				if hashed(label) {
					w.word(label, namespace, ref.At.Path)
				}
			}
		}
		if ref.Targets != 0 && !ref.Default && hashed(ref.Name) {
			w.known[ref.At.Path] = append(w.known[ref.At.Path], strings.Split(ref.Name, ".")...)
		}
	}
}

// walk adds the words below n, whose path is the current trail, for objects in namespace, or in any if it is empty.
func (w *words) walk(n *yaml.Node, namespace string) error {
	if n.Kind == yaml.AliasNode {
		if err := w.budget.Spend(); err != nil {
			return fmt.Errorf("%s: %w", w.r, err)
		}
		n = n.Alias
	}
	switch {
	case n.Kind == yaml.ScalarNode:
		w.text(n.Value, namespace)
	case n.Kind == yaml.SequenceNode:
		for i, element := range n.Content {
			w.trail.Index(i)
			if err := w.walk(element, namespace); err != nil {
				return err
			}
			w.trail.Back()
		}
	case n.Kind == yaml.MappingNode && yamldoc.Text(n, "requiresPruning") != "true": // with requiresPruning, Argo CD marks what was removed from Git
		return yamldoc.Each(n, &w.budget, func(key string, value *yaml.Node, _ bool) error {
			return w.entry(n, key, value, namespace)
		})
	}
	return nil
}

func (w *words) entry(mapping *yaml.Node, key string, value *yaml.Node, namespace string) error {
	in := ""
	if len(w.trail) == 1 {
		in = w.trail[0].Key
	}
	switch {
	case in == "metadata" && slices.Contains(identity, key),
		in == "status" && slices.Contains(described, key),
		key == lastApplied:
		return nil
	case in == "metadata" && key == "ownerReferences":
		namespace = w.r.Namespace
	case key == "name":
		namespace = cmp.Or(yamldoc.Text(mapping, "namespace"), namespace)
	}
	w.trail.Key(key)
	defer w.trail.Back()
	return w.walk(value, namespace)
}

// identity are the metadata fields that identify the object itself.
var identity = []string{"generateName", "managedFields", "name", "namespace", "resourceVersion", "selfLink", "uid"}

// described are status fields that only mention objects: those of Argo CD's last operation, and of Gatekeeper's audit.
var described = []string{"operationState", "violations"}

// lastApplied holds the manifest that kubectl applied last; its names are also in the fields.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// text adds the words of a scalar at the current trail.
func (w *words) text(text, namespace string) {
	if w.r.Target == catalog.Secret && len(w.trail) > 0 && w.trail[0].Key == "data" {
		if decoded, err := base64.StdEncoding.DecodeString(text); err == nil {
			text = string(decoded)
		}
	}
	for label := range strings.FieldsFuncSeq(text, isOutside) {
		if hashed(label) {
			path := w.trail.Head()
			if !w.trail.TooDeep() {
				path = w.trail.Path()
			}
			if !slices.Contains(w.known[path], label) {
				w.word(label, namespace, path)
			}
		}
	}
}

// isOutside reports whether a character is in no label of a name.
func isOutside(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' }

func (w *words) word(label, namespace string, path yamldoc.Path) {
	label = strings.Trim(label, "-")
	// An object's name within itself is not a reference.
	if w.r.Target != 0 && slices.Contains(strings.Split(w.r.Name, "."), label) {
		return
	}
	if w.words[word{namespace, label}] != nil {
		return
	}
	if w.r.Target != 0 && graph.InContent(path) {
		path = "data" // a key may be part of a value
	}
	at := graph.Clip(w.prefix + strings.Clone(string(path)))
	w.words[word{strings.Clone(namespace), strings.Clone(label)}] = &use{by: w.by, path: at, count: 1}
}

// hashed reports whether a part of name, after its first dash, may be a hash.
func hashed(name string) bool {
	if len(name) <= hash.Length || len(name) > maxName {
		return false
	}
	_, rest, _ := strings.Cut(name, "-")
	for part := range strings.FieldsFuncSeq(rest, func(c rune) bool { return c == '-' || c == '.' }) {
		if hash.IsSuffix(part) {
			return true
		}
	}
	return false
}

// maxName is the maximum length of an object's name (a DNS-1123 subdomain).
const maxName = 253
