package properties_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/confighash/confighash/test/support/harness"

	yamlv3 "go.yaml.in/yaml/v3"
)

// An annotateSpec is a functionConfig for mode Annotate.
type annotateSpec struct {
	key, scope, granularity string
	policy                  string
	salt, namespace         string
	// exclude is a regular expression for the names of ConfigMaps.
	exclude string
	// discover: pod templates of unknown kinds count.
	discover bool
	// runners: the pod templates of a custom kind are known.
	runners bool
	// immutable and unreferenced: mode Rename makes objects immutable, and renames objects without references.
	immutable, unreferenced bool
	// report is the level of detail of results.
	report string
	// autoReloadAll is a flag of Reloader.
	autoReloadAll bool
}

// String returns the spec of the functionConfig, in flow style.
func (s annotateSpec) String() string {
	spec := map[string]any{
		"mode": "Annotate", "policy": s.policy, "salt": s.salt, "namespace": s.namespace, "discover": s.discover,
		"annotate": map[string]any{"key": s.key, "scope": s.scope, "granularity": s.granularity},
	}
	if s.runners {
		spec["podTemplates"] = []any{map[string]any{"group": "example.com", "kind": "Runner", "path": "spec/workers/template"}}
	}
	if s.exclude != "" {
		spec["exclude"] = []any{map[string]any{"kind": "ConfigMap", "name": s.exclude}}
	}
	if s.report != "" {
		spec["report"] = s.report
	}
	if s.policy == "Reloader" {
		spec["reloader"] = map[string]any{"autoReloadAll": s.autoReloadAll}
	}
	text, err := json.Marshal(spec)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// readManifests returns the resources of a text, including those in lists. Every scalar is its text, null is nil.
func readManifests(text string) ([]harness.Object, error) {
	decoder := yamlv3.NewDecoder(strings.NewReader(text))
	var all []harness.Object
	for {
		var node yamlv3.Node
		if err := decoder.Decode(&node); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		o, ok := asWritten(node.Content[0]).(map[string]any)
		if !ok {
			continue
		}
		items, isList := o["items"].([]any)
		if !isList {
			all = append(all, o)
			continue
		}
		for _, item := range items {
			all = append(all, item.(map[string]any))
		}
	}
}

// asWritten returns the value of a node. A mapping's own entries win over merged ones.
func asWritten(n *yamlv3.Node) any {
	switch n.Kind {
	case yamlv3.AliasNode:
		return asWritten(n.Alias)
	case yamlv3.SequenceNode:
		list := make([]any, len(n.Content))
		for i, child := range n.Content {
			list[i] = asWritten(child)
		}
		return list
	case yamlv3.MappingNode:
		m := map[string]any{}
		for i := 0; i < len(n.Content); i += 2 {
			if n.Content[i].ShortTag() != "!!merge" {
				continue
			}
			merged := asWritten(n.Content[i+1])
			sources, ok := merged.([]any)
			if !ok {
				sources = []any{merged}
			}
			for _, source := range slices.Backward(sources) {
				maps.Copy(m, source.(map[string]any))
			}
		}
		for i := 0; i < len(n.Content); i += 2 {
			if key := n.Content[i]; key.ShortTag() != "!!merge" {
				m[fmt.Sprint(asWritten(key))] = asWritten(n.Content[i+1])
			}
		}
		return m
	default:
		if n.ShortTag() == "!!null" {
			return nil
		}
		return n.Value
	}
}

// entries and elements return the mapping or the list at keys.
func entries(from map[string]any, keys ...string) map[string]any {
	m, _ := harness.At(from, keys...).(map[string]any)
	return m
}

func elements(from map[string]any, keys ...string) []map[string]any {
	list, _ := harness.At(from, keys...).([]any)
	var all []map[string]any
	for _, element := range list {
		if m, ok := element.(map[string]any); ok {
			all = append(all, m)
		}
	}
	return all
}

// A consumptionOracle knows which pod template consumes what, based only on the parsed resources.
type consumptionOracle struct {
	annotateSpec
	objects []harness.Object
	// decide, if set, decides by controllers' annotations whether an object counts, and whether it counts as a whole
	// even if it is hardly or not consumed.
	decide func(workload harness.Object, template map[string]any, source harness.Object, consumed bool) (counts, whole bool)
}

// A taking is the consumed content of a pod template, in bytes: by object and by key.
type taking map[string]map[string]string

func (s annotateSpec) place(o harness.Object) string {
	if namespace := o.Namespace(); namespace != "" {
		return namespace
	}
	return s.namespace
}

// rollingTemplates returns the pod templates of a resource that are stamped.
func (s annotateSpec) rollingTemplates(o harness.Object) []map[string]any {
	var all []map[string]any
	switch o.Kind() {
	case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController":
		all = append(all, entries(o, "spec", "template"))
	case "CronJob":
		all = append(all, entries(o, "spec", "jobTemplate", "spec", "template"))
	case "Runner":
		for _, worker := range elements(o, "spec", "workers") {
			all = append(all, entries(worker, "template"))
		}
	case "Stranger":
		if template := entries(o, "spec", "template"); s.discover && looksLikeTemplate(template) {
			all = append(all, template)
		}
	}
	// No pod can be made from a template without a spec.
	return slices.DeleteFunc(all, func(template map[string]any) bool { return entries(template, "spec") == nil })
}

// looksLikeTemplate reports whether a mapping is recognizable as a pod template.
func looksLikeTemplate(template map[string]any) bool {
	return slices.ContainsFunc(elements(template, "spec", "containers"), func(c map[string]any) bool {
		return harness.StringAt(c, "name") != "" || harness.StringAt(c, "image") != ""
	})
}

// takes returns what one pod template of a workload consumes.
func (c *consumptionOracle) takes(workload harness.Object, template map[string]any) taking {
	t := taking{}
	spec := entries(template, "spec")
	var containers []map[string]any
	for _, field := range []string{"containers", "initContainers", "ephemeralContainers"} {
		containers = append(containers, elements(spec, field)...)
	}
	take := func(kind, name string, keys []string) { c.take(t, workload, template, kind, name, keys, false) }
	for _, container := range containers {
		for _, variable := range elements(container, "env") {
			for field, kind := range map[string]string{"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"} {
				if ref := entries(variable, "valueFrom", field); ref != nil {
					take(kind, harness.StringAt(ref, "name"), []string{harness.StringAt(ref, "key")})
				}
			}
		}
		for _, source := range elements(container, "envFrom") {
			for field, kind := range map[string]string{"configMapRef": "ConfigMap", "secretRef": "Secret"} {
				if ref := entries(source, field); ref != nil {
					take(kind, harness.StringAt(ref, "name"), nil)
				}
			}
		}
	}
	for _, volume := range elements(spec, "volumes") {
		for _, container := range containers {
			for _, mount := range elements(container, "volumeMounts") {
				if harness.StringAt(mount, "name") == harness.StringAt(volume, "name") {
					takeVolume(volume, mount, take)
				}
			}
		}
	}
	for listed := range strings.SplitSeq(harness.StringAt(workload, "metadata", "annotations", "confighash.dev/extra-sources"), ",") {
		if kind, name, ok := strings.Cut(strings.TrimSpace(listed), "/"); ok {
			c.take(t, workload, template, kind, name, nil, true)
		}
	}
	if c.decide != nil {
		c.takeNamed(t, workload, template)
	}
	return t
}

// takeVolume calls take for the content of a volume that a container gets through mount.
func takeVolume(volume, mount map[string]any, take func(kind, name string, keys []string)) {
	within := harness.StringAt(mount, "subPath")
	if expression := harness.StringAt(mount, "subPathExpr"); !strings.Contains(expression, "$(") && within == "" {
		within = expression
	}
	within = strings.TrimPrefix(path.Clean("/"+within), "/")
	source := func(kind, name string, from map[string]any) {
		items := elements(from, "items")
		if len(items) == 0 {
			if within == "" {
				take(kind, name, nil)
			} else {
				take(kind, name, []string{strings.Split(within, "/")[0]})
			}
			return
		}
		keys := []string{}
		for _, item := range items {
			file := strings.TrimPrefix(path.Clean("/"+harness.StringAt(item, "path")), "/")
			if within == "" || file == within || strings.HasPrefix(file, within+"/") {
				keys = append(keys, harness.StringAt(item, "key"))
			}
		}
		take(kind, name, keys)
	}
	eachSource(volume, source)
	if harness.StringAt(volume, "csi", "driver") == "secrets-store.csi.k8s.io" {
		take("SecretProviderClass", harness.StringAt(volume, "csi", "volumeAttributes", "secretProviderClass"), nil)
	}
}

// take adds the given keys of an object, or all of it, and of its stand-ins. named: the workload names it.
func (c *consumptionOracle) take(t taking, workload harness.Object, template map[string]any, kind, name string, keys []string, named bool) {
	for _, o := range c.objects {
		if c.place(o) != c.place(workload) || !c.isCalled(o, kind, name) || !c.takesPart(o, workload, named) {
			continue
		}
		counted := keys
		if c.decide != nil && !named {
			counts, whole := c.decide(workload, template, o, true)
			if !counts {
				continue
			}
			if whole {
				counted = nil
			}
		}
		c.add(t, workload, o, counted)
		c.addTemplates(t, workload, o, map[string]bool{o.Identity(): true})
	}
}

// addTemplates adds what an ExternalSecret is made with: its external templates, and recursively what makes those. met
// has the visited objects.
func (c *consumptionOracle) addTemplates(t taking, workload, o harness.Object, met map[string]bool) {
	if o.Kind() != "ExternalSecret" {
		return
	}
	for _, from := range elements(o, "spec", "target", "template", "templateFrom") {
		for field, kind := range map[string]string{"configMap": "ConfigMap", "secret": "Secret"} {
			ref := entries(from, field)
			if ref == nil {
				continue
			}
			var listed []string
			for _, item := range elements(ref, "items") {
				listed = append(listed, harness.StringAt(item, "key"))
			}
			for _, other := range c.objects {
				if met[other.Identity()] || !c.isCalled(other, kind, harness.StringAt(ref, "name")) || c.place(other) != c.place(o) || c.isTakenOut(other) {
					continue
				}
				c.add(t, workload, other, listed)
				if other.Kind() == "ExternalSecret" {
					met[other.Identity()] = true
					c.addTemplates(t, workload, other, met)
				}
			}
		}
	}
}

// takeNamed adds objects that count although no container uses them.
func (c *consumptionOracle) takeNamed(t taking, workload harness.Object, template map[string]any) {
	for _, o := range c.objects {
		if isPassedOver(o) || valuesOf(o) == nil || !c.takesPart(o, workload, false) {
			continue
		}
		if counts, _ := c.decide(workload, template, o, false); counts {
			c.add(t, workload, o, nil)
		}
	}
}

// isCalled reports whether a reference to a name means the object, or what is made from it.
func (c *consumptionOracle) isCalled(o harness.Object, kind, name string) bool {
	switch {
	case name == "" || isPassedOver(o):
		return false
	case o.Kind() == kind:
		return o.Name() == name
	case kind != "Secret":
		return false
	}
	switch o.Kind() {
	case "SealedSecret":
		return o.Name() == name || harness.StringAt(o, "spec", "template", "metadata", "name") == name
	case "ExternalSecret":
		target := harness.StringAt(o, "spec", "target", "name")
		return target == name || target == "" && o.Name() == name
	case "SecretProviderClass":
		return slices.ContainsFunc(elements(o, "spec", "secretObjects"), func(made map[string]any) bool {
			return harness.StringAt(made, "secretName") == name
		})
	}
	return false
}

// isPassedOver reports whether a resource is never applied.
func isPassedOver(o harness.Object) bool {
	local, ok := harness.At(o, "metadata", "annotations", "config.kubernetes.io/local-config").(string)
	return ok && local != "false"
}

// takesPart reports whether annotations and selectors include the object. named: the workload names it.
func (c *consumptionOracle) takesPart(o, workload harness.Object, named bool) bool {
	annotations := entries(o, "metadata", "annotations")
	if c.isTakenOut(o) {
		return false
	}
	return c.policy != "OptIn" || named || optsIn(workload) || optsIn(o) || annotations["kustomize.config.k8s.io/needs-hash"] == "true"
}

func (c *consumptionOracle) isTakenOut(o harness.Object) bool {
	return harness.StringAt(o, "metadata", "annotations", "confighash.dev/ignore") == "true" ||
		c.exclude != "" && o.Kind() == "ConfigMap" && regexp.MustCompile("^(?:"+c.exclude+")$").MatchString(o.Name())
}

func optsIn(o harness.Object) bool {
	return harness.StringAt(o, "metadata", "annotations", "confighash.dev/roll") == "true"
}

// add adds the keys that the object has, or all if keys is nil.
func (c *consumptionOracle) add(t taking, workload, o harness.Object, keys []string) {
	for key, value := range valuesOf(o) {
		always := strings.HasPrefix(key, "/")
		if keys != nil && c.granularity == "Key" && !always && !slices.Contains(keys, key) {
			continue
		}
		id := o.Kind() + "/" + o.Name()
		if c.place(o) != c.place(workload) {
			id = o.Kind() + "/" + c.place(o) + "/" + o.Name()
		}
		if t[id] == nil {
			t[id] = map[string]string{}
		}
		t[id][key] = value
	}
}

// valuesOf returns an object's values by key. What counts whichever keys are consumed has a path that begins with a
// slash.
func valuesOf(o harness.Object) map[string]string {
	values := map[string]string{}
	put := func(field string, encoded bool) {
		for key, value := range entries(o, field) {
			text, _ := value.(string)
			if decoded, err := base64.StdEncoding.DecodeString(text); encoded && err == nil {
				text = string(decoded)
			}
			values[key] = text
		}
	}
	whole := func(at string, value any) {
		if text := canonical(value); text != "null" && text != "{}" {
			values["/"+at] = text
		}
	}
	switch o.Kind() {
	case "ConfigMap":
		put("data", false)
		put("binaryData", true)
	case "Secret":
		encrypted := o["sops"] != nil
		put("data", !encrypted)
		put("stringData", false)
		if encrypted {
			for key, value := range values {
				values[key] = "as written: " + value
			}
		}
	case "SealedSecret":
		template := maps.Clone(entries(o, "spec", "template"))
		for key, value := range entries(o, "spec", "encryptedData") {
			if len(entries(template, "data")) > 0 {
				key = "/" + key // a template may confuse it with any other
			}
			values[key] = value.(string)
		}
		delete(template, "metadata")
		whole("template", template)
	case "ExternalSecret", "SecretProviderClass":
		whole("spec", o["spec"])
	default:
		return nil
	}
	return values
}

// canonical writes a value in a canonical form. Null entries do not count.
func canonical(value any) string {
	text, err := json.Marshal(withoutNulls(value))
	if err != nil {
		panic(err)
	}
	return string(text)
}

func withoutNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, child := range value {
			if child != nil {
				kept[key] = withoutNulls(child)
			}
		}
		return kept
	case []any:
		kept := make([]any, len(value))
		for i, child := range value {
			kept[i] = withoutNulls(child)
		}
		return kept
	}
	return value
}

