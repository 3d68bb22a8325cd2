package helm_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/confighash/confighash/test/support/harness"

	"github.com/google/go-cmp/cmp"
)

// helmSource returns the folder of helm's source, which go install has left in the module cache. Some charts are from
// there.
var helmSource = sync.OnceValues(func() (string, error) {
	download := exec.Command("go", "mod", "download", "-json", harness.HelmModule)
	// Outside of a module; otherwise go would look for the one in go.mod.
	download.Dir = os.TempDir()
	out, err := download.Output()
	if err != nil {
		return "", fmt.Errorf("cannot find the source of %s: %w\n%s", harness.HelmModule, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", err
	}
	return module.Dir, nil
})

// helmNamespace is the namespace of every release here.
const helmNamespace = "prod"

// helm runs helm, without the user's settings, and returns its stdout.
func helm(t *testing.T, args ...string) []byte {
	t.Helper()
	harness.SkipWithoutHelm(t)
	program, err := harness.Helm()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cmd := exec.Command(program, args...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "HELM_")
	})
	for _, folder := range []string{"CACHE", "CONFIG", "DATA"} {
		cmd.Env = append(cmd.Env, "HELM_"+folder+"_HOME="+home)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("helm %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return stdout.Bytes()
}

// A chart is a Helm chart, with the arguments to render it.
type chart struct {
	label string
	dir   string
	args  []string

	// renamed are the objects, as kind and name, to which something in the chart refers, so that Rename renames them;
	// unknown for charts in $CHARTS.
	renamed []string
	unknown bool
}

// render returns the output of `helm template`.
func (c chart) render(t *testing.T, args ...string) string {
	t.Helper()
	all := slices.Concat([]string{"template", "demo", c.dir, "--namespace", helmNamespace, "--include-crds"}, c.args, args)
	return string(helm(t, all...))
}

// packaged returns another version of the chart.
func (c chart) packaged(t *testing.T, version string) chart {
	t.Helper()
	folder := t.TempDir()
	helm(t, "package", c.dir, "--version", version, "--destination", folder)
	archives, err := filepath.Glob(filepath.Join(folder, "*.tgz"))
	if err != nil || len(archives) != 1 {
		t.Fatalf("helm package left %q (%v), want one archive", archives, err)
	}
	c.dir = archives[0]
	return c
}

// ownChart returns one of the charts in testdata.
func ownChart(name string) chart {
	return chart{label: name, dir: filepath.Join("..", "..", "testdata", "charts", name)}
}

// charts returns the charts that the tests render: those in testdata, the one from `helm create`, those in helm's
// source, including MariaDB's with a database in two parts, and the folders or archives in $CHARTS, a list like PATH.
func charts(t *testing.T) []chart {
	t.Helper()
	harness.SkipWithoutHelm(t)
	source, err := helmSource()
	if err != nil {
		t.Fatal(err)
	}
	var (
		commands  = filepath.Join(source, "cmd", "helm", "testdata", "testcharts")
		actions   = filepath.Join(source, "pkg", "action", "testdata", "charts")
		passwords = "rootUser.password=one,db.user=shop,db.password=two,replication.password=three"
	)
	web, shop := ownChart("web"), ownChart("shop")
	web.renamed = []string{"ConfigMap demo-settings", "Secret demo-database"}
	shop.renamed = []string{
		"ConfigMap demo-cache",
		"ConfigMap demo-cache-scripts",
		"ConfigMap demo-files",
		"ConfigMap demo-migrations",
		"Secret demo-cache",
		"Secret demo-payment",
		"Secret demo-registry",
	}
	all := []chart{
		web, shop, starter(t),
		{
			label: "mariadb",
			dir:   filepath.Join(actions, "chart-with-uncompressed-dependencies", "charts", "mariadb"),
			args:  []string{"--set", passwords + ",metrics.enabled=true"},
			renamed: []string{
				"ConfigMap demo-mariadb-master",
				"ConfigMap demo-mariadb-master-init-scripts",
				"ConfigMap demo-mariadb-slave",
				"ConfigMap demo-mariadb-tests",
				"Secret demo-mariadb",
			},
		},
		{
			label: "mariadb, packed, of another chart, with a Secret from elsewhere",
			dir:   filepath.Join(actions, "chart-with-compressed-dependencies"),
			args:  []string{"--set", "mariadb.rootUser.existingSecret=elsewhere,mariadb.replication.enabled=false"},
			renamed: []string{
				"ConfigMap demo-mariadb",
				"ConfigMap demo-mariadb-init-scripts",
				"ConfigMap demo-mariadb-tests",
			},
		},
		{
			label:   "a CustomResourceDefinition, two subcharts and hooks",
			dir:     filepath.Join(commands, "subchart"),
			renamed: []string{"ConfigMap demo-testconfig"},
		},
		{
			label: "a ConfigMap and a Secret that nothing refers to",
			dir:   filepath.Join(commands, "chart-with-secret"),
		},
		{
			label: "several objects in each template",
			dir:   filepath.Join(commands, "object-order"),
		},
	}
	for _, dir := range filepath.SplitList(os.Getenv("CHARTS")) {
		all = append(all, chart{label: dir, dir: dir, unknown: true})
	}
	return all
}

// starter returns the chart from `helm create`, with typical first additions: a ConfigMap, mounted through the values,
// and a host with TLS.
func starter(t *testing.T) chart {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "starter")
	helm(t, "create", dir)
	err := harness.Files{
		"templates/config.yaml": `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "starter.fullname" . }}
  labels:
    {{- include "starter.labels" . | nindent 4 }}
data:
  nginx.conf: |
    worker_processes auto;
`,
		"more.yaml": `podAnnotations:
  prometheus.io/scrape: "true"
volumes:
- name: config
  configMap:
    name: demo-starter
- name: certificate
  secret:
    secretName: from-elsewhere
    optional: true
volumeMounts:
- name: config
  mountPath: /etc/nginx
- name: certificate
  mountPath: /etc/nginx/tls
ingress:
  enabled: true
  annotations:
    cert-manager.io/cluster-issuer: letsencrypt
  tls:
  - secretName: demo-starter-tls
    hosts: [chart-example.local]
imagePullSecrets:
- name: registry
`,
	}.Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	return chart{
		label:   "starter",
		dir:     dir,
		args:    []string{"--values", filepath.Join(dir, "more.yaml")},
		renamed: []string{"ConfigMap demo-starter"},
	}
}

