package yamldoc

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// A ParseError is an error of the YAML parser, with its line in the input.
type ParseError struct {
	Line    int // of the input, from 1
	Message string
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("line %d: not valid YAML: %s", e.Line, e.Message)
}

// AtLine converts the parser's error in a text that begins on line of the input to a ParseError. It removes quotations
// of the text that may be a value: an unquoted password that begins with * is an alias in YAML.
func AtLine(err error, text []byte, line int) error {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	at := 0 // offset in the text, unless the parser reports it
	if name, ok := quoted(message, "unknown anchor '", "' referenced"); ok {
		at = bytes.Index(text, []byte("*"+name))
		message = "an alias names an anchor that is not there; quote a value that begins with *"
	} else if name, ok := quoted(message, "anchor '", "' value contains itself"); ok {
		at = bytes.Index(text, []byte("*"+name))
		message = "the value of an anchor contains itself"
	} else if strings.Contains(message, "control characters") {
		at = bytes.IndexFunc(text, isControl)
	}
	line += bytes.Count(text[:max(at, 0)], []byte("\n"))
	var relative int
	if n, _ := fmt.Sscanf(message, "line %d: ", &relative); n == 1 {
		_, message, _ = strings.Cut(message, ": ")
		if parserMessage().MatchString(message) {
			// The end of the text counts as its last line.
			relative = min(relative+1, bytes.Count(bytes.TrimRight(text, "\n"), []byte("\n"))+1)
		}
		line += relative - 1
	}
	if strings.HasSuffix(message, " any token") {
		message += "; indent with spaces, not tabs, and quote a value that begins with @"
	}
	return &ParseError{Line: line, Message: message}
}

// parserMessage matches messages of yaml.v3's parser, but not those of its scanner. The parser counts lines from 0 and
// omits line 0 (decode.go, parser.fail).
var parserMessage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(did not find expected (<.*>|node content|key|'.' indicator|',' or '.')` +
		`|found undefined tag handle|found duplicate %[A-Z]+ directive|found incompatible YAML document)$`)
})

// isControl reports whether YAML forbids r.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f || 0x80 <= r && r < 0xa0 && r != 0x85 || r == 0xfffe || r == 0xffff
}

func quoted(message, prefix, suffix string) (string, bool) {
	rest, ok := strings.CutPrefix(message, prefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, suffix)
}
