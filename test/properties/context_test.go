package properties_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/pkg/api/v1alpha1"
	"github.com/confighash/confighash/pkg/function"
	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/harness"
	"github.com/confighash/confighash/test/support/property"
)

// builds are two parts of a package: no resource of the platform refers to the apps.
type builds struct {
	whole, platform, apps *plainPackage
	crossing              bool // something of the apps refers to the platform
}

func randomBuilds(d *gen.Dice) *builds {
	whole := randomPackage(d)
	whole.form, whole.crlf = stream, false
	b := &builds{whole: whole, platform: &plainPackage{form: stream, style: whole.style}, apps: &plainPackage{form: stream, style: whole.style, anchors: whole.anchors}}
	ofPlatform := map[*subject]bool{}
	for _, doc := range whole.documents {
		if doc.subject != nil {
			ofPlatform[doc.subject] = d.Chance(60)
		}
	}
	for _, doc := range whole.documents {
		part := b.apps
		mentioned := mentionedIn(map[string]any(doc.value))
		own := func(s *subject) bool { return !ofPlatform[s] }
		if !slices.ContainsFunc(mentioned, own) && (doc.subject != nil || d.Chance(30)) {
			part = b.platform
		}
		b.crossing = b.crossing || part == b.apps && slices.ContainsFunc(mentioned, func(s *subject) bool { return ofPlatform[s] })
		part.documents = append(part.documents, doc)
	}
	return b
}

func mentionedIn(value any) (found []*subject) {
	switch value := value.(type) {
	case map[string]any:
		for _, child := range value {
			found = append(found, mentionedIn(child)...)
		}
	case []any:
		for _, child := range value {
			found = append(found, mentionedIn(child)...)
		}
	case mention:
		found = append(found, value.of)
	}
	return found
}

func build(mode v1alpha1.Mode, unreferenced v1alpha1.Unreferenced, text string, context ...string) (string, error) {
	config := v1alpha1.New(mode, v1alpha1.PolicyAll)
	if mode == v1alpha1.ModeRename {
		config.Spec.Rename.ReadByName, config.Spec.Rename.Unreferenced = v1alpha1.ReadByNameRename, unreferenced
	}
	o := function.Options{Config: config}
	for i, c := range context {
		o.Context = append(o.Context, function.Manifests{Name: fmt.Sprintf("context-%d.yaml", i), Data: []byte(c)})
	}
	var out bytes.Buffer
	_, err := function.Process([]byte(text), &out, o)
	return out.String(), err
}

// pick returns the documents of part from the output for the whole.
func (b *builds) pick(out string, part *plainPackage) ([]harness.Object, error) {
	all, err := b.whole.parse(out)
	if err != nil {
		return nil, err
	}
	if len(all) != len(b.whole.documents) {
		return nil, fmt.Errorf("%d documents of %d", len(all), len(b.whole.documents))
	}
	var picked []harness.Object
	for i, doc := range b.whole.documents {
		if slices.Contains(part.documents, doc) {
			picked = append(picked, all[i])
		}
	}
	return picked, nil
}

// check compares the output of a part with the corresponding part of the whole.
func (b *builds) check(what, together string, part *plainPackage, out string) error {
	want, err := b.pick(together, part)
	if err != nil {
		return err
	}
	got, err := part.parse(out)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("%s: (-together +apart)\n%s\nplatform:\n%s\napps:\n%s", what, diff, b.platform.text(nil), b.apps.text(nil))
	}
	return nil
}

func forBuilds(t *testing.T, check func(*builds) error) {
	t.Helper()
	crossing := 0
	property.ForAll(t, packages, randomBuilds, func(_ *gen.Dice, b *builds) error {
		if b.crossing {
			crossing++
		}
		return check(b)
	})
	if crossing < property.Cases(packages)/4 {
		t.Errorf("references cross between the builds of only %d packages", crossing)
	}
}

// If each of two builds has the other one as context, the result is the same as of a single build. A second run changes
// nothing.
func TestContext_renamesAsOneBuildDoes(t *testing.T) {
	forBuilds(t, func(b *builds) error {
		rename := func(unreferenced v1alpha1.Unreferenced, text string, context ...string) (string, error) {
			return build(v1alpha1.ModeRename, unreferenced, text, context...)
		}
		together, err := rename(v1alpha1.UnreferencedRename, b.whole.text(nil))
		if err != nil {
			return nil //nolint:nilerr // other tests say what is wrong with a package
		}
		platform, err := rename(v1alpha1.UnreferencedRename, b.platform.text(nil))
		if err != nil {
			return err
		}
		apps, err := rename(v1alpha1.UnreferencedRename, b.apps.text(nil), platform)
		if err != nil {
			return fmt.Errorf("apps: %w", err)
		}
		if err := b.check("the apps differ", together, b.apps, apps); err != nil {
			return err
		}
		again, err := rename(v1alpha1.UnreferencedRename, apps, platform)
		if err != nil {
			return err
		}
		if again != apps {
			return fmt.Errorf("a second run differs: (-once +twice)\n%s", cmp.Diff(apps, again))
		}
		names, err := harness.Run([]byte(platform), harness.Binary, "names")
		if err != nil {
			return err
		}
		if again, err = rename(v1alpha1.UnreferencedRename, b.apps.text(nil), string(names)); err != nil {
			return err
		}
		if again != apps {
			return fmt.Errorf("with a list of names: (-manifests +names)\n%s", cmp.Diff(apps, again))
		}
		// The platform learns which of its objects the apps use.
		if together, err = rename(v1alpha1.UnreferencedKeep, b.whole.text(nil)); err != nil {
			return err
		}
		if platform, err = rename(v1alpha1.UnreferencedKeep, b.platform.text(nil), apps); err != nil {
			return fmt.Errorf("platform: %w", err)
		}
		return b.check("the platform differs", together, b.platform, platform)
	})
}

// A checksum covers objects of another build as in a single build.
func TestContext_countsInChecksumsAsInOneBuild(t *testing.T) {
	forBuilds(t, func(b *builds) error {
		together, err := build(v1alpha1.ModeAnnotate, "", b.whole.text(nil))
		if err != nil {
			return nil //nolint:nilerr // other tests say what is wrong with a package
		}
		apps, err := build(v1alpha1.ModeAnnotate, "", b.apps.text(nil), b.platform.text(nil))
		if err != nil {
			return fmt.Errorf("apps: %w", err)
		}
		return b.check("the apps differ", together, b.apps, apps)
	})
}
