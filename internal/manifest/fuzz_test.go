package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/test/support/corpus"
)

// patience is far more than splitting an input of maxInput bytes takes.
const (
	patience = 30 * time.Second
	maxInput = 64 << 10
)

// FuzzSplit compares the items of the split input with those that the parser finds in the whole text, and the output
// with the input.
func FuzzSplit(f *testing.F) {
	for _, text := range corpus.Manifests(f, 8<<10) {
		f.Add([]byte(text))
	}
	for _, text := range []string{
		head + "items:\n- metadata: {name: a}\n  x: \"one\n- two\"\n- metadata: {name: b}\n",
		head + "items:\n  - metadata: &m {name: a}\n  - metadata: *m\nfunctionConfig: {a: b}\n",
		head + "items:\n- metadata: {name: a}\n  x: |\n   - k\n# c\n- metadata: {name: b}\nresults: []\n",
		"a: 'x\n- y'\nitems:\n- [a,\n- b]\n",
		"kind: List\r\nitems:\r\n- metadata: {name: a}\r\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) <= maxInput {
			checkSplit(t, data)
		}
	})
}

func checkSplit(t *testing.T, data []byte) {
	t.Helper()
	// A fuzzer keeps its input after a panic.
	defer time.AfterFunc(patience, func() { panic(fmt.Sprintf("no end after %s", patience)) }).Stop()
	was := bytes.Clone(data)
	in, err := Split(data)
	if err != nil {
		checkRefusal(t, data, err)
		return
	}
	chunks, found, err := Parse(in, func(_ *Chunk, items []Item) ([]string, error) {
		var all []string
		for _, item := range items {
			all = append(all, meaningOf(item.Node))
		}
		return all, nil
	})
	if err != nil {
		checkRefusal(t, data, err)
		return
	}
	checkChunks(t, data, chunks)
	if want, ok := wholeItems(t, data); ok {
		if diff := cmp.Diff(want, slices.Concat(found...)); diff != "" {
			t.Fatalf("items (-whole +split):\n%s", diff)
		}
	}
	if in.IsResourceList {
		checkResourceList(t, data, in)
	} else if out := write(t, in); out != string(data) {
		t.Errorf("written otherwise:\n%q\n%q", data, out)
	}
	if !bytes.Equal(was, data) {
		t.Errorf("the input has been written to: %q", data)
	}
}

// checkChunks checks that the chunks are in data at the lines that they report.
func checkChunks(t *testing.T, data []byte, chunks []*Chunk) {
	t.Helper()
	from := 0
	for _, c := range chunks {
		text := c.Text
		if c.original != nil {
			text = c.original
		}
		at := bytes.Index(data[from:], text)
		if at < 0 {
			t.Fatalf("the chunk %q is not after byte %d", text, from)
		}
		// There may be equal text further up; the line shows where the chunk is.
		for lineAt(data, from+at) < c.Line {
			next := bytes.Index(data[from+at+1:], text)
			if next < 0 {
				t.Fatalf("the chunk %q is not in line %d", text, c.Line)
			}
			at += 1 + next
		}
		if got := lineAt(data, from+at); got != c.Line {
			t.Fatalf("the chunk %q is in line %d, not %d", text, got, c.Line)
		}
		from += at + len(text)
	}
}

func lineAt(data []byte, at int) int { return 1 + bytes.Count(data[:at], []byte("\n")) }

// checkRefusal checks that an error is clear, and that the parser also rejects text reported as invalid YAML.
func checkRefusal(t *testing.T, data []byte, err error) {
	t.Helper()
	if text := err.Error(); strings.TrimSpace(text) == "" || strings.Contains(text, "%!") && !bytes.Contains(data, []byte("%!")) {
		t.Errorf("an error says nothing: %q", text)
	}
	var parseError *yamldoc.ParseError
	if !errors.As(err, &parseError) {
		return
	}
	if lines := 1 + bytes.Count(breaksAsNewlines(data), []byte("\n")); parseError.Line < 1 || parseError.Line > lines {
		t.Errorf("%v: there are %d lines", err, lines)
	}
	for _, ours := range []string{
		"a second document begins here", // it could not be distinguished
		"an alias names an anchor",      // the parser accepts anchors of earlier documents
	} {
		if strings.Contains(err.Error(), ours) {
			return
		}
	}
	if _, wholeErr := decodeAll(data); wholeErr == nil {
		t.Errorf("refused, but not by the parser: %v", err)
	}
}

