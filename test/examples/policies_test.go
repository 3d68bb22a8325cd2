//go:build !windows

package examples_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/test/support/harness"
)

// policies is the folder of the admission policies.
var policies = filepath.Join("..", "..", "examples", "policies")

// make e2e-cluster tests Kubernetes' policy on a control plane. Here, the rules of the policy and its binding are
// compared with Kyverno's.
func TestPolicies_kyvernoJudgesAsKubernetesDoes(t *testing.T) {
	type spec map[string]any
	specs := func(name string) (all []spec) {
		for document := range bytes.SplitSeq(harness.ReadFile(t, filepath.Join(policies, name)), []byte("\n---\n")) {
			var object struct{ Spec spec }
			if err := yaml.Unmarshal(document, &object); err != nil {
				t.Fatal(err)
			}
			all = append(all, object.Spec)
		}
		return all
	}
	kubernetes, kyverno := specs("restart-on-change.yaml"), specs("restart-on-change-kyverno.yaml")
	if len(kubernetes) != 2 || len(kyverno) != 1 {
		t.Fatalf("%d and %d objects, want a policy with its binding, and a policy", len(kubernetes), len(kyverno))
	}
	want, binding := kubernetes[0], kubernetes[1]
	want["validationActions"] = binding["validationActions"]
	where, _ := want["matchConstraints"].(spec)
	bound, _ := binding["matchResources"].(spec)
	where["namespaceSelector"] = bound["namespaceSelector"]
	if diff := cmp.Diff(want, kyverno[0]); diff != "" {
		t.Errorf("(-Kubernetes +Kyverno):\n%s", diff)
	}
}
