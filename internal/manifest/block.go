package manifest

import (
	"bytes"
	"strings"
)

// readBlock reads the entries of a block mapping. It returns nil for any other text, judging by the first characters of
// lines.
func readBlock(text []byte) *list {
	if hasOtherBreaks(text) {
		return nil
	}
	l := &list{text: text, items: -1}
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		line := text[at:end]
		switch c := line[0]; {
		case c == '#':
		case strings.IndexByte(white, c) >= 0:
			if len(l.entries) == 0 && !isBlank(line) {
				return nil
			}
		case c == '-' && isIndicator(line[1:]) && len(l.entries) > 0:
		default:
			key, after, ok := bytes.Cut(line, []byte(":"))
			if !ok || !isIndicator(after) || !isPlainKey(key) {
				return nil
			}
			l.endBlockEntry(at)
			l.entries = append(l.entries, entry{key: string(key), span: span{start: at}, value: at + len(key) + 1})
		}
		at = end
	}
	l.endBlockEntry(len(text))
	return l
}

func (l *list) endBlockEntry(end int) {
	last := len(l.entries) - 1
	if last < 0 {
		return
	}
	e := &l.entries[last]
	e.end = end - trailingComments(l.text[e.start:end], 0)
	if e.key == "items" {
		l.items, l.elements = last, blockElements(l.text[:end], e.value)
	}
}

func isPlainKey(key []byte) bool {
	return len(key) > 0 && len(bytes.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) == 0
}

// blockElements returns the elements of the block sequence at the end of text. at is the offset after the colon of its
// key. It returns nil for any other value, except [].
func blockElements(text []byte, at int) []span {
	first := lineEnd(text, at)
	if value := text[at:first]; !isBlank(value) {
		if written, _, _ := bytes.Cut(value, []byte(" #")); string(bytes.TrimSpace(written)) == "[]" && isBlank(text[first:]) {
			return []span{}
		}
		return nil
	}
	var elements []span
	column := -1
	end := func(at int) {
		if n := len(elements); n > 0 {
			last := &elements[n-1]
			last.end = at - trailingComments(text[last.start:at], column)
		}
	}
	for at := first; at < len(text); at = lineEnd(text, at) {
		content := at
		for content < len(text) && text[content] == ' ' {
			content++
		}
		isElement := content < len(text) && text[content] == '-' && isIndicator(text[content+1:])
		switch {
		case isElement && (column < 0 || content-at == column):
			end(at)
			column = content - at
			elements = append(elements, span{start: at})
		case column < 0 && !isBlank(text[at:lineEnd(text, at)]):
			return nil
		}
	}
	end(len(text))
	return elements
}

// trailingComments returns how many bytes at the end of an item belong to what follows: comments no deeper than the
// item's dash, with the blank lines after them. Blank lines before the first comment may be part of a block scalar.
func trailingComments(text []byte, column int) int {
	length := 0
	for end := len(text); end > 0; {
		start := bytes.LastIndexByte(text[:end-1], '\n') + 1
		trimmed := bytes.TrimLeft(text[start:end], " ")
		indent := end - start - len(trimmed)
		if len(bytes.TrimSpace(trimmed)) > 0 {
			if trimmed[0] != '#' || indent > column {
				return length
			}
			length = len(text) - start
		}
		end = start
	}
	return length
}
