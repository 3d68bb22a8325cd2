package catalog

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/golden"
)

// TestPage_matchesTheData compares docs/references.md with the data. With -update it writes the page.
func TestPage_matchesTheData(t *testing.T) {
	head, err := os.ReadFile(filepath.Join("testdata", "page.md"))
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	page.Write(head)
	writePage(&page)
	golden.Compare(t, filepath.Join("..", "..", "docs", "references.md"), page.String())
	if limit := 1 << 20; page.Len() > limit {
		t.Errorf("the page has %d bytes, want at most %d", page.Len(), limit)
	}
	checkLinks(t, page.String())
}

// checkLinks reports broken links within a page.
func checkLinks(t *testing.T, page string) {
	t.Helper()
	headings := map[string]bool{}
	for line := range strings.Lines(page) {
		if hashes, title, found := strings.Cut(strings.TrimSpace(line), " "); found && strings.Trim(hashes, "#") == "" {
			keep := func(r rune) rune {
				switch {
				case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-':
					return r
				case r == ' ':
					return '-'
				}
				return -1
			}
			headings[strings.Map(keep, strings.ToLower(title))] = true
		}
	}
	links := strings.Split(page, "](#")[1:]
	if len(links) < 200 {
		t.Errorf("%d links, want one for each group and more", len(links))
	}
	for _, rest := range links {
		if to, _, _ := strings.Cut(rest, ")"); !headings[to] {
			t.Errorf("no heading for the link to %s", to)
		}
	}
}

// A written document has the references as written, without expanding subtrees.
type written struct {
	Document
	Entries []Entry
}

func writtenDocuments(c *Catalog) []written {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []written
	documents := c.allDocuments()
	for _, group := range slices.Sorted(maps.Keys(documents)) {
		for _, d := range documents[group] {
			all = append(all, writtenDocument(c, group, d))
		}
	}
	return all
}

func writtenDocument(c *Catalog, group string, d document) written {
	var raw rawKind
	decode(d.text, &raw)
	w := written{Document{group, d.names, &Kind{}}, raw.References}
	c.add(w.Kind, d)
	complete(c, w.Entries)
	return w
}

// subtrees returns all subtrees, sorted by name.
func subtrees(c *Catalog) []subtree {
	var all []subtree
	for _, d := range c.documents(subtreesFile) {
		var one subtree
		decode(d.text, &one)
		complete(c, one.References)
		all = append(all, one)
	}
	return all
}

// complete fills in the rules of entries that do not name a subtree.
func complete(c *Catalog, entries []Entry) {
	for i := range entries {
		if e := &entries[i]; e.Subtree == "" {
			var rules []Rule
			c.expandEntry(&rules, e, expansion{})
			e.Rule = rules[0]
		}
	}
}

// writePage writes the whole catalogue as Markdown, with a table for each group.
func writePage(w io.Writer) {
	documents := writtenDocuments(Builtin())
	for i := range changes {
		change := Change(i)
		fmt.Fprintf(w, "- *%s*: %s\n", change, change.Meaning())
	}
	fmt.Fprint(w, "\n## Groups\n\n")
	var tables strings.Builder
	for len(documents) > 0 {
		group := documents[0].Group
		n := slices.IndexFunc(documents, func(d written) bool { return d.Group != group })
		if n < 0 {
			n = len(documents)
		}
		title := groupTitle(group)
		fmt.Fprintf(&tables, "\n## %s\n\n| kind | field | names | how |\n|---|---|---|---|\n", escaped(title))
		var kinds []string
		for _, d := range documents[:n] {
			kinds = append(kinds, d.Kinds...)
			writeDocument(&tables, d)
		}
		slices.Sort(kinds)
		fmt.Fprintf(w, "- [%s](#%s): %s\n", escaped(title), anchor(title), escaped(strings.Join(kinds, ", ")))
		documents = documents[n:]
	}
	fmt.Fprint(w, tables.String(), "\n## Shared fields\n\nFields that many kinds have, below the one that names them.\n")
	for _, s := range subtrees(Builtin()) {
		fmt.Fprintf(w, "\n### %s\n\n", s.Name)
		if s.Note != "" {
			fmt.Fprintf(w, "This is %s.\n\n", s.Note)
		}
		fmt.Fprint(w, "| field | names | how |\n|---|---|---|\n")
		for _, e := range s.References {
			fmt.Fprintf(w, "| %s\n", entryCells(e))
		}
	}
}

func writeDocument(w io.Writer, d written) {
	kinds := escaped(strings.Join(d.Kinds, ", "))
	if d.Kind.ClusterScoped {
		kinds += " (cluster-scoped)"
	}
	row := func(cells string) {
		fmt.Fprintf(w, "| %s | %s\n", kinds, cells)
		kinds = ""
	}
	if d.Kind.Immutable != "" {
		row("| | " + escaped(d.Kind.Immutable) + " |")
	}
	for i := range d.Kind.PodTemplates {
		row(templateCells(&d.Kind.PodTemplates[i]))
	}
	for _, what := range d.Kind.Contents() {
		row("| | " + escaped(what) + " |")
	}
	for _, e := range d.Entries {
		row(entryCells(e))
	}
}

func templateCells(t *TemplateRule) string {
	how := []string{"*" + t.Change.String() + "*"}
	for _, e := range t.Except {
		how = append(how, fmt.Sprintf("*%s*: %s", e.Change, escaped(e.Reason)))
	}
	if t.Note != "" {
		how = append(how, escaped(t.Note))
	}
	what := "pod template"
	if t.Subtree != "" {
		what += ", " + link(t.Subtree)
	}
	return fmt.Sprintf("%s | %s | %s |", code(t.Place()), what, strings.Join(how, "; "))
}

func entryCells(e Entry) string {
	what := escaped(e.Holds())
	if e.Subtree != "" {
		what = link(e.Subtree)
	}
	if e.Kustomize {
		what += " **k**"
		e.Kustomize = false
	}
	how := details(&e.Rule)
	for _, inner := range e.Embedded {
		what := code(inner.Field()) + " names " + inner.Holds()
		how = append(how, strings.Join(append([]string{what}, details(&inner)...), ", "))
	}
	return fmt.Sprintf("%s | %s | %s |", code(e.Field()), what, strings.Join(how, "; "))
}

// details returns the details of a rule in Markdown, with quoted text as code.
func details(r *Rule) []string {
	all := r.Details()
	for i, detail := range all {
		parts := strings.Split(detail, `"`)
		for j := range parts {
			if j%2 == 0 {
				parts[j] = escaped(parts[j])
			} else {
				parts[j] = code(parts[j])
			}
		}
		all[i] = strings.Join(parts, "")
	}
	return all
}

func code(s string) string { return "`" + strings.ReplaceAll(s, "|", `\|`) + "`" }

func escaped(s string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`).Replace(s)
}

func groupTitle(group string) string {
	switch group {
	case "":
		return "core"
	case "*":
		return "all groups"
	}
	return group
}

// anchor returns GitHub's anchor of a heading.
func anchor(title string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
			return c
		case c == ' ':
			return '-'
		}
		return -1
	}, strings.ToLower(title))
}

func link(subtree string) string { return fmt.Sprintf("[%s](#%s)", subtree, anchor(subtree)) }
