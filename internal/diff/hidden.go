package diff

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/manifest"
)

func allLines(text []byte) []bool {
	return slices.Repeat([]bool{true}, 1+bytes.Count(text, []byte("\n")))
}

// covered begins the replacement of a hidden line; the original follows, so that hidden lines can still be compared.
// Its first character is not valid in YAML.
const covered = "\x00covered "

// cover marks the lines of a text that may hold a Secret's value, or all lines.
func cover(text []byte, all bool) []byte {
	hidden := hiddenLines(text)
	if all {
		hidden = allLines(text)
	}
	if hidden == nil {
		return text
	}
	var b bytes.Buffer
	i := 0
	for line := range bytes.Lines(text) {
		if hidden[i] {
			b.WriteString(covered)
		}
		b.Write(line)
		i++
	}
	return b.Bytes()
}

// hiddenLines returns, for each line of text from 0, whether it may hold a Secret's value; nil if no line does.
func hiddenLines(text []byte) []bool {
	if !MayHoldSecrets(text) {
		return nil
	}
	tree, err := manifest.Tree(text)
	if err != nil {
		return allLines(text)
	}
	switch isSecret, isShared := look(tree); {
	case !isSecret:
		return nil
	case isShared:
		return allLines(text) // a value may be anywhere
	}
	var s shade
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		// A value may have been commented out.
		s = append(s, bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")))
	}
	s.visit(tree, false, 0)
	return s
}

// look reports whether a tree may hold a Secret, and whether it has aliases, anchors or merge keys.
func look(n *yaml.Node) (isSecret, isShared bool) {
	isScalar := n.Kind == yaml.ScalarNode
	isSecret = isScalar && (n.Value == "Secret" || n.Value == "SecretList")
	isShared = n.Kind == yaml.AliasNode || n.Anchor != "" || isScalar && n.ShortTag() == "!!merge"
	for _, child := range n.Content {
		secret, shared := look(child)
		isSecret, isShared = isSecret || secret, isShared || shared
	}
	return isSecret, isShared
}

// A shade holds for each line, from 0, whether it is hidden.
type shade []bool

// visit hides the lines of Secrets in n. isItem says that n is an item even without a kind. next is the line, from 1,
// of the node after n, 0 if there is none.
func (s shade) visit(n *yaml.Node, isItem bool, next int) {
	kind := kindOf(n)
	switch {
	case kind == "Secret", isItem && n.Kind == yaml.MappingNode:
		eachSecret(n, next, s.hide)
		return
	case kind == "SecretList":
		isItem = true
	}
	for i, child := range n.Content {
		s.visit(child, isItem, lineAfter(n, i, next))
	}
}

// shown are the fields of a Secret that are not confidential.
var shown = []string{"apiVersion", "kind", "type", "immutable"}

// shownMetadata are the metadata fields of a Secret that are not confidential.
var shownMetadata = []string{"name", "namespace", "generateName", "labels"}

// kindOf returns the kind of a manifest. It returns "" for a mere reference to a Secret.
func kindOf(n *yaml.Node) string {
	kind, isManifest := "", false
	for _, e := range entries(n, 0) {
		switch e.key.Value {
		case "kind":
			kind = e.value.Value
		case "metadata", "data", "stringData": // a reference has none of these
			isManifest = true
		}
	}
	if kind == "Secret" && !isManifest {
		return ""
	}
	return kind
}

// eachSecret calls hide for the entries that may hold values of a Secret, in the Secret and the mappings in it.
func eachSecret(n *yaml.Node, next int, hide func(in *yaml.Node, e entry)) {
	for _, e := range entries(n, next) {
		if e.key.Value != "metadata" || e.value.Kind != yaml.MappingNode {
			if !slices.Contains(shown, e.key.Value) || e.value.Kind != yaml.ScalarNode {
				hide(n, e)
			}
			continue
		}
		for _, m := range entries(e.value, e.next) {
			if m.key.Value == "annotations" {
				for _, a := range entries(m.value, m.next) {
					if mayCopy(a.value) {
						hide(m.value, a)
					}
				}
			} else if !slices.Contains(shownMetadata, m.key.Value) {
				hide(e.value, m)
			}
		}
	}
}

// mayCopy reports whether an annotation may hold the whole Secret, as kubectl.kubernetes.io/last-applied-configuration
// does.
func mayCopy(value *yaml.Node) bool {
	const long = 253
	return value.Kind != yaml.ScalarNode || len(value.Value) > long || strings.ContainsAny(value.Value, "{\n")
}

func (s shade) hide(in *yaml.Node, e entry) {
	end := e.next
	switch {
	case end == 0:
		end = len(s)
	case in.Style&yaml.FlowStyle == 0 && end > max(e.key.Line, e.value.Line):
		end-- // in block style the next one begins on a new line
	}
	for line := e.key.Line; line <= end; line++ {
		s[line-1] = true
	}
}

// An entry is an entry of a mapping, with the line of the node after it.
type entry struct {
	key, value *yaml.Node
	next       int
}

func entries(n *yaml.Node, next int) []entry {
	var list []entry
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		list = append(list, entry{n.Content[i], n.Content[i+1], lineAfter(n, i+1, next)})
	}
	return list
}

// lineAfter returns the line of the node after the i-th child of n; next is the line of the node after n.
func lineAfter(n *yaml.Node, i, next int) int {
	if i+1 < len(n.Content) {
		return n.Content[i+1].Line
	}
	return next
}
