package yamldoc

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// Bool returns the boolean that kubectl reads a scalar as, by YAML 1.1: yes is true,
// and off is false. ok is false for what is none, such as a text in quotes.
func Bool(n *yaml.Node) (value, ok bool) {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if n.Kind != yaml.ScalarNode || n.Style&quoted != 0 && n.Style&yaml.TaggedStyle == 0 {
		return false, false
	}
	if n.Style&yaml.TaggedStyle != 0 && n.ShortTag() != "!!bool" {
		return false, false
	}
	switch {
	case slices.Contains([]string{"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}, n.Value):
		return true, true
	case slices.Contains([]string{"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}, n.Value):
		return false, true
	}
	return false, false
}
