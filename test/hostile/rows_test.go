package hostile_test

import (
	"fmt"
	"strings"
)

// Most rows are variations of these manifests: a ConfigMap, a Secret and a Deployment that consumes the first or, with
// webOf, either.
const (
	hostileHead = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\n"
	hostileApp  = hostileHead + "data:\n  a: b\n"
	hostileWeb  = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  template:\n    spec:\n      containers:\n" +
		"      - name: web\n        envFrom:\n        - configMapRef:\n            name: app\n"
	secretHead = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n"
	secretWeb  = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  template:\n    spec:\n      containers:\n" +
		"      - name: web\n        envFrom:\n        - secretRef:\n            name: s\n"
	flowApp = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\ndata: {a: b}\n"
)

// webOf returns the Deployment with another text for the ConfigMap's name.
func webOf(name string) string { return strings.Replace(hostileWeb, "name: app", "name: "+name, 1) }

// webWithout returns the Deployment up to its references.
func webWithout() string {
	head, _, _ := strings.Cut(hostileWeb, "        - configMapRef")
	return head
}

// appOf returns the ConfigMap with another text for its name.
func appOf(name string) string { return strings.Replace(hostileApp, "name: app", "name: "+name, 1) }

// appWith returns the ConfigMap with more lines at its end.
func appWith(lines string) string { return hostileApp + lines }

// numbered repeats a text, with # replaced by a number from 0.
func numbered(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "#", fmt.Sprint(i)))
	}
	return b.String()
}

// eachNumbered is numbered, but returns separate texts.
func eachNumbered(n int, text string) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = strings.ReplaceAll(text, "#", fmt.Sprint(i))
	}
	return texts
}

// laughs returns a billion laughs: twelve lines that stand for 9^12 nodes.
func laughs(first, element string) string {
	var b strings.Builder
	b.WriteString("x0: &x0 " + first + "\n")
	for i := 1; i < 12; i++ {
		open, end := element[:1], element[len(element)-1:]
		var all []string
		for j := range 9 {
			all = append(all, strings.NewReplacer("KEY", fmt.Sprintf("k%d", j), "ALIAS", fmt.Sprintf("*x%d", i-1)).Replace(element[1:len(element)-1]))
		}
		fmt.Fprintf(&b, "x%d: &x%d %s%s%s\n", i, i, open, strings.Join(all, ", "), end)
	}
	return b.String()
}

// A hostileSection is the rows of one table.
type hostileSection struct {
	title string
	rows  []hostileRow
}

var hostileSections = []hostileSection{
	{"Aliases and merge keys", aliasRows},
	{"Depth and size", sizeRows},
	{"Encoding, line breaks and white space", encodingRows},
	{"Documents, markers, directives and tags", documentRows},
	{"JSON", jsonRows},
	{"Fields that are not what they should be", fieldRows},
	{"Names", nameRows},
	{"References", referenceHostileRows},
	{"Lists, ResourceLists and functionConfigs", listRows},
	{"Content of ConfigMaps and Secrets", contentRows},
}

// refusesAliases is the outcome of aliases that stand for too much.
var refusesAliases = refuses("line …: the aliases of this document and those before it expand to too many nodes; the limit is 50000, and one for each byte of the input; write out what they stand for, or use fewer")

