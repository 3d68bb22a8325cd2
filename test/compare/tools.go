package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/confighash/confighash/test/cluster"
)

// A tool is one column of the tables.
type tool struct {
	// name heads the column.
	name string
	// program is the file that it needs, version its version.
	program, version string
	ours             bool // a mode of confighash
	// ask opts a workload in, as the tool's users do.
	ask func(r *row, workload object)
	// render returns the manifests to apply. If it is nil, they are applied as they are.
	render func(ctx context.Context, j *job) (string, error)
	// deploy applies in the tool's own way instead of kubectl.
	deploy func(ctx context.Context, j *job) error
	// controller, if there is one, returns the arguments to start it, and those for the rows that run alone, which use
	// the tool's defaults.
	controller func(p *cluster.ControlPlane) (env, args, alone []string, err error)
	// setUp prepares the cluster.
	setUp func(ctx context.Context, p *cluster.ControlPlane) error
}

// A job is one application of a row's manifests.
type job struct {
	run       *run
	row       *row
	sources   []source
	workloads []object
	dir       string // only for this job
}

// The programs that make compare builds, with paths from the module's directory. HELM and KUSTOMIZE may name others.
const (
	kubernetesDir = "bin/tools/kubernetes"
	kubectl       = kubernetesDir + "/kubectl"
	kapp          = "bin/tools/kapp"
)

var helm, kustomize = os.Getenv("HELM"), os.Getenv("KUSTOMIZE")

// tools returns the columns. hack/compare sets the variables.
func tools() []*tool {
	reloader := func(name string, args ...string) *tool {
		return &tool{
			name: name, program: os.Getenv("RELOADER"), version: os.Getenv("RELOADER_VERSION"), ask: askReloader,
			controller: func(*cluster.ControlPlane) (env, arguments, alone []string, err error) {
				return nil, args, args, nil
			},
		}
	}
	// The default is one update a second, after a burst of a hundred. It would merge changes that our rows make one
	// after the other.
	unlimited := []string{"--update-rate=1000", "--update-burst=1000"}
	wave := func(name string, webhooks bool) *tool {
		t := &tool{name: name, program: os.Getenv("WAVE"), version: os.Getenv("WAVE_VERSION"), ask: askWave}
		t.controller = func(p *cluster.ControlPlane) (env, args, alone []string, err error) {
			if !webhooks {
				return nil, unlimited, nil, nil
			}
			// wave looks for its certificate in a folder of the temporary directory.
			env = []string{"TMPDIR=" + p.Dir()}
			alone = []string{"--enable-webhooks"}
			return env, append(alone, unlimited...), alone, nil
		}
		if webhooks {
			t.setUp = setUpWebhooks
		}
		return t
	}
	return []*tool{
		reloader("Reloader"),
		reloader("Reloader, annotations", "--reload-strategy=annotations"),
		wave("wave", false),
		wave("wave, webhooks", true),
		{name: "kapp", program: kapp, version: os.Getenv("KAPP_VERSION"), ask: askKapp, deploy: deployKapp},
		{name: "Helm checksum", program: helm, version: os.Getenv("HELM_VERSION"), deploy: deployHelm},
		{name: "generators", program: kustomize, version: os.Getenv("KUSTOMIZE_VERSION"), render: renderGenerators},
		confighash("Rename", "mode: Rename"),
		confighash("Rename, by key", "mode: Rename, rename: {granularity: Key}"),
		confighash("Annotate", "mode: Annotate"),
	}
}

// confighash returns a column for this program.
func confighash(name, spec string) *tool {
	return &tool{
		name: name, program: "bin/confighash", version: os.Getenv("VERSION"), ours: true,
		ask: func(r *row, workload object) {
			if r.Named != "" {
				annotate(workload, "confighash.dev/extra-sources", "ConfigMap/"+r.Named)
			}
		},
		render: func(ctx context.Context, j *job) (string, error) {
			config := filepath.Join(j.dir, "confighash.yaml")
			content := "apiVersion: confighash.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: compare}\nspec: {" + spec + ", jobs: Rename}\n"
			if err := os.WriteFile(config, []byte(content), 0o600); err != nil {
				return "", err
			}
			return j.run.command(ctx, j.row, j.text(), "bin/confighash", "--config", config)
		},
	}
}

func annotate(workload object, key, value string) {
	metadata := workload["metadata"].(object)
	annotations, ok := metadata["annotations"].(object)
	if !ok {
		annotations = object{}
		metadata["annotations"] = annotations
	}
	annotations[key] = value
}

