package podtemplate

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/test/support/corpus"
)

const builtin = true

func parse(t testing.TB, text string) *yaml.Node {
	t.Helper()
	tree, err := yamldoc.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return tree
}

func readText(t testing.TB, text string, builtin bool) *Template {
	t.Helper()
	template, err := Read(parse(t, text), builtin)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return template
}

// described returns a line for each difference.
func described(found []Difference) []string {
	var lines []string
	for _, d := range found {
		line := d.Path + " " + [...]string{"changed", "added", "removed", "reordered", "respelled"}[d.What]
		if d.What == Reordered {
			line = d.Path + " (order)"
		}
		if d.From != "" || d.To != "" {
			line += fmt.Sprintf(": %s -> %s", d.From, d.To)
		}
		lines = append(lines, line)
	}
	return lines
}

// inContainer returns a template whose container has more fields.
func inContainer(fields string) string {
	return "spec: {containers: [{name: web, image: nginx:1.29, " + fields + "}]}"
}

// inSpec returns a template with more fields in the pod spec.
func inSpec(fields string) string {
	return "spec: {containers: [{name: web, image: nginx:1.29}], " + fields + "}"
}

// inVolume returns a template with a volume that has more fields.
func inVolume(fields string) string {
	return inSpec("volumes: [{name: v, " + fields + "}]")
}

