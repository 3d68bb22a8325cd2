package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/confighash/confighash/test/support/golden"
)

// TestFlake_hashMatchesTheModules compares vendorHash of flake.nix with Nix's hash of the modules: the SHA-256 of an
// archive of the output of `go mod vendor`.
func TestFlake_hashMatchesTheModules(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vendor")
	cmd := exec.Command("go", "mod", "vendor", "-o", dir)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go mod vendor: %v\n%s", err, out)
	}
	hash := sha256.New()
	narText(hash, "nix-archive-1")
	if err := narNode(hash, dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "flake.nix")
	flake, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`vendorHash = "[^"]*"`)
	want := `vendorHash = "sha256-` + base64.StdEncoding.EncodeToString(hash.Sum(nil)) + `"`
	golden.Compare(t, path, line.ReplaceAllString(string(flake), want))
}

// narText writes a text as in a Nix archive: its length and its bytes, padded with zeros to a multiple of eight.
func narText(w io.Writer, text string) {
	padded := make([]byte, (len(text)+7)/8*8)
	copy(padded, text)
	_ = binary.Write(w, binary.LittleEndian, uint64(len(text))) // a hash never fails
	_, _ = w.Write(padded)
}

// narNode writes a file, or a folder with its content, which has no links.
func narNode(w io.Writer, path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, text := range []string{"(", "type", "regular", "contents", string(content), ")"} {
			narText(w, text)
		}
		return nil
	}
	for _, text := range []string{"(", "type", "directory"} {
		narText(w, text)
	}
	for _, entry := range entries {
		for _, text := range []string{"entry", "(", "name", entry.Name(), "node"} {
			narText(w, text)
		}
		if err := narNode(w, filepath.Join(path, entry.Name())); err != nil {
			return err
		}
		narText(w, ")")
	}
	narText(w, ")")
	return nil
}
