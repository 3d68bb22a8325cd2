//go:build cluster

package cluster_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// holdings are the stored ConfigMaps and Secrets of a namespace, by name.
type holdings struct {
	configMaps map[string]*corev1.ConfigMap
	secrets    map[string]*corev1.Secret
}

// intake is the content of ConfigMaps and Secrets that the containers of a pod get, by the way they get it. The ways
// are independent: it does not matter if a variable hides another of the same name, or a file a file.
type intake map[string]taken

// taken is the content by one way.
type taken struct {
	// awaited: the object is missing, and a pod does not start without it. A missing key has the same effect, but
	// somebody who adds the key may well mean the running pods.
	awaited bool
	values  map[string]string
}

// changed reports whether running pods would get something else by the other intake. A pod that waits for an object is
// not running: it starts with the new content. A pod that needs a removed object gets nothing new: it dangles.
func (i intake) changed(other intake) bool {
	for way, was := range i {
		is := other[way]
		if !was.awaited && !is.awaited && !maps.Equal(was.values, is.values) {
			return true
		}
	}
	return false
}

// intakeOf returns the intake of a pod. It follows Kubernetes' documentation and types, without code of confighash.
func intakeOf(spec *corev1.PodSpec, h holdings) intake {
	all := intake{}
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		at := "container " + c.Name + ", "
		for i := range c.EnvFrom {
			source := &c.EnvFrom[i]
			way := at + "envFrom " + strconv.Itoa(i)
			if ref := source.ConfigMapRef; ref != nil {
				all[way] = ofConfigMap(h.configMaps[ref.Name], ref.Optional)
			}
			if ref := source.SecretRef; ref != nil {
				all[way] = ofSecret(h.secrets[ref.Name], ref.Optional)
			}
		}
		for i := range c.Env {
			from := c.Env[i].ValueFrom
			if from == nil {
				continue
			}
			way := at + "env " + c.Env[i].Name
			if ref := from.ConfigMapKeyRef; ref != nil {
				all[way] = ofConfigMap(h.configMaps[ref.Name], ref.Optional).key(ref.Key)
			}
			if ref := from.SecretKeyRef; ref != nil {
				all[way] = ofSecret(h.secrets[ref.Name], ref.Optional).key(ref.Key)
			}
		}
		for _, mount := range c.VolumeMounts {
			for v := range spec.Volumes {
				if spec.Volumes[v].Name != mount.Name {
					continue
				}
				for way, files := range filesIn(&spec.Volumes[v].VolumeSource, h) {
					all[at+"mount "+mount.MountPath+", "+way] = files.under(mount.SubPath)
				}
			}
		}
	}
	return all
}

// required returns the ConfigMaps and Secrets without which a pod does not start, as "Kind name", and those for pulling
// images.
func required(spec *corev1.PodSpec) map[string]bool {
	all := map[string]bool{}
	add := func(kind, name string, optional *bool) {
		if !isOptional(optional) {
			all[kind+" "+name] = true
		}
	}
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		for i := range c.EnvFrom {
			if ref := c.EnvFrom[i].ConfigMapRef; ref != nil {
				add("ConfigMap", ref.Name, ref.Optional)
			}
			if ref := c.EnvFrom[i].SecretRef; ref != nil {
				add("Secret", ref.Name, ref.Optional)
			}
		}
		for i := range c.Env {
			from := c.Env[i].ValueFrom
			if from != nil && from.ConfigMapKeyRef != nil {
				add("ConfigMap", from.ConfigMapKeyRef.Name, from.ConfigMapKeyRef.Optional)
			}
			if from != nil && from.SecretKeyRef != nil {
				add("Secret", from.SecretKeyRef.Name, from.SecretKeyRef.Optional)
			}
		}
	}
	for v := range spec.Volumes {
		volume := &spec.Volumes[v]
		if volume.ConfigMap != nil {
			add("ConfigMap", volume.ConfigMap.Name, volume.ConfigMap.Optional)
		}
		if volume.Secret != nil {
			add("Secret", volume.Secret.SecretName, volume.Secret.Optional)
		}
		if volume.Projected == nil {
			continue
		}
		for i := range volume.Projected.Sources {
			source := &volume.Projected.Sources[i]
			if source.ConfigMap != nil {
				add("ConfigMap", source.ConfigMap.Name, source.ConfigMap.Optional)
			}
			if source.Secret != nil {
				add("Secret", source.Secret.Name, source.Secret.Optional)
			}
		}
	}
	for _, ref := range spec.ImagePullSecrets {
		add("Secret", ref.Name, nil)
	}
	return all
}

func isOptional(optional *bool) bool { return optional != nil && *optional }

// ofConfigMap returns the content of a ConfigMap. Kubernetes leaves binaryData out of the environment; confighash does
// not distinguish it from data, so it counts there as well.
func ofConfigMap(c *corev1.ConfigMap, optional *bool) taken {
	if c == nil {
		return taken{awaited: !isOptional(optional)}
	}
	values := texts(c.BinaryData)
	maps.Copy(values, c.Data)
	return taken{values: values}
}

func ofSecret(s *corev1.Secret, optional *bool) taken {
	if s == nil {
		return taken{awaited: !isOptional(optional)}
	}
	return taken{values: texts(s.Data)}
}

func texts(data map[string][]byte) map[string]string {
	values := map[string]string{}
	for key, value := range data {
		values[key] = string(value)
	}
	return values
}

// key returns only one key.
func (t taken) key(key string) taken {
	if value, ok := t.values[key]; ok {
		return taken{values: map[string]string{key: value}}
	}
	return taken{awaited: t.awaited}
}

// filesIn returns the files of a volume, by source.
func filesIn(volume *corev1.VolumeSource, h holdings) map[string]taken {
	all := map[string]taken{}
	configMap := func(way, name string, items []corev1.KeyToPath, optional *bool) {
		all[way] = ofConfigMap(h.configMaps[name], optional).items(items)
	}
	secret := func(way, name string, items []corev1.KeyToPath, optional *bool) {
		all[way] = ofSecret(h.secrets[name], optional).items(items)
	}
	if source := volume.ConfigMap; source != nil {
		configMap("ConfigMap", source.Name, source.Items, source.Optional)
	}
	if source := volume.Secret; source != nil {
		secret("Secret", source.SecretName, source.Items, source.Optional)
	}
	if volume.Projected != nil {
		for i := range volume.Projected.Sources {
			source := &volume.Projected.Sources[i]
			way := "source " + strconv.Itoa(i)
			if ref := source.ConfigMap; ref != nil {
				configMap(way, ref.Name, ref.Items, ref.Optional)
			}
			if ref := source.Secret; ref != nil {
				secret(way, ref.Name, ref.Items, ref.Optional)
			}
		}
	}
	return all
}

// items returns only the files of some keys, at their paths; without items, all keys are files.
func (t taken) items(items []corev1.KeyToPath) taken {
	if len(items) == 0 {
		return t
	}
	files := map[string]string{}
	for _, item := range items {
		if value, ok := t.values[item.Key]; ok {
			files[item.Path] = value
		}
	}
	return taken{awaited: t.awaited, values: files}
}

// under returns only the files at or below the subPath of a mount. A subPath that does not exist is an empty folder.
func (t taken) under(subPath string) taken {
	if subPath == "" || t.awaited {
		return t
	}
	files := map[string]string{}
	for path, value := range t.values {
		if path == subPath || strings.HasPrefix(path, subPath+"/") {
			files[path] = value
		}
	}
	return taken{values: files}
}
