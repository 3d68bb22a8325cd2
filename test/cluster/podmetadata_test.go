//go:build cluster

package cluster_test

import (
	"slices"
	"strings"
	"testing"
)

// chart is a chart's output for its version VERSION, with selectors of each kind that the API server knows.
const chart = `apiVersion: v1
kind: ConfigMap
metadata: {name: web, labels: {helm.sh/chart: web-VERSION}}
data: {LEVEL: info}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {helm.sh/chart: web-VERSION}}
spec:
  replicas: 2
  selector: {matchLabels: {app.kubernetes.io/name: web}}
  template:
    metadata:
      labels: {app.kubernetes.io/name: web, app.kubernetes.io/part-of: shop, app.kubernetes.io/tier: front, app.kubernetes.io/zone: a, app.kubernetes.io/version: VERSION, helm.sh/chart: web-VERSION}
      annotations: {checksum/configmap: VERSION}
    spec:
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app.kubernetes.io/zone: a}}}
      containers: [{name: web, image: web, envFrom: [{configMapRef: {name: web}}]}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, labels: {helm.sh/chart: web-VERSION}}
spec:
  serviceName: db
  selector: {matchLabels: {app.kubernetes.io/name: db}}
  template:
    metadata: {labels: {app.kubernetes.io/name: db, helm.sh/chart: web-VERSION}}
    spec: {containers: [{name: db, image: db}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, labels: {helm.sh/chart: web-VERSION}}
spec: {selector: {app.kubernetes.io/part-of: shop}, ports: [{port: 80}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {maxUnavailable: 1, selector: {matchExpressions: [{key: app.kubernetes.io/tier, operator: In, values: [front]}]}}
`

// TestPodMetadata_letsAChartChangeItsVersion applies two versions of a chart with the same program and configuration.
// Every label except the chart's version is in a selector, so it stays although a pattern drops it.
func TestPodMetadata_letsAChartChangeItsVersion(t *testing.T) {
	const drop = "podMetadata: {dropLabels: [helm.sh/chart, app.kubernetes.io/*], dropAnnotations: [checksum/*]}"
	eachWay(t, modes, ways, func(t *testing.T, mode string, w way, namespace string) {
		version := func(version string, spec ...string) string {
			out, _ := build(t, namespace, mode, strings.ReplaceAll(chart, "VERSION", version), spec...)
			return out
		}
		_, first := w.apply(t, namespace, version("1.0.0"))
		_, bumped := w.apply(t, namespace, version("1.0.1"))
		wantRolled(t, namespace, first, bumped, []string{"Deployment web", "StatefulSet db"})

		_, before := w.apply(t, namespace, version("1.0.1", drop))
		_, after := w.apply(t, namespace, version("1.1.0", drop))
		wantRolled(t, namespace, before, after, nil)
		wantNoDrift(t, w, namespace, version("1.1.0", drop))

		template := kubectl(t, "", "get", "-n", namespace, "deployment", "web", "-o", "jsonpath={.spec.template.metadata.labels}")
		for _, label := range []string{"name", "part-of", "tier", "zone"} {
			if !strings.Contains(template, "app.kubernetes.io/"+label) {
				t.Errorf("a selector needs app.kubernetes.io/%s: %s", label, template)
			}
		}
		if strings.Contains(template, "1.") {
			t.Errorf("the chart's version is in the pod template: %s", template)
		}
		for _, selector := range []string{"app.kubernetes.io/name=web", "app.kubernetes.io/part-of=shop", "app.kubernetes.io/tier in (front)", "app.kubernetes.io/zone=a"} {
			pods := strings.Fields(kubectl(t, "", "get", "-n", namespace, "pods", "-l", selector, "-o", "name"))
			if len(slices.Compact(pods)) < 2 {
				t.Errorf("%s selects %v, want two pods", selector, pods)
			}
		}
	})
}
