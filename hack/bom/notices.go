package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// standardLibrary is the heading of Go's own part of the executable.
const standardLibrary = "Go's standard library and runtime"

const noticesHead = `Third-party software in confighash

The executable is linked from the Go modules listed here. Their licences follow
in full, each once, with the notices that came with them. confighash itself is
under the Apache License 2.0 in the file LICENSE.

make notices writes this file.

`

// writeNotices writes the licences and notices of the modules, and of Go itself from goroot.
func writeNotices(out io.Writer, goroot string, modules []*module) error {
	var texts []string // in the order of their first use
	users := map[string][]string{}
	use := func(by string, docs []document) {
		for _, d := range docs {
			if users[d.text] == nil {
				texts = append(texts, d.text)
			}
			users[d.text] = append(users[d.text], by+": "+d.name)
		}
	}

	fmt.Fprint(out, noticesHead)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, platforms string, docs []document) error {
		ids, err := licences(docs)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(table, "%s\t%s%s\n", name, ids, platforms)
		use(name, docs)
		return nil
	}

	license, err := os.ReadFile(filepath.Join(goroot, "LICENSE"))
	if err != nil {
		return fmt.Errorf("the licence of Go: %w", err)
	}
	if err := row(standardLibrary, "", []document{{name: "LICENSE", text: tidy(license)}}); err != nil {
		return err
	}
	for _, m := range modules {
		if m.Main {
			continue
		}
		docs, err := m.documents()
		if err != nil {
			return err
		}
		if err := row(m.Path, m.platforms(), docs); err != nil {
			return err
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, text := range texts {
		rule := strings.Repeat("=", 80)
		fmt.Fprintf(out, "\n%s\n%s\n%s\n\n%s", rule, strings.Join(users[text], "\n"), rule, text)
	}
	return nil
}

// platforms names the platforms that link the module, unless all do.
func (m *module) platforms() string {
	everywhere := map[string]bool{}
	for _, p := range released {
		everywhere[p.os] = true
	}
	if maps.Equal(m.on, everywhere) {
		return ""
	}
	return " (on " + strings.Join(slices.Sorted(maps.Keys(m.on)), ", ") + " only)"
}
