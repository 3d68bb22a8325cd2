package catalog

import (
	"embed"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

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
	neverRefersFile = "never-refers"
	discoverFile    = "discover"
	lookAlikesFile  = "look-alikes"
	podMetadataFile = "pod-metadata"
	jobNamesFile    = "job-names"
)

var reserved = []string{coreFile, anyFile, subtreesFile, neverRenameFile, readByNameFile, passedOverFile, neverRefersFile, discoverFile, lookAlikesFile, podMetadataFile, jobNamesFile}

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
}

// documents splits a file, once. There are none in a file that does not exist.
func (c *Catalog) documents(file string) []document {
	if known, ok := c.files[file]; ok {
		return known
	}
	text := read(file)
	if text == "" {
		return nil // and not remembered: the name may be of any group
	}
	c.files[file] = splitDocuments(text)
	return c.files[file]
}

// read returns the text of a file, "" if it does not exist.
func read(file string) string {
	text, _ := files.ReadFile("data/" + file + ".yaml")
	return string(text)
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
		d := document{text: part, names: listIn(part, "kinds")}
		if rest, ok := strings.CutPrefix(part, "subtree: "); ok {
			subtree, _, _ := strings.Cut(rest, "\n")
			d.names = []string{subtree}
		}
		if d.names != nil {
			documents = append(documents, d)
		}
	}
	return documents
}

// listIn returns the elements of the list in a document's first line, nil if that line
// has another key.
func listIn(document, key string) []string {
	list, ok := strings.CutPrefix(document, key+": [")
	if !ok {
		return nil
	}
	list, _, _ = strings.Cut(list, "\n")
	names := strings.Split(strings.TrimSuffix(list, "]"), ", ")
	for i, name := range names {
		names[i] = strings.Trim(name, `"`)
	}
	return names
}

// decode parses one document, or nothing, in less time than yaml.Unmarshal. Tests
// ensure that no field in the data is unknown.
func decode(text string, into any) {
	tree, err := yamldoc.Parse([]byte(text))
	if err == nil && tree.Kind != 0 {
		err = tree.Decode(into)
	}
	if err != nil {
		panic(fmt.Errorf("catalogue: %w in\n%s", err, text))
	}
}

// readOnce returns a function that reads a file once.
func readOnce[T any](file string) func() *T {
	return sync.OnceValue(func() *T {
		all := new(T)
		decode(read(file), all)
		return all
	})
}
