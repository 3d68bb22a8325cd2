package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"sync"
	"sync/atomic"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// splitJSON splits a document of several JSON values, which is not valid YAML, and Lists into their items. It returns
// nil for any other text.
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

// readJSON reads the entries of the JSON object at the beginning of text. It returns the length of the value, negative
// if it is not JSON. The list is nil unless the value is an object.
func readJSON(text []byte) (l *list, length int) {
	r := jsonReader{text: text}
	if !r.take('{') {
		if s := r.value(); r.valid(s) {
			return nil, s.end
		}
		return nil, -1
	}
	l = &list{json: true, items: -1}
	if !r.object(l) {
		return nil, -1
	}
	l.text = text[:r.at]
	return l, r.at
}

// readOnlyJSON reads the entries of text that is a single JSON object. It returns nil for any other text.
func readOnlyJSON(text []byte) *list {
	l, length := readJSON(text)
	if l == nil || len(bytes.Trim(text[length:], white)) > 0 {
		return nil
	}
	l.text = text
	return l
}

// A jsonReader reads JSON from offset at. It finds the ends of values; encoding/json validates their content.
type jsonReader struct {
	text []byte
	at   int
}

// object reads the entries of an object, after its brace, into l. It reports false if they are invalid.
func (r *jsonReader) object(l *list) bool {
	for !r.take('}') {
		e := entry{span: span{start: r.at}}
		if len(l.entries) > 0 && !r.take(',') {
			return false
		}
		key := r.value()
		if json.Unmarshal(r.text[key.start:key.end], &e.key) != nil || r.text[key.start] != '"' || !r.take(':') {
			return false
		}
		value := r.value()
		e.value, e.end = value.start, value.end
		if e.key != "items" {
			if !r.valid(value) {
				return false
			}
		} else if l.items = len(l.entries); !r.items(l, value) {
			return false
		}
		l.entries = append(l.entries, e)
	}
	return true
}

// items reads the value of the entry items into l. Its elements are nil if it is not an array of objects.
func (r *jsonReader) items(l *list, value span) bool {
	array := jsonReader{r.text[:value.end], value.start}
	if !array.take('[') {
		return r.valid(value)
	}
	elements := []span{}
	for !array.take(']') {
		if len(elements) > 0 && !array.take(',') {
			return false
		}
		elements = append(elements, array.value())
	}
	var invalid, other atomic.Bool
	Parallel(len(elements), func(i int) {
		if !r.valid(elements[i]) {
			invalid.Store(true)
		} else if r.text[elements[i].start] != '{' {
			other.Store(true)
		}
	})
	if !other.Load() {
		l.elements = elements
	}
	return !invalid.Load()
}

func (r *jsonReader) valid(s span) bool { return json.Valid(r.text[s.start:s.end]) }

// take skips white space and reads c. It reports false if the next character is another.
func (r *jsonReader) take(c byte) bool {
	r.skip()
	if r.at == len(r.text) || r.text[r.at] != c {
		return false
	}
	r.at++
	return true
}

func (r *jsonReader) skip() { r.at = len(r.text) - len(bytes.TrimLeft(r.text[r.at:], white)) }

// value reads the next value, if it is valid.
func (r *jsonReader) value() span {
	r.skip()
	start := r.at
	switch {
	case start == len(r.text):
	case r.text[start] == '"':
		r.quoted()
	case r.text[start] == '{', r.text[start] == '[':
		r.nested()
	default:
		word := bytes.IndexAny(r.text[start:], white+`,:"{}[]`)
		if word < 0 {
			word = len(r.text) - start
		}
		r.at += word
	}
	return span{start, r.at}
}

func (r *jsonReader) quoted() {
	for start := r.at + 1; r.at < len(r.text); {
		end := bytes.IndexByte(r.text[r.at+1:], '"')
		if end < 0 {
			break
		}
		r.at += 1 + end
		inside := r.text[start:r.at]
		if escapes := len(inside) - len(bytes.TrimRight(inside, `\`)); escapes%2 == 0 {
			r.at++
			return
		}
	}
	r.at = len(r.text)
}

func (r *jsonReader) nested() {
	for depth := 0; r.at < len(r.text); {
		switch r.text[r.at] {
		case '"':
			r.quoted()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if r.at++; depth == 0 {
			return
		}
	}
}

// Tree parses text that holds one document, as for a Chunk. It fails if the lines of nodes would not match those of the
// text.
func Tree(text []byte) (*yaml.Node, error) {
	if hasOtherBreaks(text) {
		return nil, errors.New("lines end in other ways than by a line feed")
	}
	tree, err := yamldoc.Parse(text)
	if err != nil {
		if text, ok := yamlEscapes(text); ok {
			tree, err = yamldoc.Parse(text)
		}
	}
	return tree, err
}

// jsonEscape matches a JSON escape. It consumes escaped backslashes, so that matches do not start in the middle of an
// escape, and takes surrogate pairs as one.
var jsonEscape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[dD][89a-fA-F]..|\\.`)
})

// yamlEscapes returns JSON, possibly with comments around it, in which escapes that YAML or yaml.v3 does not have, \/
// and surrogate pairs, are replaced. It reports false for any other text.
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
