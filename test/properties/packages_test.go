package properties_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/harness"
)

// A plainPackage is a random package of resources, as text and with the text's meaning.
type plainPackage struct {
	documents []*document
	form      form
	// style is the seed of its style.
	style uint64
	crlf  bool
	// anchors: it has anchors and aliases. An edited part may then be encoded again.
	anchors bool
}

// form is the form of a package.
type form int

const (
	resourceList     form = iota // a ResourceList in block style
	flowResourceList             // a ResourceList whose items are in flow style
	jsonResourceList             // a ResourceList in JSON
	stream                       // documents, to be filtered
	kindList                     // a List, to be filtered
	jsonStream                   // documents in JSON, to be filtered
	formCount
)

func (f form) isList() bool { return f <= jsonResourceList }
func (f form) isJSON() bool { return f == jsonResourceList || f == jsonStream }

// A document is one resource. The leaves of its value are strings, numbers, booleans, bare and mention.
type document struct {
	value   harness.Object
	subject *subject // set if it is a ConfigMap or Secret
}

// A subject is a ConfigMap or Secret of a package.
type subject struct {
	kind, name, namespace string
	// referenced: something in the package refers to it.
	referenced bool
	// leftAlone: it is never renamed.
	leftAlone bool
	// token is a text that occurs only in its content.
	token string
}

// A mention is a string that contains the name of a subject.
type mention struct {
	before string
	of     *subject
	after  string
}

// A bare is a scalar that must be written without quotes, although YAML does not read it as a string.
type bare string

// names are the current names of subjects.
type names map[*subject]string

func (n names) of(s *subject) string {
	if name, ok := n[s]; ok {
		return name
	}
	return s.name
}

type packageGenerator struct {
	*gen.Dice
	subjects []*subject
}

func randomPackage(d *gen.Dice) *plainPackage {
	g := &packageGenerator{Dice: d}
	p := &plainPackage{form: form(g.IntN(int(formCount))), style: g.Seed(), crlf: g.Chance(10), anchors: g.Chance(15)}
	if p.form.isJSON() {
		p.crlf, p.anchors = false, false
	}
	for range g.Between(1, 7) {
		if s := g.subject(); s != nil {
			g.subjects = append(g.subjects, s)
			p.documents = append(p.documents, g.content(s, p.form.isJSON()))
		}
	}
	for range g.Between(0, 6) {
		p.documents = append(p.documents, &document{value: g.referrer()})
	}
	for _, bystander := range bystanders {
		if g.Chance(10) {
			p.documents = append(p.documents, &document{value: bystander})
		}
	}
	g.Shuffle(len(p.documents), func(i, j int) {
		p.documents[i], p.documents[j] = p.documents[j], p.documents[i]
	})
	return p
}

// bystanders are resources unrelated to any other, although they contain names that occur in the package.
var bystanders = []harness.Object{
	{"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "app"}, "spec": map[string]any{"selector": map[string]any{"app": "app"}}},
	{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "team-a"}},
	{
		"apiVersion": "kpt.dev/v1", "kind": "Kptfile",
		"metadata": map[string]any{"name": "app", "annotations": map[string]any{"config.kubernetes.io/local-config": "true"}},
		"pipeline": map[string]any{"mutators": []any{map[string]any{"configMap": map[string]any{"name": "app"}}}},
	},
	{
		"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"name": "app"},
		"metadata": map[string]any{"name": "setters", "annotations": map[string]any{"config.kubernetes.io/local-config": "true"}},
	},
}

// subject makes a ConfigMap or Secret with a unique name.
func (g *packageGenerator) subject() *subject {
	s := &subject{kind: "ConfigMap", token: g.Fresh("token") + "."}
	if g.Chance(45) {
		s.kind = "Secret"
	}
	s.name = gen.Pick(g.Dice, slices.Concat(configMapNames, secretNames))
	if g.Chance(60) {
		s.namespace = gen.Pick(g.Dice, namespaces)
	}
	for _, other := range g.subjects {
		if other.kind == s.kind && other.name == s.name && effective(other.namespace) == effective(s.namespace) {
			return nil
		}
	}
	s.leftAlone = g.Chance(12)
	return s
}

// effective returns the namespace in which an object is applied.
func effective(namespace string) string {
	if namespace == "" {
		return "default"
	}
	return namespace
}

