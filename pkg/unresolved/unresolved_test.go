package unresolved

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/catalog"
	"github.com/confighash/confighash/pkg/graph"
	"github.com/confighash/confighash/pkg/policy"
	"github.com/confighash/confighash/pkg/reference"
	"github.com/confighash/confighash/pkg/stream"
)

// find returns what Find tells of a stream of manifests.
func find(t *testing.T, manifests string, asked v1alpha1.Unresolved) []string {
	t.Helper()
	in, err := stream.Split([]byte(manifests))
	if err != nil {
		t.Fatal(err)
	}
	c := catalog.Builtin()
	b := &graph.Builder{Catalog: c, Finder: reference.NewFinder(c), Values: true}
	_, found, err := stream.Parse(in, b.Build)
	if err != nil {
		t.Fatal(err)
	}
	g := graph.New(slices.Concat(found...), "default")
	p, err := policy.New(g, c, &v1alpha1.Spec{Policy: v1alpha1.PolicyAll})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, f := range Find(g, p, asked, true) {
		told = append(told, string(f.Severity)+": "+f.String())
	}
	return told
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
			[]string{"warning: Deployment prod/web: " + at + `configMapRef.name: ConfigMap "app"` + end}},
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
		{"a class of secrets is no Secret", head + "spec: {template: {spec: {volumes: [{csi: {driver: secrets-store.csi.k8s.io, volumeAttributes: {secretProviderClass: c}}}]}}}\n", nil},
		{"extra sources, of which mode Annotate tells", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, annotations: {confighash.dev/extra-sources: 'ConfigMap/a,Secret/b'}}\n", nil},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, find(t, tc.manifests, v1alpha1.UnresolvedWarn)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFind_isWorthWhatIsAsked(t *testing.T) {
	manifests := envFrom("configMapRef: {name: app}")
	if told := find(t, manifests, v1alpha1.UnresolvedIgnore); told != nil {
		t.Errorf("Ignore tells %q", told)
	}
	told := find(t, manifests, v1alpha1.UnresolvedError)
	if len(told) != 1 || told[0][:7] != "error: " {
		t.Errorf("Error tells %q", told)
	}
}

// Objects of two other variants were called so: which of them is meant is
// another's to tell.
func TestFind_leavesStrangersToOthers(t *testing.T) {
	variant := func(prefix string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + prefix + "app, namespace: prod, annotations: {internal.config.kubernetes.io/previousNames: app, " +
			"internal.config.kubernetes.io/previousNamespaces: default, internal.config.kubernetes.io/previousKinds: ConfigMap, internal.config.kubernetes.io/prefixes: " + prefix + "}}\n---\n"
	}
	if told := find(t, variant("a-")+variant("b-")+envFrom("configMapRef: {name: app}"), v1alpha1.UnresolvedWarn); told != nil {
		t.Errorf("got %q", told)
	}
}
