package scripts_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/confighash/confighash/internal/test/harness"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what the scripts' commands print into testdata/script")

// TestScript runs the cases in testdata/script: input, command, output and
// exit code in one file each. confighash and kustomize are the real binaries.
func TestScript(t *testing.T) {
	kustomize, err := harness.Kustomize()
	if err != nil {
		t.Fatal(err)
	}
	renames, err := filepath.Abs(filepath.Join("..", "..", "testdata", "read-by-name.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Dir(harness.Binary) + string(os.PathListSeparator) + filepath.Dir(kustomize) + string(os.PathListSeparator)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("..", "..", "testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", path+env.Getenv("PATH"))
			env.Setenv("READ_BY_NAME", renames)
			return nil
		},
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}
