package scripts_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/confighash/confighash/internal/cli"
)

// The scripts run this test binary as confighash, so that they need no build and count for the coverage.
func TestMain(m *testing.M) {
	program := func() { cli.Main("") }
	testscript.Main(m, map[string]func(){"confighash": program, "kubectl-confighash": program})
}
