package properties_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/internal/test/harness"
	"github.com/confighash/confighash/internal/test/kustomize"

	"github.com/google/go-cmp/cmp"
)

var (
	annotateTrees     = flag.Int("annotate.trees", 12, "how many random trees of kustomizations to stamp in process")
	annotateTreesSeed = flag.Uint64("annotate.treeseed", 1, "the seed of the first random tree to stamp")
	annotateExec      = flag.Int("annotate.exec", 2, "how many random trees to stamp with the kustomize binary")
)

// consumerTree makes the tree of a seed, whose function sees all of it. Its pods
// mount most of their volumes.
func consumerTree(seed uint64) *tree {
	t := randomTree(seed)
	if t.wrapped {
		t.root = t.layers()[slices.IndexFunc(t.layers(), func(l *layer) bool { return l.function && !l.outside && isOutermost(t, l) })]
		t.wrapped = false
	}
	d := newDice(seed + 1)
	for _, l := range t.layers() {
		for _, r := range l.referrers {
			mountVolumes(d, map[string]any(r))
		}
	}
	return t
}

// isOutermost tells that no layer around l lists the function.
func isOutermost(t *tree, l *layer) bool {
	return !slices.ContainsFunc(t.layers(), func(around *layer) bool {
		return around != l && around.function && slices.Contains((&tree{root: around}).layers(), l)
	})
}

// mountVolumes lets the first container of each pod spec beneath a value mount
// volumes.
func mountVolumes(d *dice, value map[string]any) {
	containers, volumes := elements(value, "containers"), elements(value, "volumes")
	if len(containers) > 0 {
		mounts := []any{}
		for _, volume := range volumes {
			if !d.chance(75) {
				continue
			}
			mount := map[string]any{"name": volume["name"], "mountPath": "/" + d.fresh("mnt")}
			if d.chance(30) {
				mount["subPath"] = pick(d, append(slices.Clone(contentKeys), "b"))
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

// A treeChange changes a tree and takes that back. A change of something that
// the tree does not hold any more does nothing.
type treeChange struct {
	what       string
	neutral    bool
	do, revert func()
}

// treeChanges returns a change of one value, and one of a label.
func treeChanges(d *dice, t *tree) []treeChange {
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
		c := pick(d, contents)
		v := &c.values[d.IntN(len(c.values))]
		before := v.text
		found = append(found, treeChange{
			what: fmt.Sprintf("%s %s, key %s", c.kind, c.name, v.key),
			do:   func() { v.text = "changed" }, revert: func() { v.text = before },
		})
	}
	l := pick(d, t.layers())
	before := l.labels
	return append(found, treeChange{
		what: "the labels of " + l.dir, neutral: true,
		do: func() { l.labels = map[string]string{"team": "changed"} }, revert: func() { l.labels = before },
	})
}

// kustomizeSuffix is how a name ends that kustomize has hashed.
var kustomizeSuffix = regexp.MustCompile(`-[245-9bcdfghkmt]{10}$`)

// withoutSuffixes takes kustomize's own hashes from the names of objects and from
// where pods refer to them. It is false where two objects then have one name.
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

// losesItsOwn tells that kustomize may mend references to another object than
// the one of the same layer: what bears its name from the beginning is no
// candidate for it, as soon as another had that name earlier (as of 5.8.2).
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

// A builtTree is what a build of a tree comes to, without kustomize's hashes.
type builtTree struct {
	objects []harness.Object
	wanted  stampTable
}

// errNotBuilt tells of a tree that means nothing for a test.
var errNotBuilt = errors.New("kustomize does not build it")

// buildStamped builds a tree with the function and holds what comes out against
// what each pod consumes by the names that kustomize has mended.
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

// checkTree builds a tree before and after changes. It returns how many pod
// templates rolled.
func checkTree(t *testing.T, tr *tree, spec annotateSpec, build harness.Builder, changes []treeChange) (stamped, rolled int, err error) {
	t.Helper()
	bearing := newChecksumMeanings()
	dir := t.TempDir()
	before, err := buildStamped(filepath.Join(dir, "before"), tr, spec, build, bearing)
	if err != nil {
		return 0, 0, err
	}
	for _, wanted := range before.wanted {
		stamped += min(len(wanted), 1)
	}
	was := before.templates(spec)
	for i, c := range changes {
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

// stampTrees checks random trees and shows those that go wrong.
func stampTrees(t *testing.T, count int, build harness.Builder) {
	t.Helper()
	var notBuilt, stamped, rolled int
	for seed := *annotateTreesSeed; seed < *annotateTreesSeed+uint64(count); seed++ {
		d := newDice(seed)
		spec := annotateSpec{
			key: "checksum/config", scope: pick(d, []string{"Workload", "Source"}), granularity: pick(d, []string{"Key", "Key", "Object"}),
			policy: "All", namespace: "default", discover: d.chance(50),
		}
		tr := consumerTree(seed)
		changes := treeChanges(d, tr)
		s, r, err := checkTree(t, tr, spec, build, changes)
		switch {
		case errors.Is(err, errNotBuilt):
			notBuilt++
		case err != nil:
			if *annotateShrink {
				if smaller := tr.shrink(func(tr *tree) error {
					_, _, err := checkTree(t, tr, spec, kustomize.Build, changes)
					if errors.Is(err, errNotBuilt) {
						return nil
					}
					return err
				}); smaller != nil {
					err = smaller
				}
			}
			f, filesErr := tr.files(way{resources: true, spec: spec.String()})
			if filesErr != nil {
				t.Fatal(filesErr)
			}
			t.Fatalf("-annotate.treeseed=%d -annotate.trees=1: %v\nkustomize build %s\n%v", seed, err, tr.root.dir, f)
		}
		stamped += s
		rolled += r
	}
	t.Logf("%d pod templates stamped, %d rolled, %d trees do not build", stamped, rolled, notBuilt)
	if stamped < count/2 || count >= 12 && rolled == 0 || notBuilt > count/2 {
		t.Errorf("%d pod templates stamped, %d rolled, %d trees do not build: the trees say too little", stamped, rolled, notBuilt)
	}
}

// Through prefixes, suffixes, namespaces, variants, patches and generators every
// pod template that consumes something by the names that kustomize gives in the
// end has a checksum, and a value changes those of its consumers alone.
func TestAnnotate_underKustomize_rollsExactlyTheConsumers(t *testing.T) {
	count := *annotateTrees
	if testing.Short() {
		count /= 5
	}
	stampTrees(t, count, kustomize.Build)
}

// The same by the kustomize that people run.
func TestAnnotate_underKustomizeBinary_rollsExactlyTheConsumers(t *testing.T) {
	if _, err := harness.Kustomize(); err != nil {
		t.Fatal(err)
	}
	stampTrees(t, *annotateExec, harness.BuildByExec)
}
