package fast

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// The classes of bytes. All others are 0: within a scalar they are plain text.
const (
	space     = iota + 1
	lineBreak // \n
	tab
	colonMark
	hash
	flowMark // ends a plain scalar in a flow collection
)

var classes = [256]uint8{
	' ': space, '\n': lineBreak, '\t': tab, ':': colonMark, '#': hash,
	',': flowMark, '?': flowMark, '[': flowMark, ']': flowMark, '{': flowMark, '}': flowMark,
}

// readable reports whether text is free of characters that only yaml.v3 handles (other line breaks, control characters,
// byte order marks), and whether it has multi-byte characters.
func readable(text []byte) (ok, wide bool) {
	var high byte
	for i, c := range text {
		if c >= 0x20 && c < 0x7f {
			continue
		}
		switch {
		case c == '\n' || c == '\t':
		case c < 0x80:
			return false, false
		case c == 0xc2 && i+1 < len(text) && text[i+1] < 0xa0, // controls and NEL
			c == 0xe2 && i+2 < len(text) && text[i+1] == 0x80 && (text[i+2] == 0xa8 || text[i+2] == 0xa9), // LS and PS
			c == 0xef && i+1 < len(text) && (text[i+1] == 0xbb || text[i+1] == 0xbf):                      // BOM and U+FFC0 to U+FFFF
			return false, false
		}
		high |= c
	}
	if wide = high >= 0x80; wide && !utf8.Valid(text) {
		return false, false
	}
	return true, wide
}

// plainTag returns the tag of a plain scalar with the given value.
func plainTag(value string) string {
	switch value {
	case "", "~", "null", "Null", "NULL":
		return "!!null"
	case "<<":
		return "!!merge"
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return "!!bool"
	}
	switch c := value[0]; {
	case '0' <= c && c <= '9':
		return numberTag(value)
	case c == '+' || c == '-' || c == '.':
	default:
		return "!!str"
	}
	return resolve(value)
}

// numberTag is plainTag for a value that begins with a digit.
func numberTag(value string) string {
	const digits = "0123456789"
	switch {
	case strings.Trim(value, digits) == "" && len(value) <= 18 && (value[0] != '0' || len(value) == 1):
		return "!!int"
	case strings.Trim(value, digits+"abcdefABCDEFxXoO_.+-:tTzZ ") != "":
		return "!!str" // no integer, float or timestamp has such bytes
	}
	return resolve(value)
}

func resolve(value string) string {
	return (&yaml.Node{Kind: yaml.ScalarNode, Value: value}).ShortTag()
}
