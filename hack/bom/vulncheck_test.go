package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestVulncheck_distinguishesFindingsFromAnUnreachableDatabase runs hack/vulncheck with a program in place of
// govulncheck that has the same exit codes.
func TestVulncheck_distinguishesFindingsFromAnUnreachableDatabase(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skipf("hack/vulncheck is a script: %v", err)
	}
	const unreachable = "govulncheck: fetching vulnerabilities: Get: no such host"
	tests := []struct {
		name           string
		source, binary int // exit codes
		stderr         string
		want           int
	}{
		{name: "nothing found", want: 0},
		{name: "found in the source", source: 3, want: 1},
		{name: "found in the binary", binary: 3, want: 1},
		{name: "no database", source: 1, stderr: unreachable, want: 2},
		{name: "no database any more", binary: 1, stderr: unreachable, want: 2},
		{name: "another fault", source: 1, stderr: "govulncheck: loading packages: no metadata", want: 1},
		{name: "found, whatever else", source: 3, stderr: unreachable, want: 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "govulncheck")
			script := fmt.Sprintf("#!/bin/sh\necho %q >&2\ncase \"$*\" in *binary*) exit %d ;; esac\nexit %d\n", test.stderr, test.binary, test.source)
			if err := os.WriteFile(program, []byte(script), 0o777); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(filepath.Join(root, "hack", "vulncheck"), program)
			cmd.Env = append(os.Environ(), "GO=true") // builds nothing, instantly
			out, err := cmd.CombinedOutput()
			if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if got := cmd.ProcessState.ExitCode(); got != test.want {
				t.Errorf("exit code %d, want %d\n%s", got, test.want, out)
			}
		})
	}
}
