package impact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/confighash/confighash/internal/graph/load"
	"github.com/confighash/confighash/internal/impact"
)

// compare predicts the effect of applying one stream of manifests over another.
func compare(t *testing.T, before, after string) *impact.Report {
	t.Helper()
	old, err := load.Graph([]string{load.Stdin}, strings.NewReader(before), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	now, err := load.Graph([]string{load.Stdin}, strings.NewReader(after), load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := impact.Compare(old, now)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

const (
	deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1"}]}
`
	statefulSet = `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: "db:1"}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`
	pod = `apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: web, image: "web:1", resources: {limits: {memory: "1e9"}}}]}
`
	job = `apiVersion: batch/v1
kind: Job
metadata: {name: web}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: web, image: "web:1", resources: {limits: {memory: "1e9"}}}]}
`
	settings = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
immutable: true
data: {level: info}
`
	reader = `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1", envFrom: [{configMapRef: {name: settings, optional: true}}]}]}
`
)

// The expected results are observed answers of an API server of v1.36.
func TestCompare_agreesWithTheAPIServer(t *testing.T) {
	for _, tc := range []struct {
		name         string
		before       string
		old, new     string // a text in before, and its replacement
		workload     impact.Effect
		refuseObject bool
	}{
		{"a selector that is empty in part is the same", deployment, "{matchLabels: {app: web}}", "{matchLabels: {app: web}, matchExpressions: []}", "", false},
		{"null in a selector is nothing", deployment, "{matchLabels: {app: web}}", "{matchLabels: {app: web}, matchExpressions: null}", "", false},
		{"another selector", deployment, "{matchLabels: {app: web}}", "{matchLabels: {app: web, tier: a}}", impact.Refused, false},
		{"a claim's default", statefulSet, "accessModes", "volumeMode: Filesystem, accessModes", "", false},
		{"a claim's version and kind", statefulSet, "metadata: {name: data}", "apiVersion: v1\n    kind: PersistentVolumeClaim\n    metadata: {name: data, creationTimestamp: null}", "", false},
		{"a claim's amount in another notation", statefulSet, "storage: 1Gi", "storage: 1024Mi", "", false},
		{"a claim's amount in a notation that is kept", statefulSet, "storage: 1Gi", "storage: 1073741824", "", false},
		{"another amount of a claim", statefulSet, "storage: 1Gi", "storage: 2Gi", impact.Refused, false},
		{"a claim's own default class", statefulSet, "accessModes", `storageClassName: "", accessModes`, impact.Refused, false},
		{"a claim's label", statefulSet, "{name: data}", "{name: data, labels: {a: b}}", impact.Refused, false},
		{"a claim more", statefulSet, "  volumeClaimTemplates:\n", "  volumeClaimTemplates:\n  - metadata: {name: more}\n    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n", impact.Refused, false},
		{"a Pod's amount in another notation", pod, `"1e9"`, "1G", "", false},
		{"a Pod's other amount", pod, `"1e9"`, "2G", impact.Refused, false},
		{"a Pod's image with a tag of another pull policy", pod, "web:1", "web:latest", impact.Rolls, false},
		{"a Job's amount in another notation", job, `"1e9"`, "1G", "", false},
		{"a Job's other amount", job, `"1e9"`, "2G", impact.Refused, false},
		{"a Job's completions are written out", job, "spec:\n  template", "spec:\n  completions: 1\n  parallelism: 1\n  template", "", false},
		{"a Job's parallelism is", job, "spec:\n  template", "spec:\n  parallelism: 1\n  template", "", false},
		{"a Job's completions are others", job, "spec:\n  template", "spec:\n  completions: 2\n  template", impact.Refused, false},
		{"a Job's completions go", strings.Replace(job, "spec:\n  template", "spec:\n  completions: 2\n  template", 1), "  completions: 2\n", "", impact.Refused, false},
		{"a default rollingUpdate stays under OnDelete", statefulSet, "spec:\n  sel", "spec:\n  updateStrategy: {type: OnDelete}\n  sel", impact.Refused, false},
		{"none is filled in next to a type", strings.Replace(statefulSet, "spec:\n  sel", "spec:\n  updateStrategy: {type: RollingUpdate}\n  sel", 1), "RollingUpdate", "OnDelete", "", false},
		{"a rollingUpdate is removed with its type", strings.Replace(statefulSet, "spec:\n  sel", "spec:\n  updateStrategy: {rollingUpdate: {partition: 0}}\n  sel", 1), "{rollingUpdate: {partition: 0}}", "{type: OnDelete}", "", false},
		{"a rollingUpdate is taken away", statefulSet, "spec:\n  sel", "spec:\n  updateStrategy: {type: OnDelete, rollingUpdate: null}\n  sel", "", false},
		{"a pause ends", strings.Replace(deployment, "spec:\n  sel", "spec:\n  paused: true\n  sel", 1), "  paused: true\n", "", impact.Rolls, false},
		{"a partition is lowered", strings.Replace(statefulSet, "spec:\n  sel", "spec:\n  replicas: 3\n  updateStrategy: {rollingUpdate: {partition: 0x3}}\n  sel", 1), "0x3", "1", impact.Rolls, false},
		{"a partition is raised", strings.Replace(statefulSet, "spec:\n  sel", "spec:\n  replicas: 3\n  updateStrategy: {rollingUpdate: {partition: 1}}\n  sel", 1), "partition: 1", "partition: 2", "", false},
		{"a partition above all pods", strings.Replace(statefulSet, "spec:\n  sel", "spec:\n  replicas: 3\n  updateStrategy: {rollingUpdate: {partition: 0x3}}\n  sel", 1), "db:1", "db:2", impact.Waits, false},
		{"a suspended Job's node", strings.Replace(job, "spec:\n  template", "spec:\n  suspend: true\n  template", 1), "restartPolicy", "nodeSelector: {a: b}, restartPolicy", impact.NextRuns, false},
		{"a suspended Job's resources", strings.Replace(job, "spec:\n  template", "spec:\n  suspend: true\n  template", 1), `"1e9"`, "2G", impact.NextRuns, false},
		{"a suspended Job's image", strings.Replace(job, "spec:\n  template", "spec:\n  suspend: true\n  template", 1), "web:1", "web:2", impact.Refused, false},
		{"a Pod's toleration", pod, "spec: {", "spec: {tolerations: [{key: a, operator: Exists}], ", "", false},
		{"a Pod's node", pod, "spec: {", "spec: {nodeSelector: {a: b}, ", impact.Refused, false},
		{"the image of a Pod's volume", strings.Replace(pod, "spec: {", "spec: {volumes: [{name: v, image: {reference: a:1}}], ", 1), "a:1", "a:2", impact.Refused, false},
		{"the image of a Pod's init container", strings.Replace(pod, "spec: {", "spec: {initContainers: [{name: v, image: a:1}], ", 1), "a:1", "a:2", impact.NextRuns, false},
		{"an expression of a selector with no values", strings.Replace(deployment, "{matchLabels: {app: web}}", "{matchExpressions: [{key: app, operator: Exists}]}", 1), "Exists}", "Exists, values: []}", "", false},
		{"an optional object is removed", reader + "---\n" + settings, "---\n" + settings, "", impact.Stale, false},
		{"a service account is not taken back", strings.Replace(deployment, "containers:", "serviceAccountName: web, containers:", 1), "serviceAccountName: web, ", "", "", false},
		{"a service account is taken back that both fields give", strings.Replace(deployment, "containers:", "serviceAccountName: web, serviceAccount: web, containers:", 1), "serviceAccountName: web, serviceAccount: web, ", "", impact.Rolls, false},
		{"another service account", strings.Replace(deployment, "containers:", "serviceAccountName: web, containers:", 1), "serviceAccountName: web", "serviceAccountName: db", impact.Rolls, false},
		{"paused by a YAML 1.1 boolean", strings.Replace(deployment, "spec:\n  sel", "spec:\n  paused: yes\n  sel", 1), "web:1", "web:2", impact.Waits, false},
		{"immutable by a YAML 1.1 boolean", settings, "immutable: true", "immutable: On", "", false},
		{"no longer immutable by a YAML 1.1 boolean", settings, "immutable: true", "immutable: no", "", true},
		{"immutable by a YAML 1.1 boolean, with other data", strings.Replace(settings, "true", "yes", 1), "info", "debug", "", true},
		{"an optional object comes", reader, "---\n", "---\n" + settings + "---\n", impact.Stale, false},
		{"an optional object comes without the key", strings.Replace(reader, "envFrom: [{configMapRef: {name: settings, optional: true}}]", "env: [{name: A, valueFrom: {configMapKeyRef: {key: a, name: settings, optional: true}}}]", 1), "---\n", "---\n" + settings + "---\n", "", false},
		{"an object comes that is optional by a YAML 1.1 boolean", strings.Replace(reader, "optional: true", "optional: on", 1), "---\n", "---\n" + settings + "---\n", impact.Stale, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if n := strings.Count(tc.before, tc.old); n != 1 {
				t.Fatalf("the manifests hold %q %d times", tc.old, n)
			}
			report := compare(t, tc.before, strings.Replace(tc.before, tc.old, tc.new, 1))
			var effect impact.Effect
			for _, w := range report.Workloads {
				effect = w.Effect
			}
			if effect != tc.workload {
				t.Errorf("the workload is %q, want %q: %+v", effect, tc.workload, report.Workloads)
			}
			refused := false
			for i := range report.Objects {
				refused = refused || report.Objects[i].Refused != ""
			}
			if refused != tc.refuseObject {
				t.Errorf("the object is refused: %v, want %v: %s", refused, tc.refuseObject, fmt.Sprintf("%+v", report.Objects))
			}
		})
	}
}
