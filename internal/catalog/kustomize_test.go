package catalog

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/confighash/confighash/test/support/gen"
)

func get(object any, path Path) string {
	if list, ok := object.([]any); ok && len(list) > 0 {
		object = list[0]
	}
	if len(path) == 0 {
		return fmt.Sprint(object)
	}
	m, _ := object.(map[string]any)
	return get(m[string(path[0])], path[1:])
}

// builtInKinds returns the names of Kubernetes' own kinds. Kustomize names no others, but most of its fieldSpecs match
// any group, so kinds of other groups with these names matter as well.
func builtInKinds(t *testing.T) map[string]bool {
	t.Helper()
	kinds := map[string]bool{}
	groupDocuments(t, func(_ *testing.T, file string, _ document, raw *rawKind) {
		if !strings.Contains(file, ".") || strings.HasSuffix(file, ".k8s.io") {
			for _, kind := range raw.Kinds {
				kinds[kind] = true
			}
		}
	})
	return kinds
}

// TestData_knowsWhichFieldsKustomizeFollows builds one object for each reference, together with generated objects, and
// checks what kustomize's own nameReference has rewritten.
func TestData_knowsWhichFieldsKustomizeFollows(t *testing.T) {
	type probe struct {
		what string
		rule Rule
		old  string
	}
	probes := map[string]probe{}
	var resources bytes.Buffer
	encoder := yaml.NewEncoder(&resources)
	add := func(group, kind string, rule Rule, target string) {
		name := fmt.Sprintf("probe-%d", len(probes))
		p := probe{fmt.Sprintf("%s.%s %s (%s)", kind, group, rule.Path, target), rule, strings.ToLower(target) + "-target"}
		probes[name] = p
		version := "v1"
		if group != "" {
			version = group + "/v1"
		}
		object := map[string]any{"apiVersion": version, "kind": kind}
		gen.Set(object, Path{"metadata", "name"}, name)
		sibling := func(key Segment) Path { return append(slices.Clone(rule.Path[:len(rule.Path)-1]), key) }
		switch {
		case rule.Names:
			gen.Set(object, sibling("apiGroups"), []any{""})
			gen.Set(object, sibling("resources"), []any{strings.ToLower(target) + "s"})
			gen.Set(object, rule.Path, []any{p.old})
		default:
			gen.Set(object, rule.Path, p.old)
		}
		if rule.Kind != nil && !rule.Names {
			gen.Set(object, sibling(rule.Kind.Path.Path[0]), target)
		}
		if err := encoder.Encode(object); err != nil {
			t.Fatal(err)
		}
	}
	builtIn := builtInKinds(t)
	groupDocuments(t, func(_ *testing.T, file string, _ document, raw *rawKind) {
		group := file
		switch {
		case file == coreFile:
			group = ""
		case file == anyFile || strings.HasPrefix(file, "_"):
			return
		}
		for _, kind := range raw.Kinds {
			if !builtIn[kind] {
				continue
			}
			k := Builtin().Kind(group, "v1", kind)
			for _, rule := range k.References {
				ownName := len(rule.Path) == 2 && rule.Path[0] == "metadata"
				conditional := len(rule.When) > 0 && !rule.Names
				if ownName || conditional || len(rule.Embedded) > 0 || slices.ContainsFunc(rule.Path, Segment.IsPattern) {
					continue
				}
				for _, target := range rule.Targets.Kinds() {
					add(group, kind, rule, target)
				}
			}
		}
	})
	if err := encoder.Close(); err != nil {
		t.Fatal(err)
	}

	fs := filesys.MakeFsInMemory()
	for name, text := range map[string]string{
		"resources.yaml": resources.String(),
		"kustomization.yaml": `
resources: [resources.yaml]
configMapGenerator: [{name: configmap-target, literals: [a=b]}]
secretGenerator: [{name: secret-target, literals: [a=b]}]
`,
	} {
		if err := fs.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(fs, ".")
	if err != nil {
		t.Fatal(err)
	}
	followed := 0
	for _, r := range built.Resources() {
		p, ok := probes[r.GetName()]
		if !ok {
			continue
		}
		delete(probes, r.GetName())
		object, err := r.Map()
		if err != nil {
			t.Fatal(err)
		}
		got := get(object, p.rule.Path)
		if !strings.HasPrefix(got, p.old) {
			t.Errorf("%s: %q came out", p.what, got)
		}
		follows := got != p.old
		if follows != p.rule.Kustomize {
			t.Errorf("%s: kustomize follows it: %v; the catalogue says %v", p.what, follows, p.rule.Kustomize)
		}
		if follows {
			followed++
		}
	}
	if len(probes) > 0 || followed < 100 {
		t.Errorf("%d probes did not come out, and kustomize followed only %d", len(probes), followed)
	}
}
