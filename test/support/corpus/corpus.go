// Package corpus has the seeds of fuzz tests: the manifests of the repository's own tests, and texts that are unusual
// YAML, or almost YAML.
package corpus

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Manifests returns the different YAML and JSON texts of testdata that are not longer than most, in the order of their
// paths, followed by Odd.
func Manifests(tb testing.TB, most int) []string {
	tb.Helper()
	var texts []string
	seen := map[string]bool{}
	add := func(name, text string) {
		switch filepath.Ext(name) {
		case ".yaml", ".yml", ".json":
			if len(text) <= most && !seen[text] {
				seen[text] = true
				texts = append(texts, text)
			}
		}
	}
	dir := os.DirFS(testdata(tb))
	err := fs.WalkDir(dir, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "templates":
			return filepath.SkipDir // of a chart: these are templates
		case entry.IsDir():
			return nil
		}
		text, err := fs.ReadFile(dir, path)
		if err != nil {
			return err
		}
		if filepath.Ext(path) != ".txtar" {
			add(path, string(text))
			return nil
		}
		for _, file := range txtar.Parse(text).Files {
			add(file.Name, string(file.Data))
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return slices.Concat(texts, Odd())
}

func testdata(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil {
			return filepath.Join(dir, "testdata")
		}
		above := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || above == dir {
			tb.Fatalf("no go.mod in the folder or above it: %v", err)
		}
		dir = above
	}
}

// pod refers to the ConfigMap a.
const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, envFrom: [{configMapRef: {name: a}}]}]}\n"

// configMap is the ConfigMap a.
const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"

const list = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"

