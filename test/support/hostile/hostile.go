// Package hostile has manifests that could cause far more work than their size suggests: many names times many
// namespaces, references, mounts or patterns. Tests increase their size, and verify that memory and work grow only with
// it.
package hostile

import (
	"fmt"
	"strings"
)

// A Shape is a family of inputs, one for each size.
type Shape struct {
	Name string
	// Make returns manifests, as a stream, whose size is roughly proportional to n. Replacing VALUE changes the content
	// of objects.
	Make func(n int) string
	// Spec returns further fields of the functionConfig's spec, in flow style; nil if there are none.
	Spec func(n int) string
}

// Value stands for the content of objects in the result of Make.
const Value = "VALUE"

// At returns the shape's manifests and the functionConfig's spec with a total size in bytes from size to twice that.
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

// each repeats a text, with # replaced by a number from 0.
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

// list is each, separated by commas.
func list(n int, text string) string { return strings.TrimSuffix(each(n, text+","), ",") }

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

// workload returns a Deployment with a pod spec and annotations.
func workload(namespace, name, annotations, podSpec string) string {
	if namespace != "" {
		namespace = ", namespace: " + namespace
	}
	if annotations != "" {
		annotations = ", annotations: {" + annotations + "}"
	}
	return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name + namespace + annotations + "}\nspec: {template: {spec: {" + podSpec + "}}}\n---\n"
}

// takes returns a pod spec whose container consumes a whole ConfigMap.
func takes(name string) string {
	return "containers: [{name: c, envFrom: [{configMapRef: {name: " + name + "}}]}]"
}

// role returns a ClusterRole that names ConfigMaps and Secrets.
func role(name, resources, names string) string {
	return "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: " + name + "}\nrules: [{apiGroups: [\"\"], resources: [" + resources + "], verbs: [get], resourceNames: [" + names + "]}]\n---\n"
}

// thing returns a custom resource of an unknown kind.
func thing(name, spec string) string {
	return "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: " + name + "}\nspec: " + spec + "\n---\n"
}

// built returns kustomize's annotations about an object's layers.
func built(prefixes, suffixes string) string {
	return fmt.Sprintf(`, annotations: {internal.config.kubernetes.io/prefixes: %q, internal.config.kubernetes.io/suffixes: %q}`, prefixes, suffixes)
}

// called returns kustomize's annotations about an object's earlier names.
func called(n int, names string) string {
	return fmt.Sprintf(`, annotations: {internal.config.kubernetes.io/previousNames: %q, internal.config.kubernetes.io/previousNamespaces: %q, internal.config.kubernetes.io/previousKinds: %q}`,
		names, strings.TrimSuffix(strings.Repeat("default,", n), ","), strings.TrimSuffix(strings.Repeat("ConfigMap,", n), ","))
}
