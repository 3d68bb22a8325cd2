//go:build cluster

package cluster_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// generator makes random packages, and random changes of them. The API server accepts everything in them at creation.
type generator struct {
	dice
	manifests []*manifest
	serial    int
	// ignoring: confighash.dev/ignore may be set.
	ignoring bool
	// changing: the resources have already been applied.
	changing bool
}

// fresh returns a name that it has not returned before.
func (g *generator) fresh(stem string) string {
	g.serial++
	return fmt.Sprintf("%s-%d", stem, g.serial)
}

func (g *generator) add(value tree) {
	g.manifests = append(g.manifests, &manifest{value: value, style: g.Uint64()})
}

func (g *generator) newPackage() {
	g.ignoring = g.chance(20)
	for range g.between(1, 3) {
		g.add(g.configMap())
	}
	for range g.between(0, 2) {
		g.add(g.secret())
	}
	for range g.between(2, 5) {
		g.add(g.workload())
	}
	g.Shuffle(len(g.manifests), func(i, j int) { g.manifests[i], g.manifests[j] = g.manifests[j], g.manifests[i] })
}

// ofKind returns the manifests of some kinds.
func (g *generator) ofKind(kinds ...string) []*manifest {
	var found []*manifest
	for _, m := range g.manifests {
		if slices.Contains(kinds, m.kind()) {
			found = append(found, m)
		}
	}
	return found
}

// values are the values of ConfigMaps and Secrets: ordinary ones, and some that some YAML version reads differently.
var values = []string{
	"info", "debug", "a", "b", "42", "", "yes", "null", "~", "1e3", "0644", "true", "1.0", "2001-01-01", "- x", "a: b", "#no",
	"key = value\n", "line one\nline two\n", "one\n\n  indented\nend", "größe", "日本語 🎉", "'", `"`, `back\slash`, " lead", "trail ",
	"{\"json\": [1, null]}", "%d", "@x", "*a", "&a", "!t", "crlf\r\n", "\ttab",
}

func (g *generator) text() string {
	if g.chance(50) {
		return fmt.Sprintf("v%d", g.IntN(1000))
	}
	return one(g.dice, values...)
}

// keys are the keys of ConfigMaps and Secrets.
var keys = []string{"LOG_LEVEL", "url", "app.conf", "settings.json", "a.b-c", "_x", "N", "1", "max-conns"}

func (g *generator) metadata(name string) tree {
	m := tree{"name": name}
	if g.chance(30) {
		m["labels"] = tree{one(g.dice, "team", "app.kubernetes.io/part-of"): one(g.dice, "shop", "1", "true")}
	}
	if g.chance(20) {
		m["annotations"] = tree{one(g.dice, "note", "example.com/owner"): g.text()}
	}
	if g.chance(10) {
		m["creationTimestamp"] = nil
	}
	if g.ignoring && g.chance(25) {
		g.annotate(m, "confighash.dev/ignore", "true")
	}
	return m
}

func (g *generator) annotate(metadata tree, key string, value any) {
	annotations, _ := metadata["annotations"].(tree)
	if annotations == nil {
		annotations = tree{}
		metadata["annotations"] = annotations
	}
	annotations[key] = value
}

func (g *generator) configMap() tree {
	object := tree{"apiVersion": "v1", "kind": "ConfigMap", "metadata": g.metadata(g.fresh("config"))}
	data, binary := tree{}, tree{}
	for range g.between(1, 4) {
		if key := one(g.dice, keys...); g.chance(12) && data[key] == nil {
			binary[key] = encoded("\xff" + g.text())
		} else if binary[key] == nil {
			data[key] = g.text()
		}
	}
	g.immutable(object)
	// An empty mapping is left out: if an immutable object has one, the API server refuses the second apply of the same
	// manifest.
	if len(data) > 0 {
		object["data"] = data
	}
	if len(binary) > 0 {
		object["binaryData"] = binary
	}
	return object
}

