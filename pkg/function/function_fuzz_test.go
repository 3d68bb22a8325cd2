package function_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/kustomize"
	"github.com/confighash/confighash/internal/manifest"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
	"github.com/confighash/confighash/test/support/corpus"
)

// patience is far more than the function takes for an input of maxInput bytes, even on a busy machine.
const (
	patience = 30 * time.Second
	maxInput = 64 << 10
)

// configFrom derives a functionConfig from the bits of choice, so that a fuzzer reaches all of them.
func configFrom(choice uint32) *v1alpha1.ConfigHash {
	next := func(n uint32) uint32 {
		defer func() { choice /= n }()
		return choice % n
	}
	config := v1alpha1.New(
		[]v1alpha1.Mode{v1alpha1.ModeRename, v1alpha1.ModeAnnotate}[next(2)],
		[]v1alpha1.Policy{v1alpha1.PolicyAll, v1alpha1.PolicyOptIn, v1alpha1.PolicyReloader, v1alpha1.PolicyWave}[next(4)])
	s := &config.Spec
	s.Report = []v1alpha1.Report{v1alpha1.ReportProblems, v1alpha1.ReportFull}[next(2)]
	s.Unresolved = []v1alpha1.Unresolved{v1alpha1.UnresolvedIgnore, v1alpha1.UnresolvedWarn, v1alpha1.UnresolvedError}[next(3)]
	s.Rename.Unreferenced = []v1alpha1.Unreferenced{v1alpha1.UnreferencedKeep, v1alpha1.UnreferencedRename}[next(2)]
	s.Rename.Generated = []v1alpha1.Generated{v1alpha1.GeneratedAuto, v1alpha1.GeneratedAdopt, v1alpha1.GeneratedLeave}[next(3)]
	s.Rename.Immutable = next(2) == 1
	if next(2) == 1 {
		s.Rename.Annotations = map[string]string{"example.com/note": "zzqx"}
	}
	s.Annotate.Scope = []v1alpha1.Scope{v1alpha1.ScopeWorkload, v1alpha1.ScopeSource}[next(2)]
	s.Annotate.Granularity = []v1alpha1.Granularity{v1alpha1.GranularityKey, v1alpha1.GranularityObject}[next(2)]
	s.Discover = new(next(2) == 0)
	s.Reloader.AutoReloadAll = next(2) == 1
	s.Salt = []string{"", "grains"}[next(2)]
	return config
}

// process runs the function, and panics if that takes too long: a fuzzer only keeps its input after a panic.
func process(data []byte, o function.Options) (out []byte, report *function.Output, err error) {
	defer time.AfterFunc(patience, func() { panic(fmt.Sprintf("no end after %s", patience)) }).Stop()
	var b bytes.Buffer
	report, err = function.Process(data, &b, o)
	return b.Bytes(), report, err
}

// FuzzProcess checks for any bytes: the function ends with an error or output. The output differs from the input only
// in names, references and annotations, and a second run does not change it.
func FuzzProcess(f *testing.F) {
	for i, text := range corpus.Manifests(f, 8<<10) {
		f.Add([]byte(text), uint32(i))
		f.Add([]byte(text), uint32(i)*2_654_435_761)
	}
	f.Fuzz(func(t *testing.T, data []byte, choice uint32) {
		if len(data) > maxInput {
			return
		}
		checkProcess(t, data, configFrom(choice))
	})
}

func checkProcess(t testing.TB, data []byte, config *v1alpha1.ConfigHash) {
	t.Helper()
	o := function.Options{Config: config}
	in, splitErr := manifest.Split(data)
	if splitErr == nil && in.FunctionConfig != nil {
		o.Config = nil
		if config, _ = v1alpha1.Parse(in.FunctionConfig); config == nil {
			config = v1alpha1.New("", "") // an error
		}
	}
	was := bytes.Clone(data)
	out, report, err := process(data, o)
	if !bytes.Equal(was, data) {
		t.Fatalf("the input has been written to: %q", data)
	}
	if err != nil {
		checkFailure(t, in, data, out, report, err)
		return
	}
	if report == nil {
		t.Fatal("neither an error nor a report")
	}
	checkChanges(t, data, out, &config.Spec)
	again, reportAgain, err := process(out, o)
	if err != nil {
		t.Fatalf("a second run: %v\nof\n%s", err, out)
	}
	if diff := cmp.Diff(lasting(report), lasting(reportAgain)); diff != "" {
		t.Fatalf("a second run's report (-once +twice):\n%s", diff)
	}
	once, twice := string(out), string(again)
	if len(report.Results) > len(reportAgain.Results) {
		once, twice = withoutResults(t, out), withoutResults(t, again)
	}
	if diff := cmp.Diff(once, twice); diff != "" {
		t.Fatalf("a second run (-once +twice):\n%s", diff)
	}
}

