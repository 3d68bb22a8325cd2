package function

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
)

// A way is one way in which a pod spec refers to an object named NAME.
type way struct {
	label    string
	kind     string
	spec     string // in flow style
	consumed bool
}

var ways = []way{
	{"no reference", "", `containers: [{name: c}]`, false},
	{"envFrom", "ConfigMap", `containers: [{name: c, envFrom: [{configMapRef: {name: NAME}}]}]`, true},
	{"envFrom", "Secret", `containers: [{name: c, envFrom: [{secretRef: {name: NAME}}]}]`, true},
	{"env", "ConfigMap", `containers: [{name: c, env: [{name: E, valueFrom: {configMapKeyRef: {name: NAME, key: k}}}]}]`, true},
	{"env of an init container", "Secret", `containers: [{name: c}], initContainers: [{name: i, env: [{name: E, valueFrom: {secretKeyRef: {name: NAME, key: k}}}]}]`, true},
	{"a mounted volume", "ConfigMap", `containers: [{name: c, volumeMounts: [{name: v}]}], volumes: [{name: v, configMap: {name: NAME}}]`, true},
	{"a projected volume", "Secret", `containers: [{name: c, volumeMounts: [{name: v}]}], volumes: [{name: v, projected: {sources: [{secret: {name: NAME}}]}}]`, true},
	{"a volume that an init container mounts", "ConfigMap", `containers: [{name: c}], initContainers: [{name: i, volumeMounts: [{name: v}]}], volumes: [{name: v, configMap: {name: NAME}}]`, true},
	// Reloader only looks at the first volume.
	{"two volumes, the second mounted", "ConfigMap", `containers: [{name: c, volumeMounts: [{name: w}]}], volumes: [{name: v, configMap: {name: NAME}}, {name: w, configMap: {name: NAME}}]`, true},
	{"a volume that nobody mounts", "ConfigMap", `containers: [{name: c}], volumes: [{name: v, configMap: {name: NAME}}]`, false},
	{"a pull secret", "Secret", `containers: [{name: c}], imagePullSecrets: [{name: NAME}]`, false},
	{"a class that is mounted", "SecretProviderClass", `containers: [{name: c, volumeMounts: [{name: v}]}], volumes: [{name: v, csi: {driver: secrets-store.csi.k8s.io, volumeAttributes: {secretProviderClass: NAME}}}]`, true},
}

func flow(m map[string]string) string {
	data, err := yaml.Marshal(m)
	if err != nil {
		panic(err)
	}
	var node yaml.Node
	if err := yaml.Unmarshal(data, &node); err != nil {
		panic(err)
	}
	if len(m) == 0 {
		return "{}"
	}
	node.Content[0].Style = yaml.FlowStyle
	data, err = yaml.Marshal(&node)
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(strings.ReplaceAll(string(data), "\n", " "))
}

func anObject(kind, name, value string, annotations map[string]string) string {
	head := fmt.Sprintf("kind: %s, metadata: {name: %q, annotations: %s}", kind, name, flow(annotations))
	switch kind {
	case "Secret":
		return fmt.Sprintf("{apiVersion: v1, %s, stringData: {k: %s}}\n", head, value)
	case "SecretProviderClass":
		return fmt.Sprintf("{apiVersion: secrets-store.csi.x-k8s.io/v1, %s, spec: {parameters: {objects: %s}}}\n", head, value)
	}
	return fmt.Sprintf("{apiVersion: v1, %s, data: {k: %s}}\n", head, value)
}

// rolls reports whether the workload's pod template differs between two values of the object.
func rolls(t *testing.T, config *v1alpha1.ConfigHash, workload string, object func(value string) string) bool {
	t.Helper()
	var templates []string
	for _, value := range []string{"one", "two"} {
		var out bytes.Buffer
		if _, err := Process([]byte(object(value)+"---\n"+workload), &out, Options{Config: config}); err != nil {
			t.Fatalf("%v\nin\n%s", err, workload)
		}
		_, after, found := strings.Cut(out.String(), "\n---\n")
		if !found {
			t.Fatalf("no workload in\n%s", &out)
		}
		templates = append(templates, after)
	}
	return templates[0] != templates[1]
}