func (g *generator) immutable(object tree) {
	if g.chance(12) {
		object["immutable"] = g.chance(80)
	}
}

func (g *generator) secret() tree {
	object := tree{"apiVersion": "v1", "kind": "Secret", "metadata": g.metadata(g.fresh("secret"))}
	data, plain := tree{}, tree{}
	put := func(key string) {
		if g.chance(50) {
			data[key] = encoded(g.text())
		} else {
			plain[key] = g.text()
		}
	}
	for range g.between(1, 3) {
		put(one(g.dice, keys...))
	}
	switch g.IntN(6) {
	case 0:
		object["type"] = "Opaque"
	case 1:
		object["type"] = "kubernetes.io/basic-auth"
		put("username")
		put("password")
	case 2:
		object["type"] = "kubernetes.io/tls"
		put("tls.crt")
		put("tls.key")
	case 3:
		object["type"] = "example.com/own"
	}
	if len(data) > 0 {
		object["data"] = data
	}
	if len(plain) > 0 {
		object["stringData"] = plain
	}
	g.immutable(object)
	return object
}

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func keysOf(object tree) []string {
	all := tree{}
	for _, field := range []string{"data", "binaryData", "stringData"} {
		part, _ := object[field].(tree)
		maps.Copy(all, part)
	}
	return slices.Sorted(maps.Keys(all))
}

// target is the object of a reference.
type target struct {
	kind, name string
	keys       []string
}

// target returns an object of the package, or one outside of it.
func (g *generator) target() target {
	objects := g.ofKind("ConfigMap", "Secret")
	if len(objects) == 0 || g.chance(10) {
		return target{one(g.dice, "ConfigMap", "Secret"), "outside", []string{"LOG_LEVEL", "url"}}
	}
	m := one(g.dice, objects...)
	return target{m.kind(), m.value["metadata"].(tree)["name"].(string), keysOf(m.value)}
}

// key returns one of the target's keys, or sometimes another.
func (g *generator) key(t target) string {
	if len(t.keys) == 0 || g.chance(7) {
		return one(g.dice, keys...)
	}
	return one(g.dice, t.keys...)
}

// optional sometimes sets the field optional.
func (g *generator) optional(ref tree) tree {
	if g.chance(30) {
		ref["optional"] = g.chance(75)
	}
	return ref
}

// kinds are the kinds of workloads, frequent ones several times.
var kinds = []string{
	"Deployment", "Deployment", "Deployment", "Deployment", "StatefulSet", "StatefulSet", "DaemonSet", "DaemonSet",
	"CronJob", "CronJob", "Job", "ReplicaSet", "Pod",
}

func (g *generator) workload() tree {
	kind := one(g.dice, kinds...)
	name := g.fresh(strings.ToLower(kind))
	object := tree{"kind": kind, "metadata": g.metadata(name)}
	template := g.template(kind, name)
	if kind == "Pod" {
		object["apiVersion"] = "v1"
		object["spec"] = template["spec"]
		if spec := object["spec"].(tree); spec["serviceAccount"] == nil {
			spec["serviceAccountName"] = "web" // a volume may have its token
		}
		maps.Copy(template["metadata"].(tree), object["metadata"].(tree))
		object["metadata"] = template["metadata"]
		completePod(object)
		return object
	}
	spec := tree{"template": template}
	object["spec"] = spec
	object["apiVersion"] = "apps/v1"
	switch kind {
	case "CronJob", "Job":
		object["apiVersion"] = "batch/v1"
	default:
		spec["selector"] = tree{"matchLabels": tree{"app": name}}
		if kind != "DaemonSet" && g.chance(70) {
			spec["replicas"] = g.IntN(3)
		}
	}
	switch kind {
	case "StatefulSet":
		if g.chance(80) {
			spec["serviceName"] = name
		}
		if g.chance(30) {
			spec["volumeClaimTemplates"] = []any{g.claim("data")}
		}
		if g.chance(20) {
			spec["podManagementPolicy"] = one(g.dice, "OrderedReady", "Parallel")
		}
	case "CronJob":
		jobSpec := tree{"template": template}
		jobTemplate := tree{"spec": jobSpec}
		object["spec"] = tree{"schedule": "30 4 1 1 *", "jobTemplate": jobTemplate}
		if g.chance(30) {
			jobTemplate["metadata"] = tree{"labels": tree{"job": "yes"}}
		}
		if g.chance(30) {
			jobSpec["backoffLimit"] = one(g.dice, 0, 6)
		}
	case "Job":
		// If it is suspended, parts of the template can change.
		if g.chance(50) {
			spec["suspend"] = g.chance(60)
		}
		if g.chance(20) {
			spec["completionMode"] = one(g.dice, "NonIndexed", "Indexed")
			spec["completions"] = 1
		}
	}
	for range g.between(0, 2) {
		g.setField(object)
	}
	if g.chance(15) {
		g.hold(object)
	}
	return object
}

