//go:build cluster

package cluster_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// change makes random changes at several places at once.
func (g *generator) change() {
	g.changing = true
	if g.chance(4) {
		return // no change
	}
	for range g.between(1, 5) {
		objects := g.ofKind("ConfigMap", "Secret")
		workloads := slices.DeleteFunc(slices.Clone(g.manifests), func(m *manifest) bool { return slices.Contains(objects, m) })
		switch n := g.IntN(100); {
		case n < 36 && len(objects) > 0:
			m := one(g.dice, objects...)
			m.style = g.restyled(m)
			g.changeObject(m.value)
		case n < 76 && len(workloads) > 0:
			m := one(g.dice, workloads...)
			m.style = g.restyled(m)
			g.changeWorkload(m.value)
			if m.kind() == "Pod" {
				completePod(m.value)
			}
		case n < 79:
			g.add(g.configMap())
		case n < 80:
			g.add(g.secret())
		case n < 83:
			g.add(g.workload())
		case n < 87:
			i := g.IntN(len(g.manifests))
			g.manifests = slices.Delete(g.manifests, i, i+1)
		case n < 92:
			g.Shuffle(len(g.manifests), func(i, j int) { g.manifests[i], g.manifests[j] = g.manifests[j], g.manifests[i] })
		default:
			for _, m := range g.manifests {
				m.style = g.restyled(m)
			}
		}
		if len(g.manifests) == 0 {
			g.add(g.workload())
		}
	}
}

// restyled returns a manifest's style, or sometimes another.
func (g *generator) restyled(m *manifest) uint64 {
	if g.chance(50) {
		return g.Uint64()
	}
	return m.style
}

// changeMetadata changes labels, annotations or other metadata that rolls nothing.
func (g *generator) changeMetadata(object tree) {
	metadata := object["metadata"].(tree)
	switch g.IntN(5) {
	case 0:
		metadata["labels"] = tree{"team": g.text1()}
	case 1:
		g.annotate(metadata, "note", g.text())
	case 2:
		if object["kind"] != "Pod" {
			delete(metadata, "labels")
		}
		delete(metadata, "annotations")
	case 3:
		metadata["creationTimestamp"] = nil
	case 4:
		if g.ignoring {
			g.annotate(metadata, "confighash.dev/ignore", one(g.dice, "true", "false"))
		}
	}
}

// text1 returns the value of a label.
func (g *generator) text1() string { return one(g.dice, "shop", "1", "true", "no", "null", "") }

func (g *generator) changeObject(object tree) {
	fields := []string{"data", "binaryData"}
	if object["kind"] == "Secret" {
		fields = []string{"data", "stringData"}
	}
	field := one(g.dice, fields...)
	part, _ := object[field].(tree)
	if len(part) == 0 {
		field = "data"
		part, _ = object[field].(tree)
	}
	value := func(field string) string {
		if field == "binaryData" || field == "data" && object["kind"] == "Secret" {
			return encoded(g.text())
		}
		return g.text()
	}
	existing := slices.Sorted(maps.Keys(part))
	switch n := g.IntN(100); {
	case n < 40 && len(existing) > 0:
		part[one(g.dice, existing...)] = value(field)
	case n < 52:
		// A ConfigMap has each key in only one of its fields. A key that is removed from stringData stays in the
		// cluster, so none is added there.
		if field == "stringData" {
			field = "data"
			part, _ = object[field].(tree)
		}
		if key := one(g.dice, keys...); object["kind"] == "Secret" || !slices.Contains(keysOf(object), key) {
			if part == nil {
				part = tree{}
				object[field] = part
			}
			part[key] = value(field)
		}
	case n < 60 && len(existing) > 0 && field != "stringData":
		if t, typed := object["type"].(string); !typed || !strings.HasPrefix(t, "kubernetes.io/") {
			delete(part, one(g.dice, existing...))
		}
	case n < 70 && len(existing) > 0 && object["kind"] == "Secret":
		g.move(object, field, one(g.dice, existing...))
	case n < 76:
		object["immutable"] = g.chance(70)
	case n < 79:
		delete(object, "immutable")
	case n < 82 && object["kind"] == "Secret" && object["type"] != "kubernetes.io/tls":
		object["type"] = one(g.dice, "Opaque", "example.com/other")
	case n < 84 && object["kind"] == "Secret" && object["type"] == "Opaque":
		delete(object, "type")
	default:
		g.changeMetadata(object)
	}
	for _, field := range fields {
		if part, ok := object[field].(tree); ok && len(part) == 0 {
			delete(object, field)
		}
	}
}

