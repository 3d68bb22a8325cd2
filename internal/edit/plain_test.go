package edit_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/yamldoc"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/confighash/confighash/internal/edit"
)

// A plain is a node of a document without aliases, merge keys, styles and comments: the meaning of a text. Splice and
// OnNodes are compared with edits of it.
type plain struct {
	Kind     yaml.Kind
	Tag      string
	Value    string
	Elements []*plain
	Entries  []plainEntry
}

type plainEntry struct{ Key, Value *plain }

// maxPlain bounds the size of documents that the tests expand.
const maxPlain = 5000

var errTooLarge = errors.New("more nodes than a test looks at")

// decodeOne returns the only document of text.
func decodeOne(text []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var doc, further yaml.Node
	if err := decoder.Decode(&doc); err != nil {
		return nil, err
	}
	switch err := decoder.Decode(&further); {
	case err == nil:
		return nil, errors.New("several documents")
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	return doc.Content[0], nil
}

// plainDocument returns the meaning of text, with entries sorted by key.
func plainDocument(t rapid.TB, text []byte) *plain {
	t.Helper()
	root, err := decodeOne(text)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	left := 10 * maxPlain
	out, err := toPlain(root, &left, 0)
	if err != nil {
		t.Fatal(err)
	}
	out.sort()
	return out
}

func toPlain(n *yaml.Node, left *int, depth int) (*plain, error) {
	if *left--; *left < 0 || depth > 100 {
		return nil, errTooLarge
	}
	if n.Kind == yaml.AliasNode {
		return toPlain(n.Alias, left, depth+1)
	}
	out := &plain{Kind: n.Kind, Tag: n.ShortTag(), Value: n.Value}
	if out.isNull() {
		out.Value = "" // ~, null and an empty value mean the same
	}
	if n.Kind == yaml.SequenceNode {
		for _, child := range n.Content {
			element, err := toPlain(child, left, depth+1)
			if err != nil {
				return nil, err
			}
			out.Elements = append(out.Elements, element)
		}
	}
	if n.Kind != yaml.MappingNode {
		return out, nil
	}
	var sources []*yaml.Node
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].ShortTag() == "!!merge" {
			if len(sources) > 0 {
				return nil, errors.New("several merge keys")
			}
			if sources = []*yaml.Node{n.Content[i+1]}; sources[0].Kind == yaml.SequenceNode {
				sources = sources[0].Content
			}
			continue
		}
		key, err := toPlain(n.Content[i], left, depth+1)
		if err != nil {
			return nil, err
		}
		if key.Kind == yaml.ScalarNode {
			key.Tag = "key" // 12 and "12" are the same key in paths and in JSON
			if key.Value = n.Content[i].Value; n.Content[i].Kind == yaml.AliasNode {
				key.Value = n.Content[i].Alias.Value
			}
		}
		value, err := toPlain(n.Content[i+1], left, depth+1)
		if err != nil {
			return nil, err
		}
		out.Entries = append(out.Entries, plainEntry{key, value})
	}
	for _, source := range sources {
		merged, err := toPlain(source, left, depth+1)
		if err != nil {
			return nil, err
		}
		if merged.Kind != yaml.MappingNode {
			return nil, errors.New("merge of something else than a mapping")
		}
		for i, entry := range merged.Entries {
			if slices.ContainsFunc(merged.Entries[:i], func(e plainEntry) bool { return e.Key.Value == entry.Key.Value }) {
				return nil, errors.New("merge of a mapping with a duplicate key")
			}
		}
		for _, entry := range merged.Entries {
			if !slices.ContainsFunc(out.Entries, func(e plainEntry) bool { return e.Key.Kind == entry.Key.Kind && e.Key.Value == entry.Key.Value }) {
				out.Entries = append(out.Entries, entry)
			}
		}
	}
	return out, nil
}

func (p *plain) sort() {
	for _, element := range p.Elements {
		element.sort()
	}
	for _, entry := range p.Entries {
		entry.Key.sort()
		entry.Value.sort()
	}
	slices.SortStableFunc(p.Entries, func(a, b plainEntry) int { return a.Key.compare(b.Key) })
}

func (p *plain) compare(q *plain) int { return strings.Compare(p.text(), q.text()) }

func (p *plain) text() string {
	out := p.Tag + " " + p.Value
	for _, element := range p.Elements {
		out += "\x00" + element.text()
	}
	for _, entry := range p.Entries {
		out += "\x01" + entry.Key.text() + "\x02" + entry.Value.text()
	}
	return out
}

func (p *plain) copy() *plain {
	out := *p
	out.Elements, out.Entries = nil, nil
	for _, element := range p.Elements {
		out.Elements = append(out.Elements, element.copy())
	}
	for _, entry := range p.Entries {
		out.Entries = append(out.Entries, plainEntry{entry.Key.copy(), entry.Value.copy()})
	}
	return &out
}

// diffPlain describes how the meaning of two documents differs, "" if it does not.
func diffPlain(want, got *plain) string {
	if got != nil && want.compare(got) == 0 {
		return ""
	}
	return cmp.Diff(want, got)
}

