package leftover

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/reference"
)

const objects = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: web}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: shared, namespace: web}
---
apiVersion: v1
kind: Service
metadata: {name: shared, namespace: web}
---
`

// search returns the fields in which the former names of the ConfigMaps settings and shared are found.
func search(t *testing.T, text string) []string {
	t.Helper()
	in, err := manifest.Split([]byte(objects + text))
	if err != nil {
		t.Fatal(err)
	}
	c := catalog.Builtin()
	b := &graph.Builder{Catalog: c, Finder: reference.NewFinder(c)}
	_, found, err := manifest.Parse(in, b.Build)
	if err != nil {
		t.Fatal(err)
	}
	g := graph.New(slices.Concat(found...), "default")
	names := map[*graph.Resource]string{}
	for _, r := range g.Resources {
		if r.Kind == "ConfigMap" && (r.Name == "settings" || r.Name == "shared") {
			names[r] = r.Name + "-6ct58987ht"
		}
	}
	var paths []string
	for _, f := range Search(g, names) {
		paths = append(paths, string(f.Path))
	}
	return paths
}

func TestSearch(t *testing.T) {
	const head = "apiVersion: v1\nkind: X\nmetadata: {name: x, namespace: web}\n"
	for _, tc := range []struct {
		label, manifest string
		want            []string
	}{
		{"a whole value", head + "spec: {a: settings}", []string{"spec.a"}},
		{"a flag's value", head + "args: [--config=settings, -c, settings]", []string{"args[0]", "args[2]"}},
		{"with the namespace", head + "a: web/settings", []string{"a"}},
		{"with another namespace", head + "a: prod/settings", nil},
		{"with a namespace that ends so", head + "a: my-web/settings", nil},
		{"from another namespace", "apiVersion: v1\nkind: X\nmetadata: {name: x}\na: settings\nb: web/settings", []string{"b"}},
		{"a URL's host", head + "a: https://settings:8080/x", []string{"a"}},
		{"at the end of a sentence", head + "a: See settings.", []string{"a"}},
		{"part of a longer word", head + "a: [settings-old, my-settings, settings.conf, Settings, settings_x]", nil},
		{"a path", head + "a: [/etc/settings, etc/settings/x, /etc/web/settings]", nil},
		{"another resource's name", head + "a: shared", nil},
		{"fields that name something else", head + "spec: {name: settings, image: settings, labels: {a: settings}, selector: {a: settings}, mountPath: settings}", nil},
		{"fields of scheduling and of the network", head + "spec: {tolerations: [{value: settings}], matchExpressions: [{values: [settings]}], port: settings, host: settings, workingDir: settings}\nstatus: {a: settings}", nil},
		{"a list of names below a field that tells their kind", head + "values: {extraConfigMaps: [{name: settings}], extra: [{name: settings}]}", []string{"values.extraConfigMaps[0].name"}},
		{"the resource's own metadata", "apiVersion: v1\nkind: X\nmetadata: {name: settings-x, namespace: web, labels: {a: settings}, finalizers: [settings]}", nil},
		{"annotations", "apiVersion: v1\nkind: X\nmetadata: {name: x, namespace: web, annotations: {a.b/c: settings, config.kubernetes.io/path: settings}}", []string{`metadata.annotations["a.b/c"]`}},
		{"a Secret within a resource", head + "spec: {template: {kind: Secret, stringData: {a: settings}, data: {b: settings}}, c: settings}", []string{"spec.c"}},
		{"a reference", "apiVersion: v1\nkind: Pod\nmetadata: {name: x, namespace: web}\nspec: {volumes: [{name: settings, configMap: {name: settings}}]}", nil},
		{"not a string", head + "a: true", nil},
		{"a ConfigMap's data", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: web}\ndata: {a: 'use settings'}", []string{"data.a"}},
		{"a Secret's content", "apiVersion: v1\nkind: Secret\nmetadata: {name: x, namespace: web}\nstringData: {a: settings}\ndata: {b: settings}", nil},
		{"next to the word configmap, another resource's name", head + "args: [--configmap=web/shared, --config-map, shared, --publish=web/shared]", []string{"args[0]"}},
		{"a field of a reference's shape", head + "spec: {configMapRef: {name: shared}, secretRef: {name: settings}, scaleTargetRef: {kind: Deployment, name: settings}}", []string{"spec.configMapRef.name"}},
		{"a list of references with kinds", head + "from: [{kind: ConfigMap, name: shared}, {kind: Service, name: settings}, {name: settings}]", []string{"from[0].name"}},
		{"with a variable for the namespace", head + "args: ['--x=$(POD_NAMESPACE)/settings']", []string{"args[0]"}},
		{"with its kind", head + "args: [configmap/settings, cm/settings]", []string{"args[0]"}},
		{"YAML in data", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: web}\ndata:\n  values.yaml: |\n    existing:\n      name: settings\n", []string{`data["values.yaml"]`}},
		{"a name with another suffix", head + "a: [settings-4h2mbtbbt6, settings-6ct58987ht, settings-notasuffix]", []string{"a[0]"}},
		{"escaped", head + `a: ["\u0073ettings", "x\nsettings"]`, []string{"a[0]", "a[1]"}},
		{"after name: within a value", "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: web}\nspec: {volumes: [{name: v, configMap: {name: settings}}], containers: [{name: c, args: ['name: settings']}]}", []string{"spec.containers[0].args[0]"}},
		{"through a merge key, at its anchor", head + "a: &a {b: settings}\nc: {<<: *a}", []string{"a.b"}},
		{"through an alias", head + "a: &a settings\nb: *a", []string{"a", "b"}},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, search(t, tc.manifest)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
