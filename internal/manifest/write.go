package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/edit"
)

// Write writes the input with the text of some chunks replaced. A ResourceList gets
// results in place of those it had, and items: [] if it has no items. A stream has no
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

// complete returns the parts of a ResourceList with the entries that it still needs: at
// the end, or first if a line break at the end would become part of a block scalar.
func (in *Input) complete(d *document, replaced map[*Chunk][]byte, results []Result) ([]part, error) {
	if d.parts[0].chunk != nil {
		text, err := in.completeWhole(d.parts[0].text(replaced), results)
		return []part{{literal: text}}, err
	}
	var added []byte
	var err error
	at := len(d.parts)
	if in.json {
		at-- // the closing brace
		added, err = in.flowEntries(results)
	} else {
		first := !endsLine(lastWritten(d.parts, replaced))
		if first {
			at = 1
		}
		added, err = in.blockEntries(d.text, results, first)
	}
	return slices.Insert(slices.Clone(d.parts), at, part{literal: added}), err
}

func lastWritten(parts []part, replaced map[*Chunk][]byte) []byte {
	for _, p := range slices.Backward(parts) {
		if text := p.text(replaced); len(text) > 0 {
			return text
		}
	}
	return nil
}

// blockEntries returns the entries that a ResourceList in block style still needs, with the
// line breaks of text. Results are at the edge, where another run puts them.
func (in *Input) blockEntries(text []byte, results []Result, first bool) ([]byte, error) {
	entries, err := blockResults(results)
	if err != nil {
		return nil, err
	}
	switch items := []byte("items: []\n"); {
	case in.hasItems:
	case first:
		entries = append(entries, items...)
	default:
		entries = append(items, entries...)
	}
	if bytes.HasSuffix(text[:lineEnd(text, 0)], []byte("\r\n")) {
		entries = bytes.ReplaceAll(entries, []byte("\n"), []byte("\r\n"))
	}
	return entries, nil
}

// flowEntries returns the entries that a ResourceList in flow style still needs, each after a
// comma.
func (in *Input) flowEntries(results []Result) ([]byte, error) {
	var out []byte
	if !in.hasItems {
		out = append(out, `, "items": []`...)
	}
	if len(results) == 0 {
		return out, nil
	}
	encoded, err := json.Marshal(results)
	if err != nil {
		return nil, fmt.Errorf("encoding results: %w", err)
	}
	return slices.Concat(out, []byte(`, "results": `), encoded), nil
}

// completeWhole returns the text of a ResourceList that was not split, with the entries
// that it still needs and without former results.
func (in *Input) completeWhole(text []byte, results []Result) ([]byte, error) {
	var edits []edit.Edit
	failed := func(err error) ([]byte, error) { return nil, fmt.Errorf("encoding the ResourceList: %w", err) }
	if !in.hasItems {
		edits = append(edits, edit.SetNode{Key: "items", Value: &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}})
	}
	if len(results) == 0 {
		edits = append(edits, edit.RemoveEntry{Key: "results"})
	} else {
		node := &yaml.Node{}
		if err := node.Encode(results); err != nil {
			return failed(err)
		}
		edits = append(edits, edit.SetNode{Key: "results", Value: node})
	}
	out, err := edit.Apply(text, []edit.Item{{Edits: edits}})
	if err != nil {
		return failed(err)
	}
	return out, nil
}
