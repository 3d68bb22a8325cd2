package edit_test

import (
	"strings"
	"testing"

	"github.com/confighash/confighash/internal/yamldoc"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/edit"
)

// A plan is an edit whose scalar has not been located in the text yet.
type plan func(t testing.TB, item *yaml.Node) edit.Edit

// scalarAt finds the scalar at path, following aliases and merge keys.
func scalarAt(t testing.TB, item *yaml.Node, path yamldoc.Path) edit.Scalar {
	t.Helper()
	steps, err := path.Steps()
	if err != nil {
		t.Fatal(err)
	}
	node, shared := item, false
	for _, step := range steps {
		shared = shared || node.Kind == yaml.AliasNode || node.Anchor != ""
		if node.Kind == yaml.AliasNode {
			node = node.Alias
		}
		var child *yaml.Node
		if step.Index >= 0 {
			child = node.Content[step.Index]
		} else {
			var merged bool
			child, merged = valueOf(node, step.Key)
			shared = shared || merged
		}
		if child == nil {
			t.Fatalf("%s: nothing there", path)
		}
		node = child
	}
	if node.Kind == yaml.AliasNode {
		node, shared = node.Alias, true
	}
	return edit.ScalarAt(path, node, shared)
}

func valueOf(mapping *yaml.Node, key string) (value *yaml.Node, merged bool) {
	for i := 0; i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1], false
		}
	}
	for i := 0; i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value != "<<" {
			continue
		}
		sources := []*yaml.Node{mapping.Content[i+1]}
		if sources[0].Kind == yaml.SequenceNode {
			sources = sources[0].Content
		}
		for _, source := range sources {
			if source.Kind == yaml.AliasNode {
				source = source.Alias
			}
			if value, _ := valueOf(source, key); value != nil {
				return value, true
			}
		}
	}
	return nil, false
}

func set(path yamldoc.Path, value string) plan {
	return func(t testing.TB, item *yaml.Node) edit.Edit {
		return edit.SetScalar{At: scalarAt(t, item, path), Value: value}
	}
}

func split(path yamldoc.Path, values ...string) plan {
	return func(t testing.TB, item *yaml.Node) edit.Edit {
		return edit.SetScalar{At: scalarAt(t, item, path), Value: values[0], More: values[1:]}
	}
}

func entry(parent yamldoc.Path, key, value string) plan {
	return func(testing.TB, *yaml.Node) edit.Edit {
		return edit.SetEntry{Parent: parent, Key: key, Value: value, After: "name"}
	}
}

func flag(parent yamldoc.Path, key, value, after string) plan {
	return func(testing.TB, *yaml.Node) edit.Edit {
		return edit.SetEntry{Parent: parent, Key: key, Value: value, Bool: true, After: after}
	}
}

func remove(parent yamldoc.Path, key string) plan {
	return func(testing.TB, *yaml.Node) edit.Edit { return edit.RemoveEntry{Parent: parent, Key: key} }
}

// itemsOf makes the items of a text from plans by root.
func itemsOf(t testing.TB, text string, plans map[yamldoc.Path][]plan) []edit.Item {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	var items []edit.Item
	for root, plans := range plans {
		item := doc.Content[0]
		steps, err := root.Steps()
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range steps {
			if step.Index >= 0 {
				item = item.Content[step.Index]
			} else {
				item, _ = valueOf(item, step.Key)
			}
			if item.Kind == yaml.AliasNode {
				item = item.Alias
			}
		}
		made := edit.Item{Root: root}
		for _, plan := range plans {
			made.Edits = append(made.Edits, plan(t, item))
		}
		items = append(items, made)
	}
	return items
}

type way int

const (
	inBytes way = iota
	onNodes
)

type row struct {
	label string
	way   way
	root  yamldoc.Path
	edits []plan
	in    string
	want  string
}

