package helm_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// A workload says where a kind has its pod template, and whether a change of it makes new pods.
type workload struct {
	template []string
	rolls    bool
}

// workloads are the kinds of the charts that run pods.
var workloads = map[string]workload{
	"CronJob":               {[]string{"spec", "jobTemplate", "spec", "template"}, true},
	"DaemonSet":             {[]string{"spec", "template"}, true},
	"Deployment":            {[]string{"spec", "template"}, true},
	"Job":                   {[]string{"spec", "template"}, false},
	"Pod":                   {nil, false},
	"ReplicaSet":            {[]string{"spec", "template"}, true},
	"ReplicationController": {[]string{"spec", "template"}, true},
	"StatefulSet":           {[]string{"spec", "template"}, true},
}

// A use is one key of an object that a pod consumes or, without a key, the whole object.
type use struct {
	kind, namespace, name, key string
}

// ofObject is the use of the whole object.
func (u use) ofObject() use {
	u.key = ""
	return u
}

// parseManifests returns the objects of a stream in order, including those in lists.
func parseManifests(t *testing.T, text string) []harness.Object {
	t.Helper()
	var all []harness.Object
	for _, document := range parseDocuments(t, text) {
		all = append(all, flatten(document)...)
	}
	return all
}

// parseDocuments returns the non-empty documents of a stream.
func parseDocuments(t *testing.T, text string) []harness.Object {
	t.Helper()
	var all []harness.Object
	for document := range strings.SplitAfterSeq("\n"+text, "\n---\n") {
		// The separator is not part of the block scalar before it.
		document = strings.TrimSuffix(document, "---\n")
		asJSON, err := yaml.YAMLToJSONStrict([]byte(document))
		if err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		decoder := json.NewDecoder(bytes.NewReader(asJSON))
		decoder.UseNumber()
		var o harness.Object
		if err := decoder.Decode(&o); err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		if len(o) > 0 {
			all = append(all, o)
		}
	}
	return all
}

// encodeDocuments is the reverse of parseDocuments.
func encodeDocuments(t *testing.T, all []harness.Object) string {
	t.Helper()
	var b strings.Builder
	for _, o := range all {
		document, err := yaml.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("---\n")
		b.Write(document)
	}
	return b.String()
}

// flatten returns the items of a list, and any other object itself.
func flatten(o harness.Object) []harness.Object {
	items, isList := o["items"].([]any)
	if !isList || !strings.HasSuffix(o.Kind(), "List") {
		return []harness.Object{o}
	}
	var all []harness.Object
	for _, item := range items {
		all = append(all, harness.Object(item.(map[string]any)))
	}
	return all
}

// placeOf returns the namespace in which the object will be applied.
func placeOf(o harness.Object) string {
	if namespace := o.Namespace(); namespace != "" {
		return namespace
	}
	return helmNamespace
}

// isSource reports whether the object is a ConfigMap or a Secret.
func isSource(o harness.Object) bool {
	return o["apiVersion"] == "v1" && (o.Kind() == "ConfigMap" || o.Kind() == "Secret")
}

// podTemplateOf returns the object's pod template, nil if it has none.
func podTemplateOf(o harness.Object, w workload) map[string]any {
	template, _ := harness.At(o, w.template...).(map[string]any)
	if len(w.template) == 0 {
		template = o
	}
	return template
}

// podSpec returns the spec of the object's pods.
func podSpec(t *testing.T, o harness.Object, w workload) corev1.PodSpec {
	t.Helper()
	asJSON, err := json.Marshal(podTemplateOf(o, w)["spec"])
	if err != nil {
		t.Fatal(err)
	}
	var pod corev1.PodSpec
	if err := json.Unmarshal(asJSON, &pod); err != nil {
		t.Fatalf("%s: %v", o.Identity(), err)
	}
	return pod
}

