package hostile_test

import (
	"fmt"
	"strings"
)

// thing is a custom resource of an unknown kind.
const thing = "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: t\n"

var fieldRows = []hostileRow{
	{name: "A key of the item is there twice", input: documents(hostileApp+"data:\n  c: d\n", hostileWeb), rename: refuses(`line 1: ConfigMap app: the key "data" appears twice; keep one`)},
	{name: "A key of the metadata is there twice", input: documents(strings.Replace(hostileApp, "  name: app\n", "  name: app\n  name: b\n", 1), hostileWeb), rename: refuses(`line 1: ConfigMap b: metadata: the key "name" appears twice; keep one`)},
	{name: "A key of the data is there twice", input: documents(hostileApp+"  a: c\n", hostileWeb), rename: refuses(`ConfigMap app: data: the key "a" appears twice; keep one`)},
	{name: "A label is there twice", input: documents(strings.Replace(hostileApp, "\ndata:", "\n  labels:\n    a: b\n    a: c\ndata:", 1), hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "An annotation is there twice", input: documents(strings.Replace(hostileApp, "\ndata:", "\n  annotations: {a: b, a: c}\ndata:", 1), hostileWeb), rename: encodes("Renamed", ", a: b, a: c}\n"), annotate: does("Stamped")},
	{name: "An annotation of confighash is there twice", input: documents(strings.Replace(hostileApp, "\ndata:", "\n  annotations:\n    confighash.dev/ignore: \"true\"\n    confighash.dev/ignore: \"false\"\ndata:", 1), hostileWeb), rename: refuses(`line 1: ConfigMap app: metadata: annotations: the key "confighash.dev/ignore" appears twice; keep one`)},
	{name: "A key of a workload's template is there twice", input: documents(hostileApp, hostileWeb+"        envFrom: []\n"), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A key on the way to a template is there twice", input: documents(hostileApp, hostileWeb+"spec: {}\n"), rename: refuses(`line 8: Deployment web: the key "spec" appears twice; keep one`)},
	{name: "A key that nobody looks at is there twice", input: documents(hostileApp, hostileWeb, thing+"x:\n  a: b\n  a: c\n"), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A key in quotes that is there without them too", input: documents(hostileApp+"  \"a\": c\n", hostileWeb), rename: refuses(`ConfigMap app: data: the key "a" appears twice; keep one`)},
	{name: "`kind` is missing", input: documents("apiVersion: v1\nmetadata: {name: a}\n"), rename: refuses(`line 1: kind is missing; every item must be a Kubernetes resource with apiVersion and kind`)},
	{name: "`kind` is null", input: documents("apiVersion: v1\nkind:\nmetadata: {name: a}\n"), rename: refuses(`line 1: kind is missing; every item must be a Kubernetes resource with apiVersion and kind`)},
	{name: "`kind` is a mapping", input: documents("apiVersion: v1\nkind: {a: b}\nmetadata: {name: a}\n"), rename: refuses(`line 1: kind is missing; every item must be a Kubernetes resource with apiVersion and kind`)},
	{name: "`kind` is in lower case", input: documents(strings.Replace(hostileApp, "ConfigMap", "configmap", 1), hostileWeb), rename: passes("")},
	{name: "`apiVersion` is missing", input: documents("kind: ConfigMap\nmetadata: {name: a}\n"), rename: refuses(`line 1: ConfigMap a: apiVersion is missing; every item must be a Kubernetes resource with apiVersion and kind`)},
	{name: "`apiVersion` is a number", input: documents(strings.Replace(hostileApp, "apiVersion: v1", "apiVersion: 1", 1), hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`apiVersion` with two slashes", input: documents(strings.Replace(hostileApp, "apiVersion: v1", "apiVersion: a/b/v1", 1), hostileWeb), rename: passes("")},
	{name: "An item that is empty", input: documents("{}\n"), rename: refuses("line 1: kind is missing; every item must be a Kubernetes resource with apiVersion and kind")},
	{name: "`metadata` is null", input: documents("apiVersion: v1\nkind: ConfigMap\nmetadata:\ndata: {a: b}\n"), rename: passes("")},
	{name: "`metadata` is missing", input: documents("apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n"), rename: passes("")},
	{name: "`metadata` is a sequence", input: documents("apiVersion: v1\nkind: ConfigMap\nmetadata: [name: app]\n", hostileWeb), rename: passes("")},
	{name: "`metadata` is a text", input: documents("apiVersion: v1\nkind: ConfigMap\nmetadata: app\n", hostileWeb), rename: passes("")},
	{name: "`metadata.namespace` is a number", input: documents(strings.Replace(hostileApp, "  name: app\n", "  name: app\n  namespace: 12\n", 1), strings.Replace(hostileWeb, "  name: web\n", "  name: web\n  namespace: \"12\"\n", 1)), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`metadata.namespace` is null, or empty", input: documents(strings.Replace(hostileApp, "  name: app\n", "  name: app\n  namespace:\n", 1), strings.Replace(hostileWeb, "  name: web\n", "  name: web\n  namespace: \"\"\n", 1)), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`metadata.namespace` is a sequence", input: documents(strings.Replace(hostileApp, "  name: app\n", "  name: app\n  namespace: [a]\n", 1), hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`annotations` is null", input: documents(strings.Replace(hostileApp, "\ndata:", "\n  annotations:\ndata:", 1), hostileWeb), rename: encodes("Renamed"), annotate: does("Stamped")},
	{name: "`annotations` is a sequence", input: documents(strings.Replace(hostileApp, "\ndata:", "\n  annotations: [a]\ndata:", 1), hostileWeb), rename: refuses("line 1: ConfigMap app: metadata: annotations must be a mapping of strings")},
	{name: "`annotations` is a text", input: documents(strings.Replace(hostileApp, "\ndata:", "\n  annotations: a\ndata:", 1), hostileWeb), rename: refuses("line 1: ConfigMap app: metadata: annotations must be a mapping of strings")},
	{name: "Annotations and labels that are numbers, booleans, null and dates", input: documents(strings.Replace(hostileApp, "\ndata:", "\n  annotations: {a: 1, b: true, c: null, d: 2001-01-01}\n  labels: {a: 1, b: true, c:}\ndata:", 1), hostileWeb), rename: encodes("Renamed"), annotate: does("Stamped")},
	{name: "Labels that are mappings", input: documents(strings.Replace(hostileApp, "\ndata:", "\n  labels: {a: {b: c}}\ndata:", 1), hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`annotations` of a template is a sequence", input: documents(hostileApp, strings.Replace(hostileWeb, "    spec:\n", "    metadata:\n      annotations: [a]\n    spec:\n", 1)), rename: does("Renamed"), annotate: refuses("Deployment web: spec.template.metadata.annotations: found a sequence where a mapping is needed")},
	{name: "`metadata` of a template is null", input: documents(hostileApp, strings.Replace(hostileWeb, "    spec:\n", "    metadata:\n    spec:\n", 1)), rename: does("Renamed"), annotate: encodes("Stamped; it becomes a mapping", "annotations:\n", "checksum/config: ")},
	{name: "`spec` of a workload is null", input: documents(hostileApp, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n"), rename: passes("")},
	{name: "`containers` is a mapping", input: documents(hostileApp, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: {name: a, envFrom: [{configMapRef: {name: app}}]}}}}\n"), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`containers` holds null and texts", input: documents(hostileApp, strings.Replace(hostileWeb, "      - name: web\n", "      - null\n      - text\n      - name: web\n", 1)), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "The field that names a ConfigMap is null", input: documents(hostileApp, webOf("")), rename: passes("")},
	{name: "The field that names a ConfigMap is a mapping", input: documents(hostileApp, webOf("{a: app}")), rename: passes("")},
	{name: "The field that names a ConfigMap is a sequence", input: documents(hostileApp, webOf("[app]")), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "Several mistakes at once", input: documents(hostileApp+"  a: c\n", strings.Replace(hostileApp, "\ndata:", "\n  annotations: [a]\ndata:", 1), "kind: Pod\n", hostileWeb), rename: refuses("line 9: ConfigMap app: metadata: annotations must be a mapping of strings")},
	{name: "1,000 items with a mistake each", input: madeWhenRun(func() []string { return eachNumbered(1_000, "apiVersion: v1\nmetadata: {name: a-#}\n") }), rename: refuses("line 1: kind is missing; …900 more errors are not listed")},
}

var name242 = strings.Repeat("a", 242)

// named returns the ConfigMap and the workload with another text for the name.
func named(name string) input { return documents(appOf(name), webOf(name)) }

var nameRows = []hostileRow{
	{name: "A name that is missing, of an object that nothing refers to", input: documents("apiVersion: v1\nkind: ConfigMap\nmetadata: {}\ndata: {a: b}\n"), rename: passes("")},
	{name: "A name that is empty", input: named(`""`), rename: passes("")},
	{name: "A name that is null", input: named(""), rename: passes("")},
	{name: "A name that is a mapping", input: documents(appOf("{a: b}"), hostileWeb), rename: passes("")},
	{name: "`generateName` without a name", input: documents(strings.Replace(hostileApp, "  name: app", "  generateName: app-", 1), hostileWeb), rename: passes("")},
	{name: "A number as a name: `12`", input: named("12"), rename: encodes("Renamed, in quotes: all programs are to read a text", "name: \"12-4h2mbtbbt6\"\n"), annotate: does("Stamped")},
	{name: "A number as a name: `1e3`", input: named("1e3"), rename: encodes("Renamed, in quotes: all programs are to read a text", "name: \"1e3-4h2mbtbbt6\"\n"), annotate: does("Stamped")},
	{name: "A number as a name, and as a text in the reference", input: documents(appOf("0x1F"), webOf(`"0x1F"`)), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A number as a name, written otherwise in the reference", input: documents(appOf("10"), webOf("1e1")), rename: passes("")},
	{name: "A boolean as a name: `true`", input: named("true"), rename: encodes("Renamed, in quotes: all programs are to read a text", "name: \"true-4h2mbtbbt6\"\n"), annotate: does("Stamped")},
	{name: "A boolean of YAML 1.1 as a name: `no`", input: named("no"), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A date as a name", input: named("2001-01-01"), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`.inf` as a name", input: named(".inf"), rename: passes("")},
	{name: "`~` as a name", input: named("~"), rename: passes("")},
	{name: "A name of 242 characters", input: named(name242), rename: does("Renamed: with the hash it has 253, as many as an API server takes"), annotate: does("Stamped")},
	{name: "A name of 243 characters", input: named(name242 + "a"), rename: refuses("ConfigMap aaa…: metadata.name: with the hash, the name … would be 254 characters long; 253 are allowed, so at most 242 before the hash"), annotate: does("Stamped")},
	{name: "A name of 253 characters", input: named(name242 + "aaaaaaaaaaa"), rename: refuses("ConfigMap aaa…: metadata.name: with the hash, the name … would be 264 characters long; 253 are allowed, so at most 242 before the hash"), annotate: does("Stamped")},
	{name: "A name of 10,000 characters", input: named(strings.Repeat("a", 10_000)), rename: refuses("ConfigMap aaa…: metadata.name: with the hash, the name … would be 10011 characters long; 253 are allowed, so at most 242 before the hash"), annotate: does("Stamped")},
	{name: "A name of 10,000 characters, in an annotation for each source", input: listOf(strings.Replace(resourceListOf([]string{appOf(strings.Repeat("a", 10_000)), webOf(strings.Repeat("a", 10_000))}), "mode: MODE", "mode: MODE, annotate: {scope: Source, key: example.com/c}", 1)), rename: refuses("ConfigMap aaa…: metadata.name: with the hash, the name … would be 10011 characters long; 253 are allowed, so at most 242 before the hash"), annotate: encodes("Stamped; the annotation's key is cut to 63 characters and hashed")},
	{name: "Capital letters in a name", input: named("App"), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "Underscores in a name", input: named("my_app"), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A slash in a name", input: named("a/b"), rename: passes("")},
	{name: "A colon and a space in a name", input: named(`"a: b"`), rename: passes("")},
	{name: "Spaces around a name", input: named(`" app "`), rename: passes("")},
	{name: "A line break in a name", input: named(`"a\nb"`), rename: passes("")},
	{name: "A `#` in a name", input: named("a#b"), rename: passes("")},
	{name: "A quote in a name", input: named("'it''s'"), rename: passes("")},
	{name: "A name of letters that are not ASCII", input: named("größe"), rename: passes("")},
	{name: "A name that looks as if it had a hash: `app-4h2mbtbbt6`", input: named("app-4h2mbtbbt6"), rename: encodes("The hash is its own, as of one of kustomize's generators, so the name stays", "name: app-4h2mbtbbt6\n", "confighash.dev/hash: 4h2mbtbbt6\n"), annotate: encodes("Stamped", "checksum/config: ")},
	{name: "A name that ends in ten letters of a hash, but of another", input: named("app-bbbbbbbbbb"), rename: encodes("Renamed", "name: app-bbbbbbbbbb-4h2mbtbbt6\n"), annotate: encodes("Stamped", "checksum/config: ")},
	{name: "`confighash.dev/hash` that is not a suffix", input: documents(strings.Replace(hostileApp, "\ndata:", "\n  annotations:\n    confighash.dev/hash: \"\"\ndata:", 1), hostileWeb), rename: encodes("Renamed; it becomes the suffix", "name: app-4h2mbtbbt6\n", "confighash.dev/hash: \"4h2mbtbbt6\"\n"), annotate: does("Stamped")},
	{name: "`confighash.dev/hash` that is all of the name", input: documents(strings.Replace(appOf("bbbbbbbbbb"), "\ndata:", "\n  annotations:\n    confighash.dev/hash: bbbbbbbbbb\ndata:", 1), webOf("bbbbbbbbbb")), rename: encodes("Renamed; nothing is taken off", "name: bbbbbbbbbb-4h2mbtbbt6\n"), annotate: encodes("Stamped", "name: bbbbbbbbbb\n", "checksum/config: ")},
	{name: "Two objects of one kind, namespace and name", input: documents(hostileApp, hostileApp, hostileWeb), rename: refuses("ConfigMap app: metadata.name: the input holds ConfigMap default/app twice (lines 1 and 8); keep one")},
	{name: "Two objects of one name, of which one is in the default namespace by name", input: documents(hostileApp, strings.Replace(hostileApp, "  name: app\n", "  name: app\n  namespace: default\n", 1), hostileWeb), rename: refuses("ConfigMap default/app: metadata.name: the input holds ConfigMap default/app twice (lines 1 and 8); keep one")},
	{name: "Two objects of one name that nothing refers to", input: documents(hostileApp, hostileApp), rename: passes("")},
	{name: "Two workloads of one name", input: documents(hostileApp, hostileWeb, hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A new name that another object has already", input: documents(hostileApp, strings.Replace(hostileHead, "app", "app-4h2mbtbbt6", 1)+"data:\n  c: d\n", hostileWeb), rename: refuses(`ConfigMap app: metadata.name: its new name "app-4h2mbtbbt6" would be that of ConfigMap app-4h2mbtbbt6 (line 8) in the same namespace; rename or remove one`), annotate: encodes("Stamped", "name: app\n", "name: app-4h2mbtbbt6\n", "checksum/config: ")},
}

// annotated returns a ConfigMap that names others in its annotations.
func annotated(name, target string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n  annotations:\n    config.kubernetes.io/depends-on: /namespaces/default/ConfigMap/" + target + "\ndata:\n  a: b\n"
}

var referenceHostileRows = []hostileRow{
	{name: "Two ConfigMaps that name each other in annotations", input: documents(annotated("app", "other"), annotated("other", "app"), hostileWeb), rename: encodes("Renamed, for annotations are not hashed", "depends-on: /namespaces/default/ConfigMap/other-4h2mbtbbt6\n"), annotate: does("Stamped")},
	{name: "A ConfigMap that names itself in an annotation", input: documents(annotated("app", "app"), hostileWeb), rename: encodes("Renamed, for annotations are not hashed", "depends-on: /namespaces/default/ConfigMap/app-4h2mbtbbt6\n"), annotate: does("Stamped")},
	{name: "Two ConfigMaps whose data name each other", input: documents(contentOf("ring-0", "ring-1"), contentOf("ring-1", "ring-0")), rename: refuses("ConfigMap ring-0: its content refers to itself by way of ConfigMap ring-0, ConfigMap ring-1; a hash of it cannot be computed"), annotate: passes("")},
	{name: "A ConfigMap whose data name itself", input: documents(contentOf("ring-0", "ring-0")), rename: passes("Nothing else refers to it")},
	{name: "A ConfigMap whose data name itself, and a workload that consumes it", input: documents(contentOf("ring-0", "ring-0"), webOf("ring-0")), rename: refuses("ConfigMap ring-0: its content refers to itself by way of ConfigMap ring-0; a hash of it cannot be computed"), annotate: does("Stamped")},
	{name: "1,000 ConfigMaps whose data name each the next, and the last the first", input: documents(contentRing(1_000)...), rename: refuses("ConfigMap ring-0: its content refers to itself by way of ConfigMap ring-0, ConfigMap ring-1, …; a hash of it cannot be computed"), annotate: passes("")},
	{name: "1,000 ConfigMaps whose data name each the next", input: documents(append(contentRing(1_000)[:999], strings.ReplaceAll(hostileApp, "app", "ring-999"))...), rename: does("Renamed, the last one first"), annotate: passes("")},
	{name: "A reference to an object that is not there", input: documents(hostileWeb), rename: passes("")},
	{name: "A reference to an object of another namespace", input: documents(strings.Replace(hostileApp, "  name: app\n", "  name: app\n  namespace: other\n", 1), hostileWeb), rename: warnsOnly(`Deployment web: spec.template.spec.containers[0].envFrom[0].configMapRef.name: ConfigMap "app" is not in the namespace "default", but in "other"; give both the same namespace, or say by --namespace or spec.namespace where resources without one are applied`)},
	{name: "A reference in a folded scalar", input: documents(hostileApp, webOf(">-\n              app")), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A reference in a literal scalar with a line break after it", input: documents(hostileApp, webOf("|\n              app")), rename: passes("")},
	{name: "A reference in a literal scalar without one", input: documents(hostileApp, webOf("|-\n              app")), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A reference in a plain scalar of two lines", input: documents(appOf("\"a b\""), webOf("a\n              b")), rename: passes("")},
	{name: "A reference in a quoted scalar of two lines", input: documents(appOf("\"a b\""), webOf("\"a\n              b\"")), rename: passes("")},
	{name: "A reference in escapes: `\"\\x61pp\"`", input: documents(hostileApp, webOf(`"\x61pp"`)), rename: encodes("Renamed", "name: \"app-4h2mbtbbt6\"\n"), annotate: does("Stamped")},
	{name: "A reference on the line after its key", input: documents(hostileApp, webOf("\n              app")), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "References in a workload of all aliases", input: documents(hostileApp, strings.Replace(hostileWeb, "            name: app\n", "            name: &n app\n        - configMapRef: {name: *n}\n        - configMapRef: {name: *n}\n", 1)), rename: encodes("Renamed; the aliases are written out", "- configMapRef: {name: app-4h2mbtbbt6}\n"), annotate: does("Stamped")},
	{name: "`name: *n` in a workload, where the anchor is a label", input: documents(hostileApp, strings.Replace(webOf("*n"), "  name: web\n", "  name: web\n  labels: {app: &n app}\n", 1)), rename: encodes("Renamed; the alias is written out, and the label stays", "labels: {app: &n app}\n", "name: app-4h2mbtbbt6\n"), annotate: does("Stamped")},
	{name: "A regular expression of Reloader's that never ends", input: listOf(strings.Replace(resourceListOf([]string{hostileApp, strings.Replace(hostileWeb, "  name: web\n", "  name: web\n  annotations:\n    configmap.reloader.stakater.com/reload: \"(a+)+$,((a*)*)*b\"\n", 1)}), "mode: MODE", "mode: MODE, policy: Reloader", 1)), rename: warnsOnly(`Deployment web: metadata.annotations["configmap.reloader.stakater.com/reload"]: "((a*)*)*b" matches no ConfigMap in the input; correct the name, remove it, or add the object`)},
	{name: "A custom resource whose fields are 900 deep, with a reference at the bottom", input: documents(hostileApp, deepThing(900)), rename: does("Renamed"), annotate: passes("")},
	{name: "A custom resource whose fields are 1,100 deep, with a reference at the bottom", input: documents(hostileApp, deepThing(1_100)), rename: does("Renamed"), annotate: passes("")},
	{name: "A manifest in a manifest in a manifest, as texts", input: documents(hostileApp, hostileWeb, nestedManifest(3)), rename: warns(`ConfigMap outer: data["manifest.yaml"]: "app" is a former name of the ConfigMap that is now app-4h2mbtbbt6; if this place refers to it, it is not updated: keep the name with the annotation confighash.dev/ignore: "true" on the ConfigMap`), annotate: does("Stamped")},
}

// contentOf returns a ConfigMap of ingress-nginx whose data name another, on whose name its hash depends.
func contentOf(name, target string) string {
	return strings.Replace(hostileHead, "app", name, 1) + "data:\n  proxy-set-headers: default/" + target + "\n"
}

// contentRing returns ConfigMaps whose data name the next one, and the last the first.
func contentRing(n int) []string {
	ring := make([]string, n)
	for i := range ring {
		ring[i] = contentOf(fmt.Sprintf("ring-%d", i), fmt.Sprintf("ring-%d", (i+1)%n))
	}
	return ring
}

// deepThing returns a custom resource with a deeply nested reference.
func deepThing(depth int) string {
	return thing + "spec: " + strings.Repeat("{a: ", depth) + "{configMapRef: {name: app}}" + strings.Repeat("}", depth) + "\n"
}

// nestedManifest returns nested ConfigMaps, each as text in the data of another.
func nestedManifest(depth int) string {
	text := hostileWeb
	for range depth {
		text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: outer\ndata:\n  manifest.yaml: |\n" + strings.ReplaceAll("    "+strings.TrimSuffix(text, "\n"), "\n", "\n    ") + "\n"
	}
	return text
}

// nestedLists returns a List of a List of … of ConfigMaps.
func nestedLists(depth int) string {
	return strings.Repeat("{apiVersion: v1, kind: List, items: [", depth) + strings.ReplaceAll("{apiVersion: v1, kind: ConfigMap, metadata: {name: app}, data: {a: b}}", "\n", "") + strings.Repeat("]}", depth) + "\n"
}

// blockList returns manifests in a List in block style.
func blockList(kind string, manifests ...string) string {
	_, items, _ := strings.Cut(resourceListOf(manifests), "items:\n")
	return "apiVersion: v1\nkind: " + kind + "\nitems:\n" + items
}

// listWith returns a ResourceList of the two manifests with another head.
func listWith(head string) input {
	_, items, _ := strings.Cut(resourceListOf([]string{hostileApp, hostileWeb}), "items:\n")
	return listOf(head + "items:\n" + items)
}

var listRows = []hostileRow{
	{name: "A List", input: documents(blockList("List", hostileApp, hostileWeb)), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A ConfigMapList, and a List in a List", input: documents(blockList("List", blockList("ConfigMapList", hostileApp), hostileWeb)), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "Lists 16 deep", input: documents(nestedLists(16), hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "Lists 17 deep", input: documents(nestedLists(17), hostileWeb), rename: refuses("line 1: Lists are nested more than 16 deep")},
	{name: "Lists 1,000 deep", input: documents(nestedLists(1_000), hostileWeb), rename: refuses("line 1: Lists are nested more than 16 deep")},
	{name: "A List without `items`", input: documents("apiVersion: v1\nkind: List\n"), rename: passes("")},
	{name: "A List with `items: []`", input: documents("apiVersion: v1\nkind: List\nitems: []\n"), rename: passes("")},
	{name: "A List with `items: null`", input: documents("apiVersion: v1\nkind: List\nitems: null\n"), rename: passes("")},
	{name: "A List with `items:` and nothing after it", input: documents("apiVersion: v1\nkind: List\nitems:\n"), rename: passes("")},
	{name: "A List with `items: {}`", input: documents("apiVersion: v1\nkind: List\nitems: {}\n"), rename: refuses("line 3: items of a List is a mapping; it must be a sequence of resources")},
	{name: "A List with `items: text`", input: documents("apiVersion: v1\nkind: List\nitems: text\n"), rename: refuses("line 3: items of a List is a scalar; it must be a sequence of resources")},
	{name: "A List with a text for an item", input: documents("apiVersion: v1\nkind: List\nitems:\n- text\n"), rename: refuses("line 4: found a scalar; every item must be a Kubernetes resource: a mapping with apiVersion and kind")},
	{name: "A List with null for an item", input: documents("apiVersion: v1\nkind: List\nitems:\n- null\n"), rename: refuses("line 4: found null; every item must be a Kubernetes resource: a mapping with apiVersion and kind")},
	{name: "A List with an empty item", input: documents("apiVersion: v1\nkind: List\nitems:\n-\n"), rename: refuses("line 4: found null; every item must be a Kubernetes resource: a mapping with apiVersion and kind")},
	{name: "A List that has `items` twice", input: documents("apiVersion: v1\nkind: List\nitems: []\nitems: []\n"), rename: refuses(`line 4: the List has the key "items" twice; keep one`)},
	{name: "A custom resource whose kind ends in List: `spec.items`", input: documents(hostileApp, hostileWeb, "apiVersion: example.com/v1\nkind: AccessList\nmetadata: {name: l}\nspec: {items: [10.0.0.1]}\n"), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A custom resource whose kind ends in List: `items` of texts", input: documents(hostileApp, hostileWeb, "apiVersion: example.com/v1\nkind: AccessList\nmetadata: {name: l}\nitems: [10.0.0.1]\n"), rename: refuses(`line 24: found a scalar; every item must be a Kubernetes resource: a mapping with apiVersion and kind`)},
	{name: "A List in flow style on one line", input: documents("{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: ConfigMap, metadata: {name: app}, data: {a: b}}]}\n", hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A ResourceList in a List", input: documents(blockList("List", strings.ReplaceAll(resourceListOf([]string{hostileApp}), "MODE", "Rename")), hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A ResourceList in a ResourceList", input: listOf(resourceListOf([]string{resourceListOf([]string{hostileApp}), hostileWeb})), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "Two ResourceLists in one input", input: listOf(resourceListOf([]string{hostileApp}) + "---\n" + resourceListOf([]string{hostileWeb})), rename: refusesUnread("line 12: a document follows the ResourceList; a ResourceList must be the only document of its input")},
	{name: "Manifests after a ResourceList", input: listOf(resourceListOf([]string{hostileApp}) + "---\n" + hostileWeb), rename: refusesUnread("line 12: a document follows the ResourceList; a ResourceList must be the only document of its input")},
	{name: "A ResourceList after a manifest", input: listOf(hostileApp + "---\n" + resourceListOf([]string{hostileWeb})), rename: refusesUnread("give --mode Rename, --mode Annotate or --config FILE: only a ResourceList has its own functionConfig")},
	{name: "A ResourceList between `---`, comments and empty documents", input: listOf("---\n# one\n---\n" + resourceListOf([]string{hostileApp, hostileWeb}) + "---\n# two\n"), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A ResourceList of v1alpha1", input: listWith(strings.Replace(resourceListHead, "io/v1", "io/v1alpha1", 1)), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A ResourceList of v2", input: listWith(strings.Replace(resourceListHead, "io/v1", "io/v2", 1)), rename: refusesUnread(`line 1: the ResourceList has apiVersion "config.kubernetes.io/v2"; config.kubernetes.io/v1 and config.kubernetes.io/v1alpha1 are known`)},
	{name: "A ResourceList of another group", input: listWith(strings.Replace(resourceListHead, "config.kubernetes.io/v1", "example.com/v1", 1)), rename: refusesUnread(`line 1: the ResourceList has apiVersion "example.com/v1"; config.kubernetes.io/v1 and config.kubernetes.io/v1alpha1 are known`)},
	{name: "A ResourceList without an apiVersion", input: listWith(strings.Replace(resourceListHead, "apiVersion: config.kubernetes.io/v1\n", "", 1)), rename: refusesUnread(`line 1: the ResourceList has apiVersion ""; config.kubernetes.io/v1 and config.kubernetes.io/v1alpha1 are known`)},
	{name: "A ResourceList with fields that nobody knows", input: listWith(resourceListHead + "x-more: {a: b}\nmetadata: {name: x}\n"), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A ResourceList with results of an earlier function", input: listWith(resourceListHead + "results:\n- message: earlier\n"), rename: encodes("Renamed; the results go, as others take their place", "name: app-4h2mbtbbt6\n"), annotate: encodes("Stamped; the results go, as others take their place", "checksum/config: ")},
	{name: "A ResourceList with `results: null`", input: listWith(resourceListHead + "results: null\n"), rename: encodes("Renamed; the results go, as others take their place", "name: app-4h2mbtbbt6\n"), annotate: encodes("Stamped; the results go, as others take their place", "checksum/config: ")},
	{name: "A ResourceList that has `items` twice", input: listOf(resourceListHead + "items: []\nitems: []\n"), rename: refusesUnread(`line 5: the ResourceList has the key "items" twice; keep one`)},
	{name: "A ResourceList that has `functionConfig` twice", input: listOf(resourceListHead + "functionConfig: {}\nitems: []\n"), rename: refusesUnread(`line 4: the ResourceList has the key "functionConfig" twice; keep one`)},
	{name: "A ResourceList without items", input: listOf(resourceListHead), rename: encodes("Goes out with `items: []`", "\nitems: []\n")},
	{name: "A ResourceList with `items: null`", input: listOf(resourceListHead + "items: null\n"), rename: encodes("Goes out with `items: []`", "\nitems: []\n")},
	{name: "A ResourceList with `items: {}`", input: listOf(resourceListHead + "items: {}\n"), rename: refusesUnread("line 4: items of the ResourceList is a mapping; it must be a sequence of resources")},
	{name: "A ResourceList with texts for items", input: listOf(resourceListHead + "items: [a, b]\n"), rename: refuses("line 4: found a scalar; every item must be a Kubernetes resource: a mapping with apiVersion and kind")},
	{name: "A ResourceList with null for an item", input: listOf(resourceListHead + "items:\n- null\n"), rename: refuses("line 5: found null; every item must be a Kubernetes resource: a mapping with apiVersion and kind")},
	{name: "A ResourceList all on one line", input: listOf("{apiVersion: config.kubernetes.io/v1, kind: ResourceList, functionConfig: {apiVersion: confighash.dev/v1alpha1, kind: ConfigHash, metadata: {name: roll}, spec: {mode: MODE}}, items: [{apiVersion: v1, kind: ConfigMap, metadata: {name: app}, data: {a: b}}, " + jsonWeb + "]}\n"), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A ResourceList whose keys are in quotes", input: listOf(strings.NewReplacer("\nkind:", "\n\"kind\":", "\nitems:", "\n'items':").Replace(resourceListOf([]string{hostileApp, hostileWeb}))), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A ResourceList that is indented", input: listOf("  " + strings.ReplaceAll(strings.TrimSuffix(resourceListOf([]string{hostileApp, hostileWeb}), "\n"), "\n", "\n  ") + "\n"), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A functionConfig that is missing", input: listWith("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"), rename: refuses("functionConfig: is missing; the minimum:")},
	{name: "A functionConfig that is null", input: listWith("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: null\n"), rename: refuses("functionConfig: is missing; the minimum:")},
	{name: "A functionConfig that is a sequence", input: listWith("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: [a]\n"), rename: refuses("functionConfig: must be a mapping, not a list; the minimum:")},
	{name: "A functionConfig that is a text", input: listWith("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: Rename\n"), rename: refuses("functionConfig: must be a mapping, not a string; the minimum:")},
	{name: "A functionConfig of another kind", input: listWith("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {apiVersion: v1, kind: Secret, metadata: {name: x}, data: {mode: MODE}}\n"), rename: refuses(`kind: "Secret" is not known; known are ConfigHash (apiVersion confighash.dev/v1alpha1) and ConfigMap (apiVersion v1), the flat form`)},
	{name: "A functionConfig with a key that is there twice", input: listWith(strings.Replace(resourceListHead, "mode: MODE", "mode: MODE, mode: Annotate", 1)), rename: refuses("spec.mode: is set twice; remove one of the two")},
	{name: "A functionConfig with a field that nobody knows", input: listWith(strings.Replace(resourceListHead, "mode: MODE", "mode: MODE, flavour: x", 1)), rename: refuses("spec.flavour: is not a known field; known here: mode, policy, …")},
	{name: "A functionConfig with a regular expression that does not parse", input: listWith(strings.Replace(resourceListHead, "mode: MODE", "mode: MODE, include: [{name: '('}]", 1)), rename: refuses(`spec.include[0].name: "(" is not a regular expression: error parsing regexp: missing closing ): …`)},
	{name: "A functionConfig that asks for a regular expression of a million repetitions", input: listWith(strings.Replace(resourceListHead, "mode: MODE", "mode: MODE, include: [{name: '((a{1000}){1000}){1000}'}]", 1)), rename: refuses(`spec.include[0].name: … is not a regular expression: error parsing regexp: invalid repeat count: …`)},
	{name: "A functionConfig with an alias of itself", input: listWith(strings.Replace(resourceListHead, "spec: {mode: MODE}", "spec: &s {mode: MODE, rename: *s}", 1)), rename: refuses("spec.rename.mode: is not a known field; did you mean spec.mode?")},
	{name: "A functionConfig 9,000 deep", input: listWith(strings.Replace(resourceListHead, "mode: MODE", "mode: MODE, include: "+strings.Repeat("[", 9000)+strings.Repeat("]", 9000), 1)), rename: refuses("spec.include[0]: must be a mapping, not a list")},
	{name: "A salt of 1 MB", input: listWith(strings.Replace(resourceListHead, "mode: MODE", "mode: MODE, salt: "+strings.Repeat("s", 1_000_000), 1)), rename: does("Renamed"), annotate: does("Stamped")},
}

var contentRows = []hostileRow{
	{name: "`data` is missing", input: documents(hostileHead, hostileWeb), rename: passes("It holds no data, so it keeps its name"), annotate: passes("")},
	{name: "`data` is null", input: documents(hostileHead+"data:\n", hostileWeb), rename: passes("It holds no data, so it keeps its name"), annotate: passes("")},
	{name: "`data: {}`", input: documents(hostileHead+"data: {}\n", hostileWeb), rename: passes("It holds no data, so it keeps its name"), annotate: passes("")},
	{name: "`data: []`", input: documents(hostileHead+"data: []\n", hostileWeb), rename: refuses("ConfigMap app: data must be a mapping of keys to strings")},
	{name: "`data` is a text", input: documents(hostileHead+"data: text\n", hostileWeb), rename: refuses("ConfigMap app: data must be a mapping of keys to strings")},
	{name: "`data: []` of an object that nothing refers to", input: documents(hostileHead + "data: []\n"), rename: passes("")},
	{name: "A value that is a mapping", input: documents(hostileHead+"data:\n  a: {b: c}\n", hostileWeb), rename: refuses(`ConfigMap app: data: the value of "a" is not a string; quote it, or write it as a block`)},
	{name: "A value that is a sequence", input: documents(hostileHead+"data:\n  a: [b]\n", hostileWeb), rename: refuses(`ConfigMap app: data: the value of "a" is not a string; quote it, or write it as a block`)},
	{name: "Values that are numbers, booleans, dates and null", input: documents(hostileHead+"data:\n  a: 1\n  b: true\n  c: 2001-01-01\n  d: null\n  e:\n  f: 0x1F\n  g: yes\n", hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A key that is a number, and one that is null", input: documents(hostileHead+"data:\n  1: a\n  ~: b\n", hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A key that is a sequence", input: documents(hostileHead+"data:\n  [a]: b\n", hostileWeb), rename: refuses("ConfigMap app: data: a key is not a string")},
	{name: "A key that no API server takes: `a/b c`", input: documents(hostileHead+"data:\n  a/b c: d\n", hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "An empty key", input: documents(hostileHead+"data:\n  \"\": d\n", hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "One key in `data` and `binaryData`", input: documents(hostileHead+"data:\n  a: b\nbinaryData:\n  a: Yg==\n", hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`binaryData` that is not base64", input: documents(hostileHead+"binaryData:\n  a: \"***\"\n", hostileWeb), rename: does("Renamed"), annotate: warns(`ConfigMap app: binaryData: the value of "a" is not base64, so it counts as the text that is written; an API server refuses it unless something replaces it before: encode it, or write it under data`)},
	{name: "A Secret's `data` that is not base64", input: documents(secretHead+"data:\n  a: not base64!\n", secretWeb), rename: does("Renamed"), annotate: warns(`Secret s: data: the value of "a" is not base64, so it counts as the text that is written; an API server refuses it unless something replaces it before: encode it, or write it under stringData`)},
	{name: "A Secret's `data` in base64 with line breaks", input: documents(secretHead+"data:\n  a: |\n    YWJj\n    ZGVm\n", secretWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A Secret's `data` in base64 without padding", input: documents(secretHead+"data:\n  a: YQ\n", secretWeb), rename: does("Renamed"), annotate: warns(`Secret s: data: the value of "a" is not base64, so it counts as the text that is written; an API server refuses it unless something replaces it before: encode it, or write it under stringData`)},
	{name: "A Secret's `data` that is a number: `1234`", input: documents(secretHead+"data:\n  a: 1234\n", secretWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "One key in `data` and `stringData`", input: documents(secretHead+"data:\n  a: Yg==\nstringData:\n  a: c\n", secretWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`stringData: []`", input: documents(secretHead+"stringData: []\n", secretWeb), rename: refuses("Secret s: stringData must be a mapping of keys to strings")},
	{name: "A Secret's `type` that is a mapping", input: documents(secretHead+"type: {a: b}\nstringData:\n  a: c\n", secretWeb), rename: refuses("Secret s: type is not a string")},
	{name: "A Secret's `type` that is null", input: documents(secretHead+"type:\nstringData:\n  a: c\n", secretWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "A password that begins with `*`, without quotes", input: documents(secretHead+"stringData:\n  a: *hunter2\n", secretWeb), rename: refuses("line 6: not valid YAML: an alias names an anchor that is not there; quote a value that begins with *")},
	{name: "A password that begins with `@`, without quotes", input: documents(secretHead+"stringData:\n  a: @hunter2\n", secretWeb), rename: refuses("line 6: not valid YAML: found character that cannot start any token; indent with spaces, not tabs, and quote a value that begins with @")},
	{name: "A password with `: ` in it, without quotes", input: documents(secretHead+"stringData:\n  a: hunter2: b\n", secretWeb), rename: refuses("line 6: not valid YAML: mapping values are not allowed in this context")},
	{name: "`immutable: yes`", input: documents(hostileApp+"immutable: yes\n", hostileWeb), rename: does("Renamed"), annotate: does("Stamped")},
	{name: "`sops: null`", input: documents(secretHead+"stringData:\n  a: c\nsops:\n", secretWeb), rename: does("Renamed"), annotate: does("Stamped")},
}
