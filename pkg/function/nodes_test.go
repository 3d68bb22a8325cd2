package function

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

func documents(t *testing.T, text string) []*yaml.Node {
	t.Helper()
	var nodes []*yaml.Node
	for document := range strings.SplitSeq(text, "---\n") {
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(document), &n); err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, &n)
	}
	return nodes
}

func written(t *testing.T, nodes []*yaml.Node) string {
	t.Helper()
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	for _, n := range nodes {
		if err := encoder.Encode(n); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// appAndPod are a ConfigMap and its consumer, in many styles.
const appAndPod = `# of the first
apiVersion: v1
kind: ConfigMap
metadata: # kpt-merge: /app
  name: 'app' # name
  labels: {a: "b"}
data:
  a: |
    literal
  b: 0x1F
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  # the containers
  containers:
  - name: c
    envFrom:
    - configMapRef:
        name: app # here
  volumes: [{name: v, configMap: {name: "app"}}]
`

func TestNodes_changesWhatProcessChanges(t *testing.T) {
	for label, test := range map[string]struct {
		mode      v1alpha1.Mode
		manifests string
	}{
		"renamed": {v1alpha1.ModeRename, appAndPod},
		"a template": {v1alpha1.ModeAnnotate, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\ndata: {a: b}\n---\n" +
			"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\nspec:\n  template:\n    spec: # s\n      containers:\n      - envFrom: # e\n        - configMapRef: {name: app}\n"},
		"two entries of one": {v1alpha1.ModeRename, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata: {a: b}\n---\n" +
			"apiVersion: v1\nkind: Secret\nmetadata: {name: app}\ndata: {a: Yg==}\n---\n" +
			"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{envFrom: [{configMapRef: {name: app}}, {secretRef: {name: app}}]}]}\n---\n" +
			"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\nrules:\n- apiGroups: [\"\"]\n  resources: [configmaps, secrets]\n" +
			"  resourceNames:\n  - first # 1\n  # before\n  - app\n  - \"last\" # 3\n"},
		"a comment that moves": {v1alpha1.ModeAnnotate, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata: {a: b}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n" +
			"spec:\n  template:\n    metadata:\n      annotations: null # later\n    spec: {containers: [{envFrom: [{configMapRef: {name: app}}]}]}\n"},
		"a key twice": {v1alpha1.ModeRename, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata: {a: b}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n" +
			"spec: {template: {metadata: {annotations: {a: b, a: c}}, spec: {containers: [{envFrom: [{configMapRef: {name: app}}]}]}}}\n"},
		"an anchor": {v1alpha1.ModeRename, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata: {a: b}\n---\n" +
			"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: a\n    envFrom: &e\n    - configMapRef: {name: app}\n  - name: b\n    envFrom: *e\n"},
		"a List": {v1alpha1.ModeRename, "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: app}\n  data: {a: b}\n" +
			"- {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {volumes: [{configMap: {name: app}}]}}\n"},
	} {
		t.Run(label, func(t *testing.T) {
			o := Options{Config: v1alpha1.New(test.mode, "")}
			o.Config.Spec.Report = v1alpha1.ReportFull
			nodes := documents(t, test.manifests)
			got, err := Nodes(nodes, nil, o)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			want, err := Process([]byte(test.manifests), &b, o)
			if err != nil {
				t.Fatal(err)
			}
			if b.String() == test.manifests {
				t.Fatal("nothing is to change")
			}
			if diff := cmp.Diff(written(t, documents(t, b.String())), written(t, nodes)); diff != "" {
				t.Errorf("(-Process +Nodes):\n%s", diff)
			}
			want.Summary = "" // without a stream, nobody gets a summary
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("output (-Process +Nodes):\n%s", diff)
			}
		})
	}
}

// nodesOf returns n and all nodes in it.
func nodesOf(n *yaml.Node) []*yaml.Node {
	nodes := []*yaml.Node{n}
	for _, child := range n.Content {
		nodes = append(nodes, nodesOf(child)...)
	}
	return nodes
}

func TestNodes_keepsTheNodesThatStay(t *testing.T) {
	nodes := documents(t, appAndPod)
	var before []*yaml.Node
	for _, n := range nodes {
		before = append(before, nodesOf(n)...)
	}
	if _, err := Nodes(nodes, nil, toRename()); err != nil {
		t.Fatal(err)
	}
	after := map[*yaml.Node]bool{}
	for _, n := range nodes {
		for _, n := range nodesOf(n) {
			after[n] = true
		}
	}
	for _, n := range before {
		if !after[n] {
			t.Errorf("the node of %q in line %d is gone", n.Value, n.Line)
		}
	}
	// Only the annotation of the hash is new: a key, a mapping, and its entry.
	if added := len(after) - len(before); added != 4 {
		t.Errorf("%d nodes are new", added)
	}
}

func TestNodes_resolvesAliasesOfOtherItems(t *testing.T) {
	const list = "- apiVersion: v1\n  kind: ConfigMap\n  metadata: &m {name: app, namespace: n}\n  data: {a: b}\n" +
		"- apiVersion: v1\n  kind: Secret\n  metadata: *m # same\n  stringData: {a: b}\n" +
		"- apiVersion: v1\n  kind: Pod\n  metadata: {name: p, namespace: n}\n  spec: {volumes: [{configMap: {name: app}}, {secret: {secretName: app}}]}\n"
	var all yaml.Node
	if err := yaml.Unmarshal([]byte(list), &all); err != nil {
		t.Fatal(err)
	}
	nodes := all.Content[0].Content
	if _, err := Nodes(nodes, nil, toRename()); err != nil {
		t.Fatal(err)
	}
	const want = `apiVersion: v1
kind: ConfigMap
metadata: {name: app-4h2mbtbbt6, annotations: {confighash.dev/hash: 4h2mbtbbt6}, namespace: n}
data: {a: b}
---
apiVersion: v1
kind: Secret
metadata: {name: app-86kg747449, annotations: {confighash.dev/hash: 86kg747449}, namespace: n} # same
stringData: {a: b}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: n}
spec: {volumes: [{configMap: {name: app-4h2mbtbbt6}}, {secret: {secretName: app-86kg747449}}]}
`
	if diff := cmp.Diff(want, written(t, nodes)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNodes_reportsErrors(t *testing.T) {
	scalar := func(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }
	loop := documents(t, "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {}\n")[0]
	outside := &yaml.Node{Kind: yaml.MappingNode}
	outside.Content = []*yaml.Node{scalar("a"), {Kind: yaml.AliasNode, Alias: outside, Value: "o"}}
	loop.Content[0].Content[7] = &yaml.Node{Kind: yaml.AliasNode, Alias: outside, Value: "o"}
	good := documents(t, "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n")[0]
	for label, test := range map[string]struct {
		items []*yaml.Node
		o     Options
		want  string
	}{
		"nil":                     {[]*yaml.Node{good, nil}, toRename(), "items[1]: not a mapping; every item must be a Kubernetes resource: a mapping with apiVersion and kind"},
		"an empty document":       {[]*yaml.Node{{Kind: yaml.DocumentNode}}, toRename(), "items[0]: not a mapping; every item must be a Kubernetes resource: a mapping with apiVersion and kind"},
		"a scalar":                {[]*yaml.Node{scalar("hunter2")}, toRename(), "items[0]: not a mapping; every item must be a Kubernetes resource: a mapping with apiVersion and kind"},
		"no kind":                 {append(documents(t, "apiVersion: v1\n"), good), toRename(), "items[0]: kind is missing; every item must be a Kubernetes resource with apiVersion and kind"},
		"a key twice":             {append([]*yaml.Node{good}, documents(t, "apiVersion: v1\nkind: Pod\nkind: Job\n")...), toRename(), `items[1]: Job without a name (items[1]): the key "kind" appears twice; keep one`},
		"an impossible namespace": {[]*yaml.Node{good}, Options{Config: toRename().Config, Namespace: "a b"}, "the option Namespace: \"a b\" is not a namespace: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"},
		"an impossible config":    {[]*yaml.Node{good}, Options{Config: &v1alpha1.ConfigHash{}}, "spec.mode: is required: one of Rename, Annotate"},
		"no functionConfig":       {[]*yaml.Node{good}, Options{}, "functionConfig: is missing; the minimum:\n\napiVersion: confighash.dev/v1alpha1\nkind: ConfigHash\nmetadata:\n  name: roll-on-config-change\nspec:\n  mode: Rename # or Annotate"},
		"aliases go in a ring":    {[]*yaml.Node{good, loop}, toRename(), "items[1]: the value of an anchor contains itself"},
		"what YAML cannot say":    {[]*yaml.Node{{Kind: yaml.MappingNode, Content: []*yaml.Node{scalar("a"), {Kind: 99}}}}, toRename(), "items[0]: cannot be written as YAML: yaml: cannot encode node with unknown kind 99"},
	} {
		t.Run(label, func(t *testing.T) {
			out, err := Nodes(test.items, nil, test.o)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(out.Results) != 1 || out.Results[0].Severity != SeverityError || out.Results[0].Message != test.want {
				t.Errorf("results are %v", out.Results)
			}
		})
	}
}

func TestNodes_boundsAliases(t *testing.T) {
	var all yaml.Node
	list := "- apiVersion: v1\n  kind: Pod\n  metadata: {name: p}\n  a: &a [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n"
	for i := 'b'; i < 'j'; i++ {
		list += "  " + string(i) + ": &" + string(i) + " [" + strings.Repeat("*"+string(i-1)+", ", 10) + "]\n"
	}
	list += "- {apiVersion: v1, kind: Pod, metadata: {name: q}, spec: *i}\n"
	if err := yaml.Unmarshal([]byte(list), &all); err != nil {
		t.Fatal(err)
	}
	_, err := Nodes(all.Content[0].Content, nil, toRename())
	if want := "items[1]: aliases expand to more than 200000 nodes; write the values out, or use fewer aliases"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestNodes_changesNothingOnFailure(t *testing.T) {
	const manifests = appAndPod + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad}\ndata: [a]\n---\n" +
		"apiVersion: v1\nkind: Pod\nmetadata: {name: q}\nspec: {volumes: [{configMap: {name: bad}}]}\n"
	nodes := documents(t, manifests)
	before := written(t, nodes)
	if _, err := Nodes(nodes, nil, toRename()); err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(before, written(t, nodes)); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

func TestNodes_readsTheFunctionConfigUnlessOptionsGiveOne(t *testing.T) {
	const annotate = "apiVersion: confighash.dev/v1alpha1\nkind: ConfigHash\nspec: {mode: Annotate}\n"
	nodes := documents(t, appAndPod)
	if _, err := Nodes(nodes, documents(t, annotate)[0], Options{}); err != nil || strings.Contains(written(t, nodes), "app-") {
		t.Errorf("error %v, renamed under Annotate:\n%s", err, written(t, nodes))
	}
	const own = "apiVersion: example.com/v1\nkind: Own\n"
	if _, err := Nodes(nodes, documents(t, own)[0], toRename()); err != nil || !strings.Contains(written(t, nodes), "app-") {
		t.Errorf("error %v, not renamed:\n%s", err, written(t, nodes))
	}
}

func TestNodes_refusesNilNodes(t *testing.T) {
	item := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: "kind"}, nil}}
	_, err := Nodes([]*yaml.Node{item}, nil, toRename())
	if want := "items[0]: a node in it is nil; leave it out, or give it a value"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestNodes_cannotAddObjects(t *testing.T) {
	config := v1alpha1.New(v1alpha1.ModeRename, v1alpha1.PolicyAll)
	config.Spec.Rename.Granularity = v1alpha1.GranularityKey
	_, err := Nodes(nil, nil, Options{Config: config})
	if err == nil || !strings.Contains(err.Error(), "granularity: Key is for Process") {
		t.Errorf("the error is %v", err)
	}
}