// hold makes something hold the pods of a workload back when its template changes.
func (g *generator) hold(object tree) {
	spec := object["spec"].(tree)
	switch object["kind"] {
	case "Deployment":
		spec["paused"] = true
	case "StatefulSet":
		spec["updateStrategy"] = one(g.dice, tree{"type": "OnDelete"}, tree{"type": "RollingUpdate", "rollingUpdate": tree{"partition": g.between(1, 2)}})
	case "DaemonSet":
		spec["updateStrategy"] = tree{"type": "OnDelete"}
	}
}

// completePod sets the defaults that a Pod has and a pod template does not: confighash does not know them.
func completePod(pod tree) {
	spec := pod["spec"].(tree)
	if spec["enableServiceLinks"] == nil {
		spec["enableServiceLinks"] = true
	}
	for _, resources := range every(containersOf, "resources")(spec) {
		limits, _ := resources["limits"].(tree)
		requests, _ := resources["requests"].(tree)
		if requests = clone(requests); requests == nil {
			requests = tree{}
		}
		for name, limit := range limits {
			if requests[name] == nil {
				requests[name] = limit
			}
		}
		if len(requests) > 0 {
			resources["requests"] = requests
		}
	}
}

// setField sets a field outside of the pod template to a value that the API server allows.
func (g *generator) setField(object tree) {
	spec := object["spec"].(tree)
	switch object["kind"] {
	case "Deployment":
		switch g.IntN(6) {
		case 0:
			spec["paused"] = g.chance(60)
		case 1:
			g.strategy(spec, "strategy", "Recreate", tree{"maxSurge": one[any](g.dice, "25%", 1), "maxUnavailable": one[any](g.dice, "25%", 0)})
		case 2:
			spec["revisionHistoryLimit"] = one(g.dice, 10, 3)
		case 3:
			spec["minReadySeconds"] = g.IntN(3)
		case 4:
			spec["progressDeadlineSeconds"] = one(g.dice, 600, 900)
		case 5:
			delete(spec, "paused")
		}
	case "StatefulSet":
		switch g.IntN(5) {
		case 0:
			g.strategy(spec, "updateStrategy", "OnDelete", tree{"partition": g.IntN(3)})
		case 1:
			spec["revisionHistoryLimit"] = one(g.dice, 10, 3)
		case 2:
			spec["minReadySeconds"] = g.IntN(3)
		case 3:
			spec["persistentVolumeClaimRetentionPolicy"] = tree{"whenDeleted": one(g.dice, "Retain", "Delete"), "whenScaled": "Retain"}
		case 4:
			spec["ordinals"] = tree{"start": g.IntN(2)}
		}
	case "DaemonSet":
		switch g.IntN(3) {
		case 0:
			g.strategy(spec, "updateStrategy", "OnDelete", tree{"maxUnavailable": one[any](g.dice, 1, "10%")})
		case 1:
			spec["revisionHistoryLimit"] = one(g.dice, 10, 3)
		case 2:
			spec["minReadySeconds"] = g.IntN(3)
		}
	case "CronJob":
		switch g.IntN(6) {
		case 0:
			spec["schedule"] = one(g.dice, "30 4 1 1 *", "0 3 1 1 *")
		case 1:
			spec["suspend"] = g.chance(50)
		case 2:
			spec["concurrencyPolicy"] = one(g.dice, "Allow", "Forbid")
		case 3:
			spec["successfulJobsHistoryLimit"] = one(g.dice, 3, 1)
		case 4:
			spec["jobTemplate"].(tree)["spec"].(tree)["backoffLimit"] = one(g.dice, 6, 2)
		case 5:
			spec["jobTemplate"].(tree)["metadata"] = tree{"annotations": tree{"note": g.text()}}
		}
	case "Job":
		switch g.IntN(4) {
		case 0:
			spec["parallelism"] = g.between(0, 2)
		case 1:
			spec["backoffLimit"] = one(g.dice, 6, 2)
		case 2:
			spec["ttlSecondsAfterFinished"] = 1000
		case 3:
			spec["activeDeadlineSeconds"] = one(g.dice, 90000, 80000)
		}
	case "ReplicaSet":
		spec["minReadySeconds"] = g.IntN(3)
	}
}

