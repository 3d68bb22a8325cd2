package properties_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/harness"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// A tree is a tree of kustomizations. It can be built in several ways, which must have the same result.
type tree struct {
	root *layer
	// wrapped: there are layers around the outermost one that lists the function.
	wrapped bool
	// repeated: layers within the outermost one that lists the function list it too.
	repeated bool
}

// A layer is a directory with a kustomization. Two layers with the same base build two variants of it.
type layer struct {
	dir                       string
	bases                     []*layer
	prefix, suffix, namespace string
	labels                    map[string]string
	contents                  []*content
	referrers                 []harness.Object
	patches                   []patch
	function                  bool
	// outside: neither this layer nor one around it lists the function.
	outside bool
}

// A content is a ConfigMap or Secret that kustomize generates, or what an outer layer's generator merges into one.
type content struct {
	kind, name, namespace string
	secretType            string
	values                []value
	labels, annotations   map[string]string
	immutable             bool
	behavior              string
	// noSuffix: its generator turns the suffix off.
	noSuffix bool
	// generator: it is always made by a generator; otherwise it is a resource in builds with the function.
	generator bool
	// style is the seed of a resource's style.
	style uint64
}

// A value is one key of a content.
type value struct {
	key, text string
	source    string // file, literal or env
}

// A patch changes an object of a base by strategic merge.
type patch struct {
	kind, name string
	body       map[string]any
}

// A way is a way to build a tree.
type way struct {
	name string
	// resources: contents are plain resources, except for those that stay with a generator.
	resources bool
	// spec is the spec of the function where it is listed; empty for none.
	spec string
	// forget: kustomize forgets the earlier names of renamed objects.
	forget bool
}

// target is the identity of a ConfigMap or Secret for references.
type target struct{ kind, name string }

func randomTree(d *gen.Dice) *tree {
	g := &treeGenerator{Dice: d}
	// kustomize rewrites resourceNames regardless of resources. A tree has either such rules or names shared by both
	// kinds.
	g.shareNames = g.Chance(30)
	t := &tree{root: g.layer(g.Between(0, 2))}
	t.root.function = true
	if g.Chance(25) {
		for _, l := range t.layers() {
			if l != t.root && g.Chance(50) {
				l.function, t.repeated = true, true
			}
		}
	}
	if g.Chance(25) {
		t.wrapped = true
		t.root = g.around(t.root)
	}
	return t
}

// layers returns all layers without duplicates, bases first.
func (t *tree) layers() []*layer {
	var all []*layer
	var visit func(*layer)
	visit = func(l *layer) {
		if slices.Contains(all, l) {
			return
		}
		for _, base := range l.bases {
			visit(base)
		}
		all = append(all, l)
	}
	visit(t.root)
	return all
}

type treeGenerator struct {
	*gen.Dice
	shareNames bool
}

var (
	configMapNames = []string{"app", "app-config", "web.config", "env", "1e3", "null"}
	secretNames    = []string{"app-secret", "db", "tls.cert", "registry", "0x1f", "true"}
	namespaces     = []string{"team-a", "team-b", "default", "yes"}
	prefixes       = []string{"dev-", "prod-", "p-", "a.", "1-"}
	suffixes       = []string{"-eu", "-v2", ".s", "-1"}
)

// layer makes a layer with depth layers of bases beneath it.
func (g *treeGenerator) layer(depth int) *layer {
	l := &layer{dir: g.Fresh("layer")}
	if depth > 0 {
		for range g.Between(1, 2) {
			base := g.layer(depth - 1)
			l.bases = append(l.bases, base)
			if g.Chance(40) {
				l.bases = append(l.bases[:len(l.bases)-1], g.variants(base)...)
			}
		}
		g.adornments(l)
	} else if g.Chance(30) {
		g.adornments(l)
	}
	g.fill(l, depth == 0)
	if depth > 0 {
		g.overlay(l)
	}
	return l
}

// variants puts two layers on one base, with at least one difference.
func (g *treeGenerator) variants(base *layer) []*layer {
	one := &layer{dir: g.Fresh("variant"), bases: []*layer{base}}
	other := &layer{dir: g.Fresh("variant"), bases: []*layer{base}}
	switch g.IntN(4) {
	case 0:
		one.prefix, other.prefix = "dev-", "prod-"
	case 1:
		one.suffix, other.suffix = "-eu", "-us"
	case 2:
		one.namespace, other.namespace = "team-a", "team-b"
	default:
		one.prefix, other.prefix = "dev-", "prod-"
		one.namespace = gen.Pick(g.Dice, namespaces)
		other.namespace = gen.Pick(g.Dice, namespaces)
	}
	for _, l := range []*layer{one, other} {
		if g.Chance(40) {
			g.fill(l, false)
		}
		g.overlay(l)
	}
	return []*layer{one, other}
}

