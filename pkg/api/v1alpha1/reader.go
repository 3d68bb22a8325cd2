package v1alpha1

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// A reader walks a functionConfig and collects what is wrong with it. No
// message quotes a value of the wrong type or in an unknown field: it may be
// the salt, misplaced.
type reader struct {
	errs Errors
	// paths are the dotted paths of all known fields, to suggest one to whom
	// put a field in the wrong place.
	paths []string
}

func (r *reader) fail(at yamldoc.Path, message string) {
	r.errs = append(r.errs, FieldError{Path: at, Message: message})
}

func (r *reader) wrongType(v value, node *yaml.Node, at yamldoc.Path) {
	hint := ""
	if _, ok := v.(text); ok && node.Kind == yaml.ScalarNode && !isNull(node) {
		hint = ": write it in quotes"
	}
	r.fail(at, fmt.Sprintf("must be %s, not %s%s", v.wants(), describe(node), hint))
}

// text returns the string at node.
func (r *reader) text(v value, node *yaml.Node, at yamldoc.Path) (s string, ok bool) {
	if !isText(node) {
		r.wrongType(v, node, at)
		return "", false
	}
	return node.Value, true
}

// unknown reports a key of the mapping at path at that is none of its fields.
func (r *reader) unknown(key string, at yamldoc.Path, fields []string) {
	if strings.Contains(key, ":") {
		r.fail(keyPath(at, key), "is not a known field; a blank goes between a field's colon and its value")
		return
	}
	r.fail(keyPath(at, key), "is not a known field; "+r.suggest(key, fields))
}

// unknownBare reports a key of the flow mapping at path at that has no value and
// is none of its fields. It is not told: it may be the end of the salt.
func (r *reader) unknownBare(at yamldoc.Path, fields []string) {
	r.fail(at, "holds a key without a value that is not a known field; quote a value that holds a comma; known here: "+strings.Join(fields, ", "))
}

// isGlued reports whether key is a field and its value, for want of a blank
// behind the colon.
func isGlued(key string, fields []string) bool {
	field, _, glued := strings.Cut(key, ":")
	return glued && slices.Contains(fields, field)
}

// keyPath returns the path of an entry for an error. Of a key like
// "salt:VALUE", for want of a blank all one string, it shows the front alone.
func keyPath(at yamldoc.Path, key string) yamldoc.Path {
	if i := strings.IndexAny(key, ":= "); i > 0 {
		key = key[:i]
	}
	return at.Key(key)
}

// suggest says what may have been meant by a key that is none of the fields.
func (r *reader) suggest(key string, fields []string) string {
	nearest, least := "", min(len(key)/3+1, 4)
	for _, f := range fields {
		if d := distance(strings.ToLower(key), strings.ToLower(f), least); d < least {
			nearest, least = f, d
		}
	}
	if nearest != "" {
		return "did you mean " + nearest + "?"
	}
	within := func(f string) bool { return strings.HasPrefix(f, key+".") }
	around := func(f string) bool { return strings.HasPrefix(key, f+".") }
	alike := func(f string) bool { return strings.EqualFold(lastStep(f), lastStep(key)) }
	for _, meant := range [][]string{
		filter(fields, within), filter(fields, around), filter(fields, alike), filter(r.paths, alike),
	} {
		if len(meant) > 0 {
			return "did you mean " + strings.Join(meant, " or ") + "?"
		}
	}
	return "known here: " + strings.Join(fields, ", ")
}

func lastStep(path string) string {
	return path[strings.LastIndexByte(path, '.')+1:]
}