// same are pairs of templates that the API server stores alike, mainly explicit and implicit defaults. stored_test.go
// compares many more with the API server's code.
var same = []struct {
	name, old, new string
}{
	{"the restart policy", inSpec(""), inSpec("restartPolicy: Always")},
	{"the DNS policy", inSpec(""), inSpec("dnsPolicy: ClusterFirst")},
	{"the scheduler", inSpec(""), inSpec("schedulerName: default-scheduler")},
	{"the grace period", inSpec(""), inSpec("terminationGracePeriodSeconds: 30")},
	{"the security context", inSpec(""), inSpec("securityContext: {}")},
	{"a null in the security context", inSpec(""), inSpec("securityContext: {runAsUser: null}")},
	{"the message path", inContainer(""), inContainer("terminationMessagePath: /dev/termination-log")},
	{"the message policy", inContainer(""), inContainer("terminationMessagePolicy: File")},
	{"the pull policy", inContainer(""), inContainer("imagePullPolicy: IfNotPresent")},
	{"the pull policy of latest", "spec: {containers: [{image: nginx}]}", "spec: {containers: [{image: nginx, imagePullPolicy: Always}]}"},
	{"the defaults of init containers", inSpec("initContainers: [{name: a, image: b}]"), inSpec("initContainers: [{name: a, image: b, imagePullPolicy: Always, terminationMessagePolicy: File}]")},
	{"the defaults of ephemeral containers", inSpec("ephemeralContainers: [{name: a, image: b}]"), inSpec("ephemeralContainers: [{name: a, image: b, imagePullPolicy: Always, terminationMessagePath: /dev/termination-log, terminationMessagePolicy: File}]")},
	{"the protocol of a port", inContainer("ports: [{containerPort: 80}]"), inContainer("ports: [{containerPort: 80, protocol: TCP}]")},
	{"the times of a probe", inContainer("livenessProbe: {exec: {}}"), inContainer("livenessProbe: {exec: {}, timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3, initialDelaySeconds: 0}")},
	{"path and scheme of a probe", inContainer("readinessProbe: {httpGet: {port: 80}}"), inContainer("readinessProbe: {httpGet: {port: 80, path: /, scheme: HTTP}}")},
	{"path and scheme of a hook", inContainer("lifecycle: {preStop: {httpGet: {port: 80}}}"), inContainer("lifecycle: {preStop: {httpGet: {port: 80, path: /, scheme: HTTP}}}")},
	{"the service of gRPC", inContainer("startupProbe: {grpc: {port: 1}}"), inContainer("startupProbe: {grpc: {port: 1, service: ''}}")},
	{"the API version of a field", inContainer("env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]"), inContainer("env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name, apiVersion: v1}}}]")},
	{"the divisor of a resource", inContainer("env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]"), inContainer("env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: '0'}}}]")},
	{"a key of a file", inContainer("env: [{name: A, valueFrom: {fileKeyRef: {key: a}}}]"), inContainer("env: [{name: A, valueFrom: {fileKeyRef: {key: a, optional: false}}}]")},
	{"the mode of a ConfigMap", inVolume("configMap: {name: a}"), inVolume("configMap: {name: a, defaultMode: 0644}")},
	{"the mode of a Secret", inVolume("secret: {secretName: a}"), inVolume("secret: {secretName: a, defaultMode: 420}")},
	{"the mode of the downward API", inVolume("downwardAPI: {}"), inVolume("downwardAPI: {defaultMode: 0o644}")},
	{"the mode of projections", inVolume("projected: {}"), inVolume("projected: {defaultMode: 0x1a4, sources: []}")},
	{"the life of a token", inVolume("projected: {sources: [{serviceAccountToken: {path: a}}]}"), inVolume("projected: {sources: [{serviceAccountToken: {path: a, expirationSeconds: 3600}}]}")},
	{"the type of a path on the host", inVolume("hostPath: {path: /a}"), inVolume("hostPath: {path: /a, type: ''}")},
	{"a volume without a source", inVolume(""), inVolume("emptyDir: {}")},
	{"a volume whose source is null", inVolume("configMap: null"), inVolume("emptyDir: {medium: ''}")},
	{"iSCSI", inVolume("iscsi: {iqn: a}"), inVolume("iscsi: {iqn: a, iscsiInterface: default, lun: 0}")},
	{"RBD", inVolume("rbd: {image: a}"), inVolume("rbd: {image: a, pool: rbd, user: admin, keyring: /etc/ceph/keyring}")},
	{"Azure disks", inVolume("azureDisk: {diskName: a}"), inVolume("azureDisk: {diskName: a, cachingMode: ReadWrite, fsType: ext4, readOnly: false, kind: Shared}")},
	{"ScaleIO", inVolume("scaleIO: {system: a}"), inVolume("scaleIO: {system: a, storageMode: ThinProvisioned, fsType: xfs}")},
	{"the mode of a claim", inVolume("ephemeral: {volumeClaimTemplate: {}}"), inVolume("ephemeral: {volumeClaimTemplate: {metadata: {}, spec: {volumeMode: Filesystem}}}")},
	{"the pull policy of an image volume", inVolume("image: {reference: a:1}"), inVolume("image: {reference: a:1, pullPolicy: IfNotPresent}")},
	{"two names for the service account", inSpec("serviceAccount: a"), inSpec("serviceAccountName: a")},
	{"both names", inSpec("serviceAccount: a, serviceAccountName: b"), inSpec("serviceAccountName: b")},
	{"annotations of init containers", "metadata: {annotations: {pod.beta.kubernetes.io/init-containers: a}}", ""},

	{"null", inContainer("env: null, command: ~, stdin: null"), inContainer("")},
	{"empty values", inSpec("hostname: '', hostNetwork: no, nodeSelector: {}, tolerations: [], imagePullSecrets: []"), inSpec("")},
	{"an empty structure that is always there", inContainer("resources: {limits: {}}"), inContainer("")},
	{"an empty value of a variable", inContainer("env: [{name: A, value: ''}]"), inContainer("env: [{name: A}]")},
	{"creationTimestamp", "metadata: {creationTimestamp: null}", ""},
	{"the order of keys", "metadata: {labels: {a: '1', b: '2'}}", "metadata: {labels: {b: '2', a: '1'}}"},
	{"quotes", inContainer("workingDir: /a"), inContainer(`workingDir: "/\x61"`)},
	{"numbers", inSpec("priority: 1000"), inSpec("priority: 1e3")},
	{"words for true", inSpec("hostPID: true"), inSpec("hostPID: on")},
	{"amounts", inContainer("resources: {limits: {cpu: 1, memory: 1024Mi, a: 0.5}}"), inContainer("resources: {limits: {cpu: 1000m, memory: 1Gi, a: 500m}}")},
	{"amounts in numbers and in text", inContainer("resources: {limits: {cpu: 0.1}}"), inContainer("resources: {limits: {cpu: '0.1'}}")},
	{"less than a thousandth", inContainer("resources: {limits: {cpu: 100u}}"), inContainer("resources: {limits: {cpu: 1m}}")},
	{"overhead", inSpec("overhead: {cpu: 1000m}"), inSpec("overhead: {cpu: '1'}")},
	{"the size of an emptyDir", inVolume("emptyDir: {sizeLimit: 1024Mi}"), inVolume("emptyDir: {sizeLimit: 1Gi}")},
	{"an alias", "metadata: {labels: {a: &a x, b: *a}}", "metadata: {labels: {a: x, b: x}}"},
	{"a merge key", "metadata: {labels: &l {a: x}, annotations: {<<: *l, b: y}}", "metadata: {labels: {a: x}, annotations: {a: x, b: y}}"},
	{"nothing and null", "", "{metadata: null, spec: null}"},
}

