package properties_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	confighash "github.com/confighash/confighash/internal/build"
	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/harness"
	"github.com/confighash/confighash/test/support/kustomize"
	"github.com/confighash/confighash/test/support/property"
)

// A pipedTree is a tree, with the function's settings.
type pipedTree struct {
	*tree
	resources bool
	spec      string
}

func randomPiped(d *gen.Dice) pipedTree {
	t := pipedTree{randomTree(d), d.Chance(50), gen.Pick(d, []string{
		"{mode: Rename}", "{mode: Annotate}", "{mode: Rename, rename: {unreferenced: Rename, readByName: Rename}}",
	})}
	for _, l := range t.layers() {
		for _, c := range l.contents {
			// A pipe does not convey such a generator, and kustomize does not take its object for what a reference
			// means if another one had the same name.
			c.noSuffix = c.noSuffix && !c.generator && t.resources
		}
	}
	return t
}

// TestBuild_equalsThePipe builds random trees with `confighash build`, with the functionConfig given or listed by the
// kustomizations, and through a pipe.
func TestBuild_equalsThePipe(t *testing.T) {
	var built, failed int
	property.ForAll(t, 60, randomPiped, func(_ *gen.Dice, p pipedTree) error {
		ok, err := p.compare()
		if ok {
			built++
		} else {
			failed++
		}
		if err != nil {
			return &mismatch{causeOfTree(err), fmt.Sprintf("%s: %v\n%s", p.spec, err, p.show(way{resources: p.resources}))}
		}
		return nil
	})
	t.Logf("%d builds came to the same, %d were refused by kustomize", built, failed)
	if built < property.Cases(60)/2 {
		t.Errorf("only %d trees built, %d did not: the trees say too little", built, failed)
	}
}

var errBuilt = errors.New("an output")

func (p pipedTree) compare() (bool, error) {
	config, err := v1alpha1.ParseYAML([]byte(harness.FunctionConfig(p.spec)))
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "tree-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	text, buildErr, err := buildTree(filepath.Join(dir, "plain"), p.tree, way{resources: p.resources}, kustomize.Build)
	if err != nil {
		return false, err
	}
	var want bytes.Buffer
	if buildErr == nil {
		_, buildErr = function.Process(text, &want, function.Options{Config: config})
	}
	for name, w := range map[string]way{"plain": {resources: p.resources}, "listed": {resources: p.resources, spec: p.spec}} {
		run := func(dir string) ([]byte, error) {
			o := confighash.Options{Function: function.Options{Config: config}, AllowEmpty: true}
			if w.spec != "" && p.root.function {
				o.Function.Config = nil
			}
			out, _, err := confighash.Run(dir, o)
			return out, err
		}
		got, gotErr, err := buildTree(filepath.Join(dir, name), p.tree, w, run)
		switch {
		case err != nil:
			return false, err
		case (buildErr == nil) != (gotErr == nil):
			return false, fmt.Errorf("%s: the pipe ends with %w, build with %w", name, cmp.Or(buildErr, errBuilt), cmp.Or(gotErr, errBuilt))
		case buildErr != nil:
			continue
		}
		if diff := gocmp.Diff(want.String(), string(got)); diff != "" {
			return false, fmt.Errorf("%s: (-pipe +build):\n%s", name, diff)
		}
	}
	return buildErr == nil, nil
}