func TestApply_givesTheTextAsIfEditedByHand(t *testing.T) {
	seen := make(map[string]bool)
	for _, rows := range [][]row{scalarRows, splitRows, entryRows, removeRows, nodeRows} {
		for _, row := range rows {
			if seen[row.label] {
				t.Fatalf("two rows are labelled %q", row.label)
			}
			seen[row.label] = true
			t.Run(row.label, func(t *testing.T) { checkRow(t, row) })
		}
	}
}

func checkRow(t *testing.T, row row) {
	items := itemsOf(t, row.in, map[yamldoc.Path][]plan{row.root: row.edits})
	got, err := edit.Apply([]byte(row.in), items)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(row.want, string(got)); diff != "" {
		t.Errorf("Apply (-want +got):\n%s", diff)
	}
	_, ok, err := edit.Splice([]byte(row.in), items)
	if err != nil {
		t.Fatal(err)
	}
	if ok != (row.way == inBytes) {
		t.Errorf("Splice reports %v", ok)
	}
	// The other way leads to the same document.
	other, err := edit.OnNodes([]byte(row.in), items)
	if err != nil {
		t.Fatal(err)
	}
	if diff := diffPlain(plainDocument(t, got), plainDocument(t, other)); diff != "" {
		t.Errorf("OnNodes differs from Apply (-Apply +OnNodes):\n%s\nOnNodes gave:\n%s", diff, other)
	}
	for _, e := range items[0].Edits {
		if e, ok := e.(edit.SetScalar); ok && len(e.More) > 0 {
			return // its element was removed
		}
	}
	again, err := edit.Apply(got, itemsOf(t, string(got), map[yamldoc.Path][]plan{row.root: row.edits}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), string(again)); diff != "" {
		t.Errorf("a second time (-once +twice):\n%s", diff)
	}
}

