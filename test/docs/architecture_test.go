package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestArchitecture_describesEachPackage looks for a line about each package, and for a layer that holds those below the
// command.
func TestArchitecture_describesEachPackage(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	lint, err := os.ReadFile(filepath.Join(root, ".golangci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, pattern := range []string{"*/*.go", "*/*/*.go"} {
		files, err := filepath.Glob(filepath.Join(root, "internal", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			dir, err := filepath.Rel(filepath.Join(root, "internal"), filepath.Dir(file))
			if err != nil {
				t.Fatal(err)
			}
			seen[filepath.ToSlash(dir)] = true
		}
	}
	for name := range seen {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("ARCHITECTURE.md has no line about internal/%s", name)
		}
		if name != "cli" && name != "catalog/list" && !strings.Contains(string(lint), `"**/internal/`+name+`/*.go"`) {
			t.Errorf(".golangci.yml has no layer for internal/%s", name)
		}
	}
	if len(seen) < 30 {
		t.Errorf("%d packages seen, want at least 30", len(seen))
	}
}
