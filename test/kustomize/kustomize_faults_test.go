package kustomize_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"
	"github.com/confighash/confighash/test/support/kustomize"

	"github.com/google/go-cmp/cmp"
)

// The differences between this function and kustomize's generators, with the reasons. The random trees of
// TestDifferential_equalsKustomizeGenerators avoid these.

const (
	appConfigMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata: {key: value}\n"
	appSecret    = "apiVersion: v1\nkind: Secret\nmetadata: {name: app}\ntype: Opaque\ndata: {key: dmFsdWU=}\n"
	appHash      = "t757gk2bmf" // of appConfigMap
	secretHash   = "55ff4k8ggt" // of appSecret

	appConfigMapGenerator = "configMapGenerator: [{name: app, literals: [key=value]}]\n"
	appSecretGenerator    = "secretGenerator: [{name: app, literals: [key=value]}]\n"
)

// built builds a kustomization of a few files in this process.
func built(t *testing.T, f harness.Files) (map[string]harness.Object, error) {
	t.Helper()
	dir := t.TempDir()
	if err := f.Write(dir); err != nil {
		t.Fatal(err)
	}
	out, err := kustomize.Build(dir)
	if err != nil {
		return nil, err
	}
	found, err := harness.Objects(out)
	if err != nil {
		t.Fatal(err)
	}
	return found, nil
}

// withGenerators returns a kustomization of a resource and generators.
func withGenerators(resource, generators string) harness.Files {
	return harness.Files{"resource.yaml": resource, "kustomization.yaml": "resources: [resource.yaml]\n" + generators}
}

// withFunction returns a kustomization of resources and the function. The last documents stand for generated objects.
func withFunction(resource string, contents ...string) harness.Files {
	return harness.Files{
		"resource.yaml":      strings.Join(append([]string{resource}, contents...), "---\n"),
		"confighash.yaml":    harness.FunctionConfig("{mode: Rename, rename: {unreferenced: Rename, readByName: Rename}}"),
		"kustomization.yaml": "resources: [resource.yaml]\ntransformers: [confighash.yaml]\n",
	}
}

// filtered pipes documents through the function.
func filtered(t *testing.T, documents ...string) map[string]harness.Object {
	t.Helper()
	out, err := harness.Run([]byte(strings.Join(documents, "---\n")), harness.Binary, "--mode", "Rename")
	if err != nil {
		t.Fatal(err)
	}
	found, err := harness.Objects(out)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// resourceNames returns the resourceNames of all rules of a Role app.
func resourceNames(found map[string]harness.Object) []any {
	var names []any
	rules, _ := found["rbac.authorization.k8s.io/v1 Role /app"]["rules"].([]any)
	for _, rule := range rules {
		ruleNames, _ := rule.(map[string]any)["resourceNames"].([]any)
		names = append(names, ruleNames...)
	}
	return names
}

func role(rules string) string {
	return "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: app}\nrules:\n" + rules
}

// kustomize treats every resourceNames as names of ConfigMaps, whatever the resources of the rule are. When it runs the
// function, it also does so afterwards; a rule that only the function handles stays unchanged.
func TestRoleAboutDeployments_keepsItsNamesUnlikeInKustomize(t *testing.T) {
	deployments := role("- {apiGroups: [apps], resources: [deployments], resourceNames: [app], verbs: [get]}\n")
	consumer := "apiVersion: v1\nkind: Pod\nmetadata: {name: app}\nspec: {containers: [{name: a, envFrom: [{configMapRef: {name: app}}]}]}\n"
	byKustomize, err := built(t, withGenerators(deployments, appConfigMapGenerator))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{"app-" + appHash}, resourceNames(byKustomize)); diff != "" {
		t.Errorf("kustomize fixed its fault (-want +got):\n%s", diff)
	}
	byFunction := filtered(t, deployments, appConfigMap, consumer)
	if diff := cmp.Diff([]any{"app"}, resourceNames(byFunction)); diff != "" {
		t.Errorf("names of Deployments (-want +got):\n%s", diff)
	}
	if _, ok := byFunction["v1 ConfigMap /app-"+appHash]; !ok {
		t.Errorf("the ConfigMap was not renamed: %v", byFunction)
	}
}