func breaksAsNewlines(data []byte) []byte {
	return []byte(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(string(data)))
}

// decodeAll parses all documents of data with the parser alone.
func decodeAll(data []byte) (docs []*yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
			return docs, nil
		} else if err != nil {
			return nil, err
		}
		docs = append(docs, &doc)
	}
}

// wholeItems returns the meaning of the items that the parser finds in data. It returns false if the parser is not a
// valid reference for data.
func wholeItems(t *testing.T, data []byte) ([]string, bool) {
	t.Helper()
	if bytes.LastIndex(data, []byte("\ufeff")) > 0 {
		return nil, false // the parser treats a mark before a further document as part of its first key
	}
	docs, err := decodeAll(data)
	if err != nil {
		if !isMoreThanYAML(data, err) {
			t.Fatalf("not refused, but by the parser: %v", err)
		}
		return nil, false
	}
	var found []string
	var expand func(n *yaml.Node)
	expand = func(n *yaml.Node) {
		for n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		if n.Kind == yaml.ScalarNode { // a document without content
			return
		}
		kind, items := yamldoc.Value(n, "kind"), yamldoc.Value(n, "items")
		switch {
		case kind != nil && kind.Value == "ResourceList" && items == nil:
		case kind != nil && strings.HasSuffix(kind.Value, "List") && items != nil:
			for _, item := range items.Content {
				expand(item)
			}
		default:
			found = append(found, meaningOf(n))
		}
	}
	for _, doc := range docs {
		expand(doc.Content[0])
	}
	return found, true
}

// isMoreThanYAML reports whether data is accepted although the parser rejects it: concatenated JSON values, JSON's own
// escapes, stray directives and markers, tabs in blank lines, and characters in comments that YAML forbids.
func isMoreThanYAML(data []byte, err error) bool {
	if strings.Contains(err.Error(), "control characters") {
		return true
	}
	for line := range bytes.Lines(breaksAsNewlines(data)) {
		blanks := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		isTab := bytes.Contains(blanks, []byte("\t")) && isBlank(line)
		if isTab || bytes.HasPrefix(bytes.TrimPrefix(line, []byte("\ufeff")), []byte("%")) || bytes.HasPrefix(line, []byte("...")) && isBlank(line[3:]) {
			return true
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(bytes.TrimLeft(data, "\ufeff-. \t\r\n"), []byte("\ufeff"))))
	var value map[string]any
	return decoder.Decode(&value) == nil
}

// checkResourceList checks the output for a ResourceList: without results it is the input without its own results.
func checkResourceList(t *testing.T, data []byte, in *Input) {
	t.Helper()
	if _, err := decodeAll(data); err != nil {
		return // this is allowed
	}
	before := resourceListOf(t, data)
	none := write(t, in)
	if diff := cmp.Diff(before.entries, resourceListOf(t, []byte(none)).entries); diff != "" {
		t.Fatalf("the ResourceList (-in +out):\n%s\n%q\n%q", diff, data, none)
	}
	isSplit := !slices.ContainsFunc(in.documents, func(d document) bool { return len(d.parts) == 1 && d.parts[0].chunk != nil })
	if before.hasItems && isSplit && !isCut(string(data), none) {
		t.Errorf("written otherwise, in more than a part that is left out:\n%q\n%q", data, none)
	}
	results := []Result{{Message: "it's: \"1\" # {\n", Severity: Warning, Field: &Field{Path: "a[0].b"}}}
	one := write(t, in, results...)
	after := resourceListOf(t, []byte(one))
	if diff := cmp.Diff(before.entries, after.entries); diff != "" {
		t.Fatalf("the ResourceList with a result (-in +out):\n%s\n%q\n%q", diff, data, one)
	}
	if diff := cmp.Diff(results, after.results); diff != "" {
		t.Fatalf("results (-want +got):\n%s\n%q", diff, one)
	}
	again, err := Split([]byte(one))
	if err != nil {
		t.Fatalf("what was written cannot be split: %v\n%q", err, one)
	}
	if diff := cmp.Diff(one, write(t, again, results...)); diff != "" {
		t.Errorf("written again (-once +twice):\n%s", diff)
	}
}

