package properties_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/harness"
	"github.com/confighash/confighash/test/support/kustomize"
	"github.com/confighash/confighash/test/support/property"

	"github.com/google/go-cmp/cmp"
)

// consumerTree returns a tree that the function processes completely. Its pods mount most of their volumes.
func consumerTree(d *gen.Dice) *tree {
	t := randomTree(d)
	if t.wrapped {
		t.root = t.layers()[slices.IndexFunc(t.layers(), func(l *layer) bool { return l.function && !l.outside && isOutermost(t, l) })]
		t.wrapped = false
	}
	for _, l := range t.layers() {
		for _, r := range l.referrers {
			mountVolumes(d, map[string]any(r))
		}
	}
	return t
}

// isOutermost reports whether no layer around l lists the function.
func isOutermost(t *tree, l *layer) bool {
	return !slices.ContainsFunc(t.layers(), func(around *layer) bool {
		return around != l && around.function && slices.Contains((&tree{root: around}).layers(), l)
	})
}

// mountVolumes makes the first container of each pod spec beneath a value mount volumes.
func mountVolumes(d *gen.Dice, value map[string]any) {
	containers, volumes := elements(value, "containers"), elements(value, "volumes")
	if len(containers) > 0 {
		mounts := []any{}
		for _, volume := range volumes {
			if !d.Chance(75) {
				continue
			}
			mount := map[string]any{"name": volume["name"], "mountPath": "/" + d.Fresh("mnt")}
			if d.Chance(30) {
				mount["subPath"] = gen.Pick(d, append(slices.Clone(contentKeys), "b"))
			}
			mounts = append(mounts, mount)
		}
		if len(mounts) > 0 {
			containers[0]["volumeMounts"] = mounts
		}
		return
	}
	for _, key := range slices.Sorted(maps.Keys(value)) {
		if child, ok := value[key].(map[string]any); ok {
			mountVolumes(d, child)
		}
	}
}

// A treeChange changes a tree and reverts that. It does nothing if the tree no longer has the part.
type treeChange struct {
	what       string
	neutral    bool
	do, revert func()
}

// treeChanges returns a change of one value, and one of a label.
func treeChanges(d *gen.Dice, t *tree) []treeChange {
	var found []treeChange
	var contents []*content
	for _, l := range t.layers() {
		for _, c := range l.contents {
			if len(c.values) > 0 {
				contents = append(contents, c)
			}
		}
	}
	for range min(len(contents), 2) {
		c := gen.Pick(d, contents)
		v := &c.values[d.IntN(len(c.values))]
		before := v.text
		found = append(found, treeChange{
			what: fmt.Sprintf("%s %s, key %s", c.kind, c.name, v.key),
			do:   func() { v.text = "changed" }, revert: func() { v.text = before },
		})
	}
	l := gen.Pick(d, t.layers())
	before := l.labels
	return append(found, treeChange{
		what: "the labels of " + l.dir, neutral: true,
		do: func() { l.labels = map[string]string{"team": "changed"} }, revert: func() { l.labels = before },
	})
}

// kustomizeSuffix matches the end of a name that kustomize has hashed.
var kustomizeSuffix = regexp.MustCompile(`-[245-9bcdfghkmt]{10}$`)

// withoutSuffixes removes kustomize's own hashes from the names of objects and from the pods' references. It returns
// false if two objects then have the same name.
func withoutSuffixes(objects []harness.Object) bool {
	plain, taken := map[string]string{}, map[string]bool{}
	for _, o := range objects {
		if o.Kind() != "ConfigMap" && o.Kind() != "Secret" {
			continue
		}
		name := kustomizeSuffix.ReplaceAllString(o.Name(), "")
		id := o.Kind() + " " + effective(o.Namespace()) + "/" + name
		if taken[id] {
			return false
		}
		taken[id] = true
		if name != o.Name() {
			plain[o.Name()] = name
			o["metadata"].(map[string]any)["name"] = name
		}
	}
	var replace func(value any) any
	replace = func(value any) any {
		switch value := value.(type) {
		case map[string]any:
			for key, child := range value {
				value[key] = replace(child)
			}
		case []any:
			for i, child := range value {
				value[i] = replace(child)
			}
		case string:
			if name, ok := plain[value]; ok {
				return name
			}
		}
		return value
	}
	for _, o := range objects {
		if o.Kind() != "ConfigMap" && o.Kind() != "Secret" {
			replace(map[string]any(o))
		}
	}
	return true
}

// losesItsOwn reports whether kustomize may resolve references to an object of another layer: an object with its
// original name is not a candidate if another had that name earlier (as of 5.8.2).
func losesItsOwn(t *tree, objects []harness.Object) bool {
	for _, l := range t.layers() {
		for _, c := range l.contents {
			for _, own := range objects {
				if own.Kind() == c.kind && own.Name() == c.name && slices.ContainsFunc(objects, func(other harness.Object) bool {
					return other.Kind() == c.kind && other.Name() != c.name && strings.Contains(other.Name(), c.name)
				}) {
					return true
				}
			}
		}
	}
	return false
}

// A builtTree is the result of building a tree, without kustomize's hashes.
type builtTree struct {
	objects []harness.Object
	wanted  stampTable
}

