package jobs

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/yamldoc"
)

// A mention is a place that names a Job.
type mention struct {
	at edit.Scalar
	// element is the part of the value that ends with the name: an element of a comma-separated list, or the whole
	// value.
	element, name string
	namespace     string // "" for the resource's own
	to            string // the new name, once it is known
}

// in returns value with the name replaced in each element that equals the mention's.
func (m *mention) in(value string) string {
	elements := strings.Split(value, ",")
	for i, e := range elements {
		if strings.TrimSpace(e) == m.element {
			elements[i] = strings.Replace(e, m.element, strings.TrimSuffix(m.element, m.name)+m.to, 1)
		}
	}
	return strings.Join(elements, ",")
}

// A finder finds the mentions in an item. The catalogue has their forms, which are the same in all kinds.
type finder struct {
	known    *catalog.JobNames
	mentions []mention
	texts    []mention // mentions in text that cannot be updated
	at       yamldoc.Trail
	budget   yamldoc.Budget
	aliased  int // how many aliases and merge keys lead to the current node
	secret   bool
}

func find(r *graph.Resource, item *yaml.Node) *finder {
	f := &finder{known: catalog.Builtin().JobNames(), secret: r.Kind == "Secret"}
	f.node(item, r.NameAt.Shared, false)
	return f
}

// maxValue bounds the length of values that are searched for names of Jobs.
const maxValue = 1 << 20

func (f *finder) node(n *yaml.Node, shared, isText bool) {
	shared = shared || n.Anchor != "" || n.Kind == yaml.AliasNode
	if n.Kind == yaml.AliasNode {
		f.aliased++
		defer func() { f.aliased-- }()
	}
	n = yamldoc.Resolve(n)
	if f.at.TooDeep() || !f.spend(n) {
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		f.mapping(n, shared)
	case yaml.SequenceNode:
		for i, child := range n.Content {
			f.at.Index(i)
			f.node(child, shared, true)
			if i > 0 {
				f.text(child, shared, yamldoc.Resolve(n.Content[i-1]).Value+" ")
			}
			f.at.Back()
		}
	case yaml.ScalarNode:
		if isText {
			f.text(n, shared, "")
		}
	}
}

// spend charges a node below an alias to the budget, one more for each thousand bytes of it: a short text must not take
// forever.
func (f *finder) spend(n *yaml.Node) bool {
	for range 1 + len(n.Value)/1_000 {
		if f.aliased > 0 && f.budget.Spend() != nil {
			return false
		}
	}
	return true
}

func (f *finder) mapping(n *yaml.Node, shared bool) {
	get := func(key string) *yaml.Node {
		value, _ := yamldoc.Get(n, key, &f.budget)
		if value == nil {
			return &yaml.Node{}
		}
		return yamldoc.Resolve(value)
	}
	named := map[string]bool{} // fields with names, and whether all of the names are of Jobs
	for i := range f.known.Fields {
		if field := &f.known.Fields[i]; len(f.at) > 0 {
			if all, some := about(field, get); some {
				named[field.Name] = all
			}
		}
	}
	_ = yamldoc.Each(n, &f.budget, func(key string, value *yaml.Node, merged bool) error {
		shared := shared || merged || value.Kind == yaml.AliasNode || value.Anchor != ""
		resolved := yamldoc.Resolve(value)
		all, known := named[key]
		f.at.Key(key)
		defer f.at.Back()
		if merged {
			f.aliased++
			defer func() { f.aliased-- }()
		}
		switch {
		case len(f.at) == 1 && key == "status", f.secret && len(f.at) == 1 && key != "metadata", len(f.at) == 2 && f.at[0].Key == "metadata" && key != "annotations" && key != "ownerReferences":
		case known:
			f.names(resolved, shared, all, get("namespace").Value)
		case f.known.Labels.Match(key) && f.inLabels():
			f.names(resolved, shared, true, "")
		case len(f.at) == 3 && f.at[0].Key == "metadata":
			f.annotation(key, resolved, shared)
		case key == "value" && resolved.Kind == yaml.ScalarNode: // of a variable
			f.text(resolved, shared, "")
			f.text(resolved, shared, get("name").Value+"=")
		default:
			f.node(value, shared, true)
		}
		return nil
	})
}

