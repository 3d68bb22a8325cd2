// Package list prints the catalogue: Kinds prints a line for each kind, and Fields the fields of some kinds.
package list

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/typo"
)

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

func all() []listed {
	var kinds []listed
	for _, d := range catalog.Builtin().Documents() {
		for _, kind := range d.Kinds {
			kinds = append(kinds, listed{d.Group, kind, d.Kind})
		}
	}
	slices.SortStableFunc(kinds, func(a, b listed) int {
		return cmp.Or(strings.Compare(a.group, b.group), strings.Compare(a.name, b.name))
	})
	return kinds
}

// Names returns the kinds as they are written on the command line.
func Names() []string {
	var names []string
	for _, kind := range all() {
		names = append(names, kind.String())
	}
	return slices.Compact(names)
}

// Kinds writes a line for each kind. It returns the writer's error.
func Kinds(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "GROUP\tKIND\tFIELDS\tPOD TEMPLATES")
	for _, kind := range all() {
		var templates []string
		for _, t := range kind.PodTemplates {
			templates = append(templates, t.Place()+": "+t.Change.String())
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\n", cmp.Or(kind.group, "core"), kind.name, len(kind.References), strings.Join(templates, ", "))
	}
	return table.Flush()
}

// Fields writes the entries for the given kinds: KIND or KIND.GROUP, in any case. It returns an error if one is
// unknown, or the writer's.
func Fields(w io.Writer, names []string) error {
	var found []listed
	for _, name := range names {
		kinds := lookup(name)
		if len(kinds) == 0 {
			var known []string
			for _, k := range all() {
				known = append(known, k.name)
			}
			slices.Sort(known)
			kind, _, _ := strings.Cut(name, ".")
			return fmt.Errorf("the kind %s is not known; confighash references lists those that are, and spec.references of the functionConfig adds others%s", name, typo.DidYouMean(kind, slices.Compact(known)))
		}
		found = append(found, kinds...)
	}
	for i, kind := range found {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := writeKind(w, kind); err != nil {
			return err
		}
	}
	return nil
}

func lookup(argument string) []listed {
	name, group, hasGroup := strings.Cut(argument, ".")
	var found []listed
	for _, kind := range all() {
		inGroup := !hasGroup || kind.group == group || kind.group == "" && group == "core"
		if inGroup && strings.EqualFold(kind.name, name) {
			found = append(found, kind)
		}
	}
	if !hasGroup || group == "core" {
		return found
	}
	// Entries for groups with the same ending apply as well.
	if len(found) > 0 {
		name = found[0].name
	}
	if known := catalog.Builtin().Kind(group, "", name); known != nil {
		return []listed{{group, name, known}}
	}
	return nil
}

func writeKind(w io.Writer, kind listed) error {
	title := kind.String()
	if kind.ClusterScoped {
		title += " (cluster-scoped)"
	}
	fmt.Fprintln(w, title)
	if kind.Immutable != "" {
		fmt.Fprintf(w, "  %s\n", kind.Immutable)
	}
	for _, t := range kind.PodTemplates {
		fmt.Fprintf(w, "  pod template %s: %s, %s\n", t.Place(), t.Change, t.Change.Meaning())
		for _, e := range t.Except {
			fmt.Fprintf(w, "    or %s: %s\n", e.Change, e.Reason)
		}
		if t.Note != "" {
			fmt.Fprintf(w, "    %s\n", t.Note)
		}
	}
	for _, what := range kind.Contents() {
		fmt.Fprintf(w, "  %s\n", what)
	}
	if len(kind.References) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  FIELD\tNAMES\tHOW")
	writeRules(table, "  ", kind.References)
	return table.Flush()
}

func writeRules(table io.Writer, indent string, rules []catalog.Rule) {
	for _, r := range rules {
		fmt.Fprintf(table, "%s%s\t%s\t%s\n", indent, r.Field(), r.Holds(), strings.Join(r.Details(), "; "))
		writeRules(table, indent+"  ", r.Embedded)
	}
}