// strategy sets an update strategy: RollingUpdate, or another type. If rollingUpdate is left out, the API server adds
// its default, which an apply does not remove: whether a later change to the other type is refused depends on the way
// to apply. So no such change is made here.
func (g *generator) strategy(spec tree, field, other string, how tree) {
	_, isSet := spec[field]
	if g.chance(35) && (isSet || !g.changing) {
		spec[field] = tree{"type": other}
		return
	}
	strategy := tree{"rollingUpdate": how}
	if g.chance(70) {
		strategy["type"] = "RollingUpdate"
	}
	spec[field] = strategy
}

// claim returns a volume claim of a StatefulSet.
func (g *generator) claim(name string) tree {
	spec := tree{
		"accessModes": []any{"ReadWriteOnce"},
		"resources":   tree{"requests": tree{"storage": g.amountOf(memory)}},
	}
	if g.chance(30) {
		spec["volumeMode"] = "Filesystem"
	}
	if g.chance(30) {
		spec["storageClassName"] = one(g.dice, "fast", "")
	}
	claim := tree{"metadata": tree{"name": name}, "spec": spec}
	if g.chance(30) {
		claim["apiVersion"], claim["kind"] = "v1", "PersistentVolumeClaim"
	}
	return claim
}

// Quantities, each in several notations.
var (
	cpu    = [][]amount{{"1", "1000m", "1.0", "1e0"}, {"500m", "0.5", ".5", "0.50"}, {"2", "2000m", "2.0"}, {"1500m", "1.5"}}
	memory = [][]amount{
		{"1Gi", "1024Mi", "1073741824", "1048576Ki"}, {"512Mi", "0.5Gi", "524288Ki", "536870912"}, {"1G", "1000M", "1e9", "1000000000", "1000000k"},
		{"2Gi", "2048Mi"}, {"64Mi", "65536Ki"},
	}
)

func (g *generator) amountOf(amounts [][]amount) amount {
	return one(g.dice, one(g.dice, amounts...)...)
}

// respelled returns the same quantity in a random notation.
func (g *generator) respelled(a amount) amount {
	for _, notations := range slices.Concat(cpu, memory) {
		if slices.Contains(notations, a) {
			return one(g.dice, notations...)
		}
	}
	return a
}

