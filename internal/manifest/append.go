package manifest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// Document returns the item at root as a separate document: its bytes in the chunk without the indentation of a list,
// or JSON if it shares nodes or lines with other items. It fails if the chunk does not parse.
func (c *Chunk) Document(root yamldoc.Path) (text []byte, err error) {
	switch {
	case c.form == formDocument && root == "":
		return c.Text[len(c.header):], nil
	case c.form == formElement && root == yamldoc.Path("").Index(0):
		if text, ok := dedent(c.Text); ok {
			return text, nil
		}
	}
	err = c.Visit(func(items []Item) (err error) {
		if i := slices.IndexFunc(items, func(item Item) bool { return item.Root == root }); i >= 0 {
			text, err = JSON(items[i].Node)
		}
		return err
	})
	return append(text, '\n'), err
}

// dedent returns an element of a block sequence without its dash. It reports false if a line is indented less than the
// first one.
func dedent(element []byte) ([]byte, bool) {
	dash := bytes.IndexByte(element, '-')
	column := dash + 1 + len(element[dash+1:]) - len(bytes.TrimLeft(element[dash+1:], " "))
	margin := bytes.Repeat([]byte(" "), column)
	text := slices.Clone(element)
	text[dash] = ' '
	var out []byte
	for line := range bytes.Lines(text) {
		rest, ok := bytes.CutPrefix(line, margin)
		if !ok {
			rest = bytes.TrimLeft(line, " ")
			if len(bytes.TrimSpace(rest)) > 0 {
				return nil, false
			}
		}
		out = append(out, rest...)
	}
	tree, err := Tree(out)
	return out, err == nil && len(tree.Content) == 1 && tree.Content[0].Kind == yaml.MappingNode
}

// JSON returns a node as JSON, with aliases and merge keys resolved. A scalar that is not valid JSON becomes a string.
// It fails if aliases expand excessively.
func JSON(n *yaml.Node) ([]byte, error) {
	var budget yamldoc.Budget
	var value func(n *yaml.Node) (any, error)
	value = func(n *yaml.Node) (any, error) {
		n = yamldoc.Resolve(n)
		if err := budget.Spend(); err != nil {
			return nil, err
		}
		switch n.Kind {
		case yaml.MappingNode:
			fields := map[string]any{}
			return fields, yamldoc.Each(n, &budget, func(key string, v *yaml.Node, _ bool) (err error) {
				fields[key], err = value(v)
				return err
			})
		case yaml.SequenceNode:
			list := make([]any, len(n.Content))
			for i, element := range n.Content {
				var err error
				if list[i], err = value(element); err != nil {
					return nil, err
				}
			}
			return list, nil
		}
		switch isText := n.ShortTag() == "!!str"; {
		case yamldoc.IsNull(n):
			return nil, nil //nolint:nilnil // JSON's null
		case !isText && json.Valid([]byte(n.Value)):
			return json.RawMessage(n.Value), nil
		}
		return n.Value, nil
	}
	v, err := value(n)
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

func jsonOf(text []byte) ([]byte, error) {
	tree, err := Tree(text)
	if err != nil {
		return nil, err
	}
	return JSON(tree.Content[0])
}

// Append adds documents, each of one item, to the end of the stream or to the items of the ResourceList. replaced are
// the chunks that Write will replace; Append may add to them. It fails if a text to be converted does not parse.
func (in *Input) Append(documents [][]byte, replaced map[*Chunk][]byte) error {
	if len(documents) == 0 {
		return nil
	}
	for i := range in.documents {
		if d := &in.documents[i]; in.IsResourceList && d.text != nil {
			return in.appendItems(d, documents, replaced)
		}
	}
	return in.appendDocuments(documents)
}

func (in *Input) appendDocuments(documents [][]byte) error {
	var last *Chunk
	var before []byte
	divided := false // JSON needs no markers, but a stream with some has them everywhere
	for i, d := range in.documents {
		divided = divided || isStart(&in.documents[i])
		for _, p := range d.parts {
			if !p.removed {
				last, before = cmp.Or(p.chunk, last), p.text(nil)
			}
		}
	}
	for _, text := range documents {
		var start []byte
		if len(before) > 0 && !endsLine(before) {
			start = []byte("\n")
		}
		switch {
		case last != nil && last.json:
			var err error
			if text, err = jsonOf(text); err != nil {
				return err
			}
			if divided {
				start = append(start, "---\n"...)
			}
		case len(before) > 0 && !isMarker(before[bytes.LastIndexByte(before[:len(before)-1], '\n')+1:]):
			start = append(start, "---\n"...)
		}
		if before = text; !endsLine(text) {
			before = append(slices.Clone(text), '\n')
		}
		in.documents = append(in.documents, document{parts: []part{{literal: slices.Concat(start, before), added: true}}})
	}
	return nil
}

func (in *Input) appendItems(d *document, documents [][]byte, replaced map[*Chunk][]byte) error {
	last := len(d.parts) - 1
	for last >= 0 && (d.parts[last].chunk == nil || d.parts[last].removed) {
		last--
	}
	if last < 0 || d.parts[last].chunk.form == formList {
		return in.appendWhole(d, documents, replaced)
	}
	c := d.parts[last].chunk
	column := bytes.IndexByte(c.Text, '-')
	var added []byte
	for _, text := range documents {
		if c.json {
			item, err := jsonOf(text)
			if err != nil {
				return err
			}
			added = slices.Concat(added, []byte(", "), item)
			continue
		}
		added = append(added, strings.Repeat(" ", column)+"- "...)
		margin := []byte{}
		for line := range bytes.Lines(text) {
			if len(bytes.TrimSpace(line)) > 0 {
				added = append(added, margin...)
			}
			added, margin = append(added, line...), bytes.Repeat([]byte(" "), column+2)
		}
		if !endsLine(added) {
			added = append(added, '\n')
		}
	}
	if !c.json && !endsLine(c.text(replaced)) {
		added = append([]byte("\n"), added...)
	}
	d.parts = slices.Insert(d.parts, last+1, part{literal: added, added: true})
	return nil
}

// appendWhole adds items to a ResourceList that has none or was not split, and encodes it again.
func (in *Input) appendWhole(d *document, documents [][]byte, replaced map[*Chunk][]byte) error {
	var text []byte
	for _, p := range d.parts {
		text = append(text, p.text(replaced)...)
	}
	tree, err := yamldoc.ParseWithComments(text)
	if err != nil {
		return err
	}
	root := tree.Content[0]
	items := yamldoc.Resolve(yamldoc.Value(root, "items"))
	if items == nil || items.Kind != yaml.SequenceNode {
		items = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		if i := yamldoc.Index(root, "items"); i >= 0 {
			root.Content[i+1] = items
		} else {
			root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "items"}, items)
		}
	}
	if len(items.Content) == 0 {
		items.Style = root.Style
	}
	for _, text := range documents {
		item, err := yamldoc.ParseWithComments(text)
		if err != nil {
			return err
		}
		items.Content = append(items.Content, item.Content...)
	}
	whole := cmp.Or(d.parts[0].chunk, &Chunk{Text: d.text, Line: d.line, form: formList})
	in.hasItems = true
	d.parts = []part{{chunk: whole}}
	replaced[whole], err = Encode(tree)
	return err
}
