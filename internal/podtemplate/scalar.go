package podtemplate

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// A scalar is a value as JSON has it.
type scalar struct {
	kind  kind   // null, text, number or boolean
	value string // of a number in JSON's form
}

func scalarOf(n *yaml.Node) scalar {
	if n.Style&yaml.TaggedStyle != 0 {
		return tagged(n)
	}
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return scalar{text, n.Value}
	}
	return resolve(n.Value)
}

// tagged returns what a scalar with a tag of its own is. What a tag does not fit
// kubectl refuses; here it is text.
func tagged(n *yaml.Node) scalar {
	s := resolve(n.Value)
	switch tag := n.ShortTag(); {
	case tag == "!!null" && s.kind == null, tag == "!!bool" && s.kind == boolean, tag == "!!int" && s.kind == number:
		return s
	case tag == "!!float" && s.kind == number:
		if f, err := strconv.ParseFloat(s.value, 64); err == nil {
			s.value = floatText(f)
		}
		return s
	case tag == "!!binary":
		if data, err := base64.StdEncoding.DecodeString(n.Value); err == nil {
			return scalar{text, string(data)}
		}
	}
	return scalar{text, n.Value}
}

// resolve returns what a plain scalar is to go.yaml.in/yaml/v2, which kubectl
// reads YAML with (by sigs.k8s.io/yaml), and how encoding/json writes that. What looks
// like a time stays a string there.
func resolve(s string) scalar {
	if s == "" {
		return scalar{}
	}
	switch c := s[0]; {
	case c == '~' || c == '.' || 'A' <= c && c <= 'z':
		return resolveWord(s)
	case '0' <= c && c <= '9', c == '+', c == '-':
		if n, ok := resolveNumber(s); ok {
			return scalar{number, n}
		}
	}
	return scalar{text, s}
}

func resolveWord(s string) scalar {
	switch s {
	case "~", "null", "Null", "NULL":
		return scalar{}
	case "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON":
		return scalar{boolean, "true"}
	case "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF":
		return scalar{boolean, "false"}
	}
	if s[0] == '.' {
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return scalar{number, floatText(f)}
		}
	}
	return scalar{text, s}
}

func resolveNumber(s string) (string, bool) {
	if isDecimal(s) {
		return s, true
	}
	plain := strings.ReplaceAll(s, "_", "")
	if i, err := strconv.ParseInt(plain, 0, 64); err == nil {
		return strconv.FormatInt(i, 10), true
	}
	if u, err := strconv.ParseUint(plain, 0, 64); err == nil {
		return strconv.FormatUint(u, 10), true
	}
	if strings.Trim(plain, "0123456789+-.eE") == "" { // not inf, nan or hexadecimal
		if f, err := strconv.ParseFloat(plain, 64); err == nil {
			return floatText(f), true
		}
	}
	// yaml.v2 accepts signs after the prefix of binary numbers.
	if rest, found := strings.CutPrefix(plain, "0b"); found {
		if i, err := strconv.ParseInt(rest, 2, 64); err == nil {
			return strconv.FormatInt(i, 10), true
		}
	}
	return "", false
}

func isDecimal(s string) bool {
	return len(s) <= 18 && (s[0] != '0' || len(s) == 1) && strings.Trim(s, "0123456789") == ""
}

func floatText(f float64) string {
	size := max(f, -f)
	if size == 0 || 1e-6 <= size && size < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	if n := len(s); n >= 4 && s[n-4:n-1] == "e-0" {
		return s[:n-2] + s[n-1:]
	}
	return s
}

// timestamp returns the form of a time that is stored: to the second, in UTC.
func timestamp(s string) string {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return s
	}
	return t.UTC().Format(time.RFC3339)
}
