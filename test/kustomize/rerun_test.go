package kustomize_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"
	"github.com/confighash/confighash/test/support/kustomize"

	"github.com/google/go-cmp/cmp"
)

// layered builds one of several layers in this process.
func layered(t *testing.T, f harness.Files, layer string) map[string]harness.Object {
	t.Helper()
	dir := t.TempDir()
	if err := f.Write(dir); err != nil {
		t.Fatal(err)
	}
	out, err := kustomize.Build(filepath.Join(dir, layer))
	if err != nil {
		t.Fatal(err)
	}
	found, err := harness.Objects(out)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// appDeployment consumes a ConfigMap app.
const appDeployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n" +
	"spec: {template: {spec: {containers: [{name: a, envFrom: [{configMapRef: {name: app}}]}]}}}\n"

// consumed returns the name of the ConfigMap that the Deployment consumes.
func consumed(found map[string]harness.Object, deployment string) string {
	return stringWithin(found["apps/v1 Deployment "+deployment],
		[]string{"spec", "template", "spec", "containers", "0", "envFrom", "0", "configMapRef", "name"})
}

// Two variants of a base that lists the function, of which only one adds a prefix: after the function, kustomize fixes
// the references by earlier names. The name from the function must be among them, or the object without a prefix is not
// a candidate for its own Deployment.
func TestVariantWithoutPrefix_keepsItsOwnConfigMap(t *testing.T) {
	found := layered(t, harness.Files{
		"base/resources.yaml":       appDeployment + "---\n" + appConfigMap,
		"base/confighash.yaml":      harness.FunctionConfig("{mode: Rename}"),
		"base/kustomization.yaml":   "resources: [resources.yaml]\ntransformers: [confighash.yaml]\n",
		"plain/kustomization.yaml":  "resources: [../base]\n",
		"canary/kustomization.yaml": "resources: [../base]\nnamePrefix: canary-\n",
		"both/kustomization.yaml":   "resources: [../plain, ../canary]\n",
	}, "both")
	for deployment, want := range map[string]string{"/web": "app-" + appHash, "/canary-web": "canary-app-" + appHash} {
		if got := consumed(found, deployment); got != want {
			t.Errorf("Deployment %s consumes %q, want %q", deployment, got, want)
		}
	}
}

// The same without kustomize's help: two variants in the layer that lists the function, and in an inner layer.
func TestVariantWithoutPrefix_keepsItsOwnConfigMapWhenTheFunctionRunsAgain(t *testing.T) {
	found := layered(t, harness.Files{
		"base/resources.yaml":       appDeployment + "---\n" + appConfigMap,
		"base/confighash.yaml":      harness.FunctionConfig("{mode: Rename}"),
		"base/kustomization.yaml":   "resources: [resources.yaml]\ntransformers: [confighash.yaml]\n",
		"plain/kustomization.yaml":  "resources: [../base]\n",
		"canary/kustomization.yaml": "resources: [../base]\nnamePrefix: canary-\n",
		"both/confighash.yaml":      harness.FunctionConfig("{mode: Rename}"),
		"both/kustomization.yaml":   "resources: [../plain, ../canary]\ntransformers: [confighash.yaml]\n",
	}, "both")
	for deployment, want := range map[string]string{"/web": "app-" + appHash, "/canary-web": "canary-app-" + appHash} {
		if got := consumed(found, deployment); got != want {
			t.Errorf("Deployment %s consumes %q, want %q", deployment, got, want)
		}
	}
}

// An outer layer merges into an object that a base adopted, and the function gets it again: the name follows the
// content, although the function has dropped kustomize's mark.
func TestAdopted_isHashedAgainAfterOuterLayerMerged(t *testing.T) {
	adopt := harness.FunctionConfig("{mode: Rename, rename: {generated: Adopt}}")
	found := layered(t, harness.Files{
		"base/resources.yaml":      appDeployment,
		"base/confighash.yaml":     adopt,
		"base/kustomization.yaml":  "resources: [resources.yaml]\ntransformers: [confighash.yaml]\nconfigMapGenerator: [{name: app, literals: [key=old]}]\n",
		"outer/confighash.yaml":    adopt,
		"outer/kustomization.yaml": "resources: [../base]\ntransformers: [confighash.yaml]\nconfigMapGenerator: [{name: app, behavior: replace, literals: [key=value]}]\n",
	}, "outer")
	if got, want := consumed(found, "/web"), "app-"+appHash; got != want {
		t.Errorf("the Deployment consumes %q, want %q", got, want)
	}
	if _, ok := found["v1 ConfigMap /app-"+appHash]; !ok {
		t.Errorf("no ConfigMap app-%s: %v", appHash, found)
	}
}

// References of a layer may hold the name that an object would have there without the hash from an inner layer.
func TestReferenceToNameWithoutHash_isFollowedFromLayersAround(t *testing.T) {
	for name, transformers := range map[string]struct{ suffix, outer string }{
		"the function runs in each layer":      {"transformers: [confighash.yaml]\n", "transformers: [confighash.yaml]\n"},
		"the function skips the layer between": {"", "transformers: [confighash.yaml]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			config := harness.FunctionConfig("{mode: Rename}")
			found := layered(t, harness.Files{
				"base/resources.yaml":       appConfigMap + "---\n" + strings.ReplaceAll(appDeployment, "name: web", "name: inner"),
				"base/confighash.yaml":      config,
				"base/kustomization.yaml":   "resources: [resources.yaml]\ntransformers: [confighash.yaml]\n",
				"suffix/confighash.yaml":    config,
				"suffix/kustomization.yaml": "resources: [../base]\nnameSuffix: -eu\n" + transformers.suffix,
				"outer/resources.yaml":      strings.ReplaceAll(appDeployment, "{name: app}", "{name: app-eu}"),
				"outer/confighash.yaml":     config,
				"outer/kustomization.yaml":  "resources: [../suffix, resources.yaml]\nnamePrefix: p-\n" + transformers.outer,
			}, "outer")
			for _, deployment := range []string{"/p-web", "/p-inner-eu"} {
				if got, want := consumed(found, deployment), "p-app-eu-"+appHash; got != want {
					t.Errorf("Deployment %s consumes %q, want %q", deployment, got, want)
				}
			}
		})
	}
}

