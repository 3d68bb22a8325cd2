package properties_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/harness"
)

// referrers makes objects that refer to ConfigMaps and Secrets in the fields that kustomize follows.
type referrers struct {
	*gen.Dice
	// name returns the name for a reference to an object of a kind.
	name func(kind string) any
	// namespace is the namespace of referrers, if set and the kind has one.
	namespace string
	// rbac: rules with resourceNames are made too.
	rbac bool
}

func (r *referrers) keyReference() map[string]any {
	kind, field := "ConfigMap", "configMapKeyRef"
	if r.Chance(50) {
		kind, field = "Secret", "secretKeyRef"
	}
	reference := map[string]any{"name": r.name(kind), "key": gen.Pick(r.Dice, contentKeys)}
	if r.Chance(30) {
		reference["optional"] = r.Chance(50)
	}
	return map[string]any{field: reference}
}

// podKinds are the kinds with a pod spec whose references kustomize follows, with the path to it.
var podKinds = []struct {
	apiVersion, kind string
	path             []string
}{
	{"apps/v1", "Deployment", []string{"spec", "template", "spec"}},
	{"apps/v1", "Deployment", []string{"spec", "template", "spec"}},
	{"apps/v1", "Deployment", []string{"spec", "template", "spec"}},
	{"apps/v1", "StatefulSet", []string{"spec", "template", "spec"}},
	{"apps/v1", "DaemonSet", []string{"spec", "template", "spec"}},
	{"apps/v1", "ReplicaSet", []string{"spec", "template", "spec"}},
	{"batch/v1", "Job", []string{"spec", "template", "spec"}},
	{"batch/v1", "CronJob", []string{"spec", "jobTemplate", "spec", "template", "spec"}},
	{"v1", "Pod", []string{"spec"}},
	{"v1", "PodTemplate", []string{"template", "spec"}},
}

// any makes a referrer of any kind.
func (r *referrers) any() harness.Object {
	if r.Chance(8) {
		return r.clusterScoped()
	}
	return r.namespaced()
}

// namespaced makes a namespaced referrer.
func (r *referrers) namespaced() harness.Object {
	switch roll := r.IntN(100); {
	case roll < 8:
		return r.ingress()
	case roll < 14:
		return r.object("v1", "ServiceAccount", harness.Object{"imagePullSecrets": r.pullSecrets()})
	case roll < 22 && r.rbac:
		return r.object("rbac.authorization.k8s.io/v1", "Role", harness.Object{"rules": r.rules()})
	}
	kind := gen.Pick(r.Dice, podKinds)
	var spec any = r.podSpec()
	for _, key := range slices.Backward(kind.path) {
		spec = map[string]any{key: spec}
	}
	return r.object(kind.apiVersion, kind.kind, spec.(map[string]any))
}

// clusterScoped makes a cluster-scoped referrer.
func (r *referrers) clusterScoped() harness.Object {
	r.namespace = ""
	switch roll := r.IntN(3); {
	case roll == 0 && r.rbac:
		return r.object("rbac.authorization.k8s.io/v1", "ClusterRole", harness.Object{"rules": r.rules()})
	case roll == 1:
		return r.object("storage.k8s.io/v1", "StorageClass", harness.Object{
			"provisioner": "example.com/p",
			"parameters":  map[string]any{"secretName": r.name("Secret"), "other": "1e3"},
		})
	}
	return r.object("v1", "PersistentVolume", harness.Object{
		"spec": map[string]any{"azureFile": map[string]any{"shareName": "s", "secretName": r.name("Secret")}},
	})
}

func (r *referrers) object(apiVersion, kind string, rest map[string]any) harness.Object {
	metadata := map[string]any{"name": r.Fresh(strings.ToLower(kind))}
	if r.namespace != "" {
		metadata["namespace"] = r.namespace
	}
	o := harness.Object{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}
	for key, value := range rest {
		if key == "annotations" {
			metadata[key] = value
		} else {
			o[key] = value
		}
	}
	return o
}

