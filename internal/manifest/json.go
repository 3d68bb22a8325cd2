package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// splitJSON splits a document of JSON values, which are not one YAML document together,
// and Lists into their items. It returns nil for any other text.
func splitJSON(text []byte, line int) []part {
	c := cutter{text: text, line: line}
	for {
		start := len(text) - len(bytes.TrimLeft(text[c.at:], white))
		c.literal(start)
		if start == len(text) {
			return c.parts
		}
		l, size := readJSON(text[start:])
		if size < 0 {
			return nil
		}
		if parts := l.cut(c.line); parts != nil {
			c.parts = append(c.parts, parts...)
			c.cut(start + size)
		} else {
			c.chunk(span{start, start + size}, formDocument, true)
		}
	}
}

// readJSON reads the entries of the JSON object with which text begins. It returns the
// length of the value, negative if text does not begin with JSON, and no list for
// any other value.
func readJSON(text []byte) (l *list, length int) {
	r := jsonReader{json.NewDecoder(bytes.NewReader(text)), text}
	if start := r.next(); start == len(text) || text[start] != '{' {
		s, err := r.value()
		if err != nil {
			return nil, -1
		}
		return nil, s.end
	}
	l = &list{json: true, items: -1}
	if err := r.object(l); err != nil {
		return nil, -1
	}
	l.text = text[:r.InputOffset()]
	return l, len(l.text)
}

// readOnlyJSON reads the entries of text that is one JSON object. It returns nil for any
// other text.
func readOnlyJSON(text []byte) *list {
	l, length := readJSON(text)
	if l == nil || len(bytes.Trim(text[length:], white)) > 0 {
		return nil
	}
	l.text = text
	return l
}

// A jsonReader reads JSON and knows where in the text it is.
type jsonReader struct {
	*json.Decoder
	text []byte
}

// object reads the entries of an object into l.
func (r jsonReader) object(l *list) error {
	if _, err := r.Token(); err != nil { // the brace
		return err
	}
	for r.More() {
		e := entry{span: span{start: r.skip(white)}}
		token, err := r.Token()
		if err != nil {
			return err
		}
		e.key, _ = token.(string)
		e.value = r.next()
		if e.key == "items" && r.text[e.value] == '[' {
			l.elements, err = r.array()
		} else {
			_, err = r.value()
		}
		if err != nil {
			return err
		}
		if e.key == "items" {
			l.items = len(l.entries)
		}
		e.end = int(r.InputOffset())
		l.entries = append(l.entries, e)
	}
	_, err := r.Token()
	return err
}

// array returns the elements of an array, nil if one of them is not an object.
func (r jsonReader) array() ([]span, error) {
	if _, err := r.Token(); err != nil { // the bracket
		return nil, err
	}
	elements := []span{}
	allObjects := true
	for r.More() {
		s, err := r.value()
		if err != nil {
			return nil, err
		}
		elements = append(elements, s)
		allObjects = allObjects && r.text[s.start] == '{'
	}
	if !allObjects {
		elements = nil
	}
	_, err := r.Token()
	return elements, err
}

func (r jsonReader) value() (span, error) {
	start := r.next()
	err := r.Decode(new(skipped))
	return span{start, int(r.InputOffset())}, err
}

func (r jsonReader) next() int { return r.skip(white + ",:") }

// skip returns where the text begins that is not one of the characters.
func (r jsonReader) skip(characters string) int {
	return len(r.text) - len(bytes.TrimLeft(r.text[r.InputOffset():], characters))
}

// skipped is a JSON value that is read for its end only.
type skipped struct{}

func (*skipped) UnmarshalJSON([]byte) error { return nil }

var errOtherBreaks = errors.New("lines end in other ways than by a line feed")

// Tree parses text that holds one document, as a Chunk's is parsed. It fails if the
// nodes' lines would not be those of the text.
func Tree(text []byte) (*yaml.Node, error) {
	if hasOtherBreaks(text) {
		return nil, errOtherBreaks
	}
	tree, err := yamldoc.Parse(text)
	if err != nil {
		if text, ok := yamlEscapes(text); ok {
			tree, err = yamldoc.Parse(text)
		}
	}
	return tree, err
}

// jsonEscape matches an escape in JSON, so that it begins at the right backslash, and
// surrogate pairs as one.
var jsonEscape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[dD][89a-fA-F]..|\\.`)
})

// yamlEscapes returns JSON, perhaps among comments, without those escapes that YAML does
// not have or yaml.v3 does not know: \/ and surrogate pairs. It reports false for any
// other text.
func yamlEscapes(text []byte) ([]byte, bool) {
	start := 0
	for start < len(text) && isBlank(text[start:lineEnd(text, start)]) {
		start = lineEnd(text, start)
	}
	_, length := readJSON(text[start:])
	if length < 0 || !isBlank(text[start+length:]) {
		return nil, false
	}
	end := start + length
	value := jsonEscape().ReplaceAllFunc(text[start:end], func(escape []byte) []byte {
		if escape[1] != '/' && len(escape) == 2 {
			return escape
		}
		var character string
		_ = json.Unmarshal([]byte(`"`+string(escape)+`"`), &character) // it is valid
		return []byte(character)
	})
	return bytes.Join([][]byte{text[:start], value, text[end:]}, nil), true
}
