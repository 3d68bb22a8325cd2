package diff

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/manifest"
)

// hidden says of each line of a text, from 0, whether it is not shown.
type hidden struct {
	all   bool
	lines []bool
}

func (h hidden) has(line int) bool {
	return h.all || line < len(h.lines) && h.lines[line]
}

// hiddenLines returns the lines of text that may hold a Secret's value.
func hiddenLines(text []byte) hidden {
	if !MayHoldSecrets(text) {
		return hidden{}
	}
	tree, err := manifest.Tree(text)
	if err != nil {
		return hidden{all: true}
	}
	o := outline{}
	o.visit(tree)
	if !o.hasSecret {
		return hidden{}
	}
	if o.hasAlias || o.hasMerge {
		return hidden{all: true} // a value may stand anywhere
	}
	s := shade{outline: &o, lines: make([]bool, 1+bytes.Count(text, []byte("\n")))}
	s.visit(tree, false)
	for i, line := range bytes.Split(text, []byte("\n")) {
		// What is commented out may have been a value.
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
			s.lines[i] = true
		}
	}
	return hidden{lines: s.lines}
}

// An outline is the nodes of a tree in the order of the text.
type outline struct {
	lines     []int              // on which each begins, from 1
	index     map[*yaml.Node]int // in lines
	hasSecret bool
	hasAlias  bool
	hasMerge  bool
}

func (o *outline) visit(n *yaml.Node) {
	if o.index == nil {
		o.index = map[*yaml.Node]int{}
	}
	o.index[n] = len(o.lines)
	o.lines = append(o.lines, n.Line)
	o.hasAlias = o.hasAlias || n.Kind == yaml.AliasNode || n.Anchor != ""
	o.hasMerge = o.hasMerge || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!merge"
	o.hasSecret = o.hasSecret || n.Kind == yaml.ScalarNode && isSecret(n.Value)
	for _, child := range n.Content {
		o.visit(child)
	}
}

func isSecret(kind string) bool { return kind == "Secret" || kind == "SecretList" }

// after returns the index of the first node behind n and all in it.
func (o *outline) after(n *yaml.Node) int {
	for len(n.Content) > 0 {
		n = n.Content[len(n.Content)-1]
	}
	return o.index[n] + 1
}

// A shade marks the lines of Secrets that are not shown.
type shade struct {
	*outline
	lines []bool
}

// visit looks for Secrets in n. isItem tells that it stands for one without
// saying so.
func (s *shade) visit(n *yaml.Node, isItem bool) {
	kind, isManifest := "", false
	for key, value := range entries(n) {
		switch key.Value {
		case "kind":
			kind = value.Value
		case "metadata", "data", "stringData": // a reference has none of them
			isManifest = true
		}
	}
	switch {
	case kind == "Secret" && isManifest, isItem && n.Kind == yaml.MappingNode:
		s.secret(n)
		return
	case kind == "SecretList":
		isItem = true
	}
	for _, child := range n.Content {
		s.visit(child, isItem)
	}
}

// shown are the fields of a Secret that are no secret.
var shown = []string{"apiVersion", "kind", "type", "immutable"}

// secret marks the lines of a Secret.
func (s *shade) secret(n *yaml.Node) {
	for key, value := range entries(n) {
		switch {
		case key.Value == "metadata" && value.Kind == yaml.MappingNode:
			s.metadata(value)
		case !slices.Contains(shown, key.Value):
			s.hide(key, value, n)
		}
	}
}

func (s *shade) metadata(n *yaml.Node) {
	for key, value := range entries(n) {
		switch key.Value {
		case "name", "namespace", "generateName", "labels":
		case "annotations":
			for k, v := range entries(value) {
				if mayCopy(v) {
					s.hide(k, v, value)
				}
			}
		default:
			s.hide(key, value, n)
		}
	}
}

// mayCopy reports whether an annotation may hold the whole Secret, as
// kubectl.kubernetes.io/last-applied-configuration does.
func mayCopy(value *yaml.Node) bool {
	const long = 253
	return value.Kind != yaml.ScalarNode || len(value.Value) > long || strings.ContainsAny(value.Value, "{\n")
}

// hide marks the lines of an entry of a mapping.
func (s *shade) hide(key, value, in *yaml.Node) {
	end := len(s.lines)
	if next := s.after(value); next < len(s.outline.lines) {
		end = s.outline.lines[next]
		// Elsewhere an entry ends before the line on which the next one begins.
		if in.Style&yaml.FlowStyle == 0 && end > max(key.Line, value.Line) {
			end--
		}
	}
	for line := key.Line; line <= end; line++ {
		s.lines[line-1] = true
	}
}

// entries visits the keys of a mapping with their values.
func entries(n *yaml.Node) func(func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		if n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}
