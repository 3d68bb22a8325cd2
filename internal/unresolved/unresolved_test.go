package unresolved

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/policy"
	"github.com/confighash/confighash/internal/reference"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// find returns the messages of Find for a stream of manifests.
func find(t *testing.T, manifests string, asked v1alpha1.Unresolved) []string {
	t.Helper()
	in, err := manifest.Split([]byte(manifests))
	if err != nil {
		t.Fatal(err)
	}
	c := catalog.Builtin()
	b := &graph.Builder{Catalog: c, Finder: reference.NewFinder(c), Values: true}
	_, found, err := manifest.Parse(in, b.Build)
	if err != nil {
		t.Fatal(err)
	}
	g := graph.New(slices.Concat(found...), "default")
	p, err := policy.New(g, c, &v1alpha1.Spec{Policy: v1alpha1.PolicyAll})
	if err != nil {
		t.Fatal(err)
	}
	var reported []string
	for _, f := range Find(g, p, asked, true) {
		reported = append(reported, string(f.Severity)+": "+f.String())
	}
	return reported
}

const (
	configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app, namespace: prod}\n---\n"
	head      = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: prod}\n"
)

func envFrom(reference string) string {
	return head + "spec: {template: {spec: {containers: [{envFrom: [{" + reference + "}]}]}}}\n"
}