// A stampTable has, for each pod template that rolls, its expected annotations and the meanings of their checksums.
type stampTable map[string]map[string]string

// stamps returns the expected annotations of all pod templates, except for those left alone.
func (c *consumptionOracle) stamps() stampTable {
	table := stampTable{}
	for _, workload := range c.objects {
		for i, template := range c.rollingTemplates(workload) {
			if isPassedOver(workload) || harness.StringAt(workload, "metadata", "annotations", "confighash.dev/ignore") == "true" {
				continue
			}
			table[templateID(workload, i)] = c.annotations(c.takes(workload, template))
		}
	}
	return table
}

func templateID(o harness.Object, i int) string { return fmt.Sprintf("%s #%d", o.Identity(), i) }

// annotations returns the meaning of the checksum in each annotation.
func (c *consumptionOracle) annotations(t taking) map[string]string {
	wanted := map[string]string{}
	switch {
	case len(t) == 0:
	case c.scope == "Workload":
		text, err := json.Marshal(t)
		if err != nil {
			panic(err)
		}
		wanted[c.key] = fmt.Sprintf("%q", text)
	default:
		prefix, _, _ := strings.Cut(c.key, "/")
		for id, values := range t {
			kind, name, _ := strings.Cut(id, "/")
			text := id
			for _, key := range slices.Sorted(maps.Keys(values)) {
				text += fmt.Sprintf(" %q: %q", key, values[key])
			}
			wanted[abbreviated(prefix+"/"+strings.ToLower(kind)+"."+strings.ReplaceAll(name, "/", "_"))] = text
		}
	}
	return wanted
}

