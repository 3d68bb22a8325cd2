package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/confighash/confighash/internal/catalog"
)

const referencesHelp = `Print what is known of Kubernetes kinds: which of their fields name a ConfigMap
or a Secret, where their pod templates stand, and what a change to one does.

Without arguments there is a line for each kind. With kinds, each of their
fields is shown. A kind is written as kubectl does it, with its group or
without: Deployment, certificate.cert-manager.io.`

const referencesExamples = `  confighash references
  confighash references Rollout Certificate.cert-manager.io
  confighash references --markdown > references.md`

func newReferences() *cobra.Command {
	var markdown bool
	command := &cobra.Command{
		Use:     "references [KIND[.GROUP]]…",
		Short:   "Print which fields of which kinds are followed",
		Long:    referencesHelp,
		Example: referencesExamples,
		Args:    cobra.ArbitraryArgs,

		ValidArgsFunction: completeKinds,
		RunE: func(cmd *cobra.Command, args []string) error {
			if markdown && len(args) > 0 {
				return fmt.Errorf("--markdown prints all kinds; leave out %q", args[0])
			}
			out := bufio.NewWriter(cmd.OutOrStdout())
			if err := printReferences(out, args, markdown); err != nil {
				return err
			}
			return out.Flush()
		},
	}
	command.Flags().BoolVar(&markdown, "markdown", false, "print a page of all fields of all kinds")
	return command
}

// completeKinds completes the kinds of the catalogue, in lower case as well.
func completeKinds(_ *cobra.Command, given []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	documents, err := catalog.Builtin().Documents()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var kinds []cobra.Completion
	for _, kind := range eachKind(documents) {
		name := kind.String()
		if len(name) >= len(typed) && strings.EqualFold(name[:len(typed)], typed) && !slices.Contains(given, name) {
			kinds = append(kinds, typed+name[len(typed):]) // bash drops what begins otherwise
		}
	}
	return slices.Compact(kinds), cobra.ShellCompDirectiveNoFileComp
}

func printReferences(out io.Writer, kinds []string, markdown bool) error {
	documents, err := catalog.Builtin().Documents()
	if err != nil {
		return fault(err)
	}
	switch {
	case markdown:
		subtrees, err := catalog.Builtin().Subtrees()
		if err != nil {
			return fault(err)
		}
		writePage(out, documents, subtrees)
		return nil
	case len(kinds) == 0:
		return writeKinds(out, documents)
	}
	for i, kind := range kinds {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if err := writeKind(out, documents, kind); err != nil {
			return err
		}
	}
	return nil
}

// A listed is a kind with what is said of it.
type listed struct {
	group, name string
	*catalog.Kind
}

// String returns the kind as it is written on the command line.
func (l listed) String() string {
	if l.group == "" {
		return l.name
	}
	return l.name + "." + l.group
}

func eachKind(documents []catalog.Document) []listed {
	var kinds []listed
	for _, d := range documents {
		for _, kind := range d.Kinds {
			kinds = append(kinds, listed{d.Group, kind, d.Kind})
		}
	}
	slices.SortStableFunc(kinds, func(a, b listed) int {
		return cmp.Or(strings.Compare(a.group, b.group), strings.Compare(a.name, b.name))
	})
	return kinds
}

// writeKinds writes a line for each kind.
func writeKinds(out io.Writer, documents []catalog.Document) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "GROUP\tKIND\tFIELDS\tPOD TEMPLATES")
	for _, kind := range eachKind(documents) {
		var templates []string
		for _, t := range kind.PodTemplates {
			templates = append(templates, templatePath(t)+": "+t.Change.String())
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\n", cmp.Or(kind.group, "core"), kind.name, len(kind.References), strings.Join(templates, ", "))
	}
	return table.Flush()
}

