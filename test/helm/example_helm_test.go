package helm_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/confighash/confighash/test/support/harness"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/yaml"
)

// A cluster is a minimal API server on which helm can install, upgrade and roll back a chart of ConfigMaps, Secrets and
// Deployments: it stores objects, and records writes. It does not track field ownership, so a server-side apply
// replaces an object.
type cluster struct {
	*httptest.Server
	mu      sync.Mutex
	objects map[string]harness.Object // by path
	writes  []string                  // "create configmaps/web", in order
}

// clusterKinds are the kinds that a cluster supports, by resource.
var clusterKinds = map[string]struct{ kind, groupVersion string }{
	"configmaps":  {"ConfigMap", "v1"},
	"secrets":     {"Secret", "v1"},
	"deployments": {"Deployment", "apps/v1"},
}

var objectPath = regexp.MustCompile(`^(?:/api/v1|/apis/apps/v1)/namespaces/[^/]+/([a-z]+)(?:/([^/]+))?$`)

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{objects: make(map[string]harness.Object)}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		answer(w, http.StatusBadRequest, failed(http.StatusBadRequest, "BadRequest", err.Error()))
		return
	}
	sent, err := parse(body)
	if err != nil {
		answer(w, http.StatusBadRequest, failed(http.StatusBadRequest, "BadRequest", err.Error()))
		return
	}
	if match := objectPath.FindStringSubmatch(r.URL.Path); match != nil {
		code, o := c.handle(r, match[1], match[2], sent)
		answer(w, code, o)
		return
	}
	if o := discovery(r.URL.Path); o != nil {
		answer(w, http.StatusOK, o)
		return
	}
	answer(w, http.StatusNotFound, failed(http.StatusNotFound, "NotFound", r.URL.Path))
}

// parse parses an object: JSON, YAML, or a Secret in protobuf, the format of helm's records.
func parse(body []byte) (harness.Object, error) {
	if bytes.HasPrefix(body, []byte("k8s\x00")) {
		scheme := runtime.NewScheme()
		if err := corev1.AddToScheme(scheme); err != nil {
			return nil, err
		}
		decoded, kind, err := serializer.NewCodecFactory(scheme).UniversalDeserializer().Decode(body, nil, nil)
		if err != nil {
			return nil, err
		}
		decoded.GetObjectKind().SetGroupVersionKind(*kind)
		if body, err = json.Marshal(decoded); err != nil {
			return nil, err
		}
	}
	var o harness.Object
	return o, yaml.Unmarshal(body, &o)
}

func answer(w http.ResponseWriter, code int, o harness.Object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(o)
}

