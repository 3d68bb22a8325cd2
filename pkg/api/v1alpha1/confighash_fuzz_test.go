package v1alpha1

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/confighash/confighash/internal/yamldoc"
	"github.com/confighash/confighash/test/support/corpus"
)

// FuzzParse_andBack checks for any YAML: errors are reported by field and without the salt; a parsed configuration is
// the same after writing it and parsing it again, in either form; and the schema accepts the same documents.
func FuzzParse_andBack(f *testing.F) {
	for _, text := range corpus.Manifests(f, 2<<10) {
		if strings.Contains(text, "confighash.dev/v1alpha1") || strings.Contains(text, "mode") {
			f.Add(text)
		}
	}
	f.Add(everything)
	f.Add(head + "spec: &s {mode: Rename, <<: [*s, {policy: All}], rename: *s}")
	f.Add(head + "spec: {mode: Rename, salt: 0x1F, namespace: 12, include: [{name: ~}], rename: {annotations: {a: 2001-01-01, b: !!binary aGk=}}}")
	f.Add(flatHead + "data: {mode: Rename, include: '[{name: a}]', rename.annotations: '{a: b}', discover: 'true', salt: '&a *a'}")
	f.Add(flatHead + "data: {mode: Rename, references: \"- kind: Secret\\n  fieldSpecs: [{path: a/b}]\\n\", annotate.key: 'x/y', annotate.scope: Source}")
	schema := parsedSchema(f)
	f.Fuzz(func(t *testing.T, document string) {
		defer time.AfterFunc(30*time.Second, func() { panic("no end after 30 s") }).Stop()
		var node yaml.Node
		if len(document) > 32<<10 || yaml.Unmarshal([]byte(document), &node) != nil || len(node.Content) == 0 {
			return
		}
		root := yamldoc.Resolve(node.Content[0])
		config, err := Parse(root)
		checkErrors(t, root, config, err)
		if config != nil {
			checkWrittenDown(t, config)
		}
		checkSchema(t, schema, root, err)
	})
}

// checkErrors checks that Parse returns either a config or valid errors.
func checkErrors(t *testing.T, root *yaml.Node, config *ConfigHash, err error) {
	t.Helper()
	if (config == nil) == (err == nil) {
		t.Fatalf("%+v, and the error %v", config, err)
	}
	if err == nil {
		return
	}
	var errs Errors
	if !errors.As(err, &errs) || len(errs) == 0 {
		t.Fatalf("%#v", err)
	}
	salt := saltOf(root)
	for _, e := range errs {
		if _, err := yamldoc.Path(e.Path).Steps(); err != nil {
			t.Errorf("%v: %v", e, err)
		}
		if strings.TrimSpace(e.Message) == "" {
			t.Errorf("%q says nothing", e.Path)
		}
		if len(salt) > 8 && strings.Count(e.Error(), salt) > strings.Count(withoutSalt(root), salt) {
			t.Errorf("the salt is quoted: %v", e)
		}
	}
}

// saltOf returns the salt if it is at its place.
func saltOf(root *yaml.Node) string {
	for _, path := range [][2]string{{"spec", "salt"}, {"data", "salt"}} {
		if root.Kind != yaml.MappingNode {
			return ""
		}
		spec, _ := yamldoc.Get(root, path[0], new(yamldoc.Budget))
		if spec == nil || yamldoc.Resolve(spec).Kind != yaml.MappingNode {
			continue
		}
		spec = yamldoc.Resolve(spec)
		if salt, _ := yamldoc.Get(spec, path[1], new(yamldoc.Budget)); salt != nil && yamldoc.Resolve(salt).Kind == yaml.ScalarNode {
			return yamldoc.Resolve(salt).Value
		}
	}
	return ""
}

// withoutSalt returns all other text of a document, and the fixed text of errors.
func withoutSalt(root *yaml.Node) string {
	var b strings.Builder
	met := map[*yaml.Node]bool{}
	var visit func(n *yaml.Node)
	visit = func(n *yaml.Node) {
		if met[n] {
			return
		}
		met[n] = true
		b.WriteString(n.Value + "\n")
		for i, child := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == "salt" {
				continue
			}
			visit(child)
		}
	}
	visit(root)
	return b.String()
}

// checkWrittenDown writes a configuration as a ConfigHash and parses it again.
func checkWrittenDown(t *testing.T, want *ConfigHash) {
	t.Helper()
	written, err := yaml.Marshal(map[string]any{
		"apiVersion": APIVersion, "kind": Kind, "metadata": map[string]any{"name": want.Metadata.Name, "annotations": want.Metadata.Annotations},
		"spec": tree(want.Spec, false),
	})
	if err != nil {
		t.Fatal(err)
	}
	var node yaml.Node
	if err := yaml.Unmarshal(written, &node); err != nil {
		return // yaml.v3 cannot read everything that it writes
	}
	var plain any
	if err := node.Decode(&plain); err != nil {
		return
	}
	got, err := Parse(node.Content[0])
	if err != nil {
		t.Fatalf("what was read is refused when it is written down: %v\n%s", err, written)
	}
	if diff := cmp.Diff(emptyAsNil(want), emptyAsNil(got)); diff != "" && !strings.ContainsAny(string(written), "|>\t") {
		t.Errorf("what was read is read otherwise when it is written down (-want +got):\n%s\n%s", diff, written)
	}
}

// emptyAsNil returns config without empty lists and tables.
func emptyAsNil(config *ConfigHash) *ConfigHash {
	c := *config
	for _, table := range []*map[string]string{&c.Metadata.Annotations, &c.Spec.Rename.Annotations, &c.Spec.Reloader.AnnotationKeys} {
		if len(*table) == 0 {
			*table = nil
		}
	}
	return &c
}

// expressions matches errors that JSON Schema cannot express.
var expressions = regexp.MustCompile(`is not a (label selector|regular expression)|is set twice|duplicate key|stand for more than`)

// checkSchema compares the schema's verdict on a document with the parser's.
func checkSchema(t *testing.T, schema map[string]any, root *yaml.Node, err error) {
	t.Helper()
	left := 5000
	document, ok := asJSON(root, &left, 0).(map[string]any)
	if !ok || left < 0 || document["kind"] != Kind {
		return
	}
	wrong := validate(t, schema, document, "")
	switch {
	case err == nil && len(wrong) > 0:
		t.Errorf("the parser takes what the schema refuses: %q", wrong)
	case err != nil && len(wrong) == 0 && !expressions.MatchString(err.Error()):
		t.Errorf("the schema takes what the parser refuses: %v", err)
	}
}

// asJSON converts n to JSON's types.
func asJSON(n *yaml.Node, left *int, depth int) any {
	if *left--; *left < 0 || depth > 100 {
		*left = -1
		return nil
	}
	switch n = yamldoc.Resolve(n); n.Kind {
	case yaml.SequenceNode:
		list := []any{}
		for _, child := range n.Content {
			list = append(list, asJSON(child, left, depth+1))
		}
		return list
	case yaml.MappingNode:
		object := map[string]any{}
		if yamldoc.Each(n, new(yamldoc.Budget), func(key string, value *yaml.Node, _ bool) error {
			object[key] = asJSON(value, left, depth+1)
			return nil
		}) != nil {
			*left = -1
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if yamldoc.Resolve(n.Content[i]).Kind != yaml.ScalarNode {
				*left = -1 // JSON has no such keys
			}
		}
		return object
	}
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		return 1.0
	case "!!str":
		return n.Value
	}
	*left = -1 // JSON has no other types
	return nil
}