var scalarRows = []row{{
	label: "plain",
	edits: []plan{set("metadata.name", "app-1")},
	in:    "metadata:\n  name: app # the name\n",
	want:  "metadata:\n  name: app-1 # the name\n",
}, {
	label: "in a list, with indentation",
	root:  "[0]",
	edits: []plan{set("metadata.name", "app-1"), set("kind", "Secret")},
	in:    "  - kind: ConfigMap\n    metadata:\n      name: app",
	want:  "  - kind: Secret\n    metadata:\n      name: app-1",
}, {
	label: "quotes stay",
	edits: []plan{set("a", "x's"), set("b", `x"\y`), set("c", "d")},
	in:    "a: 'it''s'\nb: \"it\\x41\"\nc: \"\" # c\n",
	want:  "a: 'x''s'\nb: \"x\\\"\\\\y\"\nc: \"d\" # c\n",
}, {
	label: "what single quotes cannot hold",
	edits: []plan{set("a", "x\ty\u0085\u2028\x7f\r\nz\ufeff")},
	in:    "a: 'b'\n",
	want:  "a: \"x\\ty\\u0085\\u2028\\u007f\\r\\nz\\ufeff\"\n",
}, {
	label: "a string stays a string",
	edits: []plan{
		set("[0]", "1e-45678"), set("[1]", "yes"), set("[2]", "0x1F"), set("[3]", "1:20"), set("[4]", "~"), set("[5]", "null"),
		set("[6]", ""), set("[7]", "-"), set("[8]", "a: b"), set("[9]", "a #b"), set("[10]", "a#b:c"), set("[11]", "2001-01-02"),
		set("[12]", "1_000"), set("[13]", "<<"), set("[14]", "="), set("[15]", "010"), set("[16]", ".5"), set("[17]", "5-app"), set("[18]", " a"),
		set("[19]", "1e3"), set("[20]", "é"), set("[21]", "[a"), set("[22]", "No"), set("[23]", "a:"),
	},
	in: strings.Repeat("- a\n", 24),
	want: "- \"1e-45678\"\n- \"yes\"\n- \"0x1F\"\n- \"1:20\"\n- \"~\"\n- \"null\"\n- \"\"\n- \"-\"\n- \"a: b\"\n- \"a #b\"\n- a#b:c\n- \"2001-01-02\"\n" +
		"- \"1_000\"\n- \"<<\"\n- \"=\"\n- \"010\"\n- \".5\"\n- 5-app\n- \" a\"\n- \"1e3\"\n- é\n- \"[a\"\n- \"No\"\n- \"a:\"\n",
}, {
	label: "a number becomes a string",
	edits: []plan{set("a", "12"), set("b", "yes")},
	in:    "a: 12\nb: yes\n",
	want:  "a: \"12\"\nb: yes\n",
}, {
	label: "in flow, and a comma outside",
	edits: []plan{set("a[0]", "x"), set("a[1]", "y,z"), set("b.c", "v"), set("b.d", "w"), set("e", "v1/ConfigMap/a-1,v1/Secret/b-1")},
	in:    "a: [ app,web ]\nb: {c: app, \"d\":app}\ne: v1/ConfigMap/a,v1/Secret/b\n",
	want:  "a: [ x,\"y,z\" ]\nb: {c: v, \"d\":w}\ne: v1/ConfigMap/a-1,v1/Secret/b-1\n",
}, {
	label: "JSON",
	edits: []plan{set("metadata.name", "a\"b"), set("kind", "X")},
	in:    "{\n\t\"kind\": \"A\",\n\t\"metadata\":{\"name\":\"app\"}}",
	want:  "{\n\t\"kind\": \"X\",\n\t\"metadata\":{\"name\":\"a\\\"b\"}}",
}, {
	label: "all line breaks, a byte order mark, characters of several bytes",
	edits: []plan{set("a", "1st"), set("b", "2nd"), set("ü€𝄞", "3rd"), set("d", "4th")},
	in:    "\ufeffa: x\r\nb: x\rü€𝄞: x # \u0085# \u2028d: x",
	want:  "\ufeffa: 1st\r\nb: 2nd\rü€𝄞: 3rd # \u0085# \u2028d: 4th",
}, {
	label: "over two lines",
	way:   onNodes,
	edits: []plan{set("a", "new")},
	in:    "# about a\na: one\n  two\nb: 1 # one\n\n# end\n",
	want:  "# about a\na: new\nb: 1 # one\n\n# end\n",
}, {
	label: "literal",
	way:   onNodes,
	root:  "[0]",
	edits: []plan{set("a", "new\nlines\n")},
	in:    "    - a: |\n        one\n        two\n      b:\n      - c\n",
	want:  "    - a: |\n        new\n        lines\n      b:\n      - c\n",
}, {
	label: "after the tag of a string",
	edits: []plan{set("a", "new"), set("b", "12"), set("c", "it's"), set("d[0]", "x,y"), set("d[1]", "n"), set("e", "same"), entry("", "f", "new"), entry("", "g", "new"), set("h", "new"), set("i", "same")},
	in:    "a: !!str app # a\nb: !  app\nc: !!str\t'app'\nd: [!!str x, ! \"y\"]\ne: !!str same\nf: !!str app\ng: ! \"\"\nh: !!str 12\ni: ! same\n",
	want:  "a: !!str new # a\nb: !  \"12\"\nc: !!str\t'it''s'\nd: [!!str \"x,y\", ! \"n\"]\ne: !!str same\nf: !!str new\ng: ! \"new\"\nh: !!str \"new\"\ni: ! same\n",
}, {
	label: "a tab in the empty lines after it",
	way:   onNodes,
	edits: []plan{set("a", "12")},
	in:    "a: b\n \t\n",
	want:  "a: \"12\"\n",
}, {
	label: "after another tag",
	way:   onNodes,
	edits: []plan{set("a", "new")},
	in:    "a: !!int 12\nb: !x y",
	want:  "a: new\nb: !x y",
}, {
	label: "after a tag of another document's own",
	way:   onNodes,
	edits: []plan{set("a", "new")},
	in:    "%TAG !! tag:example.com,2000:\n---\na: !!str 12\n",
	want:  "%TAG !! tag:example.com,2000:\n---\na: new\n",
}, {
	label: "after a tag on the line before",
	way:   onNodes,
	edits: []plan{set("a", "new")},
	in:    "a: !!str\n  app\n",
	want:  "a: new\n",
}, {
	label: "a boolean in the place of a tagged string",
	way:   onNodes,
	edits: []plan{flag("", "a", "true", "")},
	in:    "a: ! app\n",
	want:  "a: true\n",
}}

