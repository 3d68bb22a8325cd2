package policy

import (
	stdcmp "cmp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/property"
)

func kustomizeSelector(s v1alpha1.Selector) *types.Selector {
	return &types.Selector{
		ResId: resid.ResId{
			Gvk:       resid.Gvk{Group: s.Group, Version: s.Version, Kind: s.Kind},
			Name:      s.Name,
			Namespace: s.Namespace,
		},
		LabelSelector:      s.LabelSelector,
		AnnotationSelector: s.AnnotationSelector,
	}
}

// outcome is the result of matching with a selector, or why it is invalid.
type outcome struct {
	err                  string
	gvk, name, namespace bool
}

// TestMatcher_matchesAsKustomizeDoes compares random valid and invalid selectors and objects with kustomize. It counts
// the outcomes: each kind must occur.
func TestMatcher_matchesAsKustomizeDoes(t *testing.T) {
	var refused, matched, missed int
	property.Check(t, func(t *rapid.T) {
		// Five random expressions together rarely match anything, so parts may be left out.
		part := func(label string) gen.Pair {
			if rapid.IntRange(0, 2).Draw(t, label+" given") > 0 {
				return gen.Pair{Text: rapid.SampledFrom([]string{"", "app"}).Draw(t, label)}
			}
			return gen.Pairs().Draw(t, label)
		}
		group, version, kind, name, namespace := part("group"), part("version"), part("kind"), part("name"), part("namespace")
		s := v1alpha1.Selector{
			Group:     group.Expr,
			Version:   version.Expr,
			Kind:      kind.Expr,
			Name:      name.Expr,
			Namespace: namespace.Expr,
		}

		var want, got outcome
		if theirs, err := types.NewSelectorRegex(kustomizeSelector(s)); err != nil {
			refused++
			want.err = err.Error()
		} else {
			want.gvk = theirs.MatchGvk(resid.Gvk{Group: group.Text, Version: version.Text, Kind: kind.Text})
			want.name = theirs.MatchName(name.Text)
			want.namespace = theirs.MatchNamespace(namespace.Text)
			if want.gvk && want.name && want.namespace {
				matched++
			} else {
				missed++
			}
		}
		ours := newMatcher(s)
		if err := errorOf(ours); err != nil {
			got.err = err.Error()
		} else {
			got.gvk = ours.matchGVK(group.Text, version.Text, kind.Text)
			got.name = ours.name.Match(name.Text, nil)
			got.namespace = ours.namespace.Match(namespace.Text, nil)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(outcome{})); diff != "" {
			t.Fatalf("%+v (-kustomize +here):\n%s", s, diff)
		}
	})
	t.Logf("%d selectors were refused, %d matched, %d did not", refused, matched, missed)
	if refused == 0 || matched == 0 || missed == 0 {
		t.Error("want some of each")
	}
}

// errorOf returns why an expression of m does not compile.
func errorOf(m *matcher) error {
	return stdcmp.Or(m.group.Err, m.version.Err, m.kind.Err, m.name.Err, m.namespace.Err)
}
