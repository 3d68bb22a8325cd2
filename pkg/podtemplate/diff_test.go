package podtemplate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiff_differences(t *testing.T) {
	for _, test := range []struct {
		name, old, new string
		want           []string
	}{
		{"an image", "spec: {containers: [{name: web, image: nginx:1.28}]}", "spec: {containers: [{name: web, image: nginx:1.29}]}",
			[]string{"spec.containers[web].image changed: nginx:1.28 -> nginx:1.29"}},
		{"a variable", inContainer("env: [{name: A, value: a}]"), inContainer("env: [{name: A, value: b}]"), []string{"spec.containers[web].env[A].value changed"}},
		{"a variable more", inContainer(""), inContainer("env: [{name: A, value: b}]"), []string{"spec.containers[web].env[A] added"}},
		{"an annotation", "metadata: {annotations: {checksum/config: a}}", "metadata: {annotations: {checksum/config: b}}", []string{"metadata.annotations[checksum/config] changed"}},
		{"the first annotation", inSpec(""), inSpec("") + "\nmetadata: {annotations: {checksum/config: b}}", []string{"metadata.annotations[checksum/config] added"}},
		{"order", inSpec("initContainers: [{name: a}, {name: b}]"), inSpec("initContainers: [{name: b}, {name: a}]"), []string{"spec.initContainers (order)"}},
		{"a mount", inContainer("volumeMounts: [{mountPath: /a, name: a}]"), inContainer("volumeMounts: [{mountPath: /b, name: a}, {mountPath: /a, name: a}]"), []string{"spec.containers[web].volumeMounts[/b] added"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, told(Diff(read1(t, test.old, Options{Builtin: true}), read1(t, test.new, Options{Builtin: true})))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
