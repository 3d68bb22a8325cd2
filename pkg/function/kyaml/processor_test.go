package kyaml_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function/kyaml"
)

const appAndPod = `apiVersion: v1
kind: ConfigMap
metadata:
  name: app # kept
  annotations: {config.kubernetes.io/path: app.yaml, config.kubernetes.io/index: "1"}
data: {a: b}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: c, envFrom: [{configMapRef: {name: app}}]}]}}}
`

func nodes(t *testing.T, text string) []*yaml.RNode {
	t.Helper()
	n, err := kio.FromBytes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func text(t *testing.T, items []*yaml.RNode) string {
	t.Helper()
	s, err := kio.StringAll(items)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestProcess_changesTheNodesThatItIsGiven(t *testing.T) {
	items := nodes(t, appAndPod)
	app := items[0]
	name, err := app.Pipe(yaml.Get("metadata"), yaml.Get("name"))
	if err != nil {
		t.Fatal(err)
	}
	list := &framework.ResourceList{Items: items, Results: framework.Results{{Message: "an earlier one"}}}
	if err := (kyaml.Processor{Config: v1alpha1.New(v1alpha1.ModeRename, "")}).Process(list); err != nil {
		t.Fatal(err)
	}
	const want = "app-4h2mbtbbt6"
	if list.Items[0] != app || app.GetName() != want || name.YNode().Value != want {
		t.Errorf("it is called %q, and the node that was its name says %q", app.GetName(), name.YNode().Value)
	}
	if !strings.Contains(text(t, list.Items), "name: app-4h2mbtbbt6 # kept") {
		t.Errorf("the comment is gone:\n%s", text(t, list.Items))
	}
	if len(list.Results) != 1 || list.Results[0].Message != "an earlier one" {
		t.Errorf("results are %v", list.Results)
	}
}

func TestProcess_options(t *testing.T) {
	config := func(spec string) *yaml.RNode {
		return yaml.MustParse("apiVersion: confighash.dev/v1alpha1\nkind: ConfigHash\nspec: {" + spec + "}\n")
	}
	foreign := yaml.MustParse("apiVersion: example.com/v1\nkind: Own\nspec: {anything: true}\n")
	const podElsewhere = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: n}\nspec: {volumes: [{configMap: {name: app}}]}\n"
	for label, test := range map[string]struct {
		processor kyaml.Processor
		config    *yaml.RNode
		want      string // the name of the ConfigMap
		err       string
	}{
		"the functionConfig": {kyaml.Processor{}, config("mode: Rename"), "app-4h2mbtbbt6", ""},
		"Config instead":     {kyaml.Processor{Config: v1alpha1.New(v1alpha1.ModeRename, "")}, foreign, "app-4h2mbtbbt6", ""},
		"Salt":               {kyaml.Processor{Salt: "s"}, config("mode: Rename"), "app-99gfm427md", ""},
		"the config's salt":  {kyaml.Processor{Salt: "other"}, config("mode: Rename, salt: s"), "app-99gfm427md", ""},
		"Namespace": {
			kyaml.Processor{Namespace: "n", Config: v1alpha1.New(v1alpha1.ModeRename, "")},
			nil, "app-4h2mbtbbt6", "",
		},
		"another functionConfig": {kyaml.Processor{}, foreign, "app", `kind: "Own" is not known; known are ConfigHash (apiVersion confighash.dev/v1alpha1) and ConfigMap (apiVersion v1), the flat form`},
		"none at all": {
			kyaml.Processor{}, nil, "app",
			"functionConfig: is missing; the minimum:\n\napiVersion: confighash.dev/v1alpha1\nkind: ConfigHash\nmetadata:\n  name: roll-on-config-change\nspec:\n  mode: Rename # or Annotate",
		},
		"an impossible Config": {kyaml.Processor{Config: &v1alpha1.ConfigHash{}}, nil, "app", "spec.mode: is required: one of Rename, Annotate"},
	} {
		t.Run(label, func(t *testing.T) {
			input := appAndPod
			if test.processor.Namespace != "" { // the Pod finds it only there
				input = strings.Replace(appAndPod, "kind: Deployment", "kind: Stranger", 1) + podElsewhere
			}
			list := &framework.ResourceList{Items: nodes(t, input), FunctionConfig: test.config}
			said := ""
			if err := test.processor.Process(list); err != nil {
				said = err.Error()
				if len(list.Results) != 1 || list.Results[0].Message != said || list.Results[0].Severity != framework.Error {
					t.Errorf("results are %v", list.Results)
				}
			}
			if diff := cmp.Diff(test.err, said); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if got := list.Items[0].GetName(); got != test.want {
				t.Errorf("the ConfigMap is called %q, want %q", got, test.want)
			}
		})
	}
}

func TestProcess_repeatsResultsAsMessages(t *testing.T) {
	list := &framework.ResourceList{Items: nodes(t, appAndPod+
		"---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\n  annotations: {config.kubernetes.io/path: b.yaml, config.kubernetes.io/index: '2'}\n")}
	before := text(t, list.Items)
	if err := (kyaml.Processor{Config: v1alpha1.New(v1alpha1.ModeRename, "")}).Process(list); err == nil {
		t.Fatal("no error")
	}
	want := framework.Results{{
		Message: "the input holds ConfigMap default/app twice (items[0] and items[2]); keep one", Severity: framework.Error,
		ResourceRef: &yaml.ResourceIdentifier{TypeMeta: yaml.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, NameMeta: yaml.NameMeta{Name: "app"}},
		Field:       &framework.Field{Path: "metadata.name"},
		File:        &framework.File{Path: "b.yaml", Index: 2},
	}}
	if diff := cmp.Diff(want, list.Results); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, text(t, list.Items)); diff != "" {
		t.Errorf("items (-before +after):\n%s", diff)
	}
}

func TestProcess_reportsANilItem(t *testing.T) {
	for label, item := range map[string]*yaml.RNode{"nil": nil, "empty": yaml.NewRNode(nil)} {
		list := &framework.ResourceList{Items: []*yaml.RNode{item}}
		err := kyaml.Processor{Config: v1alpha1.New(v1alpha1.ModeRename, "")}.Process(list)
		if err == nil || !strings.HasPrefix(err.Error(), "items[0]: not a mapping") {
			t.Errorf("%s: got %v", label, err)
		}
	}
}
