package harness

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// HelmModule is the module of the helm that the tests run.
const HelmModule = "helm.sh/helm/v3@v3.22.0"

// Helm returns the path of a helm: $HELM, or the one in bin/tools.
var Helm = sync.OnceValues(func() (string, error) {
	return toolBinary("helm", strings.Replace(HelmModule, "@", "/cmd/helm@", 1))
})

// SkipWithoutHelm skips a test that needs helm in short mode.
func SkipWithoutHelm(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: helm takes a minute to build where it is missing")
	}
}

// ReadFile returns the content of a file, which must exist.
func ReadFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// FencedBlocks returns the text between ```language and ``` in a page.
func FencedBlocks(t *testing.T, path, language string) []string {
	t.Helper()
	var blocks []string
	pattern := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)^```$")
	for _, match := range pattern.FindAllStringSubmatch(string(ReadFile(t, path)), -1) {
		blocks = append(blocks, match[1])
	}
	if len(blocks) == 0 {
		t.Fatalf("%s shows no %s", path, language)
	}
	return blocks
}

// Shell runs a command as on a page, in dir, with confighash, kustomize and helm on the PATH.
func Shell(t *testing.T, dir, command string, env ...string) (stdout, stderr string, err error) {
	t.Helper()
	SkipWithoutHelm(t)
	path := []string{filepath.Dir(Binary)}
	for _, tool := range []func() (string, error){Kustomize, Helm} {
		program, err := tool()
		if err != nil {
			t.Fatal(err)
		}
		path = append(path, filepath.Dir(program))
	}
	path = append(path, os.Getenv("PATH"))
	var out, messages bytes.Buffer
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+strings.Join(path, string(os.PathListSeparator)))
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdout, cmd.Stderr = &out, &messages
	err = cmd.Run()
	return out.String(), messages.String(), err
}

// ReadByName returns the path of a functionConfig under which only kustomize's rules decide about names: random objects
// have no data and random Roles name them.
func ReadByName() string { return filepath.Join(Root(), "testdata", "read-by-name.yaml") }