var splitRows = []row{{
	label: "split in block",
	edits: []plan{split("names[0]", "app-1", "app-2"), split("names[1]", "w", "yes")},
	in:    "names:\n- app # ours\n-   'web'",
	want:  "names:\n- app-1 # ours\n- app-2\n-   'w'\n-   'yes'",
}, {
	label: "split in a sequence of sequences",
	edits: []plan{split("[0][0]", "b", "c")},
	in:    "- - a\r\n  - z\r\n",
	want:  "- - b\r\n  - c\r\n  - z\r\n",
}, {
	label: "split in flow",
	edits: []plan{split("a[0]", "1st", "2nd"), split("a[1]", "3,", "4th")},
	in:    "a: [x, 'y']\n",
	want:  "a: [1st, 2nd, '3,', '4th']\n",
}, {
	label: "split in JSON",
	edits: []plan{split("a[0]", "b", "c"), split("a[1]", "d", "e")},
	in:    "{\"a\": [\n    \"x\",\n    \"y\"\n  ]\n}\n",
	want:  "{\"a\": [\n    \"b\",\n    \"c\",\n    \"d\",\n    \"e\"\n  ]\n}\n",
}, {
	label: "split after a dash on another line",
	way:   onNodes,
	edits: []plan{split("a[0]", "b", "c")},
	in:    "a:\n  -\n    x\n  - y\n",
	want:  "a:\n  - b\n  - c\n  - y\n",
}}