func (r *referrers) pullSecrets() []any {
	secrets := []any{}
	for range r.Between(0, 2) {
		secrets = append(secrets, map[string]any{"name": r.name("Secret")})
	}
	return secrets
}

func (r *referrers) ingress() harness.Object {
	annotations := map[string]any{"example.com/other": "app"}
	if r.Chance(40) {
		annotations["nginx.ingress.kubernetes.io/auth-secret"] = r.name("Secret")
	}
	if r.Chance(40) {
		annotations["nginx.ingress.kubernetes.io/fastcgi-params-configmap"] = r.name("ConfigMap")
	}
	tls := []any{}
	for range r.Between(0, 2) {
		tls = append(tls, map[string]any{"hosts": []any{"example.com"}, "secretName": r.name("Secret")})
	}
	return r.object("networking.k8s.io/v1", "Ingress", harness.Object{"annotations": annotations, "spec": map[string]any{"tls": tls}})
}

func (r *referrers) rules() []any {
	rules := []any{map[string]any{"apiGroups": []any{"apps"}, "resources": []any{"deployments"}, "verbs": []any{"get"}}}
	for range r.Between(1, 2) {
		resources, names := []any{}, []any{}
		if r.Chance(60) {
			resources, names = append(resources, "configmaps"), append(names, r.name("ConfigMap"))
		}
		if r.Chance(60) {
			resources, names = append(resources, "secrets"), append(names, r.name("Secret"))
		}
		rules = append(rules, map[string]any{
			"apiGroups": []any{""}, "resources": resources, "resourceNames": names, "verbs": []any{"get", "watch"},
		})
	}
	return rules
}

func (r *referrers) podSpec() map[string]any {
	spec := map[string]any{"containers": []any{r.container("main")}}
	if r.Chance(30) {
		spec["containers"] = append(spec["containers"].([]any), r.container("side"))
	}
	if r.Chance(30) {
		spec["initContainers"] = []any{r.container("init")}
	}
	if r.Chance(30) {
		spec["imagePullSecrets"] = r.pullSecrets()
	}
	volumes := []any{}
	for i := range r.Between(0, 3) {
		volume := map[string]any{"name": fmt.Sprintf("volume-%d", i)}
		switch r.IntN(4) {
		case 0:
			volume["configMap"] = map[string]any{"name": r.name("ConfigMap")}
		case 1:
			volume["secret"] = map[string]any{"secretName": r.name("Secret"), "defaultMode": 256}
		case 2:
			volume["emptyDir"] = map[string]any{}
		default:
			volume["projected"] = map[string]any{"sources": []any{
				map[string]any{"serviceAccountToken": map[string]any{"path": "token"}},
				map[string]any{"configMap": map[string]any{"name": r.name("ConfigMap")}},
				map[string]any{"secret": map[string]any{"name": r.name("Secret"), "items": []any{map[string]any{"key": "a", "path": "b"}}}},
			}}
		}
		volumes = append(volumes, volume)
	}
	if len(volumes) > 0 || r.Chance(10) {
		spec["volumes"] = volumes
	}
	return spec
}

func (r *referrers) container(name string) map[string]any {
	c := map[string]any{"name": name, "image": "example.com/app:1.0", "args": []any{"--config=app", "yes"}}
	env, envFrom := []any{}, []any{}
	for i := range r.Between(0, 2) {
		env = append(env, map[string]any{"name": fmt.Sprintf("VARIABLE_%d", i), "valueFrom": r.keyReference()})
	}
	if r.Chance(30) {
		env = append(env, map[string]any{"name": "PLAIN", "value": gen.Pick(r.Dice, gen.AwkwardTexts)})
	}
	for range r.Between(0, 2) {
		if r.Chance(50) {
			envFrom = append(envFrom, map[string]any{"configMapRef": map[string]any{"name": r.name("ConfigMap")}})
		} else {
			envFrom = append(envFrom, map[string]any{"prefix": "P_", "secretRef": map[string]any{"name": r.name("Secret")}})
		}
	}
	if len(env) > 0 {
		c["env"] = env
	}
	if len(envFrom) > 0 || r.Chance(10) {
		c["envFrom"] = envFrom
	}
	return c
}