// move moves the bytes of a key into the other field of a Secret. It is not for ConfigMaps, as confighash does not
// distinguish their data from binaryData.
func (g *generator) move(secret tree, from, key string) {
	to, bytes := "data", encoded(secret[from].(tree)[key].(string))
	if from == "data" {
		decoded, err := base64.StdEncoding.DecodeString(secret[from].(tree)[key].(string))
		if err != nil || !utf8.Valid(decoded) {
			return
		}
		to, bytes = "stringData", string(decoded)
	}
	part, ok := secret[to].(tree)
	if !ok {
		part = tree{}
		secret[to] = part
	}
	if _, there := part[key]; there {
		return
	}
	part[key] = bytes
	if delete(secret[from].(tree), key); len(secret[from].(tree)) == 0 {
		delete(secret, from)
	}
}

// templateOf returns the pod template of a workload; for a Pod it is the Pod.
func templateOf(object tree) tree {
	switch object["kind"] {
	case "Pod":
		return object
	case "CronJob":
		return object["spec"].(tree)["jobTemplate"].(tree)["spec"].(tree)["template"].(tree)
	}
	return object["spec"].(tree)["template"].(tree)
}

func (g *generator) changeWorkload(object tree) {
	kind := object["kind"].(string)
	spec := object["spec"].(tree)
	switch n := g.IntN(100); {
	case g.chance(25) && release(object):
	case n < 10:
		g.changeMetadata(object)
	case n < 22:
		if _, scales := spec["replicas"]; scales && g.chance(40) {
			spec["replicas"] = g.IntN(3)
		} else {
			g.setField(object)
		}
	case n < 26:
		g.changeFixed(object)
	case n < 30 && kind != "DaemonSet" && kind != "Pod" && kind != "CronJob" && kind != "Job":
		switch spec["replicas"] {
		case nil:
			spec["replicas"] = 1
		case 1:
			delete(spec, "replicas")
		}
	case n < 36 && kind != "Pod":
		metadata := templateOf(object)["metadata"].(tree)
		switch g.IntN(4) {
		case 0:
			metadata["labels"].(tree)["tier"] = g.text1()
		case 1:
			delete(metadata["labels"].(tree), "tier")
		case 2:
			g.annotate(metadata, "note", g.text())
		case 3:
			metadata["creationTimestamp"] = nil
		}
	case n < 46:
		containers := containersOf(templateOf(object)["spec"].(tree))
		one(g.dice, containers...)["image"] = one(g.dice, images...)
	case kind == "Job" && spec["suspend"] == true:
		g.changeSuspended(templateOf(object))
	case kind == "Job" && n < 80:
		g.setField(object)
	case n < 66:
		g.respell(templateOf(object)["spec"].(tree))
	default:
		g.changePod(templateOf(object)["spec"].(tree))
	}
}

// release removes what holds the pods of a workload back, and reports whether there was something.
func release(object tree) bool {
	spec := object["spec"].(tree)
	strategy, _ := spec["updateStrategy"].(tree)
	rolling, _ := strategy["rollingUpdate"].(tree)
	switch partition, _ := rolling["partition"].(int); {
	case spec["paused"] == true:
		spec["paused"] = false
	case strategy["type"] == "OnDelete":
		strategy["type"] = "RollingUpdate"
	case partition > 0:
		rolling["partition"] = partition - 1
	default:
		return false
	}
	return true
}

// changeSuspended changes what the API server allows to change in the template of a suspended Job. Since v1.36 this
// includes the containers' resources.
func (g *generator) changeSuspended(template tree) {
	spec := template["spec"].(tree)
	switch g.IntN(4) {
	case 3:
		one(g.dice, containersOf(spec)...)["resources"] = tree{"limits": tree{"memory": g.amountOf(memory)}}
	case 0:
		spec["nodeSelector"] = tree{"disk": one(g.dice, "ssd", "hdd")}
	case 1:
		spec["tolerations"] = []any{tree{"key": "dedicated", "operator": "Exists", "effect": one(g.dice, "NoSchedule", "NoExecute")}}
	case 2:
		g.annotate(template["metadata"].(tree), "note", g.text())
	}
}

