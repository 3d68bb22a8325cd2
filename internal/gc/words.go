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
	known := map[yamldoc.Path][]string{}
	for i := range w.r.References {
		ref := &w.r.References[i]
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
			known[ref.At.Path] = append(known[ref.At.Path], strings.Split(ref.Name, ".")...)
		}
	}
	w.known = known
}

// use returns a use at path. Keys of a ConfigMap's or Secret's content are left out, as they may be parts of values.
func (w *words) use(path yamldoc.Path) *use {
	if w.r.Target != 0 && graph.InContent(path) {
		path = "data"
	}
	return &use{by: w.by, path: graph.Clip(w.prefix + strings.Clone(string(path))), count: 1}
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
	for start := 0; start < len(text); {
		end := start
		for end < len(text) && inLabel[text[end]] {
			end++
		}
		if label := text[start:end]; hashed(label) {
			path := w.trail.Head()
			if !w.trail.TooDeep() {
				path = w.trail.Path()
			}
			if !slices.Contains(w.known[path], label) {
				w.word(label, namespace, path)
			}
		}
		start = end + 1
	}
}

var inLabel = func() (in [256]bool) {
	for _, c := range "abcdefghijklmnopqrstuvwxyz0123456789-" {
		in[c] = true
	}
	return in
}()

func (w *words) word(label, namespace string, path yamldoc.Path) {
	label = strings.Trim(label, "-")
	// An object's name within itself is not a reference.
	if w.r.Target != 0 && slices.Contains(strings.Split(w.r.Name, "."), label) {
		return
	}
	if w.words[word{namespace, label}] == nil {
		w.words[word{strings.Clone(namespace), strings.Clone(label)}] = w.use(path)
	}
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