// content makes the document of a subject.
func (g *packageGenerator) content(s *subject, asJSON bool) *document {
	metadata := map[string]any{"name": mention{of: s}}
	if s.namespace != "" {
		metadata["namespace"] = s.namespace
	}
	if g.Chance(30) {
		metadata["labels"] = map[string]any{"app": s.name, "note": g.text()}
	}
	annotations := map[string]any{}
	if g.Chance(20) {
		annotations["example.com/note"] = g.text()
	}
	if g.Chance(20) {
		annotations["internal.config.kubernetes.io/path"] = "dir/" + g.Fresh("file") + ".yaml"
		annotations["internal.config.kubernetes.io/index"] = "0"
	}
	value := harness.Object{"apiVersion": "v1", "kind": s.kind, "metadata": metadata}
	if s.kind == "Secret" {
		value["type"] = gen.Pick(g.Dice, []string{"Opaque", "kubernetes.io/tls", "kubernetes.io/basic-auth", "example.com/custom"})
		if s.leftAlone && g.Chance(50) {
			value["type"] = "kubernetes.io/service-account-token"
		} else if s.leftAlone {
			annotations["confighash.dev/ignore"] = "true"
		}
	} else if s.leftAlone {
		annotations["confighash.dev/ignore"] = "true"
	}
	if len(annotations) > 0 {
		metadata["annotations"] = annotations
	}
	data := map[string]any{"token": s.token}
	if s.kind == "Secret" && g.Chance(70) {
		data["token"] = wrappedBase64(s.token)
		s.token = wrappedBase64(s.token)
	}
	for range g.Between(0, 3) {
		data[gen.Pick(g.Dice, contentKeys)] = g.text()
	}
	if !asJSON && g.Chance(20) {
		data["bare"] = gen.Pick(g.Dice, []bare{"yes", "1e3", "0x1F", "010", "2001-01-01", "1_000", "on", ".5", "12:30:45", "No"})
	}
	value["data"] = data
	if s.kind == "Secret" && !strings.HasSuffix(s.token, "=") && g.Chance(50) {
		delete(value, "data")
		value["stringData"] = data
	}
	if g.Chance(10) {
		value["immutable"] = true
	}
	return &document{value: value, subject: s}
}

// text returns a value that the function must not change.
func (g *packageGenerator) text() string {
	if g.Chance(50) {
		return gen.Pick(g.Dice, gen.AwkwardTexts)
	}
	if g.Chance(10) {
		return gen.Pick(g.Dice, gen.LostTexts)
	}
	return g.Fresh("value")
}

// referrer makes a resource that refers to subjects.
func (g *packageGenerator) referrer() harness.Object {
	r := &referrers{Dice: g.Dice}
	if g.Chance(12) {
		return g.clusterScoped(r)
	}
	if g.Chance(60) {
		r.namespace = gen.Pick(g.Dice, namespaces)
	}
	r.name = func(kind string) any {
		return g.mention(func(s *subject) bool {
			return s.kind == kind && effective(s.namespace) == effective(r.namespace)
		})
	}
	if g.Chance(8) {
		return g.role(r, "Role")
	}
	o := r.namespaced()
	if o.Kind() == "Ingress" {
		return o
	}
	if g.Chance(10) {
		o = g.unknownToKustomize(r)
	}
	if g.Chance(20) {
		o["metadata"].(map[string]any)["annotations"] = map[string]any{"example.com/config": gen.Pick(g.Dice, configMapNames)}
	}
	return o
}

// mention refers to one of the subjects that fit, or to nothing.
func (g *packageGenerator) mention(fits func(*subject) bool) any {
	var fitting []*subject
	for _, s := range g.subjects {
		if fits(s) {
			fitting = append(fitting, s)
		}
	}
	if len(fitting) == 0 || g.Chance(5) {
		return g.Fresh("elsewhere")
	}
	s := gen.Pick(g.Dice, fitting)
	s.referenced = true
	return mention{of: s}
}

// unknownToKustomize makes a referrer whose references kustomize does not follow.
func (g *packageGenerator) unknownToKustomize(r *referrers) harness.Object {
	switch g.IntN(3) {
	case 0:
		return r.object("v1", "ServiceAccount", harness.Object{"secrets": []any{map[string]any{"name": r.name("Secret")}}})
	case 1:
		return r.object("v1", "ReplicationController", harness.Object{
			"spec": map[string]any{"template": map[string]any{"spec": r.podSpec()}},
		})
	}
	return r.object("v1", "Pod", harness.Object{"spec": map[string]any{
		"containers":          []any{},
		"ephemeralContainers": []any{r.container("debug")},
		"volumes": []any{map[string]any{"name": "v", "csi": map[string]any{
			"driver": "d", "nodePublishSecretRef": map[string]any{"name": r.name("Secret")},
		}}},
	}})
}

