package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc/fast"
)

// A Parser makes trees of YAML documents, one at a time, and uses the memory of
// one tree again for the next. The zero value is ready to use.
type Parser struct{ fast fast.Parser }

// Parse returns the document node of text, which holds one YAML document: what
// yaml.v3 makes of it, possibly without comments. The node is empty, of Kind 0,
// if the document is. The nodes are valid until the next call; their strings
// stay, and share no memory with text.
//
// Errors are those of yaml.v3, and [SecondDocumentError].
func (p *Parser) Parse(text []byte) (*yaml.Node, error) {
	if root := p.fast.Read(text); root != nil {
		return root, nil
	}
	return ParseWithComments(text)
}

// Parse does what [Parser.Parse] does, in memory of its own.
func Parse(text []byte) (*yaml.Node, error) {
	var p Parser
	return p.Parse(text)
}

// ParseWithComments does what [Parse] does, and the tree has the comments.
func ParseWithComments(text []byte) (tree *yaml.Node, err error) {
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
	var second yaml.Node
	switch err := decoder.Decode(&second); {
	case errors.Is(err, io.EOF):
		return tree, nil
	case err != nil:
		return nil, err
	}
	return nil, &SecondDocumentError{Line: second.Line}
}

// A SecondDocumentError reports that a text holds more than one document.
type SecondDocumentError struct {
	Line int // of the text, from 1, on which the second one begins
}

func (e *SecondDocumentError) Error() string {
	return fmt.Sprintf("yaml: line %d: a second document begins here, after a carriage return or a Unicode line break; use plain line breaks", e.Line)
}