// writeKind writes all that is known of the kinds that an argument means.
func writeKind(out io.Writer, documents []catalog.Document, argument string) error {
	name, group, hasGroup := strings.Cut(argument, ".")
	var found []listed
	for _, kind := range eachKind(documents) {
		inGroup := !hasGroup || kind.group == group || kind.group == "" && group == "core"
		if inGroup && strings.EqualFold(kind.name, name) {
			found = append(found, kind)
		}
	}
	if hasGroup && group != "core" {
		// Files for groups that end alike have their say as well.
		canonical := name
		if len(found) > 0 {
			canonical = found[0].name
		}
		known, err := catalog.Builtin().Kind(group, "", canonical)
		if err != nil {
			return fault(err)
		}
		found = nil
		if known != nil {
			found = []listed{{group, canonical, known}}
		}
	}
	if len(found) == 0 {
		return fault(fmt.Errorf("nothing is known of the kind %s; confighash references lists what is, and spec.references of the functionConfig adds to it", argument))
	}
	for i, kind := range found {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if err := writeFields(out, kind); err != nil {
			return err
		}
	}
	return nil
}

func writeFields(out io.Writer, kind listed) error {
	fmt.Fprint(out, kind)
	if kind.ClusterScoped {
		fmt.Fprint(out, " (cluster-scoped)")
	}
	fmt.Fprintln(out)
	if kind.Immutable != "" {
		fmt.Fprintf(out, "  %s\n", kind.Immutable)
	}
	for _, t := range kind.PodTemplates {
		fmt.Fprintf(out, "  pod template %s: %s, %s\n", templatePath(t), t.Change, t.Change.Meaning())
		for _, e := range t.Except {
			fmt.Fprintf(out, "    or %s: %s\n", e.Change, e.Reason)
		}
		if t.Note != "" {
			fmt.Fprintf(out, "    %s\n", t.Note)
		}
	}
	for _, what := range holds(kind.Kind) {
		fmt.Fprintf(out, "  %s\n", what)
	}
	if len(kind.References) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  FIELD\tNAMES\tHOW")
	for i := range kind.References {
		r := &kind.References[i]
		fmt.Fprintf(table, "  %s\t%s\t%s\n", fieldPath(r.Path), names(r), strings.Join(plainText.details(r), "; "))
		for j := range r.Embedded {
			e := &r.Embedded[j]
			fmt.Fprintf(table, "    %s\t%s\t%s\n", fieldPath(e.Path), names(e), strings.Join(plainText.details(e), "; "))
		}
	}
	return table.Flush()
}

// templatePath returns the path by which people know a pod template.
func templatePath(t catalog.PodTemplate) string {
	if !t.HasSpec {
		return t.Annotations.String()
	}
	return t.Spec.String()
}

// holds says what objects of a kind hold beside references.
func holds(k *catalog.Kind) []string {
	var lines []string
	if k.StandIn != nil {
		lines = append(lines, "stands for the Secret that a controller makes of it")
	}
	for _, path := range k.Manifests {
		lines = append(lines, fmt.Sprintf("whole objects in %s, followed like any other", path))
	}
	for _, path := range k.ForeignManifests {
		lines = append(lines, fmt.Sprintf("whole objects in %s, made elsewhere and not followed", path))
	}
	return lines
}

// fieldPath returns a path for people: the empty one is the value itself.
func fieldPath(path catalog.Path) string { return cmp.Or(path.String(), ".") }

// names says what a field names.
func names(r *catalog.Rule) string {
	switch {
	case len(r.Embedded) > 0:
		return "what stands in it as YAML or JSON"
	case r.Of != nil:
		return r.Of.Kind + "." + r.Of.Group
	}
	return r.Targets.String()
}

// A style is how fields and formats are set off from words.
type style struct{ code, text func(string) string }

