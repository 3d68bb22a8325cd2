package policy

import (
	"testing"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/internal/graph"
	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

func newPolicy(t *testing.T, spec v1alpha1.Spec) *Policy {
	t.Helper()
	p, err := New(graph.New(nil, "default"), catalog.Builtin(), &spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func selector(name, namespace string) v1alpha1.Selector {
	return v1alpha1.Selector{Name: name, Namespace: namespace}
}

// object returns a ConfigMap that kustomize and an earlier run have renamed.
func object(annotations map[string]string) *graph.Resource {
	return &graph.Resource{
		APIVersion: "v1", Version: "v1", Kind: "ConfigMap", Object: graph.Object{Target: catalog.ConfigMap, Base: "dev-app"},
		Name: "dev-app-4h2mbtbbt6", Namespace: "prod",
		Labels: map[string]string{"team": "a"}, Annotations: annotations,
		History: kustomize.History{Previous: []kustomize.Identity{{Kind: "ConfigMap", Namespace: "default", Name: "app"}}},
	}
}

func TestChosen(t *testing.T) {
	all := v1alpha1.Spec{Policy: v1alpha1.PolicyAll}
	optIn := v1alpha1.Spec{Policy: v1alpha1.PolicyOptIn}
	with := func(include, exclude []v1alpha1.Selector) v1alpha1.Spec {
		return v1alpha1.Spec{Policy: v1alpha1.PolicyAll, Include: include, Exclude: exclude}
	}
	for _, tc := range []struct {
		label       string
		spec        v1alpha1.Spec
		annotations map[string]string
		asked       bool
		want        bool
	}{
		{"All takes everything", all, nil, false, true},
		{"ignore", all, map[string]string{v1alpha1.AnnotationIgnore: "true"}, false, false},
		{"ignore must say true", all, map[string]string{v1alpha1.AnnotationIgnore: "false"}, false, true},
		{"OptIn takes nothing by itself", optIn, nil, false, false},
		{"OptIn by the object", optIn, map[string]string{v1alpha1.AnnotationRoll: "true"}, false, true},
		{"OptIn by kustomize's annotation", optIn, map[string]string{kustomize.NeedsHash: "true"}, false, true},
		{"OptIn by a referrer", optIn, nil, true, true},
		{"ignore wins over opting in", optIn, map[string]string{v1alpha1.AnnotationIgnore: "true", v1alpha1.AnnotationRoll: "true"}, false, false},
		{"included by the present name", with([]v1alpha1.Selector{selector("dev-app-.*", "prod")}, nil), nil, false, true},
		{"included by the base name", with([]v1alpha1.Selector{selector("dev-app", "prod")}, nil), nil, false, true},
		{"included by an earlier identity", with([]v1alpha1.Selector{selector("app", "default")}, nil), nil, false, true},
		{"name and namespace of one identity", with([]v1alpha1.Selector{selector("app", "prod")}, nil), nil, false, false},
		{"expressions are anchored", with([]v1alpha1.Selector{selector("ap", "")}, nil), nil, false, false},
		{"one selector of several", with([]v1alpha1.Selector{selector("x", ""), {LabelSelector: "team in (a,b)"}}, nil), nil, false, true},
		{"all parts of a selector", with([]v1alpha1.Selector{{Name: "dev-app", LabelSelector: "team=b"}}, nil), nil, false, false},
		{"by kind", with([]v1alpha1.Selector{{Kind: "Secret"}}, nil), nil, false, false},
		{"excluded", with(nil, []v1alpha1.Selector{{AnnotationSelector: "keep"}}), map[string]string{"keep": ""}, false, false},
		{"excluded wins over included", with([]v1alpha1.Selector{selector(".*", "")}, []v1alpha1.Selector{selector("dev-app", "")}), nil, false, false},
	} {
		t.Run(tc.label, func(t *testing.T) {
			refusal := newPolicy(t, tc.spec).Chosen(object(tc.annotations), tc.asked)
			if got := refusal == nil; got != tc.want {
				t.Errorf("chosen: %t (%v), want %t", got, refusal, tc.want)
			}
			if refusal != nil && refusal.Severity != manifest.Info {
				t.Errorf("what a user asks for is not a %s", refusal.Severity)
			}
		})
	}
}

func TestRenamable(t *testing.T) {
	p := newPolicy(t, v1alpha1.Spec{Policy: v1alpha1.PolicyAll})
	for _, tc := range []struct {
		label  string
		object graph.Resource
		want   manifest.Severity // "" for renamable
	}{
		{"a Secret", graph.Resource{Kind: "Secret", Object: graph.Object{Type: "Opaque"}}, ""},
		{"a service account's token", graph.Resource{Kind: "Secret", Object: graph.Object{Type: "kubernetes.io/service-account-token"}}, manifest.Info},
		{"a bootstrap token", graph.Resource{Kind: "Secret", Object: graph.Object{Type: "bootstrap.kubernetes.io/token"}}, manifest.Info},
		{"a Helm release", graph.Resource{Kind: "Secret", Object: graph.Object{Type: "helm.sh/release.v1"}}, manifest.Info},
		{"the cluster's certificate", graph.Resource{Kind: "ConfigMap", Object: graph.Object{Base: "kube-root-ca.crt"}}, manifest.Info},
		{"encrypted", graph.Resource{Kind: "Secret", Object: graph.Object{Encrypted: true}}, manifest.Warning},
	} {
		t.Run(tc.label, func(t *testing.T) {
			var got manifest.Severity
			if refusal := p.Renamable(&tc.object); refusal != nil {
				got = refusal.Severity
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
