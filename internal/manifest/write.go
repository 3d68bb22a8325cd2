package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/yamldoc"
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
	for i := range in.documents {
		d := &in.documents[i]
		var err error
		switch {
		case !in.IsResourceList || d.isBlank():
			err = d.write(w, replaced)
		case d.parts[0].chunk != nil:
			err = in.writeWhole(w, d.parts[0].chunk.text(replaced), results)
		case d.parts[len(d.parts)-1].closing:
			err = d.writeJSON(w, replaced, results)
		default:
			err = in.writeParts(w, d, replaced, results)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// text returns what is written for a chunk.
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

// write writes the parts of a document.
func (d *document) write(w io.Writer, replaced map[*Chunk][]byte) error {
	for _, p := range d.parts {
		text := p.literal
		if p.chunk != nil {
			text = p.chunk.text(replaced)
		}
		if p.results || len(text) == 0 {
			continue
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// writeParts writes a ResourceList that was split.
func (in *Input) writeParts(w io.Writer, d *document, replaced map[*Chunk][]byte, results []Result) error {
	// A line break at the end would add one to a block scalar there.
	inFront := !d.endsLine(replaced)
	added, err := in.entries(d.text, 0, results, inFront)
	if err != nil {
		return err
	}
	if len(added) == 0 {
		return d.write(w, replaced)
	}
	lead, rest := document{parts: d.parts[:1]}, document{parts: d.parts[1:]}
	steps := []func() error{
		func() error { return lead.write(w, replaced) },
		func() error { return rest.write(w, replaced) },
		func() error { _, err := w.Write(added); return err },
	}
	if inFront {
		steps[1], steps[2] = steps[2], steps[1]
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// writeJSON writes a ResourceList in JSON that was split.
func (d *document) writeJSON(w io.Writer, replaced map[*Chunk][]byte, results []Result) error {
	added, err := flowResults(results)
	if err != nil {
		return err
	}
	body, closing := document{parts: d.parts[:len(d.parts)-1]}, d.parts[len(d.parts)-1]
	if err := body.write(w, replaced); err != nil {
		return err
	}
	if _, err := w.Write(added); err != nil {
		return err
	}
	_, err = w.Write(closing.literal)
	return err
}

// flowResults returns the entry that results are in flow style, behind others.
func flowResults(results []Result) ([]byte, error) {
	if len(results) == 0 {
		return nil, nil
	}
	encoded, err := json.Marshal(results)
	if err != nil {
		return nil, fmt.Errorf("encoding results: %w", err)
	}
	return append([]byte(`, "results": `), encoded...), nil
}

// endsLine reports whether what is written of the document, without its former
// results, ends in a line break.
func (d *document) endsLine(replaced map[*Chunk][]byte) bool {
	for _, p := range slices.Backward(d.parts) {
		text := p.literal
		if p.chunk != nil {
			text = p.chunk.text(replaced)
		}
		if !p.results && len(text) > 0 {
			return bytes.HasSuffix(text, []byte("\n"))
		}
	}
	return true
}

// entries returns the entries that a ResourceList in block style still needs,
// as lines indented by column, with the line breaks of text. Results stand at the
// edge, where another run will put them.
func (in *Input) entries(text []byte, column int, results []Result, inFront bool) ([]byte, error) {
	var b bytes.Buffer
	if !in.hasItems && !inFront {
		b.WriteString("items: []\n")
	}
	if err := encodeResults(&b, results); err != nil {
		return nil, err
	}
	if !in.hasItems && inFront {
		b.WriteString("items: []\n")
	}
	lines := bytes.SplitAfter(b.Bytes(), []byte("\n"))
	var out []byte
	for _, line := range lines {
		if len(line) > 1 {
			out = append(out, bytes.Repeat([]byte(" "), column)...)
		}
		out = append(out, line...)
	}
	if end := lineEnd(text, 0); bytes.HasSuffix(text[:end], []byte("\r\n")) {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	return out, nil
}

// encodeResults appends the entry that results are in block style to b: nothing
// if there are none. The encoder keeps all that it is given until it is done, so
// it gets a few at a time.
func encodeResults(b *bytes.Buffer, results []Result) error {
	const key = "results:\n"
	if len(results) > 0 {
		b.WriteString(key)
	}
	for some := range slices.Chunk(results, 64) {
		var encoded bytes.Buffer
		encoder := yaml.NewEncoder(&encoded)
		encoder.SetIndent(2)
		encoder.CompactSeqIndent()
		if err := encoder.Encode(map[string][]Result{"results": some}); err != nil {
			return fmt.Errorf("encoding results: %w", err)
		}
		b.Write(encoded.Bytes()[len(key):])
	}
	return nil
}

// writeWhole writes a ResourceList that was not split.
func (in *Input) writeWhole(w io.Writer, text []byte, results []Result) error {
	finish := in.finishBlock
	if in.flow {
		finish = in.finishFlow
	}
	out, err := finish(text, results)
	if err == nil && out == nil {
		out, err = in.encode(text, results)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

// complete reports whether out is the ResourceList text, which may have had
// results, with these and no others.
func (in *Input) complete(text, out []byte, results []Result) bool {
	before, err := parse(text)
	if err != nil {
		return false
	}
	after, err := parse(out)
	if err != nil || len(after.Content) != 1 || yamldoc.Duplicate(after.Content[0]) != nil {
		return false
	}
	was, is := before.Content[0], after.Content[0]
	want := len(was.Content)
	if entry(was, "results") != nil {
		want -= 2
	}
	if !in.hasItems {
		want += 2
	}
	if len(results) > 0 {
		want += 2
	}
	if len(is.Content) != want || (entry(is, "results") != nil) != (len(results) > 0) {
		return false
	}
	items := func(root *yaml.Node) int {
		if n := entry(root, "items"); n != nil {
			return len(n.Content)
		}
		return 0
	}
	return items(was) == items(is)
}

// encode encodes a ResourceList anew, with results.
func (in *Input) encode(text []byte, results []Result) ([]byte, error) {
	tree, err := yamldoc.ParseWithComments(text)
	if err != nil {
		return nil, fmt.Errorf("the result does not parse: %w", safe(err, text))
	}
	root := tree.Content[0]
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "results" {
			root.Content = slices.Delete(root.Content, i, i+2)
			break
		}
	}
	if !in.flow {
		added, err := in.entries(nil, 0, results, false)
		if err != nil {
			return nil, err
		}
		more, err := parse(added)
		if err != nil {
			return nil, fmt.Errorf("the results do not parse: %w", err)
		}
		for _, n := range more.Content {
			root.Content = append(root.Content, n.Content...)
		}
	}
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(tree); err != nil {
		return nil, fmt.Errorf("encoding the ResourceList: %w", err)
	}
	if in.flow {
		return in.finishFlow(b.Bytes(), results)
	}
	return b.Bytes(), nil
}

// finishBlock returns the text of a ResourceList in block style with results,
// nil where it cannot tell where they go.
func (in *Input) finishBlock(text []byte, results []Result) ([]byte, error) {
	tree, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("the result does not parse: %w", safe(err, text))
	}
	root := tree.Content[0]
	if len(root.Content) == 0 {
		return nil, nil
	}
	column := root.Content[0].Column - 1
	// lineOf returns where the line of an entry's key begins.
	lineOf := func(i int) (int, bool) {
		at, ok := offset(text, root.Content[i])
		if !ok || at < column || len(bytes.Trim(text[at-column:at], " ")) > 0 || at > column && text[at-column-1] != '\n' {
			return 0, false
		}
		return at - column, true
	}
	first, ok := lineOf(0)
	if !ok {
		return nil, nil
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != "results" {
			continue
		}
		start, ok := lineOf(i)
		end := len(text)
		if i+2 < len(root.Content) && ok {
			end, ok = lineOf(i + 2)
		}
		if !ok {
			return nil, nil
		}
		end -= trailingComments(text[start:end], column)
		text = slices.Concat(text[:start], text[end:])
		break
	}
	inFront := !bytes.HasSuffix(text, []byte("\n"))
	added, err := in.entries(text, column, results, inFront)
	if err != nil {
		return nil, err
	}
	out := slices.Concat(text, added)
	if inFront {
		out = slices.Concat(text[:first], added, text[first:])
	}
	if !in.complete(text, out, results) {
		return nil, nil
	}
	return out, nil
}

// finishFlow returns the text of a ResourceList in flow style with results, nil
// where it cannot tell where they go.
func (in *Input) finishFlow(text []byte, results []Result) ([]byte, error) {
	tree, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("the result does not parse: %w", safe(err, text))
	}
	root := tree.Content[0]
	text, ok := cutResults(text, root)
	if !ok {
		return nil, nil
	}
	var add []byte
	if !in.hasItems {
		add = append(add, `, "items": []`...)
	}
	more, err := flowResults(results)
	if err != nil {
		return nil, err
	}
	if add = append(add, more...); len(add) == 0 {
		return text, nil
	}
	for _, end := range lastBraces(text) {
		more := add
		if before := bytes.TrimRight(text[:end], " \t\r\n"); len(before) > 0 && (before[len(before)-1] == ',' || before[len(before)-1] == '{') {
			more = add[1:]
		}
		if out := slices.Concat(text[:end], more, text[end:]); in.complete(text, out, results) {
			return out, nil
		}
	}
	return nil, nil
}

// lastBraces returns where the last closing braces stand, the last first, a few
// of them: those behind the last one of all that is in no comment can only be in
// one.
func lastBraces(text []byte) []int {
	const most = 16
	var found []int
	for end := len(text); end > 0 && len(found) < most; {
		start := bytes.LastIndexByte(text[:end-1], '\n') + 1
		if line := text[start:end]; !bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
			for at := bytes.LastIndexByte(line, '}'); at >= 0 && len(found) < most; at = bytes.LastIndexByte(line[:at], '}') {
				found = append(found, start+at)
			}
		}
		end = start
	}
	return found
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

// offset returns where in text a node stands.
func offset(text []byte, node *yaml.Node) (int, bool) {
	at, ok := edit.NewPositions(text).Offset(node.Line, node.Column)
	return at, ok && at < len(text)
}