var (
	plainText = style{code: func(s string) string { return `"` + s + `"` }, text: func(s string) string { return s }}
	// Markdown must not read what stands there.
	markdownText = style{
		code: func(s string) string { return "`" + strings.ReplaceAll(s, "|", `\|`) + "`" },
		text: strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`).Replace,
	}
)

// details says how a field is read.
func (s style) details(r *catalog.Rule) []string {
	var all []string
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	switch r.Role {
	case catalog.Producer:
		add("a controller writes the object, so its name stays")
	case catalog.Both:
		add("a controller writes the object where it is absent")
	}
	if patterns := s.formats(r.Formats); patterns != "" {
		add("written as %s", patterns)
	}
	if r.Separator != "" {
		add("a list divided by %s", s.code(r.Separator))
	}
	if r.Kind != nil {
		kind := "kind by " + s.field(r.Kind.Path)
		if r.Kind.Default != 0 {
			kind += ", by default " + r.Kind.Default.String()
		}
		add("%s", kind)
	}
	if r.KindFrom != nil {
		add("kind by the %s of %s", r.KindFrom.Kind, s.field(r.KindFrom.Name))
	}
	switch {
	case r.Namespace != nil && r.NamespaceDefault != "":
		add("namespace in %s, by default %s", s.field(*r.Namespace), r.NamespaceDefault)
	case r.Namespace != nil:
		add("namespace in %s", s.field(*r.Namespace))
	case r.NamespaceDefault != "":
		add("in the namespace %s", r.NamespaceDefault)
	case r.Elsewhere:
		add("in a namespace told by no field")
	}
	if r.Key != nil {
		add("key in %s", s.field(*r.Key))
	}
	if r.Items != nil {
		add("keys in %s", s.field(*r.Items))
	}
	for _, d := range r.Default {
		add("where absent, as in %s", s.field(d))
	}
	if len(r.Derived) > 0 {
		add("and the same name with %s", strings.Join(r.Derived, ", "))
	}
	if len(r.When) > 0 {
		add("only if %s", s.conditions(r.When, " and "))
	}
	if r.Tentative {
		add("only if there is such an object")
	}
	if r.Kustomize {
		add("kustomize follows it")
	}
	if r.Note != "" {
		add("%s", s.text(r.Note))
	}
	return all
}

// formats returns the patterns, and "" for nothing but a name.
func (s style) formats(formats []*catalog.Format) string {
	if len(formats) <= 1 && !slices.ContainsFunc(formats, func(f *catalog.Format) bool { return f != catalog.Plain }) {
		return ""
	}
	patterns := make([]string, len(formats))
	for i, f := range formats {
		patterns[i] = s.code(f.String())
	}
	return strings.Join(patterns, " or ")
}

// field writes a way to a field as the data does.
func (s style) field(r catalog.Relative) string {
	path := strings.Repeat("../", r.Up) + r.Path.String()
	if r.Root {
		path = "/" + path
	}
	return s.code(path)
}

func (s style) conditions(all []catalog.Condition, and string) string {
	var parts []string
	for i := range all {
		c := &all[i]
		if len(c.Any) > 0 {
			parts = append(parts, s.conditions(c.Any, " or "))
			continue
		}
		field := s.field(*c.Path)
		if c.Present != nil {
			parts = append(parts, field+map[bool]string{true: " is there", false: " is absent"}[*c.Present])
		}
		for _, one := range []struct {
			verb   string
			values []string
		}{{" is ", c.In}, {" is not ", c.NotIn}, {" holds ", c.Contains}} {
			if len(one.values) > 0 {
				parts = append(parts, field+one.verb+s.oneOf(one.values))
			}
		}
	}
	return strings.Join(parts, and)
}

func (s style) oneOf(values []string) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = "empty"
		if v != "" {
			all[i] = s.code(v)
		}
	}
	return strings.Join(all, " or ")
}

const pageHead = `# What is followed

Written by ` + "`confighash references --markdown`" + `. ` + "`confighash references KIND`" + ` shows all fields of one kind.

A field is the path to a name: keys divided by slashes, through lists without mention; ` + "`*`" + ` stands for any
characters of a key and ` + "`**`" + ` for any number of keys. Other fields are told from the mapping that holds the
name: ` + "`namespace`" + ` is beside it, ` + "`../kind`" + ` one mapping further out, and ` + "`/metadata/name`" + ` is told from the root.
Names are of the object's own namespace where nothing else is said. What many kinds have is listed once, under
[Shared fields](#shared-fields). **k** marks what kustomize follows by itself.

Kinds that are not listed here can be added by ` + "`spec.references`" + ` and ` + "`spec.podTemplates`" + ` of the functionConfig.

What a change of a pod template does:

`

// writePage writes a page with all that is known, a table for each group.
func writePage(out io.Writer, documents []catalog.Document, subtrees []catalog.Subtree) {
	fmt.Fprint(out, pageHead)
	for _, change := range catalog.Changes() {
		fmt.Fprintf(out, "- *%s*: %s\n", change, change.Meaning())
	}
	fmt.Fprint(out, "\n## Groups\n\n")
	var groups [][]catalog.Document
	for _, d := range documents {
		if last := len(groups) - 1; last >= 0 && groups[last][0].Group == d.Group {
			groups[last] = append(groups[last], d)
		} else {
			groups = append(groups, []catalog.Document{d})
		}
	}
	for _, group := range groups {
		var kinds []string
		for _, d := range group {
			kinds = append(kinds, d.Kinds...)
		}
		slices.Sort(kinds)
		title := groupTitle(group[0].Group)
		fmt.Fprintf(out, "- [%s](#%s): %s\n", markdownText.text(title), anchor(title), markdownText.text(strings.Join(kinds, ", ")))
	}
	for _, group := range groups {
		fmt.Fprintf(out, "\n## %s\n\n| kind | field | names | how |\n|---|---|---|---|\n", markdownText.text(groupTitle(group[0].Group)))
		for _, d := range group {
			writeDocument(out, d)
		}
	}
	fmt.Fprint(out, "\n## Shared fields\n\nFields that many kinds have, below the one that names them.\n")
	for _, s := range subtrees {
		fmt.Fprintf(out, "\n### %s\n\n", s.Name)
		if s.Note != "" {
			fmt.Fprintf(out, "This is %s.\n\n", s.Note)
		}
		fmt.Fprint(out, "| field | names | how |\n|---|---|---|\n")
		for _, e := range s.Entries {
			writeEntry(out, "|", e)
		}
	}
}

// writeDocument writes the rows of a document, with its kinds in the first.
func writeDocument(out io.Writer, d catalog.Document) {
	kinds := strings.Join(d.Kinds, ", ")
	if d.Kind.ClusterScoped {
		kinds += " (cluster-scoped)"
	}
	cell := func() string {
		first := kinds
		kinds = ""
		return "| " + markdownText.text(first) + " |"
	}
	if d.Kind.Immutable != "" {
		fmt.Fprintf(out, "%s | | %s |\n", cell(), markdownText.text(d.Kind.Immutable))
	}
	for _, t := range d.Kind.PodTemplates {
		how := []string{"*" + t.Change.String() + "*"}
		for _, e := range t.Except {
			how = append(how, fmt.Sprintf("*%s*: %s", e.Change, markdownText.text(e.Reason)))
		}
		if t.Note != "" {
			how = append(how, markdownText.text(t.Note))
		}
		what := "pod template"
		if t.Subtree != "" {
			what += ", " + link(t.Subtree)
		}
		fmt.Fprintf(out, "%s %s | %s | %s |\n", cell(), markdownText.code(templatePath(t)), what, strings.Join(how, "; "))
	}
	for _, what := range holds(d.Kind) {
		fmt.Fprintf(out, "%s | | %s |\n", cell(), markdownText.text(what))
	}
	for _, e := range d.Entries {
		writeEntry(out, cell(), e)
	}
}

func writeEntry(out io.Writer, before string, e catalog.Entry) {
	what := markdownText.text(names(&e.Rule))
	if e.Subtree != "" {
		what = link(e.Subtree)
	}
	if e.Kustomize {
		what += " **k**"
		e.Kustomize = false
	}
	how := markdownText.details(&e.Rule)
	for i := range e.Embedded {
		inner := &e.Embedded[i]
		what := markdownText.code(fieldPath(inner.Path)) + " names " + names(inner)
		how = append(how, strings.Join(append([]string{what}, markdownText.details(inner)...), ", "))
	}
	fmt.Fprintf(out, "%s %s | %s | %s |\n", before, markdownText.code(fieldPath(e.Path)), what, strings.Join(how, "; "))
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
	var b strings.Builder
	for _, c := range strings.ToLower(title) {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
			b.WriteRune(c)
		case c == ' ':
			b.WriteByte('-')
		}
	}
	return b.String()
}

func link(subtree string) string { return fmt.Sprintf("[%s](#%s)", subtree, anchor(subtree)) }