func TestFind(t *testing.T) {
	const (
		at  = "spec.template.spec.containers[0].envFrom[0]."
		end = " is not in the input; add it, make the reference optional, or set spec.unresolved: Ignore"
	)
	for _, tc := range []struct {
		label, manifests string
		want             []string
	}{
		{"an object that is there", configMap + envFrom("configMapRef: {name: app}"), nil},
		{"none", configMap + envFrom("configMapRef: {name: ap}"), []string{"warning: Deployment prod/web: " + at + `configMapRef.name: ConfigMap "ap"` + end}},
		{"of another kind", configMap + envFrom("secretRef: {name: app}"), []string{"warning: Deployment prod/web: " + at + `secretRef.name: Secret "app"` + end}},
		{"in another namespace", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\n---\n" + envFrom("configMapRef: {name: app}"),
			[]string{"warning: Deployment prod/web: " + at + `configMapRef.name: ConfigMap "app" is not in the namespace "prod", but in "default" (it names none); ` +
				"give both the same namespace, or say by --namespace or spec.namespace where resources without one are applied; else " + strings.TrimPrefix(end, " is not in the input; ")}},
		{"optional", envFrom("configMapRef: {name: app, optional: true}"), nil},
		{"optional: false", envFrom("configMapRef: {name: app, optional: false}"), []string{"warning: Deployment prod/web: " + at + `configMapRef.name: ConfigMap "app"` + end}},
		{"by a name from before a suffix", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app-4h2mbtbbt6, namespace: prod, annotations: {confighash.dev/hash: 4h2mbtbbt6}}\n---\n" +
			envFrom("configMapRef: {name: app}"), nil},
		{"made by a controller", "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: app, namespace: prod}\n---\n" + envFrom("secretRef: {name: app}"), nil},
		{"of every namespace", envFrom("configMapRef: {name: kube-root-ca.crt}"), nil},
		{"a volume that nobody mounts fails all the same", head + "spec: {template: {spec: {volumes: [{name: v, secret: {secretName: s}}]}}}\n",
			[]string{`warning: Deployment prod/web: spec.template.spec.volumes[0].secret.secretName: Secret "s"` + end}},
		{"with a namespace", "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\nspec: {cephfs: {secretRef: {name: s, namespace: ceph}}}\n",
			[]string{`warning: PersistentVolume v: spec.cephfs.secretRef.name: Secret "ceph/s"` + end}},
		{"what a controller will make", "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: c}\nspec: {secretName: tls}\n", nil},
		{"what may be a reference", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {ssl-certificate: prod/tls}\n", nil},
		{"a class of secrets is not a Secret", head + "spec: {template: {spec: {volumes: [{csi: {driver: secrets-store.csi.k8s.io, volumeAttributes: {secretProviderClass: c}}}]}}}\n", nil},
		{"extra sources, which mode Annotate reports", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, annotations: {confighash.dev/extra-sources: 'ConfigMap/a,Secret/b'}}\n", nil},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, find(t, tc.manifests, v1alpha1.UnresolvedWarn)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A reference with a name similar to an object's is reported even with Ignore.
func TestFind_reportsSimilarNames(t *testing.T) {
	object := func(kind, namespace, name string) string {
		return "apiVersion: v1\nkind: " + kind + "\nmetadata: {name: " + name + namespace + "}\n---\n"
	}
	here, elsewhere := ", namespace: prod", ", namespace: dev"
	const is, meant = " is not in the input, but ", " is; correct the name if that is meant"
	for _, tc := range []struct {
		label, manifests string
		want             string // after the field
	}{
		{"a letter less", object("ConfigMap", here, "web-settings") + envFrom("configMapRef: {name: web-setings}"), `ConfigMap "web-setings"` + is + `"web-settings"` + meant},
		{"a letter more", object("ConfigMap", here, "web-settings") + envFrom("configMapRef: {name: web-setttings}"), `ConfigMap "web-setttings"` + is + `"web-settings"` + meant},
		{"another letter", object("Secret", here, "database") + envFrom("secretRef: {name: databaze}"), `Secret "databaze"` + is + `"database"` + meant},
		{"two letters swapped", object("Secret", here, "database") + envFrom("secretRef: {name: databsae}"), `Secret "databsae"` + is + `"database"` + meant},
		{"a missing dash", object("Secret", here, "web-tls") + envFrom("secretRef: {name: webtls}"), `Secret "webtls"` + is + `"web-tls"` + meant},
		{"what a controller makes", "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: database, namespace: prod}\n---\n" + envFrom("secretRef: {name: databse}"), `Secret "databse"` + is + `"database"` + meant},
		{"renamed by an earlier run", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web-settings-4h2mbtbbt6, namespace: prod, annotations: {confighash.dev/hash: 4h2mbtbbt6}}\n---\n" +
			envFrom("configMapRef: {name: web-setings}"), `ConfigMap "web-setings"` + is + `"web-settings"` + meant},
		{"optional and long", object("ConfigMap", here, "web-settings") + envFrom("configMapRef: {name: web-setings, optional: true}"), `ConfigMap "web-setings"` + is + `"web-settings"` + meant},
		{"optional and short", object("ConfigMap", here, "settings") + envFrom("configMapRef: {name: setings, optional: true}"), ""},
		{"by the name of before a prefix", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: dev-web-settings, namespace: prod, annotations: {internal.config.kubernetes.io/previousNames: web-settings, " +
			"internal.config.kubernetes.io/previousNamespaces: default, internal.config.kubernetes.io/previousKinds: ConfigMap, internal.config.kubernetes.io/prefixes: dev-}}\n---\n" +
			envFrom("configMapRef: {name: web-setings}"), `ConfigMap "web-setings"` + is + `"web-settings"` + meant},
		{"two letters", object("ConfigMap", here, "web-settings") + envFrom("configMapRef: {name: web-setinsg}"), ""},
		{"a short name", object("ConfigMap", here, "login") + envFrom("configMapRef: {name: logi}"), ""},
		{"a digit", object("ConfigMap", here, "config-1") + envFrom("configMapRef: {name: config-2}"), ""},
		{"a letter that counts", object("ConfigMap", here, "region-a") + envFrom("configMapRef: {name: region-b}"), ""},
		{"a hash", object("ConfigMap", here, "config-bdfghkmtcb") + envFrom("configMapRef: {name: config-bdfghkmtcd}"), ""},
		{"several are similar", object("ConfigMap", here, "settings") + object("ConfigMap", here, "settingz") + envFrom("configMapRef: {name: setting}"), ""},
		{"of another kind", object("ConfigMap", here, "database") + envFrom("secretRef: {name: databse}"), ""},
		{"of another namespace and misspelt", object("ConfigMap", elsewhere, "database") + envFrom("configMapRef: {name: databse}"), ""},
		{"in another namespace", object("ConfigMap", elsewhere, "app") + envFrom("configMapRef: {name: app}"), `ConfigMap "app" is not in the namespace "prod", but in "dev"; give both the same namespace`},
		{"in another namespace and optional", object("ConfigMap", elsewhere, "app") + envFrom("configMapRef: {name: app, optional: true}"), ""},
		{"in no namespace", object("ConfigMap", "", "app") + envFrom("configMapRef: {name: app}"),
			`ConfigMap "app" is not in the namespace "prod", but in "default" (it names none); give both the same namespace, or say by --namespace or spec.namespace where resources without one are applied`},
		{"in many namespaces", object("ConfigMap", ", namespace: a", "app") + object("ConfigMap", ", namespace: b", "app") + object("ConfigMap", ", namespace: c", "app") + object("ConfigMap", ", namespace: d", "app") +
			envFrom("configMapRef: {name: app}"), `ConfigMap "app" is not in the namespace "prod", but in "a", "b", "c" and 1 more; give both the same namespace`},
		{"what a rule of RBAC names", object("ConfigMap", here, "election") + "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r, namespace: prod}\n" +
			"rules: [{apiGroups: [''], resources: [configmaps], resourceNames: [electoin], verbs: [get]}]\n", ""},
		{"of every namespace", object("ConfigMap", elsewhere, "kube-root-ca.crt") + envFrom("configMapRef: {name: kube-root-ca.crt}"), ""},
	} {
		t.Run(tc.label, func(t *testing.T) {
			got := ""
			for i, message := range find(t, tc.manifests, v1alpha1.UnresolvedIgnore) {
				if i > 0 {
					t.Errorf("%q is reported as well", message)
				}
				var warning bool
				if got, warning = strings.CutPrefix(message, "warning: Deployment prod/web: spec.template.spec.containers[0].envFrom[0]."); !warning {
					t.Errorf("got %q", message)
				}
				_, got, _ = strings.Cut(got, ": ")
			}
			if got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

// Names of one form are all similar; the number of comparisons must not be quadratic.
func TestNames_boundComparisons(t *testing.T) {
	const length = 61
	var objects []*graph.Resource
	var missing []string
	for i := range length {
		for letter := 'b'; letter <= 'z'; letter++ {
			before, after := strings.Repeat("a", i), strings.Repeat("a", length-i)
			missing = append(missing, before+string(letter)+after)
			objects = append(objects, &graph.Resource{Kind: "ConfigMap", Object: graph.Object{Target: catalog.ConfigMap, Base: before + strings.ToUpper(string(letter)) + after}, Namespace: "prod", Name: "x"})
		}
	}
	n := newNames(graph.New(objects, "default"), true)
	for _, name := range missing {
		n.message(&graph.Edge{Referrer: &graph.Resource{Namespace: "prod"}, Ref: &reference.Reference{Name: name}}, catalog.ConfigMap)
	}
	// Once the budget is used up, each list costs one more.
	if n.left >= 0 || n.left < -3*len(missing) {
		t.Errorf("%d comparisons are left of those that %d objects and %d references allow", n.left, len(objects), len(missing))
	}
}

func TestFind_reportsWithTheSeverityAsked(t *testing.T) {
	manifests := envFrom("configMapRef: {name: app}")
	if got := find(t, manifests, v1alpha1.UnresolvedIgnore); got != nil {
		t.Errorf("Ignore reports %q", got)
	}
	got := find(t, manifests, v1alpha1.UnresolvedError)
	if len(got) != 1 || !strings.HasPrefix(got[0], "error: ") {
		t.Errorf("Error reports %q", got)
	}
}

// Objects of two other variants had this name: another package reports that the reference is ambiguous.
func TestFind_leavesStrangersToOthers(t *testing.T) {
	variant := func(prefix string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + prefix + "app, namespace: prod, annotations: {internal.config.kubernetes.io/previousNames: app, " +
			"internal.config.kubernetes.io/previousNamespaces: default, internal.config.kubernetes.io/previousKinds: ConfigMap, internal.config.kubernetes.io/prefixes: " + prefix + "}}\n---\n"
	}
	if got := find(t, variant("a-")+variant("b-")+envFrom("configMapRef: {name: app}"), v1alpha1.UnresolvedWarn); got != nil {
		t.Errorf("got %q", got)
	}
}