func (g *generator) template(kind, name string) tree {
	metadata := tree{"labels": tree{"app": name}}
	if g.chance(20) {
		metadata["labels"].(tree)["tier"] = one(g.dice, "front", "1")
	}
	if g.chance(20) {
		metadata["annotations"] = tree{"note": g.text()}
	}
	if g.chance(15) && kind != "Pod" {
		metadata["creationTimestamp"] = nil
	}
	spec := tree{}
	containers := []any{}
	for range g.between(1, 2) {
		containers = append(containers, g.container(g.fresh("main")))
	}
	spec["containers"] = containers
	if g.chance(25) {
		container := g.container(g.fresh("init"))
		if g.chance(20) {
			container["restartPolicy"] = "Always"
		} else {
			for _, field := range []string{"livenessProbe", "readinessProbe", "startupProbe", "lifecycle"} {
				delete(container, field)
			}
		}
		spec["initContainers"] = []any{container}
	}
	if kind == "CronJob" || kind == "Job" {
		spec["restartPolicy"] = one(g.dice, "Never", "OnFailure")
	}
	for range g.between(0, 3) {
		g.addVolume(spec)
	}
	for range g.between(0, 3) {
		g.addPodField(spec)
	}
	return tree{"metadata": metadata, "spec": spec}
}

func containersOf(spec tree) []tree {
	var all []tree
	for _, field := range []string{"containers", "initContainers"} {
		list, _ := spec[field].([]any)
		for _, container := range list {
			all = append(all, container.(tree))
		}
	}
	return all
}

// images are written with and without the parts that determine imagePullPolicy.
var images = []string{"app:1", "app:2", "app", "app:latest", "registry.example.com:5000/team/app:3", "app@sha256:" + strings.Repeat("0a", 32)}

func (g *generator) container(name string) tree {
	c := tree{"name": name, "image": one(g.dice, images...)}
	for range g.between(0, 3) {
		g.addEnv(c)
	}
	for range g.between(0, 3) {
		g.addContainerField(c)
	}
	return c
}

func appendTo(m tree, field string, element any) {
	list, _ := m[field].([]any)
	m[field] = append(list, element)
}

// addEnv adds to the environment of a container.
func (g *generator) addEnv(c tree) {
	t := g.target()
	name := strings.ToUpper(strings.ReplaceAll(g.fresh("V"), "-", "_"))
	switch g.IntN(6) {
	case 0:
		appendTo(c, "env", tree{"name": name, "value": g.text()})
	case 1:
		ref := one(g.dice, tree{"fieldRef": tree{"fieldPath": "metadata.name"}}, tree{"fieldRef": tree{"apiVersion": "v1", "fieldPath": "status.podIP"}},
			tree{"resourceFieldRef": tree{"resource": "limits.cpu"}}, tree{"resourceFieldRef": tree{"resource": "limits.memory", "divisor": amount("1Mi")}})
		appendTo(c, "env", tree{"name": name, "valueFrom": ref})
	case 2, 3:
		field := map[string]string{"ConfigMap": "configMapKeyRef", "Secret": "secretKeyRef"}[t.kind]
		appendTo(c, "env", tree{"name": name, "valueFrom": tree{field: g.optional(tree{"name": t.name, "key": g.key(t)})}})
	default:
		field := map[string]string{"ConfigMap": "configMapRef", "Secret": "secretRef"}[t.kind]
		source := tree{field: g.optional(tree{"name": t.name})}
		if g.chance(30) {
			source["prefix"] = one(g.dice, "APP_", "X.")
		}
		appendTo(c, "envFrom", source)
	}
}

// addVolume adds a volume to a pod spec, usually with mounts of it.
func (g *generator) addVolume(spec tree) {
	volume := g.volume()
	appendTo(spec, "volumes", volume)
	for _, c := range containersOf(spec) {
		if g.chance(60) {
			g.mount(c, volume)
		}
	}
}