// postRender returns the chart rendered with the function as post-renderer.
func (c chart) postRender(t *testing.T, mode string) string {
	t.Helper()
	return c.render(t, "--post-renderer", harness.Binary,
		"--post-renderer-args=--mode="+mode, "--post-renderer-args=--namespace="+helmNamespace)
}

// filter pipes text through the function as in `helm template … | confighash`.
func filter(t *testing.T, text, mode string, args ...string) string {
	t.Helper()
	out, _ := filterAndListen(t, text, mode, args...)
	return out
}

// filterAndListen is filter, but also returns the function's stderr.
func filterAndListen(t *testing.T, text, mode string, args ...string) (out, said string) {
	t.Helper()
	var stdout, stderr strings.Builder
	cmd := exec.Command(harness.Binary, append([]string{"--mode", mode, "--namespace", helmNamespace}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("confighash --mode %s: %v\n%s", mode, err, &stderr)
	}
	return stdout.String(), stderr.String()
}

func TestHelm_postRendererGivesWhatThePipeGives(t *testing.T) {
	c := ownChart("web")
	for _, mode := range []string{"Rename", "Annotate"} {
		t.Run(mode, func(t *testing.T) {
			want, err := harness.Objects([]byte(filter(t, c.render(t), mode)))
			if err != nil {
				t.Fatal(err)
			}
			got, err := harness.Objects([]byte(c.postRender(t, mode)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("helm's post-renderer gives something else (-pipe +post-renderer):\n%s", diff)
			}
		})
	}
}

// Helm 3 passes all of a release except its hooks to a post-renderer, so a hook keeps the old name of a renamed object.
func TestHelm_postRendererSeesNoHooks(t *testing.T) {
	const hook, settings = "batch/v1 Job /demo-migrate", "demo-settings"
	text := ownChart("shop").postRender(t, "Rename")
	for _, o := range parseManifests(t, text) {
		if o.Identity() != hook {
			continue
		}
		for u := range consumedBy(t, o, workloads[o.Kind()]) {
			if u.name == settings {
				return
			}
		}
	}
	t.Errorf("no %s that consumes %s, so helm post-renders hooks now:\n%s", hook, settings, text)
}

// Charts write the release's namespace into some objects and leave it to helm in others; only with the namespace is it
// clear that both are in the same one.
func TestHelm_namespaceJoinsObjectsWithAndWithoutIt(t *testing.T) {
	const workload = "apps/v1 Deployment /demo-billing"
	text := ownChart("shop").render(t)
	reference := func(env []string, args ...string) string {
		cmd := exec.Command(harness.Binary, append([]string{"--config", harness.ReadByName()}, args...)...)
		cmd.Env = append(os.Environ(), env...)
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range parseManifests(t, string(out)) {
			if o.Identity() == workload {
				pod := podSpec(t, o, workloads["Deployment"])
				return pod.Containers[0].Env[0].ValueFrom.ConfigMapKeyRef.Name
			}
		}
		t.Fatalf("no %s in\n%s", workload, out)
		return ""
	}
	want := reference(nil, "--namespace", helmNamespace)
	if !strings.HasPrefix(want, "demo-settings-") {
		t.Errorf("with --namespace %s the reference is to %s, want a name with a suffix", helmNamespace, want)
	}
	if got := reference([]string{"HELM_NAMESPACE=" + helmNamespace}); got != want {
		t.Errorf("with HELM_NAMESPACE=%s the reference is to %s, want %s", helmNamespace, got, want)
	}
	if got := reference([]string{"HELM_NAMESPACE="}); got != "demo-settings" {
		t.Errorf("without a namespace the reference is to %s, want demo-settings: it is to another namespace", got)
	}
}
