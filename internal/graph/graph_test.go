package graph

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/reference"
)

// build returns the graph of a stream of manifests.
func build(t testing.TB, manifests string) *Graph {
	t.Helper()
	in, err := manifest.Split([]byte(manifests))
	if err != nil {
		t.Fatal(err)
	}
	c := catalog.Builtin()
	b := &Builder{Catalog: c, Finder: reference.NewFinder(c)}
	_, found, err := manifest.Parse(in, b.Build)
	if err != nil {
		t.Fatal(err)
	}
	return New(slices.Concat(found...), "default")
}

// previous returns kustomize's annotations about earlier identities.
func previous(names, namespaces string) string {
	kinds := "ConfigMap" + strings.Repeat(",ConfigMap", strings.Count(names, ","))
	return "internal.config.kubernetes.io/previousNames: '" + names + "', internal.config.kubernetes.io/previousNamespaces: '" + namespaces +
		"', internal.config.kubernetes.io/previousKinds: '" + kinds + "'"
}

func configMap(namespace, name, annotations string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '" + name + "', namespace: '" + namespace + "', annotations: {" + annotations + "}}\n---\n"
}

func TestResolve(t *testing.T) {
	const prefixed = ", internal.config.kubernetes.io/prefixes: "
	for _, tc := range []struct {
		label    string
		targets  string
		referrer Resource
		ref      reference.Reference
		want     []string
		moved    bool
	}{
		{
			label:   "the present name, in the referrer's namespace",
			targets: configMap("a", "app", "") + configMap("b", "app", ""), referrer: Resource{Namespace: "b"},
			want: []string{"b/app"},
		},
		{
			label:   "an absent namespace is the graph's",
			targets: configMap("", "app", "") + configMap("b", "app", ""), referrer: Resource{Namespace: "default"},
			want: []string{"/app"},
		},
		{
			label:   "nothing in another namespace",
			targets: configMap("a", "app", ""), referrer: Resource{Namespace: "b"},
		},
		{
			label:   "a name from before a prefix",
			targets: configMap("", "dev-app", previous("app", "default")),
			want:    []string{"/dev-app"},
		},
		{
			label:   "an explicit namespace",
			targets: configMap("a", "app", "") + configMap("b", "app", ""), ref: reference.Reference{Namespace: "a"},
			want: []string{"a/app"},
		},
		{
			label:   "an explicit namespace from before the namespace transformer",
			targets: configMap("b", "app", previous("app", "a")), ref: reference.Reference{Namespace: "a"},
			want: []string{"b/app"}, moved: true,
		},
		{
			label:   "the present namespace wins over an earlier one",
			targets: configMap("b", "app", previous("app", "a")) + configMap("a", "app", ""), ref: reference.Reference{Namespace: "a"},
			want: []string{"a/app"},
		},
		{
			label:   "a cluster-scoped referrer sees every namespace",
			targets: configMap("a", "app", "") + configMap("b", "other", ""), referrer: Resource{ClusterScoped: true},
			want: []string{"a/app"},
		},
		{
			label:   "and cannot tell two apart",
			targets: configMap("a", "app", "") + configMap("b", "app", ""), referrer: Resource{ClusterScoped: true},
			want: []string{"a/app", "b/app"},
		},
		{
			label:   "several are narrowed by the referrer's prefixes",
			targets: configMap("", "a-app", previous("app", "default")+prefixed+"a-") + configMap("", "b-app", previous("app", "default")+prefixed+"b-"),
			referrer: func() (r Resource) {
				r.History.Prefixes = []string{"b-"}
				return r
			}(),
			want: []string{"/b-app"},
		},
		{
			label:   "a referrer without prefixes is of the object without",
			targets: configMap("", "app", "") + configMap("", "b-app", previous("app", "default")+prefixed+"b-"),
			want:    []string{"/app"},
		},
		{
			label:   "one of none of the layers has nothing",
			targets: configMap("", "a-app", previous("app", "default")+prefixed+"a-") + configMap("", "b-app", previous("app", "default")+prefixed+"b-"),
		},
		{
			label:   "the name without a recorded suffix",
			targets: configMap("", "app-4h2mbtbbt6", "confighash.dev/hash: 4h2mbtbbt6"),
			want:    []string{"/app-4h2mbtbbt6"},
		},
		{
			label:   "an unrecorded suffix",
			targets: configMap("", "app-4h2mbtbbt6", "confighash.dev/hash: 4h2mbtbbt6"), ref: reference.Reference{Name: "app-hmg6f82fh6"},
			want: []string{"/app-4h2mbtbbt6"},
		},
		{
			label:   "nor need the object have been renamed: an update may have brought it back",
			targets: configMap("", "app", ""), ref: reference.Reference{Name: "app-hmg6f82fh6"},
			want: []string{"/app"},
		},
		{
			label:   "the name from before kustomize's own suffix",
			targets: configMap("", "app-6ct58987ht", ""),
			want:    []string{"/app-6ct58987ht"},
		},
		{
			label:   "a suffix in the middle",
			targets: configMap("", "app-4h2mbtbbt6-eu", "confighash.dev/hash: 4h2mbtbbt6"), ref: reference.Reference{Name: "app-eu"},
			want: []string{"/app-4h2mbtbbt6-eu"},
		},
		{
			label:   "an earlier name without the recorded suffix",
			targets: configMap("", "p-app-4h2mbtbbt6", "confighash.dev/hash: 4h2mbtbbt6, "+previous("app-4h2mbtbbt6", "default")),
			want:    []string{"/p-app-4h2mbtbbt6"},
		},
		{
			label:   "an object that has the name wins over one that had it before its suffix",
			targets: configMap("", "app-4h2mbtbbt6", "confighash.dev/hash: 4h2mbtbbt6") + configMap("", "app", ""),
			want:    []string{"/app"},
		},
		{
			label:   "a recorded suffix that is none is not taken off",
			targets: configMap("", "app-x", "confighash.dev/hash: x"),
		},
	} {
		t.Run(tc.label, func(t *testing.T) {
			g := build(t, tc.targets)
			if tc.ref.Name == "" {
				tc.ref.Name = "app"
			}
			match := g.Resolve(&tc.referrer, &tc.ref, catalog.ConfigMap)
			var got []string
			for _, c := range match.Candidates {
				got = append(got, c.Namespace+"/"+c.Name)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
			if match.Moved != tc.moved {
				t.Errorf("Moved is %t", match.Moved)
			}
			if other := g.Resolve(&tc.referrer, &tc.ref, catalog.Secret); len(other.Candidates) > 0 {
				t.Errorf("a Secret was found: %v", other.Candidates)
			}
		})
	}
}

func TestBuild_readsThroughAliasesAndMergeKeys(t *testing.T) {
	g := build(t, `common: &common
  apiVersion: v1
  metadata: &meta
    name: app
    labels: &labels {a: b}
<<: *common
kind: Secret
type: Opaque
metadata:
  <<: *meta
  namespace: prod
  annotations: {<<: *labels, confighash.dev/ignore: "true"}
immutable: true
sops: {mac_only_encrypted: true}
`)
	r := g.Resources[0]
	if got := r.String(); got != "Secret prod/app" {
		t.Errorf("got %s", got)
	}
	if !r.NameAt.Shared {
		t.Error("a name that a merge key brings in is not its own")
	}
	if diff := cmp.Diff(map[string]string{"a": "b", "confighash.dev/ignore": "true"}, r.Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	if !r.Ignored() || !r.Immutable || r.Encrypted || r.Type != "Opaque" || r.Target != catalog.Secret {
		t.Errorf("got %+v", r)
	}
}

func TestBuild_passesOver(t *testing.T) {
	g := build(t, `apiVersion: v1
kind: ConfigMap
metadata: {name: local, annotations: {config.kubernetes.io/local-config: "true"}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: kept, annotations: {config.kubernetes.io/local-config: "false"}}
---
apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: k}
---
apiVersion: confighash.dev/v1alpha1
kind: ConfigHash
metadata: {name: k}
`)
	if len(g.Resources) != 1 || g.Resources[0].Name != "kept" {
		t.Errorf("got %v", g.Resources)
	}
}

func TestSortFindings_putsTheWorstFirstAndDropsRepetitions(t *testing.T) {
	a, b := &Resource{Kind: "ConfigMap", Name: "a"}, &Resource{Kind: "ConfigMap", Name: "b"}
	findings := []Finding{
		{Severity: manifest.Info, Resource: a, Message: "i"},
		{Severity: manifest.Warning, Resource: b, Path: "x", Message: "w"},
		{Severity: manifest.Warning, Resource: a, Path: "y", Message: "w"},
		{Severity: manifest.Warning, Resource: b, Path: "x", Message: "w"},
		{Severity: manifest.Error, Resource: b, Message: "e"},
	}
	for range 2 { // a second call returns the same
		var lines []string
		for _, f := range SortFindings(findings) {
			lines = append(lines, f.String())
		}
		want := []string{"ConfigMap b: e", "ConfigMap a: y: w", "ConfigMap b: x: w", "ConfigMap a: i"}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestBuild_namesTheItemWithADuplicateKey(t *testing.T) {
	for item, want := range map[string]string{
		"data: {a: b}\nkind: ConfigMap\ndata: {a: c}\nmetadata: {name: app}":                                 `line 1: ConfigMap app: the key "data" appears twice; keep one`,
		"kind: Secret\nmetadata: {name: a, name: app}":                                                       `line 1: Secret app: metadata: the key "name" appears twice; keep one`,
		"kind: Secret\nmetadata: {annotations: {confighash.dev/hash: b, confighash.dev/hash: c}, name: app}": `line 1: Secret app: metadata: annotations: the key "confighash.dev/hash" appears twice; keep one`,
	} {
		in, err := manifest.Split([]byte("apiVersion: v1\n" + item + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		c := catalog.Builtin()
		b := &Builder{Catalog: c, Finder: reference.NewFinder(c)}
		if _, _, err := manifest.Parse(in, b.Build); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestBuild_treatsNullAsNoEncryption(t *testing.T) {
	g := build(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: b}\nsops:\n")
	if r := g.Resources[0]; r.SOPS || r.Encrypted {
		t.Errorf("sops: null makes %+v encrypted", r)
	}
}
