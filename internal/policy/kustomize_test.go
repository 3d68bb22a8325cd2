package policy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"

	"github.com/confighash/confighash/internal/test/property"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
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

// A pair is a random expression and a text to match, which it does more often than
// two independent draws would.
type pair struct{ expr, text string }

func pairs() *rapid.Generator[pair] {
	whole := []string{"", "", "app", "ConfigMap|Secret", "v1", ".*", "[a-z]+-[0-9]", "(?i)APP", "^app$", "a|b|", `\Qa.b\E`, `\Qa`, `a|\Qb`, "(?m)^a$", "(?s).+", "a{2}", `\bapp`, "ä+"}
	pieces := []string{"a", "b", "|", ".", "*", "+", "?", "(", ")", "(?:", "(?i)", "(?m)", "[ab]", "[^a]", "[", "]", "{1,2}", "{1001}", "^", "$", `\A`, `\z`, `\Q`, `\E`, `\`, `\b`, `\n`, " ", "\n", "ä", "\xff", `\p{Lu}`, `\C`}
	texts := []string{"", "a", "A", "b", "ab", "aa", "app", "app2", "my-app", "a-1", "Secret", "ConfigMap", "v1", "a.b", "axb", "\n", "a\nb", "ab\n", "ä", "\xff", "(", "|", "^a$", "a)|(b"}
	return rapid.Custom(func(t *rapid.T) pair {
		var p pair
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			p.expr = rapid.SampledFrom(whole).Draw(t, "expression")
		case 1:
			p.expr = rapid.SampledFrom(texts).Draw(t, "expression")
		default:
			p.expr = strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 6).Draw(t, "pieces"), "")
		}
		p.text = rapid.OneOf(
			rapid.SampledFrom(texts),
			rapid.Just(p.expr),
			rapid.Map(rapid.SliceOfN(rapid.SampledFrom(texts), 2, 2), func(s []string) string { return strings.Join(s, "") }),
		).Draw(t, "text")
		return p
	})
}

// outcome is what a selector matches, or why it is invalid.
type outcome struct {
	err                  string
	gvk, name, namespace bool
}

// TestMatcher_matchesAsKustomizeDoes draws valid and invalid selectors and objects, and
// compares with kustomize. It counts the outcomes: each kind must occur.
func TestMatcher_matchesAsKustomizeDoes(t *testing.T) {
	var refused, matched, missed int
	property.Check(t, func(t *rapid.T) {
		// Five random expressions together are rarely a valid selector that matches
		// something: a part may be left out.
		part := func(label string) pair {
			if rapid.IntRange(0, 2).Draw(t, label+" given") > 0 {
				return pair{text: rapid.SampledFrom([]string{"", "app"}).Draw(t, label)}
			}
			return pairs().Draw(t, label)
		}
		group, version, kind, name, namespace := part("group"), part("version"), part("kind"), part("name"), part("namespace")
		s := v1alpha1.Selector{
			Group:     group.expr,
			Version:   version.expr,
			Kind:      kind.expr,
			Name:      name.expr,
			Namespace: namespace.expr,
		}

		var want, got outcome
		if theirs, err := types.NewSelectorRegex(kustomizeSelector(s)); err != nil {
			refused++
			want.err = "selector: " + err.Error()
		} else {
			want.gvk = theirs.MatchGvk(resid.Gvk{Group: group.text, Version: version.text, Kind: kind.text})
			want.name = theirs.MatchName(name.text)
			want.namespace = theirs.MatchNamespace(namespace.text)
			if want.gvk && want.name && want.namespace {
				matched++
			} else {
				missed++
			}
		}
		if ours, err := newMatcher(s); err != nil {
			got.err = err.Error()
		} else {
			got.gvk = ours.matchGVK(group.text, version.text, kind.text)
			got.name = ours.name.Match(name.text, nil)
			got.namespace = ours.namespace.Match(namespace.text, nil)
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
