// Package hostile holds manifests that ask for far more work than their text has
// bytes: many names times many namespaces, references, mounts or patterns. Tests
// grow them, and hold that memory and work grow with the text alone.
package hostile

import (
	"fmt"
	"strings"
)

// A Shape is a family of inputs, one for each size.
type Shape struct {
	Name string
	// Make returns manifests, as a stream, whose length is about in proportion to
	// n. Where they hold VALUE, another value makes other content of it.
	Make func(n int) string
	// Spec returns more fields of the functionConfig's spec, in flow style; nil
	// for none.
	Spec func(n int) string
}

// Value represents the content of objects in what Make returns.
const Value = "VALUE"

// At returns the shape's manifests and the functionConfig's spec, whose length
// together is some size, in bytes, or up to twice that.
func (s Shape) At(size int) (manifests, spec string) {
	for n := 4; ; n += n/4 + 1 {
		manifests, spec = s.Make(n), ""
		if s.Spec != nil {
			spec = s.Spec(n)
		}
		if len(manifests)+len(spec) >= size {
			return manifests, spec
		}
	}
}

// each repeats a text, in which # is replaced by a number from 0.
func each(n int, text string) string {
	parts := strings.Split(text, "#")
	var b strings.Builder
	for i := range n {
		for j, part := range parts {
			if j > 0 {
				fmt.Fprint(&b, i)
			}
			b.WriteString(part)
		}
	}
	return b.String()
}

// list is each with commas between.
func list(n int, text string) string { return strings.TrimSuffix(each(n, text+","), ",") }

// object returns a ConfigMap or a Secret.
func object(kind, namespace, name, more string) string {
	data := "data"
	if kind == "Secret" {
		data = "stringData"
	}
	if namespace != "" {
		namespace = ", namespace: " + namespace
	}
	return "apiVersion: v1\nkind: " + kind + "\nmetadata: {name: " + name + namespace + more + "}\n" + data + ": {k: " + Value + "}\n---\n"
}

func configMap(namespace, name, more string) string {
	return object("ConfigMap", namespace, name, more)
}

// workload returns a Deployment with a pod spec, and with annotations.
func workload(namespace, name, annotations, podSpec string) string {
	if namespace != "" {
		namespace = ", namespace: " + namespace
	}
	if annotations != "" {
		annotations = ", annotations: {" + annotations + "}"
	}
	return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name + namespace + annotations + "}\nspec: {template: {spec: {" + podSpec + "}}}\n---\n"
}

// takes is a pod spec whose container takes all of a ConfigMap.
func takes(name string) string {
	return "containers: [{name: c, envFrom: [{configMapRef: {name: " + name + "}}]}]"
}

// role returns a ClusterRole with names of ConfigMaps and Secrets in it.
func role(name, resources, names string) string {
	return "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: " + name + "}\nrules: [{apiGroups: [\"\"], resources: [" + resources + "], verbs: [get], resourceNames: [" + names + "]}]\n---\n"
}

// thing returns a custom resource of which nothing is known.
func thing(name, spec string) string {
	return "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: " + name + "}\nspec: " + spec + "\n---\n"
}

// built is what kustomize writes of an object's layers.
func built(prefixes, suffixes string) string {
	return fmt.Sprintf(`, annotations: {internal.config.kubernetes.io/prefixes: %q, internal.config.kubernetes.io/suffixes: %q}`, prefixes, suffixes)
}

// called is what kustomize writes of an object's earlier names.
func called(n int, names string) string {
	return fmt.Sprintf(`, annotations: {internal.config.kubernetes.io/previousNames: %q, internal.config.kubernetes.io/previousNamespaces: %q, internal.config.kubernetes.io/previousKinds: %q}`,
		names, strings.TrimSuffix(strings.Repeat("default,", n), ","), strings.TrimSuffix(strings.Repeat("ConfigMap,", n), ","))
}
