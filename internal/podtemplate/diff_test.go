package podtemplate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiff_givesPaths(t *testing.T) {
	for _, test := range []struct {
		name, old, new string
		want           []Difference
	}{
		{
			"an image", "spec: {containers: [{name: web, image: nginx:1.28}]}", "spec: {containers: [{name: web, image: nginx:1.29}]}",
			[]Difference{{Path: "spec.containers[web].image", Old: "spec.containers[0].image", New: "spec.containers[0].image", From: "nginx:1.28", To: "nginx:1.29"}},
		},
		{
			"an image whose pull policy follows the tag", "spec: {containers: [{name: web, image: nginx}]}", "spec: {containers: [{name: web, image: 'nginx:1'}]}",
			[]Difference{
				{Path: "spec.containers[web].image", Old: "spec.containers[0].image", New: "spec.containers[0].image", From: "nginx", To: "nginx:1"},
				{Path: "spec.containers[web].imagePullPolicy"},
			},
		},
		{
			"the image of a volume", inVolume("image: {reference: a:1}"), inVolume("image: {reference: a:2}"),
			[]Difference{{Path: "spec.volumes[v].image.reference", Old: "spec.volumes[0].image.reference", New: "spec.volumes[0].image.reference", From: "a:1", To: "a:2"}},
		},
		{
			"a variable", inContainer("env: [{name: A, value: a}]"), inContainer("env: [{name: B, value: b}, {name: A, value: b}]"),
			[]Difference{
				{Path: "spec.containers[web].env[B]", What: Added, New: "spec.containers[0].env[0]"},
				{Path: "spec.containers[web].env[A].value", Old: "spec.containers[0].env[0].value", New: "spec.containers[0].env[1].value"},
			},
		},
		{
			"the first variables", inContainer(""), inContainer("env: [{name: A, value: a}, {name: B, valueFrom: {configMapKeyRef: {name: a, key: b}}}]"),
			[]Difference{
				{Path: "spec.containers[web].env[A]", What: Added, New: "spec.containers[0].env[0]"},
				{Path: "spec.containers[web].env[B]", What: Added, New: "spec.containers[0].env[1]"},
			},
		},
		{
			"a ConfigMap of another name", inVolume("configMap: {name: app-a}"), inVolume("configMap: {name: app-b}"),
			[]Difference{{Path: "spec.volumes[v].configMap.name", Old: "spec.volumes[0].configMap.name", New: "spec.volumes[0].configMap.name", From: "app-a", To: "app-b"}},
		},
		{
			"a Secret for a ConfigMap", inVolume("configMap: {name: a}"), inVolume("secret: {secretName: a}"),
			[]Difference{
				{Path: "spec.volumes[v].configMap", What: Removed, Old: "spec.volumes[0].configMap"},
				{Path: "spec.volumes[v].secret", What: Added, New: "spec.volumes[0].secret"},
			},
		},
		{
			"a checksum", "metadata: {annotations: {a: b, checksum/config: a}}", "metadata: {annotations: {checksum/config: b}}",
			[]Difference{
				{Path: "metadata.annotations[a]", What: Removed, Old: "metadata.annotations.a"},
				{Path: "metadata.annotations[checksum/config]", Old: `metadata.annotations["checksum/config"]`, New: `metadata.annotations["checksum/config"]`},
			},
		},
		{
			"the first annotation", "", "metadata: {annotations: {checksum/config: b}}",
			[]Difference{{Path: "metadata.annotations[checksum/config]", What: Added, New: `metadata.annotations["checksum/config"]`}},
		},
		{
			"a key that is not seen", "metadata: {labels: {a: b}}", `metadata: {labels: {a: b, "a\x1b[0m": b}}`,
			[]Difference{{Path: `metadata.labels["a\x1b[0m"]`, What: Added, New: `metadata.labels["a\x1b[0m"]`}},
		},
		{
			"a default that is not one any more", inContainer("imagePullPolicy: Always"), inContainer(""),
			[]Difference{{Path: "spec.containers[web].imagePullPolicy", Old: "spec.containers[0].imagePullPolicy"}},
		},
		{
			"the order of containers", inSpec("initContainers: [{name: a}, {name: b}]"), inSpec("initContainers: [{name: b}, {name: a, tty: true}]"),
			[]Difference{
				{Path: "spec.initContainers", What: Reordered, Old: "spec.initContainers", New: "spec.initContainers"},
				{Path: "spec.initContainers[a].tty", What: Added, New: "spec.initContainers[1].tty"},
			},
		},
		{
			"a container in front of another", inSpec("initContainers: [{name: b}, {name: d}]"), inSpec("initContainers: [{name: a}, {name: b}, {name: c}]"),
			[]Difference{
				{Path: "spec.initContainers[d]", What: Removed, Old: "spec.initContainers[1]"},
				{Path: "spec.initContainers[a]", What: Added, New: "spec.initContainers[0]"},
				{Path: "spec.initContainers[c]", What: Added, New: "spec.initContainers[2]"},
			},
		},
		{
			"a mount", inContainer("volumeMounts: [{mountPath: /a, name: a}]"), inContainer("volumeMounts: [{mountPath: /b, name: a}, {mountPath: /a, name: a, subPath: c}]"),
			[]Difference{
				{Path: "spec.containers[web].volumeMounts[/b]", What: Added, New: "spec.containers[0].volumeMounts[0]"},
				{Path: "spec.containers[web].volumeMounts[/a].subPath", What: Added, New: "spec.containers[0].volumeMounts[1].subPath"},
			},
		},
		{
			"ports of two protocols", inContainer("ports: [{containerPort: 53}, {containerPort: 53, protocol: UDP}]"), inContainer("ports: [{containerPort: 53, name: a}, {containerPort: 53, protocol: UDP}]"),
			[]Difference{{Path: "spec.containers[web].ports[53/TCP].name", What: Added, New: "spec.containers[0].ports[0].name"}},
		},
		{
			"two variables of one name", inContainer("env: [{name: A, value: a}, {name: A, value: b}]"), inContainer("env: [{name: A, value: a}, {name: A, value: c}]"),
			[]Difference{{Path: "spec.containers[web].env[1].value", Old: "spec.containers[0].env[1].value", New: "spec.containers[0].env[1].value"}},
		},
		{
			"an argument in front of others", inContainer("args: [a, b]"), inContainer("args: [c, a, b]"),
			[]Difference{{Path: "spec.containers[web].args[0]", What: Added, New: "spec.containers[0].args[0]"}},
		},
		{
			"an argument between others", inContainer("args: [a, b, c]"), inContainer("args: [a, c]"),
			[]Difference{{Path: "spec.containers[web].args[1]", What: Removed, Old: "spec.containers[0].args[1]"}},
		},
		{
			"the order of arguments", inContainer("args: [a, b, c]"), inContainer("args: [a, c, b]"),
			[]Difference{{Path: "spec.containers[web].args", What: Reordered, Old: "spec.containers[0].args", New: "spec.containers[0].args"}},
		},
		{
			"the first arguments", inContainer(""), inContainer("args: [a, b]"),
			[]Difference{{Path: "spec.containers[web].args", What: Added, New: "spec.containers[0].args"}},
		},
		{
			"a source of variables", inContainer("envFrom: [{configMapRef: {name: a}}]"), inContainer("envFrom: [{configMapRef: {name: b}}]"),
			[]Difference{{Path: "spec.containers[web].envFrom[0].configMapRef.name", Old: "spec.containers[0].envFrom[0].configMapRef.name", New: "spec.containers[0].envFrom[0].configMapRef.name", From: "a", To: "b"}},
		},
		{
			"optional, which is not a default", inVolume("configMap: {name: a}"), inVolume("configMap: {name: a, optional: false}"),
			[]Difference{{Path: "spec.volumes[v].configMap.optional", What: Added, New: "spec.volumes[0].configMap.optional"}},
		},
		{
			"a probe", inContainer(""), inContainer("livenessProbe: {httpGet: {port: 80}}"),
			[]Difference{{Path: "spec.containers[web].livenessProbe", What: Added, New: "spec.containers[0].livenessProbe"}},
		},
		{
			"a port by name", inContainer("livenessProbe: {tcpSocket: {port: 80}}"), inContainer("livenessProbe: {tcpSocket: {port: '80'}}"),
			[]Difference{{Path: "spec.containers[web].livenessProbe.tcpSocket.port", Old: "spec.containers[0].livenessProbe.tcpSocket.port", New: "spec.containers[0].livenessProbe.tcpSocket.port"}},
		},
		{
			"another amount", inContainer("resources: {limits: {cpu: 1}}"), inContainer("resources: {limits: {cpu: 1500m, memory: 1Gi}}"),
			[]Difference{
				{Path: "spec.containers[web].resources.limits[cpu]", Old: "spec.containers[0].resources.limits.cpu", New: "spec.containers[0].resources.limits.cpu"},
				{Path: "spec.containers[web].resources.limits[memory]", What: Added, New: "spec.containers[0].resources.limits.memory"},
			},
		},
		{
			"the same amount in another notation", inContainer("resources: {limits: {memory: 1Gi}}"), inContainer("resources: {limits: {memory: '1073741824'}}"),
			[]Difference{{Path: "spec.containers[web].resources.limits[memory]", What: Respelled, Old: "spec.containers[0].resources.limits.memory", New: "spec.containers[0].resources.limits.memory"}},
		},
		{
			"the service account by its other name", inSpec("serviceAccount: a"), inSpec("serviceAccountName: b"),
			[]Difference{{Path: "spec.serviceAccountName", Old: "spec.serviceAccount", New: "spec.serviceAccountName"}},
		},
		{
			"requests are not filled in from limits", inContainer("resources: {limits: {cpu: 1}}"), inContainer("resources: {limits: {cpu: 1}, requests: {cpu: 1}}"),
			[]Difference{{Path: "spec.containers[web].resources.requests[cpu]", What: Added, New: "spec.containers[0].resources.requests.cpu"}},
		},
		{
			"an unknown field", inSpec("later: {a: b}"), inSpec("later: {a: ''}"),
			[]Difference{{Path: "spec.later.a", Old: "spec.later.a", New: "spec.later.a"}},
		},
		{
			"what the API server refuses", inContainer("env: [{name: A, value: 1}]"), inContainer("env: [{name: A, value: '1'}]"),
			[]Difference{{Path: "spec.containers[web].env[A].value", Old: "spec.containers[0].env[0].value", New: "spec.containers[0].env[0].value"}},
		},
		{
			"a mapping for a text", inSpec("hostname: a"), inSpec("hostname: {a: b}"),
			[]Difference{{Path: "spec.hostname", Old: "spec.hostname", New: "spec.hostname"}},
		},
		{
			"a claim of an ephemeral volume", inVolume("ephemeral: {volumeClaimTemplate: {}}"), inVolume("ephemeral: {volumeClaimTemplate: {spec: {volumeMode: Block}}}"),
			[]Difference{{Path: "spec.volumes[v].ephemeral.volumeClaimTemplate.spec.volumeMode", New: "spec.volumes[0].ephemeral.volumeClaimTemplate.spec.volumeMode"}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Diff(readText(t, test.old, builtin), readText(t, test.new, builtin))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDiff_ofAnnotations(t *testing.T) {
	annotations := func(text string) *Template { return readText(t, "metadata: {annotations: "+text+"}", builtin) }
	want := []Difference{
		{Path: "metadata.annotations[a]", Old: "metadata.annotations.a", New: "metadata.annotations.a"},
		{Path: "metadata.annotations[checksum/config]", What: Added, New: `metadata.annotations["checksum/config"]`},
	}
	if diff := cmp.Diff(want, Diff(annotations("{a: a}"), annotations("{a: b, checksum/config: a}"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if found := Diff(readText(t, "{}", builtin), annotations("{}")); found != nil {
		t.Errorf("no annotations and none differ: %q", described(found))
	}
	// null is an empty value in a map of strings, as in the API server's decoder.
	want = []Difference{{Path: "metadata.annotations[a]", What: Added, New: "metadata.annotations.a"}}
	if diff := cmp.Diff(want, Diff(readText(t, "{}", builtin), annotations("{a: null}"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
