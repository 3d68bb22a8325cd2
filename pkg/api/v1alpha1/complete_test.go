package v1alpha1

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	random "github.com/confighash/confighash/test/support/property"
)

func TestComplete_returnsWhatIsComplete(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		want := configs().Draw(t, "config")
		got, err := want.Complete()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestComplete_fillsInDefaults(t *testing.T) {
	for label, test := range map[string]struct{ given, want *ConfigHash }{
		"New":      {New(ModeAnnotate, ""), New(ModeAnnotate, PolicyAll)},
		"a struct": {&ConfigHash{Spec: Spec{Mode: ModeRename}}, New(ModeRename, PolicyAll)},
	} {
		got, err := test.given.Complete()
		if err != nil {
			t.Fatalf("%s: %v", label, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", label, diff)
		}
	}
}

func TestComplete_changesNothingGiven(t *testing.T) {
	given := &ConfigHash{Spec: Spec{Mode: ModeRename, References: []Reference{{Kind: TargetSecret, FieldSpecs: []FieldSpec{{Path: "spec/secret"}}}}}}
	completed, err := given.Complete()
	if err != nil {
		t.Fatal(err)
	}
	completed.Spec.References[0].FieldSpecs[0].Path = "spec/other"
	if given.APIVersion != "" || given.Spec.Policy != "" || given.Spec.References[0].FieldSpecs[0].Path != "spec/secret" {
		t.Errorf("it is %+v", given)
	}
}

func TestComplete_reportsErrors(t *testing.T) {
	for label, test := range map[string]struct {
		spec Spec
		want string
	}{
		"no mode":           {Spec{}, "spec.mode: is required: one of Rename, Annotate"},
		"an unknown mode":   {Spec{Mode: "Replace"}, `spec.mode: "Replace" is not one of Rename, Annotate`},
		"an empty selector": {Spec{Mode: ModeRename, Include: []Selector{{}}}, "spec.include[0]: an empty selector would match everything; give at least one of its fields"},
		"no prefix":         {Spec{Mode: ModeAnnotate, Annotate: Annotate{Key: "sum", Scope: ScopeSource}}, `spec.annotate.key: "sum" has no prefix; with the scope Source the annotations are called PREFIX/kind.name, so give the key one: example.com/sum`},
		"an unknown keys' key": {Spec{Mode: ModeAnnotate, Reloader: Reloader{AnnotationKeys: map[string]string{"reloader.stakater.com/search": "a b"}}},
			`spec.reloader.annotationKeys["reloader.stakater.com/search"]: "a b" is not ` + annotationRule},
	} {
		_, err := (&ConfigHash{Spec: test.spec}).Complete()
		if err == nil {
			t.Errorf("%s: no error", label)
			continue
		}
		if diff := cmp.Diff(test.want, err.Error()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", label, diff)
		}
	}
}
