package e2e_test

import (
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"
	"github.com/confighash/confighash/test/support/property"
)

// copyOfTheTree copies the inputs of a build to a new folder.
func copyOfTheTree(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(harness.Root(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(harness.Root(), path)
		if err != nil {
			return err
		}
		top, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		switch {
		case entry.IsDir():
			if name != "." && top != "fn" && top != "internal" && top != "pkg" || entry.Name() == "testdata" {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(dir, name), 0o777)
		case strings.HasSuffix(name, "_test.go"):
			return nil
		case top == name && name != "go.mod" && name != "go.sum" && name != "Makefile":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name), text, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// goEnv returns the value of a variable of go env.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatalf("go env %s: %v", name, err)
	}
	return strings.TrimSpace(string(out))
}

// makeBuild runs make build in a copy of the tree, without the user's Go settings, and returns the binary's path.
func makeBuild(t *testing.T, dir, version, umask string, env ...string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", "umask "+umask+" && exec make build VERSION="+version)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GOENV=off", "GOTOOLCHAIN=local"}
	for _, name := range []string{"GOMODCACHE", "GOCACHE", "GOPROXY", "GOSUMDB"} {
		cmd.Env = append(cmd.Env, name+"="+goEnv(t, name))
	}
	cmd.Env = append(cmd.Env, env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make build: %v\n%s", err, out)
	}
	return filepath.Join(dir, "bin", "confighash")
}

func sha256Of(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(content))
}

// TestBuild_isReproducible builds as from a source archive and as from a checkout with changes, in different
// environments. The compiler's results come from one cache; the image's test, which needs docker, begins with an empty
// one.
func TestBuild_isReproducible(t *testing.T) {
	if !property.IsLong() {
		t.Skip("it builds three times: make test-long")
	}
	for _, program := range []string{"sh", "make", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed: %v", program, err)
		}
	}
	archive := filepath.Join(t.TempDir(), "confighash-1.2.3")
	copyOfTheTree(t, archive)
	checkout := filepath.Join(t.TempDir(), "home", "someone", "src", "with a space")
	copyOfTheTree(t, checkout)
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "."},
		{"-c", "user.name=Some One", "-c", "user.email=someone@example.com", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "all"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = checkout
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args[0], err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(checkout, "note.txt"), []byte("not committed\n"), 0o666); err != nil {
		t.Fatal(err)
	}

	first := makeBuild(t, archive, "v1.2.3", "022", "HOME="+t.TempDir(), "TZ=UTC", "LC_ALL=C")
	second := makeBuild(t, checkout, "v1.2.3", "077", "HOME="+t.TempDir(), "TZ=Asia/Kathmandu", "LC_ALL=de_DE.UTF-8", "USER=someone")
	if one, other := sha256Of(t, first), sha256Of(t, second); one != other {
		t.Errorf("two builds of one source differ: %s and %s\n%s\n%s", one, other, buildInfo(t, first), buildInfo(t, second))
	}
	if text, err := os.ReadFile(second); err != nil || strings.Contains(string(text), "with a space") {
		t.Errorf("the binary names the folder that it was built in (%v)", err)
	}
	third := makeBuild(t, archive, "v1.2.4", "022", "HOME="+t.TempDir())
	if sha256Of(t, third) == sha256Of(t, second) {
		t.Error("another version gave the same binary, so this test sees no difference")
	}
}

// buildInfo returns the build information in the binary.
func buildInfo(t *testing.T, binary string) string {
	t.Helper()
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	return info.String()
}
