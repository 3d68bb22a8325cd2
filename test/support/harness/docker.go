package harness

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// ImageUnderTest returns the image under test, CONFIGHASH_IMAGE, or skips the test if docker cannot run it.
func ImageUnderTest(t *testing.T) string {
	t.Helper()
	name := os.Getenv("CONFIGHASH_IMAGE")
	if name == "" {
		t.Skip("CONFIGHASH_IMAGE names no image: run make e2e")
	}
	if err := exec.Command("docker", "info").Run(); err != nil {
		t.Skipf("docker does not run here: docker info: %v", err)
	}
	if out, err := exec.Command("docker", "image", "inspect", name).CombinedOutput(); err != nil {
		t.Fatalf("docker has no image %s: %v\n%s", name, err, out)
	}
	return name
}

// Kpt returns the path of kpt, or skips the test if there is none.
func Kpt(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("kpt")
	if err != nil {
		t.Skipf("kpt is not installed: %v", err)
	}
	return path
}

// ReplaceIn replaces the only occurrence of old in a file.
func ReplaceIn(t *testing.T, path, old, replacement string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(content, []byte(old)); n != 1 {
		t.Fatalf("%s holds %q %d times, want once", path, old, n)
	}
	content = bytes.Replace(content, []byte(old), []byte(replacement), 1)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// MustRun runs a program on stdin and returns its stdout. It fails the test if the program fails.
func MustRun(t *testing.T, stdin []byte, name string, args ...string) []byte {
	t.Helper()
	stdout, err := Run(stdin, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return stdout
}

// Contents returns the files beneath dir, by path.
func Contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := make(map[string]string)
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		found[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
