package manifest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// A list holds the places of the entries of a List or a ResourceList in its text: a block mapping at column 0, or JSON.
type list struct {
	text     []byte
	json     bool
	entries  []entry
	items    int        // index of the entry items, -1 if there is none
	elements []span     // of items; nil if they cannot be split
	rest     *yaml.Node // the mapping without items
}

// An entry is a top-level entry of a list. In JSON its span begins with the comma before it. In block style its span
// ends before comments about the next entry.
type entry struct {
	span
	key   string
	value int // where the value begins
}

// confirm parses everything but the items. It reports false if the entries do not match the parsed text, or a key is
// duplicate: such a text is parsed whole.
func (l *list) confirm() bool {
	text, want := l.text, len(l.entries)
	if l.items >= 0 {
		cut := l.removal(l.items)
		text, want = slices.Concat(text[:cut.start], text[cut.end:]), want-1
	}
	tree, err := Tree(text)
	if err != nil || len(tree.Content) != 1 {
		return false
	}
	l.rest = tree.Content[0]
	return len(l.rest.Content) == 2*want && yamldoc.Index(l.rest, "items") < 0 && yamldoc.Duplicate(l.rest) == nil
}

// removal returns the bytes to cut to remove an entry.
func (l *list) removal(i int) span {
	s := l.entries[i].span
	if l.json && i == 0 && len(l.entries) > 1 {
		s.end = l.entries[1].start + 1 // the comma after it
	}
	return s
}

func (l *list) cutElements(c *cutter) {
	f := formElement
	if l.json {
		f = formDocument
	}
	c.parts = slices.Grow(c.parts, len(l.elements))
	for _, s := range l.elements {
		c.chunk(s, f, l.json)
	}
}

// cut returns the parts of a List, nil if it is not a List or cannot be split. line is the line of the input on which
// its text begins.
func (l *list) cut(line int) []part {
	if l == nil || len(l.elements) == 0 || !l.confirm() || !strings.HasSuffix(yamldoc.Text(l.rest, "kind"), "List") {
		return nil
	}
	c := cutter{text: l.text, line: line}
	l.cutElements(&c)
	c.literal(len(l.text))
	return c.parts
}

// splitStream splits a document of a stream: Lists into items, concatenated JSON into values.
func (d *document) splitStream() {
	switch {
	case bytes.TrimLeft(d.text, white)[0] == '{':
		d.parts = splitJSON(d.text, d.line)
	case bytes.Contains(d.text, []byte("items:")):
		d.parts = readBlock(d.text).cut(d.line)
	}
	if d.parts == nil {
		d.keepWhole(formDocument, nil)
	}
}

func (in *Input) splitResourceList(d *document) error {
	if !bytes.Contains(d.text, []byte("ResourceList")) {
		return nil
	}
	l := readBlock(d.text)
	if l == nil {
		l = readOnlyJSON(d.text)
	}
	if l == nil || !l.confirm() {
		return in.keepResourceList(d)
	}
	if yamldoc.Text(l.rest, "kind") != "ResourceList" {
		return nil
	}
	if err := checkVersion(yamldoc.Text(l.rest, "apiVersion"), d.line); err != nil {
		return err
	}
	parts := l.cutResourceList(d.line)
	if parts == nil {
		return in.keepResourceList(d)
	}
	d.parts = parts
	in.IsResourceList, in.hasItems, in.flow = true, l.items >= 0, l.json
	in.setFunctionConfig(yamldoc.Value(l.rest, "functionConfig"))
	return nil
}

// cutResourceList returns the parts of a ResourceList, nil if its items cannot be split. Null items become []. The
// first part is what precedes the entries; in JSON, the last part begins with the closing brace.
func (l *list) cutResourceList(line int) []part {
	c := cutter{text: l.text, line: line}
	c.parts = append(c.parts, part{literal: c.cut(l.entries[0].start)})
	for i, e := range l.entries {
		switch {
		case e.key == "results":
			s := l.removal(i)
			c.literal(s.start)
			c.parts = append(c.parts, part{literal: c.cut(s.end), results: true})
		case i == l.items && l.elements == nil:
			null, ok := nullLength(l.text[e.value:e.end])
			if !ok {
				return nil
			}
			c.literal(e.value)
			c.parts = append(c.parts, part{literal: []byte(" []")})
			c.cut(e.value + null)
		case i == l.items:
			l.cutElements(&c)
		}
	}
	if l.json {
		c.literal(bytes.LastIndexByte(l.text, '}'))
	}
	c.literal(len(l.text))
	return c.parts
}

// nullLength returns the length of a null value, without a comment after it, and false for any other value.
func nullLength(value []byte) (int, bool) {
	line := value[:lineEnd(value, 0)]
	written, _, _ := bytes.Cut(line, []byte(" #"))
	word := bytes.TrimSpace(written)
	isNull := len(word) == 0 || string(word) == "null" || string(word) == "~"
	return bytes.Index(line, word) + len(word), isNull && isBlank(value[len(line):])
}

// keepResourceList is splitResourceList for a document that is parsed whole.
func (in *Input) keepResourceList(d *document) error {
	tree, err := yamldoc.Parse(d.text)
	if err != nil {
		// Parse will report errors in streams such as concatenated JSON, but a document that mentions ResourceList at
		// its beginning is meant to be one.
		if bytes.Contains(d.text[:min(len(d.text), 200)], []byte("ResourceList")) {
			return yamldoc.AtLine(err, d.text, d.line)
		}
		return nil
	}
	if len(tree.Content) != 1 || yamldoc.Text(tree.Content[0], "kind") != "ResourceList" {
		return nil
	}
	root := tree.Content[0]
	if err := checkVersion(yamldoc.Text(root, "apiVersion"), d.line); err != nil {
		return err
	}
	if key := yamldoc.Duplicate(root); key != nil {
		return fmt.Errorf("line %d: the ResourceList has %s twice; keep one", d.line+key.Line-1, yamldoc.NameOf(root, key))
	}
	items := yamldoc.Value(root, "items")
	if items != nil && items.Kind != yaml.SequenceNode && items.Tag != "!!null" {
		return fmt.Errorf("line %d: items of the ResourceList is %s; it must be a sequence of resources", d.line+items.Line-1, yamldoc.Describe(items))
	}
	in.IsResourceList, in.hasItems, in.flow = true, items != nil, root.Style&yaml.FlowStyle != 0
	in.setFunctionConfig(yamldoc.Value(root, "functionConfig"))
	d.keepWhole(formList, tree)
	return nil
}

func checkVersion(apiVersion string, line int) error {
	switch apiVersion {
	case "config.kubernetes.io/v1", "config.kubernetes.io/v1beta1", "config.kubernetes.io/v1alpha1":
		return nil
	}
	return fmt.Errorf("line %d: the ResourceList has apiVersion %q; config.kubernetes.io/v1 and config.kubernetes.io/v1alpha1 are known", line, apiVersion)
}
