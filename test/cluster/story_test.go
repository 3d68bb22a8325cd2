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

// TestStory_printsWhatTheREADMEShows runs the transcripts at the top of the README,
// each in the namespace default with nothing in it.
func TestStory_printsWhatTheREADMEShows(t *testing.T) {
	readme := filepath.Join(root, "README.md")
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	transcripts := transcript.Read(page)
	if len(transcripts) < 2 {
		t.Fatalf("the README shows %d transcripts, want the one without confighash and the one with it", len(transcripts))
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "testdata", "story"))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { emptyDefault(t) })
	for i := range transcripts {
		emptyDefault(t)
		for j := range transcripts[i].Commands {
			c := &transcripts[i].Commands[j]
			c.Output = runInStory(t, dir, c.Text)
		}
	}
	shown := transcript.Write(page, transcripts)
	golden.Compare(t, readme, shown)
}

// runInStory runs a command of the README as its reader does, and returns what it
// prints once the controllers have seen what it changed.
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

// emptyDefault deletes what the story leaves, and waits until it is gone.
func emptyDefault(t *testing.T) {
	t.Helper()
	result, err := plane.Kubectl(context.Background(), "", "delete", "-n", "default", "--cascade=foreground", "--all", "deployments,configmaps")
	if err != nil || result.Code != 0 {
		t.Errorf("kubectl delete: %v\n%s", err, result.Stderr)
	}
}