func filter(all []string, keep func(string) bool) []string {
	var kept []string
	for _, s := range all {
		if keep(s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// distance returns how many letters to insert, leave out, replace or swap with
// their neighbour lead from a to b: least or more if that is not fewer than
// least.
func distance(a, b string, least int) int {
	if d := len(a) - len(b); d >= least || -d >= least {
		return least
	}
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

// An entry is one of a mapping's: no alias, no merge key. One that is none has
// a problem in place of its value, and is kept so that problems are reported
// in the document's order.
type entry struct {
	key     string
	value   *yaml.Node
	bare    bool // stands without a value in a flow mapping
	problem *FieldError
}

// each reports the problems among the entries and yields the others, in order.
func (r *reader) each(entries []entry) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		for _, e := range entries {
			if e.problem != nil {
				r.errs = append(r.errs, *e.problem)
			} else if !yield(e) {
				return
			}
		}
	}
}

// mapping returns the entries of node, merge keys resolved: its own in their
// order, then those merged in. A key that stands twice counts once, and is a
// problem the second time.
func (r *reader) mapping(v value, node *yaml.Node, at yamldoc.Path) (entries []entry, ok bool) {
	if node.Kind != yaml.MappingNode {
		r.wrongType(v, node, at)
		return nil, false
	}
	m := merger{at: at, keys: map[string]bool{}, state: map[*yaml.Node]mergeState{}}
	m.add(node)
	return m.entries, true
}

// A merger collects the entries of a mapping and of those merged into it. A
// mapping is entered once, as its keys are all there the second time: this
// keeps merges of merges of merges from growing without bound.
type merger struct {
	at      yamldoc.Path
	entries []entry
	keys    map[string]bool
	state   map[*yaml.Node]mergeState
}

type mergeState int

const (
	entering mergeState = iota + 1
	entered
)

func (m *merger) fail(at yamldoc.Path, message string) {
	m.entries = append(m.entries, entry{problem: &FieldError{Path: at, Message: message}})
}

func (m *merger) add(node *yaml.Node) {
	m.state[node] = entering
	own := map[string]bool{}
	var merged []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := resolve(node.Content[i]), resolve(node.Content[i+1])
		switch {
		case key.Kind != yaml.ScalarNode:
			m.fail(m.at, fmt.Sprintf("holds a key that is %s; keys are strings", describe(key)))
		case own[key.Value] && yamldoc.IsBare(node, node.Content[i+1]):
			m.fail(m.at, "holds a key without a value that stands twice; quote a value that holds a comma")
		case own[key.Value]:
			m.fail(keyPath(m.at, key.Value), "stands twice; leave one of the two")
		case key.ShortTag() == "!!merge":
			own[key.Value] = true
			merged = append(merged, value)
		default:
			own[key.Value] = true
			if !m.keys[key.Value] {
				m.keys[key.Value] = true
				m.entries = append(m.entries, entry{key: key.Value, value: value, bare: yamldoc.IsBare(node, node.Content[i+1])})
			}
		}
	}
	for _, source := range merged {
		m.merge(source)
	}
	m.state[node] = entered
}

// merge adds what a merge key holds: a mapping, or a list of them.
func (m *merger) merge(source *yaml.Node) {
	sources := []*yaml.Node{source}
	if source.Kind == yaml.SequenceNode {
		sources = source.Content
	}
	for _, source := range sources {
		source = resolve(source)
		switch {
		case source.Kind != yaml.MappingNode:
			m.fail(m.at.Key("<<"), fmt.Sprintf("must be a mapping or a list of mappings, not %s", describe(source)))
		case m.state[source] == entering:
			m.fail(m.at.Key("<<"), "merges a mapping into itself")
		case m.state[source] == entered:
		default:
			m.add(source)
		}
	}
}

// resolve follows aliases. What leads nowhere is a null.
func resolve(node *yaml.Node) *yaml.Node {
	// yaml.v3 makes no alias of an alias; nodes put together by hand may
	// hold a ring of them.
	const most = 100
	for range most {
		switch {
		case node == nil, node.IsZero():
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
		case node.Kind == yaml.AliasNode:
			node = node.Alias
		case node.Kind == yaml.DocumentNode && len(node.Content) > 0:
			node = node.Content[0]
		default:
			return node
		}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}
}

func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}

// isText tells whether node is a string. A date is one, too: YAML 1.2 and JSON
// know no dates, and where the node has been through JSON it is in quotes. So
// is a << that is no key: yaml.v3 writes that string without quotes.
func isText(node *yaml.Node) bool {
	if node.Kind != yaml.ScalarNode {
		return false
	}
	switch node.ShortTag() {
	case "!!str", "!!timestamp", "!!merge":
		return true
	}
	return false
}

func describe(node *yaml.Node) string {
	if node.Kind == yaml.MappingNode {
		return "a mapping"
	}
	if node.Kind == yaml.SequenceNode {
		return "a list"
	}
	switch node.ShortTag() {
	case "!!null":
		return "null"
	case "!!str", "!!timestamp", "!!merge":
		return "a string"
	case "!!bool":
		return "a boolean"
	case "!!int", "!!float":
		return "a number"
	default:
		return "a value with a tag" // !salt is one, too
	}
}

// knownPaths returns the paths of all fields of o, those within lists aside.
func knownPaths(o object, at yamldoc.Path) []string {
	var paths []string
	for _, f := range o.fields {
		path := at.Key(f.name)
		paths = append(paths, string(path))
		switch inner := f.value.(type) {
		case object:
			paths = append(paths, knownPaths(inner, path)...)
		case flat:
			for _, l := range inner.leaves() {
				paths = append(paths, string(path)+"."+l.name)
			}
		}
	}
	return paths
}
