package kustomize_test

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/harness"
	"github.com/confighash/confighash/test/support/kustomize"

	"sigs.k8s.io/yaml"
)

// A crowded object is of one kind of the survey and has many of its fields, all of which name the target.
type crowded struct {
	object map[string]any
	rows   []referenceRow
	beside string // another document that it needs
}

// crowd combines rows into objects, one per kind.
func crowd(t *testing.T, rows []referenceRow) []*crowded {
	t.Helper()
	var all []*crowded
	ofKind := map[string]*crowded{}
	for _, r := range rows {
		document, beside, _ := strings.Cut(r.referrer(t), "---\n")
		var referrer map[string]any
		if err := yaml.Unmarshal([]byte(document), &referrer); err != nil {
			t.Fatalf("%s: %v", r, err)
		}
		kind := r.group + " " + r.kind
		c := ofKind[kind]
		if c == nil {
			c = &crowded{object: map[string]any{}, beside: beside}
			ofKind[kind], all = c, append(all, c)
		}
		if !merge(c.object, referrer) {
			t.Fatalf("%s: another field of the kind excludes this one", r)
		}
		c.rows = append(c.rows, r)
	}
	return all
}

// merge merges b into a, and reports whether there was no conflict.
func merge(a, b map[string]any) bool {
	for key, value := range b {
		present, ok := a[key]
		if !ok {
			a[key] = value
			continue
		}
		presentMap, isMap := present.(map[string]any)
		valueMap, areMaps := value.(map[string]any)
		if isMap && areMaps {
			if !merge(presentMap, valueMap) {
				return false
			}
		} else if !reflect.DeepEqual(present, value) {
			return false
		}
	}
	return true
}

// fieldKeys returns the keys of a path of the survey, as set creates them.
func fieldKeys(path string) []string {
	keys := unescapedSlash.FindAllString(path, -1)
	for i, key := range keys {
		keys[i] = strings.ReplaceAll(strings.ReplaceAll(key, `\/`, "/"), "*", "any")
	}
	return keys
}

// crowdTree returns a kustomization of the objects, of generators for their targets, and of the transformer, if there
// is one.
func crowdTree(t *testing.T, crowds []*crowded, transformer string) harness.Files {
	t.Helper()
	var resources []string
	beside := map[string]bool{}
	for _, c := range crowds {
		text, err := yaml.Marshal(c.object)
		if err != nil {
			t.Fatal(err)
		}
		resources = append(resources, string(text))
		if c.beside != "" && !beside[c.beside] {
			beside[c.beside] = true
			resources = append(resources, c.beside)
		}
	}
	generator := "\n- {name: " + rowTarget + ", literals: [" + rowKey + "=x]}\n"
	tree := harness.Files{
		"resources.yaml":     strings.Join(resources, "---\n"),
		"kustomization.yaml": "resources: [resources.yaml]\nconfigMapGenerator:" + generator + "secretGenerator:" + generator,
	}
	if transformer != "" {
		tree["kustomization.yaml"] += "transformers: [roll.yaml]\n"
		tree["roll.yaml"] = transformer
	}
	return tree
}

// followed builds the tree and returns the rows whose field has the target's final name.
func followed(t *testing.T, crowds []*crowded, transformer string) map[referenceRow]bool {
	t.Helper()
	dir := t.TempDir()
	if err := crowdTree(t, crowds, transformer).Write(dir); err != nil {
		t.Fatal(err)
	}
	out, err := kustomize.Build(dir)
	if err != nil {
		t.Fatal(err)
	}
	built, err := harness.Objects(out)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, o := range built {
		if o["apiVersion"] == "v1" && strings.HasPrefix(o.Name(), rowTarget+"-") {
			names[o.Kind()] = o.Name()
		}
	}
	if len(names) != 2 {
		t.Fatalf("ConfigMap and Secret are called %v, want both with a hash", names)
	}
	follow := map[referenceRow]bool{}
	for _, c := range crowds {
		id := harness.Object(c.object).Identity()
		o, ok := built[id]
		if !ok {
			t.Fatalf("%s is lost", id)
		}
		for _, r := range c.rows {
			follow[r] = harness.At(o, fieldKeys(r.path)...) == names[r.targetKind()]
		}
	}
	return follow
}

// TestReferences_followIfKustomizeDoesNot builds all kinds of the survey, with all fields that hold a plain name, with
// and without this function in addition to kustomize's generators, and counts what each follows.
func TestReferences_followIfKustomizeDoesNot(t *testing.T) {
	all, err := referenceRows()
	if err != nil {
		t.Fatal(err)
	}
	var rows []referenceRow
	seen := map[referenceRow]bool{}
	for _, r := range all {
		// A generated object has one namespace, here the default one.
		if r.plain() && r.namespace() == "default" && !seen[r] {
			seen[r] = true
			rows = append(rows, r)
		}
	}
	crowds := crowd(t, rows)
	alone := followed(t, crowds, "")
	together := followed(t, crowds, harness.FunctionConfig("{mode: Rename, rename: {generated: Adopt}}"))

	type tally struct{ fields, alone, together int }
	var total tally
	groups := map[string]tally{}
	for _, r := range rows {
		g := groups[r.group]
		for _, sum := range []*tally{&g, &total} {
			sum.fields++
			if alone[r] {
				sum.alone++
			}
			if together[r] {
				sum.together++
			}
		}
		groups[r.group] = g
		if !together[r] && !slices.Contains(notFollowed, r.String()) {
			t.Errorf("%s: followed alone, and not beside other fields of its kind; by kustomize: %t", r, alone[r])
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		return cmp.Or(groups[b].fields-groups[a].fields, strings.Compare(a, b))
	}) {
		g := groups[name]
		t.Logf("%-40s kustomize %4d of %4d, confighash %4d of %4d", cmp.Or(name, "core"), g.alone, g.fields, g.together, g.fields)
	}
	t.Logf("%-40s kustomize %d of %d (%.1f %%), confighash %d (%.1f %%), in %d objects", "all groups",
		total.alone, total.fields, percent(total.alone, total.fields), total.together, percent(total.together, total.fields), len(crowds))
	if total.fields < 11_000 || percent(total.together, total.fields) < 99 {
		t.Errorf("with the function, %d of %d fields follow, want 99 %%", total.together, total.fields)
	}
	if total.alone == 0 || percent(total.alone, total.fields) >= 5 {
		t.Errorf("kustomize by itself follows %d of %d fields, want some and less than 5 %%", total.alone, total.fields)
	}
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(of) }