// TestProcess_rollsWhatReloaderRolls runs Reloader's decisions through the whole function, with every way to refer to
// an object.
func TestProcess_rollsWhatReloaderRolls(t *testing.T) {
	content, err := os.ReadFile("../../internal/policy/reloader/testdata/decisions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Label         string
		AutoReloadAll bool              `yaml:"autoReloadAll"`
		Workload      map[string]string `yaml:"workload"`
		PodTemplate   map[string]string `yaml:"podTemplate"`
		Object        struct {
			Kind, Name  string
			Annotations map[string]string
		}
		Invalid  int
		Decision string
	}
	if err := yaml.Unmarshal(content, &cases); err != nil {
		t.Fatal(err)
	}
	ran := map[string]int{}
	for _, tc := range cases {
		for _, way := range ways {
			if way.kind != "" && way.kind != tc.Object.Kind {
				continue
			}
			config := v1alpha1.New(v1alpha1.ModeAnnotate, v1alpha1.PolicyReloader)
			config.Spec.Reloader.AutoReloadAll = tc.AutoReloadAll
			workload := fmt.Sprintf("{apiVersion: apps/v1, kind: Deployment, metadata: {name: w, annotations: %s}, spec: {template: {metadata: {annotations: %s}, spec: {%s}}}}\n",
				flow(tc.Workload), flow(tc.PodTemplate), strings.ReplaceAll(way.spec, "NAME", fmt.Sprintf("%q", tc.Object.Name)))
			got := rolls(t, config, workload, func(value string) string {
				return anObject(tc.Object.Kind, tc.Object.Name, value, tc.Object.Annotations)
			})
			want := tc.Decision == "named" || tc.Decision == "auto" && way.consumed
			if got != want {
				t.Errorf("%s, %s: rolls %t, want %t", tc.Label, way.label, got, want)
			}
			ran[tc.Decision]++
		}
	}
	for decision, least := range map[string]int{"none": 100, "auto": 100, "named": 100} {
		if ran[decision] < least {
			t.Errorf("%d cases of decision %s, want at least %d", ran[decision], decision, least)
		}
	}
}

func TestProcess_stampsNothingWithoutContainers(t *testing.T) {
	const workload = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: w, annotations: {configmap.reloader.stakater.com/reload: res}}, spec: {template: {spec: {containers: []}}}}\n"
	config := v1alpha1.New(v1alpha1.ModeAnnotate, v1alpha1.PolicyReloader)
	if rolls(t, config, workload, func(value string) string { return anObject("ConfigMap", "res", value, nil) }) {
		t.Error("the workload rolls; Reloader has no container to change")
	}
}

// TestProcess_countsANamedObjectWhole checks the intended difference between named and consumed objects: a named object
// counts as a whole.
func TestProcess_countsANamedObjectWhole(t *testing.T) {
	workload := func(annotations string) string {
		return "{apiVersion: apps/v1, kind: Deployment, metadata: {name: w, annotations: {" + annotations + "}}, spec: {template: {spec: {containers: [" +
			"{name: c, env: [{name: E, valueFrom: {configMapKeyRef: {name: res, key: other}}}]}]}}}}\n"
	}
	object := func(value string) string { return anObject("ConfigMap", "res", value, nil) }
	for _, tc := range []struct {
		policy      v1alpha1.Policy
		annotations string
		want        bool
	}{
		{v1alpha1.PolicyAll, "", false},
		{v1alpha1.PolicyAll, "confighash.dev/extra-sources: ConfigMap/res", true},
		{v1alpha1.PolicyReloader, `reloader.stakater.com/auto: "true"`, false},
		{v1alpha1.PolicyReloader, "configmap.reloader.stakater.com/reload: res", true},
		{v1alpha1.PolicyWave, `wave.pusher.com/update-on-config-change: "true"`, false},
		{v1alpha1.PolicyWave, `wave.pusher.com/update-on-config-change: "true", wave.pusher.com/extra-configmaps: res`, true},
		{v1alpha1.PolicyWave, `wave.pusher.com/extra-configmaps: res`, false},
	} {
		if got := rolls(t, v1alpha1.New(v1alpha1.ModeAnnotate, tc.policy), workload(tc.annotations), object); got != tc.want {
			t.Errorf("policy %s, %q: rolls %t, want %t", tc.policy, tc.annotations, got, tc.want)
		}
	}
}

func TestProcess_waveLooksIntoOtherNamespaces(t *testing.T) {
	const annotations = `wave.pusher.com/update-on-config-change: "true", wave.pusher.com/extra-secrets: "far/res, res"`
	const workload = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: w, namespace: near, annotations: {" + annotations + "}}, spec: {template: {spec: {containers: [{name: c}]}}}}\n"
	for namespace, want := range map[string]bool{"near": true, "far": true, "elsewhere": false} {
		got := rolls(t, v1alpha1.New(v1alpha1.ModeAnnotate, v1alpha1.PolicyWave), workload, func(value string) string {
			return "{apiVersion: v1, kind: Secret, metadata: {name: res, namespace: " + namespace + "}, stringData: {k: " + value + "}}\n"
		})
		if got != want {
			t.Errorf("a Secret in %s: rolls %t, want %t", namespace, got, want)
		}
	}
}
