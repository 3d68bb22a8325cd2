package kustomize_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/test/support/harness"
)

const (
	buildChart = "apiVersion: v2\nname: shop\nversion: 1.0.0\n"
	buildWeb   = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: web, envFrom: [{configMapRef: {name: settings}}]}]}}}\n"
	buildMap   = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n"
)

// buildFiles are kustomizations that each need a flag of kustomize.
var buildFiles = harness.Files{
	"outside/settings.yaml":         buildMap,
	"restricted/kustomization.yaml": "resources: [../outside/settings.yaml, web.yaml]\n",
	"restricted/web.yaml":           buildWeb,
	"plain/kustomization.yaml":      "resources: [web.yaml, settings.yaml]\n",
	"plain/web.yaml":                buildWeb,
	"plain/settings.yaml":           buildMap,

	"charts/kustomization.yaml":           "helmCharts: [{name: shop, releaseName: shop}]\n",
	"charts/charts/shop/Chart.yaml":       buildChart,
	"charts/charts/shop/values.yaml":      "{}\n",
	"charts/charts/shop/templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  version: {{ .Capabilities.KubeVersion.Version }}\n  has: {{ .Capabilities.APIVersions.Has \"example.com/v1\" | quote }}\n---\n" + buildWeb,

	"functions/kustomization.yaml": "resources: [web.yaml, settings.yaml]\ntransformers: [exec.yaml]\n",
	"functions/web.yaml":           buildWeb,
	"functions/settings.yaml":      buildMap,
	"functions/exec.yaml":          "apiVersion: example.com/v1\nkind: Team\nmetadata:\n  name: team\n  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: ./team}\n",
	"functions/team":               "#!/bin/sh\nsed 's/a: b/a: c/'\n",

	"containers/kustomization.yaml": "resources: [web.yaml, settings.yaml]\ntransformers: [container.yaml]\n",
	"containers/web.yaml":           buildWeb,
	"containers/settings.yaml":      buildMap,
	"containers/container.yaml":     "apiVersion: example.com/v1\nkind: Team\nmetadata:\n  name: team\n  annotations:\n    config.kubernetes.io/function: |\n      container: {image: example.com/team, network: true}\n",
	// docker adds its arguments to the ConfigMap.
	"bin/docker": "#!/bin/sh\necho \"$@\" > \"$CALLS\"; cat\n",
}

// TestBuild_flagsWorkLikeKustomizes runs kustomize with each of the flags, followed by the function, and build with
// the same flags.
func TestBuild_flagsWorkLikeKustomizes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the functions are scripts for sh")
	}
	kustomize, err := harness.Kustomize()
	if err != nil {
		t.Fatal(err)
	}
	helm, err := harness.Helm()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := buildFiles.Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{"functions/team", "bin/docker"} {
		if err := os.Chmod(filepath.Join(dir, script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	calls := filepath.Join(dir, "calls")
	t.Setenv("PATH", filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("CALLS", calls)
	t.Chdir(dir)
	withHelm := []string{"--enable-helm", "--helm-command", helm}
	for _, test := range []struct {
		label, dir string
		flags      []string
		refused    bool
	}{
		{"outside files", "restricted", nil, true},
		{"outside files, allowed", "restricted", []string{"--load-restrictor", "LoadRestrictionsNone"}, false},
		{"outside files, a wrong value", "restricted", []string{"--load-restrictor", "none"}, true},
		{"outside files, forbidden", "restricted", []string{"--load-restrictor", "LoadRestrictionsRootOnly"}, true},
		{"a chart without the flag", "charts", nil, true},
		{"a chart without helm", "charts", []string{"--enable-helm", "--helm-command", "no-such-helm"}, true},
		{"a chart", "charts", withHelm, false},
		{"versions of the cluster", "charts", append(withHelm, "--helm-kube-version", "1.25.0", "--helm-api-versions", "example.com/v1"), false},
		{"charts with alpha plugins", "charts", []string{"--enable-alpha-plugins", "--helm-command", helm}, false},
		{"a program without plugins", "functions", nil, true},
		{"a program without exec, which is skipped", "functions", []string{"--enable-alpha-plugins"}, false},
		{"a program", "functions", []string{"--enable-alpha-plugins", "--enable-exec"}, false},
		{"a container", "containers", []string{"--enable-alpha-plugins"}, true},
		{"a container with a network", "containers", []string{"--enable-alpha-plugins", "--network"}, false},
		{"to a file", "plain", []string{"--output", "out.yaml"}, false},
		{"to a folder", "plain", []string{"-o", "out"}, false},
	} {
		t.Run(test.label, func(t *testing.T) {
			built := func(name string, args ...string) (string, error) {
				if err := os.MkdirAll("out", 0o755); err != nil {
					t.Fatal(err)
				}
				_ = os.Remove(calls)
				out, err := harness.Run(nil, name, slices.Concat([]string{"build", test.dir}, test.flags, args)...)
				all := string(out)
				for _, pattern := range []string{"out.yaml", "out/*", "calls"} {
					files, _ := filepath.Glob(pattern)
					for _, f := range files {
						all += fmt.Sprintf("-- %s --\n%s", f, harness.ReadFile(t, f))
						_ = os.Remove(f)
					}
				}
				return strings.ReplaceAll(all, "NETWORK", ""), err
			}
			want, wantErr := built(kustomize)
			got, gotErr := built(harness.Binary, "--mode", "Rename", "--policy", "OptIn") // which changes nothing
			if (wantErr != nil) != test.refused || (gotErr != nil) != test.refused {
				t.Fatalf("kustomize ends with %v, build with %v", wantErr, gotErr)
			}
			if gotErr != nil && !strings.HasPrefix(got, "-- calls --") {
				want = ""
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-kustomize +build):\n%s", diff)
			}
			if test.refused && strings.Count(gotErr.Error(), "\n") != 2 {
				t.Errorf("the error is not one line: %v", gotErr)
			}
		})
	}
}
