package properties_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/harness"
)

// A consumerPackage is a random package of workloads and the objects they consume.
type consumerPackage struct {
	// turn determines the changes it undergoes.
	turn      int
	spec      annotateSpec
	form      form
	crlf      bool
	documents []*styledDocument
}

// A styledDocument is one resource. It is always written the same way, whatever is around it. The leaves of its value
// are strings, numbers, booleans and bare; mergeHere is the key of a mapping to be merged.
type styledDocument struct {
	value harness.Object
	style uint64
	// anchored: it has anchors and aliases, so that an edited part may be encoded again.
	anchored bool
}

const mergeHere = "merge_here"

var mergeKey = regexp.MustCompile(`['"]?` + mergeHere + `['"]?:`)

// sourceKinds are the kinds that workloads consume, and their API versions.
var sourceKinds = map[string]string{
	"ConfigMap": "v1", "Secret": "v1", "SealedSecret": "bitnami.com/v1alpha1", "ExternalSecret": "external-secrets.io/v1",
	"SecretProviderClass": "secrets-store.csi.x-k8s.io/v1",
}

const longSourceName = "a-configuration-with-a-name.that-no-annotation-has-room-for.behind-its-prefix"

var (
	sourceNames      = []string{"app", "web.config", "1e3", "db", longSourceName}
	sourceNamespaces = []string{"", "", "team-a", "default"}
	sourceDataKeys   = []string{"a", "b", "app.properties", "yes"}
)

// randomConsumers makes a package.
func randomConsumers(d *gen.Dice) *consumerPackage {
	g := &consumerGenerator{Dice: d}
	p := &consumerPackage{turn: g.IntN(len(changes)), form: form(g.IntN(int(formCount))), crlf: g.Chance(10)}
	g.plain = p.form.isJSON()
	p.crlf = p.crlf && !p.form.isJSON()
	p.spec = annotateSpec{
		key: gen.Pick(g.Dice, []string{"checksum/config", "checksum/config", "example.com/rolls-on"}), scope: gen.Pick(g.Dice, []string{"Workload", "Source"}),
		granularity: gen.Pick(g.Dice, []string{"Key", "Key", "Object"}), policy: "All",
		salt: gen.Pick(g.Dice, []string{"", "", "pepper"}), namespace: gen.Pick(g.Dice, []string{"default", "default", "team-a"}),
	}
	if g.Chance(20) {
		p.spec.policy = "OptIn"
	}
	if g.Chance(15) {
		p.spec.exclude = gen.Pick(g.Dice, []string{"web.*", "app|db", "nothing"})
	}
	p.spec.discover = g.Chance(70)
	g.spec = p.spec
	for range g.Between(2, 8) {
		g.source()
	}
	for range g.Between(1, 5) {
		g.workload()
	}
	p.spec.runners = slices.ContainsFunc(g.documents, func(d *styledDocument) bool { return d.value.Kind() == "Runner" })
	for _, bystander := range bystanders {
		if g.Chance(10) {
			g.add(bystander)
		}
	}
	g.Shuffle(len(g.documents), func(i, j int) { g.documents[i], g.documents[j] = g.documents[j], g.documents[i] })
	p.documents = g.documents
	return p
}

type consumerGenerator struct {
	*gen.Dice
	spec      annotateSpec
	plain     bool // valid in YAML but not as JSON
	documents []*styledDocument
}

func (g *consumerGenerator) add(o harness.Object) {
	g.documents = append(g.documents, &styledDocument{value: o, style: g.Seed(), anchored: isAnchored(o)})
}

// isAnchored reports whether a value has an anchor or an alias.
func isAnchored(value any) bool {
	switch value := value.(type) {
	case harness.Object:
		return isAnchored(map[string]any(value))
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(value)), isAnchored)
	case []any:
		return slices.ContainsFunc(value, isAnchored)
	case bare:
		return strings.HasPrefix(string(value), "&") || strings.HasPrefix(string(value), "*")
	}
	return false
}

// text returns a value that the function must not change.
func (g *consumerGenerator) text() string {
	if g.Chance(40) {
		return gen.Pick(g.Dice, gen.AwkwardTexts)
	}
	return g.Fresh("value")
}

// metadata returns the metadata of a resource with a unique name, nil if the name is taken.
func (g *consumerGenerator) metadata(kind, name, namespace string) map[string]any {
	for _, d := range g.documents {
		if d.value.Kind() == kind && d.value.Name() == name && g.spec.place(d.value) == g.spec.place(harness.Object{"metadata": map[string]any{"namespace": namespace}}) {
			return nil
		}
	}
	metadata := map[string]any{"name": name}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	if g.Chance(20) {
		metadata["labels"] = map[string]any{"app": name, "note": g.text()}
	}
	annotations := map[string]any{}
	if g.Chance(20) {
		annotations["example.com/note"] = g.text()
	}
	if g.Chance(8) {
		annotations["confighash.dev/ignore"] = gen.Pick(g.Dice, []string{"true", "true", "false"})
	}
	if g.Chance(20) {
		annotations["confighash.dev/roll"] = "true"
	}
	if len(annotations) > 0 {
		metadata["annotations"] = annotations
	}
	return metadata
}

