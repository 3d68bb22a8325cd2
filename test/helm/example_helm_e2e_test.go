//go:build e2e

package helm_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"

	"github.com/google/go-cmp/cmp"
)

// helm4Binary returns the path of a Helm 4: $HELM4, or the one in bin/tools; it skips the test if there is none, since
// building one takes long.
func helm4Binary(t *testing.T) string {
	t.Helper()
	path := os.Getenv("HELM4")
	if path == "" {
		path = filepath.Join("..", "..", "bin", "tools", "helm4")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skipf("there is no Helm 4, which make e2e builds, in some minutes: %v", err)
	}
	return path
}

func helm4User(t *testing.T) helmUser {
	t.Helper()
	h := newHelmUser(t, helm4Binary(t))
	h.must(t, installPlugin)
	return h
}

// The user has run installPlugin, the page's first command.
func TestE2E_helm4(t *testing.T) { checkHelm(t, helm4User) }

// For a chart with hooks, a subchart and a CustomResourceDefinition, Helm 4 passes all but the last to the plugin.
func TestE2E_helm4_pluginGivesWhatThePipeGives(t *testing.T) {
	h := helm4User(t)
	chart, err := filepath.Abs(ownChart("shop").dir)
	if err != nil {
		t.Fatal(err)
	}
	template := "helm template demo " + chart + " --namespace prod --include-crds"
	for _, mode := range []string{"Rename", "Annotate"} {
		t.Run(mode, func(t *testing.T) {
			want, err := harness.Objects([]byte(h.must(t, template+" | confighash --namespace prod --mode "+mode+" 2>/dev/null")))
			if err != nil {
				t.Fatal(err)
			}
			text := h.must(t, template+" --post-renderer confighash --post-renderer-args=--namespace=prod --post-renderer-args=--mode="+mode)
			if own := map[string]string{"Rename": harness.HashAnnotation, "Annotate": "checksum/config"}[mode]; !strings.Contains(text, own+": ") {
				t.Errorf("nothing has the annotation %s:\n%s", own, text)
			}
			got, err := harness.Objects([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the plugin gives something else (-pipe +plugin):\n%s", diff)
			}
			hooks, crds := 0, 0
			for id, o := range got {
				if harness.At(o, "metadata", "annotations", "helm.sh/hook") != nil {
					hooks++
				}
				if strings.Contains(id, "CustomResourceDefinition") {
					crds++
				}
			}
			if hooks == 0 || crds == 0 {
				t.Errorf("the chart has %d hooks and %d CustomResourceDefinitions, want some of both", hooks, crds)
			}
		})
	}
}

// The reason why docs/helm.md recommends the filter, and HELM_PLUGINS.
func TestE2E_helm4_hidesErrors(t *testing.T) {
	h := helm4User(t)
	out, err := h.sh(t, "helm template web ./chart --debug --post-renderer confighash --post-renderer-args=--mode=Rname")
	if err == nil || !strings.Contains(out, "exited with error") || strings.Contains(out, "is not one of") {
		t.Errorf("Helm says (%v)\n%s\ndocs/helm.md says that it tells nothing but exited with error", err, out)
	}
	helm3, err := harness.Helm()
	if err != nil {
		t.Fatal(err)
	}
	if out, err = h.sh(t, helm3+" plugin list"); err == nil || !strings.Contains(out, "failed to load plugin") {
		t.Errorf("Helm 3 says (%v)\n%s\ndocs/helm.md says that it fails to load the plugin", err, out)
	}
	if out, err = h.sh(t, "HELM_PLUGINS=$PWD/none "+helm3+" plugin list"); err != nil {
		t.Errorf("Helm 3 with plugins elsewhere: %v\n%s", err, out)
	}
}

// If Helm 4 passed the namespace, the documented argument would not be needed.
func TestE2E_helm4_givesAPluginNoNamespace(t *testing.T) {
	h := newHelmUser(t, helm4Binary(t))
	err := harness.Files{"spy/plugin.yaml": strings.NewReplacer("name: confighash", "name: spy",
		"command: confighash", "command: sh\n      args: [-c, 'env >spied; cat']").
		Replace(string(harness.ReadFile(t, filepath.Join("..", "..", "examples", "helm", "plugin", "plugin.yaml"))))}.Write(h.dir)
	if err != nil {
		t.Fatal(err)
	}
	h.must(t, "helm plugin install ./spy")
	h.must(t, "helm template web ./chart --namespace shop --post-renderer spy")
	spied := strings.Split(string(harness.ReadFile(t, filepath.Join(h.dir, "spied"))), "\n")
	if !slices.ContainsFunc(spied, func(line string) bool { return strings.HasPrefix(line, "HELM_PLUGIN_NAME=spy") }) {
		t.Fatalf("the plugin did not run: %q", spied)
	}
	if i := slices.IndexFunc(spied, func(line string) bool { return strings.HasPrefix(line, "HELM_NAMESPACE=") }); i >= 0 {
		t.Errorf("Helm sets %s: docs/helm.md says that it sets none", spied[i])
	}
}