func (p *plain) isNull() bool { return p.Kind == yaml.ScalarNode && p.Tag == "!!null" }

var errRefused = errors.New("an edit that must be refused")

// find returns the index of the entry, -1 if there is none.
func (p *plain) find(key string) (int, error) {
	if p.Kind != yaml.MappingNode {
		return 0, errRefused
	}
	found := -1
	for i, entry := range p.Entries {
		if entry.Key.Kind == yaml.ScalarNode && entry.Key.Value == key {
			if found >= 0 {
				return 0, errRefused
			}
			found = i
		}
	}
	return found, nil
}

// walk returns the node at steps. If the path ends early at a missing entry or a null, it also returns the remaining
// steps.
func (p *plain) walk(steps []yamldoc.Step) (end *plain, rest []yamldoc.Step, err error) {
	for i, step := range steps {
		if i > 0 && p.isNull() {
			return p, steps[i:], nil
		}
		if step.Index >= 0 {
			if p.Kind != yaml.SequenceNode || step.Index >= len(p.Elements) {
				return nil, nil, errRefused
			}
			p = p.Elements[step.Index]
			continue
		}
		found, err := p.find(step.Key)
		if err != nil {
			return nil, nil, err
		}
		if found < 0 {
			return p, steps[i:], nil
		}
		p = p.Entries[found].Value
	}
	return p, nil, nil
}

func stringOf(value string) plain {
	return plain{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
}

// apply makes edits on p, an item.
func (p *plain) apply(edits []edit.Edit) error {
	scalars, parents := make([]*plain, len(edits)), make([]*plain, len(edits))
	for i, e := range edits {
		e, ok := e.(edit.SetScalar)
		if !ok {
			continue
		}
		steps, err := e.At.Path.Steps()
		if err != nil {
			return err
		}
		scalar, rest, err := p.walk(steps)
		if err != nil || len(rest) > 0 || scalar.Kind != yaml.ScalarNode {
			return errRefused
		}
		scalars[i] = scalar
		if len(steps) > 0 {
			parents[i], _, _ = p.walk(steps[:len(steps)-1])
		}
	}
	for i, e := range edits {
		var err error
		if scalars[i] != nil && scalars[i].Kind != yaml.ScalarNode {
			return errRefused // an earlier edit added entries
		}
		switch e := e.(type) {
		case edit.SetScalar:
			*scalars[i] = stringOf(e.Value)
			for j, value := range e.More {
				at := slices.Index(parents[i].Elements, scalars[i])
				made := stringOf(value)
				parents[i].Elements = slices.Insert(parents[i].Elements, at+j+1, &made)
			}
		case edit.SetEntry:
			err = p.setEntry(e)
		case edit.RemoveEntry:
			err = p.removeEntry(e)
		case edit.KeepEntries:
			err = p.keepEntries(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *plain) setEntry(e edit.SetEntry) error {
	steps, err := e.Parent.Steps()
	if err != nil {
		return err
	}
	end, rest, err := p.walk(steps)
	if err != nil {
		return err
	}
	if end.isNull() && len(steps) > 0 {
		*end = plain{Kind: yaml.MappingNode, Tag: "!!map"}
	}
	value := stringOf(e.Value)
	if e.Bool {
		value.Tag = "!!bool"
	}
	for _, step := range append(rest, yamldoc.Step{Key: e.Key, Index: -1}) {
		found, err := end.find(step.Key)
		if err != nil || step.Index >= 0 {
			return errRefused
		}
		if found < 0 {
			key := stringOf(step.Key)
			key.Tag = "key"
			end.Entries = append(end.Entries, plainEntry{&key, &plain{Kind: yaml.MappingNode, Tag: "!!map"}})
			found = len(end.Entries) - 1
		} else if end.Entries[found].Value.Kind != yaml.ScalarNode {
			return errRefused
		} else if was := end.Entries[found].Value; e.Bool && was.Tag == "!!bool" && strings.EqualFold(was.Value, e.Value) {
			return nil
		}
		end = end.Entries[found].Value
	}
	*end = value
	return nil
}

func (p *plain) removeEntry(e edit.RemoveEntry) error {
	steps, err := e.Parent.Steps()
	if err != nil {
		return err
	}
	end, rest, err := p.walk(steps)
	if err != nil {
		return err
	}
	if len(rest) > 0 || end.isNull() && len(steps) > 0 {
		return nil
	}
	found, err := end.find(e.Key)
	if err == nil && found >= 0 {
		end.Entries = slices.Delete(end.Entries, found, found+1)
	}
	return err
}

func (p *plain) keepEntries(e edit.KeepEntries) error {
	steps, err := e.Parent.Steps()
	if err != nil {
		return err
	}
	end, rest, err := p.walk(steps)
	if err != nil || len(rest) > 0 || end.isNull() && len(steps) > 0 {
		return err
	}
	if end.Kind != yaml.MappingNode {
		return errRefused
	}
	end.Entries = slices.DeleteFunc(end.Entries, func(entry plainEntry) bool { return !e.Keys[entry.Key.Value] })
	return nil
}
