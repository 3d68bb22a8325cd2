//go:build !windows

package examples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"
)

// The recipe of docs/other-builds.md: a change of the platform reaches exactly the applications that use what changed.
func TestOtherBuilds_recipeOfAMonorepo(t *testing.T) {
	applications := 50
	if testing.Short() {
		applications = 9
	}
	page := filepath.Join("..", "..", "docs", "other-builds.md")
	recipe, config := "", ""
	for _, block := range harness.FencedBlocks(t, page, "sh") {
		if strings.Contains(block, "for app in") {
			recipe = block
		}
	}
	for _, block := range harness.FencedBlocks(t, page, "yaml") {
		if strings.Contains(block, "kind: ConfigHash") {
			config = block
		}
	}
	files := harness.Files{
		"platform.confighash.yaml": config, "platform/kustomization.yaml": "resources: [objects.yaml]\n", "platform/objects.yaml": platformObjects("v1"),
	}
	uses := []string{"logging", "regions", "own"}
	for i := range applications {
		dir := fmt.Sprintf("apps/app%02d/", i)
		files[dir+"kustomization.yaml"] = "namespace: shop\nresources: [app.yaml]\n"
		files[dir+"app.yaml"] = fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own%02[1]d}\ndata: {k: v}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: app%02[1]d}\n"+
			"spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i, envFrom: [{configMapRef: {name: %[2]s}}, {configMapRef: {name: own%02[1]d}}]}]}}}\n",
			i, strings.Replace(uses[i%len(uses)], "own", fmt.Sprintf("own%02d", i), 1))
	}
	dir := t.TempDir()
	if err := files.Write(dir); err != nil {
		t.Fatal(err)
	}
	render := func() map[string]string {
		t.Helper()
		if _, stderr, err := harness.Shell(t, dir, recipe); err != nil || stderr != "" {
			t.Fatalf("%v\n%s", err, stderr)
		}
		rendered := map[string]string{}
		for i := range applications {
			name := fmt.Sprintf("app%02d", i)
			rendered[name] = string(harness.ReadFile(t, filepath.Join(dir, "rendered", "apps", name+".yaml")))
		}
		return rendered
	}
	before := render()
	again := render()
	if err := os.WriteFile(filepath.Join(dir, "platform", "objects.yaml"), []byte(platformObjects("v2")), 0o600); err != nil {
		t.Fatal(err)
	}
	after := render()
	for i := range applications {
		name, use := fmt.Sprintf("app%02d", i), uses[i%len(uses)]
		switch changed := before[name] != after[name]; {
		case before[name] != again[name]:
			t.Errorf("%s changes without a cause", name)
		case changed != (use == "logging"):
			t.Errorf("%s uses %s, and changed is %v:\n%s", name, use, changed, after[name])
		case use != "own" && !strings.Contains(after[name], "name: "+use+"-"):
			t.Errorf("%s does not refer to the platform's %s:\n%s", name, use, after[name])
		}
	}
	if platform := string(harness.ReadFile(t, filepath.Join(dir, "rendered", "platform.yaml"))); strings.Count(platform, "kind: ConfigMap") != 3 || strings.Contains(platform, "Deployment") {
		t.Errorf("the platform has two objects and an earlier version:\n%s", platform)
	}
}

func platformObjects(version string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: logging, namespace: shop}\ndata: {level: " + version + "}\n---\n" +
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: regions, namespace: shop}\ndata: {regions: eu}\n"
}