func askReloader(r *row, workload object) {
	annotate(workload, "reloader.stakater.com/auto", "true")
	if r.Named != "" {
		annotate(workload, "configmap.reloader.stakater.com/reload", r.Named)
	}
}

func askWave(r *row, workload object) {
	annotate(workload, "wave.pusher.com/update-on-config-change", "true")
	if r.Named != "" {
		annotate(workload, "wave.pusher.com/extra-configmaps", r.Namespace+"/"+r.Named)
	}
}

// askKapp lets kapp replace a Job if the API server rejects its change.
func askKapp(_ *row, workload object) {
	if workload["kind"] == "Job" {
		annotate(workload, "kapp.k14s.io/update-strategy", "fallback-on-replace")
	}
}

// setUpWebhooks registers wave's webhooks as its chart does, but at the local address of its process. They use the API
// server's own certificate.
func setUpWebhooks(ctx context.Context, p *cluster.ControlPlane) error {
	certificate, err := os.ReadFile(filepath.Join(p.Dir(), "apiserver.crt"))
	if err != nil {
		return err
	}
	key, err := os.ReadFile(filepath.Join(p.Dir(), "apiserver.key"))
	if err != nil {
		return err
	}
	dir := filepath.Join(p.Dir(), "k8s-webhook-server", "serving-certs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := errors.Join(
		os.WriteFile(filepath.Join(dir, "tls.crt"), certificate, 0o600),
		os.WriteFile(filepath.Join(dir, "tls.key"), key, 0o600),
	); err != nil {
		return err
	}
	var webhooks []any
	for _, kind := range []string{"deployment", "statefulset", "daemonset"} {
		webhooks = append(webhooks, object{
			"name":                    kind + "s.wave.pusher.com",
			"admissionReviewVersions": []string{"v1"},
			"clientConfig":            object{"url": "https://127.0.0.1:9443/mutate-apps-v1-" + kind, "caBundle": certificate},
			"failurePolicy":           "Ignore",
			"sideEffects":             "NoneOnDryRun",
			"rules": []any{object{
				"apiGroups": []string{"apps"}, "apiVersions": []string{"v1"},
				"operations": []string{"CREATE", "UPDATE"}, "resources": []string{kind + "s"},
			}},
		})
	}
	return p.Create(ctx, "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", object{
		"apiVersion": "admissionregistration.k8s.io/v1",
		"kind":       "MutatingWebhookConfiguration",
		"metadata":   object{"name": "wave"},
		"webhooks":   webhooks,
	}, nil)
}

// text returns the manifests of a job, unchanged.
func (j *job) text() string {
	var parts []string
	for _, s := range j.sources {
		parts = append(parts, strings.TrimSuffix(s.text, "\n")+"\n")
	}
	for _, w := range j.workloads {
		parts = append(parts, text(w))
	}
	return strings.Join(parts, "---\n")
}

// deployKapp deploys with kapp, with all objects versioned. It does not wait for pods, which never start.
func deployKapp(ctx context.Context, j *job) error {
	var parts []string
	for _, s := range j.sources {
		annotate(s.object, "kapp.k14s.io/versioned", "")
		parts = append(parts, text(s.object))
	}
	for _, w := range j.workloads {
		parts = append(parts, text(w))
	}
	_, err := j.run.command(ctx, j.row, strings.Join(parts, "---\n"), kapp,
		"deploy", "-a", "shop", "-n", j.row.Namespace, "-f", "-", "-y", "--wait=false")
	return err
}

// deployHelm deploys with Helm a chart that has a file for each object. As Helm's documentation recommends, a workload
// has the checksum of each file whose object it refers to or names.
func deployHelm(ctx context.Context, j *job) error {
	templates := filepath.Join(j.dir, "templates")
	if err := os.Mkdir(templates, 0o700); err != nil {
		return err
	}
	chart := "apiVersion: v2\nname: shop\nversion: 1.0.0\n"
	if err := os.WriteFile(filepath.Join(j.dir, "Chart.yaml"), []byte(chart), 0o600); err != nil {
		return err
	}
	file := func(s source) string { return strings.ToLower(s.kind()) + "-" + s.name() + ".yaml" }
	for i, s := range j.sources {
		name := file(s)
		if s.object["metadata"].(object)["namespace"] != nil {
			name = fmt.Sprintf("elsewhere-%d.yaml", i)
		}
		if err := os.WriteFile(filepath.Join(templates, name), []byte(s.text), 0o600); err != nil {
			return err
		}
	}
	for i, w := range j.workloads {
		pod := podTemplate(w)
		for _, s := range j.sources {
			if s.object["metadata"].(object)["namespace"] != nil || !consumes(j.row, pod, s) {
				continue
			}
			metadata := pod["metadata"].(object)
			if metadata["annotations"] == nil {
				metadata["annotations"] = object{}
			}
			metadata["annotations"].(object)["checksum/"+s.kind()+"-"+s.name()] =
				`{{ include (print $.Template.BasePath "/` + file(s) + `") . | sha256sum }}`
		}
		if err := os.WriteFile(filepath.Join(templates, fmt.Sprintf("workload-%d.yaml", i)), []byte(text(w)), 0o600); err != nil {
			return err
		}
	}
	_, err := j.run.command(ctx, j.row, "", helm, "upgrade", "--install", "shop", j.dir, "-n", j.row.Namespace)
	return err
}

