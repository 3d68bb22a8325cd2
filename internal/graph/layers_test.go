package graph

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/test/support/property"
)

// TestLayers_narrow compares the index, and what it remembers of earlier referrers, with checking all candidates.
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
		g := New(nil, "")
		for _, referrer := range rapid.SliceOfN(resource, 1, 3).Draw(rt, "referrers") {
			fitting, strangers := all(candidates, referrer)
			gotFitting, gotStrangers := g.narrow(candidates, referrer, referrer.Name)
			if diff := cmp.Diff(fitting, gotFitting); diff != "" {
				rt.Errorf("fitting (-all +index):\n%s", diff)
			}
			if diff := cmp.Diff(strangers, gotStrangers); diff != "" {
				rt.Errorf("strangers (-all +index):\n%s", diff)
			}
		}
	})
}

// all narrows by checking all candidates.
func all(candidates []*Resource, referrer *Resource) (fitting, strangers []*Resource) {
	fitting = candidates
	for _, allowEmpty := range []bool{true, false} {
		fitting = slices.DeleteFunc(slices.Clone(fitting), func(c *Resource) bool {
			return !kustomize.SameAffixes(c.History, referrer.History, allowEmpty)
		})
		if len(fitting) <= 1 {
			break
		}
	}
	if len(fitting) > 0 {
		return fitting, nil
	}
	named := slices.DeleteFunc(slices.Clone(candidates), func(c *Resource) bool { return c.Name != referrer.Name })
	if len(named) == 1 {
		return named, nil
	}
	return nil, candidates
}

// TestGraph_narrow narrows twice; the second result comes from the cache.
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
	for range 2 {
		fitting, _ := g.narrow(candidates, referrer, "app")
		if len(fitting) != 1 || fitting[0].Name != "k-app" {
			t.Errorf("found %v, want k-app", fitting)
		}
	}
}