// consumedBy returns what the containers of the object's pods read: through environment variables, and in the volumes
// that they mount.
func consumedBy(t *testing.T, o harness.Object, w workload) map[use]bool {
	t.Helper()
	var (
		pod        = podSpec(t, o, w)
		containers = slices.Concat(pod.InitContainers, pod.Containers)
		found      = map[use]bool{}
	)
	for _, c := range pod.EphemeralContainers {
		containers = append(containers, corev1.Container(c.EphemeralContainerCommon))
	}
	add := func(kind, name string, keys ...string) {
		for _, key := range keys {
			found[use{kind, placeOf(o), name, key}] = true
		}
	}
	for _, c := range containers {
		for _, env := range c.Env {
			if from := env.ValueFrom; from != nil && from.ConfigMapKeyRef != nil {
				add("ConfigMap", from.ConfigMapKeyRef.Name, from.ConfigMapKeyRef.Key)
			} else if from != nil && from.SecretKeyRef != nil {
				add("Secret", from.SecretKeyRef.Name, from.SecretKeyRef.Key)
			}
		}
		for _, from := range c.EnvFrom {
			if from.ConfigMapRef != nil {
				add("ConfigMap", from.ConfigMapRef.Name, "")
			} else if from.SecretRef != nil {
				add("Secret", from.SecretRef.Name, "")
			}
		}
		for _, mount := range c.VolumeMounts {
			for _, volume := range pod.Volumes {
				if volume.Name != mount.Name {
					continue
				}
				if from := volume.ConfigMap; from != nil {
					add("ConfigMap", from.Name, keysUnder(mount.SubPath, from.Items)...)
				}
				if from := volume.Secret; from != nil {
					add("Secret", from.SecretName, keysUnder(mount.SubPath, from.Items)...)
				}
				if volume.Projected == nil {
					continue
				}
				for _, from := range volume.Projected.Sources {
					if from.ConfigMap != nil {
						add("ConfigMap", from.ConfigMap.Name, keysUnder(mount.SubPath, from.ConfigMap.Items)...)
					}
					if from.Secret != nil {
						add("Secret", from.Secret.Name, keysUnder(mount.SubPath, from.Secret.Items)...)
					}
				}
			}
		}
	}
	return found
}

// keysUnder returns the keys whose files a mount shows, "" for all. Without items a key is a file of the same name, not
// in a folder.
func keysUnder(subPath string, items []corev1.KeyToPath) []string {
	if len(items) == 0 {
		return []string{subPath}
	}
	var keys []string
	for _, item := range items {
		if subPath == "" || item.Path == subPath || strings.HasPrefix(item.Path, subPath+"/") {
			keys = append(keys, item.Key)
		}
	}
	return keys
}

// rolledBy returns, sorted, the workloads that roll when what a use names has changed.
func rolledBy(t *testing.T, all []harness.Object, changed use) []string {
	t.Helper()
	var ids []string
	for _, o := range all {
		w, runsPods := workloads[o.Kind()]
		if !runsPods || !w.rolls {
			continue
		}
		uses := consumedBy(t, o, w)
		if uses[changed] || uses[changed.ofObject()] {
			ids = append(ids, o.Identity())
		}
	}
	slices.Sort(ids)
	return ids
}

// valueFields are the fields of a ConfigMap or Secret that hold its values.
var valueFields = []string{"data", "stringData", "binaryData"}

// usesOf returns a use for each value of a ConfigMap or Secret.
func usesOf(o harness.Object) []use {
	var all []use
	for _, field := range valueFields {
		values, _ := o[field].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(values)) {
			all = append(all, use{o.Kind(), placeOf(o), o.Name(), key})
		}
	}
	return all
}

// setKey appends to the value of a key, or adds the key.
func setKey(t *testing.T, o harness.Object, key string) {
	t.Helper()
	for _, field := range valueFields {
		values, _ := o[field].(map[string]any)
		value, ok := values[key].(string)
		if !ok {
			continue
		}
		if field == "stringData" || (field == "data" && o.Kind() == "ConfigMap") {
			values[key] = value + "."
			return
		}
		content, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(value), ""))
		if err != nil {
			t.Fatalf("%s: %s.%s: %v", o.Identity(), field, key, err)
		}
		values[key] = base64.StdEncoding.EncodeToString(append(content, '.'))
		return
	}
	values, ok := o["data"].(map[string]any)
	if !ok {
		values = map[string]any{}
		o["data"] = values
	}
	values[key] = "YWRkZWQ=" // base64 only in a Secret
}
