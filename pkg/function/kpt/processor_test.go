package kpt_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kptdev/krm-functions-sdk/go/fn"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function/kpt"
)

// list returns the example's input as the SDK's type.
func list(t *testing.T) *fn.ResourceList {
	t.Helper()
	l, err := fn.ParseResourceList([]byte(input))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func toRename() kpt.Processor { return kpt.Processor{Config: v1alpha1.New(v1alpha1.ModeRename, "")} }

func TestProcess_changesTheObjectsThatItIsGiven(t *testing.T) {
	l := list(t)
	app := l.Items[1]
	metadata := app.GetMap("metadata")
	l.Results.Infof("an earlier one")
	if ok, err := toRename().Process(l); !ok || err != nil {
		t.Fatal(ok, err)
	}
	const want = "web-settings-hf678c7m2b"
	if l.Items[1] != app || app.GetName() != want || metadata.GetString("name") != want {
		t.Errorf("it is called %q, and its metadata from before says %q", app.GetName(), metadata.GetString("name"))
	}
	if len(l.Results) != 1 {
		t.Errorf("results are %v", l.Results)
	}
}

func TestProcess_failsAsTheSDKExpects(t *testing.T) {
	l := list(t)
	twice := l.Items[1].Copy()
	if err := twice.SetAnnotation("internal.config.kubernetes.io/path", "b.yaml"); err != nil {
		t.Fatal(err)
	}
	if err := twice.SetAnnotation("internal.config.kubernetes.io/index", "2"); err != nil {
		t.Fatal(err)
	}
	l.Items = append(l.Items, twice)
	before := l.Items.String()
	if ok, err := toRename().Process(l); ok || err != nil {
		t.Error(ok, err)
	}
	want := fn.Results{{
		Message: "the input holds ConfigMap default/web-settings twice (items[1] and items[2]); keep one", Severity: fn.Error,
		ResourceRef: &fn.ResourceRef{APIVersion: "v1", Kind: "ConfigMap", Name: "web-settings"},
		Field:       &fn.Field{Path: "metadata.name"},
		File:        &fn.File{Path: "b.yaml", Index: 2},
	}}
	if diff := cmp.Diff(want, l.Results); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, l.Items.String()); diff != "" {
		t.Errorf("items (-before +after):\n%s", diff)
	}
}

func TestProcess_options(t *testing.T) {
	salted, namespaced := toRename(), toRename()
	salted.Salt, namespaced.Namespace = "s", "shop"
	for label, test := range map[string]struct {
		processor kpt.Processor
		config    string
		namespace string // of the Deployment
		want      string // the name of the ConfigMap
		problem   string
	}{
		"Config":                      {toRename(), "level: debug", "", "web-settings-hf678c7m2b", ""},
		"Salt":                        {salted, "level: debug", "", "web-settings-2bb8gk7ckd", ""},
		"Namespace":                   {namespaced, "level: debug", "shop", "web-settings-hf678c7m2b", ""},
		"no Namespace":                {toRename(), "level: debug", "shop", "web-settings", ""},
		"the functionConfig":          {kpt.Processor{}, "mode: Rename", "", "web-settings-hf678c7m2b", ""},
		"the functionConfig is wrong": {kpt.Processor{}, "mode: Replace", "", "web-settings", `data.mode: "Replace" is not one of Rename, Annotate`},
	} {
		t.Run(label, func(t *testing.T) {
			l, err := fn.ParseResourceList([]byte(strings.Replace(input, "level: debug", test.config, 1)))
			if err != nil {
				t.Fatal(err)
			}
			if test.namespace != "" {
				if err := l.Items[0].SetNamespace(test.namespace); err != nil {
					t.Fatal(err)
				}
			}
			ok, err := test.processor.Process(l)
			if ok != (test.problem == "") || err != nil {
				t.Error(ok, err)
			}
			if test.problem != "" && (len(l.Results) != 1 || l.Results[0].Message != test.problem) {
				t.Errorf("results are %v", l.Results)
			}
			if got := l.Items[1].GetName(); got != test.want {
				t.Errorf("the ConfigMap is called %q, want %q", got, test.want)
			}
		})
	}
}

func TestProcess_reportsAnEmptyItem(t *testing.T) {
	l := list(t)
	l.Items = append(l.Items, fn.NewEmptyKubeObject())
	if ok, err := toRename().Process(l); ok || err != nil || len(l.Results) != 1 || !strings.HasPrefix(l.Results[0].Message, "items[2]: not a mapping") {
		t.Errorf("%v, %v, results are %v", ok, err, l.Results)
	}
	if got := l.Items[0].GetName(); got != "web" {
		t.Errorf("the first item is called %q now", got)
	}
}

func TestProcess_ignoresAnEmptyFunctionConfig(t *testing.T) {
	for label, config := range map[string]*fn.KubeObject{"nil": nil, "empty": fn.NewEmptyKubeObject()} {
		l := list(t)
		l.FunctionConfig = config
		if ok, err := (kpt.Processor{}).Process(l); ok || err != nil || len(l.Results) != 1 || !strings.Contains(l.Results[0].Message, "is missing") {
			t.Errorf("%s: %v, %v, results are %v", label, ok, err, l.Results)
		}
	}
}