// isCut reports whether out is text without one part of it.
func isCut(text, out string) bool {
	if len(out) > len(text) {
		return false
	}
	at := 0
	for at < len(out) && out[at] == text[at] {
		at++
	}
	return strings.HasSuffix(text, out[at:])
}

// A resourceList is the meaning of a ResourceList's text.
type resourceList struct {
	entries  []string // except results, and empty items
	hasItems bool     // and they are not null
	results  []Result
}

func resourceListOf(t *testing.T, data []byte) resourceList {
	t.Helper()
	docs, err := decodeAll(data)
	if err != nil {
		t.Fatalf("a ResourceList does not parse: %v\n%q", err, data)
	}
	docs = slices.DeleteFunc(docs, func(d *yaml.Node) bool { return d.Content[0].Kind != yaml.MappingNode })
	if len(docs) != 1 {
		t.Fatalf("a ResourceList has become %d documents: %q", len(docs), data)
	}
	root := docs[0].Content[0]
	var list resourceList
	if node := yamldoc.Value(root, "results"); node != nil {
		_ = node.Decode(&list.results) // those of the input may be anything
	}
	items := yamldoc.Value(root, "items")
	list.hasItems = items != nil && items.Tag != "!!null"
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if key.Value == "results" || key.Value == "items" && (value.Tag == "!!null" || len(value.Content) == 0) {
			continue
		}
		list.entries = append(list.entries, meaningOf(key)+meaningOf(value))
	}
	slices.Sort(list.entries) // items may have been added
	return list
}

// meaningOf returns the meaning of a node: without style, comments, and the difference of aliases. Merge keys stay.
// What is too large to compare is cut off.
func meaningOf(n *yaml.Node) string {
	var b strings.Builder
	left := 20_000
	writeMeaning(&b, n, &left, 0)
	return b.String()
}

func writeMeaning(b *strings.Builder, n *yaml.Node, left *int, depth int) {
	if *left--; *left < 0 || depth > 200 {
		return
	}
	switch n.Kind {
	case yaml.AliasNode:
		writeMeaning(b, n.Alias, left, depth+1)
		return
	case yaml.ScalarNode:
		fmt.Fprintf(b, "%s %q\n", n.Tag, n.Value)
		return
	}
	fmt.Fprintf(b, "%s (\n", n.Tag)
	for _, child := range n.Content {
		writeMeaning(b, child, left, depth+1)
	}
	b.WriteString(")\n")
}

// FuzzReadJSON compares what is accepted as JSON, and its length, with encoding/json.
func FuzzReadJSON(f *testing.F) {
	for _, text := range []string{
		`{"items":[{"a":"]\"\\"},{}],"kind":"List"} x`, `{"items":[{"a":1} {}]}`, `{"items":[{},]}`, `{"a":1,}`, `{,"a":1}`, `{"a" 1}`, `{a: 1}`,
		`{"items":{"a":[1}]}`, ` 12 3`, `12a`, `"a"b`, `null{`, `]`, `{"a":"`, `{"a":"\`, `{null:1}`, `[1,2]`, `{"items":[1,{"b":2}],"items":3}`, "", " ",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		l, length := readJSON(text)
		d, want := json.NewDecoder(bytes.NewReader(text)), -1
		var value json.RawMessage
		if d.Decode(&value) == nil {
			want = int(d.InputOffset())
		}
		if length < 0 && want > 0 && !strings.ContainsRune(`{["`, rune(value[0])) {
			return // adjacent words, as in 12a, which encoding/json reads as two values
		}
		if length != want {
			t.Fatalf("%q is JSON up to %d, want %d", text, length, want)
		}
		if length < 0 || value[0] != '{' {
			return
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(value, &fields); err != nil {
			t.Fatal(err)
		}
		for _, e := range l.entries {
			if !json.Valid(text[e.value:e.end]) {
				t.Errorf("%q: the value of %q is said to be %q", text, e.key, text[e.value:e.end])
			}
			if _, known := fields[e.key]; !known {
				t.Errorf("%q has no key %q", text, e.key)
			}
		}
		var items []map[string]any
		if l.elements != nil && json.Unmarshal(fields["items"], &items) == nil && len(items) != len(l.elements) {
			t.Errorf("%q has %d items, want %d", text, len(l.elements), len(items))
		}
	})
}
