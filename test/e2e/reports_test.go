package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/golden"
	"github.com/confighash/confighash/test/support/harness"
)

// fleet returns that many manifests: in each namespace a ConfigMap and a Secret that most workloads use, further
// ConfigMaps that few use, and workloads of several kinds. A changed fleet has other content in some objects, other
// images, and other labels of a chart.
func fleet(n int, changed bool) string {
	objects, teams := n*2/5, max(1, n/50)
	var docs []string
	for i := range objects {
		kind, data, name := "ConfigMap", "data", fmt.Sprint("settings-", i)
		switch i / teams {
		case 0:
			name = "common"
		case 1:
			kind, data, name = "Secret", "stringData", "db"
		}
		level := "info"
		if changed && (i/teams == 0 && i%2 == 0 || i%7 == 3) {
			level = "debug"
		}
		docs = append(docs, fmt.Sprintf("apiVersion: v1\nkind: %s\nmetadata: {name: %s, namespace: team-%d}\n%s: {LOG_LEVEL: %s, REGION: eu}\n", kind, name, i%teams, data, level))
	}
	for i := range n - objects {
		docs = append(docs, fleetWorkload(i, objects, teams, changed))
	}
	return strings.Join(docs, "---\n")
}

// fleetWorkload returns one workload of a fleet.
func fleetWorkload(i, objects, teams int, changed bool) string {
	image, chart := 1, 1
	if changed && i%13 == 5 {
		image = 2
	}
	if changed && i%9 == 4 {
		chart = 2
	}
	team, nth := i%teams, i/teams
	kind := []string{"Deployment", "Deployment", "StatefulSet", "Deployment", "DaemonSet"}[nth%5]
	replicas := fmt.Sprintf("\n  replicas: %d", i%4+1)
	if kind == "DaemonSet" {
		replicas = ""
	}
	var sources []string
	if nth%5 != 3 {
		sources = append(sources, "{configMapRef: {name: common}}")
	}
	if nth%3 == 1 {
		sources = append(sources, "{secretRef: {name: db}}")
	}
	if own := nth * 7 % (objects / teams); own > 1 {
		sources = append(sources, fmt.Sprintf("{configMapRef: {name: settings-%d}}", own*teams+team))
	}
	if i%40 == 7 {
		sources = append(sources, "{configMapRef: {name: absent}}")
	}
	return fmt.Sprintf(`apiVersion: apps/v1
kind: %s
metadata: {name: app-%d, namespace: team-%d}
spec:%s
  template:
    metadata: {labels: {helm.sh/chart: shop-%d}}
    spec:
      containers:
      - {name: app, image: "shop:%d", envFrom: [%s]}
`, kind, i, team, replicas, chart, image, strings.Join(sources, ", "))
}

// writeFleets writes a fleet of that size into a folder, before and after a change, renamed by confighash.
func writeFleets(t *testing.T, dir string, n int) (before, after string) {
	t.Helper()
	before, after = filepath.Join(dir, "before.yaml"), filepath.Join(dir, "after.yaml")
	for path, changed := range map[string]bool{before: false, after: true} {
		if err := os.WriteFile(path, harness.MustRun(t, []byte(fleet(n, changed)), harness.Binary, "--mode", "Rename"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return before, after
}

// The reports of a few and of a hundred manifests, in each format for people.
func TestReports_lookLikeTheirGoldenFiles(t *testing.T) {
	for _, n := range []int{5, 100} {
		before, after := writeFleets(t, t.TempDir(), n)
		for format, extension := range map[string]string{"text": "txt", "markdown": "md", "html": "html", "dot": "dot"} {
			for command, args := range map[string][]string{
				"impact": {"impact", "--from", before, "--to", after, "--environment", "prod", "-o", format},
				"graph":  {"graph", before, "-o", format},
			} {
				path := filepath.Join("testdata", "reports", fmt.Sprintf("%s-%d.%s", command, n, extension))
				text := string(harness.MustRun(t, nil, harness.Binary, args...))
				if _, body, found := strings.Cut(text, "<main>\n"); found {
					text, _, _ = strings.Cut(body, "</main>")
				}
				golden.Compare(t, path, text)
			}
		}
	}
}
