package catalog

import (
	"slices"
	"strings"
)

// A Document is a part of the data, about kinds of one group.
type Document struct {
	// Group is that of the kinds: "" for the core group, "*.crossplane.io" for
	// groups that end so, "*" for all groups.
	Group string
	// Kinds are those that it is about; "*" stands for all of the group.
	Kinds []string
	// Kind is what is said of each of them.
	Kind *Kind
}

// Documents returns all that is said of kinds, sorted by group and kind. It
// parses everything.
func (c *Catalog) Documents() []Document {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Document
	for group, d := range c.allDocuments() {
		all = append(all, Document{group, d.names, &Kind{}})
		c.add(all[len(all)-1].Kind, d)
	}
	slices.SortStableFunc(all, func(a, b Document) int { return strings.Compare(a.Group, b.Group) })
	return all
}
