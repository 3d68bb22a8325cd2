package view

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/confighash/confighash/internal/impact"
	"github.com/confighash/confighash/internal/report"
)

// causePhrase returns a cause, such as "ConfigMap shop/app: LEVEL changed (env)".
func causePhrase(c *impact.Cause) report.Phrase {
	if c.Object == nil {
		return fieldPhrase(c)
	}
	name, change := objectPhrase(*c.Object, c.FormerName, c.Change)
	phrase := name.Add(change)
	consumed := keysPhrase(c.Change, c.Keys, report.Most, func(k impact.Key) bool { return k.Consumed })
	others := keysPhrase(c.Change, c.Keys, report.Most, func(k impact.Key) bool { return !k.Consumed })
	var via report.Phrase
	if len(c.Via) > 0 {
		via = report.Words(" (").Add(report.Prose(strings.Join(c.Via, ", "))).Word(")")
	}
	switch {
	case consumed != nil && others != nil:
		return phrase.Word(": ").Add(consumed, via).Word("; not consumed: ").Add(others)
	case consumed != nil:
		return phrase.Word(": ").Add(consumed, via)
	case others != nil:
		return phrase.Word(": ").Add(others, via).Word(", not consumed")
	}
	return phrase.Add(via)
}

// objectPhrase returns the name of an object, and what happened to it unless its keys show that.
func objectPhrase(r impact.Ref, former string, c impact.Change) (name, change report.Phrase) {
	if former != "" {
		change = report.Words(" (was ").Name(former).Word(")")
	}
	switch c {
	case impact.Changed:
	case impact.Renamed:
		change = change.Word(" renamed, with the same content")
	default:
		change = change.Word(" " + verb(c))
	}
	return report.Names(r.String()), change
}

// keysPhrase returns the first of an object's keys that satisfy is, nil if there are none, and how each differs unless
// the whole object differs that way.
func keysPhrase(object impact.Change, keys []impact.Key, most int, is func(impact.Key) bool) report.Phrase {
	those := slices.DeleteFunc(slices.Clone(keys), func(k impact.Key) bool { return !is(k) })
	return report.Join(report.Some(those, most, func(k *impact.Key) report.Phrase {
		if k.Change != object || object == impact.Changed {
			return keyPhrase(k)
		}
		return report.Names(k.Name)
	})...)
}

func keyPhrase(k *impact.Key) report.Phrase { return report.Names(k.Name).Word(" " + verb(k.Change)) }

// fieldPhrase returns a field, such as "image of web: shop:1.0 → shop:1.1".
func fieldPhrase(c *impact.Cause) report.Phrase {
	phrase := fieldName(c.Field)
	if c.Change != impact.Changed || c.From+c.To == "" {
		phrase = phrase.Word(" " + verb(c.Change))
	}
	switch {
	case c.From != "" && c.To != "":
		return phrase.Word(": ").Name(c.From).Word(" → ").Name(c.To)
	case c.From+c.To != "":
		return phrase.Word(": ").Name(c.From + c.To)
	}
	return phrase
}

// podSpecField matches the fields of a pod spec that people do not know by path.
var podSpecField = sync.OnceValue(func() *regexp.Regexp {
	const name = `\[([^][]+)\]`
	return regexp.MustCompile(`^(?:(containers|initContainers|ephemeralContainers)` + name + `(?:(\.image)|\.env` + name + `(?:\.value)?)?|volumes` + name + `(\.image\.reference)?)$`)
})

// fieldName returns a readable name of a field, or its path.
func fieldName(field string) report.Phrase {
	for list, what := range map[string]string{"metadata.labels[": "label ", "metadata.annotations[": "annotation "} {
		if before, key, ok := strings.Cut(field, list); ok && (before == "" || strings.HasSuffix(before, "template.")) {
			return report.Words(what).Name(strings.TrimSuffix(key, "]"))
		}
	}
	short := withoutPodSpec(field)
	found := podSpecField().FindStringSubmatch(short)
	if short == field || found == nil {
		return report.Path(field, short)
	}
	list, container, image, variable, volume, reference := found[1], found[2], found[3], found[4], found[5], found[6]
	kind := map[string]string{"initContainers": "init container ", "ephemeralContainers": "ephemeral container "}[list]
	switch {
	case reference != "":
		return report.Words("image of volume ").Name(volume)
	case volume != "":
		return report.Words("volume ").Name(volume)
	case image != "":
		return report.Words("image of " + kind).Name(container)
	case variable != "":
		return report.Words("env ").Name(variable).Word(" of " + kind).Name(container)
	}
	return report.Words(cmp.Or(kind, "container ")).Name(container)
}

// withoutPodSpec removes the path of the pod spec from a path: that of most kinds, or else that of a Pod.
func withoutPodSpec(field string) string {
	for _, prefix := range []string{"spec.jobTemplate.spec.template.spec.", "spec.template.spec.", "spec."} {
		if rest, ok := strings.CutPrefix(field, prefix); ok && (prefix != "spec." || !strings.HasPrefix(rest, "template.")) {
			return rest
		}
	}
	return field
}

func verb(c impact.Change) string { return strings.ToLower(string(c)) }
