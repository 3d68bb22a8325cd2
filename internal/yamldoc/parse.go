package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc/fast"
)

// A Parser parses YAML documents, one at a time, and reuses the memory of the previous tree. The zero value is ready to
// use.
type Parser struct{ fast fast.Parser }

// Parse returns the document node of text, which holds one YAML document: the result of yaml.v3, possibly without
// comments. For an empty document, the node is empty, of Kind 0. The nodes are valid until the next call; their strings
// stay valid, and share no memory with text.
//
// Errors are those of yaml.v3, and [SecondDocumentError].
func (p *Parser) Parse(text []byte) (*yaml.Node, error) {
	if root := p.fast.Read(text); root != nil {
		return root, nil
	}
	return ParseWithComments(text)
}

// Parse is [Parser.Parse] with its own memory.
func Parse(text []byte) (*yaml.Node, error) {
	var p Parser
	return p.Parse(text)
}

// ParseWithComments is [Parse], but the tree has the comments.
func ParseWithComments(text []byte) (tree *yaml.Node, err error) {
	defer func() {
		// The parser panics with several types when it reaches its own limits.
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
	var second yaml.Node
	switch err := decoder.Decode(&second); {
	case errors.Is(err, io.EOF):
		return tree, nil
	case err != nil:
		return nil, err
	}
	return nil, &SecondDocumentError{Line: second.Line}
}

// A SecondDocumentError reports that a text has more than one document.
type SecondDocumentError struct {
	Line int // of the text, from 1, where the second one begins
}

func (e *SecondDocumentError) Error() string {
	return fmt.Sprintf("yaml: line %d: a second document begins here, after a carriage return or a Unicode line break; use plain line breaks", e.Line)
}
