package list

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
)

func templatePath(t catalog.TemplateRule) string {
	if t.Spec == nil {
		return t.Annotations.String()
	}
	return t.Spec.String()
}

// fieldPath returns a path for people: the empty one is the value itself.
func fieldPath(path catalog.Path) string { return cmp.Or(path.String(), ".") }

// contents says what objects of a kind hold besides references.
func contents(k *catalog.Kind) []string {
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

func names(r *catalog.Rule) string {
	switch {
	case len(r.Embedded) > 0:
		return "what it contains as YAML or JSON"
	case r.Of != nil:
		return r.Of.Kind + "." + r.Of.Group
	}
	return r.Targets.String()
}

// A style sets code off from words, and keeps words from being read as markup.
type style struct{ code, text func(string) string }

var (
	plainText = style{code: func(s string) string { return `"` + s + `"` }, text: func(s string) string { return s }}
	markdown  = style{
		code: func(s string) string { return "`" + strings.ReplaceAll(s, "|", `\|`) + "`" },
		text: strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`).Replace,
	}
)

var roles = map[catalog.Role]string{
	catalog.Producer: "a controller writes the object, so its name stays",
	catalog.Both:     "a controller writes the object if it is absent",
}

func (s style) details(r *catalog.Rule) []string {
	var all []string
	add := func(before, detail string) {
		if detail != "" {
			all = append(all, before+detail)
		}
	}
	addIf := func(applies bool, detail string) {
		if applies {
			all = append(all, detail)
		}
	}
	add("", roles[r.Role])
	add("written as ", s.formats(r.Formats))
	addIf(r.Separator != "", "a list separated by "+s.code(r.Separator))
	if r.Kind != nil {
		add("kind by ", s.field(&r.Kind.Path))
		if r.Kind.Default != 0 {
			all[len(all)-1] += ", by default " + r.Kind.Default.String()
		}
	}
	if r.KindFrom != nil {
		add("kind by the "+r.KindFrom.Kind+" of ", s.field(&r.KindFrom.Name))
	}
	add("", s.namespace(r))
	add("key in ", s.field(r.Key))
	add("keys in ", s.field(r.Items))
	for i := range r.Default {
		add("if absent, as in ", s.field(&r.Default[i]))
	}
	add("and the same name with ", strings.Join(r.Derived, ", "))
	add("only if ", s.conditions(r.When, " and "))
	addIf(r.Tentative, "only if there is such an object")
	addIf(r.Kustomize, "kustomize follows it")
	add("", s.text(r.Note))
	return all
}

// namespace says where the object is that a field names, "" for the referrer's namespace.
func (s style) namespace(r *catalog.Rule) string {
	switch {
	case r.Namespace != nil && r.NamespaceDefault != "":
		return fmt.Sprintf("namespace in %s, by default %s", s.field(r.Namespace), r.NamespaceDefault)
	case r.Namespace != nil:
		return "namespace in " + s.field(r.Namespace)
	case r.NamespaceDefault != "":
		return "in the namespace " + r.NamespaceDefault
	case r.Elsewhere:
		return "in a namespace that no field names"
	}
	return ""
}

// formats returns the patterns, "" for a mere name.
func (s style) formats(formats []*catalog.Format) string {
	if len(formats) <= 1 && !slices.ContainsFunc(formats, func(f *catalog.Format) bool { return f != catalog.Plain }) {
		return ""
	}
	patterns := make([]string, len(formats))
	for i, f := range formats {
		patterns[i] = s.code(f.String())
	}
	return strings.Join(patterns, " or ")
}

// field returns the way to a field as the data writes it, "" for none.
func (s style) field(r *catalog.Relative) string {
	if r == nil {
		return ""
	}
	path := strings.Repeat("../", r.Up) + r.Path.String()
	if r.Root {
		path = "/" + path
	}
	return s.code(path)
}

func (s style) conditions(all []catalog.Condition, and string) string {
	var parts []string
	for _, c := range all {
		if len(c.Any) > 0 {
			parts = append(parts, s.conditions(c.Any, " or "))
			continue
		}
		field := s.field(c.Path)
		if c.Present != nil {
			parts = append(parts, field+map[bool]string{true: " is present", false: " is absent"}[*c.Present])
		}
		for _, one := range []struct {
			verb   string
			values []string
		}{{" is ", c.In}, {" is not ", c.NotIn}, {" holds ", c.Contains}} {
			if len(one.values) > 0 {
				parts = append(parts, field+one.verb+s.oneOf(one.values))
			}
		}
	}
	return strings.Join(parts, and)
}

func (s style) oneOf(values []string) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = "empty"
		if v != "" {
			all[i] = s.code(v)
		}
	}
	return strings.Join(all, " or ")
}
