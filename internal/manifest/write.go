package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// Write writes the input with the text of some chunks replaced. In a ResourceList, results replace the former ones, and
// items: [] is added if it has no items. A stream has no results. Its error is the writer's, or that of encoding the
// results.
func (in *Input) Write(w io.Writer, replaced map[*Chunk][]byte, results []Result) error {
	for i := range in.documents {
		d := &in.documents[i]
		parts := d.parts
		if in.IsResourceList && d.text != nil {
			var err error
			if parts, err = in.complete(d, replaced, results); err != nil {
				return err
			}
		}
		for _, p := range parts {
			text := p.text(replaced)
			if len(text) == 0 {
				continue
			}
			if _, err := w.Write(text); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *part) text(replaced map[*Chunk][]byte) []byte {
	switch {
	case p.results || p.removed:
		return nil
	case p.chunk != nil:
		return p.chunk.text(replaced)
	}
	return p.literal
}

func (c *Chunk) text(replaced map[*Chunk][]byte) []byte {
	text, ok := replaced[c]
	switch {
	case ok && !bytes.HasPrefix(text, c.header):
		return slices.Concat(c.header, []byte("\n"), text)
	case ok:
		return text
	case c.original != nil:
		return c.original
	}
	return c.Text
}

// complete returns the parts of a ResourceList with the entries it lacks: at the end, or first if a line break at the
// end would become part of a block scalar.
func (in *Input) complete(d *document, replaced map[*Chunk][]byte, results []Result) ([]part, error) {
	if d.parts[0].chunk != nil {
		text, err := in.completeWhole(d.parts[0].text(replaced), results)
		return []part{{literal: text}}, err
	}
	var added []byte
	at := len(d.parts)
	if in.flow {
		at-- // before the closing brace
		added = in.flowEntries(results, ", ", "")
	} else {
		first := !endsLine(lastWritten(d.parts, replaced))
		if first {
			at = 1
		}
		added = in.blockEntries(d.text, 0, results, first)
	}
	return slices.Insert(slices.Clone(d.parts), at, part{literal: added}), nil
}

func lastWritten(parts []part, replaced map[*Chunk][]byte) []byte {
	for _, p := range slices.Backward(parts) {
		if text := p.text(replaced); len(text) > 0 {
			return text
		}
	}
	return nil
}

// blockEntries returns the entries that a ResourceList in block style lacks, as lines indented by column, with the line
// breaks of text. Results are outermost, where another run puts them.
func (in *Input) blockEntries(text []byte, column int, results []Result, first bool) []byte {
	entries := blockResults(results)
	switch items := []byte("items: []\n"); {
	case in.hasItems:
	case first:
		entries = append(entries, items...)
	default:
		entries = append(items, entries...)
	}
	var out []byte
	for line := range bytes.Lines(entries) {
		if len(line) > 1 {
			out = append(out, bytes.Repeat([]byte(" "), column)...)
		}
		out = append(out, line...)
	}
	if bytes.HasSuffix(text[:lineEnd(text, 0)], []byte("\r\n")) {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	return out
}

// flowEntries returns the entries that a ResourceList in flow style lacks, each between before and after.
func (in *Input) flowEntries(results []Result, before, after string) []byte {
	var out []byte
	if !in.hasItems {
		out = append(out, before+`"items": []`+after...)
	}
	if len(results) == 0 {
		return out
	}
	encoded, _ := json.Marshal(results) // cannot fail for strings
	return slices.Concat(out, []byte(before+`"results": `), encoded, []byte(after))
}

// completeWhole returns the text of a ResourceList that was not split, with the entries it lacks and without former
// results. It is encoded again if the places of these are not clear from the text.
func (in *Input) completeWhole(text []byte, results []Result) ([]byte, error) {
	tree, err := yamldoc.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the result does not parse: %w", yamldoc.AtLine(err, text, 1))
	}
	root := tree.Content[0]
	if yamldoc.Value(root, "results") == nil && in.hasItems && len(results) == 0 {
		return text, nil
	}
	if !hasOtherBreaks(text) {
		insert := in.insertBlock
		if in.flow {
			insert = in.insertFlow
		}
		if out := insert(text, root, results); in.isComplete(root, out, results) {
			return out, nil
		}
	}
	if tree, err = yamldoc.ParseWithComments(text); err != nil {
		return nil, fmt.Errorf("the result does not parse: %w", yamldoc.AtLine(err, text, 1))
	}
	more, err := yamldoc.Parse(in.blockEntries(nil, 0, results, false))
	if err != nil {
		return nil, fmt.Errorf("the results do not parse: %w", err)
	}
	root = tree.Content[0]
	yamldoc.Remove(root, "results")
	for _, n := range more.Content {
		root.Content = append(root.Content, n.Content...)
	}
	out, err := Encode(tree)
	if err != nil {
		return nil, fmt.Errorf("encoding the ResourceList: %w", err)
	}
	return out, nil
}

// insertBlock replaces the results in the text of a ResourceList in block style, in which each entry begins a line.
func (in *Input) insertBlock(text []byte, root *yaml.Node, results []Result) []byte {
	column := root.Content[0].Column - 1
	if i := yamldoc.Index(root, "results"); i >= 0 {
		start, end := offset(text, root.Content[i].Line, 1), len(text)
		if i+2 < len(root.Content) {
			end = offset(text, root.Content[i+2].Line, 1)
		}
		end -= trailingComments(text[start:end], column)
		text = slices.Concat(text[:start], text[end:])
	}
	first, at := !endsLine(text), len(text)
	if first {
		at = offset(text, root.Content[0].Line, 1)
	}
	return slices.Concat(text[:at], in.blockEntries(text, column, results, first), text[at:])
}

// insertFlow replaces the results in the text of a ResourceList in flow style, right after the opening brace: unlike
// the closing brace, its place is known.
func (in *Input) insertFlow(text []byte, root *yaml.Node, results []Result) []byte {
	if i := yamldoc.Index(root, "results"); i >= 0 && i+2 < len(root.Content) {
		from, to := root.Content[i], root.Content[i+2]
		text = slices.Concat(text[:offset(text, from.Line, from.Column)], text[offset(text, to.Line, to.Column):])
	}
	at := offset(text, root.Line, root.Column+1)
	return slices.Concat(text[:at], in.flowEntries(results, "", ", "), text[at:])
}

// isComplete reports whether out is the ResourceList root with exactly these results.
func (in *Input) isComplete(root *yaml.Node, out []byte, results []Result) bool {
	tree, err := yamldoc.Parse(out)
	if err != nil || len(tree.Content) != 1 || yamldoc.Duplicate(tree.Content[0]) != nil {
		return false
	}
	want := len(root.Content)
	if yamldoc.Value(root, "results") != nil {
		want -= 2
	}
	if !in.hasItems {
		want += 2
	}
	if len(results) > 0 {
		want += 2
	}
	now := tree.Content[0]
	return len(now.Content) == want && (yamldoc.Value(now, "results") != nil) == (len(results) > 0) && itemsIn(now) == itemsIn(root)
}

func itemsIn(root *yaml.Node) int {
	if items := yamldoc.Value(root, "items"); items != nil {
		return len(items.Content)
	}
	return 0
}

// offset returns the offset of a line and a column of text, both from 1.
func offset(text []byte, line, column int) int {
	at := 0
	for range line - 1 {
		at = lineEnd(text, at)
	}
	for range column - 1 {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return at
}