var aliasRows = []hostileRow{
	{name: "A billion laughs in a ConfigMap, next to its data", input: documents(appWith(laughs("[a]", "[ALIAS]")), hostileWeb),
		rename: refusesAliases},
	{name: "A billion laughs in a workload, outside of what is edited", input: documents(hostileApp, hostileWeb+laughs("[a]", "[ALIAS]")),
		rename: refusesAliases},
	{name: "A billion laughs of mappings in a custom resource", input: documents(hostileApp, hostileWeb, "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\n"+laughs("{a: b}", "{KEY: ALIAS}")),
		rename: refusesAliases},
	{name: "A billion laughs in the data of a ConfigMap", input: documents(hostileHead+laughs("{a: b}", "{KEY: ALIAS}")+"data: *x11\n", hostileWeb),
		rename: refusesAliases},
	{name: "A billion laughs of merge keys", input: documents(hostileHead+laughs("{a: b}", "{<<: ALIAS}")+"data: *x11\n", hostileWeb),
		rename: refusesAliases},
	{name: "A billion laughs of merge lists", input: documents(hostileHead+"x0: &x0 {a: b}\n"+mergeLaughs()+"data: *x11\n", hostileWeb),
		rename: refusesAliases},
	{name: "A billion laughs in the containers of a workload", input: documents(hostileApp, strings.Replace(hostileWeb, "spec:\n", laughs("{configMapRef: {name: app}}", "[ALIAS]")+"spec:\n", 1)+"      - name: b\n        envFrom: *x11\n"),
		rename: refusesAliases},
	{name: "A billion laughs in the functionConfig", input: listOf("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig:\n  apiVersion: confighash.dev/v1alpha1\n  kind: ConfigHash\n  metadata: {name: roll}\n" + indent(laughs("[a]", "[ALIAS]")) + "  spec: {mode: MODE, include: *x11}\nitems: []\n"),
		rename: refuses("x0: is not a known field; …")},
	{name: "A billion laughs across the items of a List", input: streamOf("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: app}\n  data: {a: b}\n" + indent(laughs("[a]", "[ALIAS]")) + "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: other}\n  x: *x11\n"),
		rename: refusesAliases},
	{name: "Items of a List that are aliases of Lists of aliases", input: streamOf(listLaughs()),
		rename: refuses("line 5: aliases expand to more than the 10000 items that are followed")},
	{name: "A mapping that holds an alias of itself", input: documents(appWith("x: &x\n  y: *x\n"), hostileWeb),
		rename: refusesAliases},
	{name: "Two anchors that hold aliases of each other", input: documents(appWith("x: &x {y: &y {z: *x}, w: *y}\n"), hostileWeb),
		rename: refusesAliases},
	{name: "A merge key of the mapping that it is in", input: documents(hostileHead+"data: &d\n  a: b\n  <<: *d\n", hostileWeb),
		rename: refusesAliases},
	{name: "An alias of no anchor", input: documents(hostileHead+"data:\n  a: *nothing\n", hostileWeb),
		rename: refuses("line 6: not valid YAML: an alias names an anchor that is not there; quote a value that begins with *")},
	{name: "An anchor that is defined twice", input: documents(appWith("x: &x one\ny: *x\nz: &x two\nw: *x\n"), hostileWeb),
		rename: does("Renamed"), annotate: does("Stamped")},
	{name: "An anchor in one document and its alias in the next", input: streamOf(strings.Replace(hostileApp, "name: app", "name: &n app", 1) + "---\n" + webOf("*n")),
		rename: refuses("line 19: not valid YAML: an alias names an anchor that is not there; quote a value that begins with *")},
	{name: "An anchor in one item and its alias in the next", input: listOf(resourceListOf([]string{strings.Replace(hostileApp, "name: app", "name: &n app", 1), webOf("*n")})),
		rename: encodes("Renamed; anchor and alias are written out", "name: app-4h2mbtbbt6\n"), annotate: does("Stamped")},
	{name: "A name that is an alias of a label", input: documents(strings.Replace(hostileApp, "  name: app\n", "  labels: {app: &n app}\n  name: *n\n", 1), hostileWeb),
		rename: encodes("Renamed; the alias is written out, and the label stays", "labels: {app: &n app}\n", "name: app-4h2mbtbbt6\n"), annotate: does("Stamped")},
	{name: "A merge key in the metadata", input: documents("x: &m\n  name: app\n"+strings.Replace(hostileApp, "  name: app\n", "  <<: *m\n", 1), hostileWeb),
		rename: encodes("Renamed; the merge key is written out", "name: app-4h2mbtbbt6\n"), annotate: does("Stamped")},
	{name: "A merge key whose value is a list of mappings, in the data", input: documents(hostileHead+"x: [&x {a: b}, &y {a: c, d: e}]\ndata:\n  <<: [*x, *y]\n  f: g\n", hostileWeb),
		rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A merge key in an element of env", input: documents(hostileApp, strings.Replace(hostileWeb, "        envFrom:\n        - configMapRef:\n            name: app\n",
		"        env:\n        - &e\n          name: A\n          valueFrom: {configMapKeyRef: {name: app, key: a}}\n        - <<: *e\n          name: B\n", 1)),
		rename: encodes("Renamed; the merge key is written out", "- name: A\n", "name: B\n", "- valueFrom: {configMapKeyRef: {name: app-4h2mbtbbt6, key: a}}\n"), annotate: does("Stamped")},
	{name: "A merge key of a scalar", input: documents(hostileHead+"data:\n  <<: text\n  a: b\n", hostileWeb),
		rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`<<` in quotes, which is a key like any other", input: documents(hostileHead+"data:\n  \"<<\": b\n", hostileWeb),
		rename: does("Renamed"), annotate: does("Stamped")},
	{name: "An anchor whose name has 100,000 characters", input: madeWhenRun(func() []string {
		long := strings.Repeat("a", 100_000)
		return []string{appWith("x: &" + long + " y\nz: *" + long + "\n"), hostileWeb}
	}), rename: does("Renamed"), annotate: does("Stamped")},
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

// mergeLaughs returns lines each of which merges the previous one nine times.
func mergeLaughs() string {
	var b strings.Builder
	for i := 1; i < 12; i++ {
		alias := fmt.Sprintf("*x%d", i-1)
		fmt.Fprintf(&b, "x%d: &x%d {<<: [%s]}\n", i, i, strings.TrimSuffix(strings.Repeat(alias+", ", 9), ", "))
	}
	return b.String()
}

