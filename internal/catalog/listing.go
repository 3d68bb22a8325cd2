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
	// Kind is what is said of each of them, its subtrees expanded.
	Kind *Kind
	// Entries are the references as they are written, each subtree in one.
	Entries []Entry
}

// A Subtree is a list of references that many kinds share.
type Subtree struct {
	Name    string  `yaml:"subtree"`
	Entries []Entry `yaml:"references"`
	// Note is for people.
	Note string `yaml:"note"`
}

// Documents returns all that is said of kinds, sorted by group and kind. It
// parses everything.
func (c *Catalog) Documents() []Document {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Document
	for group, d := range c.allDocuments() {
		all = append(all, c.document(group, d))
	}
	slices.SortStableFunc(all, func(a, b Document) int { return strings.Compare(a.Group, b.Group) })
	return all
}

func (c *Catalog) document(group string, d document) Document {
	var raw rawKind
	decode(d.text, &raw)
	parsed := Document{Group: group, Kinds: d.names, Kind: &Kind{}, Entries: raw.References}
	c.addKind(parsed.Kind, &raw, "")
	c.complete(parsed.Entries)
	return parsed
}

// Subtrees returns all subtrees, sorted by name.
func (c *Catalog) Subtrees() []Subtree {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Subtree
	for _, d := range c.documents(subtreesFile) {
		var subtree Subtree
		decode(d.text, &subtree)
		c.complete(subtree.Entries)
		all = append(all, subtree)
	}
	return all
}

// complete fills in the rules of entries that name no subtree.
func (c *Catalog) complete(entries []Entry) {
	for i := range entries {
		if e := &entries[i]; e.Subtree == "" {
			var rules []Rule
			c.expandEntry(&rules, e, expansion{})
			e.Rule = rules[0]
		}
	}
}