// Odd returns unusual manifests: with aliases, merge keys, tags, directives, other encodings and breaks, markers in odd
// places, missing values, duplicate keys.
func Odd() []string {
	texts := []string{
		"", "\n", "---\n", "...\n", "--- # nothing\n...\n---\n", "null\n", "{}\n", "[]\n", "a", "- a\n", "\ufeff", "\x00", "\xff\xfe{\x00}\x00", "a: \xff\n", "%YAML 1.2\n", "&a", "*a", "? \n", "!!str",

		// Aliases and merge keys, within and across items.
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: &n a, labels: {app: *n}}\ndata: &d {k: v}\nbinaryData: *d\n---\n" + pod,
		"kind: List\napiVersion: v1\nitems:\n- &cm {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: v}}\n- *cm\n- <<: *cm\n  metadata: {name: b}\n",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: &m {<<: {name: a}}\ndata: {<<: [{k: v}, {k: w, l: v}], k: x}\n---\n" + pod,
		"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - &c\n    name: c\n    envFrom: &e\n    - configMapRef: &r {name: a}\n  - <<: *c\n    name: d\n    envFrom: *e\n---\n" + configMap,
		"a: &a [*a]\n", "a: &a {<<: *a}\n", "&a a: *a\n", "? &k name\n: *k\n? {a: b}\n: c\n",
		"x: &x {y: &y [z]}\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: a, annotations: {<<: *x, confighash.dev/hash: 4h2mbtbbt6}}\n",

		// Flow style and JSON, over lines, with comments, concatenated.
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, }, data: {k: v # c\n, \"l\" : 'it''s'}}\n--- {apiVersion: v1, kind: Secret, metadata: {name: s}}\n---\n" + pod,
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a\/b \ud83d\ude00 \u0061"},"data":{"k":"v"}}` + "\n" + `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}} {"kind":"Pod"}`,
		`{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"` + "\u2028\u0085" + `"}},` +
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"volumes":[{"name":"v","configMap":{"name":"a"}}]}}]}`,

		// Line breaks, byte order marks, tabs, NUL, other encodings.
		strings.ReplaceAll(configMap+"---\n"+pod, "\n", "\r\n"), strings.ReplaceAll(configMap, "\n", "\r"), "\ufeff" + configMap + "---\n\ufeff" + pod,
		"apiVersion: v1\u2028kind: ConfigMap\u0085metadata: {name: a}\u2029---\nkind: Pod\n", "kind:\tConfigMap\t# tab\nmetadata:\n\tname: a\n",
		configMap + "  \x00: b\n", configMap + "  n: \"\\0\\x01\\e\\_\"\n", "kind: ConfigMap\nmetadata: {name: \xc3}\n", configMap + "  é漢🙂: \"\U0010ffff\ufffe\"\n",

		// Tags, directives, markers.
		"%YAML 1.1\n# c\n---\n" + configMap + "...\n%TAG !k! tag:k8s.io,2026:\n---\napiVersion: !!str v1\nkind: !k!x Pod\nmetadata: {name: ! p}\n",
		"--- !!map\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: !!str 12}\ndata: !!map {k: !!binary aGk=, l: !!int 1}\n--- &a\nkind: Pod\n",
		configMap + "  t: |\n    ---\n    kind: Pod\n  u: >-2\n      x\n    y\n\n  w: |+\n\n    ...\n\n\n---\n" + pod, configMap + "  t: \"\n---\n\"\n", configMap + "  t: 'a\n\n  --- b\n... '\n",
		"--- |\n a\n--- >\n---\n--- \"a\"\n--- # c\n" + configMap, "---\t" + configMap, "---a\n", "kind: ConfigMap\n--- \n...\n...\n# end", configMap + "...\ngarbage: [\n",

		// Missing values, numbers and the like as names; duplicate keys.
		"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name:\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ~, namespace: null}\n---\napiVersion: v1\nkind: Secret\nmetadata: null\n---\nkind:\nmetadata: []\n",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 12}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: yes, annotations: }\n---\n" +
			"apiVersion: v1\nkind: Pod\nmetadata: {name: 0x1F}\nspec: {volumes: [{configMap: {name: 12}}, {configMap: {name: yes}}, {configMap: {name: }}, {configMap: }, ]}\n",
		"apiVersion: v1\nkind: ConfigMap\nkind: Secret\nmetadata: {name: a, name: b}\ndata: {k: v, k: w}\ndata: {}\n",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: [x]}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: [a]}\ndata: [a]\n", configMap + "---\n" + configMap,
		"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: >-\n    a\n  annotations:\n    # none\n---\n" + strings.Replace(pod, "{name: a}", "{name: \"a\\\n  \"}", 1),

		// The output of an earlier run, or of kustomize.
		"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x-a-4h2mbtbbt6-y\n  annotations:\n    confighash.dev/hash: 4h2mbtbbt6\ndata:\n  k: v\n---\n" + strings.Replace(pod, "{name: a}", "{name: a-4h2mbtbbt6}", 1),
		"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: dev-a\n  annotations:\n    internal.config.kubernetes.io/previousNames: a\n    internal.config.kubernetes.io/previousNamespaces: default\n" +
			"    internal.config.kubernetes.io/previousKinds: ConfigMap\n    internal.config.kubernetes.io/prefixes: dev-\n    kustomize.config.k8s.io/id: '1'\ndata:\n  k: v\n---\n" + pod,
		"apiVersion: v1\nkind: Secret\nmetadata: {name: s, annotations: {internal.config.kubernetes.io/previousNames: \",\", internal.config.kubernetes.io/previousKinds: a}}\n",

		// Lists and ResourceLists.
		"apiVersion: v1\nkind: List\nitems:\n" + indented(configMap) + "# between\n" + indented(pod), "kind: List\nitems:\n- kind: ConfigMapList\n  items:\n  - kind: A\n-\n  kind: B\n- # c\n  kind: C\n",
		"kind: List\nitems:\n- x: \"one\n- two\"\n- y: |\n   - z\n- {a: [\n- b]}\n", "kind: List\nitems: []\n---\nkind: List\nitems:\n---\nkind: List\n",
		list + "items:\n" + indented(configMap) + indented(pod) + "functionConfig:\n  apiVersion: confighash.dev/v1alpha1\n  kind: ConfigHash\n  spec: {mode: Rename}\nresults:\n- message: old\n",
		list + "functionConfig: {apiVersion: v1, kind: ConfigMap, data: {mode: Annotate}}\nitems:\n" + indented(configMap) + indented(pod) + "# end",
		list, list + "items: # none\n", list + "items: ~\nresults: []\n", list + "items: [{kind: A}, &a {kind: B}, *a]\n", list + "items: {}\n", list + "---\n" + configMap,
		`{"kind":"ResourceList","results":[{"message":"old }"}],"apiVersion":"config.kubernetes.io/v1","functionConfig":{"kind":"ConfigMap","apiVersion":"v1","data":{"mode":"Rename"}},` +
			`"items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"}}]}`,
		"  apiVersion: config.kubernetes.io/v1\n  kind: ResourceList\n  items:\n  - kind: A\n", "items:\n- kind: A\n  x: 'a\nkind: b'\nkind: \"ResourceList\"\napiVersion: config.kubernetes.io/v1alpha1\n",
	}
	return texts
}

// indented returns a manifest as an element of a list.
func indented(manifest string) string {
	return "- " + strings.ReplaceAll(strings.TrimSuffix(manifest, "\n"), "\n", "\n  ") + "\n"
}
