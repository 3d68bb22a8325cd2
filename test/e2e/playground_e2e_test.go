//go:build e2e

package e2e_test

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"
)

// largestPlayground is the limit for the WebAssembly that a browser loads, in bytes.
const largestPlayground = 3_000_000

// playgroundUser uses the playground, and posts what it saw.
//
//go:embed testdata/playground.js
var playgroundUser string

// playgroundSeen is what playgroundUser posts.
type playgroundSeen struct {
	Example, Rename, Annotate string
	Marked                    []string
	Warnings, Impact, Graph   string
	Linked, LinkedConfig      string
	Error, ErrorLine, Large   string
	Ticks                     int
	Longest                   float64
}

// TestE2E_thePlaygroundDoesWhatTheProgramDoes pastes manifests, chooses a mode, follows a link, makes a mistake and
// pastes 5 MB, in a browser that can only reach the site.
func TestE2E_thePlaygroundDoesWhatTheProgramDoes(t *testing.T) {
	dir := t.TempDir()
	harness.MustRun(t, nil, filepath.Join(harness.Root(), "hack", "playground"), dir)
	checkPlaygroundSize(t, dir)
	const manifests = `apiVersion: v1
kind: ConfigMap
metadata: {name: app}
data: {LEVEL: info}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: watched}
data: {LEVEL: info}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: app}
spec: {template: {spec: {containers: [{name: app, args: [--configmap=default/watched], envFrom: [{configMapRef: {name: app}}, {configMapRef: {name: watched}}]}]}}}
`
	large := fleet(22_000, false)
	if len(large) < 5_000_000 {
		t.Fatalf("%d bytes are not 5 MB", len(large))
	}
	var seen playgroundSeen
	startBrowser(t).useSite(t, dir, playgroundUser, map[string]string{
		"manifests": manifests, "large": large,
		"broken": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: [app\ndata: {}\n",
	}, &seen)
	for mode, got := range map[string]string{"Rename": seen.Rename, "Annotate": seen.Annotate} {
		if want := string(harness.MustRun(t, []byte(manifests), harness.Binary, "--mode", mode)); got != want {
			t.Errorf("mode %s shows\n%swant\n%s", mode, got, want)
		}
	}
	if !slices.Contains(seen.Marked, "  name: settings-8gmmth85d9") || slices.Contains(seen.Marked, "  LOG_LEVEL: debug") {
		t.Errorf("the first example has these lines marked: %q", seen.Marked)
	}
	if seen.Linked != manifests || !strings.Contains(seen.LinkedConfig, "mode: Annotate\n") {
		t.Errorf("the link leads to\n%s\n%s", seen.LinkedConfig, seen.Linked)
	}
	for what, holds := range map[string][2]string{
		"the warnings":       {seen.Warnings, "ConfigMap watched: not renamed: "},
		"the impact":         {seen.Impact, "1 workload restarts (3 pods)"},
		"the graph":          {seen.Graph, "<code>Deployment default/app</code>"},
		"the error":          {seen.Error, "error: line 4: not valid YAML: "},
		"the line of it":     {seen.ErrorLine, "name: [app"},
		"the status of 5 MB": {seen.Large, "of 22000 resources changed"},
	} {
		if !strings.Contains(holds[0], holds[1]) {
			t.Errorf("%s: %q is not in\n%.2000s", what, holds[1], holds[0])
		}
	}
	if seen.Ticks < 5 || seen.Longest > 5_000 {
		t.Errorf("with 5 MB the page did something else %d times, and stood still for %.0f ms", seen.Ticks, seen.Longest)
	}
}

// checkPlaygroundSize compares what a browser loads with largestPlayground.
func checkPlaygroundSize(t *testing.T, dir string) {
	t.Helper()
	program, err := os.ReadFile(filepath.Join(dir, "playground", "confighash.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if _, err := w.Write(program); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if packed.Len() > largestPlayground {
		t.Errorf("confighash.wasm has %d bytes compressed, want at most %d", packed.Len(), largestPlayground)
	}
}