// source adds a resource to be consumed.
func (g *consumerGenerator) source() {
	kind := gen.Pick(g.Dice, []string{
		"ConfigMap", "ConfigMap", "ConfigMap", "ConfigMap", "Secret", "Secret", "Secret", "SealedSecret", "ExternalSecret", "ExternalSecret", "SecretProviderClass",
	})
	metadata := g.metadata(kind, gen.Pick(g.Dice, sourceNames), gen.Pick(g.Dice, sourceNamespaces))
	if metadata == nil {
		return
	}
	o := harness.Object{"apiVersion": sourceKinds[kind], "kind": kind, "metadata": metadata}
	switch kind {
	case "ConfigMap":
		g.configMap(o)
	case "Secret":
		g.secret(o)
	case "SealedSecret":
		o["spec"] = g.sealed()
	case "ExternalSecret":
		spec := map[string]any{"refreshInterval": "1h", "dataFrom": []any{map[string]any{"extract": map[string]any{"key": g.Fresh("path")}}}}
		if g.Chance(60) {
			target := map[string]any{"name": gen.Pick(g.Dice, sourceNames)}
			if g.Chance(75) {
				field := gen.Pick(g.Dice, []string{"configMap", "secret"})
				from := map[string]any{
					"name":  g.reference(map[string]string{"configMap": "ConfigMap", "secret": "Secret"}[field]),
					"items": []any{map[string]any{"key": gen.Pick(g.Dice, sourceDataKeys)}, map[string]any{"key": gen.Pick(g.Dice, sourceDataKeys)}},
				}
				target["template"] = map[string]any{"templateFrom": []any{map[string]any{field: from}}}
				g.madeWith(field, harness.StringAt(from, "name"), harness.StringAt(o, "metadata", "namespace"))
			}
			spec["target"] = target
		}
		o["spec"] = spec
	case "SecretProviderClass":
		o["spec"] = map[string]any{
			"provider": "vault", "parameters": map[string]any{"objects": g.Fresh("path")},
			"secretObjects": []any{map[string]any{"secretName": gen.Pick(g.Dice, sourceNames), "type": "Opaque"}},
		}
	}
	g.add(o)
}