func failed(code int, reason, message string) harness.Object {
	return harness.Object{"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message}
}

// discovery returns an API server's discovery documents, nil for other paths.
func discovery(path string) harness.Object {
	switch path {
	case "/version":
		return harness.Object{"major": "1", "minor": "35", "gitVersion": "v1.35.0"}
	case "/api":
		return harness.Object{"kind": "APIVersions", "versions": []string{"v1"}}
	case "/apis":
		version := harness.Object{"groupVersion": "apps/v1", "version": "v1"}
		return harness.Object{"kind": "APIGroupList", "apiVersion": "v1", "groups": []harness.Object{
			{"name": "apps", "versions": []harness.Object{version}, "preferredVersion": version},
		}}
	case "/api/v1", "/apis/apps/v1":
		var resources []harness.Object
		for name, k := range clusterKinds {
			if strings.HasSuffix(path, "/"+k.groupVersion) && (path == "/api/v1") == (k.groupVersion == "v1") {
				resources = append(resources, harness.Object{
					"name": name, "singularName": strings.ToLower(k.kind), "namespaced": true, "kind": k.kind,
					"verbs": []string{"create", "delete", "get", "list", "patch", "update"},
				})
			}
		}
		groupVersion := strings.TrimPrefix(strings.TrimPrefix(path, "/apis/"), "/api/")
		return harness.Object{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": groupVersion, "resources": resources}
	}
	return schemas(path)
}

// schemas returns an API server's OpenAPI documents: they say that it validates fields itself, so that helm does not.
func schemas(path string) harness.Object {
	paths := harness.Object{}
	for name, k := range clusterKinds {
		group, version, grouped := strings.Cut(k.groupVersion, "/")
		at := "apis/" + k.groupVersion
		if !grouped {
			group, version, at = "", k.groupVersion, "api/"+k.groupVersion
		}
		switch path {
		case "/openapi/v3":
			paths[at] = harness.Object{"serverRelativeURL": "/openapi/v3/" + at}
		case "/openapi/v3/" + at:
			paths["/"+at+"/namespaces/{namespace}/"+name+"/{name}"] = harness.Object{"patch": harness.Object{
				"parameters":                      []harness.Object{{"name": "fieldValidation", "in": "query"}},
				"responses":                       harness.Object{},
				"x-kubernetes-group-version-kind": harness.Object{"group": group, "version": version, "kind": k.kind},
			}}
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return harness.Object{"openapi": "3.0.0", "info": harness.Object{"title": "cluster", "version": "1"}, "paths": paths}
}

// handle answers a request for objects of a resource, or for one by name.
func (c *cluster) handle(r *http.Request, resource, name string, sent harness.Object) (int, harness.Object) {
	path := r.URL.Path
	found, exists := c.objects[path]
	switch {
	case r.Method == http.MethodGet && name == "":
		return http.StatusOK, c.list(path, resource, r.URL.Query().Get("labelSelector"))
	case r.Method == http.MethodPost:
		path += "/" + sent.Name()
		if _, exists := c.objects[path]; exists {
			return http.StatusConflict, failed(http.StatusConflict, "AlreadyExists", path)
		}
		return http.StatusCreated, c.store("create", path, sent)
	case r.Method == http.MethodPatch && r.Header.Get("Content-Type") == "application/apply-patch+yaml":
		return http.StatusOK, c.store(map[bool]string{true: "update", false: "create"}[exists], path, sent)
	case !exists:
		return http.StatusNotFound, failed(http.StatusNotFound, "NotFound", path)
	case r.Method == http.MethodGet:
		return http.StatusOK, found
	case r.Method == http.MethodPut:
		return http.StatusOK, c.store("update", path, sent)
	case r.Method == http.MethodPatch:
		mergePatch(map[string]any(found), map[string]any(sent))
		return http.StatusOK, c.store("update", path, found)
	case r.Method == http.MethodDelete:
		delete(c.objects, path)
		c.note("delete", path)
		return http.StatusOK, harness.Object{"apiVersion": "v1", "kind": "Status", "status": "Success"}
	}
	return http.StatusMethodNotAllowed, failed(http.StatusMethodNotAllowed, "MethodNotAllowed", r.Method)
}

// mergePatch merges a strategic merge patch into a value, sufficiently for these charts: lists of named elements merge
// by name, others are replaced.
func mergePatch(value, patch any) any {
	switch patch := patch.(type) {
	case map[string]any:
		merged, ok := value.(map[string]any)
		if !ok {
			merged = make(map[string]any)
		}
		for key, p := range patch {
			switch {
			case strings.HasPrefix(key, "$"):
			case p == nil:
				delete(merged, key)
			default:
				merged[key] = mergePatch(merged[key], p)
			}
		}
		return merged
	case []any:
		there, _ := value.([]any)
		for _, p := range patch {
			o, _ := p.(map[string]any)
			if o["name"] == nil {
				return patch
			}
			i := slices.IndexFunc(there, func(element any) bool {
				e, _ := element.(map[string]any)
				return e["name"] == o["name"]
			})
			if i < 0 {
				there = append(there, p)
			} else {
				there[i] = mergePatch(there[i], p)
			}
		}
		return there
	}
	return patch
}

func (c *cluster) list(path, resource, selector string) harness.Object {
	matches, err := labels.Parse(selector)
	if err != nil {
		return failed(http.StatusBadRequest, "BadRequest", err.Error())
	}
	items := []harness.Object{}
	for _, stored := range slices.Sorted(maps.Keys(c.objects)) {
		set := labels.Set{}
		own, _ := harness.At(c.objects[stored], "metadata", "labels").(map[string]any)
		for key, value := range own {
			set[key] = fmt.Sprint(value)
		}
		if strings.HasPrefix(stored, path+"/") && matches.Matches(set) {
			items = append(items, c.objects[stored])
		}
	}
	k := clusterKinds[resource]
	return harness.Object{"apiVersion": k.groupVersion, "kind": k.kind + "List", "metadata": harness.Object{}, "items": items}
}

func (c *cluster) store(verb, path string, o harness.Object) harness.Object {
	c.objects[path] = o
	c.note(verb, path)
	return o
}

// note records a write, except for helm's own records.
func (c *cluster) note(verb, path string) {
	parts := strings.Split(path, "/")
	if name := parts[len(parts)-1]; !strings.HasPrefix(name, "sh.helm.release.") {
		c.writes = append(c.writes, verb+" "+parts[len(parts)-2]+"/"+name)
	}
}

// written returns the writes since the last call.
func (c *cluster) written() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.writes
	c.writes = nil
	return all
}

// names returns the names of a resource's objects, except for helm's own.
func (c *cluster) names(resource string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []string
	for _, path := range slices.Sorted(maps.Keys(c.objects)) {
		if match := objectPath.FindStringSubmatch(path); match[1] == resource && !strings.HasPrefix(match[2], "sh.helm.release.") {
			found = append(found, match[2])
		}
	}
	return found
}

// consumed returns the name of the ConfigMap from which the Deployment web takes its environment, and the pod
// template's checksum.
func (c *cluster) consumed(t *testing.T) (name, checksum string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	o, ok := c.objects["/apis/apps/v1/namespaces/shop/deployments/web"]
	if !ok {
		t.Fatal("the cluster has no Deployment shop/web")
	}
	pod := podSpec(t, o, workloads["Deployment"])
	return pod.Containers[0].EnvFrom[0].ConfigMapRef.Name, harness.StringAt(o, "spec", "template", "metadata", "annotations", "checksum/config")
}

// webChart is a chart whose Secret keeps the password from its installation: the template looks it up.
var webChart = harness.Files{
	"chart/Chart.yaml":  "apiVersion: v2\nname: web\nversion: 1.0.0\n",
	"chart/values.yaml": "level: info\n",
	"chart/templates/config.yaml": `apiVersion: v1
kind: ConfigMap
metadata:
  name: web-settings
data:
  LOG_LEVEL: {{ .Values.level }}
`,
	"chart/templates/database.yaml": `{{- $there := lookup "v1" "Secret" .Release.Namespace "web-database" }}
apiVersion: v1
kind: Secret
metadata:
  name: web-database
data:
  password: {{ if $there }}{{ $there.data.password }}{{ else }}{{ randAlphaNum 16 | b64enc }}{{ end }}
`,
	"chart/templates/deployment.yaml": `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: {{ .Release.Namespace }}
spec:
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: registry.example.com/web:1.4
        envFrom:
        - configMapRef: {name: web-settings}
        - secretRef: {name: web-database}
`,
}

// A helmUser has a helm, confighash on the PATH, a chart and a cluster.
type helmUser struct {
	dir     string
	env     []string
	cluster *cluster
}

func newHelmUser(t *testing.T, helm string) helmUser {
	t.Helper()
	h := helmUser{dir: t.TempDir(), cluster: newCluster(t)}
	if err := webChart.Write(h.dir); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(h.dir, os.DirFS(filepath.Join("..", "..", "examples", "helm"))); err != nil {
		t.Fatal(err)
	}
	bin, home := t.TempDir(), t.TempDir()
	for name, target := range map[string]string{"helm": helm, "confighash": harness.Binary} {
		if err := os.Symlink(target, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	h.env = append(slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "HELM_") || strings.HasPrefix(variable, "KUBECONFIG=")
	}), "HOME="+home, "HELM_KUBEAPISERVER="+h.cluster.URL,
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return h
}

// sh runs a command line beside the chart and returns its output.
func (h helmUser) sh(t *testing.T, line string) (string, error) {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = h.dir, h.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (h helmUser) must(t *testing.T, line string) string {
	t.Helper()
	out, err := h.sh(t, line)
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return out
}

// upgrade installs or upgrades the release with a log level, with the post-renderer's args.
func (h helmUser) upgrade(t *testing.T, level string, args ...string) {
	t.Helper()
	line := "helm upgrade --install web ./chart --namespace shop --set level=" + level + " --post-renderer confighash"
	for _, arg := range args {
		line += " --post-renderer-args=" + arg
	}
	h.must(t, line)
}

// checkRenamedRelease checks docs/helm.md about upgrades and rollbacks under Rename.
func checkRenamedRelease(t *testing.T, h helmUser) {
	t.Helper()
	rename := []string{"--mode=Rename", "--namespace=shop"}
	h.upgrade(t, "info", rename...)
	info, _ := h.cluster.consumed(t)
	if diff := cmp.Diff([]string{info}, h.cluster.names("configmaps")); diff != "" || info == "web-settings" {
		t.Errorf("the Deployment consumes %s, ConfigMaps (-want +got):\n%s", info, diff)
	}

	h.cluster.written()
	h.upgrade(t, "debug", rename...)
	debug, _ := h.cluster.consumed(t)
	writes := h.cluster.written()
	created, rolled, deleted := slices.Index(writes, "create configmaps/"+debug),
		slices.Index(writes, "update deployments/web"), slices.Index(writes, "delete configmaps/"+info)
	if created < 0 || rolled < created || deleted < rolled {
		t.Errorf("want the ConfigMap created, then the Deployment updated, then the old ConfigMap deleted:\n%s", strings.Join(writes, "\n"))
	}
	if diff := cmp.Diff([]string{debug}, h.cluster.names("configmaps")); diff != "" || debug == info {
		t.Errorf("after the upgrade the Deployment consumes %s, ConfigMaps (-want +got):\n%s", debug, diff)
	}

	h.must(t, "helm rollback web 1 --namespace shop")
	back, _ := h.cluster.consumed(t)
	if diff := cmp.Diff([]string{info}, h.cluster.names("configmaps")); diff != "" || back != info {
		t.Errorf("after the rollback the Deployment consumes %s, want %s; ConfigMaps (-want +got):\n%s", back, info, diff)
	}
}

// checkKeptRelease checks docs/helm.md about objects that are kept: a rollback finds them, and adopts them again.
func checkKeptRelease(t *testing.T, h helmUser) {
	t.Helper()
	h.upgrade(t, "info", "--config=confighash.yaml")
	info, _ := h.cluster.consumed(t)
	h.upgrade(t, "debug", "--config=confighash.yaml")
	debug, _ := h.cluster.consumed(t)
	want := []string{info, debug}
	slices.Sort(want)
	if diff := cmp.Diff(want, h.cluster.names("configmaps")); diff != "" {
		t.Errorf("after the upgrade, ConfigMaps (-want +got):\n%s", diff)
	}
	h.must(t, "helm rollback web 1 --namespace shop")
	back, _ := h.cluster.consumed(t)
	if diff := cmp.Diff(want, h.cluster.names("configmaps")); diff != "" || back != info {
		t.Errorf("after the rollback the Deployment consumes %s, want %s; ConfigMaps (-want +got):\n%s", back, info, diff)
	}
	h.upgrade(t, "debug", "--config=confighash.yaml")
	if again, _ := h.cluster.consumed(t); again != debug {
		t.Errorf("upgraded again the Deployment consumes %s, want %s", again, debug)
	}
	h.must(t, "helm uninstall web --namespace shop")
	if diff := cmp.Diff(want, h.cluster.names("configmaps")); diff != "" {
		t.Errorf("after helm uninstall, ConfigMaps (-want +got):\n%s", diff)
	}
}

// password returns the content of the only Secret of the release.
func (c *cluster) password(t *testing.T) string {
	t.Helper()
	names := c.names("secrets")
	if len(names) != 1 {
		t.Fatalf("the Secrets are %q, want one", names)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return harness.StringAt(c.objects["/api/v1/namespaces/shop/secrets/"+names[0]], "data", "password")
}

// checkLookup checks docs/helm.md about templates that look an object up by the name that Rename changes.
func checkLookup(t *testing.T, newUser func(*testing.T) helmUser) {
	t.Helper()
	tests := []struct {
		label string
		args  []string
		keeps bool
	}{
		{"Annotate", []string{"--mode=Annotate", "--namespace=shop"}, true},
		{"Rename", []string{"--mode=Rename", "--namespace=shop"}, false},
		{"Rename that excludes it", []string{"--config=confighash.yaml"}, true},
	}
	for _, test := range tests {
		t.Run(test.label, func(t *testing.T) {
			h := newUser(t)
			h.upgrade(t, "info", test.args...)
			before := h.cluster.password(t)
			h.upgrade(t, "info", test.args...)
			if after := h.cluster.password(t); (after == before) != test.keeps || before == "" {
				t.Errorf("the password is kept: %t, want %t", after == before, test.keeps)
			}
		})
	}
}

// checkAnnotatedRelease checks that under Annotate an upgrade changes the pod template exactly when the ConfigMap
// changes.
func checkAnnotatedRelease(t *testing.T, h helmUser) {
	t.Helper()
	var checksums []string
	for _, level := range []string{"info", "info", "debug"} {
		h.upgrade(t, level, "--mode=Annotate", "--namespace=shop")
		name, checksum := h.cluster.consumed(t)
		if name != "web-settings" || checksum == "" {
			t.Fatalf("the Deployment consumes %s and has the checksum %q, want web-settings and one", name, checksum)
		}
		checksums = append(checksums, checksum)
	}
	if checksums[0] != checksums[1] || checksums[1] == checksums[2] {
		t.Errorf("checksums of info, info and debug: %q", checksums)
	}
}

// checkHooksComeFirst checks docs/helm.md about hooks that wait for a renamed object: they run before it exists.
func checkHooksComeFirst(t *testing.T, h helmUser) {
	t.Helper()
	err := harness.Files{"chart/templates/hook.yaml": `apiVersion: v1
kind: ConfigMap
metadata:
  name: web-hook
  annotations:
    helm.sh/hook: pre-upgrade
`}.Write(h.dir)
	if err != nil {
		t.Fatal(err)
	}
	rename := []string{"--mode=Rename", "--namespace=shop"}
	h.upgrade(t, "info", rename...)
	h.cluster.written()
	h.upgrade(t, "debug", rename...)
	debug, _ := h.cluster.consumed(t)
	writes := h.cluster.written()
	hook, created := slices.Index(writes, "create configmaps/web-hook"), slices.Index(writes, "create configmaps/"+debug)
	if hook < 0 || created < hook {
		t.Errorf("want the hook created, then the renamed ConfigMap:\n%s", strings.Join(writes, "\n"))
	}
}

func helm3User(t *testing.T) helmUser {
	t.Helper()
	harness.SkipWithoutHelm(t)
	program, err := harness.Helm()
	if err != nil {
		t.Fatal(err)
	}
	if program, err = exec.LookPath(program); err != nil {
		t.Fatal(err)
	}
	return newHelmUser(t, program)
}

func TestHelm3(t *testing.T) { checkHelm(t, helm3User) }

// checkHelm checks what is the same in all versions of Helm.
func checkHelm(t *testing.T, user func(*testing.T) helmUser) {
	t.Helper()
	for name, check := range map[string]func(*testing.T, helmUser){
		"an upgrade replaces renamed objects and a rollback brings them back": checkRenamedRelease,
		"renamed objects are kept that are to be kept":                        checkKeptRelease,
		"hooks run before a renamed object is there":                          checkHooksComeFirst,
		"mode Annotate rolls with the ConfigMap":                              checkAnnotatedRelease,
		"the commands of the documentation run":                               func(t *testing.T, h helmUser) { checkHelmDocs(t, h, installPlugin) },
	} {
		t.Run(name, func(t *testing.T) { check(t, user(t)) })
	}
	t.Run("lookup finds nothing that was renamed", func(t *testing.T) { checkLookup(t, user) })
}

// installPlugin is the first command of docs/helm.md for Helm 4, which Helm 3 does not need.
const installPlugin = "helm plugin install ./plugin"

// checkHelmDocs runs the commands of docs/helm.md except skip, and checks that its YAML is from the examples.
func checkHelmDocs(t *testing.T, h helmUser, skip string) {
	t.Helper()
	page := filepath.Join("..", "..", "docs", "helm.md")
	var examples string
	for _, name := range []string{"confighash.yaml", "plugin/plugin.yaml"} {
		examples += string(harness.ReadFile(t, filepath.Join("..", "..", "examples", "helm", name)))
	}
	for _, block := range harness.FencedBlocks(t, page, "yaml") {
		if !strings.Contains(examples, block) {
			t.Errorf("examples/helm has nothing of this:\n%s", block)
		}
	}
	for _, block := range harness.FencedBlocks(t, page, "sh") {
		line := strings.TrimSpace(block)
		if line == skip {
			continue
		}
		h.must(t, line)
		name, checksum := h.cluster.consumed(t)
		if renamed := strings.HasPrefix(name, "web-settings-"); renamed == (checksum != "") {
			t.Errorf("after %s, the Deployment consumes %s and has the checksum %q, want one or the other", line, name, checksum)
		}
	}
}
