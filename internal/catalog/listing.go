package catalog

import (
	"maps"
	"slices"
)

// A Document is a part of the data, about kinds of one group.
type Document struct {
	// Group is the API group: "" for the core group, "*.crossplane.io" for groups with that ending, "*" for all.
	Group string
	// Kinds are the document's kinds; "*" stands for all of the group.
	Kinds []string
	// Kind is what the document says about each of them.
	Kind *Kind
}

// Documents returns all documents about kinds, sorted by group and kind. It parses all of them.
func (c *Catalog) Documents() []Document {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Document
	documents := c.allDocuments()
	for _, group := range slices.Sorted(maps.Keys(documents)) {
		for _, d := range documents[group] {
			all = append(all, Document{group, d.names, &Kind{}})
			c.add(all[len(all)-1].Kind, d)
		}
	}
	return all
}