func (g *generator) mount(c, volume tree) {
	mount := tree{"name": volume["name"], "mountPath": "/mnt/" + g.fresh("m")}
	if g.chance(20) {
		mount["readOnly"] = g.chance(70)
	}
	if g.chance(25) {
		paths := slices.Concat(keys, filesOf(volume))
		mount["subPath"] = one(g.dice, paths...)
	}
	appendTo(c, "volumeMounts", mount)
}

// filesOf returns the paths in a volume.
func filesOf(value any) []string {
	var found []string
	switch value := value.(type) {
	case tree:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if path, ok := value[key].(string); ok && key == "path" && !strings.HasPrefix(path, "/") {
				found = append(found, path)
				if dir, _, nested := strings.Cut(path, "/"); nested {
					found = append(found, dir)
				}
			}
			found = append(found, filesOf(value[key])...)
		}
	case []any:
		for _, element := range value {
			found = append(found, filesOf(element)...)
		}
	}
	return found
}

func (g *generator) volume() tree {
	volume := tree{"name": g.fresh("vol")}
	switch g.IntN(10) {
	case 0:
		volume["emptyDir"] = one(g.dice, tree{}, tree{"sizeLimit": g.amountOf(memory)}, tree{"medium": "Memory"}, tree{"medium": ""})
	case 1:
		switch g.IntN(3) {
		case 0: // a volume without a source is an emptyDir
		case 1:
			volume["hostPath"] = one(g.dice, tree{"path": "/var/log"}, tree{"path": "/var/log", "type": ""}, tree{"path": "/var/log", "type": "Directory"})
		case 2:
			volume["downwardAPI"] = tree{"items": []any{tree{"path": "labels", "fieldRef": tree{"fieldPath": "metadata.labels"}}}}
		}
	case 2, 3, 4:
		var sources []any
		for range g.between(1, 3) {
			sources = append(sources, g.projection())
		}
		volume["projected"] = tree{"sources": sources}
		g.mode(volume["projected"].(tree), "defaultMode")
	default:
		t := g.target()
		source := g.items(tree{}, t)
		g.optional(source)
		g.mode(source, "defaultMode")
		if t.kind == "Secret" {
			source["secretName"] = t.name
			volume["secret"] = source
		} else {
			source["name"] = t.name
			volume["configMap"] = source
		}
	}
	return volume
}

func (g *generator) projection() tree {
	switch g.IntN(6) {
	case 0:
		token := tree{"path": g.fresh("token")}
		if g.chance(40) {
			token["expirationSeconds"] = one(g.dice, 3600, 7200)
		}
		return tree{"serviceAccountToken": token}
	case 1:
		return tree{"downwardAPI": tree{"items": []any{tree{"path": g.fresh("name"), "fieldRef": tree{"fieldPath": "metadata.name"}}}}}
	}
	t := g.target()
	source := g.optional(g.items(tree{"name": t.name}, t))
	return tree{map[string]string{"ConfigMap": "configMap", "Secret": "secret"}[t.kind]: source}
}

// items sometimes restricts a source to some keys.
func (g *generator) items(source tree, t target) tree {
	if g.chance(40) {
		for range g.between(1, 2) {
			item := tree{"key": g.key(t), "path": one(g.dice, "", "conf.d/") + g.fresh("file")}
			g.mode(item, "mode")
			appendTo(source, "items", item)
		}
	}
	return source
}

// mode sometimes sets a file mode.
func (g *generator) mode(of tree, field string) {
	if g.chance(25) {
		of[field] = one[any](g.dice, fileMode(0o644), fileMode(0o400), 420)
	}
}