var entryRows = []row{{
	label: "replace a value",
	edits: []plan{entry("a", "x", "new"), entry("a", "y", "12"), entry("a", "z", "n")},
	in:    "a:\n  x: 'old'\n  y: old\n  z:\n",
	want:  "a:\n  x: 'new'\n  y: \"12\"\n  z: \"n\"\n",
}, {
	label: "nothing to do",
	edits: []plan{entry("a", "x", "old"), entry("a", "y", "old"), flag("a", "z", "true", ""), remove("a", "u"), remove("b.c", "u")},
	in:    "a:\n  x: 'old'\n  y: |-\n    old\n  z: True\n",
	want:  "a:\n  x: 'old'\n  y: |-\n    old\n  z: True\n",
}, {
	label: "a boolean",
	edits: []plan{flag("", "immutable", "true", "kind"), flag("", "b", "false", ""), flag("", "c", "true", "")},
	in:    "kind: Secret # it is\nb: \"true\"\nc: false\nmetadata: {}\n",
	want:  "kind: Secret # it is\nimmutable: true\nb: false\nc: true\nmetadata: {}\n",
}, {
	label: "into annotations",
	root:  "[0]",
	edits: []plan{entry("metadata.annotations", "example.com/b", "1"), entry("metadata.annotations", "c", "x")},
	in:    "  - metadata:\n      annotations: # these\n        # about a\n        a: b\n      name: app\n",
	want:  "  - metadata:\n      annotations: # these\n        example.com/b: \"1\"\n        c: x\n        # about a\n        a: b\n      name: app\n",
}, {
	label: "annotations created, once for two entries",
	edits: []plan{entry("metadata.annotations", "a", "x"), entry("metadata.annotations", "b", "y")},
	in:    "kind: A\nmetadata:\n    name: app # our\n    labels: {}\n",
	want:  "kind: A\nmetadata:\n    name: app # our\n    annotations:\n      a: x\n      b: \"y\"\n    labels: {}\n",
}, {
	label: "annotations created without a sibling to follow",
	edits: []plan{entry("metadata.annotations", "a", "x")},
	in:    "kind: A\nmetadata:\n  labels:\n    a: b",
	want:  "kind: A\nmetadata:\n  annotations:\n    a: x\n  labels:\n    a: b",
}, {
	label: "annotations created at the end, without a last line break",
	edits: []plan{entry("metadata.annotations", "a", "x")},
	in:    "kind: A\r\nmetadata:\r\n  name: app",
	want:  "kind: A\r\nmetadata:\r\n  name: app\r\n  annotations:\r\n    a: x",
}, {
	label: "several levels created",
	root:  "[0]",
	edits: []plan{entry("spec.template.metadata.annotations", "a", "x"), entry("spec.template", "b", "z"), flag("spec.template.metadata", "c", "true", "")},
	in:    "- kind: A\n  spec:\n    replicas: 1\n",
	want:  "- kind: A\n  spec:\n    template:\n      metadata:\n        annotations:\n          a: x\n        c: true\n      b: z\n    replicas: 1\n",
}, {
	label: "null becomes a mapping",
	edits: []plan{entry("a", "k", "v"), entry("b.d", "k", "v"), entry("c", "k", "v"), entry("e", "k", "v")},
	in:    "a: # nothing\nb: ~ # nothing\nc: null\ne: {}\n",
	want:  "a: # nothing\n  k: v\nb: # nothing\n  d:\n    k: v\nc:\n  k: v\ne: {k: v}\n",
}, {
	label: "null becomes a mapping at the end of the text",
	edits: []plan{entry("a", "k", "v"), entry("a", "l", "w")},
	in:    "b: c\na:",
	want:  "b: c\na:\n  k: v\n  l: w",
}, {
	label: "into flow mappings",
	edits: []plan{entry("a", "k", "v,w"), entry("b", "k", "v"), entry("c.d", "k", "v"), entry("c.d", "l", "v"), entry("f.g", "k", "v"), entry("h.i", "k", "v")},
	in:    "a: {b: c}\nb: { }\nc: {name: x, e: f}\nf: {g: }\nh: {i: ~, j: 1}\n",
	want:  "a: {k: \"v,w\", b: c}\nb: {k: v}\nc: {name: x, d: {k: v, l: v}, e: f}\nf: {g: {k: v} }\nh: {i: {k: v}, j: 1}\n",
}, {
	label: "into flow mappings over several lines",
	edits: []plan{entry("", "k", "v"), entry("a", "l", "w")},
	in:    "{\n  # about a\n  a: {b: c,\n    d: e},\n  name: x # name\n}\n",
	want:  "{\n  # about a\n  a: {l: w, b: c,\n    d: e},\n  name: x,\n  k: v # name\n}\n",
}, {
	label: "into JSON",
	edits: []plan{entry("metadata.annotations", "k", "v"), entry("metadata.annotations", "l", "w"), entry("metadata.labels", "m", "n"), flag("", "immutable", "true", "kind"), entry("data", "d", "1")},
	in:    "{\n\t\"kind\": \"A\",\n\t\"data\": null,\n\t\"metadata\": {\n\t\t\"name\": \"x\",\n\t\t\"labels\": {}\n\t}\n}\n",
	want:  "{\n\t\"kind\": \"A\",\n\t\"immutable\": true,\n\t\"data\": {\"d\": \"1\"},\n\t\"metadata\": {\n\t\t\"name\": \"x\",\n\t\t\"annotations\": {\"k\": \"v\", \"l\": \"w\"},\n\t\t\"labels\": {\"m\": \"n\"}\n\t}\n}\n",
}, {
	label: "into minified JSON",
	edits: []plan{entry("metadata.annotations", "k", "v"), flag("", "immutable", "true", "kind")},
	in:    `{"kind":"A","metadata":{"name":"x"}}`,
	want:  `{"kind":"A","immutable":true,"metadata":{"name":"x","annotations":{"k":"v"}}}`,
}, {
	label: "scalars and entries at once",
	edits: []plan{entry("metadata.annotations", "a", "x"), set("metadata.name", "app-1"), entry("metadata.annotations", "b", "z")},
	in:    "metadata:\n  name: app\n  annotations:\n    b: y\n",
	want:  "metadata:\n  name: app-1\n  annotations:\n    a: x\n    b: z\n",
}, {
	label: "keys that need quotes",
	edits: []plan{entry("a", "yes", "x"), entry("a", "k: l", "x")},
	in:    "a:\n  \"b\": 1\n",
	want:  "a:\n  \"yes\": x\n  \"k: l\": x\n  \"b\": 1\n",
}, {
	label: "the same edit twice",
	edits: []plan{set("a", "x"), set("a", "x"), entry("b", "k", "v"), entry("b", "k", "v"), entry("b", "c", "e"), entry("b", "c", "e")},
	in:    "a: b\nb:\n  c: d\n",
	want:  "a: x\nb:\n  k: v\n  c: e\n",
}}

