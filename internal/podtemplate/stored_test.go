//go:build cluster

package podtemplate

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// These tests compare this package's results for pairs of templates with kube-apiserver's code, in the program
// test/cluster/kubernetes/stored.

// A pair is the program's input, an answer its output.
type (
	pair struct {
		Old string `json:"old"`
		New string `json:"new"`
	}
	answer struct {
		OldError  string          `json:"oldError"`
		NewError  string          `json:"newError"`
		Same      bool            `json:"same"`
		Identical bool            `json:"identical"`
		Dropped   bool            `json:"dropped"`
		Stored    json.RawMessage `json:"stored"`
	}
)

// ask returns the program's answers for all pairs.
func ask(t *testing.T, pairs []pair) []answer {
	t.Helper()
	program := filepath.Join(t.TempDir(), "stored")
	build := exec.Command("go", "build", "-trimpath", "-o", program, "./stored")
	build.Dir = filepath.Join("..", "..", "test", "cluster", "kubernetes")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build ./stored: %v\n%s", err, out)
	}
	run := exec.CommandContext(t.Context(), program)
	run.Stderr = os.Stderr
	in, err := run.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	asked := make(chan error, 1)
	go func() {
		w := bufio.NewWriter(in)
		encoder := json.NewEncoder(w)
		for _, p := range pairs {
			if err := encoder.Encode(p); err != nil {
				asked <- err
				return
			}
		}
		if err := w.Flush(); err != nil {
			asked <- err
			return
		}
		asked <- in.Close()
	}()
	answers := make([]answer, len(pairs))
	decoder := json.NewDecoder(bufio.NewReader(out))
	for i := range answers {
		if err := decoder.Decode(&answers[i]); err != nil {
			t.Fatalf("the answer for pair %d: %v\n%+v", i, err, pairs[i])
		}
	}
	if err := <-asked; err != nil {
		t.Fatal(err)
	}
	if err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	return answers
}

// A tally counts outcomes, so that a test without any relevant case fails.
type tally struct {
	same, respelled, different, refused, failed int
	unknown                                     map[string]bool // fields that this version of Kubernetes does not know
}

func (c *tally) String() string {
	return fmt.Sprintf("%d pairs are the same, %d in other notation, %d differ, %d hold what the API server refuses", c.same, c.respelled, c.different, c.refused)
}

// dropped are the fields that Kubernetes drops because their feature gates are off.
var dropped = []string{"clusterTrustBundle", "podCertificate", "schedulingGroup", "stopSignal"}

// maxFailures bounds how many failures a test reports in full.
const maxFailures = 25

// check compares the result of Diff for each pair with the program's.
func check(t *testing.T, pairs []pair) *tally {
	t.Helper()
	c := &tally{unknown: map[string]bool{}}
	for i, a := range ask(t, pairs) {
		p := pairs[i]
		if a.OldError != "" || a.NewError != "" {
			c.refused++
			for _, text := range []string{a.OldError, a.NewError} {
				if _, field, found := strings.Cut(text, "unknown field \""); found {
					c.unknown[strings.TrimSuffix(field, "\"")] = true
				}
			}
			continue
		}
		if isDropped := func(field string) bool { return strings.Contains(p.New, field) }; a.Dropped && !slices.ContainsFunc(dropped, isDropped) {
			t.Errorf("Kubernetes drops a part of it, which doc.go does not say: %s", p.New)
		}
		found := Diff(readText(t, p.Old, true), readText(t, p.New, true))
		identical := len(found) == 0
		same := !slices.ContainsFunc(found, func(d Difference) bool { return d.What != Respelled })
		switch {
		case a.Identical && a.Same:
			c.same++
		case a.Same:
			c.respelled++
		default:
			c.different++
		}
		if identical != a.Identical || same != a.Same {
			if c.failed++; c.failed <= maxFailures {
				t.Errorf("Diff says %q; to Kubernetes they are identical: %v, the same: %v\nold: %s\nnew: %s\nstored: %s", described(found), a.Identical, a.Same, p.Old, p.New, a.Stored)
			}
		}
	}
	if c.failed > maxFailures {
		t.Errorf("%d pairs in all are judged otherwise than by Kubernetes", c.failed)
	}
	t.Log(c)
	return c
}

// A literal is a scalar in YAML notation.
type literal string

// absentValue stands for a field that is not written.
const absentValue literal = "(absent)"