// errNotBuilt reports a tree that is useless for a test.
var errNotBuilt = errors.New("kustomize does not build it")

// buildStamped builds a tree with the function and compares the output with what each pod consumes by the names that
// kustomize has fixed.
func buildStamped(dir string, t *tree, spec annotateSpec, build harness.Builder, bearing checksumMeanings) (*builtTree, error) {
	out, buildErr, err := buildTree(dir, t, way{name: "annotated", resources: true, spec: spec.String()}, build)
	if err != nil {
		return nil, err
	}
	if buildErr != nil {
		_, plainErr, err := buildTree(dir, t, way{name: "without the function", resources: true}, build)
		if err == nil && plainErr != nil {
			return nil, errNotBuilt
		}
		return nil, mismatchf("the function fails", "%v", buildErr)
	}
	b := &builtTree{}
	if b.objects, err = readManifests(string(out)); err != nil {
		return nil, err
	}
	if !withoutSuffixes(b.objects) || losesItsOwn(t, b.objects) {
		return nil, errNotBuilt
	}
	oracle := &consumptionOracle{annotateSpec: spec, objects: b.objects}
	b.wanted = oracle.stamps()
	for _, o := range b.objects {
		for i, template := range spec.rollingTemplates(o) {
			id := templateID(o, i)
			if err := spec.compareStamps(id, b.wanted[id], nil, template, bearing); err != nil {
				return nil, fmt.Errorf("%w\nin\n%s", err, out)
			}
		}
	}
	return b, nil
}

// templates returns the pod templates that roll.
func (b *builtTree) templates(spec annotateSpec) map[string]any {
	return (&stampedPackage{outItems: b.objects}).templates(spec)
}

// A changedTree is a tree, with its spec and its changes.
type changedTree struct {
	*tree
	spec    annotateSpec
	changes []treeChange
}

func randomChangedTree(d *gen.Dice) changedTree {
	c := changedTree{tree: consumerTree(d), spec: annotateSpec{
		key: "checksum/config", scope: gen.Pick(d, []string{"Workload", "Source"}), granularity: gen.Pick(d, []string{"Key", "Key", "Object"}),
		policy: "All", namespace: "default", discover: d.Chance(50),
	}}
	c.changes = treeChanges(d, c.tree)
	return c
}

// check builds a tree before and after its changes. It returns how many pod templates are stamped, and how many rolled.
func (c changedTree) check(build harness.Builder) (stamped, rolled int, err error) {
	bearing := newChecksumMeanings()
	dir, err := os.MkdirTemp("", "tree-")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	tr, spec := c.tree, c.spec
	before, err := buildStamped(filepath.Join(dir, "before"), tr, spec, build, bearing)
	if err != nil {
		return 0, 0, err
	}
	for _, wanted := range before.wanted {
		stamped += min(len(wanted), 1)
	}
	was := before.templates(spec)
	for i, c := range c.changes {
		c.do()
		after, err := buildStamped(filepath.Join(dir, fmt.Sprint(i)), tr, spec, build, bearing)
		c.revert()
		if errors.Is(err, errNotBuilt) {
			continue
		}
		if err != nil {
			return 0, 0, fmt.Errorf("%w\nafter a change of %s", err, c.what)
		}
		var want, got []string
		for id, template := range after.templates(spec) {
			if !maps.Equal(before.wanted[id], after.wanted[id]) {
				want = append(want, id)
			}
			if !cmp.Equal(was[id], template) {
				got = append(got, id)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" || c.neutral && len(got) > 0 {
			return 0, 0, mismatchf("other pod templates roll", "a change of %s: got %q (-want +got)\n%s", c.what, got, diff)
		}
		rolled += len(got)
	}
	return stamped, rolled, nil
}

// stampTrees checks random trees.
func stampTrees(t *testing.T, count int, build harness.Builder) {
	t.Helper()
	var notBuilt, stamped, rolled int
	property.ForAll(t, count, randomChangedTree, func(_ *gen.Dice, c changedTree) error {
		s, r, err := c.check(build)
		if errors.Is(err, errNotBuilt) {
			notBuilt++
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w\n%s", err, c.show(way{resources: true, spec: c.spec.String()}))
		}
		stamped += s
		rolled += r
		return nil
	})
	count = property.Cases(count)
	t.Logf("%d pod templates stamped, %d rolled, %d trees do not build", stamped, rolled, notBuilt)
	if stamped < count/2 || count >= 12 && rolled == 0 || notBuilt > count/2 {
		t.Errorf("%d pod templates stamped, %d rolled, %d trees do not build: the trees say too little", stamped, rolled, notBuilt)
	}
}

// Through prefixes, suffixes, namespaces, variants, patches and generators, every pod template that consumes something
// by its final name has a checksum, and a changed value changes exactly its consumers' checksums.
func TestAnnotate_underKustomize_rollsExactlyTheConsumers(t *testing.T) {
	stampTrees(t, trees/2, kustomize.Build)
}

// The same with the kustomize binary.
func TestAnnotate_underKustomizeBinary_rollsExactlyTheConsumers(t *testing.T) {
	if _, err := harness.Kustomize(); err != nil {
		t.Fatal(err)
	}
	stampTrees(t, trees/15, harness.BuildByExec)
}
