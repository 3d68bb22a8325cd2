package reference

import (
	"strings"
	"testing"

	"github.com/confighash/confighash/internal/yamldoc"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/internal/catalog"
)

// consumed renders an object's references: name and keys of the consumed ones, and the name of the others.
func consumed(found Found) []string {
	var all []string
	for _, r := range found.References {
		switch {
		case !r.Consumed:
			all = append(all, r.Name+" not consumed")
		case r.Keys == nil:
			all = append(all, r.Name+" whole")
		default:
			all = append(all, r.Name+" ["+strings.Join(r.Keys, " ")+"]")
		}
	}
	return all
}

// deployment returns a Deployment with a pod spec.
func deployment(podSpec string) string {
	return "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      " + strings.ReplaceAll(strings.TrimSpace(podSpec), "\n", "\n      ")
}

func TestFind_findsWhatContainersConsume(t *testing.T) {
	for _, tc := range []struct {
		label, podSpec string
		want           []string
	}{
		{"a variable takes one key", `
containers: [{env: [{name: A, valueFrom: {configMapKeyRef: {name: c, key: a}}}, {name: B, valueFrom: {secretKeyRef: {name: s, key: b}}}]}]
`, []string{"c [a]", "s [b]"}},
		{"a variable without a key may take any", `
containers: [{env: [{name: A, valueFrom: {configMapKeyRef: {name: c}}}, {name: B, valueFrom: {secretKeyRef: {name: s, key: null}}}]}]
`, []string{"c whole", "s whole"}},
		{"envFrom takes all, with a prefix too", `
containers: [{envFrom: [{configMapRef: {name: c}}, {prefix: P_, secretRef: {name: s}}]}]
`, []string{"c whole", "s whole"}},
		{"all lists of containers count", `
initContainers: [{envFrom: [{configMapRef: {name: init}}]}]
containers: [{envFrom: [{configMapRef: {name: main}}]}]
ephemeralContainers: [{envFrom: [{configMapRef: {name: debug}}]}]
`, []string{"init whole", "main whole", "debug whole"}},
		{"pull secrets are not consumed", `
imagePullSecrets: [{name: registry}]
containers: [{name: a}]
`, []string{"registry not consumed"}},
		{"a volume that nobody mounts", `
containers: [{volumeMounts: [{name: other, mountPath: /v}]}]
volumes: [{name: v, configMap: {name: c}}, {name: w, secret: {secretName: s}}, {name: x, projected: {sources: [{configMap: {name: p}}]}}]
`, []string{"c not consumed", "s not consumed", "p not consumed"}},
		{"nor does a volume without a name count", `
containers: [{volumeMounts: [{name: v, mountPath: /v}]}]
volumes: [{configMap: {name: c}}]
`, []string{"c not consumed"}},
		{"one list of containers that mounts is enough", `
initContainers: [{volumeMounts: [{name: a, mountPath: /v}]}]
containers: [{name: b}, {volumeMounts: [{name: b, mountPath: /v}]}]
ephemeralContainers: [{volumeMounts: [{name: c, mountPath: /v}]}]
volumes: [{name: a, configMap: {name: a}}, {name: b, configMap: {name: b}}, {name: c, secret: {secretName: c}}, {name: d, secret: {secretName: d}}]
`, []string{"a whole", "b whole", "c whole", "d not consumed"}},
		{"volumes may stand before their mounts", `
volumes: [{name: v, configMap: {name: c}}]
containers: [{volumeMounts: [{name: v, mountPath: /v}]}]
`, []string{"c whole"}},
		{"items are the keys", `
containers: [{volumeMounts: [{name: v, mountPath: /v}]}]
volumes: [{name: v, configMap: {name: c, items: [{key: b, path: x}, {key: a, path: y}, {key: b, path: z}]}}]
`, []string{"c [a b]"}},
		{"an empty list of items stands for all, as in Kubernetes", `
containers: [{volumeMounts: [{name: v, mountPath: /v}]}]
volumes: [{name: v, configMap: {name: c, items: []}}, {name: v, secret: {secretName: s, items: null}}, {name: v, secret: {secretName: t, items:}}]
`, []string{"c whole", "s whole", "t whole"}},
		{"items of a volume that nobody mounts", `
volumes: [{name: v, configMap: {name: c, items: [{key: a, path: a}]}}]
`, []string{"c not consumed"}},
		{"a subPath is the file of a key", `
containers: [{volumeMounts: [{name: v, mountPath: /a, subPath: a}]}]
volumes: [{name: v, configMap: {name: c}}]
`, []string{"c [a]"}},
		{"steps that stay and slashes too many do not matter", `
containers: [{volumeMounts: [{name: v, mountPath: /a, subPath: ./a}, {name: v, mountPath: /b, subPath: b/}, {name: v, mountPath: /c, subPath: .//./c/.}]}]
volumes: [{name: v, configMap: {name: c}}]
`, []string{"c [a b c]"}},
		{"a subPath that leads nowhere but to the volume", `
containers: [{volumeMounts: [{name: v, mountPath: /a, subPath: ./}, {name: w, mountPath: /b, subPath: ""}, {name: x, mountPath: /c, subPath: null}]}]
volumes: [{name: v, configMap: {name: c}}, {name: w, configMap: {name: d}}, {name: x, configMap: {name: e}}]
`, []string{"c whole", "d whole", "e whole"}},
		{"a subPath below a key means that key at most", `
containers: [{volumeMounts: [{name: v, mountPath: /a, subPath: a/b}]}]
volumes: [{name: v, configMap: {name: c}}]
`, []string{"c [a]"}},
		{"a subPath is looked for among the paths of items", `
containers: [{volumeMounts: [{name: v, mountPath: /a, subPath: conf/a.yaml}]}]
volumes: [{name: v, configMap: {name: c, items: [{key: a, path: conf/a.yaml}, {key: b, path: conf/b.yaml}, {key: conf, path: c.yaml}]}}]
`, []string{"c [a]"}},
		{"a folder of paths means all items below it", `
containers: [{volumeMounts: [{name: v, mountPath: /a, subPath: conf/}]}]
volumes: [{name: v, configMap: {name: c, items: [{key: a, path: conf/a}, {key: b, path: ./conf//deep/b}, {key: d, path: config/d}, {key: e, path: conf}]}}]
`, []string{"c [a b e]"}},
		{"a subPath that no item has takes no key", `
containers: [{volumeMounts: [{name: v, mountPath: /a, subPath: a}]}]
volumes: [{name: v, configMap: {name: c, items: [{key: a, path: b}]}}]
`, []string{"c []"}},
		{"a subPathExpr without variables is a subPath", `
containers: [{volumeMounts: [{name: v, mountPath: /a, subPathExpr: conf/a}]}]
volumes: [{name: v, configMap: {name: c, items: [{key: a, path: conf/a}, {key: b, path: b}]}}]
`, []string{"c [a]"}},
		{"with unknown variables", `
containers: [{volumeMounts: [{name: v, mountPath: /a, subPathExpr: $(POD_NAME)}, {name: w, mountPath: /b, subPathExpr: conf/$(ENV).yaml}]}]
volumes: [{name: v, configMap: {name: c}}, {name: w, secret: {secretName: s, items: [{key: a, path: conf/a.yaml}, {key: b, path: b}]}}]
`, []string{"c whole", "s [a b]"}},
		{"two mounts take what each of them takes", `
containers: [{volumeMounts: [{name: v, mountPath: /a, subPath: a}]}, {volumeMounts: [{name: v, mountPath: /b, subPath: b}, {name: v, mountPath: /c, subPath: a}]}]
volumes: [{name: v, configMap: {name: c}}]
`, []string{"c [a b]"}},
		{"one that takes all takes all", `
initContainers: [{volumeMounts: [{name: v, mountPath: /v}]}]
containers: [{volumeMounts: [{name: v, mountPath: /a, subPath: a}]}]
volumes: [{name: v, configMap: {name: c}}]
`, []string{"c whole"}},
		{"all there is are the items", `
containers: [{volumeMounts: [{name: v, mountPath: /v}, {name: v, mountPath: /a, subPath: a}]}]
volumes: [{name: v, configMap: {name: c, items: [{key: a, path: a}, {key: b, path: b}]}}]
`, []string{"c [a b]"}},
		{"two volumes of one object, each with its mounts", `
containers: [{volumeMounts: [{name: v, mountPath: /a, subPath: a}]}]
volumes: [{name: v, configMap: {name: c}}, {name: w, configMap: {name: c}}]
`, []string{"c [a]", "c not consumed"}},
		{"the sources of a projected volume", `
containers: [{volumeMounts: [{name: v, mountPath: /v}]}]
volumes:
- name: v
  projected:
    sources:
    - secret: {name: s, items: [{key: tls.crt, path: tls/crt}]}
    - configMap: {name: c}
    - serviceAccountToken: {path: token}
    - configMap: {name: d, items: []}
`, []string{"s [tls.crt]", "c whole", "d whole"}},
		{"a subPath of a projected volume is looked for in each source", `
containers: [{volumeMounts: [{name: v, mountPath: /a, subPath: tls}]}]
volumes:
- name: v
  projected:
    sources:
    - secret: {name: s, items: [{key: tls.crt, path: tls/crt}, {key: ca.crt, path: ca}]}
    - configMap: {name: c}
    - configMap: {name: d, items: [{key: a, path: b}]}
`, []string{"s [tls.crt]", "c [tls]", "d []"}},
		{"a class of secrets has no keys", `
containers: [{volumeMounts: [{name: v, mountPath: /a, subPath: a}]}]
volumes:
- {name: v, csi: {driver: secrets-store.csi.k8s.io, volumeAttributes: {secretProviderClass: class}}}
- {name: w, csi: {driver: secrets-store.csi.k8s.io, volumeAttributes: {secretProviderClass: unmounted}}}
- {name: v, csi: {driver: other.example.com, volumeAttributes: {secretProviderClass: other}}}
`, []string{"class whole", "unmounted not consumed"}},
		{"what a volume's driver needs is not consumed", `
containers: [{volumeMounts: [{name: v, mountPath: /v}, {name: w, mountPath: /w}]}]
volumes:
- {name: v, csi: {driver: secrets-store.csi.k8s.io, nodePublishSecretRef: {name: credentials}}}
- {name: w, azureFile: {secretName: account}}
`, []string{"credentials not consumed", "account not consumed"}},
		{"scalars are the strings that are written", `
containers: [{volumeMounts: [{name: 1, mountPath: /v, subPath: 0x1F}, {name: yes, mountPath: /w}]}]
volumes: [{name: "1", configMap: {name: c}}, {name: 1.0, configMap: {name: d}}, {name: "yes", configMap: {name: e, items: [{key: 1e3, path: a}]}}]
`, []string{"c [0x1F]", "d not consumed", "e [1e3]"}},
		{"values other than lists of mappings mount nothing", `
initContainers: {volumeMounts: [{name: v}]}
containers: [{volumeMounts: {name: v}}, plain, {volumeMounts: [plain, {name: [v]}, null]}]
volumes: [{name: v, configMap: {name: c}}]
`, []string{"c not consumed"}},
		{"mounts behind aliases", `
initContainers: &containers
- volumeMounts: &mounts
  - &mount {name: v, mountPath: /a, subPath: &path a}
containers:
- volumeMounts: [*mount, {name: w, mountPath: /b, subPath: *path}]
- volumeMounts: *mounts
volumes: [{name: v, configMap: {name: c}}, {name: w, configMap: {name: d}}]
`, []string{"c [a]", "d [a]"}},
		{"mounts behind merge keys", `
initContainers:
- &base
  volumeMounts: [{name: v, mountPath: /v}]
containers:
- <<: *base
  name: web
- volumeMounts:
  - <<: {name: w, subPath: a}
    subPath: b
volumes: [{name: v, configMap: {name: c}}, {name: w, configMap: {name: d}}]
`, []string{"c whole", "d [b]"}},
		{"items behind aliases and merge keys", `
containers: [{volumeMounts: [{name: v, mountPath: /v}, {name: w, mountPath: /w, subPath: y}]}]
volumes:
- {name: v, configMap: {name: c, items: &items [&item {key: a, path: x}]}}
- {name: w, configMap: {name: d, items: [*item, {<<: *item, path: y}, {<<: *item, key: b}]}}
- {name: v, configMap: {name: e, items: *items}}
`, []string{"c [a]", "d [a]", "e [a]"}},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, consumed(find(t, deployment(tc.podSpec)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// An object has the same pod spec, or most of it, at two places: each place has its own mounts.
func TestFind_distinguishesMountsOfSharedPodSpecs(t *testing.T) {
	c := catalog.Builtin().With(catalog.Extra{Group: "example.com", Kind: "Pair", PodTemplates: []catalog.TemplateRule{
		{Spec: catalog.Path{"first"}},
		{Spec: catalog.Path{"second"}},
		{Spec: catalog.Path{"third"}},
	}})
	found, err := NewFinder(c).Find("example.com", "v1", "Pair", parse(t, `
first: &spec
  containers: [{volumeMounts: [{name: v, mountPath: /v, subPath: a}]}]
  volumes: [{name: v, configMap: {name: base}}]
second:
  <<: *spec
  containers: [{volumeMounts: [{name: v, mountPath: /v, subPath: b}]}]
third: *spec
`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"base [a]", "base [b]", "base [a]"}, consumed(found)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, r := range found.References {
		if r.PodTemplate != i {
			t.Errorf("reference %d is of template %d", i, r.PodTemplate)
		}
	}
}

func TestFind_findsWhatPodAnnotationsConsume(t *testing.T) {
	got := consumed(find(t, `
apiVersion: apps/v1
kind: Deployment
metadata:
  annotations:
    confighash.dev/extra-sources: ConfigMap/extra
    secret.reloader.stakater.com/reload: named
spec:
  template:
    metadata:
      annotations:
        dapr.io/env-from-secret: "TOKEN=dapr:token,USER=user"
        dapr.io/api-token-secret: api
        vault.hashicorp.com/agent-configmap: agent
        vault.hashicorp.com/tls-secret: tls
        sidecar.istio.io/userVolume: '{"v": {"secret": {"secretName": "istio", "items": [{"key": "b", "path": "x"}, {"key": "a", "path": "y"}]}}, "w": {"configMap": {"name": "all"}}}'
        configmap.reloader.stakater.com/reload: listed
    spec: {containers: [{name: a}]}
`))
	want := []string{
		"extra not consumed", "named not consumed",
		"dapr [token]", "user whole", "api whole", "agent whole", "tls whole", "istio [a b]", "all whole",
		"listed not consumed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A foundTemplate is the tested part of a PodTemplate.
type foundTemplate struct {
	Index               int
	Spec, AnnotationsAt yamldoc.Path
	Containers          bool
	Annotations         map[string]string
}

func templates(found Found) []foundTemplate {
	var all []foundTemplate
	for _, t := range found.PodTemplates {
		one := foundTemplate{Index: t.Index, Spec: "none", AnnotationsAt: "none", Containers: t.Containers, Annotations: t.Annotations}
		if t.Spec != "" {
			one.Spec = t.Spec
		}
		if t.AnnotationsAt != "" {
			one.AnnotationsAt = t.AnnotationsAt
		}
		all = append(all, one)
	}
	return all
}

func TestFind_findsPodTemplates(t *testing.T) {
	const containers = "spec: {containers: [{name: a}]}"
	for _, tc := range []struct {
		label, object string
		want          []foundTemplate
	}{
		{"with annotations", "apiVersion: apps/v1\nkind: Deployment\nspec: {template: {metadata: {annotations: {a: b, c: 1, d: null, e: [x]}}, " + containers + "}}", []foundTemplate{
			{Spec: "spec.template.spec", AnnotationsAt: "spec.template.metadata.annotations", Containers: true, Annotations: map[string]string{"a": "b", "c": "1", "d": "null"}},
		}},
		{"without", "apiVersion: apps/v1\nkind: Deployment\nspec: {template: {metadata: {labels: {a: b}}, " + containers + "}}", []foundTemplate{
			{Spec: "spec.template.spec", AnnotationsAt: "spec.template.metadata.annotations", Containers: true},
		}},
		{"without metadata", "apiVersion: apps/v1\nkind: Deployment\nspec: {template: {" + containers + "}}", []foundTemplate{
			{Spec: "spec.template.spec", AnnotationsAt: "spec.template.metadata.annotations", Containers: true},
		}},
		{"with null metadata", "apiVersion: apps/v1\nkind: Deployment\nspec: {template: {metadata: null, " + containers + "}}", []foundTemplate{
			{Spec: "spec.template.spec", AnnotationsAt: "spec.template.metadata.annotations", Containers: true},
		}},
		{"with null annotations", "apiVersion: apps/v1\nkind: Deployment\nspec: {template: {metadata: {annotations: }, " + containers + "}}", []foundTemplate{
			{Spec: "spec.template.spec", AnnotationsAt: "spec.template.metadata.annotations", Containers: true},
		}},
		{"with containers of one sort", "apiVersion: apps/v1\nkind: Deployment\nspec: {template: {spec: {initContainers: [{name: a}]}}}", []foundTemplate{
			{Spec: "spec.template.spec", AnnotationsAt: "spec.template.metadata.annotations", Containers: true},
		}},
		{"without containers", "apiVersion: apps/v1\nkind: Deployment\nspec: {template: {spec: {containers: []}}}", []foundTemplate{
			{Spec: "spec.template.spec", AnnotationsAt: "spec.template.metadata.annotations"},
		}},
		{"without a spec there is none", "apiVersion: apps/v1\nkind: Deployment\nspec: {template: {metadata: {annotations: {a: b}}}}", nil},
		{"nor with one that is not a mapping", "apiVersion: apps/v1\nkind: Deployment\nspec: {template: {spec: [a]}}", nil},
		{"a template in a template", "apiVersion: batch/v1\nkind: CronJob\nspec: {jobTemplate: {metadata: {annotations: {not: here}}, spec: {template: {" + containers + "}}}}", []foundTemplate{
			{Spec: "spec.jobTemplate.spec.template.spec", AnnotationsAt: "spec.jobTemplate.spec.template.metadata.annotations", Containers: true},
		}},
		{"a Pod is its own template", "apiVersion: v1\nkind: Pod\nmetadata: {annotations: {a: b}}\n" + containers, []foundTemplate{
			{Spec: "spec", AnnotationsAt: "metadata.annotations", Containers: true, Annotations: map[string]string{"a": "b"}},
		}},
		{"behind an alias", "apiVersion: apps/v1\nkind: Deployment\nx: &t {metadata: {annotations: &a {a: b}}, " + containers + "}\nspec: {template: *t}", []foundTemplate{
			{Spec: "spec.template.spec", AnnotationsAt: "spec.template.metadata.annotations", Containers: true, Annotations: map[string]string{"a": "b"}},
		}},
		{"behind merge keys", "apiVersion: apps/v1\nkind: Deployment\nx: &t {metadata: {annotations: {a: b}}, " + containers + "}\nspec: {template: {<<: *t, metadata: {annotations: {<<: {c: d, e: f}, e: g}}}}", []foundTemplate{
			{Spec: "spec.template.spec", AnnotationsAt: "spec.template.metadata.annotations", Containers: true, Annotations: map[string]string{"c": "d", "e": "g"}},
		}},
		{"of a kind that has none", "apiVersion: v1\nkind: Service\nspec: {template: {" + containers + "}}", nil},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, templates(find(t, tc.object))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFind_findsPodTemplatesInListsAndByPatterns(t *testing.T) {
	group := func(templates ...catalog.TemplateRule) catalog.Extra {
		return catalog.Extra{Group: "example.com", Kind: "Fleet", PodTemplates: templates}
	}
	path := func(text string) catalog.Path {
		t.Helper()
		p, err := catalog.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, tc := range []struct {
		label  string
		known  []catalog.TemplateRule
		object string
		want   []foundTemplate
	}{
		{
			"in a list",
			[]catalog.TemplateRule{{Spec: path("spec/groups/template/spec"), Annotations: path("spec/groups/template/metadata/annotations")}},
			"{spec: {groups: [{template: {spec: {containers: [a]}}}, {name: none}, {template: {metadata: {annotations: {a: b}}, spec: {}}}]}}",
			[]foundTemplate{
				{Spec: "spec.groups[0].template.spec", AnnotationsAt: "spec.groups[0].template.metadata.annotations", Containers: true},
				{Spec: "spec.groups[2].template.spec", AnnotationsAt: "spec.groups[2].template.metadata.annotations", Annotations: map[string]string{"a": "b"}},
			},
		},
		{
			"under any key",
			[]catalog.TemplateRule{{Spec: path("spec/*/spec"), Annotations: path("spec/*/metadata/annotations")}},
			"{spec: {a.b: {spec: {}}, c: {other: {}}, d: plain}}",
			[]foundTemplate{{Spec: `spec["a.b"].spec`, AnnotationsAt: `spec["a.b"].metadata.annotations`}},
		},
		{
			"annotations without a spec",
			[]catalog.TemplateRule{{Annotations: path("spec/pod/metadata/annotations")}},
			"{spec: {pod: {metadata: {annotations: {a: b}}}}}",
			[]foundTemplate{{Spec: "none", AnnotationsAt: "spec.pod.metadata.annotations", Annotations: map[string]string{"a": "b"}}},
		},
		{
			"annotations without their metadata",
			[]catalog.TemplateRule{{Annotations: path("spec/pod/metadata/annotations")}},
			"{spec: {pod: {image: a}}}",
			[]foundTemplate{{Spec: "none", AnnotationsAt: "spec.pod.metadata.annotations"}},
		},
		{
			"or the parent of the metadata",
			[]catalog.TemplateRule{{Annotations: path("spec/pod/metadata/annotations")}},
			"{spec: {image: a}}",
			nil,
		},
		{
			"annotations with a path of one key",
			[]catalog.TemplateRule{{Annotations: path("spec/podAnnotations")}},
			"{spec: {image: a}}",
			[]foundTemplate{{Spec: "none", AnnotationsAt: "spec.podAnnotations"}},
		},
		{
			"annotations in each element of a list",
			[]catalog.TemplateRule{{Annotations: path("spec/groups/pod/annotations")}},
			"{spec: {groups: [{pod: {annotations: {a: b}}}, {}, plain]}}",
			[]foundTemplate{
				{Spec: "none", AnnotationsAt: "spec.groups[0].pod.annotations", Annotations: map[string]string{"a": "b"}},
				{Spec: "none", AnnotationsAt: "spec.groups[1].pod.annotations"},
			},
		},
		{
			"a spec with no place for annotations",
			[]catalog.TemplateRule{{Spec: path("spec/pod")}},
			"{spec: {pod: {containers: [a]}}}",
			[]foundTemplate{{Spec: "spec.pod", AnnotationsAt: "none", Containers: true}},
		},
		{
			"annotations far from the spec, with more missing than a mapping of metadata",
			[]catalog.TemplateRule{{Spec: path("spec/pod"), Annotations: path("spec/override/template/metadata/annotations")}},
			"{spec: {pod: {containers: [a]}, override: {}}}",
			[]foundTemplate{{Spec: "spec.pod", AnnotationsAt: "none", Containers: true}},
		},
		{
			"and with no more missing",
			[]catalog.TemplateRule{{Spec: path("spec/pod"), Annotations: path("spec/override/template/metadata/annotations")}},
			"{spec: {pod: {containers: [a]}, override: {template: {}}}}",
			[]foundTemplate{{Spec: "spec.pod", AnnotationsAt: "spec.override.template.metadata.annotations", Containers: true}},
		},
		{
			"two templates, in the order of the catalogue",
			[]catalog.TemplateRule{{Spec: path("spec/b/spec"), Annotations: path("spec/b/metadata/annotations")}, {Spec: path("spec/a/spec")}},
			"{spec: {a: {spec: {}}, b: {spec: {}}}}",
			[]foundTemplate{
				{Index: 0, Spec: "spec.b.spec", AnnotationsAt: "spec.b.metadata.annotations"},
				{Index: 1, Spec: "spec.a.spec", AnnotationsAt: "none"},
			},
		},
	} {
		t.Run(tc.label, func(t *testing.T) {
			found, err := NewFinder(catalog.Builtin().With(group(tc.known...))).Find("example.com", "v1", "Fleet", parse(t, tc.object))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, templates(found)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFind_givesTheTemplateOfAReference(t *testing.T) {
	c := catalog.Builtin().With(catalog.Extra{Group: "example.com", Kind: "Fleet", PodTemplates: []catalog.TemplateRule{{
		Spec:        catalog.Path{"spec", "groups", "template", "spec"},
		Annotations: catalog.Path{"spec", "groups", "template", "metadata", "annotations"},
	}}})
	found, err := NewFinder(c).Find("example.com", "v1", "Fleet", parse(t, `
metadata: {annotations: {confighash.dev/extra-sources: ConfigMap/outside}}
spec:
  groups:
  - template: {spec: {containers: [{envFrom: [{configMapRef: {name: a}}]}]}}
  - template:
      metadata: {annotations: {dapr.io/api-token-secret: b}}
      spec: {containers: [{envFrom: [{configMapRef: {name: c}}]}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, r := range found.References {
		got[r.Name] = r.PodTemplate
	}
	if diff := cmp.Diff(map[string]int{"outside": -1, "a": 0, "b": 1, "c": 1}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
