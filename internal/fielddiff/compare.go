package fielddiff

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/diff"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/yamldoc"
)

// A Field is one that differs.
type Field struct {
	// Path leads to it. An element of a list is named by its name, if it has one.
	Path string
	What What
	// Old and New are the values if both take one short line. Lines are the hunks of a
	// unified diff of any others. All are empty if the values must not be shown.
	Old, New, Lines string
}

// What is what happened to a field.
type What string

// What can happen to a field.
const (
	Added     What = "added"
	Removed   What = "removed"
	Changed   What = "changed"
	Reordered What = "in another order"
)

const (
	maxFields = 500 // of a resource
	maxLines  = 100 // of a field
	maxLine   = 300 // bytes of a line
	shortest  = 80  // what may stand on one line with another value, in bytes
)

type differ struct {
	fields           []Field
	more, references int
}

// A step leads to a node from the one above it.
type step struct {
	above *step
	key   string
	named bool // key is the name of an element
}

func (s *step) path() yamldoc.Path {
	switch {
	case s == nil:
		return ""
	case s.named || strings.ContainsAny(s.key, ".[ "):
		return s.above.path() + yamldoc.Path("["+graph.Clip(s.key)+"]")
	}
	return s.above.path().Join(yamldoc.Path(graph.Clip(s.key)))
}

// compare notes where two nodes differ. One of them may be nil.
func (d *differ) compare(at *step, was, is *yaml.Node) {
	if was != nil && is != nil && was.Kind == is.Kind {
		switch was.Kind {
		case yaml.MappingNode:
			d.entries(at, entriesOf(was), entriesOf(is), false)
			return
		case yaml.SequenceNode:
			if key := keyOf(was, is); key != "" {
				d.entries(at, elementsOf(was, key), elementsOf(is, key), true)
				return
			}
		}
	}
	if was == nil || is == nil || !equal(was, is) {
		d.note(at, was, is)
	} else {
		d.follow(was, is)
	}
}

// follow counts the references in two equal nodes that differ in the hash.
func (d *differ) follow(was, is *yaml.Node) {
	if was.Kind == yaml.ScalarNode && cmp.Or(was.LineComment, was.Value) != cmp.Or(is.LineComment, is.Value) {
		d.references++
	}
	if was.Kind == yaml.MappingNode {
		others := entriesOf(is)
		for name, node := range entriesOf(was).nodes {
			d.follow(node, others.nodes[name])
		}
		return
	}
	for i, child := range was.Content {
		d.follow(child, is.Content[i])
	}
}

// A named list is the entries of a mapping, or the elements of a sequence, in order.
type named struct {
	names []string
	nodes map[string]*yaml.Node
}

func entriesOf(n *yaml.Node) named {
	all := named{nodes: map[string]*yaml.Node{}}
	for i := 0; i+1 < len(n.Content); i += 2 {
		all.add(n.Content[i].Value, n.Content[i+1])
	}
	return all
}

func elementsOf(n *yaml.Node, key string) named {
	all := named{nodes: map[string]*yaml.Node{}}
	for _, child := range n.Content {
		all.add(yamldoc.Text(child, key), child)
	}
	return all
}

func (n *named) add(name string, node *yaml.Node) {
	if n.nodes[name] == nil {
		n.names = append(n.names, name)
	}
	n.nodes[name] = node
}

// entries compares what has the same name. The order counts for elements of a list.
func (d *differ) entries(at *step, was, is named, elements bool) {
	var stayed []string
	for _, name := range is.names {
		if was.nodes[name] != nil {
			stayed = append(stayed, name)
		}
		d.compare(&step{at, name, elements}, was.nodes[name], is.nodes[name])
	}
	before := slices.DeleteFunc(slices.Clone(was.names), func(name string) bool { return is.nodes[name] == nil })
	if elements && !slices.Equal(before, stayed) {
		d.add(Field{Path: string(at.path()), What: Reordered})
	}
	for _, name := range was.names {
		if is.nodes[name] == nil {
			d.compare(&step{at, name, elements}, was.nodes[name], nil)
		}
	}
}

// keys are those by which Kubernetes tells elements of lists apart.
var keys = []string{"name", "mountPath", "containerPort", "port", "key", "type", "host"}

