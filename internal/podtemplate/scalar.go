package podtemplate

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// scalarOf returns, as a null, text, number or boolean, what a scalar is to go.yaml.in/yaml/v2, which kubectl reads YAML with (by
// sigs.k8s.io/yaml), and how encoding/json writes that. What looks like a time stays a
// string there. What a tag does not fit kubectl refuses; here it is text.
func scalarOf(n *yaml.Node) node {
	if value, ok := yamldoc.Bool(n); ok {
		return node{kind: boolean, value: strconv.FormatBool(value)}
	}
	switch n.ShortTag() {
	case "!!null":
		return node{}
	case "!!int", "!!float":
		var value any
		if n.Decode(&value) == nil {
			if encoded, err := json.Marshal(value); err == nil { // not of an infinity
				return node{kind: number, value: string(encoded)}
			}
		}
	case "!!binary":
		if data, err := base64.StdEncoding.DecodeString(n.Value); err == nil {
			return node{kind: text, value: string(data)}
		}
	}
	return node{kind: text, value: n.Value}
}

// timestamp returns the form of a time that is stored: to the second, in UTC.
func timestamp(s string) string {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return s
	}
	return t.UTC().Format(time.RFC3339)
}