// changeFixed changes an immutable field, or only how it is written.
func (g *generator) changeFixed(object tree) {
	spec := object["spec"].(tree)
	switch object["kind"] {
	case "Deployment", "DaemonSet", "ReplicaSet":
		if g.chance(30) {
			templateOf(object)["metadata"].(tree)["labels"].(tree)["tier"] = "front"
			spec["selector"].(tree)["matchLabels"].(tree)["tier"] = "front"
		} else {
			// An empty value is the same as none.
			spec["selector"].(tree)["matchExpressions"] = one[any](g.dice, []any{}, nil)
		}
	case "StatefulSet":
		switch g.IntN(6) {
		case 0:
			spec["serviceName"] = "other"
		case 1:
			spec["podManagementPolicy"] = one(g.dice, "OrderedReady", "Parallel")
		case 2:
			delete(spec, "podManagementPolicy")
		case 3:
			delete(spec, "serviceName")
		default:
			claims, _ := spec["volumeClaimTemplates"].([]any)
			if len(claims) == 0 {
				spec["volumeClaimTemplates"] = one[any](g.dice, nil, []any{}, []any{g.claim("data")})
				return
			}
			claim := claims[0].(tree)
			of := claim["spec"].(tree)
			requests := of["resources"].(tree)["requests"].(tree)
			switch g.IntN(6) {
			case 0:
				of["volumeMode"] = "Filesystem"
			case 1:
				delete(of, "volumeMode")
			case 2:
				requests["storage"] = g.respelled(requests["storage"].(amount))
			case 3:
				requests["storage"] = g.amountOf(memory)
			case 4:
				claim["apiVersion"], claim["kind"] = "v1", "PersistentVolumeClaim"
			case 5:
				claim["metadata"].(tree)["creationTimestamp"] = nil
			}
		}
	case "Job":
		// The default of completions depends on what was applied before.
		_, counted := spec["completions"]
		switch indexed := spec["completionMode"] == "Indexed"; {
		case counted && g.chance(40):
			spec["completionMode"] = one(g.dice, "NonIndexed", "Indexed")
		case counted && !indexed && g.chance(40):
			spec["completions"] = g.between(1, 2)
		case !counted && g.chance(40):
			spec["completionMode"] = "NonIndexed"
		default:
			g.respell(templateOf(object)["spec"].(tree))
		}
	}
}

// field is a field with a default, and its places.
type field struct {
	in    func(spec tree) []tree
	name  string
	value any
}

// every returns the mappings under these names in others, including those in lists.
func every(in func(tree) []tree, names ...string) func(tree) []tree {
	return func(spec tree) []tree {
		var found []tree
		for _, m := range in(spec) {
			for _, name := range names {
				switch value := m[name].(type) {
				case tree:
					found = append(found, value)
				case []any:
					for _, element := range value {
						found = append(found, element.(tree))
					}
				}
			}
		}
		return found
	}
}

func podSpec(spec tree) []tree { return []tree{spec} }