// A name in a rule about both kinds means two objects. kustomize writes the ConfigMap's new name and loses the
// Secret's.
func TestRoleAboutBothKinds_getsBothNamesUnlikeInKustomize(t *testing.T) {
	both := role("- {apiGroups: [\"\"], resources: [configmaps, secrets], resourceNames: [app], verbs: [get]}\n")
	byKustomize, err := built(t, withGenerators(both, appConfigMapGenerator+appSecretGenerator))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{"app-" + appHash}, resourceNames(byKustomize)); diff != "" {
		t.Errorf("kustomize fixed its fault (-want +got):\n%s", diff)
	}
	byFunction, err := built(t, withFunction(both, appConfigMap, appSecret))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{"app-" + appHash, "app-" + secretHash}, resourceNames(byFunction)); diff != "" {
		t.Errorf("names of both kinds (-want +got):\n%s", diff)
	}
}

// A rule about Secrets does not name a ConfigMap, but kustomize assumes it does.
func TestRoleAboutSecrets_getsTheSecretUnlikeInKustomize(t *testing.T) {
	secrets := role("- {apiGroups: [\"\"], resources: [secrets], resourceNames: [app], verbs: [get]}\n")
	byKustomize, err := built(t, withGenerators(secrets, appConfigMapGenerator+appSecretGenerator))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{"app-" + appHash}, resourceNames(byKustomize)); diff != "" {
		t.Errorf("kustomize fixed its fault (-want +got):\n%s", diff)
	}
	byFunction, err := built(t, withFunction(secrets, appConfigMap, appSecret))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{"app-" + secretHash}, resourceNames(byFunction)); diff != "" {
		t.Errorf("name of the Secret (-want +got):\n%s", diff)
	}
}

// A PersistentVolume gives the namespace of its Secret. kustomize ignores it, finds two Secrets of the name and fails.
func TestPersistentVolume_readsSecretNamespaceUnlikeKustomize(t *testing.T) {
	const volume = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: share}\n" +
		"spec: {azureFile: {shareName: s, secretName: app, secretNamespace: b}}\n"
	_, err := built(t, withGenerators(volume, `secretGenerator:
- {name: app, namespace: a, literals: [key=other]}
- {name: app, namespace: b, literals: [key=value]}
`))
	if err == nil || !strings.Contains(err.Error(), "multiple possible referrals") {
		t.Errorf("kustomize fixed its fault: error %v", err)
	}
	byFunction, err := built(t, withFunction(volume,
		strings.ReplaceAll(strings.ReplaceAll(appSecret, "name: app", "name: app, namespace: a"), "dmFsdWU=", "b3RoZXI="),
		strings.ReplaceAll(appSecret, "name: app", "name: app, namespace: b")))
	if err != nil {
		t.Fatal(err)
	}
	got := harness.StringAt(byFunction["v1 PersistentVolume /share"], "spec", "azureFile", "secretName")
	if want := "app-" + secretHash; got != want {
		t.Errorf("secretName = %q, want %q", got, want)
	}
}

