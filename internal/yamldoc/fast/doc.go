// Package yamltree makes trees of YAML documents, as yaml.v3 makes them, and
// faster.
//
// Most of what manifests are written in is a small part of YAML: mappings and
// sequences in block style, scalars on one line, block scalars, now and then a
// flow collection. [Parser] reads that part by itself, in one pass over the bytes,
// without copies of what it reads. Whatever else it meets (anchors, aliases,
// tags, complex keys, scalars over several lines, tabs, other line breaks,
// anything that may be wrong) it leaves to yaml.v3, all of the document: it
// never decides by itself that a text is at fault.
//
// What it makes is what yaml.v3 would have made, to the line and the column, but for
// comments: only yaml.v3 keeps those.
package fast

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// Parse returns the document node of text, as [Parser.Parse] does, in memory of
// its own.
func Parse(text []byte) (*yaml.Node, error) {
	var p Parser
	return p.Parse(text)
}

// Parse returns the document node of text, which holds one YAML document. The
// node is empty, of Kind 0, where there is nothing in it. The tree may lack
// comments. Its strings may share the memory of text, which must not change while
// they are in use; the nodes are good until the next call.
//
// Errors are yaml.v3's, and one where anything stands behind the document.
func (p *Parser) Parse(text []byte) (*yaml.Node, error) {
	if root := p.read(text); root != nil {
		return root, nil
	}
	return WithComments(text)
}

// WithComments does what [Parse] does by yaml.v3 alone. The tree has the comments,
// and shares no memory with text.
func WithComments(text []byte) (tree *yaml.Node, err error) {
	defer func() {
		// The parser's own limits end in panics of several types.
		if r := recover(); r != nil {
			tree, err = nil, fmt.Errorf("yaml: %v", r)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	tree = &yaml.Node{}
	if err := decoder.Decode(tree); err != nil {
		if errors.Is(err, io.EOF) {
			return tree, nil
		}
		return nil, err
	}
	var behind yaml.Node
	switch err := decoder.Decode(&behind); {
	case errors.Is(err, io.EOF):
		return tree, nil
	case err != nil:
		return nil, err
	}
	return nil, &SecondDocumentError{Line: behind.Line}
}

// A SecondDocumentError tells that a text holds more than one document.
type SecondDocumentError struct {
	Line int // of the text, from 1, on which the second one begins
}

func (e *SecondDocumentError) Error() string {
	return fmt.Sprintf("yaml: line %d: a second document begins here, behind a carriage return or a Unicode line break; use plain line breaks", e.Line)
}