// madeWith adds the object that an ExternalSecret is made with, unless it exists. Sometimes it is ignored.
func (g *consumerGenerator) madeWith(field, name, namespace string) {
	metadata := g.metadata("ConfigMap", name, namespace)
	if field != "configMap" || metadata == nil {
		return
	}
	if g.Chance(40) {
		metadata["annotations"] = map[string]any{"confighash.dev/ignore": "true"}
	}
	data := map[string]any{}
	for _, key := range sourceDataKeys {
		data[key] = g.Fresh("template")
	}
	g.add(harness.Object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
}

func (g *consumerGenerator) configMap(o harness.Object) {
	data, binary := map[string]any{}, map[string]any{}
	for _, key := range sourceDataKeys {
		switch roll := g.IntN(100); {
		case roll < 50:
			data[key] = g.text()
		case roll < 60:
			binary[key] = wrappedBase64(gen.Pick(g.Dice, gen.BinaryTexts))
		case roll < 65 && !g.plain:
			data[key] = gen.Pick(g.Dice, []bare{"yes", "1e3", "0x1F", "010", "2001-01-01", "1_000", "on", ".5", "No"})
		}
	}
	if len(data) > 0 || g.Chance(50) {
		o["data"] = data
	}
	if len(binary) > 0 {
		o["binaryData"] = binary
	}
	if g.Chance(10) {
		o["immutable"] = true
	}
	if g.plain || !g.Chance(15) {
		return
	}
	shared := bare(fmt.Sprintf("&shared {a: %s, shared: same}", g.Fresh("value")))
	metadata := o["metadata"].(map[string]any)
	if metadata["labels"] = shared; g.Chance(50) {
		delete(data, "a")
		data[mergeHere] = bare("*shared ")
		o["data"] = data
	} else {
		o["data"] = bare("*shared ")
		delete(o, "binaryData")
	}
}

func (g *consumerGenerator) secret(o harness.Object) {
	o["type"] = gen.Pick(g.Dice, []string{"Opaque", "kubernetes.io/basic-auth", "example.com/custom"})
	if g.Chance(10) {
		o["data"] = map[string]any{"a": "ENC[AES256_GCM,data:" + g.Fresh("cipher") + "]", "b": "ENC[AES256_GCM,data:" + g.Fresh("cipher") + "]"}
		o["sops"] = map[string]any{"mac": g.Fresh("mac"), "version": "3.9.0"}
		return
	}
	data, texts := map[string]any{}, map[string]any{}
	for _, key := range sourceDataKeys {
		if g.Chance(50) {
			data[key] = wrappedBase64(gen.Pick(g.Dice, []string{g.text(), g.text(), gen.Pick(g.Dice, gen.BinaryTexts)}))
		}
		if g.Chance(25) {
			texts[key] = g.text()
		}
	}
	if len(data) > 0 || g.Chance(50) {
		o["data"] = data
	}
	if len(texts) > 0 {
		o["stringData"] = texts
	}
}

func (g *consumerGenerator) sealed() map[string]any {
	encrypted := map[string]any{}
	for _, key := range sourceDataKeys {
		if g.Chance(50) {
			encrypted[key] = g.Fresh("AgB")
		}
	}
	spec := map[string]any{"encryptedData": encrypted}
	if g.Chance(60) {
		template := map[string]any{"metadata": map[string]any{"labels": map[string]any{"note": g.text()}}}
		if g.Chance(50) {
			template["type"] = "kubernetes.io/basic-auth"
		}
		if g.Chance(30) {
			template["data"] = map[string]any{"template": "{{ .a }}"}
		}
		if g.Chance(30) {
			template["metadata"].(map[string]any)["name"] = gen.Pick(g.Dice, sourceNames)
		}
		spec["template"] = template
	}
	return spec
}

// workload adds a resource with one or several pod templates.
func (g *consumerGenerator) workload() {
	kind := gen.Pick(g.Dice, []string{
		"Deployment", "Deployment", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "CronJob", "Job", "Pod", "Runner", "Stranger",
	})
	metadata := g.metadata(kind, g.Fresh(strings.ToLower(kind)), gen.Pick(g.Dice, sourceNamespaces))
	if g.Chance(10) {
		annotations, _ := metadata["annotations"].(map[string]any)
		if annotations == nil {
			annotations = map[string]any{}
			metadata["annotations"] = annotations
		}
		annotations["confighash.dev/extra-sources"] = "ConfigMap/" + gen.Pick(g.Dice, sourceNames) + ", Secret/" + gen.Pick(g.Dice, sourceNames)
	}
	o := harness.Object{"apiVersion": "apps/v1", "kind": kind, "metadata": metadata}
	switch kind {
	case "ReplicationController":
		o["apiVersion"] = "v1"
		o["spec"] = map[string]any{"template": g.template(metadata)}
	case "CronJob":
		o["apiVersion"] = "batch/v1"
		o["spec"] = map[string]any{"schedule": "@daily", "jobTemplate": map[string]any{"spec": map[string]any{"template": g.template(metadata)}}}
	case "Job":
		o["apiVersion"] = "batch/v1"
		o["spec"] = map[string]any{"template": g.template(metadata)}
	case "Pod":
		o["apiVersion"] = "v1"
		o["spec"] = g.podSpec()
	case "Stranger":
		o["apiVersion"] = "example.com/v1"
		o["spec"] = map[string]any{"template": g.template(metadata)}
	case "Runner":
		o["apiVersion"] = "example.com/v1"
		workers := []any{}
		for range g.Between(1, 2) {
			workers = append(workers, map[string]any{"size": 1, "template": g.template(metadata)})
			metadata = map[string]any{"annotations": "of the first alone"}
		}
		o["spec"] = map[string]any{"workers": workers}
	default:
		spec := map[string]any{"template": g.template(metadata)}
		if g.Chance(15) {
			spec["updateStrategy"] = map[string]any{"type": "OnDelete"}
		}
		if g.Chance(10) {
			spec["paused"] = true
		}
		o["spec"] = spec
	}
	g.add(o)
}

// handMade is a checksum that a chart has written.
const handMade = "0000000000000000000000000000000000000000000000000000000000000000"

// template returns a pod template of a workload with that metadata.
func (g *consumerGenerator) template(ofWorkload map[string]any) map[string]any {
	template := map[string]any{"spec": g.podSpec()}
	metadata := map[string]any{}
	if g.Chance(50) {
		metadata["labels"] = map[string]any{"app": "web"}
	}
	annotations := map[string]any{}
	if g.Chance(40) {
		annotations["example.com/note"] = g.text()
	}
	checksum := marked(strings.Repeat(gen.Pick(g.Dice, []string{"0", "5e", "abcd"}), 56)[:56])
	for _, key := range []string{g.spec.key, "checksum/configmap.app", "example.com/secret.gone", "checksum/other"} {
		switch g.IntN(12) {
		case 0:
			annotations[key] = checksum
		case 1: // handwritten, as in charts
			annotations[key] = handMade
		case 2:
			annotations[key] = "v1"
		}
	}
	switch roll := g.IntN(100); {
	case roll < 15:
		return template
	case roll < 20 && !g.plain:
		template["metadata"] = gen.Pick(g.Dice, []bare{"null", "~", "{}"})
		return template
	case roll < 25:
		template["metadata"] = map[string]any{}
		return template
	case roll < 35 && !g.plain:
		metadata["annotations"] = gen.Pick(g.Dice, []bare{"null", "~", "{}", ""})
	case roll < 45 && !g.plain && ofWorkload["annotations"] == nil:
		ofWorkload["annotations"] = bare(`&notes {example.com/note: "1", "` + g.spec.key + `": ` + checksum + `}`)
		metadata["annotations"] = bare("*notes ")
		if g.Chance(50) {
			annotations[mergeHere] = bare("*notes ")
			delete(annotations, "example.com/note")
			metadata["annotations"] = annotations
		}
	case roll < 65:
	default:
		metadata["annotations"] = annotations
	}
	template["metadata"] = metadata
	return template
}

func (g *consumerGenerator) reference(kind string) string {
	if g.Chance(10) {
		return "elsewhere"
	}
	var names []string
	for _, d := range g.documents {
		if d.value.Kind() == kind || kind == "Secret" && d.value.Kind() == "SealedSecret" {
			names = append(names, d.value.Name())
		}
		if made := harness.StringAt(d.value, "spec", "target", "name"); kind == "Secret" && made != "" {
			names = append(names, made, made)
		}
	}
	if len(names) == 0 || g.Chance(15) {
		return gen.Pick(g.Dice, sourceNames)
	}
	return gen.Pick(g.Dice, names)
}

func (g *consumerGenerator) podSpec() map[string]any {
	volumes, spec := []any{}, map[string]any{}
	var mounts []any
	for i := range g.Between(0, 4) {
		volume, files := g.volume()
		volume["name"] = fmt.Sprintf("volume-%d", i)
		volumes = append(volumes, volume)
		if g.Chance(70) {
			mounts = append(mounts, g.mount(volume["name"], files))
		}
		if g.Chance(15) {
			mounts = append(mounts, g.mount(volume["name"], files))
		}
	}
	lists := []string{"containers"}
	for _, list := range []string{"containers", "initContainers", "ephemeralContainers"} {
		if g.Chance(35) {
			lists = append(lists, list)
		}
	}
	var containers []map[string]any
	for i, list := range lists {
		container := g.container(fmt.Sprintf("c%d", i))
		containers = append(containers, container)
		of, _ := spec[list].([]any)
		spec[list] = append(of, container)
	}
	for _, mount := range mounts {
		container := gen.Pick(g.Dice, containers)
		of, _ := container["volumeMounts"].([]any)
		container["volumeMounts"] = append(of, mount)
	}
	if env, ok := containers[0]["env"].([]any); ok && !g.plain && len(containers) > 1 && g.Chance(10) {
		// Two containers share one list.
		w := &packageWriter{Dice: gen.Seeded(1), json: true}
		containers[0]["env"] = bare("&env " + w.flow(env, 0))
		containers[len(containers)-1]["env"] = bare("*env ")
	}
	if len(volumes) > 0 {
		spec["volumes"] = volumes
	}
	if g.Chance(25) {
		spec["imagePullSecrets"] = []any{map[string]any{"name": g.reference("Secret")}}
	}
	return spec
}

func (g *consumerGenerator) container(name string) map[string]any {
	c := map[string]any{"name": name, "image": "example.com/app:1.0"}
	env, envFrom := []any{}, []any{}
	for i := range g.Between(0, 2) {
		kind, field := "ConfigMap", "configMapKeyRef"
		if g.Chance(50) {
			kind, field = "Secret", "secretKeyRef"
		}
		ref := map[string]any{"name": g.reference(kind), "key": gen.Pick(g.Dice, sourceDataKeys)}
		if g.Chance(20) {
			ref["optional"] = true
		}
		env = append(env, map[string]any{"name": fmt.Sprintf("VARIABLE_%d", i), "valueFrom": map[string]any{field: ref}})
	}
	if g.Chance(20) {
		env = append(env, map[string]any{"name": "PLAIN", "value": g.text()})
	}
	if g.Chance(25) {
		kind, field := "ConfigMap", "configMapRef"
		if g.Chance(50) {
			kind, field = "Secret", "secretRef"
		}
		envFrom = append(envFrom, map[string]any{"prefix": "P_", field: map[string]any{"name": g.reference(kind), "optional": g.Chance(30)}})
	}
	if len(env) > 0 {
		c["env"] = env
	}
	if len(envFrom) > 0 {
		c["envFrom"] = envFrom
	}
	return c
}

// volume returns a volume and the files in it.
func (g *consumerGenerator) volume() (volume map[string]any, files []string) {
	source := func(kind, nameField string) map[string]any {
		from := map[string]any{nameField: g.reference(kind)}
		switch {
		case g.Chance(40):
			items := []any{}
			for range g.Between(1, 2) {
				key := gen.Pick(g.Dice, sourceDataKeys)
				file := gen.Pick(g.Dice, []string{key, "dir/" + key, "a"})
				items = append(items, map[string]any{"key": key, "path": file})
				files = append(files, file, strings.Split(file, "/")[0])
			}
			from["items"] = items
		case g.Chance(10):
			from["items"] = []any{}
		}
		if g.Chance(20) {
			from["optional"] = true
		}
		return from
	}
	files = slices.Clone(sourceDataKeys)
	switch roll := g.IntN(100); {
	case roll < 30:
		return map[string]any{"configMap": source("ConfigMap", "name")}, files
	case roll < 55:
		return map[string]any{"secret": source("Secret", "secretName")}, files
	case roll < 80:
		sources := []any{map[string]any{"serviceAccountToken": map[string]any{"path": "token"}}}
		for range g.Between(1, 2) {
			if g.Chance(50) {
				sources = append(sources, map[string]any{"configMap": source("ConfigMap", "name")})
			} else {
				sources = append(sources, map[string]any{"secret": source("Secret", "name")})
			}
		}
		return map[string]any{"projected": map[string]any{"sources": sources}}, files
	case roll < 90:
		driver := gen.Pick(g.Dice, []string{"secrets-store.csi.k8s.io", "secrets-store.csi.k8s.io", "other.example.com"})
		return map[string]any{"csi": map[string]any{
			"driver": driver, "readOnly": true, "nodePublishSecretRef": map[string]any{"name": g.reference("Secret")},
			"volumeAttributes": map[string]any{"secretProviderClass": g.reference("SecretProviderClass")},
		}}, files
	}
	return map[string]any{"emptyDir": map[string]any{}}, files
}

// mount returns a mount of a volume with these files.
func (g *consumerGenerator) mount(name any, files []string) map[string]any {
	mount := map[string]any{"name": name, "mountPath": "/" + g.Fresh("mnt")}
	file := gen.Pick(g.Dice, files)
	switch roll := g.IntN(100); {
	case roll < 45:
	case roll < 75:
		mount["subPath"] = gen.Pick(g.Dice, []string{file, file, "./" + file, file + "/", "none"})
	case roll < 85:
		mount["subPathExpr"] = file
	default:
		mount["subPathExpr"] = gen.Pick(g.Dice, []string{"$(POD_NAME)", file + "/$(POD_NAME)"})
	}
	return mount
}

// isAnchored reports whether the package has anchors and aliases.
func (p *consumerPackage) isAnchored() bool {
	return slices.ContainsFunc(p.documents, func(d *styledDocument) bool { return d.anchored })
}

// text writes the package. A document's own text is the same in every package of that form.
func (p *consumerPackage) text() string {
	var b strings.Builder
	texts := make([]string, len(p.documents))
	for i, d := range p.documents {
		texts[i] = p.textOf(d)
	}
	config := "functionConfig:\n  apiVersion: confighash.dev/v1alpha1\n  kind: ConfigHash\n  metadata: {name: roll}\n  spec: " + p.spec.String() + "\n"
	items := strings.Join(texts, "")
	if len(texts) == 0 {
		items = " []\n"
	} else {
		items = "\n" + items
	}
	switch p.form {
	case resourceList:
		b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n" + config + "items:" + items)
	case flowResourceList:
		b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n" + config + "items: [" + strings.Join(texts, ", ") + "]\n")
	case jsonResourceList:
		b.WriteString(`{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "functionConfig": ` +
			`{"apiVersion": "confighash.dev/v1alpha1", "kind": "ConfigHash", "metadata": {"name": "roll"}, "spec": ` + p.spec.String() + `},` +
			"\n\"items\": [" + strings.Join(texts, ",\n") + "]}\n")
	case kindList:
		b.WriteString("apiVersion: v1\nkind: List\nitems:" + items)
	default:
		b.WriteString(strings.Join(texts, "---\n"))
	}
	return p.endLines(b.String())
}

func (p *consumerPackage) endLines(text string) string {
	if p.crlf {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// textOf writes a document as it is in the package. If an alias comes before its anchor, it tries the next style.
func (p *consumerPackage) textOf(d *styledDocument) string {
	for style := d.style; ; style++ {
		text := p.write(d, style)
		if !d.anchored {
			return text
		}
		// A shrunk package may have lost the anchor for good.
		if _, err := readManifests(text); err == nil || style > d.style+100 {
			return text
		}
	}
}

func (p *consumerPackage) write(d *styledDocument, style uint64) string {
	w := &packageWriter{Dice: gen.Seeded(style), json: p.form.isJSON(), anchors: false, known: map[string]string{}}
	w.indent, w.compact = w.Between(1, 4), w.Chance(50)
	w.comments = !w.json && w.Chance(70)
	w.pretty = w.Chance(50)
	var text string
	switch p.form {
	case resourceList, kindList:
		text = "-" + w.element(map[string]any(d.value), 0)
	case flowResourceList, jsonResourceList:
		text = w.flow(map[string]any(d.value), 0)
	case jsonStream:
		text = w.flow(map[string]any(d.value), 0) + "\n"
	default:
		text = w.mapping(d.value, 0)
	}
	return mergeKey.ReplaceAllString(text, "<<:")
}

// clone returns a deep copy of a package.
func (p *consumerPackage) clone() *consumerPackage {
	c := *p
	c.documents = nil
	for _, d := range p.documents {
		c.documents = append(c.documents, &styledDocument{harness.Object(cloned(map[string]any(d.value)).(map[string]any)), d.style, d.anchored})
	}
	return &c
}

func cloned(value any) any {
	switch value := value.(type) {
	case harness.Object:
		return cloned(map[string]any(value))
	case map[string]any:
		m := make(map[string]any, len(value))
		for key, child := range value {
			m[key] = cloned(child)
		}
		return m
	case []any:
		list := make([]any, len(value))
		for i, child := range value {
			list[i] = cloned(child)
		}
		return list
	}
	return value
}

// A change is one way to change a package.
type change struct {
	name string
	// neutral: no pod template may roll, whatever is consumed.
	neutral bool
	// rearranges: more than the text of the changed documents differs.
	rearranges bool
	// apply changes a package. It returns what it did, and false if there is nothing to change.
	apply func(d *gen.Dice, p *consumerPackage) (what string, ok bool)
}

// changeOf returns a change of one random document of the given kinds.
func changeOf(name string, neutral bool, apply func(d *gen.Dice, o harness.Object) (what string, ok bool), kinds ...string) change {
	return change{name: name, neutral: neutral, apply: func(d *gen.Dice, p *consumerPackage) (string, bool) {
		for _, i := range d.Perm(len(p.documents)) {
			if o := p.documents[i].value; slices.Contains(kinds, o.Kind()) {
				if what, ok := apply(d, o); ok {
					return o.Identity() + ": " + what, true
				}
			}
		}
		return "", false
	}}
}

// fields returns the mappings of an object with content for pods, by name.
func fields(o harness.Object) map[string]map[string]any {
	found := map[string]map[string]any{}
	for _, field := range []string{"data", "stringData", "binaryData"} {
		if m, ok := o[field].(map[string]any); ok && len(m) > 0 {
			found[field] = m
		}
	}
	if m := entries(o, "spec", "encryptedData"); len(m) > 0 {
		found["encryptedData"] = m
	}
	return found
}

// someEntry picks a key of an object's content.
func someEntry(d *gen.Dice, o harness.Object) (field, key string, ok bool) {
	all := fields(o)
	names := slices.Sorted(maps.Keys(all))
	if len(names) == 0 {
		return "", "", false
	}
	field = gen.Pick(d, names)
	key = gen.Pick(d, slices.Sorted(maps.Keys(all[field])))
	return field, key, key != mergeHere
}

// encodedIn encodes a text for a field of an object.
func encodedIn(o harness.Object, field, text string) string {
	if o["sops"] == nil && (field == "binaryData" || field == "data" && o.Kind() == "Secret") {
		return base64.StdEncoding.EncodeToString([]byte(text))
	}
	return text
}

func setNote(field string) func(d *gen.Dice, o harness.Object) (string, bool) {
	return func(d *gen.Dice, o harness.Object) (string, bool) {
		metadata := o["metadata"].(map[string]any)
		notes, ok := metadata[field].(map[string]any)
		if !ok {
			if metadata[field] != nil {
				return "", false // it is anchored
			}
			notes = map[string]any{}
			metadata[field] = notes
		}
		notes["example.com/changed"] = gen.Pick(d, gen.AwkwardTexts)
		return field, true
	}
}

var anySource = slices.Sorted(maps.Keys(sourceKinds))

// changes are made to every package.
var changes = []change{
	changeOf("a value", false, func(d *gen.Dice, o harness.Object) (string, bool) {
		field, key, ok := someEntry(d, o)
		if !ok {
			return "", false
		}
		fields(o)[field][key] = encodedIn(o, field, "a changed value")
		return field + " " + key, true
	}, "ConfigMap", "Secret", "SealedSecret"),
	changeOf("a value that changes by one byte", false, func(d *gen.Dice, o harness.Object) (string, bool) {
		field, key, ok := someEntry(d, o)
		text, isText := fields(o)[field][key].(string)
		if !ok || !isText || encodedIn(o, field, "x") != "x" {
			return "", false
		}
		fields(o)[field][key] = text + gen.Pick(d, []string{" ", "\n", "x", "0"})
		return field + " " + key, true
	}, "ConfigMap", "Secret", "SealedSecret"),
	changeOf("a new key", false, func(d *gen.Dice, o harness.Object) (string, bool) {
		all := fields(o)
		for _, key := range append(slices.Clone(sourceDataKeys), "added") {
			taken := slices.ContainsFunc(slices.Collect(maps.Values(all)), func(m map[string]any) bool { return m[key] != nil })
			if names := slices.Sorted(maps.Keys(all)); !taken && len(names) > 0 {
				field := gen.Pick(d, names)
				all[field][key] = encodedIn(o, field, "an added value")
				return field + " " + key, true
			}
		}
		return "", false
	}, "ConfigMap", "Secret", "SealedSecret"),
	changeOf("a removed key", false, func(d *gen.Dice, o harness.Object) (string, bool) {
		field, key, ok := someEntry(d, o)
		if ok {
			delete(fields(o)[field], key)
		}
		return field + " " + key, ok
	}, "ConfigMap", "Secret", "SealedSecret"),
	changeOf("a renamed key", false, func(d *gen.Dice, o harness.Object) (string, bool) {
		field, key, ok := someEntry(d, o)
		if ok {
			fields(o)[field]["renamed"] = fields(o)[field][key]
			delete(fields(o)[field], key)
		}
		return field + " " + key, ok
	}, "ConfigMap", "Secret", "SealedSecret"),
	changeOf("two keys with each other's values", false, func(_ *gen.Dice, o harness.Object) (string, bool) {
		for field, m := range fields(o) {
			if keys := slices.Sorted(maps.Keys(m)); len(keys) > 1 && keys[0] != mergeHere && keys[1] != mergeHere {
				m[keys[0]], m[keys[1]] = m[keys[1]], m[keys[0]]
				return field, true
			}
		}
		return "", false
	}, "ConfigMap", "Secret", "SealedSecret"),
	changeOf("labels", true, setNote("labels"), anySource...),
	changeOf("annotations", true, setNote("annotations"), anySource...),
	changeOf("immutable", true, func(_ *gen.Dice, o harness.Object) (string, bool) {
		if o["immutable"] != nil {
			delete(o, "immutable")
		} else {
			o["immutable"] = true
		}
		return "immutable", true
	}, "ConfigMap", "Secret"),
	changeOf("the type of a Secret", true, func(_ *gen.Dice, o harness.Object) (string, bool) {
		o["type"] = "example.com/changed"
		return "type", true
	}, "Secret"),
	changeOf("data as stringData or binaryData", true, func(_ *gen.Dice, o harness.Object) (string, bool) {
		data, ok := o["data"].(map[string]any)
		if !ok || o["sops"] != nil || data[mergeHere] != nil {
			return "", false
		}
		other := map[string]string{"ConfigMap": "binaryData", "Secret": "stringData"}[o.Kind()]
		moved, _ := o[other].(map[string]any)
		if moved == nil {
			moved = map[string]any{}
		}
		for key, value := range data {
			text, isText := value.(string)
			decoded, err := base64.StdEncoding.DecodeString(text)
			switch {
			case !isText:
				continue
			case other == "binaryData":
				moved[key] = wrappedBase64(text)
			case moved[key] != nil: // which wins
			case err != nil || !isWritable(string(decoded)):
				continue
			default:
				moved[key] = string(decoded)
			}
			delete(data, key)
		}
		if len(moved) > 0 {
			o[other] = moved
		}
		return other, true
	}, "ConfigMap", "Secret"),
	changeOf("one value in data or in binaryData", true, func(d *gen.Dice, o harness.Object) (string, bool) {
		from, key, ok := someEntry(d, o)
		text, isText := fields(o)[from][key].(string)
		to := map[string]string{"data": "binaryData", "binaryData": "data"}[from]
		if decoded, err := base64.StdEncoding.DecodeString(text); from == "binaryData" && err == nil && isWritable(string(decoded)) {
			text = string(decoded)
		} else if from == "binaryData" {
			return "", false
		}
		if moved := entries(o, to); !ok || !isText || moved[key] != nil || moved[mergeHere] != nil || moved == nil && o[to] != nil {
			return "", false
		} else if moved == nil {
			o[to] = map[string]any{}
		}
		delete(fields(o)[from], key)
		entries(o, to)[key] = encodedIn(o, to, text)
		return from + " " + key, true
	}, "ConfigMap"),
	changeOf("data that stringData hides", true, func(_ *gen.Dice, o harness.Object) (string, bool) {
		for key := range entries(o, "stringData") {
			if o["data"] == nil {
				o["data"] = map[string]any{}
			}
			o["data"].(map[string]any)[key] = encodedIn(o, "data", "hidden")
			return key, true
		}
		return "", false
	}, "Secret"),
	changeOf("what SOPS says of itself", true, func(_ *gen.Dice, o harness.Object) (string, bool) {
		if o["sops"] == nil {
			return "", false
		}
		o["sops"].(map[string]any)["mac"] = "changed"
		return "sops", true
	}, "Secret"),
	changeOf("what makes a Secret", false, func(_ *gen.Dice, o harness.Object) (string, bool) {
		spec := entries(o, "spec")
		if spec == nil {
			return "", false
		}
		if o.Kind() != "SealedSecret" {
			spec["changed"] = []any{"yes", map[string]any{"a": "b"}}
			return "spec", true
		}
		template, ok := spec["template"].(map[string]any)
		if !ok {
			template = map[string]any{}
			spec["template"] = template
		}
		template["type"] = "example.com/changed"
		return "spec.template", true
	}, "SealedSecret", "ExternalSecret", "SecretProviderClass"),
	changeOf("labels of the Secret that is made", true, func(_ *gen.Dice, o harness.Object) (string, bool) {
		metadata := entries(o, "spec", "template", "metadata")
		if metadata == nil {
			return "", false
		}
		metadata["labels"] = map[string]any{"changed": "true"}
		return "spec.template.metadata", true
	}, "SealedSecret"),
	{name: "what no container uses", neutral: true, apply: func(d *gen.Dice, p *consumerPackage) (string, bool) {
		items, err := readManifests(p.text())
		if err != nil {
			return "", false
		}
		used := map[string]bool{}
		c := p.oracle(items)
		for _, workload := range items {
			for _, template := range p.spec.rollingTemplates(workload) {
				for id := range c.takes(workload, template) {
					used[p.spec.place(workload)+" "+id] = true
				}
			}
		}
		for _, i := range d.Perm(len(p.documents)) {
			o := p.documents[i].value
			if strings.Contains(p.text(), p.spec.place(o)+"/"+o.Name()) {
				continue // an annotation of wave may name it from another namespace
			}
			if field, key, ok := someEntry(d, o); ok && !used[p.spec.place(o)+" "+o.Kind()+"/"+o.Name()] {
				fields(o)[field][key] = encodedIn(o, field, "a changed value")
				return o.Identity() + ": " + field + " " + key, true
			}
		}
		return "", false
	}},
	{name: "style, comments and key order", neutral: true, apply: func(_ *gen.Dice, p *consumerPackage) (string, bool) {
		for _, d := range p.documents {
			if sourceKinds[d.value.Kind()] != "" {
				d.style += 1000
			}
		}
		return "all sources", true
	}},
	{name: "style of everything", neutral: true, rearranges: true, apply: func(d *gen.Dice, p *consumerPackage) (string, bool) {
		for _, document := range p.documents {
			document.style += 2000
		}
		p.crlf = !p.form.isJSON() && d.Chance(50)
		return "all documents", true
	}},
	{name: "order of documents", neutral: true, rearranges: true, apply: func(d *gen.Dice, p *consumerPackage) (string, bool) {
		d.Shuffle(len(p.documents), func(i, j int) { p.documents[i], p.documents[j] = p.documents[j], p.documents[i] })
		return "shuffled", true
	}},
	{name: "the form of the package", neutral: true, rearranges: true, apply: func(_ *gen.Dice, p *consumerPackage) (string, bool) {
		for _, d := range p.documents {
			if d.anchored || holdsBare(d.value) {
				return "", false
			}
		}
		p.form = (p.form + 3) % formCount
		p.crlf = false
		return "", true
	}},
	{name: "two objects with each other's content", apply: func(d *gen.Dice, p *consumerPackage) (string, bool) {
		perm := d.Perm(len(p.documents))
		for _, i := range perm {
			for _, j := range perm {
				one, other := p.documents[i].value, p.documents[j].value
				if i == j || one.Kind() != other.Kind() || !slices.Contains([]string{"ConfigMap", "Secret"}, one.Kind()) ||
					p.documents[i].anchored || p.documents[j].anchored || one["sops"] != nil || other["sops"] != nil {
					continue
				}
				for _, field := range []string{"data", "stringData", "binaryData"} {
					one[field], other[field] = other[field], one[field]
					for _, o := range []harness.Object{one, other} {
						if o[field] == nil {
							delete(o, field)
						}
					}
				}
				return one.Identity() + " and " + other.Identity(), true
			}
		}
		return "", false
	}},
	{name: "an object of the same name in another namespace", neutral: true, rearranges: true, apply: func(d *gen.Dice, p *consumerPackage) (string, bool) {
		for _, i := range d.Perm(len(p.documents)) {
			o := p.documents[i].value
			if slices.Contains([]string{"ConfigMap", "Secret"}, o.Kind()) {
				twin := harness.Object{"apiVersion": "v1", "kind": o.Kind(), "metadata": map[string]any{"name": o.Name(), "namespace": "team-b"}, "data": map[string]any{"a": "dHdpbg=="}}
				p.documents = append(p.documents, &styledDocument{value: twin, style: d.Seed()})
				return twin.Identity(), true
			}
		}
		return "", false
	}},
	{name: "a removed object", rearranges: true, apply: func(d *gen.Dice, p *consumerPackage) (string, bool) {
		text := p.text()
		for _, i := range d.Perm(len(p.documents)) {
			o := p.documents[i].value
			stamped := strings.Contains(text, "/"+strings.ToLower(o.Kind())+"."+o.Name()) // an old annotation is removed with its object
			if sourceKinds[o.Kind()] != "" && !stamped {
				p.documents = slices.Delete(p.documents, i, i+1)
				return o.Identity(), true
			}
		}
		return "", false
	}},
	{name: "a workload less", neutral: true, rearranges: true, apply: func(d *gen.Dice, p *consumerPackage) (string, bool) {
		for _, i := range d.Perm(len(p.documents)) {
			if o := p.documents[i].value; len(p.spec.rollingTemplates(o)) > 0 {
				p.documents = slices.Delete(p.documents, i, i+1)
				return o.Identity(), true
			}
		}
		return "", false
	}},
}

// isWritable reports whether a text can be quoted in YAML.
func isWritable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r == '\ufffd' }) && strings.ToValidUTF8(text, "") == text
}