// addPodField sets a field of a pod spec that it may not have had.
func (g *generator) addPodField(spec tree) {
	switch g.IntN(19) {
	case 0:
		spec["terminationGracePeriodSeconds"] = one(g.dice, 30, 60)
	case 1:
		spec["dnsPolicy"] = one(g.dice, "ClusterFirst", "Default")
	case 2:
		spec["schedulerName"] = one(g.dice, "default-scheduler", "own")
	case 3:
		spec["securityContext"] = one(g.dice, tree{}, tree{"runAsUser": 1000, "fsGroup": 2000}, tree{"runAsNonRoot": false},
			tree{"seccompProfile": tree{"type": "RuntimeDefault"}}, tree{"supplementalGroups": []any{1, 2}, "fsGroupChangePolicy": "OnRootMismatch"})
	case 4:
		spec["hostAliases"] = one(g.dice, []any{}, []any{tree{"ip": "10.0.0.1", "hostnames": []any{"a.example.com", "b"}}}, []any{
			tree{"ip": "10.0.0.2", "hostnames": []any{"c"}}, tree{"ip": "10.0.0.1", "hostnames": []any{"b"}}})
	case 5:
		spec["tolerations"] = one(g.dice, []any{tree{"operator": "Exists"}}, []any{tree{"key": "dedicated", "value": "shop", "effect": "NoSchedule"}},
			[]any{tree{"key": "dedicated", "operator": "Equal", "value": "shop", "effect": "NoSchedule"}},
			[]any{tree{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}, tree{"key": "b", "operator": "Exists"}})
	case 6:
		term := tree{"matchExpressions": []any{tree{"key": "kubernetes.io/os", "operator": "In", "values": []any{"linux"}}}}
		spec["affinity"] = one(g.dice, tree{}, tree{"nodeAffinity": tree{"requiredDuringSchedulingIgnoredDuringExecution": tree{"nodeSelectorTerms": []any{term}}}},
			tree{"podAntiAffinity": tree{"preferredDuringSchedulingIgnoredDuringExecution": []any{tree{
				"weight": 100, "podAffinityTerm": tree{"topologyKey": "kubernetes.io/hostname", "labelSelector": tree{"matchLabels": tree{"app": "web"}}},
			}}}})
	case 7:
		spec["nodeSelector"] = one[any](g.dice, nil, tree{}, tree{"disk": "ssd"}, tree{"disk": "ssd", "zone": "1"})
	case 8:
		spec["topologySpreadConstraints"] = []any{tree{
			"maxSkew": g.between(1, 2), "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": one(g.dice, "DoNotSchedule", "ScheduleAnyway"),
			"labelSelector": tree{"matchLabels": tree{"app": "web"}},
		}}
	case 9:
		delete(spec, "serviceAccount")
		spec["serviceAccountName"] = one(g.dice, "web", "default", "")
	case 10:
		if _, ok := spec["serviceAccountName"]; !ok {
			spec["serviceAccount"] = "web"
		}
	case 11:
		spec["automountServiceAccountToken"] = g.chance(30)
	case 12:
		spec["hostNetwork"] = g.chance(50)
	case 13:
		spec["enableServiceLinks"] = g.chance(70)
	case 14:
		spec["dnsConfig"] = one(g.dice, tree{}, tree{"nameservers": []any{"10.0.0.10"}}, tree{"options": []any{tree{"name": "ndots", "value": "2"}}, "searches": []any{"b", "a"}})
	case 15:
		spec["hostname"] = one(g.dice, "", "web")
	case 16:
		secret := "outside"
		if secrets := g.ofKind("Secret"); len(secrets) > 0 {
			secret = one(g.dice, secrets...).value["metadata"].(tree)["name"].(string)
		}
		spec["imagePullSecrets"] = one(g.dice, []any{tree{"name": secret}}, []any{tree{"name": "outside-too"}, tree{"name": secret}}, []any{})
	case 17:
		spec["shareProcessNamespace"] = g.chance(50)
	case 18:
		spec["readinessGates"] = one(g.dice, []any{}, []any{tree{"conditionType": "example.com/ready"}})
	}
}

