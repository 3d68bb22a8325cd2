//go:build cluster

package cluster_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// deployment returns a Deployment whose container consumes a whole ConfigMap.
func deployment(name, configMap string) string {
	return fmt.Sprintf("---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %[1]s}\n"+
		"spec: {selector: {matchLabels: {app: %[1]s}}, template: {metadata: {labels: {app: %[1]s}}, spec: {containers: [{name: c, image: i, envFrom: [{configMapRef: {name: %[2]s}}]}]}}}\n", name, configMap)
}

// TestContext_rollsTheConsumersOfBothBuilds shares ConfigMaps between two builds as in docs/other-builds.md: a change
// rolls exactly its consumers in both builds.
func TestContext_rollsTheConsumersOfBothBuilds(t *testing.T) {
	const platform = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {LOG_LEVEL: info}\n---\n" +
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: regions}\ndata: {REGION: eu}\n"
	const own = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\ndata: {A: b}\n"
	apps := own + deployment("web", "settings") + deployment("cart", "regions") + deployment("solo", "own")
	eachWay(t, []string{"Rename", "Annotate"}, ways[:1], func(t *testing.T, mode string, w way, namespace string) {
		apply := func(platform string) {
			t.Helper()
			spec := []string{}
			if mode == "Rename" {
				spec = append(spec, "rename: {unreferenced: Rename}")
			}
			first, _ := build(t, namespace, mode, platform+deployment("gateway", "settings"), spec...)
			file := filepath.Join(t.TempDir(), "platform.yaml")
			if err := os.WriteFile(file, []byte(first), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), *binary, "--mode", mode, "--namespace", namespace, "--context", file)
			cmd.Stdin = strings.NewReader(apps)
			second, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			w.apply(t, namespace, first)
			w.apply(t, namespace, string(second))
		}
		apply(platform)
		before := rollouts(t, namespace)
		apply(platform)
		wantRolled(t, namespace, before, rollouts(t, namespace), nil)
		apply(edited(t, platform, debug))
		wantRolled(t, namespace, before, rollouts(t, namespace), []string{"Deployment gateway", "Deployment web"})
	})
}