// clusterScoped makes a cluster-scoped referrer: it gives the namespace of its object, or there is only one object of
// the name.
func (g *packageGenerator) clusterScoped(r *referrers) harness.Object {
	secret := func() (name, namespace any) {
		m, ok := g.mention(func(s *subject) bool { return s.kind == "Secret" }).(mention)
		if !ok {
			return "elsewhere", "team-a"
		}
		return m, effective(m.of.namespace)
	}
	name, namespace := secret()
	switch g.IntN(4) {
	case 0:
		return r.object("v1", "PersistentVolume", harness.Object{"spec": map[string]any{
			"azureFile": map[string]any{"shareName": "s", "secretName": name, "secretNamespace": namespace},
		}})
	case 1:
		return r.object("v1", "PersistentVolume", harness.Object{"spec": map[string]any{"csi": map[string]any{
			"driver": "d", "volumeHandle": "h",
			"nodeStageSecretRef":         map[string]any{"name": name, "namespace": namespace},
			"controllerPublishSecretRef": map[string]any{"namespace": namespace, "name": name},
		}}})
	case 2:
		return r.object("storage.k8s.io/v1", "StorageClass", harness.Object{"provisioner": "p", "parameters": map[string]any{
			"csi.storage.k8s.io/provisioner-secret-name": name, "csi.storage.k8s.io/provisioner-secret-namespace": namespace,
		}})
	}
	return g.role(r, "ClusterRole")
}

// role makes a Role or ClusterRole. Its rules are about both kinds, so the names in it must be unique among the objects
// that it sees.
func (g *packageGenerator) role(r *referrers, kind string) harness.Object {
	sees := func(s *subject) bool {
		return kind == "ClusterRole" || effective(s.namespace) == effective(r.namespace)
	}
	r.name = func(kind string) any {
		return g.mention(func(s *subject) bool {
			return s.kind == kind && sees(s) && !slices.ContainsFunc(g.subjects, func(other *subject) bool {
				return other != s && other.name == s.name && sees(other)
			})
		})
	}
	return r.object("rbac.authorization.k8s.io/v1", kind, harness.Object{"rules": r.rules()})
}

// plain returns the meaning of a value for these names of subjects.
func plain(value any, n names) any {
	switch value := value.(type) {
	case harness.Object:
		return plain(map[string]any(value), n)
	case map[string]any:
		m := make(map[string]any, len(value))
		for key, child := range value {
			m[key] = plain(child, n)
		}
		return m
	case []any:
		list := make([]any, len(value))
		for i, child := range value {
			list[i] = plain(child, n)
		}
		return list
	case mention:
		return value.before + n.of(value.of) + value.after
	default:
		return value
	}
}

