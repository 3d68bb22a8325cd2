package list

import (
	_ "embed" // the head of the page
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/confighash/confighash/internal/catalog"
)

//go:embed page.md
var pageHead string

// Page writes all that is known in Markdown, a table for each group.
func Page(w io.Writer) {
	documents := catalog.Builtin().Documents()
	fmt.Fprint(w, pageHead)
	for _, change := range catalog.Changes() {
		fmt.Fprintf(w, "- *%s*: %s\n", change, change.Meaning())
	}
	fmt.Fprint(w, "\n## Groups\n\n")
	var tables strings.Builder
	for len(documents) > 0 {
		group := documents[0].Group
		n := slices.IndexFunc(documents, func(d catalog.Document) bool { return d.Group != group })
		if n < 0 {
			n = len(documents)
		}
		title := groupTitle(group)
		fmt.Fprintf(&tables, "\n## %s\n\n| kind | field | names | how |\n|---|---|---|---|\n", markdown.text(title))
		var kinds []string
		for _, d := range documents[:n] {
			kinds = append(kinds, d.Kinds...)
			writeDocument(&tables, d)
		}
		slices.Sort(kinds)
		fmt.Fprintf(w, "- [%s](#%s): %s\n", markdown.text(title), anchor(title), markdown.text(strings.Join(kinds, ", ")))
		documents = documents[n:]
	}
	fmt.Fprint(w, tables.String(), "\n## Shared fields\n\nFields that many kinds have, below the one that names them.\n")
	for _, s := range catalog.Builtin().Subtrees() {
		fmt.Fprintf(w, "\n### %s\n\n", s.Name)
		if s.Note != "" {
			fmt.Fprintf(w, "This is %s.\n\n", s.Note)
		}
		fmt.Fprint(w, "| field | names | how |\n|---|---|---|\n")
		for _, e := range s.Entries {
			fmt.Fprintf(w, "| %s\n", entryCells(e))
		}
	}
}

func writeDocument(w io.Writer, d catalog.Document) {
	kinds := markdown.text(strings.Join(d.Kinds, ", "))
	if d.Kind.ClusterScoped {
		kinds += " (cluster-scoped)"
	}
	row := func(cells string) {
		fmt.Fprintf(w, "| %s | %s\n", kinds, cells)
		kinds = ""
	}
	if d.Kind.Immutable != "" {
		row("| | " + markdown.text(d.Kind.Immutable) + " |")
	}
	for _, t := range d.Kind.PodTemplates {
		row(templateCells(t))
	}
	for _, what := range contents(d.Kind) {
		row("| | " + markdown.text(what) + " |")
	}
	for _, e := range d.Entries {
		row(entryCells(e))
	}
}

func templateCells(t catalog.TemplateRule) string {
	how := []string{"*" + t.Change.String() + "*"}
	for _, e := range t.Except {
		how = append(how, fmt.Sprintf("*%s*: %s", e.Change, markdown.text(e.Reason)))
	}
	if t.Note != "" {
		how = append(how, markdown.text(t.Note))
	}
	what := "pod template"
	if t.Subtree != "" {
		what += ", " + link(t.Subtree)
	}
	return fmt.Sprintf("%s | %s | %s |", markdown.code(templatePath(t)), what, strings.Join(how, "; "))
}

func entryCells(e catalog.Entry) string {
	what := markdown.text(names(&e.Rule))
	if e.Subtree != "" {
		what = link(e.Subtree)
	}
	if e.Kustomize {
		what += " **k**"
		e.Kustomize = false
	}
	how := markdown.details(&e.Rule)
	for _, inner := range e.Embedded {
		what := markdown.code(fieldPath(inner.Path)) + " names " + names(&inner)
		how = append(how, strings.Join(append([]string{what}, markdown.details(&inner)...), ", "))
	}
	return fmt.Sprintf("%s | %s | %s |", markdown.code(fieldPath(e.Path)), what, strings.Join(how, "; "))
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

// anchor returns what GitHub calls a heading in links.
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
