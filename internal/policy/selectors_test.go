package policy

import (
	"testing"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

func TestMatcher_anchorsExpressions(t *testing.T) {
	for _, test := range []struct {
		expr, s string
		want    bool
	}{
		{"", "app", true},
		{"", "", true},
		{"app", "app", true},
		{"app", "my-app", false},
		{"app", "app2", false},
		{"app|web", "web", true},
		{"app|web", "web2", false},
		{"app.*", "app2", true},
		{"(?i)APP", "app", true},
		{"^app$", "app", true},
	} {
		var s v1alpha1.Selector
		s.Group, s.Version, s.Kind, s.Name, s.Namespace = test.expr, test.expr, test.expr, test.expr, test.expr
		c := newMatcher(s)
		for part, got := range map[string]bool{
			"group, version and kind": c.matchGVK(test.s, test.s, test.s),
			"name":                    c.name.Match(test.s, nil),
			"namespace":               c.namespace.Match(test.s, nil),
		} {
			if got != test.want {
				t.Errorf("%s: %q matches %q: %t, want %t", part, test.expr, test.s, got, test.want)
			}
		}
	}
}

func TestMatcher_requiresGroupVersionAndKind(t *testing.T) {
	var s v1alpha1.Selector
	s.Kind, s.Version = "Secret", "v1"
	c := newMatcher(s)
	for gvk, want := range map[[3]string]bool{
		{"", "v1", "Secret"}:    true,
		{"any", "v1", "Secret"}: true,
		{"", "v2", "Secret"}:    false,
		{"", "v1", "ConfigMap"}: false,
	} {
		if got := c.matchGVK(gvk[0], gvk[1], gvk[2]); got != want {
			t.Errorf("%q: %t, want %t", gvk, got, want)
		}
	}
}

func TestMatcher_matchesLabelsAndAnnotationsAlike(t *testing.T) {
	for _, test := range []struct {
		label, selector string
		of              map[string]string
		want            bool
	}{
		{"empty means any", "", nil, true},
		{"equal", "a=b", map[string]string{"a": "b"}, true},
		{"not equal", "a=b", map[string]string{"a": "c"}, false},
		{"absent", "a=b", nil, false},
		{"not, absent", "a!=b", nil, true},
		{"exists", "a", map[string]string{"a": ""}, true},
		{"does not exist", "!a", map[string]string{"a": ""}, false},
		{"in a set", "a in (b, c)", map[string]string{"a": "c"}, true},
		{"both", "a,b=c", map[string]string{"a": "", "b": "c"}, true},
		{"one of both", "a,b=c", map[string]string{"b": "c"}, false},
	} {
		c := newMatcher(v1alpha1.Selector{LabelSelector: test.selector, AnnotationSelector: test.selector})
		if got := c.labels.Matches(labels.Set(test.of)); got != test.want {
			t.Errorf("labels: %s: %t, want %t", test.label, got, test.want)
		}
		if got := c.annotations.Matches(labels.Set(test.of)); got != test.want {
			t.Errorf("annotations: %s: %t, want %t", test.label, got, test.want)
		}
	}
}
