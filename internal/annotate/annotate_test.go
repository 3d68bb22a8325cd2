package annotate

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/edit"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/plan"
	"github.com/confighash/confighash/internal/policy"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// specOf returns the defaults of mode Annotate with scope Source, whose keys show what counts, and a full report.
func specOf(change ...func(*v1alpha1.Spec)) *v1alpha1.Spec {
	spec := v1alpha1.New(v1alpha1.ModeAnnotate, v1alpha1.PolicyAll).Spec
	spec.Annotate.Scope, spec.Report = v1alpha1.ScopeSource, v1alpha1.ReportFull
	for _, c := range change {
		c(&spec)
	}
	return &spec
}

func annotated(t testing.TB, spec *v1alpha1.Spec, manifests string, extra ...catalog.Extra) (*plan.Plan, error) {
	t.Helper()
	in, err := manifest.Split([]byte(manifests))
	if err != nil {
		t.Fatal(err)
	}
	c := catalog.Builtin().With(extra...)
	b := &graph.Builder{Catalog: c, Finder: reference.NewFinder(c), Values: true}
	_, found, err := manifest.Parse(in, b.Build)
	if err != nil {
		t.Fatal(err)
	}
	g := graph.New(slices.Concat(found...), "default")
	p, err := policy.New(g, c, spec)
	if err != nil {
		t.Fatal(err)
	}
	annotated, err := New(g, p, spec)
	if err != nil {
		return nil, err
	}
	return &annotated.Plan, nil
}

// edits renders the edits of a plan: the resource, the path of its annotations, and the keys that are set or removed.
func edits(p *plan.Plan) []string {
	var all []string
	for r, edits := range p.Edits {
		for _, e := range edits {
			switch e := e.(type) {
			case edit.SetEntry:
				all = append(all, fmt.Sprintf("%s: %s: %s", r, e.Parent, e.Key))
			case edit.RemoveEntry:
				all = append(all, fmt.Sprintf("%s: %s: without %s", r, e.Parent, e.Key))
			default:
				all = append(all, fmt.Sprintf("%s: %T", r, e))
			}
		}
	}
	slices.Sort(all)
	return all
}

// values returns the annotations that a plan sets, by key.
func values(p *plan.Plan) map[string]string {
	set := map[string]string{}
	for _, edits := range p.Edits {
		for _, e := range edits {
			if e, ok := e.(edit.SetEntry); ok {
				set[e.Key] = e.Value
			}
		}
	}
	return set
}

func messages(p *plan.Plan) []string {
	var all []string
	for _, f := range graph.SortFindings(p.Findings) {
		all = append(all, string(f.Severity)+": "+f.String())
	}
	return all
}

func configMap(name, data string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\ndata: {" + data + "}\n---\n"
}

// deployment returns a Deployment "web" with a container.
func deployment(container string) string {
	return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{" + container + "}]}}}\n---\n"
}