// longestName is the maximum length of the part of an annotation's key after the slash.
const longestName = 63

var endsInHash = regexp.MustCompile(`-[0-9a-f]{10}$`)

// abbreviated returns a key so that one that is too long equals its abbreviation by the function.
func abbreviated(key string) string {
	prefix, name, _ := strings.Cut(key, "/")
	switch {
	case len(name) > longestName:
		name = name[:longestName-11] + "-..."
	case len(name) == longestName && endsInHash.MatchString(name):
		name = name[:longestName-11] + "-..."
	}
	return prefix + "/" + name
}

var checksumForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// marked returns a checksum in the function's form that begins with the given 56 digits.
func marked(digits string) string {
	return digits + fmt.Sprintf("%x", sha256.Sum256([]byte("confighash.dev/mark/v1"+digits)))[:8]
}

// isOurs reports whether the function wrote an annotation.
func (s annotateSpec) isOurs(key string, value any) bool {
	text, _ := value.(string)
	if !checksumForm.MatchString(text) || marked(text[:56]) != text {
		return false
	}
	prefix, _, _ := strings.Cut(s.key, "/")
	return key == s.key || strings.HasPrefix(key, prefix+"/") && strings.Contains(strings.TrimPrefix(key, prefix), ".")
}

// isAnothers reports whether a key may belong to another function, to which a selector leaves an object: it stays if
// the workload consumes that object.
func (s annotateSpec) isAnothers(key string) bool {
	prefix, _, _ := strings.Cut(s.key, "/")
	name, ok := strings.CutPrefix(key, prefix+"/configmap.")
	if _, after, found := strings.Cut(name, "_"); found {
		name = after // of another namespace
	}
	return ok && s.exclude != "" && regexp.MustCompile("^(?:"+s.exclude+")$").MatchString(name)
}

// eachSource reports each ConfigMap and Secret of a volume, projected or not.
func eachSource(volume map[string]any, source func(kind, name string, from map[string]any)) {
	if from := entries(volume, "configMap"); from != nil {
		source("ConfigMap", harness.StringAt(from, "name"), from)
	}
	if from := entries(volume, "secret"); from != nil {
		source("Secret", harness.StringAt(from, "secretName"), from)
	}
	for _, part := range elements(volume, "projected", "sources") {
		if from := entries(part, "configMap"); from != nil {
			source("ConfigMap", harness.StringAt(from, "name"), from)
		}
		if from := entries(part, "secret"); from != nil {
			source("Secret", harness.StringAt(from, "name"), from)
		}
	}
}
