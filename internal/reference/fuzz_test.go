package reference

import (
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/catalog"
)

// FuzzFind checks for any YAML: spans are within their scalars, paths can be split into steps, and the walk ends.
func FuzzFind(f *testing.F) {
	for _, seed := range []string{
		"spec: {template: {spec: {containers: [{envFrom: [{secretRef: {name: s}}]}]}}}",
		"spec: {tls: [{secretName: &a s}, {secretName: *a}]}",
		"spec: &s {volumes: [*s], <<: *s}",
		"spec: {<<: [{containers: &c [{env: *c}]}, {volumes: 1}]}",
		"metadata: {annotations: {config.kubernetes.io/depends-on: \"/namespaces/a/Secret/b,/\"}}",
		"metadata: {annotations: {config.kubernetes.io/apply-time-mutation: \"- sourceRef: {kind: Secret, name: 'é'}\"}}",
		"metadata: {annotations: {alb.ingress.kubernetes.io/auth-idp-oidc: '{\"secretName\":\"x\"}'}}",
		"metadata: {name: a}\nspec: {target: }",
		"rules: [{apiGroups: [''], resources: ['*'], resourceNames: [a, [b]]}]",
	} {
		f.Add(seed)
	}
	finder := NewFinder(catalog.Builtin())
	kinds := []gvk{
		{"", "v1", "Pod"},
		{"apps", "v1", "Deployment"},
		{"networking.k8s.io", "v1", "Ingress"},
		{"rbac.authorization.k8s.io", "v1", "Role"},
		{"external-secrets.io", "v1", "ClusterExternalSecret"},
		{"admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy"},
	}
	f.Fuzz(func(t *testing.T, text string) {
		var item yaml.Node
		if yaml.Unmarshal([]byte(text), &item) != nil {
			return
		}
		for _, k := range kinds {
			found, err := finder.Find(k.group, k.version, k.kind, &item)
			if err != nil {
				continue
			}
			for _, r := range found.References {
				if r.At.Value[r.Start:r.End] != r.Name || r.Name == "" {
					t.Errorf("%s: %q stands where the name %q should", r.At.Path, r.At.Value[r.Start:r.End], r.Name)
				}
				if at := r.NamespaceAt; at != nil && at.Value[r.NamespaceStart:r.NamespaceEnd] != r.Namespace {
					t.Errorf("%s: the namespace %q does not stand there", at.Path, r.Namespace)
				}
				if _, err := r.At.Path.Steps(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
