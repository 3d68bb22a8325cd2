package graph

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/test/support/property"
)

// TestLayers_narrow compares the index with a look at all candidates.
func TestLayers_narrow(t *testing.T) {
	affixes := rapid.SliceOfN(rapid.SampledFrom([]string{"a-", "b-", "", "dev-"}), 0, 3)
	resource := rapid.Custom(func(rt *rapid.T) *Resource {
		return &Resource{
			Name:    rapid.SampledFrom([]string{"app", "a-app", "b-app"}).Draw(rt, "name"),
			History: kustomize.History{Prefixes: affixes.Draw(rt, "prefixes"), Suffixes: affixes.Draw(rt, "suffixes")},
		}
	})
	property.Check(t, func(rt *rapid.T) {
		candidates := rapid.SliceOfN(resource, 2, 8).Draw(rt, "candidates")
		for i, c := range candidates {
			c.Line = i
		}
		referrer := resource.Draw(rt, "referrer")
		fitting, strangers := newNarrowing().narrow(candidates, referrer, referrer.Name)
		l := newNarrowing()
		l.indices[&candidates[0]] = newLayers(candidates)
		gotFitting, gotStrangers := l.narrow(candidates, referrer, referrer.Name)
		if diff := cmp.Diff(fitting, gotFitting); diff != "" {
			rt.Errorf("fitting (-all +index):\n%s", diff)
		}
		if diff := cmp.Diff(strangers, gotStrangers); diff != "" {
			rt.Errorf("strangers (-all +index):\n%s", diff)
		}
	})
}

// TestGraph_narrow looks among so many candidates that they get an index.
func TestGraph_narrow(t *testing.T) {
	var all []*Resource
	for _, prefix := range "abcdefghijklmnopqrst" {
		name := string(prefix) + "-app"
		all = append(all, &Resource{Kind: "ConfigMap", Object: Object{Target: 1}, Name: name, History: kustomize.History{
			Prefixes: []string{string(prefix) + "-"}, Previous: []kustomize.Identity{{Kind: "ConfigMap", Namespace: "default", Name: "app"}},
		}})
	}
	g := New(all, "default")
	referrer := &Resource{Kind: "Deployment", Name: "k-web", History: kustomize.History{Prefixes: []string{"k-"}}}
	candidates := g.byName[key{1, present, "default", "app"}]
	if len(candidates) < manyCandidates {
		t.Fatalf("%d candidates are too few for an index", len(candidates))
	}
	for range 2 { // the second time by the index that is there
		fitting, _ := g.narrowing.narrow(candidates, referrer, "app")
		if len(fitting) != 1 || fitting[0].Name != "k-app" {
			t.Errorf("found %v, want k-app", fitting)
		}
	}
}
