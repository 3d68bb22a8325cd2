package graph

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/reference"
)

// An object counts as created even if only layers with other prefixes create it, so that it is not reported as missing.
func TestEdge_findsMakersOfOtherLayers(t *testing.T) {
	sealed := func(prefix string) string {
		return "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: " + prefix + "db, annotations: {" +
			"internal.config.kubernetes.io/previousNames: db, internal.config.kubernetes.io/previousNamespaces: default, " +
			"internal.config.kubernetes.io/previousKinds: SealedSecret, internal.config.kubernetes.io/prefixes: " + prefix + "}}\n---\n"
	}
	g := build(t, sealed("a-")+sealed("b-"))
	referrer := &Resource{Kind: "Deployment", History: kustomize.History{Prefixes: []string{"c-"}}}
	e := g.Edge(referrer, &reference.Reference{Name: "db", Targets: catalog.Secret})
	if !e.Made() || len(e.Makers[0].Resources) != 2 {
		t.Errorf("made by %+v, want both SealedSecrets", e.Makers)
	}
}

// A SealedSecret is visited again for other keys.
func TestIngredients_haveTheKeysOfEachReference(t *testing.T) {
	const sealed = "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: app}\nspec: {encryptedData: {a: A, b: B}}\n---\n"
	external := func(name, from string) string {
		return "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: " + name + "}\nspec: {target: {name: " + name + ", template: {templateFrom: [" + from + "]}}}\n---\n"
	}
	const a, b, none = "{secret: {name: app, items: [{key: a}]}}", "{secret: {name: app, items: [{key: b}]}}", "{configMap: {name: none}}"
	for _, tc := range []struct {
		label, manifests string
		want             []string
	}{
		{"of the same object", external("web", a+", "+b) + sealed, []string{"app a", "app b"}},
		{"of another one, on the way", external("web", "{secret: {name: mid, items: [{key: x}]}}, "+b) + external("mid", a) + sealed, []string{"mid x", "app a", "app b"}},
		{"of objects that make each other", external("web", "{secret: {name: mid, items: [{key: x}]}}") + external("mid", "{secret: {name: web, items: [{key: y}]}}, "+a) + sealed, []string{"mid x", "app a"}},
		{"of one without keys, once", external("web", "{secret: {name: mid, items: [{key: x}]}}, {secret: {name: mid, items: [{key: y}]}}") + external("mid", none), []string{"mid x"}},
		{"of one that is not there", external("web", none) + sealed, nil},
	} {
		t.Run(tc.label, func(t *testing.T) {
			g := build(t, tc.manifests)
			var visited []string
			g.Ingredients(g.Resources[0], &Resource{Kind: "Deployment"}, func(ref *reference.Reference, m Meaning) (into, more bool) {
				visited = append(visited, m.Objects[0].Name+" "+strings.Join(ref.Keys, ","))
				return true, true
			})
			if diff := cmp.Diff(tc.want, visited); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// An object that was in the workload's namespace earlier in the build is not read from there by a controller.
func TestIngredients_areInTheNamespaceOfTheWorkload(t *testing.T) {
	const class = "apiVersion: external-secrets.io/v1\nkind: ClusterExternalSecret\nmetadata: {name: db}\n" +
		"spec: {externalSecretSpec: {target: {template: {templateFrom: [{configMap: {name: tpl, items: [{key: k}]}}]}}}}\n---\n"
	for _, tc := range []struct {
		label, object string
		want          int
	}{
		{"an object that is there", configMap("prod", "tpl", ""), 1},
		{"an object that is elsewhere", configMap("dev", "tpl", ""), 0},
		{"an object that was there", configMap("dev", "tpl", previous("tpl", "prod")), 0},
	} {
		t.Run(tc.label, func(t *testing.T) {
			g := build(t, class+tc.object)
			visited := 0
			g.Ingredients(g.Resources[0], &Resource{Kind: "Deployment", Namespace: "prod"}, func(*reference.Reference, Meaning) (into, more bool) {
				visited++
				return true, true
			})
			if visited != tc.want {
				t.Errorf("%d ingredients, want %d", visited, tc.want)
			}
		})
	}
}