func podTemplate(workload object) object {
	spec := workload["spec"].(object)
	if jobTemplate, ok := spec["jobTemplate"].(object); ok {
		spec = jobTemplate["spec"].(object)
	}
	return spec["template"].(object)
}

// consumes reports whether a chart's author would add a checksum of the object: the pods refer to it, other than for
// pulling images, or the workload names it.
func consumes(r *row, pod object, s source) bool {
	at := ref{s.kind(), s.name()}
	return at == ref{"ConfigMap", r.Named} || slices.Contains(references(pod), at)
}

// A ref is a reference of a pod template to a ConfigMap or a Secret.
type ref struct{ kind, name string }

// references returns the ConfigMaps and Secrets to which a pod template refers in variables and volumes.
func references(node any) []ref {
	var refs []ref
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			refs = append(refs, references(child)...)
		}
	case object:
		for _, field := range slices.Sorted(maps.Keys(node)) {
			child, _ := node[field].(object)
			switch field {
			case "configMap", "configMapRef", "configMapKeyRef":
				refs = append(refs, ref{"ConfigMap", child["name"].(string)})
			case "secret", "secretRef", "secretKeyRef":
				name, ok := child["name"].(string)
				if !ok {
					name = child["secretName"].(string)
				}
				refs = append(refs, ref{"Secret", name})
			default:
				refs = append(refs, references(node[field])...)
			}
		}
	}
	return refs
}

// renderGenerators returns the output of kustomize for the workloads, with generators for the ConfigMaps and Secrets,
// from a file for each key.
func renderGenerators(ctx context.Context, j *job) (string, error) {
	kustomization := object{"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
	var configMaps, secrets []any
	for i, s := range j.sources {
		generator, err := j.generator(s, fmt.Sprintf("files-%d", i))
		if err != nil {
			return "", err
		}
		if s.kind() == "ConfigMap" {
			configMaps = append(configMaps, generator)
		} else {
			secrets = append(secrets, generator)
		}
	}
	kustomization["configMapGenerator"], kustomization["secretGenerator"] = configMaps, secrets
	var workloads []string
	for _, w := range j.workloads {
		workloads = append(workloads, text(w))
	}
	kustomization["resources"] = []string{"workloads.yaml"}
	if err := errors.Join(
		os.WriteFile(filepath.Join(j.dir, "workloads.yaml"), []byte(strings.Join(workloads, "---\n")), 0o600),
		os.WriteFile(filepath.Join(j.dir, "kustomization.yaml"), []byte(text(kustomization)), 0o600),
	); err != nil {
		return "", err
	}
	return j.run.command(ctx, j.row, "", kustomize, "build", j.dir)
}

// generator returns the generator of an object, and writes its files to a folder.
func (j *job) generator(s source, folder string) (object, error) {
	if err := os.Mkdir(filepath.Join(j.dir, folder), 0o700); err != nil {
		return nil, err
	}
	var files []string
	for _, field := range []string{"data", "binaryData", "stringData"} {
		entries, _ := s.object[field].(object)
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			content := []byte(entries[key].(string))
			if field == "binaryData" || field == "data" && s.kind() == "Secret" {
				decoded, err := base64.StdEncoding.DecodeString(string(content))
				if err != nil {
					return nil, err
				}
				content = decoded
			}
			file := filepath.Join(folder, key)
			files = append(files, key+"="+file)
			if err := os.WriteFile(filepath.Join(j.dir, file), content, 0o600); err != nil {
				return nil, err
			}
		}
	}
	metadata := s.object["metadata"].(object)
	generator := object{"name": s.name(), "files": files, "options": object{
		"labels": metadata["labels"], "annotations": metadata["annotations"], "immutable": s.object["immutable"],
	}}
	if namespace, ok := metadata["namespace"]; ok {
		generator["namespace"] = namespace
	}
	if s.object["type"] != nil {
		generator["type"] = s.object["type"]
	}
	return generator, nil
}
