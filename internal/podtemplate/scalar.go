package podtemplate

import (
	"encoding/base64"
	"encoding/json"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

// scalarOf returns a scalar as a null, text, number or boolean, as kubectl reads it (through sigs.k8s.io/yaml with
// go.yaml.in/yaml/v2) and encoding/json writes it. There, what looks like a time stays a string. kubectl rejects a
// value that does not fit its tag; here it is text.
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
			if encoded, err := json.Marshal(value); err == nil { // fails for an infinity
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