// around puts one layer, or two variants, around core. Their own contents stay with generators, and they add no name
// suffix, which would come after the hash.
func (g *treeGenerator) around(core *layer) *layer {
	outer := &layer{dir: g.Fresh("around"), bases: []*layer{core}}
	if g.Chance(40) {
		outer.bases = g.variants(core)
		for _, l := range outer.bases {
			if l.suffix != "" {
				l.prefix, l.suffix = strings.TrimPrefix(l.suffix, "-")+"-", ""
			}
		}
	}
	g.adornments(outer)
	outer.suffix = ""
	for _, l := range append(slices.Clone(outer.bases), outer) {
		l.outside = l != core
	}
	g.fill(outer, false)
	for _, l := range append(slices.Clone(outer.bases), outer) {
		if !l.outside {
			continue
		}
		l.contents = slices.DeleteFunc(l.contents, func(c *content) bool { return c.behavior != "" })
		l.patches = slices.DeleteFunc(l.patches, func(p patch) bool { return p.kind == "ConfigMap" || p.kind == "Secret" })
	}
	return outer
}

func (g *treeGenerator) adornments(l *layer) {
	if g.Chance(50) {
		l.prefix = gen.Pick(g.Dice, prefixes)
	}
	if g.Chance(30) {
		l.suffix = gen.Pick(g.Dice, suffixes)
	}
	if g.Chance(30) {
		l.namespace = gen.Pick(g.Dice, namespaces)
	}
	if g.Chance(30) {
		l.labels = map[string]string{"team": gen.Pick(g.Dice, awkwardLabels)}
	}
}

var awkwardLabels = []string{"web", "1e3", "true", "null", ""}

// fill adds contents and referrers to a layer.
func (g *treeGenerator) fill(l *layer, base bool) {
	contents, referrers := g.Between(0, 2), g.Between(0, 2)
	if base {
		contents, referrers = g.Between(1, 4), g.Between(1, 4)
	}
	taken := map[target]bool{}
	for _, t := range beneath(l) {
		taken[t] = true
	}
	for range contents {
		c := g.content()
		if id := (target{c.kind, c.name}); taken[id] && !g.Chance(5) {
			c.name = g.Fresh(c.name)
		}
		taken[target{c.kind, c.name}] = true
		l.contents = append(l.contents, c)
	}
	known := beneath(l)
	for range referrers {
		l.referrers = append(l.referrers, g.referrers(known).any())
	}
}

// overlay adds changes of its bases to a layer.
func (g *treeGenerator) overlay(l *layer) {
	known := map[target]int{}
	for _, t := range beneath(l) {
		known[t]++
	}
	for _, base := range l.bases {
		for _, c := range base.contents {
			if known[target{c.kind, c.name}] == 1 && c.behavior == "" && !c.noSuffix && g.Chance(15) {
				merged := g.content()
				merged.kind, merged.name, merged.namespace, merged.secretType = c.kind, c.name, c.namespace, c.secretType
				merged.behavior, merged.generator, merged.noSuffix = gen.Pick(g.Dice, []string{"merge", "replace"}), true, false
				merged.annotations, merged.immutable = nil, false
				l.contents = append(l.contents, merged)
			}
			if c.kind == "ConfigMap" && g.Chance(10) {
				l.patches = append(l.patches, patch{c.kind, c.name, map[string]any{
					"data": map[string]any{"patched": gen.Pick(g.Dice, gen.AwkwardTexts)},
				}})
			}
		}
		for _, r := range base.referrers {
			if r.Kind() != "Deployment" || !g.Chance(20) {
				continue
			}
			env := map[string]any{"name": "PATCHED", "valueFrom": g.referrers(beneath(l)).keyReference()}
			l.patches = append(l.patches, patch{"Deployment", r.Name(), map[string]any{
				"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
					"containers": []any{map[string]any{"name": "main", "env": []any{env}}},
				}}},
			}})
		}
	}
}

