package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// A Chunk is a run of the input's bytes that parses as one YAML document: one item of a list with its "- ", one
// document of a stream, or a document with all its items if it cannot be split.
type Chunk struct {
	// Text is the chunk's text. It is a slice of the input and must not be changed.
	Text []byte
	// Line is the line of the input, from 1, on which Text begins.
	Line int

	form form
	json bool       // the whole document is JSON
	tree *yaml.Node // if Split had to parse it
	// header are the directives and the marker at the beginning of Text, which must stay first.
	header []byte
	// original is the input's text if Text had to be changed before parsing.
	original []byte
	// item is the number, from 1, of an item from FromItems.
	item int
	// aliased is how many nodes aliases add to the tree.
	aliased int
}

// A form says where the items are in a chunk's tree.
type form uint8

const (
	formDocument form = iota // the root is a resource, or a List of resources
	formElement              // the root is a sequence of exactly one resource
	formList                 // the root is a ResourceList with the field items
)

// An Input is an input split into chunks.
type Input struct {
	// IsResourceList is true for a ResourceList, false for a stream of documents.
	IsResourceList bool
	// FunctionConfig is the ResourceList's functionConfig, nil if there is none.
	FunctionConfig *yaml.Node

	documents []document
	hasItems  bool // the ResourceList has the field items
	flow      bool // the ResourceList is in flow style (or JSON)
}

// A document is one document of the input: chunks and the bytes between them.
type document struct {
	text   []byte // the whole text without surrounding markers; nil if blank
	line   int
	header int // length of the directives and the marker at the beginning of text
	parts  []part
}

// A part of a document is a chunk, or literal bytes.
type part struct {
	literal []byte
	chunk   *Chunk
	results bool // literal is the results of a ResourceList, which Write replaces
	// added parts are only in the output, removed parts only in the input.
	added, removed bool
}

// Split splits data into chunks. It only parses the parts of a List or a ResourceList outside of its items. data must
// not change while the Input is in use.
//
// It fails if data is not UTF-8, or a ResourceList does not parse, has an unknown version, or is not the only document.
func Split(data []byte) (*Input, error) {
	if err := checkEncoding(data); err != nil {
		return nil, err
	}
	in := &Input{documents: splitDocuments(data)}
	isFirst := true
	for i := range in.documents {
		d := &in.documents[i]
		if d.text == nil {
			continue
		}
		if in.IsResourceList {
			return nil, fmt.Errorf("line %d: a document follows the ResourceList; a ResourceList must be the only document of its input", d.line)
		}
		if isFirst {
			if err := in.splitResourceList(d); err != nil {
				return nil, err
			}
			isFirst = false
		}
		if !in.IsResourceList {
			d.splitStream()
		}
	}
	return in, nil
}

func checkEncoding(data []byte) error {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return errors.New("the input is encoded as UTF-16; manifests must be UTF-8")
	}
	if utf8.Valid(data) {
		return nil
	}
	at := 0
	for r, size := utf8.DecodeRune(data); r != utf8.RuneError || size != 1; r, size = utf8.DecodeRune(data[at:]) {
		at += size
	}
	return fmt.Errorf("line %d: a byte is not UTF-8; manifests must be UTF-8", 1+bytes.Count(data[:at], []byte("\n")))
}

// FromItems returns the Input of a ResourceList whose items are given separately, and the chunk of each. Each text is
// one YAML document with one item. Errors in an item name it as items[N].
func FromItems(texts [][]byte, functionConfig *yaml.Node) (*Input, []*Chunk) {
	in := &Input{IsResourceList: true, hasItems: true, documents: make([]document, len(texts))}
	in.setFunctionConfig(functionConfig)
	chunks := make([]*Chunk, len(texts))
	line := 1
	for i, text := range texts {
		chunks[i] = &Chunk{Text: text, Line: line, form: formDocument, item: i + 1}
		in.documents[i] = document{text: text, line: line, parts: []part{{chunk: chunks[i]}}}
		line += bytes.Count(text, []byte("\n")) + 1
	}
	return in, chunks
}

func (in *Input) setFunctionConfig(node *yaml.Node) {
	if node != nil && node.ShortTag() != "!!null" {
		in.FunctionConfig = node
	}
}

// keepWhole makes the document one chunk. tree is its parsed text, or nil.
func (d *document) keepWhole(f form, tree *yaml.Node) {
	d.parts = []part{{chunk: &Chunk{Text: d.text, Line: d.line, form: f, header: d.text[:d.header], tree: tree}}}
}

// At returns a readable place for a line of the input: the line, or the index of an item from FromItems.
func (c *Chunk) At(line int) string {
	if c != nil && c.item > 0 {
		return "items[" + strconv.Itoa(c.item-1) + "]"
	}
	return "line " + strconv.Itoa(line)
}

// Position converts a position in Text to one in the input. The column is 0 if unknown.
func (c *Chunk) Position(line, column int) (inputLine, inputColumn int) {
	if c.original != nil || c.json && line == 1 {
		column = 0 // Text was changed, or begins within a line
	}
	return c.Line + line - 1, column
}

// A cutter cuts text into consecutive parts.
type cutter struct {
	text  []byte
	at    int // end of the parts so far
	line  int // line of the input at that offset
	parts []part
}

func (c *cutter) cut(end int) []byte {
	text := c.text[c.at:end]
	c.at = end
	c.line += bytes.Count(text, []byte("\n"))
	return text
}

func (c *cutter) literal(end int) {
	if end > c.at {
		c.parts = append(c.parts, part{literal: c.cut(end)})
	}
}

func (c *cutter) chunk(s span, f form, json bool) {
	c.literal(s.start)
	line := c.line
	c.parts = append(c.parts, part{chunk: &Chunk{Text: c.cut(s.end), Line: line, form: f, json: json}})
}

type span struct{ start, end int }