var (
	probes   = every(containersOf, "livenessProbe", "readinessProbe", "startupProbe")
	volumes  = every(podSpec, "volumes")
	defaults = []field{
		{podSpec, "restartPolicy", "Always"}, {podSpec, "dnsPolicy", "ClusterFirst"}, {podSpec, "schedulerName", "default-scheduler"},
		{podSpec, "terminationGracePeriodSeconds", 30}, {podSpec, "enableServiceLinks", true}, {podSpec, "securityContext", tree{}},
		{podSpec, "hostNetwork", false}, {podSpec, "nodeSelector", tree{}}, {podSpec, "nodeSelector", nil}, {podSpec, "tolerations", []any{}},
		{podSpec, "affinity", nil}, {podSpec, "hostPID", false}, {podSpec, "hostname", ""}, {podSpec, "volumes", []any{}},
		{podSpec, "imagePullSecrets", []any{}}, {podSpec, "initContainers", []any{}},
		{containersOf, "terminationMessagePath", "/dev/termination-log"}, {containersOf, "terminationMessagePolicy", "File"},
		{containersOf, "imagePullPolicy", "Always"}, {containersOf, "imagePullPolicy", "IfNotPresent"}, {containersOf, "resources", tree{}},
		{containersOf, "env", []any{}}, {containersOf, "env", nil}, {containersOf, "command", []any{}}, {containersOf, "args", nil},
		{containersOf, "tty", false}, {containersOf, "workingDir", ""}, {containersOf, "ports", []any{}}, {containersOf, "securityContext", nil},
		{every(containersOf, "ports"), "protocol", "TCP"}, {every(containersOf, "ports"), "hostPort", 0},
		{probes, "timeoutSeconds", 1}, {probes, "periodSeconds", 10}, {probes, "successThreshold", 1}, {probes, "failureThreshold", 3},
		{probes, "initialDelaySeconds", 0}, {every(probes, "httpGet"), "scheme", "HTTP"}, {every(probes, "httpGet"), "path", "/"},
		{every(probes, "grpc"), "service", ""}, {every(probes, "httpGet"), "httpHeaders", []any{}},
		{every(every(containersOf, "env"), "valueFrom"), "fieldRef", nil},
		{every(every(every(containersOf, "env"), "valueFrom"), "fieldRef"), "apiVersion", "v1"},
		{every(every(every(containersOf, "env"), "valueFrom"), "resourceFieldRef"), "divisor", amount("0")},
		{every(every(every(containersOf, "env"), "valueFrom"), "configMapKeyRef", "secretKeyRef"), "optional", false},
		{every(every(containersOf, "envFrom"), "configMapRef", "secretRef"), "optional", false},
		{every(containersOf, "envFrom"), "prefix", ""}, {every(containersOf, "volumeMounts"), "readOnly", false},
		{every(containersOf, "volumeMounts"), "subPath", ""},
		{every(volumes, "configMap", "secret", "projected", "downwardAPI"), "defaultMode", fileMode(0o644)},
		{every(volumes, "configMap", "secret"), "optional", false}, {every(volumes, "configMap", "secret"), "items", []any{}},
		{every(volumes, "hostPath"), "type", ""}, {every(volumes, "emptyDir"), "medium", ""},
		{every(every(every(volumes, "projected"), "sources"), "serviceAccountToken"), "expirationSeconds", 3600},
		{every(every(every(volumes, "projected"), "sources"), "configMap", "secret"), "optional", false},
	}
)

// respell adds or removes explicit defaults and empty values, or changes the notation of quantities.
func (g *generator) respell(spec tree) {
	if g.chance(35) {
		for _, m := range every(every(containersOf, "resources"), "limits", "requests")(spec) {
			for _, key := range slices.Sorted(maps.Keys(m)) {
				m[key] = g.respelled(m[key].(amount))
			}
		}
		for _, m := range every(volumes, "emptyDir")(spec) {
			if limit, ok := m["sizeLimit"].(amount); ok {
				m["sizeLimit"] = g.respelled(limit)
			}
		}
		return
	}
	var possible []func()
	for _, f := range defaults {
		for _, m := range f.in(spec) {
			now, written := m[f.name]
			switch {
			case !written:
				// Skip fields that others make pointless.
				if f.name == "restartPolicy" {
					continue
				}
				possible = append(possible, func() { m[f.name] = cloned(f.value) })
			case fmt.Sprint(now) == fmt.Sprint(f.value):
				possible = append(possible, func() { delete(m, f.name) })
			}
		}
	}
	for range g.between(1, 4) {
		if len(possible) > 0 {
			one(g.dice, possible...)()
		}
	}
}