var removeRows = []row{{
	label: "change an entry, and add others after it",
	edits: []plan{entry("metadata", "name", "app-1"), entry("metadata.annotations", "a", "b"), remove("data", "x")},
	in:    "metadata:\n  name: app # the name\ndata:\n  x: 1\n  y: 2\n",
	want:  "metadata:\n  name: app-1 # the name\n  annotations:\n    a: b\ndata:\n  y: 2\n",
}, {
	label: "change an entry in flow style, and remove the one after it",
	edits: []plan{entry("metadata", "name", "app-1"), remove("metadata", "x")},
	in:    "metadata: {name: app, x: 1, y: 2}\n",
	want:  "metadata: {name: app-1, y: 2}\n",
}, {
	label: "remove lines",
	edits: []plan{remove("a", "x"), remove("a", "z"), remove("a", "x")},
	in:    "a:\n  x: 1 # one\n  # about y\n  y: 2\n  z: 3",
	want:  "a:\n  # about y\n  y: 2",
}, {
	label: "remove the only entry",
	edits: []plan{remove("a", "x"), remove("b", "x"), remove("c", "x")},
	in:    "a: # here\n  x: 1\nb: { x: 1 }\nc:\n  x: 1\nd: e\n",
	want:  "a: {} # here\nb: {}\nc: {}\nd: e\n",
}, {
	label: "remove the only entry after the tag !",
	way:   onNodes,
	edits: []plan{remove("a", "x"), remove("b", "x")},
	in:    "a: # here\n  !\n  x: 1\nb: !\n  x: 1\n",
	want:  "a: {} # here\nb: {}\n",
}, {
	label: "remove after a number sign that begins no comment",
	edits: []plan{remove("b", "y")},
	in:    "{a: '#x', b: {x: \"z#\", y: 2}}\n",
	want:  "{a: '#x', b: {x: \"z#\"}}\n",
}, {
	label: "remove a tagged string",
	edits: []plan{remove("a", "x")},
	in:    "a:\n  x: !!str 1 # one\n  y: 2\n",
	want:  "a:\n  y: 2\n",
}, {
	label: "remove one, add another",
	edits: []plan{remove("a", "x"), entry("a", "k", "v")},
	in:    "a:\n  x: 1\n",
	want:  "a:\n  k: v\n",
}, {
	label: "remove a mapping of one entry",
	edits: []plan{remove("m", "a"), remove("n", "a"), remove("o", "a")},
	in:    "m:\n  x: 1\n  a:\n    k: v # one\n# about n\nn: {x: 1, a: {k: v}}\no:\n  a: { \"k\": \"v\" } # two\n  x: 1",
	want:  "m:\n  x: 1\n# about n\nn: {x: 1}\no:\n  x: 1",
}, {
	label: "remove a mapping with more",
	way:   onNodes,
	edits: []plan{remove("m", "a"), remove("n", "a")},
	in:    "m:\n  x: 1\n  a: # one\n    k: v\nn: {x: 1, a: {k: v, l: w}}\n",
	want:  "m:\n  x: 1\nn: {x: 1}\n",
}, {
	label: "remove in flow",
	edits: []plan{remove("a", "x"), remove("b", "y"), remove("c", "y")},
	in:    "a: {x: 1, y: 2}\nb: {x: 1, y: 2}\nc: {\n  \"x\": 1,\n  \"y\": 2,\n  \"z\": 3\n}\n",
	want:  "a: {y: 2}\nb: {x: 1}\nc: {\n  \"x\": 1,\n  \"z\": 3\n}\n",
}, {
	label: "remove several in flow",
	edits: []plan{remove("a", "y"), remove("a", "z"), remove("b", "x"), remove("b", "z"), remove("c", "x"), remove("c", "y")},
	in:    "a: {x: 1, y: 2, z: 3}\nb: {x: 1, y: 2, z: 3}\nc: {\n  x: 1,\n  y: 2\n}\n",
	want:  "a: {x: 1}\nb: {y: 2}\nc: {}\n",
}, {
	label: "remove several in flow, with a comment",
	way:   onNodes,
	edits: []plan{remove("a", "y"), remove("a", "z")},
	in:    "a: {\n  x: 1,\n  y: 2, # two\n  z: 3\n}\n",
	want:  "a: {x: 1}\n",
}, {
	label: "remove after a literal that would grow",
	way:   onNodes,
	edits: []plan{remove("", "b")},
	in:    "a: |\n  text\nb: 1\n  # not text\nc: 2\n",
	want:  "a: |\n  text\n# not text\nc: 2\n",
}, {
	label: "remove an entry that was just set",
	way:   onNodes,
	edits: []plan{entry("a", "x", "v"), remove("a", "x")},
	in:    "{\"a\": {\"x\": \"1\", \"y\": \"2\"}}",
	want:  "{\"a\": {\"y\": \"2\"}}",
}, {
	label: "remove the only entry in flow, add another",
	edits: []plan{remove("a", "x"), entry("a", "k", "v"), remove("b", "x"), entry("b", "x", "v")},
	in:    "a: { x: 1 }\nb: {\"x\":1,\"y\":2}\n",
	want:  "a: { k: v }\nb: {\"x\":\"v\",\"y\":2}\n",
}, {
	label: "remove the last line, add one before it",
	edits: []plan{remove("a", "x"), entry("a", "k", "v")},
	in:    "b: c\na:\n  x: 1",
	want:  "b: c\na:\n  k: v",
}, {
	label: "remove and add in JSON",
	edits: []plan{remove("a", "x"), entry("a", "k", "v")},
	in:    "{\n  \"a\": {\n    \"x\": 1e3,\n    \"y\": [\"\\u00e9\", null, []]\n  }\n}",
	want:  "{\n  \"a\": {\n    \"k\": \"v\",\n    \"y\": [\"\\u00e9\", null, []]\n  }\n}",
}}

