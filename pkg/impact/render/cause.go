package render

import (
	"strings"

	"github.com/confighash/confighash/pkg/impact"
)

// causePhrase tells a cause, such as "ConfigMap shop/app: LEVEL changed (env)".
func causePhrase(c *impact.Cause) phrase {
	if c.Object == nil {
		return fieldPhrase(c)
	}
	told := objectPhrase(*c.Object, c.FormerName, c.Change)
	var consumed, others []impact.Key
	for _, k := range c.Keys {
		if k.Consumed {
			consumed = append(consumed, k)
		} else {
			others = append(others, k)
		}
	}
	via := viaPhrase(c.Via)
	switch {
	case len(consumed) > 0:
		told = append(told, span{word, ": "})
		told = append(told, keysPhrase(consumed, c.Change)...)
		told = append(told, via...)
		if len(others) > 0 {
			told = append(told, span{word, "; not consumed: "})
			told = append(told, keysPhrase(others, c.Change)...)
		}
	case len(others) > 0:
		told = append(told, span{word, ": "})
		told = append(told, keysPhrase(others, c.Change)...)
		told = append(told, via...)
		told = append(told, span{word, ", not consumed"})
	default:
		told = append(told, via...)
	}
	return told
}

// objectPhrase names an object, and what happened to it where that is not told
// by its keys.
func objectPhrase(r impact.Ref, former string, c impact.Change) phrase {
	told := names(r.String())
	if former != "" {
		told = append(told, span{word, " (was "}, span{name, former}, span{word, ")"})
	}
	switch c {
	case impact.Changed, "":
	case impact.Renamed:
		told = append(told, span{word, " renamed, with the same content"})
	default:
		told = append(told, span{word, " " + verb(c)})
	}
	return told
}

// keysPhrase tells keys, and how each differs where it does so otherwise than
// the object.
func keysPhrase(keys []impact.Key, object impact.Change) phrase {
	parts := make([]phrase, len(keys))
	for i, k := range keys {
		parts[i] = names(k.Name)
		if k.Change != object || object == impact.Changed {
			parts[i] = append(parts[i], span{word, " " + verb(k.Change)})
		}
	}
	return enumerate(parts)
}

func viaPhrase(via []string) phrase {
	if len(via) == 0 {
		return nil
	}
	return phrase{{word, " ("}, {prose, strings.Join(via, ", ")}, {word, ")"}}
}

// podSpecs are the paths of the pod specs of most kinds, a Pod's last. A container
// in one of them is told without its path.
var podSpecs = []string{"spec.jobTemplate.spec.template.spec.", "spec.template.spec.", "spec."}

// fieldPhrase tells of a field, such as "image of web: shop:1.0 → shop:1.1".
func fieldPhrase(c *impact.Cause) phrase {
	told := fieldName(c.Field)
	switch c.Change {
	case impact.Changed:
		if c.From == "" && c.To == "" {
			return append(told, span{word, " changed"})
		}
	case impact.Added, impact.Removed, impact.Reordered, impact.Renamed:
		told = append(told, span{word, " " + verb(c.Change)})
	}
	switch {
	case c.From != "" && c.To != "":
		return append(told, span{word, ": "}, span{name, c.From}, span{word, " → "}, span{name, c.To})
	case c.From != "" || c.To != "":
		return append(told, span{word, ": "}, span{name, c.From + c.To})
	}
	return told
}

// fieldName names a field as a person would, or by its path.
func fieldName(field string) phrase {
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
				return phrase{{word, "image of volume "}, {name, volume}}
			}
			if volume, ok := strings.CutSuffix(element, "]"); ok && plain(volume) {
				return phrase{{word, "volume "}, {name, volume}}
			}
		}
	}
	return phrase{{path, field}}
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
func containerField(element, what string) phrase {
	if container, ok := strings.CutSuffix(element, "].image"); ok && plain(container) {
		return phrase{{word, "image of " + what}, {name, container}}
	}
	if container, variable, ok := strings.Cut(element, "].env["); ok {
		variable = strings.TrimSuffix(variable, ".value")
		if variable, ok := strings.CutSuffix(variable, "]"); ok && plain(container) && plain(variable) {
			return phrase{{word, "env "}, {name, variable}, {word, " of " + what}, {name, container}}
		}
	}
	if container, ok := strings.CutSuffix(element, "]"); ok && plain(container) {
		if what == "" {
			what = "container "
		}
		return phrase{{word, what}, {name, container}}
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
