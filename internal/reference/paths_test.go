package reference

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/confighash/confighash/internal/catalog"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/test/support/property"
)

// TestParsePath_readsWhatTheFunctionConfigAccepts checks that no path passes the check of the functionConfig, only to
// fail in a run.
func TestParsePath_readsWhatTheFunctionConfigAccepts(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune(`//\[]].*ab`)))
	accepted := 0
	property.Check(t, func(rt *rapid.T) {
		path := text.Draw(rt, "path")
		config := v1alpha1.New(v1alpha1.ModeRename, v1alpha1.PolicyAll)
		config.Spec.References = []v1alpha1.Reference{{Kind: "ConfigMap", FieldSpecs: []v1alpha1.FieldSpec{{Kind: "Foo", Path: path}}}}
		config.Spec.PodTemplates = []v1alpha1.PodTemplate{{Kind: "Foo", Path: path}}
		if _, err := config.Complete(); err != nil {
			return
		}
		accepted++
		if read, err := catalog.ParsePath(path); err != nil || len(read) == 0 {
			rt.Errorf("%q reads as %q, %v", path, read, err)
		}
		if _, err := catalog.ParsePath(path + "/spec"); err != nil {
			rt.Errorf("the pod spec below %q: %v", path, err)
		}
	})
	if accepted == 0 {
		t.Error("no path was accepted")
	}
}
