package manifest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/internal/yamldoc"
)

// names parses data as the function does and returns the name of each item, or the error.
func names(data string) ([]string, *Input, error) {
	in, err := Split([]byte(data))
	if err != nil {
		return nil, nil, err
	}
	_, values, err := Parse(in, func(_ *Chunk, items []Item) ([]string, error) {
		var found []string
		for _, item := range items {
			name := "?"
			if m := yamldoc.Value(item.Node, "metadata"); m != nil {
				if n := yamldoc.Value(m, "name"); n != nil {
					name = n.Value
				}
			}
			found = append(found, name)
		}
		return found, nil
	})
	if err != nil {
		return nil, in, err
	}
	var all []string
	for _, v := range values {
		all = append(all, v...)
	}
	return all, in, nil
}

func write(t *testing.T, in *Input, results ...Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := in.Write(&b, nil, results); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"

func TestParse_findsItems(t *testing.T) {
	for _, tc := range []struct {
		label string
		in    string
		want  []string
		list  bool
	}{
		{"compact list", head + "items:\n- kind: A\n  metadata: {name: a}\n- kind: B\n  metadata:\n    name: b\n", []string{"a", "b"}, true},
		{"indented list", head + "items:\n  - kind: A\n    metadata: {name: a}\n  - metadata:\n      name: b\n", []string{"a", "b"}, true},
		{"dash on its own line", head + "items:\n-\n  kind: A\n  metadata: {name: a}\n- # here\n  metadata: {name: b}\n", []string{"a", "b"}, true},
		{"items before the rest", "items:\n- metadata: {name: a}\napiVersion: config.kubernetes.io/v1alpha1\nkind: ResourceList\nfunctionConfig:\n  data: {a: b}\n", []string{"a"}, true},
		{"no items", head + "functionConfig: {}\n", nil, true},
		{"empty items", head + "items: []\n", nil, true},
		{"null items", head + "items:\n", nil, true},
		{"flow items", head + "items: [{metadata: {name: a}}, {metadata: {name: b}}]\n", []string{"a", "b"}, true},
		{"JSON", `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[{"metadata":{"name":"a"}}]}`, []string{"a"}, true},
		{"CRLF", strings.ReplaceAll(head+"items:\n- metadata:\n    name: a\n- metadata: {name: b}\n", "\n", "\r\n"), []string{"a", "b"}, true},
		{"comments that end at other breaks", "# c\rmetadata: {name: a}\n--- # c\u2028metadata: {name: b}\n---\n%YAML 1.1\r---\rmetadata: {name: c}\n", []string{"a", "b", "c"}, false},
		{"byte order mark", "\ufeff" + head + "items:\n- metadata: {name: a}\n", []string{"a"}, true},
		{"leading marker", "---\n" + head + "items:\n- metadata: {name: a}\n", []string{"a"}, true},
		{"a dash at the items' column in a quoted scalar", head + "items:\n- metadata: {name: a}\n  x: \"one\n- two\n  three\"\n- metadata: {name: b}\n", []string{"a", "b"}, true},
		{"a dash in a block scalar", head + "items:\n- metadata: {name: a}\n  x: |\n   - kind: A\n\n     - b\n- metadata: {name: b}\n", []string{"a", "b"}, true},
		{"a dash in a plain scalar", head + "items:\n- metadata: {name: a}\n  x: one\n   - two\n- metadata: {name: b}\n", []string{"a", "b"}, true},
		{"a key at column 0 in a quoted scalar", head + "items:\n- metadata: {name: a}\n  x: 'one\nkind: two'\n- metadata: {name: b}\n", []string{"a", "b"}, true},
		{"anchors across items", head + "items:\n- metadata: &m {name: a}\n- metadata: *m\n", []string{"a", "a"}, true},
		{"an item that is an alias", head + "items:\n- &i {metadata: {name: a}}\n- *i\n", []string{"a", "a"}, true},
		{"a flow item over lines", head + "items:\n- {metadata: {\n  name: a},\nb: c}\n- metadata: {name: b}\n", []string{"a", "b"}, true},
		{"what looks like items in a quoted scalar", head + "x: \"\nitems:\n- metadata: {name: a}\ny: \"\n", nil, true},
		{"Unicode line breaks", head + "items:\n- metadata: {name: a}\n  x: \"\u2028- b\"\n", []string{"a"}, true},

		{"a List with its kind in quotes", "kind: \"List\" # of two\nitems:\n- metadata: {name: a}\n- metadata: {name: b}\n", []string{"a", "b"}, false},
		{"tags that a directive explains", "%TAG !e! tag:example.com,2026:\n---\nmetadata: {name: !e!x a}\n---\nmetadata: {name: b}\n", []string{"a", "b"}, false},
		{"an anchor on the marker's line", "--- &a\nmetadata: {name: a}\n--- !!map\nmetadata: {name: b}\n", []string{"a", "b"}, false},
		{"escapes that only JSON has", `{"metadata":{"name":"a\/b \ud83d\ude00 \\ud83d\\\/ \u00e9"}}`, []string{`a/b 😀 \ud83d\/ é`}, false},
		{"escapes that only JSON has, among comments", "# \\ud83d\n---\n# \\ud83d\n\n" + `{"metadata":{"name":"a\/\ud83d\ude00"}} # \ud83d` + "\n# \\ud83d", []string{"a/😀"}, false},
		{"stream", "kind: A\nmetadata: {name: a}\n---\nkind: B\nmetadata: {name: b}\n", []string{"a", "b"}, false},
		{"content on the marker's line", "--- {metadata: {name: a}}\n--- # comment\nmetadata: {name: b}\n...\n", []string{"a", "b"}, false},
		{"empty documents", "---\n---\n# only a comment\n---\nmetadata: {name: a}\n---\n", []string{"a"}, false},
		{"null document", "null\n---\nmetadata: {name: a}\n", []string{"a"}, false},
		{"directives", "%YAML 1.2\n---\nmetadata: {name: a}\n...\n%YAML 1.2\n---\nmetadata: {name: b}\n", []string{"a", "b"}, false},
		{"a marker in a block scalar", "metadata: {name: a}\nx: |\n  ---\n  kind: B\n---\nmetadata: {name: b}\n", []string{"a", "b"}, false},
		{"List", "apiVersion: v1\nkind: List\nitems:\n- metadata: {name: a}\n- metadata: {name: b}\n", []string{"a", "b"}, false},
		{"ConfigMapList in JSON", `{"kind":"ConfigMapList","items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}`, []string{"a", "b"}, false},
		{"List in a List", "kind: List\nitems:\n- kind: List\n  items:\n  - metadata: {name: a}\n- metadata: {name: b}\n", []string{"a", "b"}, false},
		{"concatenated JSON", "{\"metadata\":{\"name\":\"a\"}}\n{\"metadata\":{\"name\":\"b\"}} {\"metadata\":{\"name\":\"c\"}}\n", []string{"a", "b", "c"}, false},
		{"a ResourceList further down", "metadata: {name: a}\n---\n" + head + "metadata: {name: b}\n", []string{"a", "b"}, false},
		{"nothing", "", nil, false},
		{"white space", "\n  \n", nil, false},
	} {
		t.Run(tc.label, func(t *testing.T) {
			got, in, err := names(tc.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
			if in.IsResourceList != tc.list {
				t.Errorf("IsResourceList is %t", in.IsResourceList)
			}
		})
	}
}

func TestWrite_returnsTheInput(t *testing.T) {
	for _, text := range []string{
		head + "# about\nitems:   # the items\n  # first\n- kind: A   # a\n\n  metadata: {name: a}\n\n# second\n- kind: B\n  x: |+\n    text\n\n\nfunctionConfig:\n  kind: C\n# end",
		"---\r\nkind: A\r\n---\r\n\r\nkind: B\r\n",
		"\ufeffkind: A\n... # end\n--- # next\nkind: B",
		"{\"kind\": \"A\"}\n\t{\"kind\": \"B\"}",
		"kind: List\nitems:\n - kind: A\n # between\n\n - kind: B\nmetadata: {}\n",
		head + "items: [{kind: A}, &a {kind: B}, *a]",
		"kind: List\nitems:\n---\nkind: List\nitems: ~ # none\n---\nkind: List\nitems: []\n",
	} {
		_, in, err := names(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if diff := cmp.Diff(text, write(t, in)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestWrite_completesAResourceList(t *testing.T) {
	result := Result{Message: "m", Severity: Warning, ResourceRef: &ResourceRef{APIVersion: "v1", Kind: "Secret", Name: "s"}}
	const block = "results:\n- message: m\n  severity: warning\n  resourceRef:\n    apiVersion: v1\n    kind: Secret\n    name: s\n"
	const flow = `"results": [{"message":"m","severity":"warning","resourceRef":{"apiVersion":"v1","kind":"Secret","name":"s"}}]`
	for _, tc := range []struct{ label, in, none, one string }{
		{"no items", head, head + "items: []\n", head + "items: []\n" + block},
		{"neither items nor a newline at the end", head + "x: y", "items: []\n" + head + "x: y", block + "items: []\n" + head + "x: y"},
		{"no newline at the end", head + "items: []", head + "items: []", block + head + "items: []"},
		{
			"a block scalar without a newline at the end", head + "items:\n- kind: A\n  x: |\n    y", head + "items:\n- kind: A\n  x: |\n    y",
			block + head + "items:\n- kind: A\n  x: |\n    y",
		},
		{
			"quoted keys and former results", "\"apiVersion\": config.kubernetes.io/v1\n'kind': ResourceList\nitems:\n- kind: A\n'results': []\n# end\n",
			"\"apiVersion\": config.kubernetes.io/v1\n'kind': ResourceList\nitems:\n- kind: A\n# end\n",
			"\"apiVersion\": config.kubernetes.io/v1\n'kind': ResourceList\nitems:\n- kind: A\n# end\n" + block,
		},
		{
			"what looks like results in a quoted scalar", head + "items:\n- kind: A\n  spec: \"x\nresults: y\"\n- kind: B\n",
			head + "items:\n- kind: A\n  spec: \"x\nresults: y\"\n- kind: B\n", head + "items:\n- kind: A\n  spec: \"x\nresults: y\"\n- kind: B\n" + block,
		},
		{
			"indented", "  apiVersion: config.kubernetes.io/v1\n  kind: ResourceList\n  items:\n  - kind: A\n",
			"  apiVersion: config.kubernetes.io/v1\n  kind: ResourceList\n  items:\n  - kind: A\n",
			"  apiVersion: config.kubernetes.io/v1\n  kind: ResourceList\n  items:\n  - kind: A\n" + strings.ReplaceAll("  "+block[:len(block)-1], "\n", "\n  ") + "\n",
		},
		{
			"CRLF", strings.ReplaceAll(head+"items:\n- kind: A\n", "\n", "\r\n"),
			strings.ReplaceAll(head+"items:\n- kind: A\n", "\n", "\r\n"), strings.ReplaceAll(head+"items:\n- kind: A\n"+block, "\n", "\r\n"),
		},
		{
			"a comment after former results", head + "items: [] # none\nresults: []\n# bye\n",
			head + "items: [] # none\n# bye\n", head + "items: [] # none\n# bye\n" + block,
		},
		{"null items with a comment", head + "items: null # none\n", head + "items: [] # none\n", head + "items: [] # none\n" + block},
		{"items that are a comment", head + "items: # none\r\n", head + "items: [] # none\r\n", head + "items: [] # none\r\n" + block},
		{"null items", head + "items: ~\n", head + "items: []\n", head + "items: []\n" + block},
		{
			"former results in the middle", head + "results:\n- message: old\nitems:\n- kind: A\n",
			head + "items:\n- kind: A\n", head + "items:\n- kind: A\n" + block,
		},
		{
			"former results of an unsplittable list", head + "items:\n- &a {kind: A}\n- *a\nresults:\n- message: old\n",
			head + "items:\n- &a {kind: A}\n- *a\n", head + "items:\n- &a {kind: A}\n- *a\n" + block,
		},
		{
			"JSON", `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList"}` + "\n",
			`{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList", "items": []}` + "\n",
			`{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList", "items": [], ` + flow + "}\n",
		},
		{
			"a brace and a number sign in a string", `{"kind":"ResourceList","apiVersion":"config.kubernetes.io/v1","items":[{"a":"} #b"}]}`,
			`{"kind":"ResourceList","apiVersion":"config.kubernetes.io/v1","items":[{"a":"} #b"}]}`,
			`{"kind":"ResourceList","apiVersion":"config.kubernetes.io/v1","items":[{"a":"} #b"}], ` + flow + `}`,
		},
		{
			"former results after Unicode line breaks in JSON", "{\"kind\":\"ResourceList\",\"apiVersion\":\"config.kubernetes.io/v1\",\"items\":[{\"a\":\"b\u2028c\u0085d\"}],\"results\":[]}",
			"{\"kind\":\"ResourceList\",\"apiVersion\":\"config.kubernetes.io/v1\",\"items\":[{\"a\":\"b\u2028c\u0085d\"}]}",
			"{\"kind\":\"ResourceList\",\"apiVersion\":\"config.kubernetes.io/v1\",\"items\":[{\"a\":\"b\u2028c\u0085d\"}], " + flow + "}",
		},
		{"former results without a newline at the end", head + "items: []\nresults: []", head + "items: []\n", head + "items: []\n" + block},
		{
			"flow with a trailing comma", `{kind: ResourceList, apiVersion: config.kubernetes.io/v1, items: [],}`,
			`{kind: ResourceList, apiVersion: config.kubernetes.io/v1, items: [],}`,
			`{` + flow + `, kind: ResourceList, apiVersion: config.kubernetes.io/v1, items: [],}`,
		},
		{
			"former results in JSON", `{"kind":"ResourceList", "results" : [{"message":"é]}"}] ,"apiVersion":"config.kubernetes.io/v1","items":[]}`,
			`{"kind":"ResourceList" ,"apiVersion":"config.kubernetes.io/v1","items":[]}`,
			`{"kind":"ResourceList" ,"apiVersion":"config.kubernetes.io/v1","items":[], ` + flow + `}`,
		},
		{
			"former results first in JSON", `{"results":null,"kind":"ResourceList","apiVersion":"config.kubernetes.io/v1","items":[]}`,
			`{"kind":"ResourceList","apiVersion":"config.kubernetes.io/v1","items":[]}`,
			`{"kind":"ResourceList","apiVersion":"config.kubernetes.io/v1","items":[], ` + flow + `}`,
		},
		{
			"former results that are not JSON", "{kind: ResourceList, apiVersion: config.kubernetes.io/v1, items: [], results: [{message: old}]}\n",
			"{kind: ResourceList, apiVersion: config.kubernetes.io/v1, items: []}\n",
			"{kind: ResourceList, apiVersion: config.kubernetes.io/v1, items: [], results: [{message: m, severity: warning, resourceRef: {apiVersion: v1, kind: Secret, name: s}}]}\n",
		},
		{
			"a brace in a comment at the end", "{kind: ResourceList, apiVersion: config.kubernetes.io/v1, items: []} # }\n",
			"{kind: ResourceList, apiVersion: config.kubernetes.io/v1, items: []} # }\n",
			"{" + flow + ", kind: ResourceList, apiVersion: config.kubernetes.io/v1, items: []} # }\n",
		},
	} {
		t.Run(tc.label, func(t *testing.T) {
			_, in, err := names(tc.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.none, write(t, in)); diff != "" {
				t.Errorf("without results (-want +got):\n%s", diff)
			}
			one := write(t, in, result)
			if diff := cmp.Diff(tc.one, one); diff != "" {
				t.Errorf("with a result (-want +got):\n%s", diff)
			}
			if _, in, err = names(one); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.one, write(t, in, result)); diff != "" {
				t.Errorf("once more (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParse_errors(t *testing.T) {
	for _, tc := range []struct{ label, in, want string }{
		{"UTF-16", "\xff\xfek\x00", "the input is encoded as UTF-16; manifests must be UTF-8"},
		{"not UTF-8", "a: b\nc: \xff\n", "line 2: a byte is not UTF-8; manifests must be UTF-8"},
		{"version", "apiVersion: config.kubernetes.io/v9\nkind: ResourceList\n", `line 1: the ResourceList has apiVersion "config.kubernetes.io/v9"; config.kubernetes.io/v1 and config.kubernetes.io/v1alpha1 are known`},
		{"two documents", head + "---\nkind: A\n", "line 4: a document follows the ResourceList; a ResourceList must be the only document of its input"},
		{"items a mapping", head + "items: {a: b}\n", "line 3: items of the ResourceList is a mapping; it must be a sequence of resources"},
		{"items twice", head + "items: []\nitems: []\n", `line 4: the ResourceList has the key "items" twice; keep one`},
		{"item a scalar", head + "items:\n- kind: A\n- text\n", "line 5: found a scalar; every item must be a Kubernetes resource: a mapping with apiVersion and kind"},
		{"empty item", head + "items:\n- kind: A\n-\n- kind: B\n", "line 5: found null; every item must be a Kubernetes resource: a mapping with apiVersion and kind"},
		{"document a list", "- kind: A\n", "line 1: found a sequence; every item must be a Kubernetes resource: a mapping with apiVersion and kind"},
		{"a mapping on the marker's line", "--- kind: A\nmetadata: {name: a}\n", "line 1: not valid YAML: mapping values are not allowed in this context"},
		{"a control character", "kind: A\nx: y\nz: \x00\n", "line 3: not valid YAML: control characters are not allowed"},
		{"Lists of aliases", "x0: &x0 {kind: A}\nx1: &x1 {kind: List, items: [" + strings.Repeat("*x0,", 200) + "]}\nx2: &x2 {kind: List, items: [" +
			strings.Repeat("*x1,", 200) + "]}\nkind: List\nitems: [*x2]\n", "line 2: aliases expand to more than the 10000 items that are followed"},
		{"what a command said", "kind: A\n---\n\nError: chart: no such file\n\nUsage: helm\n", `line 4: this is a message of another command: "Error: chart: no such file"; correct what it names, and keep stderr out of the pipe`},
		{"what a command said at length", "WARNING: " + strings.Repeat("é: ", 100), `line 1: this is a message of another command: "WARNING: ` + strings.Repeat("é: ", 63) + `é:…"; correct what it names, and keep stderr out of the pipe`},
		{"a list of what commands said", head + "items:\n- \"Error: a\n", "line 4: not valid YAML: found unexpected end of stream"},
		{"tab", "kind: A\n---\nmetadata:\n\tname: a\n", "line 4: not valid YAML: found character that cannot start any token; indent with spaces, not tabs, and quote a value that begins with @"},
		{"open quote", head + "items:\n- kind: \"A\n", "line 4: not valid YAML: found unexpected end of stream"},
		{"something after a document's end", "kind: A\n... b\n", "line 2: not valid YAML: did not find expected <document start>"},
		{"something after empty items", head + "items: []\n a\n", "line 4: not valid YAML: did not find expected key"},
		{"a flow mapping without end", "a: b\nc:\n  d: {e: f\n", "line 3: not valid YAML: did not find expected ',' or '}'"},
		{"a flow mapping without end on the first line", "a: {b: c\nd: e\nf: g\n", "line 2: not valid YAML: did not find expected ',' or '}'"},
		{"unknown anchor", head + "items:\n- kind: A\n- *x\n", "line 5: not valid YAML: an alias names an anchor that is not there; quote a value that begins with *"},
		{"a marker after a line separator", "a: b\u2028---\nc: d\n", "line 2: not valid YAML: a second document begins here, after a carriage return or a Unicode line break; use plain line breaks"},
		{"Lists without end", strings.Repeat("{kind: List, items: [", 20) + strings.Repeat("]}", 20), "line 1: Lists are nested more than 16 deep"},
	} {
		t.Run(tc.label, func(t *testing.T) {
			_, _, err := names(tc.in)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(tc.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