func (g *generator) changePod(spec tree) {
	c := one(g.dice, containersOf(spec)...)
	isInit := strings.HasPrefix(c["name"].(string), "init")
	lists := func(of ...tree) []func() {
		var shuffles []func()
		for _, m := range of {
			for _, field := range []string{"containers", "volumes", "env", "envFrom", "volumeMounts", "imagePullSecrets", "tolerations", "args", "ports", "hostAliases"} {
				if list, ok := m[field].([]any); ok && len(list) > 1 {
					shuffles = append(shuffles, func() { list[0], list[len(list)-1] = list[len(list)-1], list[0] })
				}
			}
		}
		return shuffles
	}
	switch n := g.IntN(100); {
	case n < 15:
		g.addPodField(spec)
	case n < 30:
		before := clone(c)
		g.addContainerField(c)
		if isInit && c["restartPolicy"] == nil {
			// Containers that end cannot have probes.
			for _, field := range []string{"livenessProbe", "readinessProbe", "startupProbe", "lifecycle"} {
				delete(c, field)
			}
			if _, had := before["lifecycle"]; had {
				c["lifecycle"] = before["lifecycle"]
			}
		}
	case n < 40:
		g.addEnv(c)
	case n < 48:
		g.addVolume(spec)
	case n < 53:
		if env, ok := c["env"].([]any); ok && len(env) > 0 {
			c["env"] = slices.Delete(slices.Clone(env), 0, 1)
		} else if env, ok := c["envFrom"].([]any); ok && len(env) > 0 {
			c["envFrom"] = slices.Delete(slices.Clone(env), 0, 1)
		}
	case n < 58:
		g.removeVolume(spec)
	case n < 62:
		for _, m := range every(containersOf, "env")(spec) {
			if _, ok := m["value"]; ok {
				m["value"] = g.text()
				break
			}
		}
	case n < 66:
		list := spec["containers"].([]any)
		if len(list) > 1 && g.chance(50) {
			spec["containers"] = list[:len(list)-1]
		} else {
			spec["containers"] = append(list, g.container(g.fresh("main")))
		}
	case n < 70:
		if spec["initContainers"] != nil {
			delete(spec, "initContainers")
		} else {
			c := tree{"name": g.fresh("init"), "image": "app:1"}
			g.addEnv(c)
			spec["initContainers"] = []any{c}
		}
	case n < 82:
		if shuffles := lists(append(containersOf(spec), spec)...); len(shuffles) > 0 {
			one(g.dice, shuffles...)()
		}
	case n < 92:
		g.retarget(spec)
	default:
		for _, field := range []string{"livenessProbe", "resources", "command", "imagePullPolicy", "lifecycle", "securityContext", "ports"} {
			if g.chance(30) {
				delete(c, field)
			}
		}
		for _, field := range []string{"serviceAccountName", "serviceAccount", "tolerations", "nodeSelector", "securityContext", "hostNetwork", "affinity"} {
			if g.chance(10) {
				delete(spec, field)
			}
		}
	}
}

// removeVolume removes a volume with its mounts.
func (g *generator) removeVolume(spec tree) {
	list, _ := spec["volumes"].([]any)
	if len(list) == 0 {
		return
	}
	i := g.IntN(len(list))
	name := list[i].(tree)["name"]
	spec["volumes"] = slices.Delete(slices.Clone(list), i, i+1)
	for _, c := range containersOf(spec) {
		if mounts, ok := c["volumeMounts"].([]any); ok {
			c["volumeMounts"] = slices.DeleteFunc(slices.Clone(mounts), func(m any) bool { return m.(tree)["name"] == name })
		}
	}
}

// retarget changes the object or the key of a reference, or whether it is optional.
func (g *generator) retarget(spec tree) {
	env, sources := every(every(containersOf, "env"), "valueFrom"), every(every(volumes, "projected"), "sources")
	type reference struct {
		in   tree
		name string
		kind string
	}
	var all []reference
	for _, where := range []struct {
		in         func(tree) []tree
		name, kind string
	}{
		{every(env, "configMapKeyRef"), "name", "ConfigMap"}, {every(env, "secretKeyRef"), "name", "Secret"},
		{every(every(containersOf, "envFrom"), "configMapRef"), "name", "ConfigMap"}, {every(every(containersOf, "envFrom"), "secretRef"), "name", "Secret"},
		{every(volumes, "configMap"), "name", "ConfigMap"}, {every(volumes, "secret"), "secretName", "Secret"},
		{every(sources, "configMap"), "name", "ConfigMap"}, {every(sources, "secret"), "name", "Secret"},
	} {
		for _, m := range where.in(spec) {
			all = append(all, reference{m, where.name, where.kind})
		}
	}
	if len(all) == 0 {
		return
	}
	ref := one(g.dice, all...)
	t := g.target()
	_, byKey := ref.in["key"]
	switch {
	case g.chance(40):
		ref.in["optional"] = g.chance(50)
	case g.chance(50) && byKey:
		ref.in["key"] = g.key(t)
	case t.kind == ref.kind:
		ref.in[ref.name] = t.name
	}
}
