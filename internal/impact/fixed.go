package impact

import (
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/podtemplate"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/internal/yamldoc"
)

func kindOf(r *graph.Resource) string { return r.Kind + "." + r.Group }

// fixedFields returns the immutable fields that differ between two resources, sorted, and why the API server refuses
// the change.
func fixedFields(before, after *podtemplate.Template) (fields []string, reason string) {
	const strategy = "spec.updateStrategy"
	var typeChanges, isFilled bool
	for _, d := range podtemplate.Diff(before, after) {
		inStrategy := strings.HasPrefix(d.Path+".", strategy+".")
		switch {
		case d.What == podtemplate.Respelled: // the API server compares quantities by value
		case d.Old+d.New == "" && !inStrategy: // an apply does not change a default
		case inStrategy:
			typeChanges = typeChanges || d.What == podtemplate.Changed
			isFilled = isFilled || d.What == podtemplate.Removed && d.Old == ""
		default:
			rest, _ := strings.CutPrefix(d.Path, "spec.")
			end := strings.IndexAny(rest+".", ".[")
			fields = append(fields, d.Path[:len(d.Path)-len(rest)+end])
		}
	}
	slices.Sort(fields)
	fields = slices.Compact(fields)
	reason = graph.Enumerate(fields) + " cannot change once it exists"
	if typeChanges && isFilled {
		const rolling = strategy + ".rollingUpdate"
		if len(fields) == 0 {
			reason = "an apply keeps the default of " + rolling + ", which is not valid with the new manifest"
		}
		fields = append(fields, rolling)
	}
	return fields, reason
}

// refused returns the fields for which an apply of a resource is refused, apart from its pod templates, and the
// outcome. known: the apply is already refused for the templates.
func (c *comparison) refused(s *subject, known bool) ([]string, outcome) {
	if !s.both() || !s.differs {
		return nil, outcome{}
	}
	recreated := slices.ContainsFunc(s.new.PodTemplates, func(t reference.PodTemplate) bool { return t.Change == catalog.Recreated })
	if s.after != nil && s.after.fixed != nil && !recreated { // an object that is created again may have any fields
		if fields, reason := fixedFields(s.before.fixed, s.after.fixed); len(fields) > 0 {
			return fields, outcome{Refused, reason, c.replacement(s.new)}
		}
	}
	kind := catalog.Builtin().Kind(s.new.Group, s.new.Version, s.new.Kind)
	if kind == nil || kind.Immutable == "" || known || workloadOf(s.new).BuiltIn || s.old.Name == "" {
		return nil, outcome{}
	}
	was := make(map[yamldoc.Path]string, len(s.old.References))
	for _, ref := range s.old.References {
		was[ref.At.Path] = ref.At.Value
	}
	for _, ref := range s.new.References {
		if before, ok := was[ref.At.Path]; ref.Immutable && ok && before != ref.At.Value {
			return []string{string(ref.At.Path)}, outcome{Refused, kind.Immutable, "delete it before the apply, or exclude the object from renaming"}
		}
	}
	return nil, outcome{}
}
