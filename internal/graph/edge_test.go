package graph

import (
	"testing"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/reference"
)

// An object that only layers with other prefixes make counts as made, so that nobody reports
// it as missing.
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

// What a controller reads in the workload's namespace is not an object that was there
// earlier in the build.
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