func TestDiff_isEmptyForTemplatesStoredAlike(t *testing.T) {
	for _, test := range same {
		t.Run(test.name, func(t *testing.T) {
			before, after := readText(t, test.old, builtin), readText(t, test.new, builtin)
			if found := Diff(before, after); found != nil {
				t.Errorf("%s\n%s\ndiffer: %q", test.old, test.new, described(found))
			}
			if found := Diff(after, before); found != nil {
				t.Errorf("the other way: %q", described(found))
			}
		})
	}
}

// TestDiff_countsAllInCustomResources: without builtin, all these pairs differ except those with the same JSON.
func TestDiff_countsAllInCustomResources(t *testing.T) {
	alike := map[string]bool{}
	for _, name := range []string{
		"null", "the order of keys", "quotes", "numbers", "words for true", "an alias", "a merge key", "nothing and null",
	} {
		alike[name] = true
	}
	for _, test := range same {
		found := Diff(readText(t, test.old, false), readText(t, test.new, false))
		if got := len(found) == 0; got != alike[test.name] {
			t.Errorf("%s: differences are %q", test.name, described(found))
		}
	}
}

func TestRead_sharesNoMemoryWithTheText(t *testing.T) {
	text := []byte(inContainer("env: [{name: LOG_LEVEL, value: info}], unknown: {a: b}, resources: {limits: {example.com/a: 1000m}}"))
	pristine := string(text)
	var p yamldoc.Parser
	tree, err := p.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	template, err := Read(tree, builtin)
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		text[i] = 'x'
	}
	if _, err := p.Parse([]byte("a: b")); err != nil {
		t.Fatal(err)
	}
	if found := Diff(template, readText(t, pristine, builtin)); found != nil {
		t.Errorf("the template changed with the text: %q", described(found))
	}
}

func TestRead_isBounded(t *testing.T) {
	bomb := "l0: &l0 [a, b, c, d, e, f, g, h, i, j]\n"
	for i := 1; i <= 9; i++ {
		bomb += fmt.Sprintf("l%d: &l%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*l%d, ", i-1), 10), ", "))
	}
	merges := "l0: &l0 {a: b}\n"
	for i := 1; i <= 20; i++ {
		merges += fmt.Sprintf("l%d: &l%d {%s}\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("K: {<<: *l%d}, ", i-1), 10), ", "))
		for k := range 10 {
			merges = strings.Replace(merges, "K: {", fmt.Sprintf("k%d: {", k), 1)
		}
	}
	for _, test := range []struct{ name, text, want string }{
		{"aliases", bomb, "pod template: aliases and merge keys expand to more than the 100000 nodes that are followed"},
		{"merge keys", merges, "pod template: aliases and merge keys expand to more than the 100000 nodes that are followed"},
		{"depth", strings.Repeat("[", 2_000) + strings.Repeat("]", 2_000), "pod template: collections are nested more than 1000 levels deep"},
	} {
		if _, err := Read(parse(t, test.text), builtin); err == nil || err.Error() != test.want {
			t.Errorf("%s: got the error %v, want %s", test.name, err, test.want)
		}
	}
	cycle := &yaml.Node{Kind: yaml.MappingNode}
	cycle.Content = []*yaml.Node{{Kind: yaml.ScalarNode, Value: "a"}, {Kind: yaml.AliasNode, Alias: cycle}}
	if _, err := Read(cycle, false); err == nil {
		t.Error("an alias within itself is read to the end")
	}
}

// FuzzRead checks for any YAML: reading does not panic, has the same result twice, and the result equals itself.
func FuzzRead(f *testing.F) {
	for _, text := range corpus.Odd() {
		f.Add([]byte(text), true)
	}
	for _, test := range same {
		f.Add([]byte(test.old), true)
		f.Add([]byte(test.new), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, builtin bool) {
		tree, err := yamldoc.Parse(text)
		if err != nil || len(text) > 4096 {
			return
		}
		before, err := Read(tree, builtin)
		after, again := Read(tree, builtin)
		if (err == nil) != (again == nil) {
			t.Fatalf("%v, and then %v", err, again)
		}
		if err != nil {
			return
		}
		if found := Diff(before, after); found != nil {
			t.Errorf("it differs from itself: %q", described(found))
		}
		nothing, err := Read(nil, builtin)
		if err != nil {
			t.Fatal(err)
		}
		if gone, came := Diff(before, nothing), Diff(nothing, before); len(gone) != len(came) {
			t.Errorf("%d differences from nothing, %d to it", len(gone), len(came))
		}
	})
}
