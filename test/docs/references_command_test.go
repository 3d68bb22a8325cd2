package docs_test

import (
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"

	"github.com/google/go-cmp/cmp"
)

func TestReferences_listsEveryKind(t *testing.T) {
	out, err := harness.Run(nil, harness.Binary, "references")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range [][]string{
		{"GROUP", "KIND", "FIELDS", "POD", "TEMPLATES"},
		{"core", "ServiceAccount", "2"},
		{"*.crossplane.io", "ClusterProviderConfig", "1"},
		{"apps", "Deployment", "45", "spec/template/spec:", "rollout"},
		{"cert-manager.io", "Certificate", "3"},
	} {
		if !hasLine(string(out), want) {
			t.Errorf("no line of %q in\n%.2000s", want, out)
		}
	}
}

// hasLine reports whether a line of text has exactly these fields.
func hasLine(text string, fields []string) bool {
	for line := range strings.Lines(text) {
		if cmp.Equal(strings.Fields(line), fields) {
			return true
		}
	}
	return false
}

func TestReferences_showsTheFieldsOfAKind(t *testing.T) {
	for _, tc := range []struct {
		label string
		args  []string
		want  []string
		not   []string
	}{
		{
			"a kind of one group, in any case", []string{"certificate"},
			[]string{
				"Certificate.cert-manager.io\n",
				`spec/secretName                               Secret  a controller writes the object, so its name stays`,
				`spec/keystores/jks/passwordSecretRef/name     Secret  key in "key"`,
			}, nil,
		},
		{
			"a kind of several groups", []string{"Gateway"},
			[]string{"Gateway.gateway.networking.k8s.io\n", "Gateway.networking.istio.io\n", `and the same name with -cacert`}, nil,
		},
		{"a kind of a group", []string{"Gateway.networking.istio.io"}, []string{"Gateway.networking.istio.io\n"}, []string{"gateway.networking.k8s.io"}},
		{"a kind of the core group", []string{"Service.core"}, []string{"Service\n"}, []string{"knative"}},
		{
			"a kind of groups that end alike", []string{"Instance.rds.aws.upbound.io"},
			[]string{"Instance.rds.aws.upbound.io\n", `spec/forProvider/**/*SecretRef/name   Secret  namespace in "namespace"; key in "key"`}, nil,
		},
		{
			"pod templates", []string{"ScaledJob", "RayCluster"},
			[]string{
				"pod template spec/jobTargetRef/template/spec: destructive, running work is killed\n    or futurePods: with the rollout strategy gradual running Jobs stay\n",
				"\n\nRayCluster.ray.io\n",
			}, nil,
		},
		{
			"whole objects", []string{"TriggerTemplate", "ManifestWork"},
			[]string{"whole objects in spec/resourcetemplates, followed like any other", "whole objects in spec/workload/manifests, made elsewhere and not followed"}, nil,
		},
		{"what stands for a Secret", []string{"SealedSecret"}, []string{"represents the Secret that a controller makes of it"}, nil},
		{"a kind that cannot change", []string{"Pod"}, []string{"the spec of a Pod cannot change", "kustomize follows it"}, nil},
		{
			"conditions and formats", []string{"Ingress.networking.k8s.io"},
			[]string{
				`only if "/metadata/annotations/cert-manager.io\/issuer" is present or `, `written as "[{namespace}/]{name}"`,
				"what it contains as YAML or JSON", "\n    secretName ",
			}, nil,
		},
	} {
		t.Run(tc.label, func(t *testing.T) {
			out, err := harness.Run(nil, harness.Binary, append([]string{"references"}, tc.args...)...)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tc.want {
				if !strings.Contains(string(out), want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			for _, not := range tc.not {
				if strings.Contains(string(out), not) {
					t.Errorf("%q is in\n%s", not, out)
				}
			}
		})
	}
}

func TestReferences_reportsUnknownKinds(t *testing.T) {
	for _, tc := range []struct {
		label string
		args  []string
		want  string
	}{
		{"an unknown kind", []string{"references", "Deploymnet"}, "the kind Deploymnet is not known"},
		{"an unknown group", []string{"references", "Deployment.example.com"}, "the kind Deployment.example.com is not known"},
	} {
		out, err := harness.Run(nil, harness.Binary, tc.args...)
		if err == nil || !strings.Contains(err.Error(), tc.want) || len(out) > 0 {
			t.Errorf("%s: error %v, output %q; want an error with %q", tc.label, err, out, tc.want)
		}
	}
}
