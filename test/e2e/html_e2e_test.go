//go:build e2e

package e2e_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/confighash/confighash/test/support/harness"
)

// TestE2E_aBrowserShowsTheHTML loads reports of three sizes in a browser without a network, filters them by the
// address's fragment, and checks the picture.
func TestE2E_aBrowserShowsTheHTML(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skipf("chromium is not installed: %v", err)
	}
	for _, n := range []int{5, 100, 1_000} {
		dir := t.TempDir()
		before, after := writeFleets(t, dir, n)
		for command, args := range map[string][]string{
			"impact": {"impact", "--from", before, "--to", after, "-o", "html"},
			"graph":  {"graph", before, "-o", "html"},
		} {
			page := filepath.Join(dir, command+".html")
			if err := os.WriteFile(page, harness.MustRun(t, nil, harness.Binary, args...), 0o600); err != nil {
				t.Fatal(err)
			}
			for hash, want := range map[string]*regexp.Regexp{
				"":                    regexp.MustCompile(`role="status"></span>`),
				"filter=common":       regexp.MustCompile(`role="status">[1-9][0-9]* of [1-9][0-9]*</span>`),
				"filter=no-such-name": regexp.MustCompile(`(?s)role="status">0 of [1-9][0-9]*</span>.* class="item" hidden="">`),
			} {
				if n == 100 && strings.HasPrefix(hash, "filter=") {
					continue // a browser takes seconds to start
				}
				dom := browse(t, chromium, dir, "file://"+page+"#"+hash)
				markup, _, _ := strings.Cut(dom, "<script>")
				if !want.MatchString(markup) {
					t.Errorf("%s of %d, %s: no %s in\n%s", command, n, hash, want, markup)
				}
				if strings.Count(markup, `<path marker-end`) != strings.Count(markup, `" d="M`) {
					t.Errorf("%s of %d: an arrow is not drawn", command, n)
				}
				if boxes := strings.Count(markup, `class="box`); boxes < 2 || boxes > 40 || n != 100 && (n == 1_000) != strings.Contains(markup, "<p>This shows ") {
					t.Errorf("%s of %d: a picture of %d boxes", command, n, boxes)
				}
			}
		}
	}
}

// browse returns the page at an address after its script ran, and fails if the console has a message.
func browse(t *testing.T, chromium, dir, address string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+filepath.Join(dir, "profile"),
		"--enable-logging=stderr", "--virtual-time-budget=1000", "--dump-dom", address)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, &stderr, time.Minute
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	for line := range strings.Lines(stderr.String()) {
		if strings.Contains(line, ":CONSOLE") {
			t.Errorf("%s: %s", address, line)
		}
	}
	return stdout.String()
}
