package properties_test

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/internal/test/harness"
	"github.com/confighash/confighash/internal/test/kustomize"
)

var (
	treeCount   = flag.Int("differential.trees", 150, "how many random trees to build in process")
	treeSeed    = flag.Uint64("differential.seed", 1, "the seed of the first random tree")
	shrinkTrees = flag.Bool("differential.shrink", true, "make a tree that goes wrong smaller before it is shown")
	execCount   = flag.Int("differential.exec", 24, "how many random trees to build with the kustomize binary")
)

// The ways a tree is built. The first is kustomize's own; each other must
// come to the same.
var (
	generated = way{name: "generators"}
	renamed   = way{name: "renamed", resources: true, spec: "{mode: Rename, rename: {unreferenced: Rename, readByName: Rename}}"}
	unmended  = way{name: "renamed, and kustomize forgets", resources: true, spec: "{mode: Rename, rename: {unreferenced: Rename, readByName: Rename}}", forget: true}
	adopted   = way{name: "adopted", spec: "{mode: Rename, rename: {unreferenced: Rename, readByName: Rename, generated: Adopt}}"}
	left      = way{name: "left to kustomize", spec: "{mode: Rename, rename: {unreferenced: Rename, readByName: Rename}}"}
)

// TestDifferential_equalsKustomizeGenerators builds random trees of
// kustomizations once with the content in kustomize's own generators and once
// as plain resources with the function: every object must be equal.
func TestDifferential_equalsKustomizeGenerators(t *testing.T) {
	count := *treeCount
	if testing.Short() {
		count /= 5
	}
	var built, failed, wrong int
	for seed := *treeSeed; seed < *treeSeed+uint64(count); seed++ {
		ways := []way{renamed}
		switch tree := randomTree(seed); {
		case seed%3 == 0 && tree.mendsItself():
			ways = []way{unmended}
		case seed%5 == 0:
			ways = append(ways, adopted)
		case seed%7 == 0:
			ways = append(ways, left)
		}
		for _, w := range ways {
			ok, err := compareTree(t.TempDir(), randomTree(seed), w, kustomize.Build)
			switch {
			case err != nil:
				reportTree(t, seed, w, err)
				if wrong++; wrong == 5+count/100 {
					t.Fatalf("%d trees went wrong; the rest is not built", wrong)
				}
			case ok:
				built++
			default:
				failed++
			}
		}
	}
	t.Logf("%d builds came to the same, %d were refused both by kustomize and here", built, failed)
	if built < failed {
		t.Errorf("only %d trees built, %d did not: the trees say too little", built, failed)
	}
}

// TestDifferential_equalsKustomizeBinary is the same by the kustomize people
// run, which starts the function itself.
func TestDifferential_equalsKustomizeBinary(t *testing.T) {
	if _, err := harness.Kustomize(); err != nil {
		t.Fatal(err)
	}
	for seed := *treeSeed; seed < *treeSeed+uint64(*execCount); seed++ {
		if _, err := compareTree(t.TempDir(), randomTree(seed), renamed, harness.BuildByExec); err != nil {
			reportTree(t, seed, renamed, err)
		}
	}
}

// What compareTree finds wrong.
var (
	errDiffers        = errors.New("the builds differ (-kustomize's generators +this function)")
	errKustomizeFails = errors.New("kustomize's generators fail, this function does not")
	errFunctionFails  = errors.New("kustomize's generators build, this function fails")
)

// compareTree builds a tree as kustomize does and in another way. It is true
// where both build to the same, and false where both rightly fail.
func compareTree(dir string, t *tree, w way, build harness.Builder) (bool, error) {
	want, wantErr, err := buildTree(filepath.Join(dir, "generated"), t, generated, build)
	if err != nil {
		return false, err
	}
	got, gotErr, err := buildTree(filepath.Join(dir, "function"), t, w, build)
	if err != nil {
		return false, err
	}
	switch {
	case wantErr != nil && gotErr != nil:
		return false, nil
	case wantErr != nil:
		if t.mayBuild(wantErr) {
			return false, nil
		}
		return false, fmt.Errorf("%w:\n%w", errKustomizeFails, wantErr)
	case gotErr != nil:
		return false, fmt.Errorf("%w:\n%w", errFunctionFails, gotErr)
	}
	// Around the function kustomize loses references where several variants
	// are candidates and none has the referrer's suffixes. What then stands
	// there is the earlier name, with the hash or without.
	different, err := harness.Diff(want, got, t.wrapped)
	if err != nil {
		return false, err
	}
	if different != "" {
		return false, fmt.Errorf("%w\n%s", errDiffers, different)
	}
	return true, nil
}

// mayBuild tells whether a tree may build with the function in spite of the
// error that kustomize's generators end in.
func (t *tree) mayBuild(err error) bool {
	because := func(words string) bool { return strings.Contains(err.Error(), words) }
	// A generator may not use a name that an object of a base had earlier;
	// a resource may.
	if because("can not use behavior") || because("could accept merge") {
		return true
	}
	// With the function in an inner layer, names differ by their hashes and
	// references are resolved before the layers around add what makes them
	// collide and ambiguous.
	return (t.wrapped || t.repeated) &&
		(because("multiple possible referrals") || because("already registered id") || because("produces ID conflict"))
}