// keyOf returns a key that has another value in each element of the lists, "" if there is
// none.
func keyOf(lists ...*yaml.Node) string {
	for _, key := range keys {
		if !slices.ContainsFunc(lists, func(list *yaml.Node) bool {
			seen := map[string]bool{}
			return slices.ContainsFunc(list.Content, func(n *yaml.Node) bool {
				value := yamldoc.Value(n, key)
				if value == nil || value.Kind != yaml.ScalarNode || value.Tag == diff.Hidden || seen[value.Value] {
					return true
				}
				seen[value.Value] = true
				return false
			})
		}) {
			return key
		}
	}
	return ""
}

// equal reports whether two nodes mean the same, whatever the order of keys.
func equal(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Tag != b.Tag || a.Value != b.Value || len(a.Content) != len(b.Content) {
		return false
	}
	if a.Kind != yaml.MappingNode {
		return slices.EqualFunc(a.Content, b.Content, equal)
	}
	others := entriesOf(b)
	for name, node := range entriesOf(a).nodes {
		if other := others.nodes[name]; other == nil || !equal(node, other) {
			return false
		}
	}
	return true
}

func (d *differ) add(f Field) {
	if len(d.fields) == maxFields {
		d.more++
		return
	}
	d.fields = append(d.fields, f)
}

// note enters a field that differs.
func (d *differ) note(at *step, was, is *yaml.Node) {
	f := Field{Path: string(at.path()), What: Changed}
	switch {
	case was == nil:
		f.What = Added
	case is == nil:
		f.What = Removed
	}
	if len(d.fields) < maxFields && !isHidden(was) && !isHidden(is) {
		f.show(was, is)
	}
	d.add(f)
}

func isHidden(n *yaml.Node) bool { return n != nil && n.Tag == diff.Hidden }

func (f *Field) show(was, is *yaml.Node) {
	before, after := text(was), text(is)
	if before == after && was.Kind == yaml.ScalarNode { // "1" is not 1
		before, after = quoted(was), quoted(is)
	}
	if isShort(was, before) && isShort(is, after) {
		f.Old, f.New = before, after
		return
	}
	if !strings.Contains(before+after, "\n") {
		before, after = fromDifference(before, after)
	}
	if !strings.HasSuffix(before, "\n") && !strings.HasSuffix(after, "\n") {
		before, after = ended(before), ended(after)
	}
	var lines []string
	for line := range strings.Lines(diff.Hunks([]byte(before), []byte(after))) {
		if line[0] == '@' && (was == nil || is == nil) {
			continue // all of it is new, or gone
		}
		if len(line) > maxLine {
			line = strings.ToValidUTF8(line[:maxLine], "") + "…\n"
		}
		lines = append(lines, line)
	}
	if more := len(lines) - maxLines; more > 1 {
		lines = append(lines[:maxLines], "… and "+strconv.Itoa(more)+" more lines\n")
	}
	f.Lines = strings.Join(lines, "")
}

// fromDifference cuts off most of what two long lines begin with.
func fromDifference(a, b string) (fromA, fromB string) {
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	if same -= shortest / 2; same < shortest {
		return a, b
	}
	return "…" + strings.ToValidUTF8(a[same:], ""), "…" + strings.ToValidUTF8(b[same:], "")
}

func ended(text string) string {
	if text == "" {
		return ""
	}
	return text + "\n"
}

func isShort(n *yaml.Node, text string) bool {
	return n == nil || len(n.Content) == 0 && len(text) <= shortest && !strings.Contains(text, "\n")
}

func quoted(n *yaml.Node) string {
	if n.Tag == "!!str" {
		return strconv.Quote(n.Value)
	}
	return n.Value
}

// text returns a scalar's value, and any other node as YAML. It may be called once for a
// node.
func text(n *yaml.Node) string {
	switch {
	case n == nil:
		return ""
	case n.Kind == yaml.ScalarNode && (n.Value == "" || strings.TrimSpace(n.Value) != n.Value && !strings.Contains(n.Value, "\n")):
		return quoted(n)
	case n.Kind == yaml.ScalarNode:
		return n.Value
	case len(n.Content) == 0:
		return map[yaml.Kind]string{yaml.MappingNode: "{}", yaml.SequenceNode: "[]"}[n.Kind]
	}
	cover(n)
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(n); err != nil {
		return ""
	}
	return b.String()
}

// cover replaces the digests of hidden nodes.
func cover(n *yaml.Node) {
	n.LineComment = ""
	if n.Tag == diff.Hidden {
		n.Tag, n.Value = "!!str", "(not shown)"
	}
	for _, child := range n.Content {
		cover(child)
	}
}
