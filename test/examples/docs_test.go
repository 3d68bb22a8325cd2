//go:build !windows

package examples_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"
)

// Stand-ins for the registry and the cluster that a test lacks. They reject what the real ones would reject because of
// its form.
var docStandIns = map[string]string{
	"docker": `case $1 in
build) shift; for last; do :; done; [ -f "$last/Dockerfile" ] || { echo "$last has no Dockerfile" >&2; exit 1; } ;;
push) [ $# = 2 ] ;;
*) echo "unexpected: docker $*" >&2; exit 1 ;;
esac
`,
	"argo": `[ "$1 $2 $3" = "submit --from workflowtemplate/render-fleet" ] || { echo "unexpected: argo $*" >&2; exit 1; }
grep -q "^  name: ${3#*/}\$" examples/fleet/workflow/workflowtemplate.yaml
grep -q "^namespace: $5\$" examples/fleet/workflow/kustomization.yaml
`,
	"make": `[ "$1" = image ] && [ "${2%=*}" = IMAGE ] || { echo "unexpected: make $*" >&2; exit 1; }
`,
	"kubectl": `case $* in
"apply -f -" | "apply --server-side --force-conflicts -f -") input=$(cat) ;;
"apply -f "*) input=$(cat "$3") ;;
"create configmap confighash-plugin "*) for file; do case $file in --from-file=*) [ -f "${file#*=}" ] ;; esac; done; exit 0 ;;
"get application shop --namespace argocd --output jsonpath="* | "get applications "* | "logs deployment/argocd-repo-server "*) exit 0 ;;
*) echo "unexpected: kubectl $*" >&2; exit 1 ;;
esac
case "$1 $2 $input" in
"apply -f "*argocd-repo-server*) echo "the annotation of a client-side apply does not hold Argo CD's manifests" >&2; exit 1 ;;
*kind:*) ;;
*) echo "nothing to apply" >&2; exit 1 ;;
esac
`,
}

var exampleDocs = []string{"argocd.md", "argocd-plugin.md", "argocd-teams.md", "fleets.md"}

func TestExampleDocs_yamlIsFromTheExamples(t *testing.T) {
	var examples bytes.Buffer
	for _, dir := range []string{"argocd", "fleet"} {
		err := filepath.WalkDir(filepath.Join(examplesDir, dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			examples.WriteString("\n")
			examples.Write(content)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, page := range exampleDocs {
		for _, block := range harness.FencedBlocks(t, filepath.Join("..", "..", "docs", page), "yaml") {
			if !strings.Contains(examples.String(), "\n"+block) {
				t.Errorf("docs/%s shows what is in no example:\n%s", page, block)
			}
		}
	}
}

func TestExampleDocs_commandsRun(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skipf("this machine has no shell: %v", err)
	}
	s := newSidecar(t, shell)
	for name, script := range docStandIns {
		put(t, s.bin, name, "#!/bin/sh\nset -eu\n"+script)
		if err := os.Chmod(filepath.Join(s.bin, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	hasBuild := false
	for _, page := range exampleDocs {
		for _, block := range harness.FencedBlocks(t, filepath.Join("..", "..", "docs", page), "sh") {
			hasBuild = hasBuild || strings.Contains(block, pluginBuild+"\n")
			cmd := exec.Command(filepath.Join(s.bin, "sh"), "-eu", "-c", block) // #nosec G204 -- the page's own
			cmd.Dir, cmd.Env = harness.Root(), []string{"PATH=" + s.bin + ":/usr/bin:/bin"}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("docs/%s: %v\n%s%s", page, err, block, out)
			}
		}
	}
	if !hasBuild {
		t.Errorf("no page shows %q, which make e2e runs", pluginBuild)
	}
}