// beneath returns the possible targets of a layer's references: the contents of the layer and of all beneath it by
// their original names, and sometimes by their names in between.
func beneath(l *layer) []target {
	var found []target
	for _, base := range l.bases {
		for _, t := range beneath(base) {
			found = append(found, t)
			// Around the function, an object never has a name without its hash.
			if now := base.prefix + t.name + base.suffix; now != t.name && !base.outside {
				found = append(found, target{t.kind, now})
			}
		}
	}
	for _, c := range l.contents {
		found = append(found, target{c.kind, c.name})
	}
	return found
}

func (g *treeGenerator) content() *content {
	c := &content{kind: "ConfigMap", style: g.Seed()}
	names := configMapNames
	if g.Chance(45) {
		c.kind, names = "Secret", secretNames
	}
	if g.shareNames {
		names = slices.Concat(configMapNames, secretNames)
	}
	c.name = gen.Pick(g.Dice, names)
	if g.Chance(15) {
		c.namespace = gen.Pick(g.Dice, namespaces)
	}
	var keys []string
	if c.kind == "Secret" {
		c.secretType = gen.Pick(g.Dice, []string{
			"", "Opaque", "kubernetes.io/tls", "kubernetes.io/dockerconfigjson", "kubernetes.io/dockercfg",
			"kubernetes.io/basic-auth", "kubernetes.io/ssh-auth", "example.com/custom", "1e3",
		})
		keys = secretKeys[c.secretType]
	}
	for range g.Between(0, 3) {
		keys = append(keys, gen.Pick(g.Dice, contentKeys))
	}
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		c.values = append(c.values, g.value(key))
	}
	if g.Chance(20) {
		c.labels = map[string]string{"app": gen.Pick(g.Dice, awkwardLabels)}
	}
	if g.Chance(20) {
		c.annotations = map[string]string{"example.com/note": gen.Pick(g.Dice, gen.AwkwardTexts)}
	}
	c.immutable = g.Chance(10)
	c.generator = g.Chance(15)
	if c.noSuffix = g.Chance(10); c.noSuffix && !c.generator {
		if c.annotations == nil {
			c.annotations = map[string]string{}
		}
		c.annotations["confighash.dev/ignore"] = "true"
	}
	return c
}

var secretKeys = map[string][]string{
	"kubernetes.io/tls":              {"tls.crt", "tls.key"},
	"kubernetes.io/dockerconfigjson": {".dockerconfigjson"},
	"kubernetes.io/dockercfg":        {".dockercfg"},
	"kubernetes.io/basic-auth":       {"username", "password"},
	"kubernetes.io/ssh-auth":         {"ssh-privatekey"},
}

// contentKeys has no key such as 1e3: kustomize's generators cannot write them.
var contentKeys = []string{
	"key", "KEY", "app.properties", "a.b", "config.yaml", "UPPER_CASE", "_", "-", "yes", "on", "1_000.x", ".hidden", "data", "name", "patched",
}

func (g *treeGenerator) value(key string) value {
	v := value{key: key, source: "file"}
	switch roll := g.IntN(100); {
	case roll < 10:
		v.text = gen.Pick(g.Dice, gen.BinaryTexts)
	case roll < 70:
		v.text = gen.Pick(g.Dice, gen.AwkwardTexts)
	case roll < 80:
		v.text = strings.Repeat(gen.Pick(g.Dice, gen.AwkwardTexts)+"\n", g.Between(2, 9))
		// kustomize's generators cannot print lines that begin with a tab.
		v.text = strings.ReplaceAll(v.text, "\t", "")
	default:
		v.text = g.Fresh("value")
	}
	if !utf8.ValidString(v.text) {
		return v
	}
	quoted := len(v.text) > 1 && v.text[0] == v.text[len(v.text)-1] && strings.ContainsAny(v.text[:1], `"'`)
	switch {
	case g.Chance(30) && !quoted:
		v.source = "literal"
	case g.Chance(30) && !strings.ContainsAny(v.text, "\r\n") && isEnvironmentName(key):
		v.source = "env"
	}
	return v
}

