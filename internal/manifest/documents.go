package manifest

import (
	"bytes"
	"strings"
)

// splitDocuments splits data at its document markers. Markers, a byte order mark and blank text become documents
// without text, of one literal part. But a marker with content on its line, and directives with their marker, belong to
// the following document.
func splitDocuments(data []byte) []document {
	var docs []document
	literal := func(b []byte) {
		if len(b) > 0 {
			docs = append(docs, document{parts: []part{{literal: b}}})
		}
	}
	rest := data
	if bom := []byte("\xef\xbb\xbf"); bytes.HasPrefix(rest, bom) {
		literal(rest[:len(bom)])
		rest = rest[len(bom):]
	}
	start, startLine := 0, 1
	header := 0 // length of the current document's directives and marker
	flush := func(end int) {
		text := rest[start:end]
		if isDirectives(text) || isBlank(text[header:]) {
			literal(text)
		} else {
			docs = append(docs, document{text: text, line: startLine, header: header})
		}
	}
	end, line := 0, 0 // of the current line
	for text := range bytes.Lines(rest) {
		at := end
		end += len(text)
		line++
		if !isMarker(text) {
			continue
		}
		hasContent := !isBlank(text[3:])
		switch isStart := text[0] == '-'; {
		case !isStart && hasContent:
			// Either not YAML or two documents: the parser will decide.
		case isStart && bytes.Contains(rest[start:at], []byte("%TAG")) && isDirectives(rest[start:at]):
			// The document's tags need it. The parser ignores %YAML.
			header = at + 3 - start
		case isStart && hasContent:
			flush(at)
			start, startLine, header = at, line, 3
		default:
			flush(at)
			literal(rest[at:end])
			start, startLine, header = end, line+1, 0
		}
	}
	flush(len(rest))
	return docs
}

// white is YAML's white space, a subset of Unicode's.
const white = " \t\r\n"

// isMarker reports whether line, with its break, is a document marker.
func isMarker(line []byte) bool {
	return (bytes.HasPrefix(line, []byte("---")) || bytes.HasPrefix(line, []byte("..."))) && isIndicator(line[3:])
}

// isIndicator reports whether "-", ":" or a marker counts as such before this text.
func isIndicator(after []byte) bool {
	return len(after) == 0 || strings.IndexByte(white, after[0]) >= 0
}

// isDirectives reports whether text has only directives (%YAML, %TAG) and comments.
func isDirectives(text []byte) bool {
	found := false
	for line := range bytes.Lines(text) {
		switch {
		case isBlank(line):
		case line[0] == '%' && !hasOtherBreaks(bytes.Trim(line, white)):
			found = true
		default:
			return false
		}
	}
	return found
}

// isBlank reports whether text has only comments and white space.
func isBlank(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.Trim(line, white)
		// For the parser, a comment ends at any line break.
		if len(line) > 0 && (line[0] != '#' || hasOtherBreaks(line)) {
			return false
		}
	}
	return true
}

// lineEnd returns the offset after the line that contains offset at.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// hasOtherBreaks reports whether text has line breaks that only the YAML parser recognizes: a lone carriage return,
// NEL, LS or PS. Such a text is parsed whole.
func hasOtherBreaks(text []byte) bool {
	for _, b := range []string{"\u0085", "\u2028", "\u2029"} {
		if bytes.Contains(text, []byte(b)) {
			return true
		}
	}
	return bytes.Count(text, []byte("\r")) > bytes.Count(text, []byte("\r\n"))
}
