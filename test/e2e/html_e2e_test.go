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

// TestE2E_aBrowserFiltersTheHTML loads reports in a browser without a network, and filters
// them by what is after the hash of the address.
func TestE2E_aBrowserFiltersTheHTML(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skipf("chromium is not installed: %v", err)
	}
	story := filepath.Join(harness.Root(), "testdata", "story", "main.yaml")
	text, err := os.ReadFile(story)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	branch := filepath.Join(dir, "branch.yaml")
	if err := os.WriteFile(branch, bytes.ReplaceAll(text, []byte("LOG_LEVEL: info"), []byte("LOG_LEVEL: debug")), 0o600); err != nil {
		t.Fatal(err)
	}
	for command, args := range map[string][]string{
		"impact": {"impact", "--from", story, "--to", branch, "-o", "html"},
		"graph":  {"graph", story, "-o", "html"},
	} {
		page := filepath.Join(dir, command+".html")
		if err := os.WriteFile(page, harness.MustRun(t, nil, harness.Binary, args...), 0o600); err != nil {
			t.Fatal(err)
		}
		for filter, want := range map[string]*regexp.Regexp{
			"":             regexp.MustCompile(`role="status"></span>`),
			"settings":     regexp.MustCompile(`role="status">[1-9][0-9]* of [1-9][0-9]*</span>`),
			"no-such-name": regexp.MustCompile(`(?s)role="status">0 of [1-9][0-9]*</span>.*<li class="item" hidden="">`),
		} {
			if dom := browse(t, chromium, dir, "file://"+page+"#filter="+filter); !want.MatchString(dom) {
				t.Errorf("%s, filter %q: no %s in\n%s", command, filter, want, dom)
			}
		}
	}
}

// browse returns the page at an address after its script ran, and fails if the console
// has a message.
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
