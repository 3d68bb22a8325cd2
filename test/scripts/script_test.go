package scripts_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/confighash/confighash/test/support/golden"
	"github.com/confighash/confighash/test/support/harness"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScript runs the cases in testdata/script: input, command, output and exit code in one file each. kustomize is the
// real binary.
func TestScript(t *testing.T) {
	kustomize, err := harness.Kustomize()
	if err != nil {
		t.Fatal(err)
	}
	renames, err := filepath.Abs(filepath.Join("..", "..", "testdata", "read-by-name.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Files: scripts(t),
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", env.Getenv("PATH")+string(os.PathListSeparator)+filepath.Dir(kustomize))
			env.Setenv("READ_BY_NAME", renames)
			return nil
		},
		UpdateScripts:       golden.Update(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// scripts returns the scripts that this system can run: Windows has no sh.
func scripts(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join("..", "..", "testdata", "script", "*.txtar"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	if runtime.GOOS != "windows" {
		return all
	}
	return slices.DeleteFunc(all, func(path string) bool {
		return bytes.Contains(harness.ReadFile(t, path), []byte("exec sh "))
	})
}