func TestNew_followsTheCataloguesChange(t *testing.T) {
	const (
		at       = "Gadget g: spec.pods.metadata.annotations: "
		consumes = "not stamped, although it consumes ConfigMap app: "
	)
	stamped := []string{at + "checksum/configmap.app"}
	for _, tc := range []struct {
		change       catalog.Change
		reason       string
		edits, tells []string
	}{
		{catalog.Rollout, "", stamped, []string{"info: " + at + "stamped with the checksum of ConfigMap app"}},
		{catalog.FuturePods, "", stamped, []string{"info: " + at + "stamped with the checksum of ConfigMap app"}},
		{catalog.NewRevision, "", stamped, []string{"info: " + at + "stamped with the checksum of ConfigMap app"}},
		{catalog.Deferred, "", stamped, []string{"info: " + at + "stamped with the checksum of ConfigMap app; its pods are replaced when somebody acts"}},
		{catalog.Deferred, "it sleeps", stamped, []string{"info: " + at + "stamped with the checksum of ConfigMap app; it sleeps"}},
		{catalog.InPlace, "", stamped, []string{
			"warning: " + at + "stamped, but a changed annotation restarts nothing here: running pods are patched in place; mode Rename does",
			"info: " + at + "stamped with the checksum of ConfigMap app",
		}},
		{catalog.InPlace, "it patches", stamped, []string{
			"warning: " + at + "stamped, but a changed annotation restarts nothing here: it patches; mode Rename does",
			"info: " + at + "stamped with the checksum of ConfigMap app",
		}},
		{catalog.Forbidden, "", nil, []string{"warning: " + at + consumes + "what it runs cannot change once it exists; replace it when its configuration changes"}},
		{catalog.CreateOnce, "", nil, []string{"warning: " + at + consumes + "its pod template is read once, when it is created; replace it when its configuration changes"}},
		{catalog.Destructive, "", nil, []string{"warning: " + at + consumes + "a changed pod template kills what is running"}},
		{catalog.Operator, "", nil, []string{"warning: " + at + consumes + "what a changed pod template does is up to its operator; add it to spec.podTemplates if it rolls"}},
		{catalog.Recreated, "", nil, []string{"info: " + at + consumes + "it is created each time"}},
		{catalog.NoChange, "", nil, []string{"info: " + at + consumes + "nothing makes pods of its template"}},
		{catalog.Forbidden, "its reason", nil, []string{"warning: " + at + consumes + "its reason"}},
		{catalog.CreateOnce, "its reason", nil, []string{"warning: " + at + consumes + "its reason"}},
		{catalog.Destructive, "its reason", nil, []string{"warning: " + at + consumes + "its reason"}},
		{catalog.Operator, "its reason", nil, []string{"warning: " + at + consumes + "its reason"}},
		{catalog.Recreated, "its reason", nil, []string{"info: " + at + consumes + "its reason"}},
		{catalog.NoChange, "its reason", nil, []string{"info: " + at + consumes + "its reason"}},
	} {
		t.Run(tc.change.String()+" "+tc.reason, func(t *testing.T) {
			template := catalog.TemplateRule{
				Spec:        catalog.Path{"spec", "pods", "spec"},
				Annotations: catalog.Path{"spec", "pods", "metadata", "annotations"},
				Change:      tc.change,
			}
			if tc.reason != "" {
				template.Change = catalog.Rollout
				if tc.change == catalog.Rollout {
					template.Change = catalog.Forbidden
				}
				kind := catalog.Relative{Root: true, Path: catalog.Path{"kind"}}
				template.Except = []catalog.Exception{{When: []catalog.Condition{{Path: &kind, In: []string{"Gadget"}}}, Change: tc.change, Reason: tc.reason}}
			}
			p, err := annotated(t, specOf(), configMap("app", "x: '1'")+
				"apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g}\nspec: {pods: {spec: {containers: [{envFrom: [{configMapRef: {name: app}}]}]}}}\n",
				catalog.Extra{Group: "example.com", Kind: "Gadget", PodTemplates: []catalog.TemplateRule{template}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.edits, edits(p)); diff != "" {
				t.Errorf("edits (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.tells, messages(p)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNew_stampsEveryTemplateWithWhatItConsumesItself(t *testing.T) {
	template := func(name string) catalog.TemplateRule {
		return catalog.TemplateRule{
			Spec:        catalog.Path{"spec", catalog.Segment(name), "spec"},
			Annotations: catalog.Path{"spec", catalog.Segment(name), "metadata", "annotations"},
		}
	}
	noPlace := template("bare")
	noPlace.Annotations = nil
	gadget := catalog.Extra{Group: "example.com", Kind: "Gadget", PodTemplates: []catalog.TemplateRule{
		template("one"), template("other"), noPlace,
		{Annotations: catalog.Path{"spec", "sidecar", "podAnnotations"}},
		{Spec: catalog.Path{"spec", "shared", "first", "spec"}, Annotations: catalog.Path{"spec", "shared", "annotations"}},
		{Spec: catalog.Path{"spec", "shared", "second", "spec"}, Annotations: catalog.Path{"spec", "shared", "annotations"}},
	}, References: []catalog.Rule{
		{Path: catalog.Path{"spec", "settings"}, Targets: catalog.ConfigMap, Formats: []*catalog.Format{catalog.Plain}, Consumed: true},
		{Path: catalog.Path{"spec", "unread"}, Targets: catalog.ConfigMap, Formats: []*catalog.Format{catalog.Plain}},
	}}
	manifests := configMap("a", "x: '1'") + configMap("b", "x: '1'") + configMap("c", "x: '1'") + configMap("d", "x: '1'") + configMap("e", "x: '1'")
	containers := func(name string) string {
		return "spec: {containers: [{envFrom: [{configMapRef: {name: " + name + "}}]}]}"
	}
	for _, tc := range []struct {
		label, spec string
		want, tells []string
	}{
		{"two templates", "{one: {" + containers("a") + "}, other: {metadata: , " + containers("b") + "}}", []string{
			"Gadget g: spec.one.metadata.annotations: checksum/configmap.a",
			"Gadget g: spec.other.metadata.annotations: checksum/configmap.b",
		}, nil},
		{"one that consumes nothing", "{one: {" + containers("a") + "}, other: {spec: {}}}", []string{"Gadget g: spec.one.metadata.annotations: checksum/configmap.a"}, nil},
		{"what stands outside of templates counts for all", "{settings: c, unread: d, one: {" + containers("a") + "}, other: {spec: {}}}", []string{
			"Gadget g: spec.one.metadata.annotations: checksum/configmap.a",
			"Gadget g: spec.one.metadata.annotations: checksum/configmap.c",
			"Gadget g: spec.other.metadata.annotations: checksum/configmap.c",
			"Gadget g: spec.sidecar.podAnnotations: checksum/configmap.c",
		}, nil},
		{"a template with only annotations", "{settings: c, sidecar: {image: s}}", []string{"Gadget g: spec.sidecar.podAnnotations: checksum/configmap.c"}, nil},
		{"annotations that are null", "{settings: c, sidecar: {podAnnotations: null}}", []string{"Gadget g: spec.sidecar.podAnnotations: checksum/configmap.c"}, nil},
		{"two templates, one with the annotations of both", "{shared: {first: {spec: {containers: [{envFrom: [{configMapRef: {name: a}}]}]}}, second: {spec: {containers: [{envFrom: [{configMapRef: {name: b}}]}]}}}}", []string{
			"Gadget g: spec.shared.annotations: checksum/configmap.a",
			"Gadget g: spec.shared.annotations: checksum/configmap.b",
		}, nil},
		{"no place for annotations", "{bare: {" + containers("e") + "}}", nil, []string{
			"warning: Gadget g: spec.bare.spec: not stamped, although it consumes ConfigMap e: the resource has no field for annotations of its pods",
		}},
		{"none, and nothing consumed", "{bare: {spec: {}}}", nil, nil},
	} {
		t.Run(tc.label, func(t *testing.T) {
			p, err := annotated(t, specOf(), manifests+"apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g}\nspec: "+tc.spec+"\n", gadget)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, edits(p)); diff != "" {
				t.Errorf("edits (-want +got):\n%s", diff)
			}
			warnings := slices.DeleteFunc(messages(p), func(s string) bool { return strings.HasPrefix(s, "info: ") })
			if diff := cmp.Diff(tc.tells, warnings, cmp.Comparer(slices.Equal[[]string])); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// The consumed objects of a Deployment "web", by annotation key.
func TestNew_countsWhatContainersGet(t *testing.T) {
	const (
		external = "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: db}\nspec: {target: {template: {templateFrom: [{configMap: {name: templates, items: [{key: a}]}}]}}}\n---\n"
		cluster  = "apiVersion: external-secrets.io/v1\nkind: ClusterExternalSecret\nmetadata: {name: db}\nspec: {externalSecretSpec: {target: {template: {templateFrom: [{configMap: {name: templates, items: [{key: a}]}}]}}}}\n---\n"
	)
	ignored := func(manifest string) string {
		return strings.Replace(manifest, "metadata: {", "metadata: {annotations: {confighash.dev/ignore: 'true'}, ", 1)
	}
	in := func(namespace, manifest string) string {
		return strings.Replace(manifest, "metadata: {", "metadata: {namespace: "+namespace+", ", 1)
	}
	exclude := func(spec *v1alpha1.Spec) {
		spec.Exclude = []v1alpha1.Selector{{LabelSelector: "out=yes"}}
	}
	for _, tc := range []struct {
		label, manifests string
		want             []string
	}{
		{"an object without data has nothing that could", configMap("app", "") + deployment("envFrom: [{configMapRef: {name: app}}]"), nil},
		{"nor does a key that is not there", configMap("app", "x: '1'") + deployment("env: [{valueFrom: {configMapKeyRef: {name: app, key: y}}}]"), nil},
		{"an empty value counts", configMap("app", "x: ''") + deployment("envFrom: [{configMapRef: {name: app}}]"), []string{"configmap.app"}},
		{"a missing object", deployment("envFrom: [{configMapRef: {name: app}}]"), nil},
		{"both kinds of one name", configMap("app", "x: '1'") + "apiVersion: v1\nkind: Secret\nmetadata: {name: app}\nstringData: {x: '1'}\n---\n" +
			deployment("envFrom: [{configMapRef: {name: app}}, {secretRef: {name: app}}]"), []string{"configmap.app", "secret.app"}},
		{"a Secret, and what makes it", external + configMap("templates", "a: b") + "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {x: '1'}\n---\n" +
			deployment("envFrom: [{secretRef: {name: db}}]"), []string{"configmap.templates", "externalsecret.db", "secret.db"}},
		{"what an ExternalSecret is made with", external + configMap("templates", "a: b") + deployment("envFrom: [{secretRef: {name: db}}]"), []string{"configmap.templates", "externalsecret.db"}},
		{"unless it lacks the key", external + configMap("templates", "b: a") + deployment("envFrom: [{secretRef: {name: db}}]"), []string{"externalsecret.db"}},
		{"unless that is ignored", external + ignored(configMap("templates", "a: b")) + deployment("envFrom: [{secretRef: {name: db}}]"), []string{"externalsecret.db"}},
		{"or excluded", external + strings.Replace(configMap("templates", "a: b"), "name:", "labels: {out: 'yes'}, name:", 1) + deployment("envFrom: [{secretRef: {name: db}}]"), []string{"externalsecret.db"}},
		{"of a Secret that something else makes in turn", strings.ReplaceAll(external, "configMap: {", "secret: {") +
			"apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: templates}\nspec: {encryptedData: {a: x, b: y}}\n---\n" +
			deployment("envFrom: [{secretRef: {name: db}}]"), []string{"externalsecret.db", "sealedsecret.templates"}},
		{"or the ExternalSecret is", ignored(external) + configMap("templates", "a: b") + deployment("envFrom: [{secretRef: {name: db}}]"), nil},
		{"which does not affect what pods consume themselves", ignored(external) + configMap("templates", "a: b") +
			deployment("envFrom: [{configMapRef: {name: templates}}, {secretRef: {name: db}}]"), []string{"configmap.templates"}},
		{"in either order", ignored(external) + configMap("templates", "a: b") +
			deployment("envFrom: [{secretRef: {name: db}}, {configMapRef: {name: templates}}]"), []string{"configmap.templates"}},
		{"extra sources", configMap("app", "x: '1'") + strings.Replace(deployment(""), "{name: web}", "{name: web, annotations: {confighash.dev/extra-sources: ConfigMap/app}}", 1), []string{"configmap.app"}},
		{"unless they are ignored", ignored(configMap("app", "x: '1'")) + strings.Replace(deployment(""), "{name: web}", "{name: web, annotations: {confighash.dev/extra-sources: ConfigMap/app}}", 1), nil},
		{"a ClusterExternalSecret's templates are read in the workload's namespace", cluster + in("a", configMap("templates", "a: b")) + in("b", configMap("templates", "a: c")) +
			in("b", deployment("envFrom: [{secretRef: {name: db}}]")), []string{"clusterexternalsecret.db", "configmap.templates"}},
		{"and of no other", cluster + in("a", configMap("templates", "a: b")) +
			in("b", deployment("envFrom: [{secretRef: {name: db}}]")), []string{"clusterexternalsecret.db"}},
		{"a Secret made of one that is made of templates", strings.Replace(strings.ReplaceAll(external, "configMap: {", "secret: {"), "templates", "second", 1) +
			strings.Replace(external, "{name: db}", "{name: second}", 1) + configMap("templates", "a: b") + deployment("envFrom: [{secretRef: {name: db}}]"),
			[]string{"configmap.templates", "externalsecret.db", "externalsecret.second"}},
		{"a name with another suffix is another object's", configMap("app", "x: '1'") + deployment("envFrom: [{configMapRef: {name: app-2bg6t6bf6t}}]"), nil},
	} {
		t.Run(tc.label, func(t *testing.T) {
			p, err := annotated(t, specOf(exclude), tc.manifests)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for key := range values(p) {
				got = append(got, strings.TrimPrefix(key, "checksum/"))
			}
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNew_refusesAmbiguousReferences(t *testing.T) {
	const external = "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: db}\nspec: {target: {template: {templateFrom: [{configMap: {name: templates}}]}}}\n---\n"
	twice := configMap("templates", "a: b") + configMap("templates", "a: c")
	const want = "ConfigMap templates: metadata.name: the input holds ConfigMap default/templates twice (lines 1 and 6); keep one"
	for label, workload := range map[string]string{
		"consumed":                      deployment("envFrom: [{configMapRef: {name: templates}}]"),
		"consumed by an ExternalSecret": deployment("envFrom: [{secretRef: {name: db}}]"),
	} {
		t.Run(label, func(t *testing.T) {
			if _, err := annotated(t, specOf(), twice+external+workload); err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
	ignored := strings.ReplaceAll(twice, "{name:", "{annotations: {confighash.dev/ignore: 'true'}, name:")
	for label, manifests := range map[string]string{
		"not consumed":                 twice + external + deployment(""),
		"neither counts":               ignored + deployment("envFrom: [{configMapRef: {name: templates}}]"),
		"neither counts as a template": ignored + external + deployment("envFrom: [{secretRef: {name: db}}]"),
	} {
		if _, err := annotated(t, specOf(), manifests); err != nil {
			t.Errorf("%s, and yet: %v", label, err)
		}
	}
}

// A workload gets a single checksum of those that scope Source gives.
func TestNew_refusesAnAmbiguousClass(t *testing.T) {
	const class = "apiVersion: secrets-store.csi.x-k8s.io/v1\nkind: SecretProviderClass\nmetadata: {name: v}\nspec: {provider: vault}\n---\n"
	_, err := annotated(t, specOf(), class+class+strings.Replace(deployment("volumeMounts: [{name: v}]"), "spec: {containers",
		"spec: {volumes: [{name: v, csi: {driver: secrets-store.csi.k8s.io, volumeAttributes: {secretProviderClass: v}}}], containers", 1))
	if err == nil || !strings.Contains(err.Error(), "the input holds SecretProviderClass default/v twice") {
		t.Errorf("got %v", err)
	}
}

func TestNew_combinesTheChecksumsOfTheSources(t *testing.T) {
	manifests := configMap("a", "x: '1'") + configMap("b", "x: '2'") + deployment("envFrom: [{configMapRef: {name: b}}, {configMapRef: {name: a}}]")
	for _, salt := range []string{"", "grains"} {
		salted := func(spec *v1alpha1.Spec) { spec.Salt = salt }
		each, err := annotated(t, specOf(salted), manifests)
		if err != nil {
			t.Fatal(err)
		}
		all, err := annotated(t, specOf(salted, func(spec *v1alpha1.Spec) { spec.Annotate.Scope = v1alpha1.ScopeWorkload }), manifests)
		if err != nil {
			t.Fatal(err)
		}
		sums := values(each)
		want := map[string]string{"checksum/config": hash.Checksum([]string{sums["checksum/configmap.a"], sums["checksum/configmap.b"]}, salt)}
		if diff := cmp.Diff(want, values(all)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// Objects with the same content are distinguished by name, and an object of another namespace from one of the same name
// in the workload's.
func TestNew_distinguishesSourcesOfOtherNamespaces(t *testing.T) {
	template := catalog.TemplateRule{Spec: catalog.Path{"spec", "pods"}, Annotations: catalog.Path{"spec", "annotations"}}
	rules, err := catalog.FieldSpec(catalog.ConfigMap, "spec/settings")
	if err != nil {
		t.Fatal(err)
	}
	inNamespace := func(namespace string) string {
		return strings.Replace(configMap("app", "x: '1'"), "name: app", "name: app, namespace: "+namespace, 1)
	}
	p, err := annotated(t, specOf(), inNamespace("a")+inNamespace("b")+inNamespace("default")+
		"apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g}\nspec: {settings: [{name: app, namespace: a}, {name: app, namespace: b}, {name: app}], pods: {}}\n",
		catalog.Extra{Group: "example.com", Kind: "Gadget", PodTemplates: []catalog.TemplateRule{template}, References: rules})
	if err != nil {
		t.Fatal(err)
	}
	sum := func(namespace string) string {
		return hash.Source{Kind: "ConfigMap", Namespace: namespace, Name: "app", Values: mustValues(t, "x", "1")}.Checksum("")
	}
	want := map[string]string{"checksum/configmap.app": sum(""), "checksum/configmap.a_app": sum("a"), "checksum/configmap.b_app": sum("b")}
	if diff := cmp.Diff(want, values(p)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func mustValues(t testing.TB, key, value string) []hash.Value {
	t.Helper()
	values, undecoded := hash.ValuesOf(hash.Content{Kind: "ConfigMap", Fields: []hash.Field{{Name: "data", Entries: []hash.Entry{{Key: key, Value: value}}}}}, false)
	if undecoded != nil {
		t.Fatal(undecoded)
	}
	return values
}

func TestNew_namesTheKeysThatCountIfNotAllDo(t *testing.T) {
	key := func(kind, name, key string) string {
		return "{valueFrom: {" + kind + "KeyRef: {name: " + name + ", key: " + key + "}}}"
	}
	manifests := configMap("app", "a: '1', b: '2', c: '3', d: '4'") +
		"apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: sealed}\nspec: {encryptedData: {a: AgA, b: AgB}, template: {type: t}}\n---\n" +
		"apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: external}\nspec: {refreshInterval: 1h}\n---\n" +
		"apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: web}\nspec: {secretName: tls}\n---\n"
	for _, tc := range []struct {
		label, container, want string
	}{
		{"one", "env: [" + key("configMap", "app", "a") + "]", "ConfigMap app (a)"},
		{"several, once each, those that are there", "env: [" + key("configMap", "app", "c") + "," + key("configMap", "app", "a") + "," + key("configMap", "app", "a") + "," + key("configMap", "app", "e") + "]", "ConfigMap app (a and c)"},
		{"all, one of them twice", "env: [" + key("configMap", "app", "a") + "], envFrom: [{configMapRef: {name: app}}]", "ConfigMap app"},
		{"of ciphertext", "env: [" + key("secret", "sealed", "b") + "]", "SealedSecret sealed (b)"},
		{"of what counts as a whole", "env: [" + key("secret", "external", "spec") + "]", "ExternalSecret external"},
	} {
		t.Run(tc.label, func(t *testing.T) {
			p, err := annotated(t, specOf(), manifests+deployment(tc.container))
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"info: Deployment web: spec.template.metadata.annotations: stamped with the checksum of " + tc.want}
			if diff := cmp.Diff(want, messages(p)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			job := strings.NewReplacer("apps/v1", "batch/v1", "Deployment", "Job").Replace(deployment(tc.container + ", volumeMounts: [{name: tls}]"))
			job = strings.Replace(job, "containers:", "volumes: [{name: tls, secret: {secretName: tls}}], containers:", 1)
			if p, err = annotated(t, specOf(), manifests+job); err != nil {
				t.Fatal(err)
			}
			want = []string{"warning: Job web: spec.template.metadata.annotations: not stamped, although it consumes " + tc.want + ": what it runs cannot change once it exists; replace it when its configuration changes"}
			if diff := cmp.Diff(want, messages(p)); diff != "" {
				t.Errorf("of a Job (-want +got):\n%s", diff)
			}
		})
	}
}

// A mistake is reported once, however many workloads consume the object.
func TestNew_reportsOnce(t *testing.T) {
	manifests := "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: 'hunter2!'}\n---\n" +
		deployment("envFrom: [{secretRef: {name: s}}]") + strings.Replace(deployment("envFrom: [{secretRef: {name: s}}]"), "name: web", "name: web2", 1)
	p, err := annotated(t, specOf(), manifests)
	if err != nil {
		t.Fatal(err)
	}
	var warnings []graph.Finding
	for _, f := range p.Findings {
		if strings.Contains(f.Message, "hunter2") {
			t.Errorf("a value is shown: %s", f)
		}
		if f.Severity == manifest.Warning {
			warnings = append(warnings, f)
		}
	}
	if len(warnings) != 1 || warnings[0].Resource.Name != "s" || warnings[0].Path != "data" {
		t.Errorf("got %v", warnings)
	}
}

// Errors in a Secret are reported without its values.
func TestNew_showsNoSecretValue(t *testing.T) {
	const marker = "hunter2-marker"
	encoded := base64.StdEncoding.EncodeToString([]byte(marker))
	for label, body := range map[string]string{
		"good":                    "data: {a: " + encoded + "}\nstringData: {b: " + marker + "}",
		"no base64":               "data: {a: " + marker + ", b: '" + encoded + "='}",
		"a list":                  "data: [" + encoded + "]",
		"text":                    "stringData: " + marker,
		"a value that is a list":  "stringData: {a: [" + marker + "]}",
		"a key twice":             "stringData: {a: " + marker + ", a: " + marker + "}",
		"a type that is a list":   "type: [" + marker + "]\ndata: {a: " + encoded + "}",
		"a key that is a mapping": "stringData: {{" + marker + ": a}: b}",
		"encrypted":               "data: {a: 'ENC[" + marker + "]'}\nsops: {mac: " + marker + "}",
		"twice":                   "data: {a: " + encoded + "}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: " + encoded + "}",
	} {
		t.Run(label, func(t *testing.T) {
			p, err := annotated(t, specOf(func(spec *v1alpha1.Spec) { spec.Salt = marker }), "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"+body+"\n---\n"+
				deployment("envFrom: [{secretRef: {name: s}}]"))
			all := fmt.Sprint(err)
			if err == nil {
				all = strings.Join(slices.Concat(messages(p), edits(p)), "\n")
				for _, value := range values(p) {
					all += value
				}
			}
			if strings.Contains(all, marker) || strings.Contains(all, encoded) {
				t.Errorf("the value is shown: %s", all)
			}
		})
	}
}

func TestNew_enumeratesTheFirstOfMany(t *testing.T) {
	for _, tc := range []struct {
		objects int
		want    string
	}{
		{1, "ConfigMap c00"},
		{2, "ConfigMap c00 and ConfigMap c01"},
		{3, "ConfigMap c00, ConfigMap c01 and ConfigMap c02"},
		{11, "ConfigMap c00, ConfigMap c01, ConfigMap c02, ConfigMap c03, ConfigMap c04, ConfigMap c05, ConfigMap c06, ConfigMap c07, ConfigMap c08, ConfigMap c09 and ConfigMap c10"},
		{12, "ConfigMap c00, ConfigMap c01, ConfigMap c02, ConfigMap c03, ConfigMap c04, ConfigMap c05, ConfigMap c06, ConfigMap c07, ConfigMap c08, ConfigMap c09 and 2 more"},
	} {
		manifests, from := "", ""
		for i := range tc.objects {
			manifests += configMap(fmt.Sprintf("c%02d", i), "x: '1'")
			from = fmt.Sprintf("{configMapRef: {name: c%02d}},", i) + from // listed in another order
		}
		p, err := annotated(t, specOf(), manifests+deployment("envFrom: ["+from+"]"))
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"info: Deployment web: spec.template.metadata.annotations: stamped with the checksum of " + tc.want}
		if diff := cmp.Diff(want, messages(p)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// A Secret is made from a Secret made from a ConfigMap: the ConfigMap counts, unless something between it and the
// workload is excluded.
func TestNew_stopsAtAnExcludedSource(t *testing.T) {
	secret := func(name, annotations, from string) string {
		return "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: " + name + ", annotations: {" + annotations + "}}\n" +
			"spec: {target: {name: " + name + ", template: {templateFrom: [{" + from + "}]}}}\n---\n"
	}
	checksum := func(annotations, data string) string {
		t.Helper()
		p, err := annotated(t, specOf(), deployment("name: c, image: i, envFrom: [{secretRef: {name: outer}}]")+
			secret("outer", "", "secret: {name: inner, items: [{key: k}]}")+
			secret("inner", annotations, "configMap: {name: deep, items: [{key: k}]}")+configMap("deep", "k: "+data))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(values(p))
	}
	if checksum("", "a") == checksum("", "b") {
		t.Error("the checksum does not follow a ConfigMap that two ExternalSecrets pass on")
	}
	const ignored = "confighash.dev/ignore: 'true'"
	if checksum(ignored, "a") != checksum(ignored, "b") {
		t.Error("the checksum follows a ConfigMap through an ExternalSecret that is taken out")
	}
}