// listLaughs returns a List whose items are Lists of aliases.
func listLaughs() string {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: List\nitems:\n- &x0 {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n")
	for i := 1; i < 10; i++ {
		alias := fmt.Sprintf("*x%d", i-1)
		fmt.Fprintf(&b, "- &x%d {apiVersion: v1, kind: List, items: [%s]}\n", i, strings.TrimSuffix(strings.Repeat(alias+", ", 9), ", "))
	}
	return b.String()
}

// nestedBlock returns nested mappings in block style.
func nestedBlock(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// manyWebs returns workloads that consume one ConfigMap.
func manyWebs(n int) []string {
	return append([]string{hostileApp}, eachNumbered(n, strings.Replace(hostileWeb, "name: web\nspec", "name: web-#\nspec", 1))...)
}

const tooDeep = "line …: not valid YAML: exceeded max depth of 10000"

var sizeRows = []hostileRow{
	{name: "Mappings 1,000 deep in block style", input: madeWhenRun(func() []string { return []string{hostileApp, hostileWeb + "x:\n" + indent(nestedBlock(1_000))} }),
		rename: does("Renamed"), annotate: does("Stamped")},
	{name: "Sequences 9,000 deep in flow style", input: documents(hostileApp, hostileWeb+"x: "+strings.Repeat("[", 9_000)+strings.Repeat("]", 9_000)+"\n"),
		rename: does("Renamed"), annotate: does("Stamped")},
	{name: "Sequences 10,001 deep in flow style", input: documents(hostileApp, hostileWeb+"x: "+strings.Repeat("[", 10_001)+strings.Repeat("]", 10_001)+"\n"),
		rename: refuses(tooDeep)},
	{name: "A million opening brackets", input: documents(hostileApp, hostileWeb+"x: "+strings.Repeat("[", 1_000_000)+"\n"),
		rename: refuses(tooDeep)},
	{name: "100,000 dashes on one line", input: documents(hostileApp, hostileWeb+"x:\n"+strings.Repeat("- ", 100_000)+"a\n"),
		rename: refuses(tooDeep)},
	{name: "100,000 question marks on one line", input: documents(hostileApp, hostileWeb+"x:\n  "+strings.Repeat("? ", 100_000)+"a\n"),
		rename: refuses(tooDeep)},
	{name: "JSON 9,000 deep", input: documents(hostileApp, hostileWeb, `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "j"}, "x": `+strings.Repeat(`{"a":`, 9_000)+"1"+strings.Repeat("}", 9_000)+"}\n"),
		rename: does("Renamed"), annotate: does("Stamped")},
	{name: "JSON 20,000 deep", input: documents(hostileApp, `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "j"}, "x": `+strings.Repeat(`{"a":`, 20_000)+"1"+strings.Repeat("}", 20_000)+"}\n"),
		rename: refuses(tooDeep)},
	{name: "A value of 1 MiB in a ConfigMap", input: madeWhenRun(func() []string {
		return []string{hostileHead + "data:\n  a: |\n" + strings.Repeat("    "+strings.Repeat("x", 59)+"\n", 1<<14), hostileWeb}
	}), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A line of 10 MB", input: streamMade(func() string {
		return hostileHead + "data:\n  a: " + strings.Repeat("x", 10_000_000) + "\n---\n" + hostileWeb
	}), rename: does("Renamed"), annotate: does("Stamped"), bounds: bounds{megabytes: 1024}},
	{name: "A ConfigMap with 100,000 keys", input: streamMade(func() string { return hostileHead + "data:\n" + numbered(100_000, "  k#: v\n") + "---\n" + hostileWeb }),
		rename: does("Renamed"), annotate: does("Stamped"), bounds: bounds{megabytes: 1024}},
	{name: "A comment of 1 MB on one line", input: madeWhenRun(func() []string {
		return []string{hostileApp + "# " + strings.Repeat("x", 1_000_000) + "\n", hostileWeb}
	}), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "100,000 lines of comments before an item", input: streamMade(func() string { return strings.Repeat("# x\n", 100_000) + hostileApp + "---\n" + hostileWeb }),
		rename: does("Renamed"), annotate: does("Stamped")},
	{name: "100,000 items", input: streamMade(func() string {
		return strings.Join(append(eachNumbered(100_000, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a-#\ndata:\n  a: b\n"), hostileApp, hostileWeb), "---\n")
	}), rename: does("Renamed"), annotate: does("Stamped"), bounds: bounds{seconds: 60, megabytes: 2048}},
	{name: "100,000 empty documents", input: streamMade(func() string { return strings.Repeat("---\n", 100_000) + hostileApp + "---\n" + hostileWeb }),
		rename: does("Renamed"), annotate: does("Stamped")},
	{name: "One workload with 10,000 references, a line each", input: madeWhenRun(func() []string {
		return []string{hostileApp, hostileWeb + strings.Repeat("        - configMapRef:\n            name: app\n", 10_000)}
	}), rename: does("All renamed"), annotate: does("Stamped once")},
	{name: "One workload with 10,000 references, all on one line", input: madeWhenRun(func() []string {
		refs := strings.TrimSuffix(strings.Repeat("{configMapRef: {name: app}}, ", 10_000), ", ")
		return []string{hostileApp, strings.Replace(hostileWeb, "        - configMapRef:\n            name: app\n", "          ["+refs+"]\n", 1)}
	}), rename: does("All renamed"), annotate: does("Stamped once")},
	{name: "One ConfigMap that 5,000 workloads consume", input: madeWhenRun(func() []string { return manyWebs(5_000) }),
		rename: does("All renamed"), annotate: does("All stamped")},
	{name: "One workload that consumes 5,000 ConfigMaps", input: madeWhenRun(func() []string {
		return append(eachNumbered(5_000, appOf("app-#")), webWithout()+numbered(5_000, "        - configMapRef:\n            name: app-#\n"))
	}), rename: does("All renamed"), annotate: does("Stamped once")},
	{name: "A List of 10,000 items as JSON on one line", input: streamMade(oneLine), rename: does("Renamed"), annotate: does("Stamped"),
		bounds: bounds{seconds: 20}},
	{name: "A ConfigMap of 1 MB, and 60 Deployments that each take all of it but for a key, with `rename.granularity: Key`", input: listOf(strings.Replace(resourceListOf(sharedBig(60)), "mode: MODE", "mode: MODE, rename: {granularity: Key}", 1)),
		rename:   refuses("the objects that spec.rename.granularity: Key adds have more than 50 MiB in all; let fewer pods take other keys of large objects, or use granularity: Object"),
		annotate: does("Stamped"), bounds: bounds{seconds: 120}},
	{name: "A ConfigMap with 50,000 keys, and a Deployment that takes two, with `rename.granularity: Key`", input: listOf(strings.Replace(resourceListOf([]string{hostileApp + numbered(50_000, "  k#: v\n"), strings.Replace(webWithout(), "envFrom:", "env:", 1) + numbered(2, envKey)}), "mode: MODE", "mode: MODE, rename: {granularity: Key}", 1)),
		rename: outcome{words: "Renamed; the other keys are gone", encoded: true, holds: []string{"  data:\n    k0: v\n    k1: v\n- "}}, annotate: does("Stamped"), bounds: bounds{seconds: 20}},
	{name: "A ConfigMap with 5,000 keys, and 2,000 Deployments that each take another two, or all, with `rename.granularity: Key`", input: listOf(strings.Replace(resourceListOf(pairs(5_000, 2_000)), "mode: MODE", "mode: MODE, rename: {granularity: Key}", 1)),
		rename: outcome{words: "Renamed; each pair of keys is an object, and all are one", holds: []string{"\n  data:\n    k1: v\n    k8: v\n"}}, annotate: does("Stamped"), bounds: bounds{seconds: 10, megabytes: 256}},
	{name: "5,000 ExternalSecrets that make one Secret and read it", input: documents(append(eachNumbered(5_000, readsItself), secretWeb)...),
		rename:   passes(""),
		annotate: refuses("Deployment web: spec.template.metadata.annotations: with those before it, workloads use objects more than … times; let fewer pod templates share references, and fewer objects go into one Secret"),
		bounds:   bounds{seconds: 10}},
	{name: "10,000 missing objects, with `unresolved: Error`", input: listOf(strings.Replace(resourceListHead, "mode: MODE", "mode: MODE, unresolved: Error", 1) + "items:\n" + strings.ReplaceAll("- "+
		webWithout(), "\n", "\n  ") + numbered(10_000, "        - configMapRef:\n              name: app-#\n")),
		rename: refuses(`Deployment web: spec.template.spec.containers[0].envFrom[0].configMapRef.name: ConfigMap "app-0" is not in the input; add it, make the reference optional, or set spec.unresolved: Ignore`)},
}

const readsItself = "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: e-#}\n" +
	"spec: {target: {name: s, template: {templateFrom: [{secret: {name: s}}]}}}\n"

// oneLine returns 5,000 ConfigMaps, each with a workload, in the format of kubectl get -o json and jq -c.
func oneLine() string {
	return `{"apiVersion": "v1", "kind": "List", "items": [` + strings.TrimSuffix(numbered(5_000,
		`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app-#"}, "data": {"a": "b"}}, `+
			`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web-#"}, "spec": {"template": {"spec": {"containers": [{"name": "web", "envFrom": [{"configMapRef": {"name": "app-#"}}]}]}}}}, `), ", ") + "]}\n"
}

func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

var encodingRows = []hostileRow{
	{name: "A NUL byte in a value", input: documents(hostileHead+"data:\n  a: \"b\x00c\"\n", hostileWeb), rename: refuses("line 6: not valid YAML: control characters are not allowed")},
	{name: "A NUL byte between documents", input: streamOf(hostileApp + "---\n\x00\n---\n" + hostileWeb), rename: refuses("line 8: not valid YAML: control characters are not allowed")},
	{name: "A control character (BEL) in a value", input: documents(hostileHead+"data:\n  a: b\ac\n", hostileWeb), rename: refuses("line 6: not valid YAML: control characters are not allowed")},
	{name: "An escape sequence of a terminal in a name", input: documents(appOf("\"app\\e[31m\""), webOf("\"app\\e[31m\"")), rename: passes("")},
	{name: "A byte that is not UTF-8", input: documents(hostileHead+"data:\n  a: \"\xff\"\n", hostileWeb), rename: refusesUnread("line 6: a byte is not UTF-8; manifests must be UTF-8")},
	{name: "Half a UTF-8 character at the end", input: streamOf(hostileApp + "# \xe2\x82"), rename: refusesUnread("line 7: a byte is not UTF-8; manifests must be UTF-8")},
	{name: "An overlong UTF-8 encoding", input: documents(hostileHead+"data:\n  a: \"\xc0\xaf\"\n", hostileWeb), rename: refusesUnread("line 6: a byte is not UTF-8; manifests must be UTF-8")},
	{name: "A surrogate in UTF-8", input: documents(hostileHead+"data:\n  a: \"\xed\xa0\x80\"\n", hostileWeb), rename: refusesUnread("line 6: a byte is not UTF-8; manifests must be UTF-8")},
	{name: "U+FFFE and U+FFFF", input: documents(hostileHead+"data:\n  a: \"\uffff\"\n", hostileWeb), rename: refuses("line 6: not valid YAML: control characters are not allowed")},
	{name: "UTF-16, little endian", input: streamOf("\xff\xfea\x00:\x00"), rename: refuses("the input is encoded as UTF-16; manifests must be UTF-8")},
	{name: "UTF-16, big endian", input: streamOf("\xfe\xff\x00a\x00:"), rename: refuses("the input is encoded as UTF-16; manifests must be UTF-8")},
	{name: "UTF-16 without a byte order mark", input: streamOf("a\x00:\x00 \x00b\x00"), rename: refuses("line 1: not valid YAML: control characters are not allowed")},
	{name: "UTF-32", input: streamOf("\xff\xfe\x00\x00a\x00\x00\x00"), rename: refuses("the input is encoded as UTF-16; manifests must be UTF-8")},
	{name: "A UTF-8 byte order mark at the start of a stream", input: streamOf("\ufeff" + hostileApp + "---\n" + hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A UTF-8 byte order mark at the start of a ResourceList", input: listOf("\ufeff" + resourceListOf([]string{hostileApp, hostileWeb})), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A byte order mark at the start of a later document", input: streamOf(hostileApp + "---\n\ufeff" + hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A byte order mark before a later document's marker", input: streamOf(hostileApp + "\ufeff---\n" + hostileWeb), rename: refuses("line 7: not valid YAML: could not find expected ':'")},
	{name: "A byte order mark in a value", input: documents(hostileHead+"data:\n  a: \"\ufeff\"\n", hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "Line breaks CR LF", input: documents(crlf(hostileApp), crlf(hostileWeb)), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "CR LF all over a ResourceList", input: listOf(crlf(resourceListOf([]string{hostileApp, hostileWeb}))), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "Line breaks CR alone", input: streamOf(strings.ReplaceAll(hostileApp+"---\n"+hostileWeb, "\n", "\r")), rename: refuses("line 7: not valid YAML: a second document begins here, after a carriage return or a Unicode line break; use plain line breaks")},
	{name: "Line breaks CR alone, one document", input: streamOf(strings.ReplaceAll(hostileWeb, "\n", "\r")), rename: passes("")},
	{name: "Line breaks mixed in one document", input: documents(strings.Replace(hostileApp, "data:\n", "data:\r\n", 1), strings.Replace(hostileWeb, "spec:\n", "spec:\r\n", 1)), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A CR alone in a comment", input: documents(hostileApp+"# a\r  # b\n", hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "Unicode's line separators in a plain value", input: documents(hostileHead+"data:\n  a: b\u2028      c\u0085      d\n", hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "Unicode's line separators in a quoted value", input: documents(hostileHead+"data:\n  a: \"b\u2028c\u2029d\"\n", hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "Tabs for indentation", input: documents(hostileHead+"data:\n\ta: b\n", hostileWeb), rename: refuses("line 6: not valid YAML: found character that cannot start any token; indent with spaces, not tabs, and quote a value that begins with @")},
	{name: "Tabs between a key and its value, and after it", input: documents(strings.Replace(hostileApp, "name: app", "name:\tapp\t", 1), hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "Tabs in values", input: documents(hostileHead+"data:\n  a: \"b\tc\"\n  d: |\n    e\n    \tf\n", hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A tab at the start of a block scalar, which YAML allows and the parser does not", input: documents(hostileHead+"data:\n  d: |\n    \te\n", hostileWeb), rename: refuses("line 6: not valid YAML: found a tab character where an indentation space is expected")},
	{name: "Trailing spaces", input: documents(strings.ReplaceAll(hostileApp, "\n", "   \n"), strings.ReplaceAll(hostileWeb, "\n", " \n")), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "No line break at the end", input: documents(hostileApp, strings.TrimSuffix(hostileWeb, "\n")), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "No line break at the end, after a block scalar", input: documents(hostileWeb, hostileHead+"data:\n  a: |\n    b"), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "White space alone", input: streamOf("  \n\n \t\n"), rename: passes("")},
	{name: "Non-breaking spaces for indentation", input: documents(hostileHead+"data:\n\u00a0\u00a0a: b\n", hostileWeb), rename: passes("`data` holds nothing then"), annotate: passes("")},
	{name: "Emoji and characters beyond the BMP before a reference on its line", input: documents(hostileApp, strings.Replace(hostileWeb, "        - configMapRef:\n            name: app\n", "        - {prefix: \"🙂𝒜\", configMapRef: {name: app}}\n", 1)), rename: does("Renamed"), annotate: does("Stamped")},
}

var documentRows = []hostileRow{
	{name: "Nothing", input: streamOf(""), rename: passes("")},
	{name: "Comments alone", input: streamOf("# nothing\n# here\n"), rename: passes("")},
	{name: "`---` alone", input: streamOf("---\n"), rename: passes("")},
	{name: "`---` without a line break", input: streamOf("---"), rename: passes("")},
	{name: "Empty documents and comments between documents", input: streamOf("---\n---\n# one\n---\n" + hostileApp + "---\n\n---\n# two\n---\n" + hostileWeb + "---\n"), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "Documents that say `null`, or `~`", input: streamOf("null\n---\n~\n---\n" + hostileApp + "---\n" + hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "Documents that end in `...`", input: streamOf(hostileApp + "...\n---\n" + hostileWeb + "...\n"), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`...` and no `---` after it", input: streamOf(hostileApp + "...\n" + hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`---` in a block scalar, indented", input: documents(hostileHead+"data:\n  a: |\n    ---\n    b: c\n", hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`---` at the start of a line of a quoted value", input: streamOf(hostileHead + "data:\n  a: \"b\n---\n  c\"\n"), rename: refuses("line 6: not valid YAML: found unexpected end of stream")},
	{name: "`--- # a comment`", input: streamOf("--- # first\n" + hostileApp + "--- # second\n" + hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`---` with a resource in flow style on its line", input: streamOf("--- {apiVersion: v1, kind: ConfigMap, metadata: {name: app}, data: {a: b}}\n---\n" + hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`--- |`: a document that is a block scalar", input: streamOf("--- |\n  text\n"), rename: refuses("line 1: found a scalar; every item must be a Kubernetes resource: a mapping with apiVersion and kind")},
	{name: "`--- !!map`, a tag on the marker's line", input: streamOf("--- !!map\n" + hostileApp + "---\n" + hostileWeb), rename: encodes("Renamed", "name: app-4h2mbtbbt6\n"), annotate: does("Stamped")},
	{name: "`---app: b`, no marker", input: streamOf("---app: b\n"), rename: refuses("line 1: kind is missing; every item must be a Kubernetes resource with apiVersion and kind")},
	{name: "`%YAML 1.1`", input: streamOf("%YAML 1.1\n---\n" + hostileApp + "---\n" + hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`%YAML 1.2`", input: streamOf("%YAML 1.2\n---\n" + hostileApp + "---\n" + hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`%YAML 9.9`", input: streamOf("%YAML 9.9\n---\n" + hostileApp + "---\n" + hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`%TAG`, and a tag by it", input: streamOf("%TAG !y! tag:yaml.org,2002:\n---\n" + appOf("!y!str app") + "---\n" + hostileWeb), rename: encodes("Renamed; the tag is left out", "%TAG !y! tag:yaml.org,2002:\n---\n", "name: app-4h2mbtbbt6\n"), annotate: does("Stamped")},
	{name: "`%TAG` that changes `!!`", input: streamOf("%TAG !! tag:example.com,2000:\n---\n" + appOf("!!str app") + "---\n" + hostileWeb), rename: encodes("Renamed; the tag is left out", "%TAG !! tag:example.com,2000:\n---\n", "name: app-4h2mbtbbt6\n"), annotate: does("Stamped")},
	{name: "A directive that nobody knows", input: streamOf("%FOO bar\n---\n" + hostileApp + "---\n" + hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A directive without a marker", input: streamOf("%YAML 1.2\n" + hostileApp), rename: refuses("line 2: not valid YAML: mapping values are not allowed in this context")},
	{name: "A local tag on a value of the data", input: documents(hostileHead+"data:\n  a: !secret b\n", hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A tag of another application on the item", input: documents("!<tag:example.com,2000:thing>\n"+hostileApp, hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`!!str` on a name and on a reference", input: documents(appOf("!!str 12"), webOf("!!str 12")), rename: encodes("Renamed, in quotes", "name: !!str \"12-4h2mbtbbt6\"\n"), annotate: does("Stamped")},
	{name: "`!!binary` on a name", input: documents(appOf("!!binary YXBw"), hostileWeb), rename: passes("")},
	{name: "`!!binary` on a value of the data", input: documents(hostileHead+"data:\n  a: !!binary Yg==\n", hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`!!timestamp` on a value of the data", input: documents(hostileHead+"data:\n  a: !!timestamp 2001-01-01\n", hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`!!int` on a name", input: documents(appOf("!!int 12"), webOf("\"12\"")), rename: encodes("Renamed; the tag goes, for a name is a text", "name: 12-4h2mbtbbt6\n"), annotate: does("Stamped")},
	{name: "`!!set` and `!!omap`", input: documents(appWith("x: !!set {a, b}\ny: !!omap [a: b]\n"), hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A text", input: streamOf("just text\n"), rename: refuses("line 1: found a scalar; every item must be a Kubernetes resource: a mapping with apiVersion and kind")},
	{name: "A number", input: streamOf("42\n"), rename: refuses("line 1: found a scalar; every item must be a Kubernetes resource: a mapping with apiVersion and kind")},
	{name: "A sequence of resources", input: streamOf("- " + strings.ReplaceAll(strings.TrimSuffix(hostileApp, "\n"), "\n", "\n  ") + "\n"), rename: refuses("line 1: found a sequence; every item must be a Kubernetes resource: a mapping with apiVersion and kind")},
	{name: "HTML", input: streamOf("<!DOCTYPE html>\n<html><body>404: not found</body></html>\n"), rename: refuses("line 2: not valid YAML: mapping values are not allowed in this context")},
	{name: "A Helm template that was not rendered", input: streamOf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n"), rename: passes("")},
	{name: "The message of a command that failed", input: streamOf(hostileApp + "---\nError: execution error at (app/templates/web.yaml:3:4): image.tag is required\n"), rename: refuses(`line 8: this is a message of another command: "Error: execution error at (app/templates/web.yaml:3:4): image.tag is required"; correct what it names, and keep stderr out of the pipe`)},
	{name: "A Helm template with a line of its own", input: streamOf("{{- if .Values.x }}\n" + hostileApp + "{{- end }}\n"), rename: refuses("line 1: not valid YAML: did not find expected node content")},
	{name: "A merge conflict", input: streamOf(hostileHead + "data:\n<<<<<<< HEAD\n  a: b\n=======\n  a: c\n>>>>>>> branch\n"), rename: refuses("line 6: not valid YAML: could not find expected ':'")},
	{name: "YAML that breaks off in the middle of a quote", input: streamOf(hostileHead + "data:\n  a: \"b"), rename: refuses("line 6: not valid YAML: found unexpected end of stream")},
	{name: "YAML that breaks off in the middle of a flow mapping", input: streamOf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app"), rename: refuses(`line …: not valid YAML: did not find expected ',' or '}'`)},
	{name: "YAML that breaks off after the kind", input: streamOf(hostileApp + "---\napiVersion: v1\nkind: ConfigMap\n"), rename: passes("")},
	{name: "A ResourceList that breaks off in an item", input: listOf(resourceListHead + "items:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a"), rename: refuses(`line …: not valid YAML: did not find expected ',' or '}'`)},
	{name: "`? ` before keys", input: documents("? apiVersion\n: v1\n? kind\n: ConfigMap\n? metadata\n: ? name\n  : app\n? data\n: ? a\n  : b\n", hostileWeb), rename: encodes("Renamed; the item is written again", "name: app-4h2mbtbbt6\n"), annotate: does("Stamped")},
	{name: "A key that is a mapping", input: documents(appWith("x:\n  ? {a: b}\n  : c\n"), hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A key of the item that is a sequence", input: documents(appWith("? [a, b]\n: c\n"), hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A resource in flow style over many lines, with comments", input: documents("{\n  apiVersion: v1, # one\n  kind: ConfigMap,\n  metadata: {\n    name: app # two\n  },\n  data: {a: b}\n}\n", hostileWeb), rename: encodes("Renamed; the comments stay", "name: app-4h2mbtbbt6,\n", "# one\n", "# two\n"), annotate: does("Stamped")},
	{name: "Comments between a key and its value", input: documents(strings.Replace(hostileApp, "name: app", "name: # here\n    # and here\n    app", 1), hostileWeb), rename: encodes("Renamed; the comments stay", "name: # here\n", "# and here\n", " app-4h2mbtbbt6\n"), annotate: does("Stamped")},
	{name: "Indentation of one column, and of nine", input: documents("apiVersion: v1\nkind: ConfigMap\nmetadata:\n name: app\ndata:\n         a: b\n", hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
}

var jsonRows = []hostileRow{
	{name: "A List as JSON", input: streamOf(`{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}, "data": {"a": "b"}}, ` + jsonWeb + "]}\n"), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "An array of resources", input: streamOf(`[{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}}]` + "\n"), rename: refuses("line 1: found a sequence; every item must be a Kubernetes resource: a mapping with apiVersion and kind")},
	{name: "JSON values one after the other, on one line", input: streamOf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}, "data": {"a": "b"}}` + jsonWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "JSON values, then YAML", input: streamOf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}, "data": {"a": "b"}}` + "\n---\n" + hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "JSON with a key that is there twice", input: streamOf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}, "data": {"a": "b", "a": "c"}}` + "\n" + jsonWeb), rename: refuses(`ConfigMap app: data: the key "a" appears twice; keep one`)},
	{name: "JSON with a name that is there twice", input: streamOf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app", "name": "b"}, "data": {"a": "b"}}` + "\n" + jsonWeb), rename: refuses(`line 1: ConfigMap b: metadata: the key "name" appears twice; keep one`)},
	{name: "JSON with comments", input: streamOf("// of a tool\n" + `{"apiVersion": "v1"}` + "\n"), rename: refuses("line 2: not valid YAML: mapping values are not allowed in this context")},
	{name: "JSON with a comma too many", input: streamOf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app",}, "data": {"a": "b"},}` + "\n---\n" + hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "JSON that breaks off", input: streamOf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"`), rename: refuses("line 1: not valid YAML: did not find expected ',' or '}'")},
	{name: "JSON of one resource, then half of one", input: streamOf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}}` + "\n" + `{"apiVersion": "v1", "ki`), rename: refuses("line 2: not valid YAML: found unexpected end of stream")},
	{name: "JSON with surrogate pairs and `\\/` in strings", input: streamOf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}, "data": {"a": "\ud83d\ude00 \/ \u00e9"}}` + "\n" + jsonWeb), rename: encodes("Renamed; in that object, the characters stand for their escapes", "\"a\": \"😀 / \\u00e9\"}"), annotate: does("Stamped")},
	{name: "JSON with surrogate pairs, and a comment after it", input: streamOf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}, "data": {"a": "\ud83d\ude00"}}` + "\n# \\ud83d\n---\n" + jsonWeb), rename: encodes("Renamed; in that object, the characters stand for their escapes", "\"a\": \"😀\"}}\n# \\ud83d\n"), annotate: does("Stamped")},
	{name: "JSON with half a surrogate pair", input: streamOf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}, "data": {"a": "\ud83d"}}` + "\n" + jsonWeb), rename: encodes("Renamed; it is U+FFFD, as to the API server", "\"a\": \"\ufffd\"}"), annotate: does("Stamped")},
	{name: "JSON with `\\u0000`", input: streamOf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}, "data": {"a": "\u0000"}}` + "\n" + jsonWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "JSON numbers beyond any machine's", input: streamOf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}, "x": [1e999, 123456789012345678901234567890, -0, 1E+2], "data": {"a": "b"}}` + "\n" + jsonWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A JSON number as a value of the data", input: streamOf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}, "data": {"a": 1e999}}` + "\n" + jsonWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`NaN` and `Infinity`", input: streamOf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}, "x": [NaN, Infinity], "data": {"a": "b"}}` + "\n---\n" + hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "JSON with a key and a string of escapes alone", input: streamOf(`{"apiVersion": "v1", "\u006bind": "ConfigMap", "metadata": {"name": "\u0061pp"}, "data": {"a": "b"}}` + "\n" + jsonWeb), rename: encodes("Renamed", "\"name\": \"app-4h2mbtbbt6\""), annotate: does("Stamped")},
	{name: "A ResourceList as JSON on one line", input: listOf(`{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "functionConfig": {"apiVersion": "confighash.dev/v1alpha1", "kind": "ConfigHash", "metadata": {"name": "roll"}, "spec": {"mode": "MODE"}}, "items": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}, "data": {"a": "b"}}, ` + jsonWeb + `]}`), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A ResourceList as JSON whose kind comes last", input: listOf(`{"items": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}, "data": {"a": "b"}}, ` + jsonWeb + `], "functionConfig": {"apiVersion": "confighash.dev/v1alpha1", "kind": "ConfigHash", "metadata": {"name": "roll"}, "spec": {"mode": "MODE"}}, "apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList"}`), rename: does("Renamed"), annotate: does("Stamped")},
}

const jsonWeb = `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"template": {"spec": {"containers": [{"name": "web", "envFrom": [{"configMapRef": {"name": "app"}}]}]}}}}`

// envKey takes the key k# of the ConfigMap.
const envKey = "        - {name: K#, valueFrom: {configMapKeyRef: {name: app, key: k#}}}\n"

// sharedBig returns a large ConfigMap with n additional keys, and as many Deployments that each take the large key and
// one of these.
func sharedBig(n int) []string {
	return append(eachNumbered(n, strings.ReplaceAll(strings.Replace(webWithout(), "envFrom:", "env:", 1), "name: web", "name: web-#")+
		"        - {name: BIG, valueFrom: {configMapKeyRef: {name: app, key: a}}}\n"+envKey),
		hostileHead+"data:\n  a: "+strings.Repeat("b", 1_000_000)+"\n"+numbered(n, "  k#: v\n"))
}

// pairs returns a ConfigMap with many keys, and Deployments that each take two different keys, or all.
func pairs(keys, n int) []string {
	manifests := []string{hostileHead + "data:\n" + numbered(keys, "  k#: v\n")}
	for i := range n {
		web := strings.Replace(strings.Replace(webWithout(), "name: web\nspec", fmt.Sprintf("name: web-%d\nspec", i), 1), "envFrom:", "env:", 1)
		web += strings.ReplaceAll(envKey, "#", fmt.Sprint(i)) + strings.ReplaceAll(envKey, "#", fmt.Sprint((i*i+7)%keys))
		if i%10 == 0 {
			web = strings.Replace(hostileWeb, "name: web\nspec", fmt.Sprintf("name: web-%d\nspec", i), 1)
		}
		manifests = append(manifests, web)
	}
	return manifests
}
