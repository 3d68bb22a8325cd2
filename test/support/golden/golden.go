// Package golden compares a test's output with a file of testdata. With the flag -update, which every test that imports
// this package has, it writes the file instead:
//
//	go test ./internal/... -run TestWrite -update
package golden

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// Update reports whether golden files are to be written instead of compared.
func Update() bool { return *update }

// Compare fails the test unless the file at path contains got. With -update it writes the file, and creates its folder.
func Compare[T ~string | ~[]byte](t testing.TB, path string, got T) {
	t.Helper()
	if Update() {
		if err := write(path, string(got)); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.Fatalf("%s is missing; run %s with -update to write it", path, t.Name())
	case err != nil:
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs; run %s with -update if it should (-want +got):\n%s", path, t.Name(), diff)
	}
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
