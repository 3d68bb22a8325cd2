package properties_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/confighash/confighash/test/support/gen"
	"github.com/confighash/confighash/test/support/harness"
	"github.com/confighash/confighash/test/support/property"
)

func strip(text string) (string, error) {
	out, err := harness.Run([]byte(text), harness.Binary, "strip")
	return string(out), err
}

// same compares two texts of a package: byte by byte, unless an edit may have encoded items again.
func (p *plainPackage) same(what, want, got string) error {
	if want == got {
		return nil
	}
	if !p.anchors {
		return fmt.Errorf("%s: (-want +got)\n%s", what, cmp.Diff(strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")))
	}
	wanted, err := p.parse(want)
	if err != nil {
		return err
	}
	have, err := p.parse(got)
	if diff := cmp.Diff(wanted, have); diff != "" {
		return fmt.Errorf("%s: documents differ: (-want +got)\n%s", what, diff)
	}
	return err
}

// What was never renamed stays the same byte by byte, and what was renamed is restored. A second run changes nothing,
// and mode Rename gives the same names again.
func TestStrip_undoesRename(t *testing.T) {
	renamed := 0
	property.ForAll(t, packages/3, randomPackage, func(_ *gen.Dice, p *plainPackage) error {
		text := p.text(nil)
		stripped, err := strip(text)
		if err != nil {
			return err
		}
		if stripped != text {
			return fmt.Errorf("without a rename: (-want +got)\n%s", cmp.Diff(strings.SplitAfter(text, "\n"), strings.SplitAfter(stripped, "\n")))
		}
		out, err := p.process(text)
		if err != nil {
			return err
		}
		if out = p.withoutResults(out); out != text {
			renamed++
		}
		if stripped, err = strip(out); err != nil {
			return err
		}
		if err := p.same("after a rename", text, stripped); err != nil {
			return err
		}
		again, err := strip(stripped)
		if err != nil {
			return err
		}
		if again != stripped {
			return fmt.Errorf("a second run differs: (-once +twice)\n%s", cmp.Diff(stripped, again))
		}
		if again, err = p.process(stripped); err != nil {
			return err
		}
		return p.same("renamed again", out, p.withoutResults(again))
	})
	if renamed < property.Cases(packages/3)/3 {
		t.Errorf("only %d packages were renamed", renamed)
	}
}
