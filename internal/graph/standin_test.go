package graph

import (
	"crypto/sha256"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/hash"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/internal/reference"
)

// only returns the only resource of a manifest, with its values.
func only(t testing.TB, text string) *Resource {
	t.Helper()
	in, err := manifest.Split([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c := catalog.Builtin()
	b := &Builder{Catalog: c, Finder: reference.NewFinder(c), Values: true}
	_, found, err := manifest.Parse(in, b.Build)
	if err != nil {
		t.Fatal(err)
	}
	resources := slices.Concat(found...)
	if len(resources) != 1 {
		t.Fatalf("%d resources in\n%s", len(resources), text)
	}
	return resources[0]
}

const (
	sealedSecret   = "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: db, labels: {team: a}}\n"
	externalSecret = "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: db, annotations: {force-sync: '1'}}\n"
	clusterSecret  = "apiVersion: external-secrets.io/v1\nkind: ClusterExternalSecret\nmetadata: {name: db}\n"
	providerClass  = "apiVersion: secrets-store.csi.x-k8s.io/v1\nkind: SecretProviderClass\nmetadata: {name: db}\n"
)

// tree returns the sum of a part's encoding.
func tree(encoded string) [sha256.Size]byte { return sha256.Sum256([]byte(encoded)) }

func TestBuild_findsTheContentOfAStandIn(t *testing.T) {
	for _, tc := range []struct {
		label, manifest string
		want            []hash.Value
	}{
		{"a SealedSecret's ciphertext, by key", sealedSecret + "spec: {encryptedData: {b: AgB, a: AgA}}", []hash.Value{
			{Key: "a", Sum: tree("AgA")}, {Key: "b", Sum: tree("AgB")},
		}},
		{"its template but for the metadata, whichever key is consumed", sealedSecret + "spec: {encryptedData: {a: AgA}, template: {metadata: {name: db, labels: {a: b}}, type: t, immutable: true}}", []hash.Value{
			{Key: "a", Sum: tree("AgA")}, {Key: "spec/template", Sum: tree("m2:9:immutables4:true4:types1:t"), Always: true},
		}},
		{"data that may be made from any key", sealedSecret + "spec: {encryptedData: {a: AgA}, template: {data: {c: '{{ .a }}'}}}", []hash.Value{
			{Key: "a", Sum: tree("AgA"), Always: true}, {Key: "spec/template", Sum: tree("m1:4:datam1:1:cs8:{{ .a }}"), Always: true},
		}},
		{"unless it is empty", sealedSecret + "spec: {encryptedData: {a: AgA}, template: {data: {}, type: t}}", []hash.Value{
			{Key: "a", Sum: tree("AgA")}, {Key: "spec/template", Sum: tree("m2:4:datam0:4:types1:t"), Always: true},
		}},
		{"a template without anything else is not a part", sealedSecret + "spec: {encryptedData: {a: AgA}, template: {metadata: {name: db}, type: null}}", []hash.Value{{Key: "a", Sum: tree("AgA")}}},
		{"scalars as the strings that are written", sealedSecret + "spec: {encryptedData: {a: 0x1F, b: yes, c: null, d: ''}}", []hash.Value{
			{Key: "a", Sum: tree("0x1F")}, {Key: "b", Sum: tree("yes")}, {Key: "c", Sum: tree("")}, {Key: "d", Sum: tree("")},
		}},
		{"through aliases and merge keys", "x: &x {a: AgA, b: no}\n" + sealedSecret + "spec: &spec\n  template: &t {type: t}\n  encryptedData: {<<: *x, b: &b AgB, c: *b}\n", []hash.Value{
			{Key: "a", Sum: tree("AgA")}, {Key: "b", Sum: tree("AgB")}, {Key: "c", Sum: tree("AgB")}, {Key: "spec/template", Sum: tree("m1:4:types1:t"), Always: true},
		}},
		{"nothing", sealedSecret, nil},
		{"null", sealedSecret + "spec: {encryptedData: null, template: ~}", nil},
		{"spec null", sealedSecret + "spec:", nil},
		{"an ExternalSecret's spec", externalSecret + "spec: {data: [{secretKey: a, remoteRef: {key: b}}]}", []hash.Value{
			{Key: "spec", Sum: tree("m1:4:datal1:m2:9:remoteRefm1:3:keys1:b9:secretKeys1:a"), Always: true},
		}},
		{"the inner spec of a ClusterExternalSecret", clusterSecret + "spec: {externalSecretName: x, externalSecretSpec: {refreshInterval: 1h}}", []hash.Value{
			{Key: "spec/externalSecretSpec", Sum: tree("m1:15:refreshIntervals2:1h"), Always: true},
		}},
		{"a SecretProviderClass's spec", providerClass + "spec: {provider: vault}", []hash.Value{{Key: "spec", Sum: tree("m1:8:providers5:vault"), Always: true}}},
	} {
		t.Run(tc.label, func(t *testing.T) {
			r := only(t, tc.manifest)
			if r.ValuesErr != nil {
				t.Fatal(r.ValuesErr)
			}
			if !r.StandsFor {
				t.Error("it does not stand for a Secret")
			}
			if diff := cmp.Diff(tc.want, r.Values); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBuild_reportsWhatCannotRepresentASecret(t *testing.T) {
	for _, tc := range []struct{ label, manifest, want string }{
		{"a list of ciphertexts", sealedSecret + "spec: {encryptedData: [hunter2]}", "spec.encryptedData: it must be a mapping of keys to strings"},
		{"one ciphertext", sealedSecret + "spec: {encryptedData: hunter2}", "spec.encryptedData: it must be a mapping of keys to strings"},
		{"a ciphertext in a list", sealedSecret + "spec: {encryptedData: {a: [hunter2]}}", `spec.encryptedData: the value of "a" is not a string; quote it, or write it as a block`},
		{"a key twice", sealedSecret + "spec: {encryptedData: {a: hunter2, a: hunter3}}", `spec.encryptedData: the key "a" appears twice; keep one`},
		{"a key twice in what counts as a whole", externalSecret + "spec: {data: [{a: hunter2, a: hunter3}]}", `spec: the key "a" appears twice; keep one`},
		{"a key that is not a string", sealedSecret + "spec:\n  template:\n    ? [a]\n    : hunter2\n", "spec.template: a key is not a string"},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if err := only(t, tc.manifest).ValuesErr; err == nil || err.Error() != tc.want {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

func TestBuild_readsAnnotationsThatTheSecretGets(t *testing.T) {
	annotations := "{metadata: {annotations: {a: b, c: 1}}}"
	want := map[string]string{"a": "b", "c": "1"}
	for _, tc := range []struct {
		label, manifest string
		want            map[string]string
	}{
		{"of a SealedSecret", sealedSecret + "spec: {template: " + annotations + "}", want},
		{"of an ExternalSecret", externalSecret + "spec: {target: {template: " + annotations + "}}", want},
		{"of a ClusterExternalSecret", clusterSecret + "spec: {externalSecretSpec: {target: {template: " + annotations + "}}}", want},
		{"not of a SecretProviderClass", providerClass + "spec: {template: " + annotations + "}", nil},
		{"none", sealedSecret + "spec: {}", nil},
		{"not a mapping", sealedSecret + "spec: {template: {metadata: {annotations: [a]}}}", nil},
		{"the path ends early", sealedSecret + "spec: {template: text}", nil},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, only(t, tc.manifest).SecretAnnotations); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Unless values are asked for, they are not computed, and errors in them are not reported.
func TestBuild_readsValuesOnDemand(t *testing.T) {
	for _, manifest := range []string{
		sealedSecret + "spec: {encryptedData: {a: AgA}}",
		sealedSecret + "spec: {encryptedData: [a]}",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}",
	} {
		r := build(t, manifest).Resources[0]
		if r.Values != nil || r.ValuesErr != nil {
			t.Errorf("%v (%v) of\n%s", r.Values, r.ValuesErr, manifest)
		}
	}
	if r := only(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}"); len(r.Values) != 1 || r.Suffix != "" {
		t.Errorf("%d values and the suffix %q", len(r.Values), r.Suffix)
	}
}

// producers returns what creates the Secret that a Deployment names.
func producers(g *Graph, name string) []string {
	referrer := &Resource{Kind: "Deployment"}
	var all []string
	for _, makers := range g.Edge(referrer, &reference.Reference{Name: name, Targets: catalog.Secret}).Makers {
		for _, maker := range makers.Resources {
			all = append(all, maker.String())
		}
	}
	return all
}

func TestEdge_findsMakersByTheSecretsName(t *testing.T) {
	const earlier = ", annotations: {internal.config.kubernetes.io/previousNames: db, internal.config.kubernetes.io/previousNamespaces: default, internal.config.kubernetes.io/previousKinds: SealedSecret}"
	for _, tc := range []struct {
		label, manifests, name string
		want                   []string
	}{
		{"named like the SealedSecret", sealedSecret, "db", []string{"SealedSecret db"}},
		{"named by its template", sealedSecret + "spec: {template: {metadata: {name: other}}}", "other", []string{"SealedSecret db"}},
		{"named by the target", externalSecret + "spec: {target: {name: other}}", "other", []string{"ExternalSecret db"}},
		{"and then not named like the ExternalSecret", externalSecret + "spec: {target: {name: other}}", "db", nil},
		{"named like the ExternalSecret without a target name", externalSecret + "spec: {target: {}}", "db", []string{"ExternalSecret db"}},
		{"made by the CSI driver", providerClass + "spec: {secretObjects: [{secretName: one}, {secretName: two}]}", "two", []string{"SecretProviderClass db"}},
		{"and not named like the class", providerClass + "spec: {secretObjects: [{secretName: one}]}", "db", nil},
		{"made in every namespace", clusterSecret + "spec: {externalSecretSpec: {target: {name: other}}}", "other", []string{"ClusterExternalSecret db"}},
		{"named as before a prefix was added", strings.Replace(sealedSecret, "name: db", "name: dev-db"+earlier, 1), "db", []string{"SealedSecret dev-db"}},
		{"none in another namespace", strings.Replace(sealedSecret, "name: db", "name: db, namespace: other", 1), "db", nil},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, producers(build(t, tc.manifests), tc.name)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
