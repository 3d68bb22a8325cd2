package manifest

import (
	"bytes"
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// FromItems returns a ResourceList's Input of items that were taken apart
// elsewhere, and the chunk of each. A text is one YAML document that holds the
// item and nothing else. What is wrong with an item is said of items[N].
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

// At says where a line of the input is, for a person to find: the line, or,
// where items came without an input, the item.
func (c *Chunk) At(line int) string {
	if c != nil && c.item > 0 {
		return "items[" + strconv.Itoa(c.item-1) + "]"
	}
	return "line " + strconv.Itoa(line)
}

// parseError makes the parser's error one that says where in the input it is.
func (c *Chunk) parseError(err error) error {
	if c.item > 0 {
		return fmt.Errorf("%s: %w", c.At(c.Line), atLine(err, c.Text, 1))
	}
	return atLine(err, c.Text, c.Line)
}