// write writes a value in flow style, with keys in random order, or sorted without dice.
func write(v any, dice *rand.Rand) string {
	switch v := v.(type) {
	case literal:
		return string(v)
	case []any:
		var elements []string
		for _, e := range v {
			elements = append(elements, write(e, dice))
		}
		return "[" + strings.Join(elements, ", ") + "]"
	case map[string]any:
		var entries []string
		for key, value := range v {
			if value != absentValue {
				entries = append(entries, fmt.Sprintf("%q: %s", key, write(value, dice)))
			}
		}
		slices.Sort(entries)
		if dice != nil {
			dice.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
		}
		return "{" + strings.Join(entries, ", ") + "}"
	}
	panic(fmt.Sprintf("%T", v))
}

// A leaf is a field of templates: wrap puts a value of it into a template.
type leaf struct {
	path string
	typ  reflect.Type
	wrap func(v any) any
}

// leaves returns all fields of a type, at any depth.
func leaves(typ reflect.Type) []leaf {
	var found []leaf
	var visit func(typ reflect.Type, path string, wrap func(any) any)
	visit = func(typ reflect.Type, path string, wrap func(any) any) {
		found = append(found, leaf{path, typ, wrap})
		for typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		if isScalar(typ) {
			return
		}
		switch typ.Kind() {
		case reflect.Slice:
			visit(typ.Elem(), path+"[]", func(v any) any { return wrap([]any{v}) })
		case reflect.Map:
			visit(typ.Elem(), path+".*", func(v any) any { return wrap(map[string]any{"cpu": v}) })
		case reflect.Struct:
			eachField(typ, func(name string, typ reflect.Type) {
				visit(typ, path+"."+name, func(v any) any { return wrap(map[string]any{name: v}) })
			})
		}
	}
	visit(typ, "", func(v any) any { return v })
	return found[1:]
}

// eachField calls f for each field of a structure, including those of embedded structures.
func eachField(typ reflect.Type, f func(name string, typ reflect.Type)) {
	for field := range typ.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" && field.Anonymous {
			eachField(field.Type, f)
			continue
		}
		f(name, field.Type)
	}
}

// isScalar reports whether a type is written as a scalar.
func isScalar(typ reflect.Type) bool {
	switch typ {
	case reflect.TypeFor[resource.Quantity](), reflect.TypeFor[intstr.IntOrString](), reflect.TypeFor[metav1.Time]():
		return true
	}
	return typ.Kind() != reflect.Struct && typ.Kind() != reflect.Slice && typ.Kind() != reflect.Map || typ.PkgPath() == reflect.TypeFor[metav1.ObjectMeta]().PkgPath() && typ.Name() == "FieldsV1"
}

