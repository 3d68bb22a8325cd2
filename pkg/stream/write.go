package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// A Result is one of a ResourceList's results, by the KRM functions
// specification: something the function has to tell of a resource.
type Result struct {
	Message     string       `yaml:"message" json:"message"`
	Severity    Severity     `yaml:"severity" json:"severity"`
	ResourceRef *ResourceRef `yaml:"resourceRef,omitempty" json:"resourceRef,omitempty"`
	Field       *Field       `yaml:"field,omitempty" json:"field,omitempty"`
	File        *File        `yaml:"file,omitempty" json:"file,omitempty"`
}

// Severity is how bad a Result is.
type Severity string

// The severities of the KRM functions specification.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// A ResourceRef names the resource that a Result is about.
type ResourceRef struct {
	APIVersion string `yaml:"apiVersion" json:"apiVersion"`
	Kind       string `yaml:"kind" json:"kind"`
	Name       string `yaml:"name" json:"name"`
	Namespace  string `yaml:"namespace,omitempty" json:"namespace,omitempty"`
}

// A Field names the field that a Result is about.
type Field struct {
	Path string `yaml:"path" json:"path"`
}

// A File names the file that a resource was read from, as the orchestrator's
// annotations have it.
type File struct {
	Path  string `yaml:"path" json:"path"`
	Index int    `yaml:"index,omitempty" json:"index,omitempty"`
}

// Write writes the input with the text of some chunks replaced. A ResourceList
// gets results in place of those it came with, and items: [] where it has no
// items; results are ignored for a stream.
func (in *Input) Write(w io.Writer, replaced map[*Chunk][]byte, results []Result) error {
	out := &ender{w: w}
	for _, d := range in.documents {
		if in.IsResourceList && in.flow && d.text != nil && !isBlank(d.text) {
			text := d.text
			for _, p := range d.parts {
				if r, ok := replaced[p.chunk]; ok && p.chunk != nil {
					text = r
				}
			}
			text, err := finishFlow(text, in.hasItems, results)
			if err != nil {
				return err
			}
			out.write(text)
			continue
		}
		body := in.IsResourceList && d.text != nil && !isBlank(d.text)
		for _, p := range d.parts {
			switch {
			case p.chunk == nil && p.results:
			case p.chunk == nil:
				out.write(p.literal)
			default:
				text := p.chunk.Text
				if r, ok := replaced[p.chunk]; ok {
					text = r
				}
				if body && p.chunk.form == formList {
					text = withoutResults(text)
				}
				out.write(text)
			}
		}
		if body {
			if err := in.finishBlock(out, results); err != nil {
				return err
			}
		}
	}
	return out.err
}

// finishBlock writes what a ResourceList in block style ends with.
func (in *Input) finishBlock(out *ender, results []Result) error {
	if !in.hasItems {
		out.newline()
		out.write([]byte("items: []\n"))
	}
	if len(results) == 0 {
		return nil
	}
	out.newline()
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(map[string][]Result{"results": results}); err != nil {
		return fmt.Errorf("encoding results: %w", err)
	}
	out.write(b.Bytes())
	return nil
}

// withoutResults returns the text of a ResourceList in block style without its
// results.
func withoutResults(text []byte) []byte {
	_, found, ok := sections(text)
	if !ok {
		return text
	}
	for _, s := range found {
		if s.key == "results" {
			return append(bytes.Clone(text[:s.start]), text[s.end:]...)
		}
	}
	return text
}

// finishFlow returns the text of a ResourceList in flow style with results.
func finishFlow(text []byte, hasItems bool, results []Result) ([]byte, error) {
	tree, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("the result does not parse: %w", err)
	}
	if without, ok := cutResults(text, tree.Content[0]); ok {
		text = without
	} else if text, err = encodeWithoutResults(tree); err != nil {
		return nil, err
	}
	var add []byte
	if !hasItems {
		add = append(add, `, "items": []`...)
	}
	if len(results) > 0 {
		encoded, err := json.Marshal(results)
		if err != nil {
			return nil, fmt.Errorf("encoding results: %w", err)
		}
		add = append(append(add, `, "results": `...), encoded...)
	}
	if len(add) == 0 {
		return text, nil
	}
	// The last brace may stand in a comment, so the outcome is tried.
	added := "results"
	if len(results) == 0 {
		added = "items"
	}
	for end := bytes.LastIndexByte(text, '}'); end >= 0; end = bytes.LastIndexByte(text[:end], '}') {
		insert := add
		if before := bytes.TrimRight(text[:end], " \t\r\n"); len(before) > 0 && (before[len(before)-1] == ',' || before[len(before)-1] == '{') {
			insert = add[1:]
		}
		out := slices.Concat(text[:end], insert, text[end:])
		if tree, err := parse(out); err == nil && len(tree.Content) == 1 && entry(tree.Content[0], added) != nil {
			return out, nil
		}
	}
	return nil, errors.New("the end of the ResourceList was not found")
}

// cutResults returns the text of a ResourceList in flow style without its
// results. It reports false where it cannot tell where those end.
func cutResults(text []byte, root *yaml.Node) ([]byte, bool) {
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if key.Value != "results" {
			continue
		}
		start, ok := offset(text, key)
		from, okValue := offset(text, value)
		if !ok || !okValue {
			return nil, false
		}
		var raw json.RawMessage
		decoder := json.NewDecoder(bytes.NewReader(text[from:]))
		if decoder.Decode(&raw) != nil {
			return nil, false
		}
		end := from + int(decoder.InputOffset())
		if before := bytes.TrimRight(text[:start], " \t\r\n"); len(before) > 0 && before[len(before)-1] == ',' {
			start = len(before) - 1
		} else if after := bytes.TrimLeft(text[end:], " \t\r\n"); len(after) > 0 && after[0] == ',' {
			end = len(text) - len(after) + 1
		}
		return slices.Concat(text[:start], text[end:]), true
	}
	return text, true
}

// offset returns where in text a node stands. It reports false where the
// parser counts lines otherwise.
func offset(text []byte, node *yaml.Node) (int, bool) {
	if hasOtherBreaks(text) {
		return 0, false
	}
	at := 0
	for range node.Line - 1 {
		at = lineEnd(text, at)
	}
	for range node.Column - 1 {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return at, at < len(text)
}

// encodeWithoutResults encodes a ResourceList in flow style anew.
func encodeWithoutResults(tree *yaml.Node) ([]byte, error) {
	root := tree.Content[0]
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "results" {
			root.Content = append(root.Content[:i], root.Content[i+2:]...)
			break
		}
	}
	var b bytes.Buffer
	if err := yaml.NewEncoder(&b).Encode(tree); err != nil {
		return nil, fmt.Errorf("encoding the ResourceList: %w", err)
	}
	return b.Bytes(), nil
}

// An ender writes, and knows whether the last line has ended.
type ender struct {
	w    io.Writer
	last byte
	err  error
}

func (e *ender) write(b []byte) {
	if e.err != nil || len(b) == 0 {
		return
	}
	_, e.err = e.w.Write(b)
	e.last = b[len(b)-1]
}

func (e *ender) newline() {
	if e.last != '\n' {
		e.write([]byte("\n"))
	}
}
