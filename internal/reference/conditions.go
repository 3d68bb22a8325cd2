package reference

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/yamldoc"
)

func (w *walker) holdAll(conditions []catalog.Condition) bool {
	return !slices.ContainsFunc(conditions, func(c catalog.Condition) bool { return !w.holds(c) })
}

func (w *walker) holds(c catalog.Condition) bool {
	if len(c.Any) > 0 {
		return slices.ContainsFunc(c.Any, w.holds)
	}
	var node *yaml.Node
	if c.Path != nil {
		if field, ok := w.lookup(*c.Path); ok && !yamldoc.IsNull(field.node) {
			node = field.node
		}
	}
	isContained := func(v string) bool { return slices.Contains(c.Contains, v) }
	return (c.Present == nil || *c.Present == (node != nil)) &&
		(len(c.In) == 0 || isOneOf(node, c.In)) &&
		(len(c.Contains) == 0 || node != nil && node.Kind == yaml.SequenceNode && slices.ContainsFunc(scalars(node), isContained))
}

// isOneOf reports whether n, which may be nil, is a scalar with one of the values.
func isOneOf(n *yaml.Node, values []string) bool {
	if n == nil || n.Kind != yaml.ScalarNode {
		return false
	}
	value, ok := yamldoc.Bool(n)
	return slices.Contains(values, n.Value) || ok && slices.Contains(values, strconv.FormatBool(value))
}

// targets returns the kinds that a rule's reference may name here, 0 if neither.
func (w *walker) targets(r *catalog.Rule) catalog.Target {
	k := r.Kind
	if k == nil {
		return r.Targets
	}
	for _, group := range k.Group {
		if value := yamldoc.StringOf(w.nodeAt(&group)); value != "" && value != "v1" {
			return 0
		}
	}
	field, ok := w.lookup(k.Path)
	if !ok || yamldoc.IsNull(field.node) || field.node.Kind == yaml.ScalarNode && field.node.Value == "" {
		return k.Default & r.Targets
	}
	var targets catalog.Target
	for _, value := range scalars(field.node) {
		targets |= kindOf(k, value)
	}
	return targets & r.Targets
}

func kindOf(k *catalog.KindField, value string) catalog.Target {
	values := k.Values
	if len(values) == 0 {
		values = map[string]catalog.Target{"ConfigMap": catalog.ConfigMap, "Secret": catalog.Secret}
	}
	for name, target := range values {
		if name == value || k.IgnoreCase && strings.EqualFold(name, value) {
			return target
		}
	}
	return 0
}

func (w *walker) export(e *catalog.Export) (string, bool) {
	field, ok := w.descend(e.Path)
	defer w.ascend()
	if !ok || !isString(field.node) || !w.holdAll(e.When) {
		return "", false
	}
	return field.node.Value, true
}