// defaults returns all scalars that types.yaml fills in, as written.
func defaults(t *testing.T) []literal {
	t.Helper()
	all, err := parseTypes(typesText)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[literal]bool{"Always": true, "IfNotPresent": true}
	for _, typ := range all {
		for _, f := range typ.fields {
			if f.fill == filledByValue && f.value.value != "" {
				seen[literal(f.value.value)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// values returns possible values of a type.
func values(typ reflect.Type) []any {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	scalars := func(texts ...literal) []any {
		list := []any{absentValue, literal("null")}
		for _, text := range texts {
			list = append(list, text)
		}
		return list
	}
	switch {
	case typ == reflect.TypeFor[resource.Quantity]():
		return scalars(`0`, `"0"`, `0Mi`, `1`, `"1"`, `1000m`, `1.0`, `"1.0"`, `0.5`, `500m`, `1k`, `1e3`, `"1e3"`, `1000`, `"1024"`, `1Ki`, `1Mi`, `1024Ki`, `1024Mi`, `1Gi`, `1.5Gi`, `1536Mi`, `1u`, `0.0001`, `1.500`, `010Mi`, `10Mi`)
	case typ == reflect.TypeFor[intstr.IntOrString]():
		return scalars(`0`, `80`, `"80"`, `""`, `http`, `0x50`)
	case typ == reflect.TypeFor[metav1.Time]():
		return scalars(`2026-01-02T03:04:05Z`, `"2026-01-02T03:04:05Z"`, `2026-01-02T04:04:05+01:00`, `"2026-01-02T03:04:05.5Z"`)
	}
	switch typ.Kind() {
	case reflect.String:
		return scalars(`""`, `a`, `"a"`, `b`, `!!str 80`, `"80"`)
	case reflect.Bool:
		return scalars(`true`, `yes`, `On`, `false`, `off`)
	case reflect.Int32, reflect.Int64:
		return scalars(`0`, `2`, `-1`, `2.0`, `0644`, `0o644`, `1e3`, `1_000`)
	case reflect.Map:
		return append(scalars(), map[string]any{}, map[string]any{"cpu": literal("null")}, map[string]any{"cpu": literal(`""`)}, map[string]any{"cpu": literal(`"1"`)}, map[string]any{"memory": literal(`"1"`)})
	case reflect.Slice:
		list := append(scalars(), []any{}, []any{literal("null")})
		switch {
		case !isScalar(typ.Elem()):
			return append(list, []any{map[string]any{}}, []any{map[string]any{}, map[string]any{}})
		case typ.Elem().Kind() == reflect.String:
			return append(list, []any{literal(`""`)}, []any{literal("a"), literal("b")}, []any{literal("b"), literal("a")})
		default:
			return append(list, []any{literal("0")}, []any{literal("1"), literal("2")})
		}
	}
	return append(scalars(), map[string]any{})
}

// constants returns the defaults that fit a type.
func constants(typ reflect.Type, defaults []literal) []literal {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	var list []literal
	for _, d := range defaults {
		switch k := scalarOf(&yaml.Node{Kind: yaml.ScalarNode, Value: string(d)}).kind; typ.Kind() {
		case reflect.String:
			if k == text {
				list = append(list, d)
			}
		case reflect.Int32, reflect.Int64:
			if k == number {
				list = append(list, d)
			}
		}
	}
	return list
}

// TestStored_everyField writes every field of a pod template in every way, and not at all, and compares each of these
// with each other.
func TestStored_everyField(t *testing.T) {
	filled := defaults(t)
	var pairs []pair
	fields := leaves(reflect.TypeFor[corev1.PodTemplateSpec]())
	for _, f := range fields {
		ways := values(f.typ)
		for i, v := range ways {
			for _, w := range ways[i+1:] {
				pairs = append(pairs, pair{write(f.wrap(v), nil), write(f.wrap(w), nil)})
			}
		}
		for _, c := range constants(f.typ, filled) {
			for _, v := range ways[:4] { // absent, null, zero, and another
				pairs = append(pairs, pair{write(f.wrap(v), nil), write(f.wrap(c), nil)})
			}
		}
	}
	t.Logf("%d fields, %d pairs", len(fields), len(pairs))
	c := check(t, pairs)
	if len(fields) < 1000 || c.same < 5_000 || c.respelled < 50 || c.different < 20_000 {
		t.Errorf("of %d fields: %v, which cannot be all", len(fields), c)
	}
	unknown := map[string]bool{}
	for field := range c.unknown {
		unknown[field[strings.LastIndexByte(field, '.')+1:]] = true
	}
	for field := range unknown {
		if !slices.Contains([]string{"bindMountOptions", "defaultUser", "evictionResponders", "user", "mode", "protocol"}, field) {
			t.Errorf("Kubernetes does not know the field %s, and isNewer does not say so", field)
		}
	}
}

// A mutator makes random templates, and variants of them.
type mutator struct {
	dice *rand.Rand
}

// isNewer reports whether a field is unknown to the version of Kubernetes in test/cluster/kubernetes: k8s.io/api is
// newer.
func isNewer(structure, field string) bool {
	switch field {
	case "bindMountOptions", "defaultUser", "evictionResponders":
		return true
	case "user":
		return structure == "KeyToPath" || structure == "DownwardAPIVolumeFile" || strings.HasSuffix(structure, "Projection")
	case "mode":
		return structure == "EmptyDirVolumeSource" || structure == "GRPCAction"
	case "protocol":
		return structure == "HTTPGetAction"
	}
	return false
}

// words are the values of string fields; few, so that they occur repeatedly.
var words = map[string][]literal{
	"image":          {"nginx", "nginx:latest", "nginx:1.29", "docker.io/library/nginx", "localhost:5000/nginx", "localhost:5000/nginx:latest", "Nginx", "Registry/nginx", "nginx@sha256:" + literal(strings.Repeat("a", 64)), "nginx:latest@sha256:" + literal(strings.Repeat("a", 64)), `""`},
	"reference":      {"art", "art:latest", "art:2"},
	"protocol":       {"TCP", "UDP", `""`},
	"mountPath":      {"/a", "/b", "/c"},
	"name":           {"a", "b", "c", `"a"`},
	"serviceAccount": {"a", "b"},
}

func (m *mutator) oneOf(list []any) any { return list[m.dice.IntN(len(list))] }

func (m *mutator) chance(percent int) bool { return m.dice.IntN(100) < percent }

// value returns a random value of a type for a field.
func (m *mutator) value(name string, typ reflect.Type, depth int) any {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if list := words[name]; list != nil && typ.Kind() == reflect.String && m.chance(90) {
		return list[m.dice.IntN(len(list))]
	}
	if isScalar(typ) {
		return m.oneOf(values(typ)[1:])
	}
	switch typ.Kind() {
	case reflect.Slice:
		list := []any{}
		for range m.dice.IntN(4) {
			list = append(list, m.value(name, typ.Elem(), depth))
		}
		return list
	case reflect.Map:
		entries := map[string]any{}
		for range m.dice.IntN(3) {
			entries[[]string{"cpu", "memory", "example.com/a"}[m.dice.IntN(3)]] = m.value(name, typ.Elem(), depth)
		}
		return entries
	}
	entries := map[string]any{}
	structure := typ.Name()
	eachField(typ, func(name string, typ reflect.Type) {
		// Wide and deep types get fewer of their fields.
		percent := 12
		switch name {
		case "containers", "spec":
			percent = 100
		case "name", "image", "volumes", "env", "ports", "volumeMounts", "resources", "metadata", "limits", "requests":
			percent = 60
		}
		if depth > 8 {
			percent /= 4
		}
		if isNewer(structure, name) {
			percent = 0
		}
		if m.chance(percent) {
			entries[name] = m.value(name, typ, depth+1)
		}
	})
	return entries
}

// other returns v with a change somewhere, which may be irrelevant to the API server.
func (m *mutator) other(name string, typ reflect.Type, v any) any {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch v := v.(type) {
	case []any:
		list := slices.Clone(v)
		switch i, way := m.dice.IntN(len(list)+1), m.dice.IntN(10); {
		case i == len(list) || way == 0:
			return slices.Insert(list, i, m.value(name, typ.Elem(), 5))
		case way == 1:
			return slices.Delete(list, i, i+1)
		case way == 2:
			m.dice.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		default:
			list[i] = m.other(name, typ.Elem(), list[i])
		}
		return list
	case map[string]any:
		entries := maps.Clone(v)
		keys := slices.Sorted(maps.Keys(entries))
		if typ.Kind() == reflect.Map {
			if len(keys) == 0 || m.chance(30) {
				return m.value(name, typ, 5)
			}
			key := keys[m.dice.IntN(len(keys))]
			entries[key] = m.other(name, typ.Elem(), entries[key])
			return entries
		}
		fields := map[string]reflect.Type{}
		structure := typ.Name()
		eachField(typ, func(name string, typ reflect.Type) {
			if !isNewer(structure, name) {
				fields[name] = typ
			}
		})
		all := slices.Sorted(maps.Keys(fields))
		switch {
		case len(keys) > 0 && m.chance(75):
			key := keys[m.dice.IntN(len(keys))]
			if m.chance(10) {
				delete(entries, key)
			} else {
				entries[key] = m.other(key, fields[key], entries[key])
			}
		case m.chance(50):
			key := all[m.dice.IntN(len(all))]
			entries[key] = m.value(key, fields[key], 5)
		default:
			// As little as possible: null, or an empty value.
			key := all[m.dice.IntN(len(all))]
			if _, there := entries[key]; !there {
				entries[key] = values(fields[key])[1+m.dice.IntN(2)]
			}
		}
		return entries
	}
	if list := values(typ); isScalar(typ) && m.chance(90) {
		return list[1+m.dice.IntN(len(list)-1)]
	}
	return m.value(name, typ, 5)
}

// TestStored_randomTemplates compares random templates with variants after a few changes, any of which may be
// irrelevant to the API server.
func TestStored_randomTemplates(t *testing.T) {
	typ := reflect.TypeFor[corev1.PodTemplateSpec]()
	var pairs []pair
	for seed := range uint64(10_000) {
		m := &mutator{rand.New(rand.NewPCG(seed, 0))}
		before := m.value("", typ, 0)
		after := before
		for range m.dice.IntN(4) {
			after = m.other("", typ, after)
		}
		pairs = append(pairs, pair{write(before, m.dice), write(after, m.dice)})
	}
	if c := check(t, pairs); c.same < 1_000 || c.different < 1_000 || c.refused > 1_000 {
		t.Errorf("%v, which cannot be", c)
	}
}

// text returns a random text of pieces from runs.
func (m *mutator) text(runs []string) string {
	var b strings.Builder
	for range 1 + m.dice.IntN(6) {
		b.WriteString(runs[m.dice.IntN(len(runs))])
	}
	return b.String()
}

var hugeExponent = regexp.MustCompile(`[eE][+-]?0*[1-9][0-9]{2,}$`)

// TestStored_randomScalars compares random quantities, images and numbers in fields that interpret them.
func TestStored_randomScalars(t *testing.T) {
	quantities := []string{"0", "1", "2", "8", "9", "10", "000", "5", ".", "e3", "E", "Ki", "Mi", "Gi", "Ei", "n", "u", "m", "k", "M", "G", "T", "1024", "1000", "+", "-", "99999999"}
	images := []string{"a", "b1", "latest", ":", ":latest", "/", ".", "-", "_", "__", "@", "@sha256:", strings.Repeat("0a", 32), "A", "localhost", "docker.io", "index.docker.io/", "example.com:5000/", "[::1]:80/", ":80", "library/"}
	numbers := []string{"0", "1", "7", "8", "0x", "0o", "0b", "_", "+", "-", ".", "e", "E3", "1e", "a", "y", "on", "null", "~", ":", "2020-01-01"}
	var pairs []pair
	for seed := range uint64(4_000) {
		m := &mutator{rand.New(rand.NewPCG(seed, 1))}
		quote := func(runs []string) string {
			// Kubernetes computes powers of 10, so keep the exponent small.
			text := m.text(runs)
			for hugeExponent.MatchString(text) {
				text = m.text(runs)
			}
			return "'" + text + "'"
		}
		image := quote(images)
		for _, p := range []struct{ template, old, new string }{
			{"{spec: {containers: [{resources: {limits: {cpu: %s}}}]}}", quote(quantities), quote(quantities)},
			{"{spec: {volumes: [{emptyDir: {sizeLimit: %s}}]}}", quote(quantities), quote(quantities)},
			{"{spec: {containers: [{image: %s}]}}", image + ", imagePullPolicy: Always", image},
			{"{spec: {volumes: [{image: {reference: %s}}]}}", image + ", pullPolicy: IfNotPresent", image},
			{"{spec: {containers: [{livenessProbe: {tcpSocket: {port: %s}}}]}}", m.text(numbers), m.text(numbers)},
			{"{metadata: {annotations: {a: %s}}}", m.text(numbers), quote(numbers)},
			{"{spec: {hostNetwork: %s}}", m.text(numbers), "true"},
		} {
			pairs = append(pairs, pair{fmt.Sprintf(p.template, p.old), fmt.Sprintf(p.template, p.new)})
		}
	}
	amounts := []string{
		"1Gi", "1024Mi", "1073741824", "1.0Gi", "01Gi", "+1Gi", "8Gi", "8192Mi", "0.5Gi", "512Mi", "536870912", "1Ei", "1024Pi", "7Ei", "8Ei", "9999Ei",
		"1k", "1000", "1e3", "1E3", "10e2", "0.001M", "1000000m", "1", "1000m", "1.0", "1.", "1.5", "1.500", "1500m", "01.5", ".5", "0.5", "500m", "5e-1",
		"1u", "0.000001", "1n", "0.1n", "1e-9", "1e-12", "1000E", "1e21", "999999999999999999999", "-1", "-1.5", "-0.1n", "0", "0Mi", "-0", "0.5Ki", "512", "0.0001Ki",
	}
	for i, a := range amounts {
		for _, b := range amounts[i+1:] {
			for _, template := range []string{"{spec: {containers: [{resources: {limits: {cpu: %q}}}]}}", "{spec: {volumes: [{emptyDir: {sizeLimit: %q}}]}}"} {
				pairs = append(pairs, pair{fmt.Sprintf(template, a), fmt.Sprintf(template, b)})
			}
		}
	}
	if c := check(t, pairs); c.same < 1_000 || c.different < 1_000 || c.respelled < 50 {
		t.Errorf("%v, which cannot be", c)
	}
}