// elements matches an element of resourceNames, and lines the line of a resource without a name.
var (
	elements = regexp.MustCompile(`resourceNames\[[0-9]+\]`)
	lines    = regexp.MustCompile(`\(line [0-9]+\)`)
)

// lasting returns the results that every run reports: only the first one removes something, or changes names that a
// checksum covers. A name of both a ConfigMap and a Secret becomes two elements, which moves those after it.
func lasting(report *function.Output) []function.Result {
	var all []function.Result
	for _, r := range report.Results {
		if r.Severity == function.SeverityInfo && strings.HasPrefix(r.Message, "removed: ") || strings.HasPrefix(r.Message, "a checksum of mode Annotate is here") {
			continue
		}
		r.Message = lines.ReplaceAllString(r.Message, "(line N)")
		if r.Field != nil {
			r.Field = &function.Field{Path: elements.ReplaceAllString(r.Field.Path, "resourceNames[]")}
		}
		all = append(all, r)
	}
	return all
}

// checkFailure compares the output after an error with the input: in a ResourceList only the results may change.
func checkFailure(t testing.TB, in *manifest.Input, data, out []byte, report *function.Output, err error) {
	t.Helper()
	if report != nil {
		t.Errorf("an error, and a report with it: %v", err)
	}
	for _, e := range function.Errors(err) {
		if strings.TrimSpace(e.Error()) == "" {
			t.Errorf("an error says nothing: %#v", e)
		}
		if strings.Contains(e.Error(), "%!") && !bytes.Contains(data, []byte("%!")) {
			t.Errorf("an error is not formatted: %v", e)
		}
	}
	if in == nil || !in.IsResourceList {
		if len(out) > 0 {
			t.Errorf("an error (%v), and output with it: %q", err, out)
		}
		return
	}
	unchanged := &changes{}
	if unchanged.compare(documents(data, out)); len(unchanged.wrong) > 0 {
		t.Fatalf("with the error %v: %s", err, strings.Join(unchanged.wrong, "\n"))
	}
	if diff := cmp.Diff(withoutResults(t, data), withoutResults(t, out)); diff != "" {
		t.Errorf("a ResourceList with an error (%v) changes (-in +out):\n%s", err, diff)
	}
}

// withoutResults returns a ResourceList without its results, and any other text unchanged.
func withoutResults(t testing.TB, data []byte) string {
	t.Helper()
	in, err := manifest.Split(data)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := in.Write(&b, nil, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// documents returns the meaning of input and output by document, or by item if one of them is not YAML, for example
// concatenated JSON values.
func documents(in, out []byte) (before, after []*value) {
	before, ok := decodeAll(in)
	after, okAfter := decodeAll(out)
	if ok && okAfter {
		return before, after
	}
	return items(in), items(out)
}

func decodeAll(data []byte) ([]*value, bool) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var all []*value
	for {
		var doc yaml.Node
		err := decode(decoder, &doc)
		if errors.Is(err, io.EOF) {
			return all, true
		}
		if err != nil {
			return nil, false
		}
		left := maxValues
		all = append(all, valueOf(&doc, &left, 0))
	}
}

// decode decodes a document. The parser panics at its own limits.
func decode(decoder *yaml.Decoder, doc *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return decoder.Decode(doc)
}

// items returns the meaning of the items in data as the function reads them.
func items(data []byte) []*value {
	in, err := manifest.Split(data)
	if err != nil {
		return nil
	}
	_, found, err := manifest.Parse(in, func(_ *manifest.Chunk, items []manifest.Item) ([]*value, error) {
		var all []*value
		for _, item := range items {
			left := maxValues
			all = append(all, valueOf(item.Node, &left, 0))
		}
		return all, nil
	})
	if err != nil {
		return nil
	}
	return slices.Concat(found...)
}

// A value is the meaning of a node, without aliases, merge keys and styles.
type value struct {
	kind     yaml.Kind // 0 if too large or too deep
	tag      string
	text     string
	elements []*value
	entries  map[string]*value
}

// maxValues bounds the compared documents.
const maxValues = 20_000

func valueOf(n *yaml.Node, left *int, depth int) *value {
	if *left--; *left < 0 || depth > 100 {
		*left = -1 << 30
		return &value{}
	}
	switch n.Kind {
	case yaml.AliasNode:
		return valueOf(n.Alias, left, depth+1)
	case yaml.DocumentNode:
		return valueOf(n.Content[0], left, depth+1)
	}
	v := &value{kind: n.Kind, tag: n.ShortTag(), text: n.Value}
	if v.isNull() {
		v.text = ""
	}
	if n.Kind == yaml.SequenceNode {
		for _, child := range n.Content {
			v.elements = append(v.elements, valueOf(child, left, depth+1))
		}
	}
	if n.Kind == yaml.MappingNode {
		v.entries = map[string]*value{}
		v.addEntries(n, left, depth)
	}
	return v
}

func (v *value) addEntries(n *yaml.Node, left *int, depth int) {
	seen := map[string]int{}
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, child := n.Content[i], n.Content[i+1]
		if key.Tag == "!!merge" {
			merged = append(merged, child)
			continue
		}
		name := valueOf(key, left, depth+1).keyText()
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
		v.entries[name] = valueOf(child, left, depth+1)
	}
	for _, source := range merged {
		from := valueOf(source, left, depth+1)
		for _, mapping := range append([]*value{from}, from.elements...) {
			for name, child := range mapping.entries {
				if v.entries[name] == nil {
					v.entries[name] = child
				}
			}
		}
	}
}