// Results are written into files that people review: the second run, which changes nothing, must report the same texts.
func TestResults_areTheSameInTheSecondRun(t *testing.T) {
	const before = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n" +
		"functionConfig: {apiVersion: confighash.dev/v1alpha1, kind: ConfigHash, metadata: {name: roll}, spec: {mode: Rename}}\nitems:\n"
	for name, list := range map[string]string{
		"list in YAML": before + "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: app}\n  data: {a: b}\n  immutable: true\n" +
			"- {apiVersion: batch/v1, kind: Job, metadata: {name: web}, spec: {template: {spec: {volumes: [{name: v, configMap: {name: app}}]}}}}\n",
		"list in JSON": `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","functionConfig":{"apiVersion":"confighash.dev/v1alpha1",` +
			`"kind":"ConfigHash","metadata":{"name":"roll"},"spec":{"mode":"Rename"}},"items":[{"apiVersion":"v1","kind":"ConfigMap",` +
			`"metadata":{"name":"app"},"data":{"a":"b"}},{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"volumes":[{"name":"v","configMap":{"name":"app"}}]}}]}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			once, err := harness.Run([]byte(list), harness.Binary)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(once), "results") {
				t.Fatalf("no results, so nothing is shown:\n%s", once)
			}
			twice, err := harness.Run(once, harness.Binary)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.SplitAfter(string(once), "\n"), strings.SplitAfter(string(twice), "\n")); diff != "" {
				t.Errorf("second run (-once +twice):\n%s", diff)
			}
		})
	}
}

// A suffix may consist of digits. The annotation that records it must then be quoted to be a string.
func TestSuffixOfDigits_isQuotedInItsAnnotation(t *testing.T) {
	const suffix = "4769864274"
	for name, metadata := range map[string]string{"block": "metadata:\n  name: app\n", "flow": "metadata: {name: app}\n"} {
		t.Run(name, func(t *testing.T) {
			found := filtered(t, appDeployment, "apiVersion: v1\nkind: ConfigMap\n"+metadata+"data: {key: \"12426\"}\n")
			configMap, ok := found["v1 ConfigMap /app-"+suffix]
			if !ok {
				t.Fatalf("no ConfigMap app-%s: %v", suffix, found)
			}
			if got := harness.StringAt(configMap, "metadata", "annotations", harness.HashAnnotation); got != suffix {
				t.Errorf("annotation: got %q, want %q", got, suffix)
			}
		})
	}
}
