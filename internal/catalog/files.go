package catalog

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/confighash/confighash/internal/yamldoc"
)

//go:embed data/*.yaml
var files embed.FS

// The data files that belong to no group, and the one named differently from its group.
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

// maxGroup is the maximum length of a group's name (a DNS-1123 subdomain).
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

// groupOf returns the group that a file is about, and false if it is about none.
func groupOf(file string) (string, bool) {
	switch {
	case file == coreFile:
		return "", true
	case file == anyFile:
		return "*", true
	case slices.Contains(reserved, file):
		return "", false
	}
	return strings.Replace(file, "_.", "*.", 1), true
}

// A document is an unparsed part of a file.
type document struct {
	names []string // the kinds, or the subtree, in its first line
	text  string
}

// documents splits a file on first use. A file that does not exist has none.
func (c *Catalog) documents(file string) []document {
	if _, known := c.files[file]; !known {
		if text := read(file); text != "" { // otherwise the name may be any group
			c.files[file] = splitDocuments(text)
		}
	}
	return c.files[file]
}

func read(file string) string {
	text, _ := files.ReadFile("data/" + file + ".yaml")
	return string(text)
}

// allDocuments returns the documents about kinds, by group.
func (c *Catalog) allDocuments() map[string][]document {
	all := map[string][]document{}
	entries, _ := files.ReadDir("data") // it is embedded
	for _, entry := range entries {
		file := strings.TrimSuffix(entry.Name(), ".yaml")
		if group, ok := groupOf(file); ok {
			all[group] = c.documents(file)
		}
	}
	return all
}

// splitDocuments splits a file at its document separators. It leaves out a document whose first line names nothing,
// such as a comment.
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

// listIn returns the elements of the list in a document's first line, nil if the line has another key.
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

// decode parses a document, which may be empty, faster than yaml.Unmarshal. Tests ensure that the data has no unknown
// fields.
func decode(text string, into any) {
	tree, err := yamldoc.Parse([]byte(text))
	if err == nil && tree.Kind != 0 {
		err = tree.Decode(into)
	}
	if err != nil {
		panic(fmt.Errorf("catalogue: %w in\n%s", err, text))
	}
}

// readOnce returns a function that reads a file on its first call.
func readOnce[T any](file string) func() *T {
	return sync.OnceValue(func() *T {
		all := new(T)
		decode(read(file), all)
		return all
	})
}
