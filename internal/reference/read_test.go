package reference

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind_readsNamesFromFlagsAndVariables(t *testing.T) {
	for _, tc := range []struct {
		label, container string
		want             []string
	}{
		{"a flag and its value", `args: [--configmap=prod/app]`, []string{"ConfigMap prod/app by --configmap at args[0]"}},
		{"a flag of two words", `command: [run, --config-map, app]`, []string{"ConfigMap /app by --config-map at command[2]"}},
		{"a flag in command, its value in args", `{command: [run, -secret], args: [app]}`, []string{"Secret /app by -secret at args[0]"}},
		{"a flag with one dash", `args: [-configmap-name=app]`, []string{"ConfigMap /app by -configmap-name at args[0]"}},
		{"a flag without a value", `args: [--secret, --other=app]`, nil},
		{"a flag about something else", `args: [--redis=app, --host, app]`, nil},
		{"a variable's namespace", `args: ["--secret=$(POD_NAMESPACE)/app"]`, []string{"Secret /app by --secret at args[0]"}},
		{"a path", `args: [--secret=/etc/app, --configmap=a/b/c]`, nil},
		{"a variable", `env: [{name: CONFIG_MAP_NAME, value: app}]`, []string{"ConfigMap /app by CONFIG_MAP_NAME at env[0].value"}},
		{"a variable in camel case", `env: [{name: tlsSecretName, value: app}]`, []string{"Secret /app by tlsSecretName at env[0].value"}},
		{"a variable about both", `env: [{name: SECRET_CONFIGMAP, value: app}]`, []string{"ConfigMap or Secret /app by SECRET_CONFIGMAP at env[0].value"}},
		{"a variable about neither", `env: [{name: REDIS_HOST, value: app}]`, nil},
		{"a variable that is a URL", `env: [{name: SECRET_URL, value: "https://app/x"}]`, nil},
		{"a variable without a value", `env: [{name: SECRET, valueFrom: {secretKeyRef: {name: app, key: k}}}]`, nil},
		{"a script", "args: ['export TLS_SECRET=app; run --configmap \"app\"']",
			[]string{"Secret /app by TLS_SECRET at args[0]", "ConfigMap /app by --configmap at args[0]"}},
		{"kubectl", `args: [kubectl get secret app && kubectl get configmap/app]`,
			[]string{"Secret /app by secret at args[0]", "ConfigMap /app by configmap at args[0]"}},
		{"kubectl in words", `command: [/bin/kubectl, create, secret, generic, app]`, []string{"Secret /app by secret at command[4]"}},
		{"a word without kubectl", `args: [the secret app]`, nil},
		{"names and labels", `name: secret`, nil},
	} {
		t.Run(tc.label, func(t *testing.T) {
			if tc.container[0] != '{' {
				tc.container = "{" + tc.container + "}"
			}
			var got []string
			for _, read := range find(t, "{apiVersion: v1, kind: Pod, spec: {containers: ["+tc.container+"]}}").Reads {
				got = append(got, fmt.Sprintf("%s %s/%s by %s at %s", read.Targets, read.Namespace, read.Name, read.By, read.At[len("spec.containers[0]."):]))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFind_readsEveryListOfContainers(t *testing.T) {
	const item = `{apiVersion: apps/v1, kind: Deployment, spec: {template: {spec: {
		initContainers: [{args: [--secret=a]}], containers: [{args: [--secret=b]}], ephemeralContainers: [{args: [--secret=c]}]}}}}`
	var got []string
	for _, read := range find(t, item).Reads {
		got = append(got, string(read.At))
	}
	want := []string{
		"spec.template.spec.containers[0].args[0]", "spec.template.spec.initContainers[0].args[0]", "spec.template.spec.ephemeralContainers[0].args[0]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
