package graph

import (
	"fmt"
	"slices"
	"strings"
)

// Enumerate joins names as a sentence lists them, the first ten where there are
// many.
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

// Places lists resources by their namespaces and names, sorted.
func (g *Graph) Places(resources []*Resource) string {
	names := make([]string, len(resources))
	for i, r := range resources {
		names[i] = g.NamespaceOf(r) + "/" + r.Name
	}
	slices.Sort(names)
	return Enumerate(names)
}

// Indefinite returns a kind with its indefinite article.
func Indefinite(kind string) string {
	if kind != "" && strings.ContainsAny(kind[:1], "AEIOU") {
		return "an " + kind
	}
	return "a " + kind
}
