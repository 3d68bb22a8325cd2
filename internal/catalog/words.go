package catalog

import (
	"cmp"
	"fmt"
	"strings"
)

// Place returns the path to the pod spec, or to the annotations of a template without one.
func (t *TemplateRule) Place() string {
	if t.Spec == nil {
		return t.Annotations.String()
	}
	return t.Spec.String()
}

// Contents describes what objects of a kind hold besides references.
func (k *Kind) Contents() []string {
	var lines []string
	if k.StandIn != nil {
		lines = append(lines, "represents the Secret that a controller makes of it")
	}
	for _, path := range k.Manifests {
		lines = append(lines, fmt.Sprintf("whole objects in %s, followed like any other", path))
	}
	for _, path := range k.ForeignManifests {
		lines = append(lines, fmt.Sprintf("whole objects in %s, made elsewhere and not followed", path))
	}
	return lines
}

// Field returns the path for people; the value itself is ".".
func (r *Rule) Field() string { return cmp.Or(r.Path.String(), ".") }

// Holds describes what the field names.
func (r *Rule) Holds() string {
	switch {
	case len(r.Embedded) > 0:
		return "what it contains as YAML or JSON"
	case r.Of != nil:
		return r.Of.Kind + "." + r.Of.Group
	}
	return r.Targets.String()
}

var roleDetails = map[Role]string{
	Producer: "a controller writes the object, so its name stays",
	Both:     "a controller writes the object if it is absent",
}

// Details describes how the field is read. Paths and values are quoted.
func (r *Rule) Details() []string {
	var all []string
	add := func(before, detail string) {
		if detail != "" {
			all = append(all, before+detail)
		}
	}
	add("", roleDetails[r.Role])
	add("written as ", quotedFormats(r.Formats))
	if r.Separator != "" {
		add("a list separated by ", quote(r.Separator))
	}
	if r.Kind != nil {
		add("kind by ", r.Kind.Path.quoted())
		if r.Kind.Default != 0 {
			all[len(all)-1] += ", by default " + r.Kind.Default.String()
		}
	}
	if r.KindFrom != nil {
		add("kind by the "+r.KindFrom.Kind+" of ", r.KindFrom.Name.quoted())
	}
	add("", r.where())
	add("key in ", r.Key.quoted())
	add("keys in ", r.Items.quoted())
	for i := range r.Default {
		add("if absent, as in ", r.Default[i].quoted())
	}
	add("and the same name with ", strings.Join(r.Derived, ", "))
	add("only if ", conditionWords(r.When, " and "))
	if r.Tentative {
		add("", "only if there is such an object")
	}
	if r.Kustomize {
		add("", "kustomize follows it")
	}
	add("", r.Note)
	return all
}

// where describes where the named object is, "" for the referrer's namespace.
func (r *Rule) where() string {
	switch {
	case r.Namespace != nil && r.NamespaceDefault != "":
		return fmt.Sprintf("namespace in %s, by default %s", r.Namespace.quoted(), r.NamespaceDefault)
	case r.Namespace != nil:
		return "namespace in " + r.Namespace.quoted()
	case r.NamespaceDefault != "":
		return "in the namespace " + r.NamespaceDefault
	case r.Elsewhere:
		return "in a namespace that no field names"
	}
	return ""
}

// quotedFormats returns the patterns, "" for a plain name.
func quotedFormats(formats []*Format) string {
	if len(formats) == 0 || len(formats) == 1 && formats[0].isPlain() {
		return ""
	}
	patterns := make([]string, len(formats))
	for i, f := range formats {
		patterns[i] = quote(f.String())
	}
	return strings.Join(patterns, " or ")
}

// quoted returns the path as in the data, "" for nil.
func (r *Relative) quoted() string {
	if r == nil {
		return ""
	}
	path := strings.Repeat("../", r.Up) + r.Path.String()
	if r.Root {
		path = "/" + path
	}
	return quote(path)
}

func conditionWords(all []Condition, and string) string {
	var parts []string
	for _, c := range all {
		if len(c.Any) > 0 {
			parts = append(parts, conditionWords(c.Any, " or "))
			continue
		}
		field := c.Path.quoted()
		if c.Present != nil {
			parts = append(parts, field+map[bool]string{true: " is present", false: " is absent"}[*c.Present])
		}
		if len(c.In) > 0 {
			parts = append(parts, field+" is "+oneOf(c.In))
		}
		if len(c.Contains) > 0 {
			parts = append(parts, field+" holds "+oneOf(c.Contains))
		}
	}
	return strings.Join(parts, and)
}

func oneOf(values []string) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = "empty"
		if v != "" {
			all[i] = quote(v)
		}
	}
	return strings.Join(all, " or ")
}

func quote(s string) string { return `"` + s + `"` }