// addContainerField sets a field of a container that it may not have had.
func (g *generator) addContainerField(c tree) {
	switch g.IntN(14) {
	case 0:
		c["command"] = one[any](g.dice, nil, []any{}, []any{"run", "--verbose"}, []any{"run"})
	case 1:
		c["args"] = one(g.dice, []any{"a", "1", "true"}, []any{"1", "a", "true"}, []any{})
	case 2:
		c["imagePullPolicy"] = one(g.dice, "Always", "IfNotPresent")
	case 3:
		// Ports must be unique, or hostNetwork is rejected.
		g.serial++
		port := tree{"containerPort": 1000 + g.serial}
		if g.chance(40) {
			port["protocol"] = one(g.dice, "TCP", "UDP")
		}
		if g.chance(40) {
			port["name"] = "http"
		}
		c["ports"] = []any{port}
		if g.chance(40) {
			appendTo(c, "ports", tree{"containerPort": 2000 + g.serial, "name": "metrics"})
		}
	case 4:
		c["resources"] = g.resources()
	case 5, 6:
		c[one(g.dice, "livenessProbe", "readinessProbe", "startupProbe")] = g.probe()
	case 7:
		c["lifecycle"] = one(g.dice, tree{}, tree{"preStop": tree{"exec": tree{"command": []any{"sleep", "5"}}}}, tree{"preStop": tree{"sleep": tree{"seconds": 3}}, "postStart": nil},
			tree{"postStart": tree{"httpGet": tree{"port": 80}}}, tree{"postStart": tree{"httpGet": tree{"port": "http", "path": "/", "scheme": "HTTP"}}})
	case 8:
		c["terminationMessagePath"] = one(g.dice, "/dev/termination-log", "/tmp/end")
	case 9:
		c["terminationMessagePolicy"] = one(g.dice, "File", "FallbackToLogsOnError")
	case 10:
		c["securityContext"] = one(g.dice, tree{}, tree{"allowPrivilegeEscalation": false}, tree{"runAsUser": 0, "readOnlyRootFilesystem": true},
			tree{"privileged": false, "capabilities": tree{"drop": []any{"ALL"}, "add": []any{"NET_ADMIN", "SYS_TIME"}}}, tree{"procMount": "Default"})
	case 11:
		c["workingDir"] = one(g.dice, "", "/srv")
	case 12:
		c["tty"] = g.chance(50)
	case 13:
		c["stdin"] = g.chance(50)
	}
}

func (g *generator) resources() tree {
	limits, requests := tree{}, tree{}
	for _, resource := range []struct {
		name    string
		amounts [][]amount
	}{{"cpu", cpu}, {"memory", memory}} {
		// Requests stay within the limits.
		a := g.amountOf(resource.amounts)
		if g.chance(50) {
			limits[resource.name] = a
		}
		if g.chance(40) {
			requests[resource.name] = g.respelled(a)
		}
	}
	resources := tree{}
	if len(limits) > 0 || g.chance(20) {
		resources["limits"] = limits
	}
	if len(requests) > 0 || g.chance(20) {
		resources["requests"] = requests
	}
	return resources
}

func (g *generator) probe() tree {
	probe := one(g.dice,
		tree{"httpGet": tree{"port": 8080}}, tree{"httpGet": tree{"port": "http", "path": "/ready", "scheme": "HTTP"}},
		tree{"httpGet": tree{"port": 8080, "path": "/", "httpHeaders": []any{tree{"name": "X", "value": "1"}}}},
		tree{"tcpSocket": tree{"port": 8080}}, tree{"exec": tree{"command": []any{"true"}}}, tree{"grpc": tree{"port": 9000}},
		tree{"grpc": tree{"port": 9000, "service": ""}},
	)
	for _, field := range []struct {
		name    string
		choices []int
	}{{"timeoutSeconds", []int{1, 2}}, {"periodSeconds", []int{10, 5}}, {"failureThreshold", []int{3, 4}}, {"initialDelaySeconds", []int{0, 9}}, {"successThreshold", []int{1}}} {
		if g.chance(20) {
			probe[field.name] = one(g.dice, field.choices...)
		}
	}
	return probe
}
