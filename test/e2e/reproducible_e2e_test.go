//go:build e2e

package e2e_test

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"
)

func docker(t *testing.T, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("docker", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("docker %s: %v\n%s", args[0], err, stderr.Bytes())
	}
	return strings.TrimSpace(string(out))
}

// filesOfTheImage copies a path from the image under test to a new folder and returns its path there.
func filesOfTheImage(t *testing.T, image, path string) string {
	t.Helper()
	container := docker(t, "create", image)
	t.Cleanup(func() { docker(t, "rm", container) })
	dir := filepath.Join(t.TempDir(), "image")
	docker(t, "cp", container+":"+path, dir)
	return dir
}

// TestE2E_imageHoldsTheBinaryOfMakeBuild compares a build in a container, with empty caches, other folders and another
// user's home, with one on this machine.
func TestE2E_imageHoldsTheBinaryOfMakeBuild(t *testing.T) {
	image := harness.ImageUnderTest(t)
	inImage := filesOfTheImage(t, image, "/usr/local/bin/confighash")
	info, err := buildinfo.ReadFile(inImage)
	if err != nil {
		t.Fatal(err)
	}
	if here := goEnv(t, "GOVERSION"); info.GoVersion != here {
		t.Skipf("the image was built by %s, and this machine has %s", info.GoVersion, here)
	}
	version := docker(t, "image", "inspect", "--format", `{{index .Config.Labels "org.opencontainers.image.version"}}`, image)
	dir := t.TempDir()
	copyOfTheTree(t, dir)
	here := makeBuild(t, dir, version, "022", "HOME="+t.TempDir())
	if got, want := sha256Of(t, inImage), sha256Of(t, here); got != want {
		t.Errorf("the image's binary is %s, make build gives %s\n%s\n%s", got, want, info, buildInfo(t, here))
	}
}

func TestE2E_imageHasLicencesAndSBOM(t *testing.T) {
	image := harness.ImageUnderTest(t)
	documents := filesOfTheImage(t, image, "/usr/share/doc/confighash")
	for name, source := range map[string]string{
		"LICENSE":                  filepath.Join("..", "..", "LICENSE"),
		"THIRD_PARTY_LICENSES.txt": filepath.Join("..", "..", "THIRD_PARTY_LICENSES.txt"),
	} {
		if got, want := sha256Of(t, filepath.Join(documents, name)), sha256Of(t, source); got != want {
			t.Errorf("%s in the image is not %s", name, source)
		}
	}

	text, err := os.ReadFile(filepath.Join(documents, "confighash.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var sbom struct {
		BOMFormat string
		Metadata  struct {
			Component struct{ Hashes []struct{ Content string } }
		}
		Components []struct{ Name string }
	}
	if err := json.Unmarshal(text, &sbom); err != nil {
		t.Fatal(err)
	}
	binary := filesOfTheImage(t, image, "/usr/local/bin/confighash")
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	hashes := sbom.Metadata.Component.Hashes
	if sbom.BOMFormat != "CycloneDX" || len(hashes) != 1 || hashes[0].Content != sha256Of(t, binary) {
		t.Errorf("the bill of materials is not about the image's binary: %s", text)
	}
	if got, want := len(sbom.Components), len(info.Deps)+1; got != want { // and Go's own
		t.Errorf("the bill of materials lists %d components, the binary is linked from %d", got, want)
	}
}