// kustomize does not follow references of these kinds and fields; the function does.
func TestFieldsUnknownToKustomize_followTheRename(t *testing.T) {
	for name, test := range map[string]struct {
		resource, id string
		path         []string
	}{
		"ReplicationController": {
			"apiVersion: v1\nkind: ReplicationController\nmetadata: {name: r}\nspec: {template: {spec: {imagePullSecrets: [{name: app}], nodeName: n}}}\n",
			"v1 ReplicationController /r", []string{"spec", "template", "spec", "imagePullSecrets", "0", "name"},
		},
		"csi volume": {
			"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {volumes: [{name: v, csi: {driver: d, nodePublishSecretRef: {name: app}}}]}\n",
			"v1 Pod /p", []string{"spec", "volumes", "0", "csi", "nodePublishSecretRef", "name"},
		},
		"ServiceAccount secrets": {
			"apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: s}\nsecrets: [{name: app}]\n",
			"v1 ServiceAccount /s", []string{"secrets", "0", "name"},
		},
		"ephemeral container": {
			"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {ephemeralContainers: [{name: e, envFrom: [{secretRef: {name: app}}]}]}\n",
			"v1 Pod /p", []string{"spec", "ephemeralContainers", "0", "envFrom", "0", "secretRef", "name"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			byKustomize, err := built(t, withGenerators(test.resource, appSecretGenerator))
			if err != nil {
				t.Fatal(err)
			}
			if got := stringWithin(byKustomize[test.id], test.path); got != "app" {
				t.Errorf("kustomize now follows it: %q", got)
			}
			byFunction, err := built(t, withFunction(test.resource, appSecret))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := stringWithin(byFunction[test.id], test.path), "app-"+secretHash; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// stringWithin returns the string at a path of keys and indices.
func stringWithin(from map[string]any, path []string) string {
	var value any = from
	for _, step := range path {
		switch parent := value.(type) {
		case []any:
			value = parent[0]
		case map[string]any:
			value = parent[step]
		default:
			return ""
		}
	}
	text, _ := value.(string)
	return text
}

// kustomize's generators write a key such as 1e3 unquoted, and lines that begin with a tab in a block, and then cannot
// read them. The function gets them quoted.
func TestContentThatGeneratorsCannotPrint_works(t *testing.T) {
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
	for name, test := range map[string]struct{ generator, key, value string }{
		"key that reads as a number": {`configMapGenerator: [{name: app, literals: ["1e3=value"]}]`, "1e3", "value"},
		"lines that begin with tabs": {`configMapGenerator: [{name: app, literals: ["key=\ta\n\tb\n"]}]`, "key", "\ta\n\tb\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if out, err := built(t, withGenerators(pod, test.generator+"\n")); err == nil {
				t.Errorf("kustomize fixed its fault, let the random trees hold such content: %v", out)
			}
			configMap := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata: {%q: %q}\n", test.key, test.value)
			byFunction, err := built(t, withFunction(pod, configMap))
			if err != nil {
				t.Fatal(err)
			}
			if len(byFunction) != 2 {
				t.Errorf("got %v", byFunction)
			}
			for id, o := range byFunction {
				if o.Kind() == "ConfigMap" && (!strings.HasPrefix(o.Name(), "app-") || harness.StringAt(o, "data", test.key) != test.value) {
					t.Errorf("%s: %v", id, o)
				}
			}
		})
	}
}

// kustomize hashes everything from a generator. Here, a Secret that a controller looks up by a fixed name keeps it.
func TestServiceAccountToken_keepsItsNameUnlikeInKustomize(t *testing.T) {
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
	const token = "apiVersion: v1\nkind: Secret\nmetadata: {name: token, annotations: {kubernetes.io/service-account.name: default}}\n" +
		"type: kubernetes.io/service-account-token\n"
	byKustomize, err := built(t, withGenerators(pod,
		"secretGenerator: [{name: token, type: kubernetes.io/service-account-token, literals: [a=b]}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := byKustomize["v1 Secret /token"]; ok {
		t.Error("kustomize no longer hashes it")
	}
	byFunction, err := built(t, withFunction(pod, token))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := byFunction["v1 Secret /token"]; !ok {
		t.Errorf("the token was renamed: %v", byFunction)
	}
}

// If the function runs in an inner layer, a reference is resolved before an outer layer adds an object with the same
// earlier name.
func TestInnerLayer_resolvesWhatLaterIsAmbiguousInKustomize(t *testing.T) {
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n" +
		"spec: {containers: [{name: a, envFrom: [{configMapRef: {name: app}}]}]}\n"
	with := func(inner harness.Files) harness.Files {
		all := harness.Files{
			"around/kustomization.yaml": "resources: [../inner, ../other]\nnamePrefix: x-\n",
			"other/kustomization.yaml":  "configMapGenerator: [{name: app, literals: [key=other]}]\n",
		}
		for name, content := range inner {
			all["inner/"+name] = content
		}
		all["inner/kustomization.yaml"] += "namePrefix: i-\n"
		return all
	}
	build := func(f harness.Files) (map[string]harness.Object, error) {
		dir := t.TempDir()
		if err := f.Write(dir); err != nil {
			t.Fatal(err)
		}
		out, err := kustomize.Build(filepath.Join(dir, "around"))
		if err != nil {
			return nil, err
		}
		return harness.Objects(out)
	}
	if _, err := build(with(withGenerators(pod, appConfigMapGenerator))); err == nil || !strings.Contains(err.Error(), "multiple possible referrals") {
		t.Errorf("kustomize now tells them apart: error %v", err)
	}
	byFunction, err := build(with(withFunction(pod, appConfigMap)))
	if err != nil {
		t.Fatal(err)
	}
	got := stringWithin(byFunction["v1 Pod /x-i-p"], []string{"spec", "containers", "0", "envFrom", "0", "configMapRef", "name"})
	if want := "x-i-app-" + appHash; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// kustomize 5.8 writes no namespace into charts that it inflates, and so misses their references to generated objects,
// which get one (issues 6077, 6150 and 6189). The function finds the objects by its namespace setting.
func TestChartOfKustomize_refersToGeneratedObjects(t *testing.T) {
	const (
		generators = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamespace: shop\n" + appConfigMapGenerator + appSecretGenerator +
			"helmCharts: [{name: web, releaseName: web}]\n"
		patch = "patches: [{patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {spec: {volumes: [{name: v, configMap: {name: app}}]}}}}'}]\n"
		build = "kustomize build --enable-helm --enable-alpha-plugins --enable-exec . "
	)
	chart := harness.Files{
		"charts/web/Chart.yaml":    "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"charts/web/values.yaml":   "{}\n",
		"confighash.yaml":          harness.FunctionConfig("{mode: Rename, namespace: shop}"),
		"excluding.yaml":           harness.FunctionConfig("{mode: Rename, namespace: shop, exclude: [{name: app.*}]}"),
		"charts/web/templates/web": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: c, envFrom: [{configMapRef: {name: app}}, {secretRef: {name: app}}]}]}}}\n",
	}
	for label, test := range map[string]struct {
		kustomization, command string
		configMap, secret      string // the names in the Deployment
		stderr                 string
	}{
		"as it is":             {generators, build, "app", "app", ""},
		"a pipe":               {generators, build + "| confighash --mode Rename --namespace shop", "app-" + appHash, "app-" + secretHash, ""},
		"a pipe and a patch":   {generators + patch, build + "| confighash --mode Rename --namespace shop", "app-" + appHash, "app-" + secretHash, ""},
		"objects left out":     {generators, build + "| confighash --config excluding.yaml", "app-" + appHash, "app-" + secretHash, ""},
		"a function":           {generators + "transformers: [confighash.yaml]\n", build, "app-" + appHash, "app-" + secretHash, ""},
		"a function, a prefix": {generators + "namePrefix: dev-\ntransformers: [confighash.yaml]\n", build, "dev-app-" + appHash, "dev-app-" + secretHash, ""},
		"Annotate": {generators, build + "| confighash --mode Annotate --namespace shop", "app", "app",
			`"app" is not in the input, but Secret shop/app-` + secretHash + ` is, with the suffix that kustomize gives`},
	} {
		t.Run(label, func(t *testing.T) {
			dir := t.TempDir()
			f := maps.Clone(chart)
			f["kustomization.yaml"] = test.kustomization
			if err := f.Write(dir); err != nil {
				t.Fatal(err)
			}
			stdout, stderr, err := harness.Shell(t, dir, test.command)
			if err != nil || !strings.Contains(stderr, test.stderr) || test.stderr == "" && stderr != "" {
				t.Fatalf("%v, stderr %s", err, stderr)
			}
			names := map[string]bool{}
			for _, found := range regexp.MustCompile(`(secret|configMap)(?:Ref)?:\n *name: (\S+)`).FindAllStringSubmatch(stdout, -1) {
				names[found[1]+" "+found[2]] = true
			}
			want := map[string]bool{"configMap " + test.configMap: true, "secret " + test.secret: true}
			if diff := cmp.Diff(want, names); diff != "" {
				t.Errorf("references (-want +got):\n%s\n%s", diff, stdout)
			}
		})
	}
}