func (v *value) keyText() string {
	if v.kind == yaml.ScalarNode {
		return v.text
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d %q", v.kind, v.text)
	for _, e := range v.elements {
		b.WriteString(" " + e.keyText())
	}
	return fmt.Sprintf("%s and %d", &b, len(v.entries))
}

func (v *value) isNull() bool { return v.kind == yaml.ScalarNode && v.tag == "!!null" }

func (v *value) isEmpty() bool {
	return v == nil || v.isNull() || v.kind == yaml.MappingNode && len(v.entries) == 0 || v.kind == yaml.SequenceNode && len(v.elements) == 0
}

// changes collects the differences of input and output.
type changes struct {
	spec  *v1alpha1.Spec // nil: nothing may differ
	names []string       // of objects in the output, with their namespaces
	built bool           // kustomize recorded other names of objects
	count int
	wrong []string
}

// checkChanges compares the output with the input: only the names of renamed objects, references to them and the
// function's own annotations may differ.
func checkChanges(t testing.TB, data, out []byte, spec *v1alpha1.Spec) {
	t.Helper()
	c := &changes{spec: spec, built: bytes.Contains(data, []byte("internal.config.kubernetes.io/"))}
	before, after := documents(data, out)
	for _, d := range after {
		c.collectNames(d, 0)
	}
	c.compare(before, after)
	if len(c.wrong) > 0 {
		t.Fatalf("%s\ninput:\n%s\noutput:\n%s", strings.Join(c.wrong, "\n"), data, out)
	}
	in, err := manifest.Split(data)
	if err != nil {
		t.Fatal(err)
	}
	if c.count == 0 && !in.IsResourceList && !bytes.Equal(data, out) {
		t.Fatalf("nothing changes but bytes (-in +out):\n%s", cmp.Diff(string(data), string(out)))
	}
}

func (c *changes) collectNames(v *value, depth int) {
	if depth > 20 {
		return
	}
	if kind := v.entries["kind"]; kind != nil {
		if metadata := v.entries["metadata"]; metadata != nil {
			for _, key := range []string{"name", "namespace"} {
				if name := metadata.entries[key]; name != nil {
					c.names = append(c.names, name.text)
				}
			}
		}
	}
	for _, e := range v.elements {
		c.collectNames(e, depth+1)
	}
	if list := v.entries["items"]; list != nil {
		c.collectNames(list, depth+1)
	}
}

func (c *changes) compare(before, after []*value) {
	if len(before) != len(after) {
		c.report("", fmt.Sprintf("%d documents become %d", len(before), len(after)))
		return
	}
	for i := range before {
		c.value(fmt.Sprintf("document %d", i), before[i], after[i])
	}
}

func (c *changes) report(path, what string) { c.wrong = append(c.wrong, path+": "+what) }

func (c *changes) value(path string, a, b *value) {
	switch {
	case a.kind == 0 || b.kind == 0:
	case a.isEmpty() && b.kind == yaml.MappingNode && len(b.entries) > 0:
		c.mapping(path, &value{}, b)
	case a.kind == yaml.ScalarNode && b.kind == yaml.ScalarNode:
		c.scalar(path, a, b)
	case a.kind == yaml.SequenceNode && b.kind == yaml.SequenceNode:
		c.sequence(path, a, b)
	case a.kind == yaml.MappingNode && b.kind == yaml.MappingNode:
		c.mapping(path, a, b)
	case !a.isEmpty() || !b.isEmpty():
		c.report(path, "becomes something of another kind")
	}
}

// suffixes matches the suffixes of the function.
var suffixes = regexp.MustCompile(`-[2456789bcdfghkmt]{10}`)

func bare(name string) string { return suffixes.ReplaceAllString(name, "") }

func (c *changes) scalar(path string, a, b *value) {
	if a.tag == b.tag && a.text == b.text {
		return
	}
	c.count++
	switch {
	case c.spec == nil || c.spec.Mode != v1alpha1.ModeRename:
		c.report(path, fmt.Sprintf("%q becomes %q", a.text, b.text))
	case b.tag != "!!str" || bare(a.text) != bare(b.text) && !c.built:
		c.report(path, fmt.Sprintf("%q becomes %q, which is more than a suffix", a.text, b.text))
	case !slices.ContainsFunc(c.names, func(name string) bool { return strings.Contains(b.text, name) }):
		c.report(path, fmt.Sprintf("%q becomes %q, but no object is called that", a.text, b.text))
	}
}

func (c *changes) sequence(path string, a, b *value) {
	if len(a.elements) != len(b.elements) {
		// A name of both a ConfigMap and a Secret becomes two.
		c.count++
		names := func(v *value) []string {
			var all []string
			for _, e := range v.elements {
				all = append(all, bare(e.text))
			}
			slices.Sort(all)
			return slices.Compact(all)
		}
		if c.spec == nil || c.spec.Mode != v1alpha1.ModeRename || !slices.Equal(names(a), names(b)) {
			c.report(path, fmt.Sprintf("%d elements become %d", len(a.elements), len(b.elements)))
		}
		return
	}
	for i := range a.elements {
		c.value(fmt.Sprintf("%s[%d]", path, i), a.elements[i], b.elements[i])
	}
}

func (c *changes) mapping(path string, a, b *value) {
	isRoot := regexp.MustCompile(`^document \d+$`).MatchString(path)
	for key, was := range a.entries {
		is, ok := b.entries[key]
		at := path + "." + key
		switch {
		case isRoot && key == "results":
		case isAnnotations(path) && c.isOwn(key):
			if !ok || was.text != is.text {
				c.count++
			}
		case !ok:
			c.report(at, "is lost")
		case key == "immutable" && c.spec != nil && c.spec.Rename.Immutable && is.text == "true":
			c.count++
		default:
			c.value(at, was, is)
		}
	}
	for key, is := range b.entries {
		if _, ok := a.entries[key]; ok {
			continue
		}
		at := path + "." + key
		switch {
		case isRoot && (key == "results" || key == "items" && is.isEmpty()):
			continue
		case isAnnotations(path) && c.isOwn(key):
		case (isAnnotations(key) || isMetadata(key)) && is.kind == yaml.MappingNode && c.spec != nil:
			c.mapping(at, &value{}, is)
		case key == "immutable" && c.spec != nil && c.spec.Rename.Immutable && is.text == "true":
		default:
			c.report(at, "is new")
		}
		c.count++
	}
}

// isMetadata and isAnnotations report whether the last key of path is one of these, or similar, such as podMetadata and
// podAnnotations in custom resources.
func isMetadata(path string) bool { return strings.HasSuffix(strings.ToLower(path), "metadata") }

func isAnnotations(path string) bool { return strings.HasSuffix(strings.ToLower(path), "annotations") }

// isOwn reports whether the function may write an annotation.
func (c *changes) isOwn(key string) bool {
	if c.spec == nil {
		return false
	}
	if c.spec.Mode == v1alpha1.ModeAnnotate {
		prefix, _, _ := strings.Cut(c.spec.Annotate.Key, "/")
		return key == c.spec.Annotate.Key || strings.HasPrefix(key, prefix+"/")
	}
	switch key {
	case v1alpha1.AnnotationHash, v1alpha1.AnnotationExtraSum, kustomize.PreviousNames, kustomize.PreviousNamespaces, kustomize.PreviousKinds, kustomize.NeedsHashSuffix:
		return true
	}
	_, ok := c.spec.Rename.Annotations[key]
	return ok
}