func isEnvironmentName(key string) bool {
	return strings.Trim(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_") == ""
}

// name picks a name for a reference to an object of the kind, mostly an existing one.
func (g *treeGenerator) name(kind string, known []target) string {
	var names []string
	for _, t := range known {
		if t.kind == kind {
			names = append(names, t.name)
		}
	}
	if len(names) == 0 || g.Chance(5) {
		return g.Fresh("elsewhere")
	}
	return gen.Pick(g.Dice, names)
}

// referrers makes objects that refer to known targets.
func (g *treeGenerator) referrers(known []target) *referrers {
	r := &referrers{Dice: g.Dice, rbac: !g.shareNames, name: func(kind string) any { return g.name(kind, known) }}
	if g.Chance(15) {
		r.namespace = gen.Pick(g.Dice, namespaces)
	}
	return r
}

// files writes the tree for a way to build it. The directory to build is the root's.
func (t *tree) files(w way) (harness.Files, error) {
	f := harness.Files{}
	covered := t.covered()
	for _, l := range t.layers() {
		if err := l.files(f, w, covered[l]); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// covered reports for each layer whether the function processes its content on every path to the root.
func (t *tree) covered() map[*layer]bool {
	covered := map[*layer]bool{}
	var visit func(l *layer, above bool)
	visit = func(l *layer, above bool) {
		above = above || l.function
		if before, seen := covered[l]; seen {
			above = above && before
		}
		covered[l] = above
		for _, base := range l.bases {
			visit(base, above)
		}
	}
	visit(t.root, false)
	return covered
}

func (l *layer) files(f harness.Files, w way, covered bool) error {
	kustomization := map[string]any{"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
	resources := []any{}
	for _, base := range l.bases {
		resources = append(resources, path.Join("..", base.dir))
	}
	for i, referrer := range l.referrers {
		text, err := yaml.Marshal(referrer)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("referrer-%d.yaml", i)
		f[path.Join(l.dir, name)] = string(text)
		resources = append(resources, name)
	}
	generators := map[string][]any{}
	for i, c := range l.contents {
		// kustomize must not find a generated object by an earlier name if it has forgotten that others had that name
		// too.
		generator := c.generator && (!w.forget || c.behavior != "")
		if w.resources && covered && !generator {
			name := fmt.Sprintf("content-%d.yaml", i)
			text, err := c.resource()
			if err != nil {
				return err
			}
			f[path.Join(l.dir, name)] = text
			resources = append(resources, name)
			continue
		}
		field := map[string]string{"ConfigMap": "configMapGenerator", "Secret": "secretGenerator"}[c.kind]
		generators[field] = append(generators[field], c.generate(f, l.dir, fmt.Sprintf("content-%d", i)))
	}
	for field, list := range generators {
		kustomization[field] = list
	}
	if len(resources) > 0 {
		kustomization["resources"] = resources
	}
	for field, text := range map[string]string{"namePrefix": l.prefix, "nameSuffix": l.suffix, "namespace": l.namespace} {
		if text != "" {
			kustomization[field] = text
		}
	}
	if l.labels != nil {
		kustomization["labels"] = []any{map[string]any{"pairs": l.labels}}
	}
	patches := []any{}
	for _, p := range l.patches {
		body := map[string]any{"apiVersion": "v1", "kind": p.kind, "metadata": map[string]any{"name": p.name}}
		maps.Copy(body, p.body)
		text, err := yaml.Marshal(body)
		if err != nil {
			return err
		}
		patches = append(patches, map[string]any{"patch": string(text), "target": map[string]any{"kind": p.kind, "name": "^" + p.name + "$"}})
	}
	if len(patches) > 0 {
		kustomization["patches"] = patches
	}
	if w.spec != "" && l.function {
		f[path.Join(l.dir, "confighash.yaml")] = harness.FunctionConfig(w.spec)
		transformers := []any{"confighash.yaml"}
		if w.forget {
			config, err := harness.ForgetConfig()
			if err != nil {
				return err
			}
			f[path.Join(l.dir, "forget.yaml")] = config
			transformers = append(transformers, "forget.yaml")
		}
		kustomization["transformers"] = transformers
	}
	text, err := yaml.Marshal(kustomization)
	if err != nil {
		return err
	}
	f[path.Join(l.dir, "kustomization.yaml")] = string(text)
	return nil
}

// generate returns the entry of configMapGenerator or secretGenerator for c, and adds the files it reads, named after
// stem.
func (c *content) generate(f harness.Files, dir, stem string) map[string]any {
	entry := map[string]any{"name": c.name}
	if c.namespace != "" {
		entry["namespace"] = c.namespace
	}
	if c.secretType != "" {
		entry["type"] = c.secretType
	}
	if c.behavior != "" {
		entry["behavior"] = c.behavior
	}
	var literals, fromFiles []any
	var env strings.Builder
	for i, v := range c.values {
		switch v.source {
		case "literal":
			literals = append(literals, v.key+"="+v.text)
		case "env":
			env.WriteString(v.key + "=" + v.text + "\n")
		default:
			name := fmt.Sprintf("%s-%d", stem, i)
			f[path.Join(dir, name)] = v.text
			fromFiles = append(fromFiles, v.key+"="+name)
		}
	}
	if literals != nil {
		entry["literals"] = literals
	}
	if fromFiles != nil {
		entry["files"] = fromFiles
	}
	if env.Len() > 0 {
		f[path.Join(dir, stem+".env")] = env.String()
		entry["envs"] = []any{stem + ".env"}
	}
	options := map[string]any{}
	if c.labels != nil {
		options["labels"] = c.labels
	}
	if c.annotations != nil {
		options["annotations"] = c.annotations
	}
	if c.immutable {
		options["immutable"] = true
	}
	if c.noSuffix {
		options["disableNameSuffixHash"] = true
	}
	if len(options) > 0 {
		entry["options"] = options
	}
	return entry
}

// resource writes the object that c's generator makes, without its suffix.
func (c *content) resource() (string, error) {
	metadata := map[string]any{"name": c.name}
	if c.namespace != "" {
		metadata["namespace"] = c.namespace
	}
	if c.labels != nil {
		metadata["labels"] = c.labels
	}
	if c.annotations != nil {
		metadata["annotations"] = c.annotations
	}
	o := map[string]any{"apiVersion": "v1", "kind": c.kind, "metadata": metadata}
	if c.immutable {
		o["immutable"] = true
	}
	fields := map[string]map[string]string{"data": {}, "binaryData": {}}
	for _, v := range c.values {
		switch {
		case c.kind == "Secret":
			fields["data"][v.key] = wrappedBase64(v.text)
		case utf8.ValidString(v.text):
			fields["data"][v.key] = v.text
		default:
			fields["binaryData"][v.key] = wrappedBase64(v.text)
		}
	}
	if len(fields["data"]) > 0 || c.kind == "Secret" {
		o["data"] = fields["data"]
	}
	if len(fields["binaryData"]) > 0 {
		o["binaryData"] = fields["binaryData"]
	}
	if c.kind == "Secret" {
		o["type"] = c.secretType
		if c.secretType == "" {
			o["type"] = "Opaque"
		}
	}
	return restyled(o, gen.Seeded(c.style))
}

// wrappedBase64 encodes like kustomize's generators: text that is too long for one line in lines of 70 characters, each
// followed by a line feed.
func wrappedBase64(text string) string {
	const width = 70
	encoded := base64.StdEncoding.EncodeToString([]byte(text))
	if len(encoded) < width {
		return encoded
	}
	var b strings.Builder
	for line := range slices.Chunk([]byte(encoded), width) {
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// restyled encodes a value with each scalar in a random style.
func restyled(value any, d *gen.Dice) (string, error) {
	text, err := yamlv3.Marshal(styled(value, d))
	if err != nil {
		return "", err
	}
	return string(text), nil
}

// styled returns the node of a value. If a style does not preserve a scalar, it uses double quotes.
func styled(value any, d *gen.Dice) *yamlv3.Node {
	switch value := value.(type) {
	case map[string]any:
		node := &yamlv3.Node{Kind: yamlv3.MappingNode}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			node.Content = append(node.Content, &yamlv3.Node{Kind: yamlv3.ScalarNode, Tag: "!!str", Value: key}, styled(value[key], d))
		}
		if len(node.Content) > 0 && d.Chance(10) {
			node.Style = yamlv3.FlowStyle
		}
		return node
	case map[string]string:
		wider := make(map[string]any, len(value))
		for key, text := range value {
			wider[key] = text
		}
		return styled(wider, d)
	case bool:
		return &yamlv3.Node{Kind: yamlv3.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(value)}
	case string:
		node := &yamlv3.Node{Kind: yamlv3.ScalarNode, Tag: "!!str", Value: value}
		node.Style = gen.Pick(d, []yamlv3.Style{
			0, yamlv3.SingleQuotedStyle, yamlv3.DoubleQuotedStyle, yamlv3.LiteralStyle, yamlv3.FoldedStyle,
		})
		text, err := yamlv3.Marshal(node)
		var back string
		if err == nil {
			err = yamlv3.Unmarshal(text, &back)
		}
		if err != nil || back != value {
			node.Style = yamlv3.DoubleQuotedStyle
		}
		return node
	default:
		panic(fmt.Sprintf("no content holds a %T", value))
	}
}
