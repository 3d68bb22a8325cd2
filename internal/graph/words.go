package graph

import (
	"fmt"
	"slices"
	"strings"
)

// Enumerate joins names for a sentence. If there are many, it shows the first ten.
func Enumerate(names []string) string {
	const most = 10
	if more := len(names) - most; more > 1 {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("%d more", more))
	}
	last := len(names) - 1
	if last <= 0 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Clip truncates a name that is longer than any valid one, for messages and reports: thousands of messages may show it.
func Clip(name string) string { return clip(name, MaxNameLength) }

// ClipPath is Clip for the path of a field or of a file.
func ClipPath[T ~string](path T) string { return clip(string(path), 4*MaxNameLength) }

func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// Places lists the sorted namespaces and names of resources. The slice must not change afterwards, as the result is
// cached.
func (g *Graph) Places(resources []*Resource) string {
	return Once(g.notes, resources, "places", func() string {
		names := make([]string, len(resources))
		for i, r := range resources {
			names[i] = Clip(g.NamespaceOf(r)) + "/" + Clip(r.Name)
		}
		slices.Sort(names)
		return Enumerate(names)
	})
}

// Indefinite returns a kind with its indefinite article.
func Indefinite(kind string) string {
	if kind != "" && strings.ContainsAny(kind[:1], "AEIOU") {
		return "an " + Clip(kind)
	}
	return "a " + Clip(kind)
}
