package main

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"sigs.k8s.io/yaml"
)

// A shape is a kind of package that can be generated in any size.
type shape struct {
	name string
	// at returns the documents of one part of the package.
	at func(number int) []string
	// form writes documents as an input, with spec as the functionConfig's spec.
	form func(w io.Writer, documents iter.Seq[string], spec string)
}

// shapes are measured at growing sizes.
var shapes = []shape{
	{"applications", applications, list},
	{"stream", applications, stream},
	{"json", applications, jsonList},
	{"one-configmap", oneConfigMap, list},
	{"namespaces", namespaces, list},
	{"variants", variants, list},
	{"many-references", manyReferences, list},
	{"few-references", fewReferences, list},
}

// keyShapes are measured with rename.granularity: Key as well.
var keyShapes = []shape{shapes[0], {"few-keys", fewKeys, list}, {"pairs-of-keys", pairsOfKeys, list}}

// write writes the first n documents to a file through a buffer: the programs that a process starts inherit its peak
// memory.
func (s shape) write(path string, n int, spec string) error {
	documents := func(yield func(string) bool) {
		for number, left := 0, n; ; number++ {
			for _, document := range s.at(number) {
				if left == 0 || !yield(document) {
					return
				}
				left--
			}
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	b := bufio.NewWriter(f)
	s.form(b, documents, spec)
	return b.Flush()
}

func list(w io.Writer, documents iter.Seq[string], spec string) {
	fmt.Fprint(w, "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for document := range documents {
		fmt.Fprintf(w, "- %s\n", strings.ReplaceAll(strings.TrimSuffix(document, "\n"), "\n", "\n  "))
	}
	fmt.Fprint(w, render("functionConfig", spec))
}

// stream writes a stream of manifests, the input of a filter.
func stream(w io.Writer, documents iter.Seq[string], _ string) {
	for document := range documents {
		fmt.Fprintf(w, "---\n%s", document)
	}
}

// jsonList writes a ResourceList as JSON on one line.
func jsonList(w io.Writer, documents iter.Seq[string], spec string) {
	encode := func(text string) []byte {
		encoded, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			panic(err) // the texts are ours
		}
		return encoded
	}
	fmt.Fprint(w, `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[`)
	separator := ""
	for document := range documents {
		fmt.Fprintf(w, "%s%s", separator, encode(document))
		separator = ","
	}
	config := encode(render("functionConfig", spec))
	fmt.Fprintf(w, "],%s}\n", config[1:len(config)-1])
}

func applications(number int) []string { return application{number, "info"}.documents() }

// A resource is a ConfigMap, or a Deployment that takes its environment from ConfigMaps. Prefix is recorded the way
// kustomize records it for a transformer.
type resource struct {
	Kind, Name, Namespace, Prefix string
	ConfigMaps                    []string
}

func (r resource) String() string { return render(strings.ToLower(r.Kind), r) }

func configMap(name string) string { return resource{Kind: "ConfigMap", Name: name}.String() }

func deployment(number int, configMaps ...string) string {
	return resource{Kind: "Deployment", Name: fmt.Sprintf("app-%d", number), ConfigMaps: configMaps}.String()
}

func settings(number int) string { return fmt.Sprintf("settings-%d", number) }

func oneConfigMap(number int) []string {
	if number == 0 {
		return []string{configMap("settings")}
	}
	return []string{deployment(number, "settings")}
}

// namespaces puts a ConfigMap of the same name, and a Deployment, into each namespace.
func namespaces(number int) []string {
	namespace := fmt.Sprintf("team-%d", number)
	return []string{
		resource{Kind: "ConfigMap", Name: "settings", Namespace: namespace}.String(),
		resource{Kind: "Deployment", Name: "app", Namespace: namespace, ConfigMaps: []string{"settings"}}.String(),
	}
}

// variants are many overlays of one base in one build, each with its own prefix.
func variants(number int) []string {
	prefix := fmt.Sprintf("v%d-", number)
	return []string{
		resource{Kind: "ConfigMap", Name: "settings", Prefix: prefix}.String(),
		resource{Kind: "Deployment", Name: "app", Prefix: prefix, ConfigMaps: []string{"settings"}}.String(),
	}
}

// manyReferences has 16 references per Deployment; one in 16 resources is a ConfigMap.
func manyReferences(number int) []string {
	if number%16 == 0 {
		return []string{configMap(settings(number / 16))}
	}
	var names []string
	for i := range 16 {
		names = append(names, settings(max(0, number/16-i)))
	}
	return []string{deployment(number, names...)}
}

// fewReferences has one Deployment, with one reference, per 16 resources; the others are ConfigMaps.
func fewReferences(number int) []string {
	if number%16 == 0 {
		return []string{deployment(number, settings(number+1))}
	}
	return []string{configMap(settings(number))}
}

func keys(name string, n int) string {
	b := []byte("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\ndata:\n")
	for i := range n {
		b = fmt.Appendf(b, "  KEY_%d: value of the key %d\n", i, i)
	}
	return string(b)
}

// taking returns a Deployment that takes two keys of a ConfigMap, or all of them.
func taking(number int, configMap string, one, other int, all bool) string {
	names := []string{}
	if all {
		names = append(names, configMap)
	}
	b := strings.Builder{}
	for _, key := range []int{one, other} {
		fmt.Fprintf(&b, "        - name: KEY_%d\n          valueFrom:\n            configMapKeyRef:\n              name: %s\n              key: KEY_%[1]d\n", key, configMap)
	}
	return deployment(number, names...) + "        env:\n" + b.String()
}

// fewKeys has a ConfigMap with eight keys for every four Deployments, each of which takes two of them.
func fewKeys(number int) []string {
	if number%5 == 0 {
		return []string{keys(settings(number/5), 8)}
	}
	return []string{taking(number, settings(number/5), number%5-1, number%5+3, false)}
}

// pairsOfKeys has one ConfigMap with 5,000 keys, and Deployments that take two different keys each, or all of them.
func pairsOfKeys(number int) []string {
	if number == 0 {
		return []string{keys("settings", 5_000)}
	}
	return []string{taking(number, "settings", number%5_000, number*7%5_000, number%10 == 0)}
}
