package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// A ParseError is what the YAML parser had to say of the input.
type ParseError struct {
	Line    int // of the input, from 1
	Message string
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("line %d: not valid YAML: %s", e.Line, e.Message)
}

// safe returns the parser's error without what it quotes of the text.
func safe(err error, text []byte) error {
	var told *ParseError
	if err = atLine(err, text, 1); errors.As(err, &told) {
		return errors.New(told.Message)
	}
	return err
}

// atLine makes a ParseError of the parser's error in a text that begins on line
// of the input. It leaves out what the parser quotes of the text where that may
// be a value: an unquoted password that begins with * is an alias to YAML.
func atLine(err error, text []byte, line int) error {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if name, ok := quoted(message, "unknown anchor '", "' referenced"); ok {
		at := max(bytes.Index(text, []byte("*"+name)), 0)
		return &ParseError{
			Line:    line + bytes.Count(text[:at], []byte("\n")),
			Message: "an alias names an anchor that is not there; quote a value that begins with *",
		}
	}
	if name, ok := quoted(message, "anchor '", "' value contains itself"); ok {
		at := max(bytes.Index(text, []byte("*"+name)), 0)
		return &ParseError{Line: line + bytes.Count(text[:at], []byte("\n")), Message: "the value of an anchor contains itself"}
	}
	if strings.Contains(message, "control characters") {
		at := max(bytes.IndexFunc(text, isControl), 0)
		return &ParseError{Line: line + bytes.Count(text[:at], []byte("\n")), Message: message}
	}
	var relative int
	if n, _ := fmt.Sscanf(message, "line %d: ", &relative); n == 1 {
		_, message, _ = strings.Cut(message, ": ")
		if parserMessage().MatchString(message) {
			// The end of the text is on its last line.
			relative = min(relative+1, bytes.Count(bytes.TrimRight(text, "\n"), []byte("\n"))+1)
		}
		return &ParseError{Line: line + relative - 1, Message: message}
	}
	return &ParseError{Line: line, Message: message}
}

// parserMessage matches what yaml.v3's parser says, behind its scanner. Its lines
// it counts from 0, and leaves out where that is 0 (decode.go, parser.fail).
var parserMessage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(did not find expected (<.*>|node content|key|'.' indicator|',' or '.')` +
		`|found undefined tag handle|found duplicate %[A-Z]+ directive|found incompatible YAML document)$`)
})

// isControl reports whether YAML allows no such character.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f || 0x80 <= r && r < 0xa0 && r != 0x85 || r == 0xfffe || r == 0xffff
}

// quoted returns what stands between prefix and suffix in message.
func quoted(message, prefix, suffix string) (string, bool) {
	rest, ok := strings.CutPrefix(message, prefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, suffix)
}