// about reports whether a field of the mapping that get reads holds only names of Jobs, and whether it may hold some.
func about(field *catalog.JobField, get func(string) *yaml.Node) (all, some bool) {
	all, some = share(get(field.If), field.Is.Match)
	for _, key := range field.Group {
		if n := get(key); n.Kind != 0 {
			allBatch, someBatch := share(n, func(group string) bool { return slices.Contains([]string{"", "*", "batch", "batch/v1"}, group) })
			all, some = all && allBatch, some && someBatch
		}
	}
	return all, some
}

// share reports whether all and whether some of the values of a field satisfy such.
func share(n *yaml.Node, such func(string) bool) (all, some bool) {
	values := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		values = n.Content
	}
	isNot := func(value *yaml.Node) bool { return !such(yamldoc.Resolve(value).Value) }
	return !slices.ContainsFunc(values, isNot), slices.ContainsFunc(values, func(value *yaml.Node) bool { return !isNot(value) })
}

func (f *finder) inLabels() bool {
	if len(f.at) < 2 {
		return false
	}
	above := f.at[len(f.at)-2].Key
	return strings.HasSuffix(above, "abels") || strings.HasSuffix(above, "elector")
}

// names adds the names in a field. If some may be of other kinds, they are text that cannot be updated.
func (f *finder) names(n *yaml.Node, shared, all bool, namespace string) {
	switch {
	case n.Kind == yaml.SequenceNode:
		for i, child := range n.Content {
			f.at.Index(i)
			f.names(child, shared, all, namespace)
			f.at.Back()
		}
	case all:
		f.mention(n, shared, n.Value, n.Value, namespace)
	default:
		f.texts = append(f.texts, mention{at: edit.ScalarAt(f.at.Path(), n, shared), name: n.Value})
	}
}

func (f *finder) mention(n *yaml.Node, shared bool, element, name, namespace string) {
	if n.Kind == yaml.ScalarNode && name != "" {
		f.mentions = append(f.mentions, mention{at: edit.ScalarAt(f.at.Path(), n, shared), element: element, name: name, namespace: namespace})
	}
}

// annotation looks for names in an annotation: in the catalogue's format, or else as in text.
func (f *finder) annotation(key string, n *yaml.Node, shared bool) {
	found := len(f.mentions)
	for element := range strings.SplitSeq(n.Value, ",") {
		element = strings.TrimSpace(element)
		for i := range f.known.Annotations {
			a := &f.known.Annotations[i]
			if m, ok := a.Format.Match(element); ok && a.Key.Matches(key) {
				f.mention(n, shared, element, element[m.Name.Start:], element[m.Namespace.Start:m.Namespace.End])
			}
		}
	}
	if found == len(f.mentions) {
		f.text(n, shared, "")
	}
}

// inText finds the name of a Job in the arguments of kubectl and similar programs: job/NAME, "wait jobs NAME",
// --job-name=NAME, JOB_NAME=NAME.
var inText = regexp.MustCompile(`(?i)(?:\b|_)jobs?(?:[-_.](?:name|batch(?:\.v1)?|w[a-z]+))?(?: *(?:==|=~|[/=:])\s*| +)["']?([a-z0-9][-a-z0-9.]*[a-z0-9])`)

// text looks for names of Jobs in text, which is never edited. before is the text that n continues.
func (f *finder) text(n *yaml.Node, shared bool, before string) {
	if f.secret || n.Kind != yaml.ScalarNode || len(n.Value) > maxValue || !strings.Contains(strings.ToLower(before+n.Value), "job") {
		return
	}
	for _, match := range inText.FindAllStringSubmatchIndex(before+n.Value, -1) {
		if name := (before + n.Value)[match[2]:match[3]]; before == "" || match[2] == len(before) {
			f.texts = append(f.texts, mention{at: edit.ScalarAt(f.at.Path(), n, shared), name: name})
		}
	}
}
