package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// direct returns the modules that the project's own code imports, according to go.mod.
func direct(t *testing.T) map[string]bool {
	t.Helper()
	cmd := exec.Command("go", "mod", "edit", "-json")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go mod edit: %v", err)
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	paths := map[string]bool{}
	for _, r := range mod.Require {
		if !r.Indirect {
			paths[r.Path] = true
		}
	}
	return paths
}

var tableRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.*) \\|$")

// cells returns the other cells of each row in a page's tables, by the first cell. No cell may be empty.
func cells(t *testing.T, page string) map[string][]string {
	t.Helper()
	rows := map[string][]string{}
	for _, match := range tableRow.FindAllStringSubmatch(page, -1) {
		if rows[match[1]] != nil {
			t.Errorf("%s stands there twice", match[1])
		}
		rows[match[1]] = strings.Split(match[2], " | ")
		for _, cell := range rows[match[1]] {
			if strings.TrimSpace(cell) == "" {
				t.Errorf("%s: a cell is empty", match[1])
			}
		}
	}
	return rows
}

// TestDependencies_page compares docs/internals/dependencies.md with the linked modules: each has a reason there, and
// there are no others.
func TestDependencies_page(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "internals", "dependencies.md"))
	if err != nil {
		t.Fatal(err)
	}
	inside, outside, ok := strings.Cut(string(text), "\n## Outside the executable\n")
	chosen, brought, ok2 := strings.Cut(inside, "\nBrought along:\n")
	if !ok || !ok2 {
		t.Fatal("docs/internals/dependencies.md has other headings than this test knows")
	}
	modules, err := linked(root, released...)
	if err != nil {
		t.Fatal(err)
	}

	type entry struct{ Section, Licence string }
	got := map[string]entry{}
	for path, row := range cells(t, chosen) {
		got[path] = entry{"chosen", row[len(row)-1]}
	}
	for path, row := range cells(t, brought) {
		got[path] = entry{"brought along", row[len(row)-1]}
	}
	for path := range cells(t, outside) {
		got[path] = entry{Section: "outside"}
	}

	want := map[string]entry{}
	for path := range direct(t) {
		want[path] = entry{Section: "outside"}
	}
	own := map[string]bool{}
	for _, m := range modules {
		if m.Main {
			own = m.imports
		}
	}
	for _, m := range modules {
		if m.Main {
			continue
		}
		docs, err := m.documents()
		if err != nil {
			t.Fatal(err)
		}
		ids, err := licences(docs)
		if err != nil {
			t.Fatalf("%s: %v", m.Path, err)
		}
		want[m.Path] = entry{"brought along", ids}
		if own[m.Path] {
			want[m.Path] = entry{"chosen", ids}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/internals/dependencies.md is not up to date (-want +got):\n%s", diff)
	}
}
