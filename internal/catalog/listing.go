package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// A Document is a part of the data that tells of kinds of one group.
type Document struct {
	// Group is that of the kinds: "" for the core group, "*.crossplane.io" for
	// groups that end so, "*" for all groups.
	Group string
	// Kinds are those told of; "*" stands for all of the group.
	Kinds []string
	// Kind is what is said of each of them, its subtrees taken apart.
	Kind *Kind
	// Entries are the references as they are written, each subtree in one.
	Entries []Entry
	// Note and Source are for people.
	Note, Source string
}

// A Subtree is a list of references that many kinds share.
type Subtree struct {
	Name    string
	Entries []Entry
	// Note is for people.
	Note string
}

// An Entry is a reference as the data writes it.
type Entry struct {
	Rule
	// Subtree names the references that stand there, from Path on. The Rule
	// then tells only what holds for all of them.
	Subtree string
}

// Documents returns all that is said of kinds, sorted by group and kind. It
// parses everything. An error is a defect of the data.
func (c *Catalog) Documents() ([]Document, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entries, err := files.ReadDir("data")
	if err != nil {
		return nil, err
	}
	var all []Document
	for _, entry := range entries {
		file := strings.TrimSuffix(entry.Name(), ".yaml")
		group, ok := groupOf(file)
		if !ok {
			continue
		}
		for _, d := range c.documents(file) {
			parsed, err := c.document(group, d)
			if err != nil {
				return nil, fmt.Errorf("catalogue: data/%s.yaml: %v: %w", file, d.names, err)
			}
			all = append(all, parsed)
		}
	}
	slices.SortStableFunc(all, func(a, b Document) int { return strings.Compare(a.Group, b.Group) })
	return all, nil
}

// groupOf returns the group that a file tells of, and whether it is of any.
func groupOf(file string) (string, bool) {
	switch {
	case file == coreFile:
		return "", true
	case file == anyFile:
		return "*", true
	case slices.Contains(reserved, file):
		return "", false
	}
	if suffix, ok := strings.CutPrefix(file, "_."); ok {
		return "*." + suffix, true
	}
	return file, true
}

func (c *Catalog) document(group string, d document) (Document, error) {
	parsed := Document{Group: group, Kinds: d.names, Kind: &Kind{}}
	var raw rawKind
	if err := decodeStrict(d.text, &raw); err != nil {
		return parsed, err
	}
	if err := c.addKind(parsed.Kind, &raw, ""); err != nil {
		return parsed, err
	}
	var err error
	parsed.Entries, err = c.entries(raw.References)
	parsed.Note, parsed.Source = raw.Note, raw.Source
	return parsed, err
}

// Subtrees returns all subtrees, sorted by name. An error is a defect of the
// data.
func (c *Catalog) Subtrees() ([]Subtree, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []Subtree
	for _, d := range c.documents(subtreesFile) {
		var raw rawSubtree
		if err := decodeStrict(d.text, &raw); err != nil {
			return nil, fmt.Errorf("subtree %s: %w", d.names[0], err)
		}
		entries, err := c.entries(raw.References)
		if err != nil {
			return nil, fmt.Errorf("subtree %s: %w", d.names[0], err)
		}
		all = append(all, Subtree{Name: raw.Subtree, Entries: entries, Note: raw.Note})
	}
	return all, nil
}

// entries reads references without taking subtrees apart.
func (c *Catalog) entries(raw []rawRule) ([]Entry, error) {
	var entries []Entry
	for i := range raw {
		r := &raw[i]
		if r.Subtree == "" {
			var rules []Rule
			if err := c.expandRule(&rules, r, expansion{}); err != nil {
				return nil, err
			}
			entries = append(entries, Entry{Rule: rules[0]})
			continue
		}
		path, err := ParsePath(r.Path)
		if err != nil {
			return nil, err
		}
		entries = append(entries, Entry{
			Subtree: r.Subtree,
			Rule: Rule{
				Path: path, Role: r.Role, Elsewhere: r.Elsewhere, When: r.When, Kustomize: r.Kustomize, Note: r.Note, Source: r.Source,
			},
		})
	}
	return entries, nil
}