var nodeRows = []row{{
	label: "an alias is this place's own",
	way:   onNodes,
	root:  "[0]",
	edits: []plan{set("b", "new")},
	in:    "  - a: &x old\n    b: *x\n    c: *x\n",
	want:  "  - a: &x old\n    b: new\n    c: *x\n",
}, {
	label: "an anchor is this place's own",
	way:   onNodes,
	edits: []plan{set("a.b", "new")},
	in:    "a: &x\n  b: old\nc: *x\nd:\n  <<: *x\n  e: f\n",
	want:  "a:\n  b: new\nc:\n  b: old\nd:\n  <<:\n    b: old\n  e: f\n",
}, {
	label: "what a merge key brings is this place's own",
	way:   onNodes,
	edits: []plan{set("b.name", "new"), entry("b.annotations", "k", "v")},
	in:    "a: &x {name: old, kind: K}\nb:\n  <<: *x\n  kind: L\nc: *x\n",
	want:  "a: &x {name: old, kind: K}\nb:\n  name: new\n  annotations:\n    k: v\n  kind: L\nc: *x\n",
}, {
	label: "new entries on nodes keep their order",
	way:   onNodes,
	edits: []plan{entry("a.m", "x", "v"), entry("a.m", "z", "w"), entry("a.m", "y", "u")},
	in:    "a: &x\n  b: c\nd: *x\n",
	want:  "a:\n  m:\n    x: v\n    z: w\n    \"y\": u\n  b: c\nd:\n  b: c\n",
}, {
	label: "remove what a merge key brings",
	way:   onNodes,
	edits: []plan{remove("b", "name")},
	in:    "a: &x {name: old, kind: K}\nb: {<<: *x, name: z}\n",
	want:  "a: &x {name: old, kind: K}\nb: {kind: K}\n",
}, {
	label: "the break after a literal that keeps all separates it from what follows",
	way:   onNodes,
	edits: []plan{set("name", "new")},
	in:    "name: &n app\ndata:\n  y: |+\n    foo\n\n",
	want:  "name: new\ndata:\n  y: |+\n    foo\n\n",
}, {
	label: "a literal that keeps all, without empty lines",
	way:   onNodes,
	root:  "[0]",
	edits: []plan{set("name", "new")},
	in:    "  - name: |-\n      app\n    y: |+\n      foo\n",
	want:  "  - name: |-\n      new\n    y: |\n      foo\n",
}, {
	label: "a folded scalar that keeps all",
	way:   onNodes,
	edits: []plan{set("name", "new")},
	in:    "name: &n app\ny: >+\n  foo\n\n",
	want:  "name: new\ny: \"foo\\n\\n\"\n",
}, {
	label: "a comment after a literal with an indentation indicator",
	way:   onNodes,
	edits: []plan{set("name", "new")},
	in:    "name: &n app\ndata:\n  x: |2+\n    foo\n  # x\n",
	want:  "name: new\ndata:\n  x: |\n    foo\n  # x\n",
}, {
	label: "an item that is an alias",
	way:   onNodes,
	root:  "items[1]",
	edits: []plan{set("name", "new")},
	in:    "items:\n- &x\n  name: old\n- *x\n",
	want:  "items:\n- &x\n  name: old\n- name: new\n",
}, {
	label: "CRLF on nodes",
	way:   onNodes,
	edits: []plan{set("a", "new")},
	in:    "# top\r\n\r\na: &x b\r\nc: |\r\n  d\r\n  e\r\n\r\n# end",
	want:  "# top\r\n\r\na: new\r\nc: |\r\n  d\r\n  e\r\n\r\n# end",
}, {
	label: "comments on nodes",
	way:   onNodes,
	root:  "[0]",
	edits: []plan{set("metadata.name", "new")},
	in:    "- # head\n  kind: A # kind\n  metadata: # kpt-merge: ns/app\n    # about name\n    name: &x app # name\n  # about spec\n  spec: [a, b]\n  # foot\n",
	want:  "- # head\n  kind: A # kind\n  metadata: # kpt-merge: ns/app\n    # about name\n    name: new # name\n  # about spec\n  spec: [a, b]\n  # foot\n",
}, {
	label: "comments next to aliases and anchors",
	way:   onNodes,
	edits: []plan{set("a", "new")},
	in:    "a: &x old\nb: &y # of y\n  c: *x # of c\n# over d\nd: *y # of d\ne: {} # of e\n",
	want:  "a: new\nb: &y\n  # of y\n  c: old # of c\n# over d\n# of d\nd: *y\ne: {} # of e\n",
}, {
	label: "other literals stay literal",
	way:   onNodes,
	edits: []plan{set("a", " \n x")},
	in:    "a: |\n  old\nb: |\n  one\n  two\n",
	want:  "a: \" \\n x\"\nb: |\n  one\n  two\n",
}}
