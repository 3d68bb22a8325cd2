package fielddiff

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/diff"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/yamldoc"
)

const (
	maxLines = 500 // of a resource
	maxLine  = 300 // bytes of a line
)

// changes returns the lines that differ between two trees, with - or + as in a unified diff, and how many references
// differ only in the hash.
func changes(was, is *yaml.Node) (text string, references int) {
	before, after := linesOf(was), linesOf(is)
	paths := maps.Clone(before.at)
	maps.Copy(paths, after.at)
	var changed []string
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if slices.Equal(before.at[path], after.at[path]) {
			for i, name := range before.references[path] {
				if name != after.references[path][i] {
					references++
				}
			}
			continue
		}
		for line := range strings.Lines(diff.Hunks(before.text(path), after.text(path))) {
			if line[0] == '-' || line[0] == '+' {
				changed = append(changed, shown(line))
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(after.names)) {
		if was, is := before.names[path], after.names[path]; !slices.Equal(was, is) && slices.Equal(slices.Sorted(slices.Values(was)), slices.Sorted(slices.Values(is))) {
			changed = append(changed, shown("-"+path+": "+strings.Join(was, ", ")), shown("+"+path+": "+strings.Join(is, ", ")))
		}
	}
	if more := len(changed) - maxLines; more > 1 {
		changed = append(changed[:maxLines], "… and "+strconv.Itoa(more)+" more lines\n")
	}
	return strings.Join(changed, ""), references
}

func shown(line string) string {
	line, _, _ = strings.Cut(line, hiddenMark)
	line = strings.TrimSuffix(line, "\n")
	if len(line) > maxLine {
		line = strings.ToValidUTF8(line[:maxLine], "") + "…"
	}
	return line + "\n"
}

// lines represents a tree by its scalars, each with a line or, if it has line breaks, several, under the path to it.
// List elements without names share a path.
type lines struct {
	at    map[string][]string
	names map[string][]string // of list elements, in their order
	// references are the values, with hashes, of scalars that name an object.
	references map[string][]string
}

func linesOf(root *yaml.Node) *lines {
	l := &lines{map[string][]string{}, map[string][]string{}, map[string][]string{}}
	l.add("", root)
	return l
}

func (l *lines) text(path string) []byte {
	var b bytes.Buffer
	for _, line := range l.at[path] {
		b.WriteString(path + line + "\n")
	}
	return b.Bytes()
}

func (l *lines) add(path string, n *yaml.Node) {
	switch {
	case n.Kind == yaml.MappingNode && len(n.Content) == 0:
		l.at[path] = append(l.at[path], ": {}")
	case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		l.at[path] = append(l.at[path], ": []")
	case n.Kind == yaml.MappingNode:
		for entry := range slices.Chunk(n.Content, 2) {
			key := nameOf(entry[0].Value)
			switch {
			case strings.ContainsAny(key, ".[ "):
				key = path + "[" + key + "]"
			case path != "":
				key = path + "." + key
			}
			l.add(key, entry[1])
		}
	case n.Kind == yaml.SequenceNode:
		key := keyOf(n)
		for _, child := range n.Content {
			name := nameOf(yamldoc.Text(child, key))
			if key != "" {
				l.names[path] = append(l.names[path], name)
			}
			l.add(path+"["+name+"]", child)
		}
	default:
		l.at[path] = append(l.at[path], scalarLines(n)...)
		l.references[path] = append(l.references[path], cmp.Or(n.LineComment, n.Value))
	}
}

// nameOf returns a key or a name as a step of a path, on one line.
func nameOf(text string) string {
	return strings.NewReplacer("\n", `\n`, "\x00", `\x00`).Replace(graph.Clip(text))
}

// keys are the fields by which Kubernetes identifies list elements; first those that do not change if an element gets a
// name.
var keys = []string{"containerPort", "port", "mountPath", "name", "key", "type", "host"}

// keyOf returns a key whose values differ in all elements of a list, "" if there is none.
func keyOf(list *yaml.Node) string {
	for _, key := range keys {
		seen := map[string]bool{}
		if !slices.ContainsFunc(list.Content, func(n *yaml.Node) bool {
			value := yamldoc.Value(n, key)
			if value == nil || value.Kind != yaml.ScalarNode || value.Tag == diff.Hidden || seen[value.Value] {
				return true
			}
			seen[value.Value] = true
			return false
		}) {
			return key
		}
	}
	return ""
}

// hiddenMark begins the digest of a hidden value, which makes lines differ and is not printed.
const hiddenMark = "\x00digest "

// scalarLines returns the text after the path of a scalar, line by line.
func scalarLines(n *yaml.Node) []string {
	plain := yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}
	switch {
	case n.Tag == diff.Hidden:
		return []string{": (not shown)" + hiddenMark + n.Value}
	case strings.Contains(n.Value, hiddenMark[:1]):
		return []string{": " + strconv.Quote(n.Value)} // it may contain hiddenMark
	case strings.Contains(strings.TrimSuffix(n.Value, "\n"), "\n"):
		all := []string{" |"} // otherwise one scalar would look like several
		text, ends := strings.CutSuffix(n.Value, "\n")
		for line := range strings.SplitSeq(text, "\n") {
			all = append(all, " | "+line)
		}
		if !ends {
			all = append(all, " (no line break at the end)")
		}
		return all
	case n.Tag == "!!str" && (plain.ShortTag() != "!!str" || n.Value == "{}" || n.Value == "[]"), strings.TrimSpace(n.Value) != n.Value:
		return []string{": " + strconv.Quote(n.Value)} // "1" is not 1
	}
	return []string{": " + n.Value}
}