// mendsItself tells whether the function alone must come to what kustomize
// comes to: it runs once, and last. What bears its name from the beginning is
// no candidate for kustomize, though it is for the function.
func (t *tree) mendsItself() bool {
	return !t.wrapped && !t.repeated && !slices.ContainsFunc(t.layers(), func(l *layer) bool {
		return slices.ContainsFunc(l.contents, func(c *content) bool { return c.noSuffix })
	})
}

// buildTree writes a tree beneath dir and builds it. buildErr is kustomize's
// error.
func buildTree(dir string, t *tree, w way, build harness.Builder) (out []byte, buildErr, err error) {
	f, err := t.files(w)
	if err != nil {
		return nil, nil, err
	}
	if err := f.Write(dir); err != nil {
		return nil, nil, err
	}
	out, buildErr = build(filepath.Join(dir, t.root.dir))
	return out, buildErr, nil
}

// reportTree says all that is needed to see and repeat a disagreement.
func reportTree(t *testing.T, seed uint64, w way, err error) {
	t.Helper()
	shrunk := randomTree(seed)
	fails := func(smaller *tree) error {
		_, err := compareTree(t.TempDir(), smaller, w, kustomize.Build)
		return err
	}
	if *shrinkTrees {
		if smallErr := shrunk.shrink(fails); smallErr != nil {
			err = smallErr
		}
	}
	f, filesErr := shrunk.files(w)
	if filesErr != nil {
		t.Fatal(filesErr)
	}
	t.Errorf("-differential.seed=%d -differential.trees=1: %s: %v\nkustomize build %s\n%v", seed, w.name, err, shrunk.root.dir, f)
}

// shrink takes away whatever the failure does without. It returns the last
// failure, or nil if there was none.
func (t *tree) shrink(fails func(*tree) error) error {
	last := fails(t)
	if last == nil {
		return nil
	}
	tries := 0
	for smaller := true; smaller; {
		smaller = false
		// try runs a change and takes it back if the failure goes with it.
		try := func(change, restore func()) {
			if tries++; tries > 400 {
				return
			}
			change()
			if err := fails(t); err != nil && alike(err, last) {
				last, smaller = err, true
				return
			}
			restore()
		}
		if len(t.root.bases) == 1 && t.root.bases[0].function {
			root := t.root
			try(func() { t.root = root.bases[0] }, func() { t.root = root })
		}
		for _, l := range t.layers() {
			shrinkList(&l.bases, try)
			shrinkList(&l.referrers, try)
			shrinkList(&l.patches, try)
			shrinkList(&l.contents, try)
			for _, text := range []*string{&l.prefix, &l.suffix, &l.namespace} {
				if before := *text; before != "" {
					try(func() { *text = "" }, func() { *text = before })
				}
			}
			if before := l.labels; before != nil {
				try(func() { l.labels = nil }, func() { l.labels = before })
			}
			for _, c := range l.contents {
				shrinkList(&c.values, try)
				if before := *c; before.labels != nil || before.annotations != nil || before.immutable || before.noSuffix {
					try(func() { c.labels, c.annotations, c.immutable, c.noSuffix = nil, nil, false, false }, func() { *c = before })
				}
			}
			for _, r := range l.referrers {
				shrinkValue(map[string]any(r), try)
			}
		}
	}
	return last
}

// alike tells whether two errors of compareTree are of one cause.
func alike(one, other error) bool {
	for _, kind := range []error{errDiffers, errKustomizeFails, errFunctionFails} {
		if errors.Is(one, kind) != errors.Is(other, kind) {
			return false
		}
	}
	for _, words := range []string{"multiple possible referrals", "already registered id", "ID conflict", "is empty"} {
		if strings.Contains(one.Error(), words) != strings.Contains(other.Error(), words) {
			return false
		}
	}
	return true
}

// shrinkList tries to do without each element of a list.
func shrinkList[T any](list *[]T, try func(change, restore func())) {
	for i := len(*list) - 1; i >= 0; i-- {
		before := *list
		without := append(append([]T{}, before[:i]...), before[i+1:]...)
		try(func() { *list = without }, func() { *list = before })
	}
}

// shrinkValue tries to do without each entry and element beneath a value.
func shrinkValue(value any, try func(change, restore func())) {
	parent, ok := value.(map[string]any)
	if !ok {
		return
	}
	for key, child := range parent {
		if slices.Contains([]string{"apiVersion", "kind", "metadata", "rules"}, key) {
			continue
		}
		removed := true
		try(func() { delete(parent, key) }, func() { parent[key], removed = child, false })
		if removed {
			continue
		}
		list, ok := child.([]any)
		if !ok {
			shrinkValue(child, try)
			continue
		}
		shrinkList(&list, func(change, restore func()) {
			try(func() { change(); parent[key] = list }, func() { restore(); parent[key] = list })
		})
		for _, element := range list {
			shrinkValue(element, try)
		}
	}
}
