package render

import (
	"strings"

	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/report"
)

// causePhrase tells a cause, such as "ConfigMap shop/app: LEVEL changed (env)".
func causePhrase(c *impact.Cause) report.Phrase {
	if c.Object == nil {
		return fieldPhrase(c)
	}
	told := objectPhrase(*c.Object, c.FormerName, c.Change)
	var consumed, others someKeys
	for i := range c.Keys {
		if k := &c.Keys[i]; k.Consumed {
			consumed.add(k)
		} else {
			others.add(k)
		}
	}
	via := viaPhrase(c.Via)
	switch {
	case consumed.n > 0:
		told = append(told, report.Word(": "))
		told = append(told, consumed.phrase(c.Change)...)
		told = append(told, via...)
		if others.n > 0 {
			told = append(told, report.Word("; not consumed: "))
			told = append(told, others.phrase(c.Change)...)
		}
	case others.n > 0:
		told = append(told, report.Word(": "))
		told = append(told, others.phrase(c.Change)...)
		told = append(told, via...)
		told = append(told, report.Word(", not consumed"))
	default:
		told = append(told, via...)
	}
	return told
}

// objectPhrase names an object, and what happened to it where that is not told
// by its keys.
func objectPhrase(r impact.Ref, former string, c impact.Change) report.Phrase {
	told := report.Names(r.String())
	if former != "" {
		told = append(told, report.Word(" (was "), report.Name(former), report.Word(")"))
	}
	switch c {
	case impact.Changed, "":
	case impact.Renamed:
		told = append(told, report.Word(" renamed, with the same content"))
	default:
		told = append(told, report.Word(" "+verb(c)))
	}
	return told
}

// someKeys are the first of n keys: an object may have thousands, and as many
// workloads.
type someKeys struct {
	first []impact.Key
	n     int
}

func (s *someKeys) add(k *impact.Key) {
	if s.n++; s.n <= report.Most+1 {
		s.first = append(s.first, *k)
	}
}

// phrase tells keys, and how each differs where it does so otherwise than the object.
func (s *someKeys) phrase(object impact.Change) report.Phrase {
	return report.EnumerateOf(s.first, s.n, func(k impact.Key) report.Phrase {
		if k.Change != object || object == impact.Changed {
			return report.Phrase{report.Name(k.Name), report.Word(" " + verb(k.Change))}
		}
		return report.Names(k.Name)
	})
}

func viaPhrase(via []string) report.Phrase {
	if len(via) == 0 {
		return nil
	}
	return report.Phrase{report.Word(" ("), report.Prose(strings.Join(via, ", ")), report.Word(")")}
}

// podSpecs are the paths of the pod specs of most kinds, a Pod's last. A container
// in one of them is told without its path.
var podSpecs = []string{"spec.jobTemplate.spec.template.spec.", "spec.template.spec.", "spec."}

// fieldPhrase tells of a field, such as "image of web: shop:1.0 → shop:1.1".
func fieldPhrase(c *impact.Cause) report.Phrase {
	told := fieldName(c.Field)
	switch c.Change {
	case impact.Changed:
		if c.From == "" && c.To == "" {
			return append(told, report.Word(" changed"))
		}
	case impact.Added, impact.Removed, impact.Reordered, impact.Renamed:
		told = append(told, report.Word(" "+verb(c.Change)))
	}
	switch {
	case c.From != "" && c.To != "":
		return append(told, report.Word(": "), report.Name(c.From), report.Word(" → "), report.Name(c.To))
	case c.From != "" || c.To != "":
		return append(told, report.Word(": "), report.Name(c.From+c.To))
	}
	return told
}

// fieldName names a field as a person would, or by its path.
func fieldName(field string) report.Phrase {
	if rest := withoutPodSpec(field); rest != field {
		for _, list := range []struct{ field, what string }{
			{"containers[", ""},
			{"initContainers[", "init container "},
			{"ephemeralContainers[", "ephemeral container "},
		} {
			if element, ok := strings.CutPrefix(rest, list.field); ok {
				if told := containerField(element, list.what); told != nil {
					return told
				}
			}
		}
		if element, ok := strings.CutPrefix(rest, "volumes["); ok {
			if volume, ok := strings.CutSuffix(element, "].image.reference"); ok && plain(volume) {
				return report.Phrase{report.Word("image of volume "), report.Name(volume)}
			}
			if volume, ok := strings.CutSuffix(element, "]"); ok && plain(volume) {
				return report.Phrase{report.Word("volume "), report.Name(volume)}
			}
		}
	}
	return report.Phrase{report.Path(field, withoutPodSpec(field))}
}

// withoutPodSpec returns a path without that of the pod spec that it is in.
func withoutPodSpec(field string) string {
	for _, prefix := range podSpecs {
		if rest, ok := strings.CutPrefix(field, prefix); ok && (prefix != "spec." || !strings.HasPrefix(rest, "template.")) {
			return rest
		}
	}
	return field
}

// containerField names a field of a container, from the container's name on. It
// returns nil where only the path does.
func containerField(element, what string) report.Phrase {
	if container, ok := strings.CutSuffix(element, "].image"); ok && plain(container) {
		return report.Phrase{report.Word("image of " + what), report.Name(container)}
	}
	if container, variable, ok := strings.Cut(element, "].env["); ok {
		variable = strings.TrimSuffix(variable, ".value")
		if variable, ok := strings.CutSuffix(variable, "]"); ok && plain(container) && plain(variable) {
			return report.Phrase{report.Word("env "), report.Name(variable), report.Word(" of " + what), report.Name(container)}
		}
	}
	if container, ok := strings.CutSuffix(element, "]"); ok && plain(container) {
		if what == "" {
			what = "container "
		}
		return report.Phrase{report.Word(what), report.Name(container)}
	}
	return nil
}

// plain reports whether a name ends where its bracket does.
func plain(name string) bool { return name != "" && !strings.ContainsAny(name, "[]") }

// verb returns what happened.
func verb(c impact.Change) string {
	switch c {
	case impact.Added, impact.Changed, impact.Removed, impact.Renamed, impact.Reordered:
		return strings.ToLower(string(c))
	}
	return "differs"
}
