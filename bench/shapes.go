package main

import (
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/yaml"
)

// A shape is a kind of package of any size.
type shape struct {
	name string
	// write writes about n resources, as a ResourceList with that spec of a
	// functionConfig, or as a stream.
	write func(w io.Writer, n int, spec string)
	// stream tells a shape that is a stream of manifests, to be read as a filter.
	stream bool
}

// shapes are those whose time is measured as they grow.
var shapes = []shape{
	{name: "applications: 4 resources, 5 references each", write: applications},
	{name: "the same as a stream of documents", write: documents, stream: true},
	{name: "the same as JSON on one line", write: jsonList},
	{name: "one ConfigMap, a workload each", write: oneSource},
	{name: "a ConfigMap of one name and a workload in each namespace", write: manyNamespaces},
	{name: "variants of one base, under kustomize's annotations", write: variants},
	{name: "a ConfigMap in 16 for each of its workloads' 16 references", write: manyReferences},
	{name: "ConfigMaps, with a workload in 16", write: fewReferences},
}

// list writes documents as the items of a ResourceList.
func list(w io.Writer, spec string, each func(item func(document string))) {
	fmt.Fprint(w, "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	each(func(document string) {
		fmt.Fprintf(w, "- %s\n", strings.ReplaceAll(strings.TrimSuffix(document, "\n"), "\n", "\n  "))
	})
	fmt.Fprintf(w, functionConfig, spec)
}

func applications(w io.Writer, n int, spec string) {
	list(w, spec, func(item func(string)) {
		for i := range n {
			item(application(i / kinds).documents()[i%kinds])
		}
	})
}

func documents(w io.Writer, n int, _ string) {
	for i := range n {
		fmt.Fprintf(w, "---\n%s", application(i / kinds).documents()[i%kinds])
	}
}

func jsonList(w io.Writer, n int, spec string) {
	fmt.Fprint(w, `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[`)
	for i := range n {
		if i > 0 {
			fmt.Fprint(w, ",")
		}
		encoded, err := yaml.YAMLToJSON([]byte(application(i / kinds).documents()[i%kinds]))
		if err != nil {
			panic(err) // the documents above are YAML
		}
		_, _ = w.Write(encoded)
	}
	config, err := yaml.YAMLToJSON(fmt.Appendf(nil, functionConfig, spec))
	if err != nil {
		panic(err) // as above
	}
	fmt.Fprintf(w, "],%s}\n", config[1:len(config)-1])
}

// reader is a Deployment that reads a ConfigMap.
const reader = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: NAME
METADATAspec:
  selector:
    matchLabels:
      app: NAME
  template:
    metadata:
      labels:
        app: NAME
    spec:
      containers:
      - name: main
        image: registry.example.com/main:1.4.2
ENV`

// source is a ConfigMap.
const source = `apiVersion: v1
kind: ConfigMap
metadata:
  name: NAME
METADATAdata:
  LOG_LEVEL: info
  CACHE_SIZE: "64"
`

// readerOf returns a Deployment that takes its environment from the ConfigMaps.
func readerOf(name, metadata string, sources ...string) string {
	var env strings.Builder
	env.WriteString("        envFrom:\n")
	for _, s := range sources {
		fmt.Fprintf(&env, "        - configMapRef:\n            name: %s\n", s)
	}
	return strings.NewReplacer("NAME", name, "METADATA", metadata, "ENV", env.String()).Replace(reader)
}

// sourceOf returns a ConfigMap.
func sourceOf(name, metadata string) string {
	return strings.NewReplacer("NAME", name, "METADATA", metadata).Replace(source)
}

func oneSource(w io.Writer, n int, spec string) {
	list(w, spec, func(item func(string)) {
		item(sourceOf("settings", ""))
		for i := range n - 1 {
			item(readerOf(fmt.Sprintf("app-%d", i), "", "settings"))
		}
	})
}

func manyNamespaces(w io.Writer, n int, spec string) {
	list(w, spec, func(item func(string)) {
		for i := range n / 2 {
			metadata := fmt.Sprintf("  namespace: team-%d\n", i)
			item(sourceOf("settings", metadata))
			item(readerOf("app", metadata, "settings"))
		}
	})
}

// variants writes what a transformer gets from kustomize where as many overlays
// of one base, each with a prefix, are built into one.
func variants(w io.Writer, n int, spec string) {
	list(w, spec, func(item func(string)) {
		for i := range n / 2 {
			prefix := fmt.Sprintf("v%d-", i)
			metadata := func(kind, name string) string {
				return fmt.Sprintf(`  annotations:
    internal.config.kubernetes.io/prefixes: %s
    internal.config.kubernetes.io/previousKinds: %s
    internal.config.kubernetes.io/previousNames: %s
    internal.config.kubernetes.io/previousNamespaces: default
    kustomize.config.k8s.io/id: |
      kind: %s
`, prefix, kind, name, kind)
			}
			item(sourceOf(prefix+"settings", metadata("ConfigMap", "settings")))
			item(readerOf(prefix+"app", metadata("Deployment", "app"), "settings"))
		}
	})
}

func manyReferences(w io.Writer, n int, spec string) {
	list(w, spec, func(item func(string)) {
		for i := range n {
			if i%16 == 0 {
				item(sourceOf(fmt.Sprintf("settings-%d", i/16), ""))
				continue
			}
			var sources []string
			for j := range 16 {
				sources = append(sources, fmt.Sprintf("settings-%d", max(0, i/16-j)))
			}
			item(readerOf(fmt.Sprintf("app-%d", i), "", sources...))
		}
	})
}

func fewReferences(w io.Writer, n int, spec string) {
	list(w, spec, func(item func(string)) {
		for i := range n {
			if i%16 == 0 {
				item(readerOf(fmt.Sprintf("app-%d", i), "", fmt.Sprintf("settings-%d", i+1)))
				continue
			}
			item(sourceOf(fmt.Sprintf("settings-%d", i), ""))
		}
	})
}

// writeTo writes about n resources to a file.
func (s shape) writeTo(path string, n int, spec string) error {
	return writeFile(path, func(w io.Writer) { s.write(w, n, spec) })
}