// text writes a package with these names of subjects. For the same package and style, texts differ only in the names.
func (p *plainPackage) text(n names) string {
	w := &packageWriter{Dice: gen.Seeded(p.style), names: n, json: p.form.isJSON(), anchors: p.anchors}
	w.indent, w.compact = w.Between(1, 4), w.Chance(50)
	w.comments = !w.json && w.Chance(70)
	w.pretty = w.Chance(60)
	var b strings.Builder
	switch p.form {
	case resourceList:
		w.known = map[string]string{}
		b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n")
		before := w.Chance(50)
		if before {
			b.WriteString(packageFunctionConfig)
		}
		b.WriteString("items:")
		if len(p.documents) == 0 {
			b.WriteString(" []")
		}
		b.WriteString("\n")
		outer := strings.Repeat(" ", w.IntN(2)*2)
		for _, d := range p.documents {
			w.comment(&b, len(outer))
			b.WriteString(outer + "-" + w.element(map[string]any(d.value), len(outer)))
		}
		if !before {
			b.WriteString(packageFunctionConfig)
		}
	case flowResourceList, jsonResourceList:
		list := map[string]any{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "functionConfig": map[string]any{
			"apiVersion": "confighash.dev/v1alpha1", "kind": "ConfigHash", "metadata": map[string]any{"name": "roll"},
			"spec": map[string]any{"mode": "Rename", "rename": map[string]any{"readByName": "Rename"}},
		}}
		items := []any{}
		for _, d := range p.documents {
			items = append(items, map[string]any(d.value))
		}
		if p.form == jsonResourceList {
			list["items"] = items
			b.WriteString(w.flow(list, 0) + "\n")
			break
		}
		w.known = map[string]string{}
		b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n" + packageFunctionConfig)
		b.WriteString("items: " + w.flow(items, 0) + "\n")
	case kindList:
		w.known = map[string]string{}
		b.WriteString("apiVersion: v1\nkind: List\nitems:")
		if len(p.documents) == 0 {
			b.WriteString(" []\n")
			break
		}
		b.WriteString("\n")
		for _, d := range p.documents {
			b.WriteString("-" + w.element(map[string]any(d.value), 0))
		}
	case stream:
		for i, d := range p.documents {
			w.known = map[string]string{}
			if i > 0 || w.Chance(50) {
				b.WriteString("---\n")
			}
			w.comment(&b, 0)
			b.WriteString(w.mapping(d.value, 0))
		}
	case jsonStream:
		for i, d := range p.documents {
			if i > 0 {
				b.WriteString("---\n")
			}
			b.WriteString(w.flow(map[string]any(d.value), 0) + "\n")
		}
	}
	text := b.String()
	if p.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

const packageFunctionConfig = "functionConfig:\n  apiVersion: confighash.dev/v1alpha1\n  kind: ConfigHash\n" +
	"  metadata: {name: roll}\n  spec:\n    mode: Rename # as ever\n    rename: {readByName: Rename}\n"

// A packageWriter writes values in random style. Its choices do not depend on the names of subjects.
type packageWriter struct {
	*gen.Dice
	names    names
	json     bool
	comments bool
	anchors  bool
	// pretty: flow collections span several lines.
	pretty bool
	// compact: the dashes of a sequence are aligned with its key.
	compact bool
	indent  int
	// known are the anchors of the current document by the text that they mark.
	known map[string]string
}

// mapping writes a mapping in block style.
func (w *packageWriter) mapping(m map[string]any, indent int) string {
	var b strings.Builder
	for _, key := range w.keys(m) {
		w.comment(&b, indent)
		b.WriteString(strings.Repeat(" ", indent) + w.key(key) + ":" + w.value(m[key], indent, key == "metadata"))
	}
	return b.String()
}

// keys returns the keys of a mapping: in the usual order, or shuffled.
func (w *packageWriter) keys(m map[string]any) []string {
	keys := slices.Sorted(maps.Keys(m))
	if w.Chance(15) {
		w.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		return keys
	}
	rank := func(key string) int {
		return slices.Index([]string{"name", "metadata", "kind", "apiVersion"}, key)
	}
	slices.SortStableFunc(keys, func(a, b string) int { return rank(b) - rank(a) })
	return keys
}

func (w *packageWriter) key(key string) string {
	return w.string(key, key)
}

// value writes the text after a key's colon, up to the end of the line or of the value.
func (w *packageWriter) value(value any, indent int, isMetadata bool) string {
	switch value := value.(type) {
	case map[string]any:
		if len(value) == 0 || w.Chance(8) {
			return " " + w.flow(value, indent+1) + w.behind()
		}
		remark := w.behind()
		if isMetadata && w.Chance(20) {
			remark = " # kpt-merge: team-a/app\n"
		}
		return remark + w.mapping(value, indent+w.indent)
	case []any:
		if len(value) == 0 || w.Chance(8) {
			return " " + w.flow(value, indent+1) + w.behind()
		}
		var b strings.Builder
		b.WriteString(w.behind())
		if !w.compact {
			indent += w.indent
		}
		for _, child := range value {
			w.comment(&b, indent)
			b.WriteString(strings.Repeat(" ", indent) + "-" + w.element(child, indent))
		}
		return b.String()
	case string:
		if strings.HasSuffix(value, "\n") && w.Chance(60) && canBeLiteral(value) {
			body := strings.TrimSuffix(value, "\n")
			pad := strings.Repeat(" ", indent+w.indent)
			var b strings.Builder
			b.WriteString(" |\n")
			for line := range strings.SplitSeq(body, "\n") {
				if line != "" {
					b.WriteString(pad + line)
				}
				b.WriteString("\n")
			}
			return b.String()
		}
	}
	return " " + w.scalar(value) + w.behind()
}

// element writes the text after the dash of a sequence at indent.
func (w *packageWriter) element(value any, indent int) string {
	m, ok := value.(map[string]any)
	if !ok || len(m) == 0 || w.Chance(5) {
		if ok {
			return " " + w.flow(value, indent+1) + w.behind()
		}
		return w.value(value, indent, false)
	}
	spaces := strings.Repeat(" ", w.Between(1, 3))
	text := ""
	for i, key := range w.keys(m) {
		pad := strings.Repeat(" ", indent+1) + spaces
		if i == 0 {
			pad = spaces
		}
		text += pad + w.key(key) + ":" + w.value(m[key], indent+1+len(spaces), key == "metadata")
	}
	return text
}

// flow writes a value in flow style. Further lines begin at least at indent.
func (w *packageWriter) flow(value any, indent int) string {
	space, colon, open, next := "", ": ", "", ", "
	if w.pretty {
		indent += 2
		open = "\n" + strings.Repeat(" ", indent)
		next = "," + open
		space = "\n" + strings.Repeat(" ", indent-1)
	} else if w.json {
		colon, next = ":", ","
	}
	var parts []string
	begin, end := "{", "}"
	switch value := value.(type) {
	case map[string]any:
		for _, key := range w.keys(value) {
			written := w.key(key)
			parts = append(parts, written+colon+w.flow(value[key], indent))
		}
	case []any:
		begin, end = "[", "]"
		for _, child := range value {
			parts = append(parts, w.flow(child, indent))
		}
	default:
		return w.scalar(value)
	}
	if len(parts) == 0 {
		return begin + end
	}
	return begin + open + strings.Join(parts, next) + space + end
}

func (w *packageWriter) scalar(value any) string {
	switch value := value.(type) {
	case mention:
		now := value.before + w.names.of(value.of) + value.after
		return w.string(value.before+value.of.name+value.after, now)
	case string:
		if w.anchors && w.known != nil && value != "" {
			if anchor, ok := w.known[value]; ok && w.Chance(50) {
				return "*" + anchor + " "
			}
			if _, ok := w.known[value]; !ok && w.Chance(10) {
				anchor := fmt.Sprintf("a%d", len(w.known))
				w.known[value] = anchor
				return "&" + anchor + " " + w.string(value, value)
			}
		}
		return w.string(value, value)
	case bare:
		return string(value)
	default:
		return fmt.Sprint(value)
	}
}

var plainInBlock = regexp.MustCompile(`^[A-Za-z_/][-A-Za-z0-9_./@+=]*( [-A-Za-z0-9_./@+=]+)*$`)

// string writes now in a style that is valid for before, which is of the same kind.
func (w *packageWriter) string(before, now string) string {
	style := w.IntN(10)
	if w.json {
		style = 9
	}
	reserved := slices.Contains([]string{"true", "false", "yes", "no", "on", "off", "y", "n", "null"}, strings.ToLower(before))
	switch {
	case style < 7 && plainInBlock.MatchString(before) && !reserved:
		return now
	case style < 9 && isSingleLine(before):
		return "'" + strings.ReplaceAll(now, "'", "''") + "'"
	}
	quoted, err := json.Marshal(now)
	if err != nil || !utf8.ValidString(now) {
		panic(fmt.Sprintf("cannot quote %q: %v", now, err))
	}
	return yamlInJSON.Replace(string(quoted))
}

// yamlInJSON escapes characters that encoding/json leaves unescaped and YAML reads differently.
var yamlInJSON = strings.NewReplacer("\x7f", `\u007f`, "\u0085", `\u0085`, "\ufeff", `\ufeff`)

// isSingleLine reports whether a text can be single-quoted on one line.
func isSingleLine(text string) bool {
	for _, r := range text {
		if r < ' ' || r == 0x7f || r == 0x85 || r == 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == '\U0010ffff' {
			return false
		}
	}
	return true
}

// canBeLiteral reports whether a text can be a literal block scalar.
func canBeLiteral(text string) bool {
	if strings.Trim(text, "\n") == "" || strings.HasPrefix(text, "\n") || strings.HasSuffix(text, "\n\n") {
		return false
	}
	for line := range strings.SplitSeq(text, "\n") {
		if !isSingleLine(line) || strings.HasPrefix(line, " ") || strings.TrimSpace(line) != line {
			return false
		}
	}
	return true
}

var remarks = []string{"app", "the ConfigMap app", "name: app", "confighash.dev", "größe", "'", "a \"quote\"", "# twice", "---"}

// comment sometimes writes comments and blank lines between lines.
func (w *packageWriter) comment(b *strings.Builder, indent int) {
	if !w.comments {
		return
	}
	if w.Chance(4) {
		b.WriteString("\n")
	}
	if w.Chance(6) {
		fmt.Fprintf(b, "%s# %s\n", strings.Repeat(" ", indent), gen.Pick(w.Dice, remarks))
	}
}

// behind ends a line, sometimes with a comment.
func (w *packageWriter) behind() string {
	if w.comments && w.Chance(10) {
		return strings.Repeat(" ", w.Between(1, 3)) + "# " + gen.Pick(w.Dice, remarks) + "\n"
	}
	return "\n"
}
