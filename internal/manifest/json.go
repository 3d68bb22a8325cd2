package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// splitJSON splits a document that is JSON: concatenated values, which are no
// YAML document together, and Lists into their items. It returns nil for anything
// else.
func splitJSON(text []byte, line int) []part {
	decoder := json.NewDecoder(bytes.NewReader(text))
	var parts []part
	last := 0
	for {
		var value json.RawMessage
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil
		}
		end := int(decoder.InputOffset())
		start := end - len(value)
		if start > last {
			parts = append(parts, part{literal: text[last:start]})
		}
		line += bytes.Count(text[last:start], []byte("\n"))
		parts = append(parts, splitJSONList(text[start:end], line)...)
		line += bytes.Count(text[start:end], []byte("\n"))
		last = end
	}
	if last < len(text) {
		parts = append(parts, part{literal: text[last:]})
	}
	return parts
}

// splitJSONList splits a JSON value into the items of a List, or takes it for one
// item.
func splitJSONList(text []byte, line int) []part {
	o := readObject(text)
	if items := o.entry("items"); items != nil && strings.HasSuffix(o.string("kind"), "List") && !hasOtherBreaks(text) {
		if elements := splitArray(text[items.at:items.end], line+bytes.Count(text[:items.at], []byte("\n"))); elements != nil {
			parts := append([]part{{literal: text[:items.at]}}, elements...)
			return append(parts, part{literal: text[items.end:]})
		}
	}
	return []part{{chunk: &Chunk{Text: text, Line: line, json: true}}}
}

// jsonResourceList splits a ResourceList that is JSON. It reports false for any
// other document, and where something in it is not as it should be.
func (in *Input) jsonResourceList(d *document) (bool, error) {
	start := len(d.text) - len(bytes.TrimLeft(d.text, " \t\r\n"))
	if d.header > 0 || start == len(d.text) || d.text[start] != '{' || hasOtherBreaks(d.text) || !json.Valid(d.text) {
		return false, nil
	}
	end := len(bytes.TrimRight(d.text, " \t\r\n"))
	o := readObject(d.text[start:end])
	if o == nil || o.string("kind") != "ResourceList" {
		return false, nil
	}
	if err := checkVersion(o.string("apiVersion"), d.line); err != nil {
		return false, err
	}
	parts := []part{{literal: d.text[:start]}}
	last := 0
	literal := func(end int) {
		if end > last {
			parts = append(parts, part{literal: o.text[last:end]})
		}
		last = end
	}
	for i, e := range o.entries {
		switch e.key {
		case "functionConfig":
			node, err := Tree(o.text[e.at:e.end])
			if err != nil || len(node.Content) != 1 {
				return false, nil
			}
			in.setFunctionConfig(node.Content[0])
		case "items":
			elements := splitArray(o.text[e.at:e.end], d.line+bytes.Count(d.text[:start+e.at], []byte("\n")))
			if elements == nil {
				return false, nil
			}
			literal(e.at)
			parts = append(parts, elements...)
			last = e.end
		case "results":
			// With the comma before it, or, if it comes first, behind it.
			from, to := e.start, e.end
			if i > 0 {
				from = skipJSONSpace(o.text, o.entries[i-1].end) // the white space stays
			} else if len(o.entries) > 1 {
				to = bytes.IndexByte(o.text[to:], ',') + to + 1
			}
			literal(from)
			parts = append(parts, part{literal: o.text[from:to], results: true})
			last = to
		}
	}
	if o.entry("items") == nil {
		return false, nil
	}
	literal(len(o.text) - 1)
	parts = append(parts, part{literal: d.text[end-1:], closing: true})
	d.parts = parts
	in.IsResourceList, in.hasItems, in.flow = true, true, true
	return true, nil
}

// An object is a JSON object, taken apart at its own entries. The methods of nil
// find nothing.
type object struct {
	text    []byte
	entries []jsonEntry
}

type jsonEntry struct {
	key     string
	start   int // where the key stands
	at, end int // the value
}

// readObject takes a JSON object apart. It returns nil for any other JSON value, and
// for an object in which a key stands twice. text is valid JSON without space
// around it.
func readObject(text []byte) *object {
	if text[0] != '{' {
		return nil
	}
	o := &object{text: text}
	seen := map[string]bool{}
	for at := skipJSONSpace(text, 1); text[at] != '}'; {
		if text[at] == ',' {
			at = skipJSONSpace(text, at+1)
		}
		e := jsonEntry{start: at}
		at = endOfJSON(text, at)
		if json.Unmarshal(text[e.start:at], &e.key) != nil || seen[e.key] {
			return nil
		}
		seen[e.key] = true
		at = skipJSONSpace(text, skipJSONSpace(text, at)+1) // the colon
		e.at, e.end = at, endOfJSON(text, at)
		o.entries = append(o.entries, e)
		at = skipJSONSpace(text, e.end)
	}
	return o
}

// entry returns the entry of that key, nil if there is none.
func (o *object) entry(key string) *jsonEntry {
	if o != nil {
		for i := range o.entries {
			if o.entries[i].key == key {
				return &o.entries[i]
			}
		}
	}
	return nil
}

// string returns the value of an entry that is a string, "" if it is none.
func (o *object) string(key string) string {
	var s string
	if e := o.entry(key); e == nil || json.Unmarshal(o.text[e.at:e.end], &s) != nil {
		return ""
	}
	return s
}

// splitArray splits a JSON array that begins on line into its elements. It
// returns nil for an array without any, or with one that is no object, and for any
// other value.
func splitArray(text []byte, line int) []part {
	if len(text) == 0 || text[0] != '[' {
		return nil
	}
	var parts []part
	last := 0
	for at := skipJSONSpace(text, 1); text[at] != ']'; at = skipJSONSpace(text, at) {
		if text[at] == ',' {
			at = skipJSONSpace(text, at+1)
		}
		if text[at] != '{' {
			return nil
		}
		line += bytes.Count(text[last:at], []byte("\n"))
		end := endOfJSON(text, at)
		parts = append(parts, part{literal: text[last:at]}, part{chunk: &Chunk{Text: text[at:end], Line: line, json: true}})
		line += bytes.Count(text[at:end], []byte("\n"))
		at, last = end, end
	}
	if parts == nil {
		return nil
	}
	return append(parts, part{literal: text[last:]})
}

// skipJSONSpace returns where the next token of valid JSON stands.
func skipJSONSpace(text []byte, at int) int {
	for text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r' {
		at++
	}
	return at
}

// endOfJSON returns where the value ends that begins at at, in valid JSON.
func endOfJSON(text []byte, at int) int {
	for depth := 0; ; {
		switch text[at] {
		case '"':
			at = endOfString(text, at)
			if depth == 0 {
				return at
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		default:
			if depth == 0 { // a number, or a word
				end := bytes.IndexAny(text[at:], ",]} \n\t\r")
				if end < 0 {
					return len(text)
				}
				return at + end
			}
		}
		at++
	}
}

// endOfString returns where the string ends that begins at at, in valid JSON.
func endOfString(text []byte, at int) int {
	for at++; ; at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
}
