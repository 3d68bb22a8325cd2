package catalog

import (
	"fmt"
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
// parses everything. An error is a defect of the data.
func (c *Catalog) Documents() ([]Document, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Document
	for group, d := range c.allDocuments() {
		parsed, err := c.document(group, d)
		if err != nil {
			return nil, fmt.Errorf("catalogue: %s of %s: %w", d.names, group, err)
		}
		all = append(all, parsed)
	}
	slices.SortStableFunc(all, func(a, b Document) int { return strings.Compare(a.Group, b.Group) })
	return all, nil
}

func (c *Catalog) document(group string, d document) (Document, error) {
	parsed := Document{Group: group, Kinds: d.names, Kind: &Kind{}}
	var raw rawKind
	if err := decode([]byte(d.text), &raw); err != nil {
		return parsed, err
	}
	parsed.Entries = raw.References
	if err := c.addKind(parsed.Kind, &raw, ""); err != nil {
		return parsed, err
	}
	return parsed, c.complete(parsed.Entries)
}

// Subtrees returns all subtrees, sorted by name. An error is a defect of the
// data.
func (c *Catalog) Subtrees() ([]Subtree, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Subtree
	for _, d := range c.documents(subtreesFile) {
		var subtree Subtree
		err := decode([]byte(d.text), &subtree)
		if err == nil {
			err = c.complete(subtree.Entries)
		}
		if err != nil {
			return nil, fmt.Errorf("subtree %s: %w", d.names[0], err)
		}
		all = append(all, subtree)
	}
	return all, nil
}

// complete fills in the rules of entries that name no subtree.
func (c *Catalog) complete(entries []Entry) error {
	for i := range entries {
		if entries[i].Subtree != "" {
			continue
		}
		var rules []Rule
		if err := c.expandEntry(&rules, &entries[i], expansion{}); err != nil {
			return err
		}
		entries[i].Rule = rules[0]
	}
	return nil
}
