package golden

import (
	"os"
	"path/filepath"
	"testing"
)

// A recorder records whether a test fails.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Name() string          { return "TestX" }
func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Fatalf(string, ...any) { r.failed = true }

func TestCompare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "file")
	*update = true
	Compare(t, path, []byte("a\n"))
	*update = false
	if text, err := os.ReadFile(path); err != nil || string(text) != "a\n" {
		t.Fatalf("-update wrote %q, %v", text, err)
	}
	for _, test := range []struct {
		path, got string
		fails     bool
	}{
		{path, "a\n", false},
		{path, "b\n", true},
		{path + "-absent", "a\n", true},
	} {
		r := &recorder{TB: t}
		Compare(r, test.path, test.got)
		if r.failed != test.fails {
			t.Errorf("%s with %q: failed %t, want %t", test.path, test.got, r.failed, test.fails)
		}
	}
}
