package catalog

import (
	"embed"
	"fmt"
	"iter"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
)

//go:embed data/*.yaml
var files embed.FS

// The files of data that belong to no group, and the one whose group has
// another name.
const (
	coreFile        = "core"
	anyFile         = "any"
	subtreesFile    = "subtrees"
	neverRenameFile = "never-rename"
	readByNameFile  = "read-by-name"
	passedOverFile  = "passed-over"
	discoverFile    = "discover"
	lookAlikesFile  = "look-alikes"
)

var reserved = []string{coreFile, anyFile, subtreesFile, neverRenameFile, readByNameFile, passedOverFile, discoverFile, lookAlikesFile}

// maxGroup is how long the name of a group can be (a DNS-1123 subdomain).
const maxGroup = 253

func (c *Catalog) groupFiles(group string) []string {
	switch {
	case group == "":
		return []string{coreFile}
	case slices.Contains(reserved, group), len(group) > maxGroup:
		return nil
	}
	var names []string
	for name, rest := group, group; ; name = "_." + rest {
		if c.documents(name) != nil {
			names = append(names, name)
		}
		var found bool
		if _, rest, found = strings.Cut(rest, "."); !found {
			return names
		}
	}
}

// groupOf returns the group that a file is about, and whether it is about any.
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

// A document is a part of a file that is not parsed yet.
type document struct {
	names []string // the kinds or the subtree that its first line names
	text  string
	// versioned: some of it is of some versions alone.
	versioned bool
}

// documents splits a file, once. There are none in a file that does not exist.
func (c *Catalog) documents(file string) []document {
	if known, ok := c.files[file]; ok {
		return known
	}
	text, err := files.ReadFile("data/" + file + ".yaml")
	if err != nil {
		return nil
	}
	c.files[file] = splitDocuments(string(text))
	return c.files[file]
}

// allDocuments visits the documents about kinds, with the group of each.
func (c *Catalog) allDocuments() iter.Seq2[string, document] {
	entries, _ := files.ReadDir("data") // it is embedded
	return func(yield func(string, document) bool) {
		for _, entry := range entries {
			file := strings.TrimSuffix(entry.Name(), ".yaml")
			group, ok := groupOf(file)
			if !ok {
				continue
			}
			for _, d := range c.documents(file) {
				if !yield(group, d) {
					return
				}
			}
		}
	}
}

// splitDocuments takes a file apart by the lines between its documents. A
// document whose first line names nothing, such as a comment, is left out.
func splitDocuments(text string) []document {
	var documents []document
	for part := range strings.SplitSeq(text, "\n---\n") {
		first, _, _ := strings.Cut(part, "\n")
		d := document{text: part, versioned: strings.Contains(part, "versions:")}
		if subtree, ok := strings.CutPrefix(first, "subtree: "); ok {
			d.names = []string{subtree}
		} else if d.names = listIn(first, "kinds"); d.names == nil {
			continue
		}
		documents = append(documents, d)
	}
	return documents
}

// listIn returns the elements of a list in a line of its own, nil if the line has
// another key.
func listIn(line, key string) []string {
	list, ok := strings.CutPrefix(line, key+": [")
	if !ok {
		return nil
	}
	names := strings.Split(strings.TrimSuffix(list, "]"), ", ")
	for i, name := range names {
		names[i] = strings.Trim(name, `"`)
	}
	return names
}

// decode parses one document, or nothing, in less time than yaml.Unmarshal. Tests
// ensure that no field in the data is unknown.
func decode(text []byte, into any) error {
	tree, err := yamldoc.Parse(text)
	if err != nil || tree.Kind == 0 {
		return err
	}
	return tree.Decode(into)
}

func decodeFile(file string, into any) error {
	text, err := files.ReadFile("data/" + file + ".yaml")
	if err == nil {
		err = decode(text, into)
	}
	if err != nil {
		return fmt.Errorf("catalogue: data/%s.yaml: %w", file, err)
	}
	return nil
}

// oneOrMore is a list that may be written as its only element.
type oneOrMore[T any] []T

func (l *oneOrMore[T]) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.SequenceNode {
		return node.Decode((*[]T)(l))
	}
	var one T
	if err := node.Decode(&one); err != nil {
		return err
	}
	*l = []T{one}
	return nil
}
