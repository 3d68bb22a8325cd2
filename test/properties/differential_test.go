package properties_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/harness"
	"github.com/confighash/confighash/test/support/kustomize"
	"github.com/confighash/confighash/test/support/property"
)

// The ways to build a tree. The first is kustomize's own; the others must have the same result.
var (
	generated = way{name: "generators"}
	renamed   = way{name: "renamed", resources: true, spec: "{mode: Rename, rename: {unreferenced: Rename, readByName: Rename}}"}
	unmended  = way{name: "renamed, and kustomize forgets", resources: true, spec: "{mode: Rename, rename: {unreferenced: Rename, readByName: Rename}}", forget: true}
	adopted   = way{name: "adopted", spec: "{mode: Rename, rename: {unreferenced: Rename, readByName: Rename, generated: Adopt}}"}
	left      = way{name: "left to kustomize", spec: "{mode: Rename, rename: {unreferenced: Rename, readByName: Rename}}"}
)

// A builtWay is a tree, with the ways to build it.
type builtWay struct {
	tree *tree
	ways []way
}

func randomWays(d *gen.Dice) builtWay {
	b := builtWay{randomTree(d), []way{renamed}}
	switch roll := d.IntN(9); {
	case roll < 3 && b.tree.resolvesItself():
		b.ways = []way{unmended}
	case roll < 5:
		b.ways = append(b.ways, adopted)
	case roll < 6:
		b.ways = append(b.ways, left)
	}
	return b
}

// trees is the default number of random trees for a property.
const trees = 30

// TestDifferential_equalsKustomizeGenerators builds random trees of kustomizations once with the content in kustomize's
// own generators and once as plain resources with the function: all objects must be equal.
func TestDifferential_equalsKustomizeGenerators(t *testing.T) {
	var built, failed int
	property.ForAll(t, trees, randomWays, func(_ *gen.Dice, b builtWay) error {
		for _, w := range b.ways {
			ok, err := compareTree(b.tree, w, kustomize.Build)
			switch {
			case err != nil:
				return err
			case ok:
				built++
			default:
				failed++
			}
		}
		return nil
	})
	t.Logf("%d builds came to the same, %d were refused both by kustomize and here", built, failed)
	if built < property.Cases(trees)/3 {
		t.Errorf("only %d trees built, %d did not: the trees say too little", built, failed)
	}
}

// TestDifferential_equalsKustomizeBinary is the same with the kustomize binary, which starts the function itself.
func TestDifferential_equalsKustomizeBinary(t *testing.T) {
	if _, err := harness.Kustomize(); err != nil {
		t.Fatal(err)
	}
	property.ForAll(t, trees/5, randomTree, func(_ *gen.Dice, tr *tree) error {
		_, err := compareTree(tr, renamed, harness.BuildByExec)
		return err
	})
}

// The errors of compareTree.
var (
	errDiffers        = errors.New("the builds differ (-kustomize's generators +this function)")
	errKustomizeFails = errors.New("kustomize's generators fail, this function does not")
	errFunctionFails  = errors.New("kustomize's generators build, this function fails")
)

// compareTree builds a tree with kustomize's generators and in another way. It returns true if the results are equal,
// and false if both rightly fail. The error shows the tree.
func compareTree(t *tree, w way, build harness.Builder) (bool, error) {
	dir, err := os.MkdirTemp("", "tree-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	ok, err := compareTreeIn(dir, t, w, build)
	if err == nil {
		return ok, nil
	}
	return false, &mismatch{causeOfTree(err), fmt.Sprintf("%s: %v\n%s", w.name, err, t.show(w))}
}

func compareTreeIn(dir string, t *tree, w way, build harness.Builder) (bool, error) {
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
		if t.keepsNames() && strings.Contains(gotErr.Error(), "is ambiguous") {
			return false, nil // kustomize uses the only object with a hash
		}
		return false, fmt.Errorf("%w:\n%w", errFunctionFails, gotErr)
	}
	// In layers around the function, or with several runs, kustomize does not resolve a reference if several variants are
	// candidates and none has the referrer's suffixes. The reference then has the earlier name, with the hash or
	// without, unless a run resolved it before.
	different, err := harness.Diff(want, got, t.wrapped || t.repeated)
	if err != nil {
		return false, err
	}
	if different != "" {
		return false, fmt.Errorf("%w\n%s", errDiffers, different)
	}
	return true, nil
}

// mayBuild reports whether a tree may build with the function although kustomize's generators fail with this error.
func (t *tree) mayBuild(err error) bool {
	because := func(words string) bool { return strings.Contains(err.Error(), words) }
	// A generator may not use the earlier name of an object in a base; a resource may.
	if because("can not use behavior") || because("could accept merge") {
		return true
	}
	// If the function runs in an inner layer, names differ by their hashes, and references are resolved before the
	// outer layers make them ambiguous.
	return (t.wrapped || t.repeated) &&
		(because("multiple possible referrals") || because("already registered id") || because("produces ID conflict"))
}

// resolvesItself reports whether the function alone must have kustomize's result: it runs once, and last. Objects with
// their original names are not candidates for kustomize, but they are for the function.
func (t *tree) resolvesItself() bool { return !t.wrapped && !t.repeated && !t.keepsNames() }

// keepsNames reports whether an object keeps its name.
func (t *tree) keepsNames() bool {
	return slices.ContainsFunc(t.layers(), func(l *layer) bool {
		return slices.ContainsFunc(l.contents, func(c *content) bool { return c.noSuffix })
	})
}

// buildTree writes a tree beneath dir and builds it. buildErr is kustomize's error.
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

// show returns the files of a tree, to reproduce a failure.
func (t *tree) show(w way) string {
	f, err := t.files(w)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("kustomize build %s\n%v", t.root.dir, f)
}

// causeOfTree returns what errors of the same cause have in common.
func causeOfTree(err error) string {
	var cause []string
	for _, kind := range []error{errDiffers, errKustomizeFails, errFunctionFails} {
		if errors.Is(err, kind) {
			cause = append(cause, kind.Error())
		}
	}
	for _, words := range []string{"multiple possible referrals", "already registered id", "ID conflict", "is empty"} {
		if strings.Contains(err.Error(), words) {
			cause = append(cause, words)
		}
	}
	return strings.Join(cause, ", ")
}
