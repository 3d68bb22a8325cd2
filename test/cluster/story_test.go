//go:build cluster

package cluster_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/confighash/confighash/test/support/golden"
	"github.com/confighash/confighash/test/support/transcript"
)

// TestStory_printsWhatThePagesShow runs the transcripts of the README and of docs/getting-started.md, each in an empty
// namespace default.
func TestStory_printsWhatThePagesShow(t *testing.T) {
	t.Cleanup(func() { emptyDefault(t) })
	for _, name := range []string{"README.md", "docs/getting-started.md"} {
		file := filepath.Join(root, name)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		page := string(text)
		transcripts := transcript.Read(page)
		if len(transcripts) < 2 {
			t.Fatalf("%s shows %d transcripts, want at least 2", name, len(transcripts))
		}
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "testdata", "story"))); err != nil {
			t.Fatal(err)
		}
		for i := range transcripts {
			emptyDefault(t)
			for j := range transcripts[i].Commands {
				c := &transcripts[i].Commands[j]
				c.Output = runInStory(t, dir, c.Text)
			}
		}
		golden.Compare(t, file, transcript.Write(page, transcripts))
	}
}

// runInStory runs a command of a page as its reader does, and returns its output after the controllers have observed
// the changes.
func runInStory(t *testing.T, dir, command string) string {
	t.Helper()
	path := ""
	for _, programs := range []string{filepath.Join(root, "bin"), options.Binaries} {
		absolute, err := filepath.Abs(programs)
		if err != nil {
			t.Fatal(err)
		}
		path += absolute + string(os.PathListSeparator)
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "bash", "-o", "pipefail", "-c", command)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + path + os.Getenv("PATH"), "HOME=" + dir, "KUBECONFIG=" + plane.Kubeconfig()}
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out.String())
	}
	rollouts(t, "default")
	return out.String()
}

// emptyDefault deletes the objects of the story, and waits until they are gone.
func emptyDefault(t *testing.T) {
	t.Helper()
	result, err := plane.Kubectl(context.Background(), "", "delete", "-n", "default", "--cascade=foreground", "--all", "deployments,configmaps")
	if err != nil || result.Code != 0 {
		t.Errorf("kubectl delete: %v\n%s", err, result.Stderr)
	}
}
